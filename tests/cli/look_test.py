"""Commands that only look: models, devices, inspect, help, --version."""

import functools
import re
import unittest

import program
from program import poet

REAL_MODELS = ["mlp", "lenet5", "digits-mlp", "digits-cnn", "resnet8", "resnet18", "resnet50", "vgg16", "mobilenetv2",
               "bert-tiny", "bert-base", "gpt2-tiny", "gpt2-small", "unet", "llama-tiny", "gemma-tiny", "smollm2-135m", "gemma-3-270m", "qwen2.5-0.5b", "gemma-3-1b", "llama-3.2-1b",
               "qwen2.5-1.5b", "llama-3.2-3b", "lstm-small", "lstm-medium", "vit-s16", "convnext-t", "efficientnet-b0", "mobilenetv3-small",
               "mobilenetv3-large", "ds-cnn", "ddpm-tiny", "ddpm-cifar10", "mobilevit-xs", "mobilevit-s", "mcunet-in1", "mcunet-in2",
               "mcunet-in3", "mcunet-in4"]
RELEASED_MODELS = ["linear", "vgg16", "vgg16_cifar", "resnet18", "resnet50", "resnet18_cifar", "bert", "transformer"]
DEVICES = ["m0", "m4", "a72", "a72nocache", "jetsontx2", "laptop", "pc", "esp32s3"]
COMMANDS = ["solve", "minimum", "compare", "sweep", "train", "eval", "predict", "generate-text", "export", "run", "verify", "explain", "inspect",
            "profile", "pack", "generate", "serve", "models", "devices", "completion", "help"]
FIRST = "\nThe options that people need first\n"


class Lists(unittest.TestCase):
    def test_models(self):
        self.assertEqual(sorted(row["name"] for row in poet("models", "--json").json()), sorted(REAL_MODELS + RELEASED_MODELS))
        ended = poet("models")
        self.assertEqual((ended.code, ended.err), (0, ""))
        self.assertEqual(sorted(line.split()[0] for line in ended.out.splitlines()[1:]),
                         sorted(REAL_MODELS + RELEASED_MODELS))

    def test_models_tell_the_ram_they_need(self):
        row = next(row for row in poet("models", "--json").json() if row["name"] == "resnet18_cifar")
        self.assertEqual((row["operations"], row["largest_working_set_bytes"], row["plain_peak_bytes"]), (133, 262144, 2453760))

    def test_devices(self):
        self.assertEqual(sorted(row["name"] for row in poet("devices", "--json").json()), sorted(DEVICES))
        self.assertEqual(sorted(line.split()[0] for line in poet("devices").out.splitlines()[1:]), sorted(DEVICES))


class Inspect(unittest.TestCase):
    def test_a_real_network(self):
        facts = poet("inspect", "lenet5", "--batch-size", "8", "--optimiser", "adam", "--json").json()
        self.assertEqual((facts["graph"], facts["batch_size"]), ("real", 8))
        self.assertEqual((facts["parameter_count"], facts["trained_count"]), (61706, 61706))
        self.assertEqual(facts["optimiser_state_bytes"], 2 * 4 * 61706)
        self.assertEqual(facts["forward_flop"] + facts["backward_flop"], sum(row["flop"] for row in facts["operations"]))
        frozen = poet("inspect", "lenet5", "--train", "last:1", "--json").json()
        self.assertEqual((frozen["parameter_count"], frozen["trained_count"]), (61706, 84 * 10 + 10))
        self.assertLess(frozen["operation_count"], facts["operation_count"])

    def test_the_least_ram_is_that_of_the_best_updates(self):
        facts = poet("inspect", "lenet5", "--json").json()
        self.assertEqual((facts["largest_working_set_bytes"], facts["updates"]), (384032, "auto"))
        self.assertLessEqual(facts["least_bytes"], 219712)
        self.assertRegex(poet("inspect", "lenet5").out, r"\n  with updates by slices +[0-9,]+ B  of .+: no schedule of whole operations needs less\n"
                                                        r"  in parts +may be less  'poet minimum' finds it\n")
        self.assertTrue(facts["least_of_whole_operations"])
        whole = poet("inspect", "lenet5", "--parts", "whole")
        self.assertIn(": no schedule needs less\n", whole.out)
        self.assertNotIn("poet minimum", whole.out)
        separate = poet("inspect", "lenet5", "--updates", "separate", "--json").json()
        self.assertEqual(separate["least_bytes"], 384032)

    def test_a_network(self):
        facts = poet("inspect", "linear", "--platform", "m0", "--json").json()
        self.assertEqual(facts["operation_count"], 27)
        self.assertEqual(facts["largest_working_set_bytes"], 3256)
        self.assertEqual(facts["plain_peak_bytes"], 7416)
        self.assertEqual(len(facts["operations"]), 27)
        self.assertAlmostEqual(facts["operations"][1]["compute_j"], 0.00622116, delta=1e-12)

    def test_a_device_shows_a_source_for_each_number(self):
        for name in DEVICES:
            figures = poet("inspect", name, "--json").json()["figures"]
            self.assertGreater(len(figures), 5)
            self.assertTrue(all(figure["source"] for figure in figures))

    def test_options_that_say_nothing_about_it_are_refused(self):
        ended = poet("inspect", "m4", "--platform", "a72")
        self.assertEqual((ended.code, ended.err), (2, "poet: --platform applies to a network, and 'm4' is a device\n"))
        ended = poet("inspect", "some.json", "--batch-size", "3")
        self.assertEqual((ended.code, ended.err), (2, "poet: --batch-size applies to a network, and 'some.json' is a plan\n"))

    def test_warns_as_solve_does(self):
        message = "the released graph of linear is the same at every batch size"
        ended = poet("inspect", "linear", "--batch-size", "8", "--json")
        self.assertEqual((ended.code, ended.err), (0, f"poet: warning: {message}\n"))
        self.assertEqual(ended.json()["warnings"], [message])

    def test_what_is_not_there(self):
        ended = poet("inspect", "no_such.toml")
        self.assertEqual(ended.code, 2)
        self.assertIn("no_such.toml", ended.err)


