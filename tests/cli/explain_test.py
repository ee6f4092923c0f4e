"""What `poet explain` says of a plan."""

import re
import unittest

import program
from program import poet

# What is recomputed costs energy, and more RAM saves some of it.
TIGHT = ["solve", "--model", "linear", "--platform", "m4", "--runtime-budget", "1.5", "--no-paging"]


class Explains(program.InAFolder):
    def setUp(self):
        super().setUp()
        self.plan = self.path("plan.json")
        ended = poet(*TIGHT, "--ram-budget", "3320", "--out", self.plan)
        self.assertEqual(ended.code, 0, ended.err)

    def test_every_absence_in_words(self):
        ended = poet("explain", self.plan, "--quick")
        self.assertEqual((ended.code, ended.err), (0, ""))
        lines = ended.out.splitlines()
        self.assertEqual(lines[0], "linear on m4, released graph, free transfers, no paging")
        self.assertRegex(lines[1], r"^energy .+J, of which .+J is overhead: what the limits cost$")
        self.assertRegex(ended.out, r"\n\w+ \(\S+ bytes\) is absent in stages? .+ of the overhead\)")
        self.assertRegex(ended.out, r"\n  While '\w+' runs, [\d,]+ of 3,320 bytes are in use")
        self.assertRegex(ended.out, r"\n  Instead, with all else as it is: the RAM to keep it is worth about ")
        self.assertRegex(lines[-4], r"^another 8,192 bytes of RAM can save at most .+J \([\d.]+ % of the overhead\); "
                                    r"that is proved by sums over the problem$")
        self.assertRegex(lines[-3], r"^10 % more time \(.+ ms\) can save at most ")
        self.assertEqual(lines[-1], "'optimal' is said of this class of schedules: first executions in the given order; "
                                    "re-executions within one stage in increasing order, each at most once")

    def test_the_class_of_schedules_without_recomputation(self):
        plan = self.path("paged.json")
        ended = poet("solve", "--model", "linear", "--platform", "m4", "--no-remat", "--ram-budget", "5000", "--out", plan)
        self.assertEqual(ended.code, 0, ended.err)
        ended = poet("explain", plan, "--quick")
        self.assertEqual((ended.code, ended.err), (0, ""))
        self.assertIn("\n'optimal' is said of this class of schedules: each operation once, in the given order\n", ended.out)

    def test_keeping_is_worth_no_more_than_its_absence_costs(self):
        plan = self.path("bought.json")
        ended = poet("solve", "--model", "linear", "--platform", "m4", "--ram-budget", "3500", "--out", plan)
        self.assertEqual(ended.code, 0, ended.err)
        for one in poet("explain", plan, "--quick", "--json").json()["absences"]:
            self.assertLessEqual(one["keeping"], one["cost"] + (one["copy_cost"] or 0), one["tensor"])

    def test_one_by_name(self):
        everything = poet("explain", self.plan, "--quick", "--json").json()["absences"]
        self.assertGreater(len(everything), 1)
        name = everything[0]["tensor"]
        some = poet("explain", self.plan, name, "--quick", "--json").json()["absences"]
        self.assertEqual(some, [one for one in everything if one["tensor"] == name])

    def test_a_name_without_absence_is_not_passed_over(self):
        absent = {one["tensor"] for one in poet("explain", self.plan, "--quick", "--json").json()["absences"]}
        self.assertIn("relu_4", absent)
        self.assertNotIn("linear_7", absent)
        ended = poet("explain", self.plan, "linear_7", "relu_4", "linear_7", "--quick")
        self.assertEqual(ended.out.count("\nlinear_7 is never absent while something needs it.\n"), 1, ended.out)
        self.assertIn("\nrelu_4 (480 bytes) is absent in stage", ended.out)
        answer = poet("explain", self.plan, "linear_7", "relu_4", "--quick", "--json").json()
        self.assertEqual(answer["never_absent"], ["linear_7"])

    def test_without_a_deadline_there_is_no_more_time(self):
        plan = self.path("free.json")
        arguments = [argument for argument in TIGHT if argument not in ("--runtime-budget", "1.5")]
        self.assertEqual(poet(*arguments, "--ram-budget", "3320", "--out", plan).code, 0)
        answer = poet("explain", plan, "--quick", "--json").json()
        self.assertEqual((answer["more_time_s"], answer["more_time"]), (None, None))

    def test_more_ram_than_can_be_counted(self):
        ended = poet("explain", self.plan, "--ram-more", "9223372036854775807")
        self.assertEqual(
            (ended.code, ended.err),
            (2, "poet: --ram-more: 9,223,372,036,854,775,807 bytes beyond the plan's RAM budget are too many\n"))

    def test_planning_again_saves_no_more_than_the_bound(self):
        answer = poet("explain", self.plan, "--ram-more", "1KiB", "--time-more", "20%", "--json").json()
        self.assertEqual((answer["format"], answer["version"], answer["more_ram_bytes"]), ("poet-explanation", 1, 1024))
        for more in (answer["more_ram"], answer["more_time"]):
            self.assertEqual(more["status"], "optimal")
            self.assertLessEqual(more["found"], more["saves_at_most"])
        bounded = poet("explain", self.plan, "--ram-more", "1KiB", "--quick", "--json").json()["more_ram"]
        self.assertIsNone(bounded["found"])
        self.assertGreaterEqual(bounded["saves_at_most"], answer["more_ram"]["found"])

    def test_what_more_saves_is_what_a_solve_with_more_saves(self):
        found = poet("explain", self.plan, "--ram-more", "1000", "--json").json()
        more = poet(*TIGHT, "--ram-budget", "4320", "--json").json()
        saved = found["objective"] - more["energy_j"]
        self.assertGreater(saved, 0)
        self.assertLessEqual(saved, found["more_ram"]["saves_at_most"] * (1 + 1e-9))

    def test_a_saving_may_come_from_the_search_alone(self):
        doubt = "\nThe plan is not proved best: planning again without more may save as well.\n"
        self.assertNotIn(doubt, poet("explain", self.plan).out)
        plan = self.path("least.json")
        least = ["minimum", "--model", "linear", "--platform", "m4", "--io", "blocking", "--deadline", "1.5"]
        self.assertEqual(poet(*least, "--out", plan).code, 0)
        self.assertTrue(poet("explain", plan).out.endswith(doubt))
        self.assertNotIn(doubt, poet("explain", plan, "--quick").out)

    def test_bad_input(self):
        name = poet("explain", self.plan, "--quick", "--json").json()["absences"][0]["tensor"]
        slip = name[:-1] + "x" if name[-1] != "x" else name[:-1] + "y"
        ended = poet("explain", self.plan, slip + "zzzzzzzzzz")
        self.assertEqual((ended.code, ended.err),
                         (2, f"poet: the plan has no tensor or operation '{slip}zzzzzzzzzz'\n"))
        self.assert_refused("poet explain needs the path of a plan", "explain")

    def test_a_plan_that_is_not_valid_is_not_explained(self):
        with open(self.plan) as file:
            text = file.read()
        with open(self.plan, "w") as file:
            file.write(re.sub(r'"ram_budget_bytes": \d+', '"ram_budget_bytes": 10', text))
        ended = poet("explain", self.plan)
        self.assertEqual(ended.code, 2)
        self.assertRegex(ended.err, "^poet: .*the plan is not valid, so there is nothing to explain; 'poet verify' says what")


if __name__ == "__main__":
    program.run_tests()
