"""Five networks give the same losses and parameters in every budget, blocking and overlapped: bench/same-numbers, but shorter."""

import re
import unittest

import program
from program import ANY_PLAN, poet

STEPS = 3
# Batch norms in resnet18 and mobilenetv2, dropouts in bert-tiny and gpt2-tiny; every kind of optimiser.
NETWORKS = {
    "lenet5": ["--image-size", "16", "--batch-size", "16", "--optimiser", "momentum"],
    "resnet18": ["--image-size", "32", "--batch-size", "2", "--optimiser", "sgd"],
    "mobilenetv2": ["--image-size", "32", "--batch-size", "2", "--optimiser", "nesterov"],
    "bert-tiny": ["--sequence-length", "16", "--batch-size", "2", "--optimiser", "adamw", "--train", "encoder"],
    "gpt2-tiny": ["--sequence-length", "8", "--batch-size", "1", "--optimiser", "adam", "--train", "encoder"],
}


class SameNumbers(program.InAFolder):
    def train(self, network, budget, mode):
        """In the budget, or, where it is refused, in the one that the refusal names."""
        ended = self.ended(network, budget, mode)
        named = re.search(r"the smallest budget found to work is --ram-budget (\d+)", ended.out)
        if ended.code == 1 and named:
            ended = self.ended(network, named[1], mode)
        self.assertEqual(ended.code, 0, ended.err + ended.out)
        return ended.json()

    def ended(self, network, budget, mode):
        return poet("train", "--model", network, *NETWORKS[network], *ANY_PLAN, "--parts", "whole", "--steps", str(STEPS),
                    "--test-examples", "0", "--ram-budget", budget, "--io", mode, "--cache", self.path("plans"), "--quiet", "--json",
                    cwd=self.folder)

    def same_in_every_budget(self, network, least_overlapped="0%way"):
        whole = self.train(network, "100%", "blocking")
        self.assertEqual(len(whole["losses"]), STEPS)
        smaller = 0
        for mode, least in (("blocking", "0%way"), ("overlapped", least_overlapped)):
            for budget in ("60%", least):
                with self.subTest(network=network, mode=mode, budget=budget):
                    answer = self.train(network, budget, mode)
                    self.assertEqual(answer["losses"], whole["losses"])
                    self.assertEqual(answer["parameters_sha256"], whole["parameters_sha256"])
                    self.assertLessEqual(answer["arena_bytes"], answer["ram_budget_bytes"])
                    self.assertLessEqual(answer["peak_rss_bytes"] - answer["fixed_overhead_bytes"],
                                         answer["ram_budget_bytes"])
                    smaller += answer["ram_budget_bytes"] < whole["ram_budget_bytes"]
        self.assertGreater(smaller, 0)

    def test_lenet5(self):
        self.same_in_every_budget("lenet5")

    def test_resnet18(self):
        self.same_in_every_budget("resnet18")

    # In the least budget this network's transfers are packed until the limit of time; the others' are packed there at once.
    def test_mobilenetv2(self):
        self.same_in_every_budget("mobilenetv2", least_overlapped="5%way")

    def test_bert_tiny(self):
        self.same_in_every_budget("bert-tiny")

    def test_gpt2_tiny(self):
        self.same_in_every_budget("gpt2-tiny")

    def test_updates_by_slices(self):
        flags = ["--model", "lenet5", "--batch-size", "4", *ANY_PLAN, "--steps", str(STEPS), "--test-examples", "0",
                 "--cache", self.path("plans"), "--quiet", "--json"]
        for optimiser in (["sgd"], ["momentum", "--weight-decay", "0.01"], ["nesterov"], ["adam"], ["adamw"]):
            with self.subTest(optimiser=optimiser):
                separate, sliced = (poet("train", *flags, "--optimiser", *optimiser, "--updates", updates, cwd=self.folder).json()
                                    for updates in ("separate", "sliced"))
                self.assertEqual(sliced["losses"], separate["losses"])
                self.assertEqual(sliced["parameters_sha256"], separate["parameters_sha256"])

    def test_a_budget_that_separate_updates_do_not_fit(self):
        flags = ["--model", "lenet5", "--batch-size", "4", *ANY_PLAN, "--steps", str(STEPS), "--test-examples", "0",
                 "--cache", self.path("plans"), "--quiet", "--json"]
        whole = poet("train", *flags, cwd=self.folder).json()
        little = poet("train", *flags, "--ram-budget", "250000", cwd=self.folder).json()
        self.assertEqual(little["losses"], whole["losses"])
        self.assertEqual(little["parameters_sha256"], whole["parameters_sha256"])
        self.assertLessEqual(little["arena_bytes"], 250000)
        refused = poet("train", *flags, "--ram-budget", "250000", "--updates", "separate", "--parts", "whole",
                       cwd=self.folder)
        self.assertEqual(refused.code, 1)


if __name__ == "__main__":
    program.run_tests()
