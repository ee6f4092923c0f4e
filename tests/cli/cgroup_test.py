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


if __name__ == "__main__":
    program.run_tests()
