"""`poet solve --certificate` writes a proof, and `poet verify --certificate` checks it."""

import json
import os
import subprocess
import sys

import program
from program import LINEAR, poet

# Tight enough that the proof needs rows.
TIGHT = [argument if argument != "5000" else "3672" for argument in LINEAR]

SENTENCE = r"\ncertificate: proves that no schedule of this step needs less than [\d.]+ J, .+; it covers the whole claim of event, cbc \S+\n"


class Certificates(program.InAFolder):
    def setUp(self):
        super().setUp()
        self.solved = poet(*TIGHT, "--quiet", "--out", "plan.json", "--certificate", "proof.json", cwd=self.folder)
        self.assertEqual((self.solved.code, self.solved.err), (0, ""))
        with open(self.path("proof.json")) as file:
            self.proof = json.load(file)

    def verify(self, *options):
        with open(self.path("changed.json"), "w") as file:
            json.dump(self.proof, file)
        return poet("verify", "plan.json", "--certificate", "changed.json", *options, cwd=self.folder)

    def window_part(self):
        return next(part for part in self.proof["parts"] if part["kind"] == "windows")

    def test_solving_says_what_is_proved_and_where(self):
        self.assertRegex(self.solved.out, SENTENCE)
        self.assertIn("\n  wrote proof.json\n", self.solved.out)

    def test_verifying_finds_the_same(self):
        ended = self.verify()
        self.assertEqual((ended.code, ended.err), (0, ""))
        self.assertRegex(ended.out, SENTENCE)
        solved = [line for line in self.solved.out.splitlines() if line.startswith("certificate: ")]
        self.assertEqual([line for line in ended.out.splitlines() if line.startswith("certificate: ")], solved)

    def test_json_has_the_figures(self):
        answer = poet(*TIGHT, "--certificate", "again.json", "--json", cwd=self.folder).json()
        check = self.verify("--json").json()
        self.assertEqual(check["certificate"], answer["certificate"])
        proof = check["certificate"]
        self.assertEqual((proof["holds"], proof["covers_claim"], proof["proof_io"]), (True, True, "free"))
        self.assertEqual(proof["claimed_bound"], answer["lower_bound_j"])
        self.assertGreaterEqual(proof["proved_bound"], answer["lower_bound_j"] * (1 - 1e-9))
        self.assertLessEqual(proof["proved_bound"], answer["energy_j"])
        self.assertNotIn("certificate", poet("verify", "plan.json", "--json", cwd=self.folder).json())

    def test_the_same_request_gives_the_same_bytes(self):
        poet(*TIGHT, "--certificate", "again.json", cwd=self.folder)
        with open(self.path("proof.json")) as first, open(self.path("again.json")) as second:
            self.assertEqual(first.read(), second.read())

    def test_proving_less_is_said_and_no_fault(self):
        for node in self.window_part()["nodes"]:
            node.pop("rows", None)
        self.proof["parts"] = [self.window_part()]
        ended = self.verify()
        self.assertEqual((ended.code, ended.err), (0, ""))
        self.assertRegex(
            ended.out,
            r"of the overhead below this one; event, cbc \S+ claims [\d.]+ J, and the rest of that rests on a search that is "
            r"not in the certificate\n$",
        )
        self.assertFalse(self.verify("--json").json()["certificate"]["covers_claim"])

    def test_another_problem(self):
        self.proof["instance"]["ram_budget_bytes"] = 4999
        ended = self.verify()
        self.assertEqual(ended.code, 1)
        self.assertIn(
            "the plan is valid: every rule is kept; the certificate is not valid for it\n\n"
            "  the certificate does not hold: it is about another problem: a RAM budget of 4999 bytes, not 3672 bytes\n",
            ended.out,
        )

    def test_a_row_that_is_not_there(self):
        self.window_part()["rows"][0] = ["memory", 0]
        ended = self.verify("--json")
        self.assertEqual((ended.code, ended.json()["certificate"]["holds"]), (1, False))
        place = self.proof["parts"].index(self.window_part())
        self.assertEqual(
            ended.json()["certificate"]["fault"], f'part {place}: row 0: the window model has no row ["memory", 0]'
        )

    def test_what_is_no_certificate(self):
        with open(self.path("text.json"), "w") as file:
            file.write("{}")
        ended = poet("verify", "plan.json", "--certificate", "text.json", cwd=self.folder)
        self.assertEqual((ended.code, ended.out), (2, ""))
        self.assertEqual(ended.err, "poet: text.json:1:1: the certificate must have 'format'\n")
        ended = poet("verify", "plan.json", "--certificate", "no.json", cwd=self.folder)
        self.assertEqual((ended.code, ended.err), (2, "poet: cannot read 'no.json': No such file or directory\n"))

    def test_none_from_the_released_formulation(self):
        ended = poet(*LINEAR, "--formulation", "released", "--time-limit-s", "1", "--certificate", "none.json", "--quiet",
                     cwd=self.folder)
        self.assertIn("poet: warning: this formulation makes no certificate, so 'none.json' was not written\n", ended.err)
        self.assertFalse(os.path.exists(self.path("none.json")))

    def test_a_search_cut_short_for_the_certificate_says_so(self):
        ended = poet("solve", "--model", "bert", "--platform", "m4", "--no-paging", "--ram-budget", "10%way",
                     "--runtime-budget", "1.5", "--gap", "0", "--time-limit-s", "0.5", "--certificate", "proof.json",
                     "--quiet", "--json", cwd=self.folder)
        self.assertIn(ended.json()["status"], ("feasible", "unknown"))
        self.assertEqual(ended.err.count("; a larger --time-limit-s goes further\n"), 1, ended.err)

    def test_of_a_bound_where_nothing_was_found(self):
        """There may be a schedule all the same; and the certificate carries the problem, for no plan does."""
        poet("generate", "resnet", "--operations", "65", "--seed", "48845", "--platform", "a72", "--out", "open.json", cwd=self.folder)
        ended = poet("solve", "--graph-file", "open.json", "--runtime-budget", "1.05", "--io", "free", "--no-paging", "--ram-budget", "2125824",
                     "--max-nodes", "1", "--max-iterations", "1", "--quiet", "--out", "none.json", "--certificate", "bound.json", cwd=self.folder)
        self.assertEqual(ended.code, 1)
        self.assertIn("no schedule found, and none ruled out", ended.out)
        self.assertRegex(ended.out, r"\ncertificate: proves that no schedule of this step needs less than [\d.]+ J; it covers the whole claim of event, cbc \S+\n")
        self.assertIn("poet: warning: no schedule was found, so 'none.json' was not written\n", ended.err)
        checker = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "check_proof.py")
        checked = subprocess.run([sys.executable, checker, self.path("bound.json")], capture_output=True, text=True, check=False)
        self.assertEqual((checked.returncode, checked.stderr), (0, ""))

    def test_two_outputs_with_one_name(self):
        self.assert_refused(
            "--out and --certificate name one file, 'one.json'; give each its own",
            *LINEAR, "--out", "one.json", "--certificate", "one.json",
        )

    def test_a_certificate_does_not_replace_the_plan_to_begin_with(self):
        self.assert_refused(
            "--start and --certificate name one file, 'plan.json'; give each its own",
            *LINEAR, "--start", "plan.json", "--certificate", "plan.json",
        )
        ended = poet(*LINEAR, "--start", "plan.json", "--out", "plan.json", cwd=self.folder)
        self.assertEqual((ended.code, ended.err), (0, ""))


if __name__ == "__main__":
    program.run_tests()
