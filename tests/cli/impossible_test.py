"""Certificates that there is no schedule, or none in less RAM: what `poet solve` and `poet minimum` write, by both exact checkers."""

import copy
import importlib.util
import json
import os
import subprocess
import unittest

import program
from program import LINEAR, poet

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_spec = importlib.util.spec_from_file_location("check_proof", os.path.join(SOURCE, "tools", "check_proof.py"))
python = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(python)

ASKED = ["--model", "linear", "--platform", "m4"]
# The least RAM in the time of computing once is 4,280 bytes, and no operation needs as much by itself.
IN_TIME = [*ASKED, "--io", "blocking", "--deadline", "1.0"]


def with_budget(budget):
    return [budget if argument == "5000" else argument for argument in LINEAR]


class Impossible(program.InAFolder):
    def by_both(self, *files):
        """Whether the certificate holds; both exact checkers must say the same. None where both refuse to read it."""
        checker = os.path.join(os.path.dirname(program.program), "poet-check-proof")
        ended = subprocess.run([checker, "--json", *files], cwd=self.folder, capture_output=True, text=True, check=False)
        try:
            certificate = python.Certificate(python.load(self.path(files[-1])))
            problem, schedule = certificate.problem, None
            if len(files) > 1:
                problem, schedule = python.read_subject(python.load(self.path(files[0])))
            here = python.check(problem, certificate, schedule)["holds"]
        except python.Unreadable:
            self.assertEqual(ended.returncode, 2, ended)
            return None
        self.assertEqual((ended.returncode, json.loads(ended.stdout)["holds"]), (0 if here else 1, here), ended)
        return here

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return json.load(file)

    def write(self, name, value):
        with open(self.path(name), "w", encoding="utf-8") as file:
            json.dump(value, file)

    def solve_without_a_schedule(self, *arguments):
        ended = poet("solve", *arguments, "--certificate", "proof.json", "--quiet", "--json", cwd=self.folder)
        answer = ended.json()
        self.assertEqual((ended.code, answer["status"], answer["proof"]), (1, "infeasible", "exact"), ended)
        self.assertEqual(answer["files"], ["proof.json"])
        self.assertEqual(answer["certificate"]["claim"], "infeasible")
        self.assertTrue(answer["certificate"]["covers_claim"])
        self.assertTrue(self.by_both("proof.json"))
        return answer, self.read("proof.json")

    # --- every way in which there is none

    def test_a_working_set_above_the_budget(self):
        answer, proof = self.solve_without_a_schedule(*ASKED, "--ram-budget", "2000")
        self.assertEqual((answer["evidence"], proof["parts"]), ("arithmetic", []))
        ended = poet(*with_budget("2000"), "--certificate", "proof.json", "--quiet", cwd=self.folder)
        self.assertRegex(ended.out.splitlines()[1], r"^no schedule exists \(proved in exact arithmetic\): operation '")
        self.assertIn("\ncertificate: proves that there is no schedule; poet-check-proof checks it exactly\n", ended.out)

    def test_a_deadline_below_what_operations_take(self):
        answer, proof = self.solve_without_a_schedule(*ASKED, "--ram-budget", "5000", "--deadline", "0.9")
        self.assertEqual((answer["infeasible"]["kind"], proof["parts"]), ("deadline", []))

    def test_a_deadline_beside_the_processor(self):
        self.solve_without_a_schedule(*ASKED, "--io", "overlapped", "--ram-budget", "5000", "--deadline", "0.9")

    def test_ram_and_time_together(self):
        answer, proof = self.solve_without_a_schedule(*IN_TIME, "--ram-budget", "4279")
        self.assertEqual((answer["evidence"], len(proof["parts"])), ("certificate", 1))
        self.assertEqual(proof["problem"]["ram_budget_bytes"], 4279)

    def test_recomputing_alone(self):
        options = [*ASKED, "--no-paging", "--deadline", "1.01"]
        least = poet("minimum", *options, "--json").json()["found_bytes"]
        _, proof = self.solve_without_a_schedule(*options, "--ram-budget", str(least - 1))
        self.assertEqual(len(proof["parts"]), 1)

    # --- the smallest budget

    def minimum(self, *arguments):
        ended = poet("minimum", *arguments, "--out", "plan.json", "--certificate", "proof.json", cwd=self.folder)
        self.assertEqual((ended.code, ended.err), (0, ""))
        self.assertTrue(self.by_both("plan.json", "proof.json"))
        return ended.out, self.read("proof.json")

    def test_the_smallest_budget(self):
        text, proof = self.minimum(*IN_TIME)
        self.assertEqual((proof["claim"], proof["claimed_bytes"], len(proof["parts"])), ("least-ram", 4280, 1))
        self.assertRegex(text.splitlines()[1], r" is 4,280 bytes, proved in exact arithmetic after ")
        sentence = ("certificate: proves that no schedule of this step needs less than 4,280 bytes of RAM, and this one needs no "
                    "more; poet-check-proof checks it exactly\n")
        self.assertIn("\n" + sentence, text)
        ended = poet("verify", "plan.json", "--certificate", "proof.json", cwd=self.folder)
        self.assertEqual((ended.code, ended.err), (0, ""))
        self.assertIn("\n" + sentence, ended.out)
        answer = poet("minimum", *IN_TIME, "--certificate", "again.json", "--json", cwd=self.folder).json()
        self.assertEqual((answer["evidence"], answer["proof"], answer["files"]), ("certificate", "exact", ["again.json"]))
        self.assertEqual(self.read("again.json"), proof)

    def test_a_smallest_budget_that_is_a_working_set(self):
        _, proof = self.minimum(*ASKED)
        self.assertEqual((proof["claimed_bytes"], proof["parts"]), (3256, []))

    def test_the_shortest_deadline(self):
        _, proof = self.minimum(*ASKED, "--no-paging", "--ram-budget", "3256")
        self.assertNotIn("claim", proof)

    def test_no_budget_works(self):
        ended = poet("minimum", *ASKED, "--deadline", "0.9", "--certificate", "proof.json", cwd=self.folder)
        self.assertEqual(ended.code, 1)
        self.assertRegex(ended.out.splitlines()[1], r"^no RAM budget works \(proved in exact arithmetic\): ")
        self.assertTrue(self.by_both("proof.json"))

    # --- tampering

    def refused(self, proof, *files):
        self.write("changed.json", proof)
        return not self.by_both(*files, "changed.json")

    def test_a_claim_that_says_more_is_refused(self):
        _, proof = self.minimum(*IN_TIME)
        for key, value in (("claimed_bytes", 4281), ("claimed_bytes", 10**9), ("parts", [])):
            self.assertTrue(self.refused({**proof, key: value}, "plan.json"), key)
        infeasible = {**proof, "claim": "infeasible"}
        del infeasible["claimed_bytes"]
        self.assertTrue(self.refused(infeasible, "plan.json"))
        ended = poet("verify", "plan.json", "--certificate", "changed.json", cwd=self.folder)
        self.assertEqual(ended.code, 1)
        self.assertIn("the certificate does not prove that there is no schedule within the margin of doubles; whether it does "
                      "exactly, poet-check-proof says\n", ended.out)
        self.assertIn("\nthe plan is valid: every rule is kept; the certificate is not valid for it\n", ended.out)

    def test_every_class_of_numbers_counts(self):
        """One number of each kind is changed: multipliers to 0, places and ids to others, the facts of the instance."""
        _, proof = self.minimum(*IN_TIME)
        for key in ("operations", "tensors", "ram_budget_bytes", "deadline_s"):
            changed = copy.deepcopy(proof)
            changed["instance"][key] += 1
            self.assertTrue(self.refused(changed, "plan.json"), key)
        kinds = set()
        for path in paths_in(proof["parts"]):
            kind = tuple(key for key in path if isinstance(key, str)) + (path[-1],)
            value = value_at(proof["parts"], path)
            if isinstance(value, str):
                continue
            for other in (0, value * 1e3 + 1, value + 1, -1):
                changed = copy.deepcopy(proof)
                value_at(changed["parts"], path[:-1])[path[-1]] = other
                if self.refused(changed, "plan.json"):
                    kinds.add(kind)
                    break
        # Keys, rows by what they say, and of leaves the places and the multipliers.
        for kind in (("keys", 0), ("rows", 1), ("nodes", "rows", 0), ("nodes", "rows", 1)):
            self.assertIn(kind, kinds)

    def test_no_change_denies_a_schedule_that_there_is(self):
        """The proof for a byte less, said of the budget that works, and with every number changed."""
        poet("minimum", *IN_TIME, "--out", "plan.json", cwd=self.folder)
        _, proof = self.solve_without_a_schedule(*IN_TIME, "--ram-budget", "4279")
        del proof["problem"]
        proof["instance"]["ram_budget_bytes"] = 4280
        self.assertTrue(self.refused(proof, "plan.json"))
        paths = [path for path in paths_in(proof["parts"]) if not isinstance(value_at(proof["parts"], path), str)]
        for path in paths[:: max(1, len(paths) // 40)]:
            value = value_at(proof["parts"], path)
            for other in (0, value + 1, value * 1e6, value / 2):
                changed = copy.deepcopy(proof)
                value_at(changed["parts"], path[:-1])[path[-1]] = other
                self.assertTrue(self.refused(changed, "plan.json"), path)


def value_at(value, path):
    for key in path:
        value = value[key]
    return value


def paths_in(value, path=()):
    if not isinstance(value, (dict, list)):
        yield path
        return
    for key in value if isinstance(value, dict) else range(len(value)):
        yield from paths_in(value[key], (*path, key))


if __name__ == "__main__":
    program.run_tests()
