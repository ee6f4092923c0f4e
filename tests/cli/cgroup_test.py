"""Training in a control group that may have no more memory than the budget and the stated overhead. Skipped where groups cannot
be made: without cgroups, or without the rights to make one."""

import json
import os
import subprocess
import unittest

import program
from program import poet

ROOT = "/sys/fs/cgroup"
# Far more activations and parameters than the program itself takes.
NETWORK = ["--model", "resnet18", "--image-size", "32", "--batch-size", "2", "--steps", "2", "--test-examples", "0", "--gap", "0.5",
           "--max-nodes", "1", "--max-iterations", "1", "--quiet", "--json"]


class Group:
    """A control group with a limit on memory, of version 1 or 2; `usable` says whether there is one."""

    def __init__(self):
        version_1 = os.path.isdir(os.path.join(ROOT, "memory"))
        parent = os.path.join(ROOT, "memory") if version_1 else ROOT
        self.limit = "memory.limit_in_bytes" if version_1 else "memory.max"
        self.soft_limit = "memory.soft_limit_in_bytes" if version_1 else "memory.high"
        self.peak = "memory.max_usage_in_bytes" if version_1 else "memory.peak"
        self.path = os.path.join(parent, f"poet-test-{os.getpid()}")
        try:
            os.mkdir(self.path)
            self.usable = os.path.exists(os.path.join(self.path, self.limit))
        except OSError:
            self.usable = False

    def write(self, name, value):
        with open(os.path.join(self.path, name), "w", encoding="ascii") as file:
            file.write(str(value))

    def run(self, command, limit, folder):
        self.write(self.limit, limit)
        return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False,
                              preexec_fn=lambda: self.write("cgroup.procs", os.getpid()))

    def close(self):
        if os.path.isdir(self.path):
            os.rmdir(self.path)


class InAGroup(program.InAFolder):
    def setUp(self):
        super().setUp()
        self.group = Group()
        self.addCleanup(self.group.close)
        if not self.group.usable:
            self.skipTest("no control group for memory can be made here")

    def train(self, budget):
        ended = poet("train", *NETWORK, "--ram-budget", budget, "--cache", self.path("plans"), cwd=self.folder)
        self.assertEqual(ended.code, 0, ended.err)
        return ended.json()

    def train_within(self, budget, limit):
        command = [program.program, "train", *NETWORK, "--ram-budget", budget, "--cache", self.path("plans")]
        return self.group.run(command, limit, self.folder)

    def test_budget_and_overhead_are_enough_and_more_does_not_fit(self):
        free = self.train("0%way")
        large = self.train("100%")
        if free["fixed_overhead_bytes"] > 64 << 20:
            self.skipTest("sanitizers keep notes about memory that no budget knows")
        limit = free["ram_budget_bytes"] + free["fixed_overhead_bytes"]
        self.assertLess(limit, large["ram_budget_bytes"] + (8 << 20))
        ended = self.train_within("0%way", limit)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(json.loads(ended.stdout)["parameters_sha256"], free["parameters_sha256"])
        # With all the RAM that it could use, the same training does not live there.
        self.assertNotEqual(self.train_within("100%", limit).returncode, 0)

    def test_that_is_squeezed_while_it_trains_moves_to_less_and_lives(self):
        free = self.train("0%way")
        if free["fixed_overhead_bytes"] > 64 << 20:
            self.skipTest("sanitizers keep notes about memory that no budget knows")
        longer = NETWORK[:NETWORK.index("--steps")] + ["--steps", "12"] + NETWORK[NETWORK.index("--steps") + 2:]
        command = [program.program, "train", *longer, "--cache", self.path("plans")]
        plain = json.loads(subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=True).stdout)
        log = self.path("log")
        # Where values are taken up from a file some more is in memory for a moment than while steps run.
        limit = free["ram_budget_bytes"] + free["fixed_overhead_bytes"] + (16 << 20)
        squeezed = False
        # Its answer is more than a pipe takes while nobody reads.
        with open(self.path("answer"), "w+", encoding="utf-8") as answer, \
                subprocess.Popen([*command, "--ram-budget", "100%..0%way", "--log", log], cwd=self.folder, stdout=answer,
                                 stderr=subprocess.PIPE, text=True,
                                 preexec_fn=lambda: self.group.write("cgroup.procs", os.getpid())) as running:
            for line in program.lines_of_growing_file(log, running):
                if not squeezed:
                    self.group.write(self.group.soft_limit, limit)
                    squeezed = True
                elif "ram_budget_bytes" in line:
                    self.group.write(self.group.limit, limit)
            err = running.communicate()[1]
            self.assertEqual(running.returncode, 0, err)
            answer.seek(0)
            moved = json.load(answer)
        self.assertEqual(len(moved["budgets"]), 2, moved["budgets"])
        self.assertLess(moved["budgets"][1]["ram_budget_bytes"], moved["budgets"][0]["ram_budget_bytes"] / 2)
        self.assertEqual(moved["losses"], plain["losses"])
        self.assertEqual(moved["parameters_sha256"], plain["parameters_sha256"])


if __name__ == "__main__":
    program.run_tests()
