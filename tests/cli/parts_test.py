"""Operations in parts: less RAM, the same numbers."""

import program
from program import poet

RESNET = ["--model", "resnet8", "--batch-size", "2"]
STEPS = ["--steps", "3", "--time-limit-s", "10", "--json"]


class InParts(program.InAFolder):
    def test_trains_to_the_same_numbers_in_less_ram_than_an_operation_needs(self):
        whole = poet("train", *RESNET, *STEPS).json()
        least = poet("minimum", *RESNET, "--platform", "m4", "--quiet", "--json").json()["proved_bytes"]
        budget = 120 * 1024
        self.assertLess(budget, least)
        ended = poet("train", *RESNET, *STEPS, "--parts", "48KiB", "--ram-budget", str(budget))
        self.assertEqual(ended.code, 0, ended.err)
        parts = ended.json()
        self.assertLessEqual(parts["arena_bytes"], budget)
        for name in ("losses", "parameters_sha256", "evaluation"):
            self.assertEqual(parts[name], whole[name], name)

    def test_a_training_goes_on_under_other_parts_or_none(self):
        def train(steps, *more):
            ended = poet("train", *RESNET, "--steps", str(steps), "--time-limit-s", "5", "--json", *more)
            self.assertEqual(ended.code, 0, ended.err)
            return ended.json()["parameters_sha256"]
        straight = train(3)
        kept = ["--checkpoint", self.path("c.poet")]
        train(1, *kept, "--parts", "64KiB", "--ram-budget", "150KiB")
        train(2, *kept, "--resume", "--parts", "48KiB", "--ram-budget", "150KiB")
        self.assertEqual(train(3, *kept, "--resume"), straight)

    def test_a_plan_is_verified_and_what_was_cut_is_said(self):
        ended = poet("solve", "--model", "bert-tiny", "--sequence-length", "32", "--platform", "m4", "--ram-budget",
                     "131072", "--parts", "64KiB", "--time-limit-s", "5", "--out", self.path("p.json"), "--json",
                     "--quiet")
        self.assertEqual(ended.code, 0, ended.err)
        answer = ended.json()
        self.assertLessEqual(answer["peak_ram_bytes"], 131072)
        self.assertTrue(any("cut into parts that need at most 65,536 bytes" in line for line in answer["warnings"]),
                        answer["warnings"])
        self.assertEqual(poet("verify", self.path("p.json")).code, 0)
        self.assertIn("bert.pooler.dense.weight", answer["updates"]["sliced"])

    def test_whole_is_the_usual_case(self):
        usual = poet("minimum", *RESNET, "--platform", "m4", "--quiet", "--json").json()
        asked = poet("minimum", *RESNET, "--platform", "m4", "--quiet", "--json", "--parts", "whole").json()
        self.assertEqual(usual["found_bytes"], asked["found_bytes"])

    def test_refusals(self):
        for arguments, words in (
                (["solve", "--model", "resnet8", "--platform", "m4", "--parts", "200"],
                 r"^poet: parts of 200 bytes would be more than 50,000 operations, and an operation would still need "
                 r"[\d,]+ bytes: allow them more\n$"),
                (["solve", "--model", "gpt2-tiny", "--sequence-length", "8", "--platform", "m4", "--parts", "64KiB"],
                 r"^poet: operation 'loss\..+' cannot be cut into parts of 65,536 bytes: it needs [\d,]+ at once\n$"),
                (["solve", "--model", "resnet8", "--platform", "m4", "--parts", "much"], r"^poet: .*--parts.*\n$"),
                (["solve", "--model", "linear", "--platform", "m4", "--graph", "released", "--parts", "64KiB"],
                 r"^poet: --parts is for real networks, and this is a released graph\n$"),
                (["solve", "--model", "resnet8", "--platform", "m4", "--kernels", "onednn", "--parts", "64KiB"],
                 r"^poet: --parts is for the reference kernels: .+\n$"),
                (["train", "--model", "lenet5", "--batch-size", "4", "--micro-batches", "2", "--steps", "1", "--parts",
                  "64KiB"],
                 r"^poet: --parts and --micro-batches do not go together yet: leave one of them out\n$"),
                (["export", "c", "--model", "lenet5", "--batch-size", "2", "--steps", "1", "--platform", "m4",
                  "--parts", "200", "--out", self.path("project")],
                 r"^poet: operation '.+' cannot be cut into parts of 200 bytes: it needs [\d,]+ at once\n$")):
            ended = poet(*arguments)
            self.assertEqual((ended.code, ended.out), (2, ""), arguments)
            self.assertRegex(ended.err, words)


if __name__ == "__main__":
    program.run_tests()