@functools.cache
def help_of(*words):
    return poet("help", *words)


class Help(unittest.TestCase):
    def test_names_every_command(self):
        for arguments in ([], ["help"], ["--help"], ["-h"]):
            ended = poet(*arguments)
            self.assertEqual((ended.code, ended.err), (0, ""))
            for command in COMMANDS:
                self.assertIn(f"\n  {command} ", ended.out)

    def test_each_command_has_examples_that_begin_with_it(self):
        for command in COMMANDS:
            ended = help_of(command)
            self.assertEqual(ended.code, 0)
            self.assertEqual(ended.out, poet(command, "--help").out)
            examples = ended.out.split("\nExamples\n")[1]
            self.assertIn(f"poet {command}", examples)

    def test_shows_all_released_flags(self):
        text = help_of("solve", "--all").out
        self.assertEqual(poet("solve", "--help", "--all").out, text)
        for flag in (
            "--model --platform --ram-budget --runtime-budget --batch-size --mem-power-scale --paging --no-paging --remat "
            "--no-remat --time-limit-s --solve-threads --solver --print-power-costs --print-graph-info --plot-directory"
        ).split():
            self.assertIn(flag, text)

    def test_fits_in_a_hundred_columns(self):
        for command in COMMANDS:
            for form in ([], ["--all"]):
                for line in help_of(command, *form).out.splitlines():
                    if not line.startswith("  poet "):  # one line, to be copied
                        self.assertLessEqual(len(line), 100, line)

    def test_begins_with_what_people_need(self):
        text = help_of("train").out
        first = text.split(FIRST)[1].split("\n\n")[0]
        names = [line.split()[0].rstrip(",") for line in first.splitlines() if line.startswith("  --")]
        self.assertLessEqual(len(names), 10)
        self.assertEqual(names[:4], ["--model", "--data", "--ram-budget", "--steps"])
        self.assertLess(len(text.splitlines()), 80)

    def test_every_option_is_in_a_topic(self):
        for command in COMMANDS:
            text = help_of(command).out
            if FIRST not in text:
                continue
            every = help_of(command, "--all").out.split("\nExamples\n")[0].split("\n", 3)[3]
            topics = dict.fromkeys(re.findall(rf"  poet help {command} ([a-z]+)\b", text))
            pieces = [help_of(command, topic) for topic in topics]
            self.assertEqual([piece.code for piece in pieces], [0] * len(pieces))
            options = [line for piece in pieces for line in piece.out.splitlines() if line.startswith("  --")]
            self.assertEqual(sorted(options), sorted(line for line in every.splitlines() if line.startswith("  --")))
            for name in re.findall(r"^  (--[a-z-]+)", every, re.MULTILINE):
                self.assertRegex(text, rf"{name}\b")

    def test_refuses_topics_that_are_not_there(self):
        ended = help_of("train", "stps")
        self.assertEqual((ended.code, ended.err), (2, "poet: the help of train has no topic 'stps'; did you mean 'steps'?\n"))
        # What can be exported has options of its own.
        board, onnx = (help_of("export", word) for word in ("c", "onnx"))
        self.assertEqual((board.code, onnx.code), (0, 0))
        self.assertTrue(onnx.out.startswith("poet export onnx\n"), onnx.out)
        self.assertIn("--storage-erase", board.out)
        self.assertNotIn("--storage-erase", onnx.out)
        self.assertIn("--merge", onnx.out)
        self.assertNotIn("poet export c ", onnx.out)
        self.assertIn("did you mean 'onnx'?", help_of("export", "onx").err)
        ended = help_of("models", "data")
        self.assertEqual((ended.code, ended.err),
                         (2, "poet: the help of models has no topics; 'poet help models' shows all of it\n"))

    def test_version_names_every_backend(self):
        lines = poet("--version").out.splitlines()
        self.assertRegex(lines[0], r"^poet \d+\.\d+\.\d+$")
        self.assertEqual([line.split()[0] for line in lines[1:]], ["cbc", "highs", "gurobi"])


if __name__ == "__main__":
    program.run_tests()
