"""What `poet minimum` answers."""

import json
import os
import signal
import unittest

import interrupt_test
import program
from program import poet

LINEAR = ["minimum", "--model", "linear", "--platform", "m4"]
# Far from done when it is interrupted.
BERT = ["minimum", "--model", "bert", "--platform", "m4", "--no-paging", "--runtime-budget", "1.5",
        "--time-limit-s", "100000", "--json"]


class SmallestBudget(program.InAFolder):
    def test_sentence_and_table(self):
        ended = poet(*LINEAR, "--io", "blocking", "--deadline", "1.0")
        self.assertEqual((ended.code, ended.err), (0, ""))
        lines = ended.out.splitlines()
        self.assertEqual(lines[0], "linear on m4, released graph, blocking transfers")
        self.assertRegex(lines[1], r"^the smallest RAM budget for the deadline of 0\.04149823058 s is 4,280 bytes, "
                                   r"by cbc \S+, without certificate, after .+ \(cbc .+\)$")
        self.assertEqual(lines[2], "")
        self.assertRegex(lines[3], r"^  RAM +bytes  of the peak  of the way up$")
        self.assertRegex(lines[4], r"^  largest working set  3,256 +43\.9 % +0 %  of input_0_grad$")
        self.assertRegex(lines[5], r"^  smallest budget +4,280 +57\.7 % +24\.6 %  works, and nothing smaller does$")
        self.assertRegex(lines[6], r"^  plain peak +7,416 +100 % +100 %  what keeping everything needs$")
        self.assertRegex(ended.out, r"\n  peak RAM +4,280 B +100 % of the budget of 4,280 B")

    def test_json(self):
        ended = poet(*LINEAR, "--io", "blocking", "--deadline", "1.0", "--json")
        self.assertEqual(ended.code, 0)
        answer = ended.json()
        self.assertEqual([answer[key] for key in ("format", "version", "asked", "status", "proved_bytes", "found_bytes")],
                         ["poet-minimum", 1, "ram_budget", "optimal", 4280, 4280])
        self.assertAlmostEqual(answer["part_of_plain_peak"], 4280 / 7416)

    def test_json_names_the_class_of_schedules(self):
        any_order = "first executions in the given order; re-executions within one stage in increasing order, each at most once"
        self.assertEqual(poet(*LINEAR, "--json").json()["class"], any_order)
        once = "each operation once, in the given order"
        self.assertEqual(poet(*LINEAR, "--no-remat", "--json").json()["class"], once)

    def test_a_byte_less_does_not_work(self):
        options = ["--model", "linear", "--platform", "m4", "--no-paging", "--deadline", "1.05"]
        least = poet("minimum", *options, "--json").json()["found_bytes"]
        self.assertEqual(poet("solve", *options, "--ram-budget", str(least), "--quiet").code, 0)
        ended = poet("solve", *options, "--ram-budget", str(least - 1), "--quiet", "--json")
        self.assertEqual((ended.code, ended.json()["status"], ended.json()["scope"]), (1, "infeasible", "all-steps"))

    def test_speaks_of_the_plans_that_a_solve_makes(self):
        options = ["--model", "resnet8", "--platform", "m4", "--parts", "whole", "--quiet", "--json"]
        least = poet("minimum", *options).json()
        self.assertEqual((least["status"], least["updates"]["asked"]), ("optimal", "auto"))
        self.assertIn("layer3.0.conv2.weight", least["updates"]["sliced"])
        self.assertLess(least["found_bytes"], 256 * 1024)
        self.assertEqual(poet("inspect", "resnet8", "--json").json()["least_bytes"], least["found_bytes"])
        budget = ["--ram-budget", str(least["found_bytes"]), "--gap", "0.5"]
        self.assertEqual(poet("solve", *options, *budget).code, 0)
        refused = poet("solve", *options, "--ram-budget", str(least["found_bytes"] - 1)).json()
        self.assertEqual(refused["infeasible"]["working_budget_bytes"], least["found_bytes"])

    def test_a_solve_finds_in_parts_what_works(self):
        options = ["--model", "digits-mlp", "--platform", "m4", "--quiet", "--json"]
        least = poet("minimum", *options).json()
        self.assertIsNotNone(least["parts"]["part_bytes"])
        for more in (0, 1):
            ended = poet("solve", *options, "--gap", "0.5", "--ram-budget", str(least["found_bytes"] + more))
            self.assertEqual(ended.code, 0)
            self.assertLessEqual(ended.json()["peak_ram_bytes"], least["found_bytes"] + more)

    def test_a_solve_with_less_finds_nothing_in_coarser_parts_either(self):
        """The finest parts need least by themselves, and more with all that is alive beside them; or whole operations are cut in none."""
        for question in (["--model", "digits-mlp", "--platform", "m4", "--batch-size", "4", "--no-paging", "--no-remat"],
                         ["--model", "lenet5", "--platform", "a72", "--batch-size", "3", "--updates", "separate",
                          "--largest-gradient-norm", "1"]):
            with self.subTest(question):
                least = poet("minimum", *question, "--quiet", "--json").json()
                self.assertIsNotNone(least["parts"]["part_bytes"])
                works = poet("solve", *question, "--quiet", "--ram-budget", str(least["found_bytes"]))
                self.assertEqual(works.code, 0, works.err)
                less = poet("solve", *question, "--quiet", "--ram-budget", str(least["found_bytes"] - 1))
                self.assertEqual(less.code, 1, less.out)

    def test_a_small_network_is_cut_as_finely_as_it_can_be(self):
        options = ["--model", "digits-cnn", "--platform", "m4", "--quiet", "--json"]
        least = poet("minimum", *options).json()
        part_bytes = least["parts"]["part_bytes"]
        asked = poet("minimum", *options, "--parts", str(part_bytes)).json()
        self.assertEqual(asked["found_bytes"], least["found_bytes"])
        self.assertIn("cannot be cut into parts of", poet("minimum", *options, "--parts", str(part_bytes - 16)).err)

    def test_looks_between_the_sizes_of_parts(self):
        options = ["--model", "lenet5", "--platform", "m4", "--quiet", "--json"]
        least = poet("minimum", *options).json()
        self.assertLess(least["found_bytes"], 5152)  # what parts of 5 KiB need; of 4.5 KiB there are none
        for less in (1, least["found_bytes"] // 16):
            ended = poet("solve", *options, "--gap", "0.5", "--ram-budget", str(least["found_bytes"] - less))
            self.assertEqual((ended.code, ended.json()["scope"]), (1, "this-step"))

    def test_the_plan_is_one(self):
        plan = self.path("plan.json")
        ended = poet(*LINEAR, "--out", plan)
        self.assertEqual(ended.code, 0)
        self.assertTrue(ended.out.endswith(f"\n  wrote {plan}\n"), ended.out)
        verified = poet("verify", plan, "--json").json()
        self.assertTrue(verified["valid"])
        self.assertEqual((verified["ram_budget_bytes"], verified["peak_ram_bytes"]), (3256, 3256))

    def test_says_of_which_step_it_speaks_where_parts_are_left_open(self):
        ask = ["minimum", "--model", "digits-cnn", "--platform", "m4", "--ram-budget", "9252"]
        ended = poet(*ask)
        self.assertIn("the shortest deadline in parts of at most 6,144 bytes within 9,252 bytes of RAM is ", ended.out)
        self.assertIn("works, and nothing shorter does in these parts", ended.out)
        whole = poet(*ask, "--parts", "whole")
        self.assertIn("the shortest deadline with these updates by slices within 9,252 bytes of RAM is ", whole.out)
        self.assertIn("works, and nothing shorter does with these updates by slices", whole.out)

    def test_a_deadline_is_one_of_all_the_steps_that_are_tried(self):
        """With separate updates bert-tiny takes longer, and has to write a gradient of 15 MB."""
        asked = ["--model", "bert-tiny", "--platform", "m4", "--quiet", "--json"]
        least = poet("minimum", *asked, "--ram-budget", "31254560").json()["found_s"]
        sliced = poet("minimum", *asked, "--ram-budget", "31254560", "--updates", "sliced", "--parts", "whole").json()["found_s"]
        self.assertLessEqual(least, sliced)
        self.assertEqual(poet("solve", *asked, "--ram-budget", "31254560", "--deadline", f"{least * 1.01}s").code, 0)
        refused = poet("solve", *asked, "--ram-budget", "31254560", "--deadline", f"{least * 0.99}s").json()
        self.assertAlmostEqual(refused["infeasible"]["working_time_s"], least, delta=1e-6 * least)
        self.assertIsNone(refused["infeasible"]["least_time_s"])

    def test_no_budget_works_below_the_compute_time(self):
        plan = self.path("plan.json")
        ended = poet(*LINEAR, "--deadline", "0.5", "--out", plan)
        self.assertEqual(ended.code, 1)
        self.assertEqual(ended.err, f"poet: warning: there is no schedule, so '{plan}' was not written\n")
        self.assertEqual(ended.out.splitlines()[1],
                         "no RAM budget works (proved in exact arithmetic): one execution of every operation takes 0.04149823058 s, and the deadline is "
                         "0.02074911529 s; the shortest deadline that works is 0.04149823058 s")

    def test_the_same_request_gives_the_same_bytes(self):
        first, second = (poet(*LINEAR, "--no-paging", "--deadline", "1.1", "--json").json() for _ in range(2))
        del first["timing"], second["timing"]
        self.assertEqual(json.dumps(first), json.dumps(second))


class ShortestDeadline(program.InAFolder):
    def test_sentence_and_table(self):
        ended = poet(*LINEAR, "--no-paging", "--ram-budget", "3256", "--out", self.path("plan.json"))
        self.assertEqual((ended.code, ended.err), (0, ""))
        lines = ended.out.splitlines()
        self.assertRegex(lines[1], r"^the shortest deadline within 3,256 bytes of RAM is 0\.0\d+ s, proved in exact arithmetic after ")
        self.assertRegex(ended.out, r"\n  shortest deadline  0\.0\d+ s +1\.\d{4}x  works, and nothing shorter does\n")
        self.assertEqual(poet("verify", self.path("plan.json")).code, 0)

    def test_no_deadline_works_below_the_working_set(self):
        ended = poet(*LINEAR, "--ram-budget", "3255")
        self.assertEqual(ended.code, 1)
        self.assertRegex(ended.out.splitlines()[1], r"^no deadline works \(proved in exact arithmetic\): operation '.+' alone needs 3,256 bytes of RAM")


    def test_a_no_says_of_which_schedules_it_is(self):
        """In another order 102 bytes do."""
        with open(self.path("chains.json"), "w", encoding="utf-8") as file:
            json.dump({"name": "two chains", "source": "made", "nodes": 5, "names": ["a1", "b1", "a2", "b2", "c"],
                       "edges": [[0, 2], [1, 3], [2, 4], [3, 4]], "duration": [1] * 5,
                       "output_bytes": [100, 100, 1, 1, 1]}, file)
        ended = poet("minimum", "--graph-file", self.path("chains.json"), "--ram-budget", "150", "--no-remat")
        self.assertEqual(ended.code, 1)
        self.assertRegex(ended.out.splitlines()[1], r"^no deadline works for the class below \(proved")
        self.assertIn("\n  class       each operation once, in the given order\n", ended.out)

class SeveralMemories(program.InAFolder):
    """On a device with a slow memory beside its RAM, which has room for everything."""

    NETWORK = ("--model", "digits-cnn", "--platform", "esp32s3")

    def test_the_smallest_ram_is_planned_verified_and_trained_in(self):
        free = poet("minimum", *self.NETWORK, "--json").json()
        self.assertEqual(free["status"], "optimal")
        deadline = f"{1.05 * free['unavoidable_s']}s"
        least = poet("minimum", *self.NETWORK, "--deadline", deadline, "--time-limit-s", "10", "--out", "plan.json", "--json",
                     cwd=self.folder).json()
        self.assertLess(free["found_bytes"], least["found_bytes"])
        self.assertLessEqual(least["proved_bytes"], least["found_bytes"])
        [psram] = least["further_memories"]
        self.assertGreater(psram["peak_bytes"], 0)
        self.assertEqual(poet("verify", "plan.json", cwd=self.folder).code, 0)
        budget = str(least["found_bytes"])
        solved = poet("solve", *self.NETWORK, "--ram-budget", budget, "--deadline", deadline, "--json").json()
        self.assertIn(solved["status"], ("optimal", "feasible"))
        # Separate updates have no schedule here, and the other step waits for no more than a look at them.
        self.assertLess(solved["timing"]["effort_s"], 12)
        self.assertGreater(least["proved_bytes"], 0)
        less = str(least["proved_bytes"] - 1)
        refused = poet("solve", *self.NETWORK, "--ram-budget", less, "--deadline", deadline)
        self.assertEqual(refused.code, 1)
        self.assertIn("no schedule of", refused.out)
        # Slices may lack room for their workspace; separate updates have none, and lack time alone.
        refused = poet("solve", *self.NETWORK, "--ram-budget", less, "--deadline", deadline, "--updates", "separate")
        self.assertEqual(refused.code, 1)
        self.assertIn("cannot keep takes time elsewhere or comes again", refused.out)
        text = poet("minimum", *self.NETWORK).out
        self.assertIn("the smallest RAM budget, beside 8,388,608 bytes of psram, of whole operations is", text)

    def test_a_certificate_is_not_promised(self):
        ended = poet("minimum", *self.NETWORK, "--certificate", "proof.json", cwd=self.folder)
        self.assertEqual(ended.code, 0)
        self.assertIn("no certificate speaks of several memories, so there is none", ended.err)
        self.assertNotIn("proof.json", os.listdir(self.folder))


class BadInput(program.InAFolder):
    def test_one_question_at_a_time(self):
        self.assert_refused(
            "a RAM budget asks for the shortest deadline, and a deadline for the smallest RAM budget; give one of them",
            *LINEAR, "--ram-budget", "5000", "--deadline", "1.5")

    def test_a_certificate_that_replaces_the_plan(self):
        self.assert_refused("--out and --certificate name one file, 'one.json'; give each its own",
                            *LINEAR, "--out", "one.json", "--certificate", "one.json")

    def test_a_network_and_a_device_are_needed(self):
        self.assert_refused("poet minimum needs --model NAME ('poet models' lists them), --model FILE.onnx or --graph-file FILE", "minimum")
        self.assert_refused("poet minimum needs --platform NAME; 'poet devices' lists them", "minimum", "--model", "linear")


class Interrupt(unittest.TestCase):
    def test_answers_with_what_is_known_so_far(self):
        code, out, err = interrupt_test.interrupted(BERT, "  best ", signal.SIGINT)
        self.assertEqual(code, 0, err)
        answer = json.loads(out)
        self.assertEqual(answer["status"], "feasible")
        self.assertLess(answer["proved_bytes"], answer["found_bytes"])
        self.assertIn("stopped on request, before the search was complete", answer["warnings"])
        self.assertRegex(err, r"best [\d,]+ B, bound [\d,]+ B")

    def test_says_that_parts_were_still_looked_at(self):
        code, out, err = interrupt_test.interrupted(["minimum", "--model", "mobilenetv2", "--platform", "m4", "--json"], "  parts ", signal.SIGINT)
        self.assertEqual(code, 0, err)
        self.assertIn("stopped on request, before the search was complete", " ".join(json.loads(out)["warnings"]))


if __name__ == "__main__":
    program.run_tests()
