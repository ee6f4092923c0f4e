"""`poet verify` and `poet inspect` on good plans, on plans that break rules and on files that are not plans."""

import json
import os

import program
from program import LINEAR, poet


class PlanFiles(program.InAFolder):
    def setUp(self):
        super().setUp()
        ended = poet(*LINEAR, "--out", "plan.json", cwd=self.folder)
        self.assertEqual(ended.code, 0, ended.err)
        with open(self.path("plan.json")) as file:
            self.text = file.read()
        self.plan = json.loads(self.text)

    def verify(self, text, *options):
        with open(self.path("changed.json"), "w") as file:
            file.write(text)
        return poet("verify", "changed.json", *options, cwd=self.folder)

    def refusal(self, text):
        ended = self.verify(text)
        self.assertEqual((ended.code, ended.out), (2, ""), ended.err)
        return ended.err

    def test_a_plan_keeps_the_rules(self):
        ended = poet("verify", "plan.json", cwd=self.folder)
        self.assertEqual((ended.code, ended.err), (0, ""))
        self.assertIn("valid: every rule is kept", ended.out)

    def test_the_verifier_derives_the_figures_of_the_answer(self):
        answer = poet(*LINEAR, "--json").json()
        check = poet("verify", "plan.json", "--json", cwd=self.folder).json()
        self.assertTrue(check["valid"])
        for field in ("energy_j", "time_s", "peak_ram_bytes", "written_bytes", "recomputed_operations"):
            self.assertEqual(check[field], answer[field])

    def test_another_mode_takes_longer(self):
        free, blocking = (
            poet("verify", "plan.json", "--io", mode, "--json", cwd=self.folder).json() for mode in ("free", "blocking")
        )
        self.assertGreaterEqual(blocking["time_s"], free["time_s"])
        self.assertEqual(blocking["energy_j"], free["energy_j"])

    def test_a_broken_rule_is_a_no(self):
        self.plan["problem"]["ram_budget_bytes"] = 4000
        ended = self.verify(json.dumps(self.plan))
        self.assertEqual(ended.code, 1)
        self.assertRegex(ended.out, r"\nnot valid: \d+ faults? found\n\n  action \d+ computes ")
        ended = self.verify(json.dumps(self.plan), "--json")
        self.assertEqual((ended.code, ended.json()["valid"]), (1, False))
        self.assertGreater(ended.json()["findings"][0]["bytes"], 4000)

    def test_a_claim_that_cannot_be(self):
        self.plan["proof"]["lower_bound"] = 1e6
        ended = self.verify(json.dumps(self.plan))
        self.assertEqual(ended.code, 1)
        self.assertIn("the plan claims that nothing is below 1000000 J, but it takes ", ended.out)

    def test_a_name_cannot_steer_the_terminal_or_forge_a_line(self):
        self.plan["origin"]["model"] = "tiny\x1b[2J\nvalid: every rule is kept"
        self.plan["problem"]["ram_budget_bytes"] = 10
        ended = self.verify(json.dumps(self.plan))
        self.assertEqual(ended.code, 1)
        self.assertNotIn("\x1b", ended.out)
        lines = ended.out.splitlines()
        self.assertRegex(lines[0], r"^tiny\?\[2J\?valid: every rule is kept on m4, ")
        self.assertRegex(lines[1], r"^not valid: \d+ faults found$")
        # A mark that turns the direction of what follows, and a control beyond ASCII; letters stay.
        self.plan["origin"]["model"] = "t\u202einy \u009b2J \u00e9\u6f22"
        text = json.dumps(self.plan, ensure_ascii=False)
        self.assertTrue(self.verify(text).out.startswith("t?iny ?2J \u00e9\u6f22 on m4, "))
        told = self.verify(text, "--json")
        self.assertIn("t\\u202einy \\u009b2J \u00e9\u6f22", told.out)
        self.assertEqual(poet("verify", "no\x1b.json").err, "poet: cannot read 'no?.json': No such file or directory\n")

    def test_a_missing_file(self):
        self.assert_refused("cannot read 'no.json': No such file or directory", "verify", "no.json")

    def test_a_truncated_file(self):
        for length in (0, 1, len(self.text) // 2, len(self.text) - 3):
            message = self.refusal(self.text[:length])
            self.assertRegex(message, r"^poet: changed\.json:\d+:\d+: not valid JSON: .+\n$")

    def test_another_version_or_format(self):
        self.assertEqual(
            self.refusal(self.text.replace('"version": 1', '"version": 2', 1)),
            "poet: changed.json:3:14: version 2 of poet-plan is not known here; version 1 is\n",
        )
        self.assertIn("poet-plan", self.refusal(self.text.replace('"poet-plan"', '"poet-plot"', 1)))

    def test_a_key_twice(self):
        self.assertEqual(
            self.refusal(self.text.replace('"version": 1', '"version": 1, "version": 1', 1)),
            "poet: changed.json:3:17: 'version' stands here twice (first in line 3)\n",
        )

    def test_sizes_that_cannot_be(self):
        for size in ("-1", "1e99", "99999999999999999999", "1.5", '"big"'):
            changed = json.loads(self.text)
            changed["problem"]["tensors"][1]["size_bytes"] = "SIZE"
            message = self.refusal(json.dumps(changed).replace('"SIZE"', size))
            self.assertRegex(message, r"^poet: changed\.json:1:\d+: .+\n$")

    def test_a_cycle(self):
        operation = self.plan["problem"]["operations"][1]
        operation["inputs"] = operation["outputs"]
        message = self.refusal(json.dumps(self.plan))
        self.assertTrue(message.startswith("poet: changed.json:"), message)

    def test_inspect_lists_what_the_plan_does(self):
        ended = poet("inspect", "plan.json", cwd=self.folder)
        self.assertEqual((ended.code, ended.err), (0, ""))
        self.assertIn("\n  paged       ", ended.out)
        self.assertIn("\n  made by     poet solve --model linear", ended.out)
        facts = poet("inspect", "plan.json", "--json", cwd=self.folder).json()
        recomputed = sum(row["times"] for row in facts["extra"] if row["what"] == "recompute")
        self.assertEqual(recomputed, facts["recomputed_operations"])

    def test_nothing_is_left_behind(self):
        self.assertEqual(os.listdir(self.folder), ["plan.json"])


if __name__ == "__main__":
    program.run_tests()
