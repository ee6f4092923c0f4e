"""Plans for costs above their figures: `--uncertainty`."""

import json
import unittest

import program
from program import poet

LINEAR = ["--model", "linear", "--platform", "m4", "--io", "blocking"]
SOLVE = ["solve", *LINEAR, "--ram-budget", "4000", "--json"]


class Uncertainty(program.InAFolder):
    def solve(self, *more):
        ended = poet(*SOLVE, *more)
        self.assertEqual((ended.code, ended.err), (0, ""))
        return ended.json()

    def verify(self, plan):
        with open(self.path("changed.json"), "w", encoding="utf-8") as file:
            json.dump(plan, file)
        return poet("verify", self.path("changed.json"), "--json")

    def plan(self, *more):
        self.solve(*more, "--out", self.path("plan.json"))
        with open(self.path("plan.json"), encoding="utf-8") as file:
            return json.load(file)

    def machine(self, plan, factor):
        """The plan where every cost is so many times its figure, and certain."""
        there = json.loads(json.dumps(plan))
        problem = there["problem"]
        problem["deadline_s"] = problem.pop("uncertainty")["deadline_s"]
        for piece in problem["operations"] + problem["tensors"]:
            for key in piece:
                if key.endswith("_s"):
                    piece[key] *= factor
        return there

    def test_the_worst_case_is_in_time(self):
        answer = self.solve("--deadline", "1.5", "--uncertainty", "20%")
        given = answer["uncertainty"]
        self.assertEqual((answer["status"], given["ratio"], given["deviations"]), ("optimal", 0.2, None))
        self.assertAlmostEqual(given["figures_deadline_s"], answer["deadline_s"] / 1.2)
        self.assertAlmostEqual(given["time_s"], 1.2 * answer["time_s"])
        self.assertAlmostEqual(given["energy_j"], 1.2 * answer["energy_j"])
        self.assertLessEqual(given["time_s"], answer["deadline_s"] * (1 + 1e-9))

    def test_it_says_so(self):
        ended = poet(*SOLVE[:-1], "--deadline", "1.5", "--uncertainty", "20%")
        self.assertRegex(ended.out, r"\n  time        \S+ ms +of \S+ ms by the figures")
        self.assertRegex(ended.out, r"\n  worst case  \S+ ms +of \S+ ms, with \S+ \SJ: every cost may be 20 % above its figure\n")

    def test_a_machine_within_the_part_is_in_time_and_one_beyond_is_not(self):
        least_s = poet("minimum", *LINEAR, "--ram-budget", "4000", "--uncertainty", "20%", "--json").json()["found_s"]
        plan = self.plan("--deadline", f"{least_s}s", "--uncertainty", "20%")
        self.assertTrue(self.verify(plan).json()["valid"])
        self.assertTrue(self.verify(self.machine(plan, 1.2)).json()["valid"])
        late = self.verify(self.machine(plan, 1.21)).json()
        self.assertRegex(late["findings"][0]["message"], r"^the step takes \S+ s; the deadline is \S+ s$")

    def test_the_shortest_deadline_is_that_of_the_worst_case(self):
        certain, uncertain = (poet("minimum", *LINEAR, "--ram-budget", "4000", *more, "--json").json()
                              for more in ([], ["--uncertainty", "20%"]))
        self.assertEqual(uncertain["status"], "optimal")
        self.assertAlmostEqual(uncertain["found_s"], 1.2 * certain["found_s"])
        self.assertAlmostEqual(uncertain["proved_s"], 1.2 * certain["proved_s"])

    def test_few_costs_above_leave_more_of_the_deadline(self):
        few, all_ = (self.solve("--deadline", "1.5", "--uncertainty", which) for which in ("20%:2", "20%"))
        self.assertLess(all_["uncertainty"]["figures_deadline_s"], few["uncertainty"]["figures_deadline_s"])
        self.assertLessEqual(few["energy_j"], all_["energy_j"] * (1 + 1e-9))
        self.assertLessEqual(few["uncertainty"]["time_s"], few["deadline_s"] * (1 + 1e-9))

    def test_explain_says_what_it_costs(self):
        self.plan("--deadline", "1.5", "--uncertainty", "20%")
        ended = poet("explain", self.path("plan.json"), "--quick")
        self.assertRegex(ended.out, r"\nKeeping to \S+ ms where every cost may be 20 % above its figure costs at most ")
        certainty = poet("explain", self.path("plan.json"), "--json").json()["certainty"]
        self.assertGreaterEqual(certainty["saves_at_most"], certainty["found"])

    def test_the_deadline_by_the_figures_must_follow(self):
        plan = self.plan("--deadline", "1.5", "--uncertainty", "20%")
        plan["problem"]["deadline_s"] *= 0.9
        ended = self.verify(plan)
        self.assertEqual(ended.code, 2)
        self.assertIn("has a deadline by the figures of ", ended.out)

    def test_a_proof_of_it(self):
        self.plan("--deadline", "1.5", "--uncertainty", "20%:2", "--certificate", self.path("proof.json"))
        ended = poet("verify", self.path("plan.json"), "--certificate", self.path("proof.json"))
        self.assertEqual((ended.code, ended.err), (0, ""))

    def test_what_is_refused(self):
        for more, what in (
                (["minimum", *LINEAR, "--uncertainty", "20%:2"],
                 "the smallest RAM budget is sought for all costs above their figures: give --uncertainty a part alone, or a RAM budget"),
                (["solve", *LINEAR, "--uncertainty", "20%:2", "--formulation", "released"],
                 "the released formulation counts no deviations: give --uncertainty a part alone, which every cost may be above its figure")):
            ended = poet(*more)
            self.assertEqual((ended.code, ended.err.splitlines()[-1]), (2, "poet: " + what))


if __name__ == "__main__":
    program.run_tests()
