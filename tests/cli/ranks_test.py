"""Training by several processes under mpirun: the numbers of one process, one voice, one end."""

import json
import os
import shutil
import signal
import subprocess
import unittest

import program
from program import Ended, poet


def training(model="lenet5", micro_batches="3"):
    """A step of 6 examples in 3 micro-batches."""
    return ["train", "--model", model, "--image-size", "16", "--batch-size", "6", "--micro-batches", micro_batches, "--examples", "24",
            "--optimiser", "adam", "--test-examples", "6", "--quiet"]


TRAIN = training()


@unittest.skipIf(shutil.which("mpirun") is None, "mpirun is not installed")
class Ranks(program.InAFolder):
    def setUp(self):
        super().setUp()
        self.plans = ["--cache", self.path("plans")]

    def mpirun(self, *words):
        return subprocess.Popen(["mpirun", "--allow-run-as-root", "--oversubscribe", *words], cwd=self.folder, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def ranks(self, *words, within_s=None):
        child = self.mpirun(*words)
        try:
            out, err = child.communicate(timeout=within_s)
        except subprocess.TimeoutExpired:
            child.terminate()  # mpirun ends the ranks
            child.communicate()
            raise
        return Ended(child.returncode, out, err)

    def train(self, count, *more):
        words = [*TRAIN, *self.plans, "--json", *more]
        ended = poet(*words, cwd=self.folder) if count == 1 else self.ranks("-n", str(count), program.program, *words)
        self.assertEqual(ended.code, 0, ended.err)
        self.assertEqual(ended.err, "")
        return ended.json()

    def assert_same(self, one, other):
        for what in ("losses", "parameters_sha256", "evaluation", "steps"):
            self.assertEqual(one[what], other[what], what)

    def test_give_the_bits_of_one(self):
        alone = self.train(1, "--steps", "3")
        self.assertEqual(alone["ranks"], [])
        for count, taken in ((2, [2, 1]), (3, [1, 1, 1])):
            together = self.train(count, "--steps", "3")
            self.assert_same(together, alone)
            self.assertEqual([rank["micro_batches"] for rank in together["ranks"]], taken)

    def test_go_on_from_each_other(self):
        alone = self.train(1, "--steps", "3", "--checkpoint", "alone.ckpt")
        self.train(2, "--steps", "2", "--checkpoint", "a.ckpt")
        resumed = self.train(3, "--steps", "3", "--checkpoint", "a.ckpt", "--resume")
        self.assertEqual(resumed["losses"], alone["losses"][2:])
        with open(self.path("a.ckpt"), "rb") as a, open(self.path("alone.ckpt"), "rb") as b:
            self.assertTrue(a.read() == b.read(), "the files of one process and of ranks are the same")

    def test_have_budgets_of_their_own(self):
        alone = self.train(1, "--steps", "2")
        words = [program.program, *TRAIN, *self.plans, "--steps", "2", "--json"]
        ended = self.ranks("-n", "1", *words, ":", "-n", "1", *words, "--ram-budget", "40%way", "--checksums")
        self.assertEqual(ended.code, 0, ended.err)
        self.assert_same(ended.json(), alone)
        first, second = ended.json()["ranks"]
        self.assertEqual(first["plain_peak_bytes"], ended.json()["plain_peak_bytes"])
        self.assertLess(second["ram_budget_bytes"], second["plain_peak_bytes"], "40 % of the way to its own peak")
        self.assertGreater(second["ram_budget_bytes"], 0.4 * second["plain_peak_bytes"] - 64)

    def test_say_whose_peak_percentages_are_of(self):
        words = [program.program, *TRAIN, *self.plans, "--steps", "1", "--ram-budget"]
        alone = self.train(1, "--steps", "1", "--ram-budget", "100%")
        ended = self.ranks("-n", "1", *words, "100%", ":", "-n", "1", *words, "120%")
        self.assertEqual(ended.code, 0, ended.err)
        self.assertRegex(ended.out, r"RAM budget +[\d,]+ bytes .*of rank 0, which has a plain peak of its own, [\d,]+ bytes")
        ranks = self.ranks("-n", "1", *words, "100%", "--json", ":", "-n", "1", *words, "120%").json()["ranks"]
        for rank, part in zip(ranks, (1, 1.2)):
            self.assertAlmostEqual(rank["ram_budget_bytes"], part * rank["plain_peak_bytes"], delta=64)
        self.assertLess(ranks[0]["plain_peak_bytes"], alone["plain_peak_bytes"])

    def test_have_room_for_the_checksums_of_many_micro_batches(self):
        # Ten gradients each, of 449 micro-batches of a rank.
        ended = self.ranks("-n", "2", program.program, "train", "--model", "lenet5", "--image-size", "16", "--batch-size", "900",
                           "--micro-batches", "900", "--examples", "900", "--test-examples", "0", "--steps", "1", "--checksums",
                           *self.plans, "--quiet")
        self.assertEqual(ended.code, 0, ended.err)

    def test_refuse_with_one_voice(self):
        def refused(message, *words, code=2):
            ended = self.ranks(*words)
            self.assertEqual(ended.code, code, ended.err)
            said = [line for line in (ended.err + ended.out).splitlines() if line.startswith("poet: ") or "there is no plan" in line]
            self.assertEqual(len(said), 1, ended.err + ended.out)
            self.assertIn(message, said[0])

        def rank(*words, **of):
            return ["-n", "1", program.program, *training(**of), *self.plans, "--steps", "1", *words]

        one = rank()
        refused("4 ranks need at least as many micro-batches, and --micro-batches is 3", "-n", "4", *one[2:])
        refused("rank 1 of 2: cannot read 'no.onnx': No such file or directory", *one, ":", *rank(model="no.onnx"))
        refused("ranks train together, and rank 1 of 2 would train otherwise than rank 0: seed (1 there, 2 here)", *one, ":", *rank("--seed", "2"))
        refused("rank 1 of 2: there is no plan", *one, ":", *rank("--ram-budget", "1KiB", "--parts", "whole", "--updates", "separate"), code=1)
        refused("normalises by the statistics of its batch", "-n", "2", *rank(model="resnet8")[2:])

    def test_help_with_one_voice(self):
        for words in (["train", "--help"], ["--version"], ["help", "train"], []):
            together = self.ranks("-n", "2", program.program, *words)
            self.assertEqual((together.code, together.out), (0, poet(*words).out), words)

    def test_plan_together_or_not_at_all(self):
        words = [program.program, *TRAIN, *self.plans, "--steps", "1"]
        rank, planner = ["-n", "1", *words], ["-n", "1", *words, "--plan-only"]
        for order, message in (((rank, planner), "rank 1 of 2 is to plan only, and rank 0 to train"),
                               ((planner, rank), "rank 0 of 2 is to plan only, and rank 1 to train")):
            ended = self.ranks(*order[0], ":", *order[1], within_s=60)
            self.assertEqual(ended.code, 2, ended.err)
            self.assertEqual([line for line in ended.err.splitlines() if line.startswith("poet: ")],
                             [f"poet: {message}: give --plan-only to all ranks or to none"])
        ended = self.ranks(*planner, ":", *planner)
        self.assertEqual((ended.code, ended.out, ended.err), (0, "", ""))
        self.assertGreater(len(os.listdir(self.path("plans"))), 0)
        ended = self.ranks(*planner, ":", *planner, "--ram-budget", "1KiB", "--parts", "whole", "--updates", "separate")
        self.assertEqual(ended.code, 1, ended.err)
        self.assertIn("rank 1 of 2: there is no plan", ended.out)

    def test_end_with_a_whole_checkpoint_when_one_is_killed(self):
        child = self.mpirun("-n", "2", program.program, *TRAIN, *self.plans, "--steps", "1000000", "--checkpoint", "a.ckpt",
                            "--checkpoint-every", "5")
        program.wait_for_file(self.path("a.ckpt"), 1, child)
        with open(f"/proc/{child.pid}/task/{child.pid}/children", encoding="ascii") as file:
            os.kill(int(file.read().split()[-1]), signal.SIGKILL)
        child.communicate()
        self.assertNotEqual(child.returncode, 0)
        scored = poet("eval", *TRAIN[1:7], "--checkpoint", "a.ckpt", *self.plans, "--json", cwd=self.folder)
        self.assertEqual(scored.code, 0, scored.err)
        self.assertEqual(scored.json()["checkpoint_step"] % 5, 0)

    def test_stop_together(self):
        child = self.mpirun("-n", "2", program.program, *TRAIN, *self.plans, "--steps", "1000000", "--checkpoint", "a.ckpt",
                            "--checkpoint-every", "5", "--json")
        program.wait_for_file(self.path("a.ckpt"), 1, child)
        with open(f"/proc/{child.pid}/task/{child.pid}/children", encoding="ascii") as file:
            os.kill(int(file.read().split()[-1]), signal.SIGINT)  # rank 1
        out, err = child.communicate()
        self.assertEqual(child.returncode, 0, err)
        self.assertTrue(json.loads(out)["stopped"])


if __name__ == "__main__":
    program.run_tests()
