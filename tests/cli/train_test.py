"""Training at the command line: the same numbers in every budget, checkpoints, data files, what is printed."""

import json
import os
import random
import resource
import signal
import struct
import subprocess
import unittest

import program
from program import poet

NETWORK = ["--model", "lenet5", "--image-size", "16", "--batch-size", "4"]
LENET = [*NETWORK, "--examples", "64"]


class Training(program.InAFolder):
    def train(self, *more, model=LENET, cwd=None):
        ended = poet("train", *model, "--cache", self.path("plans"), "--quiet", "--json", *more, cwd=cwd or self.folder)
        self.assertEqual(ended.code, 0, ended.err)
        return ended.json()


class SameNumbers(Training):
    def test_in_every_budget(self):
        unlimited = self.train("--steps", "4")
        self.assertEqual(len(unlimited["losses"]), 4)
        for budget in ("80%", "60%", "10%way"):
            tight = self.train("--steps", "4", "--ram-budget", budget)
            self.assertEqual(tight["losses"], unlimited["losses"])
            self.assertEqual(tight["parameters_sha256"], unlimited["parameters_sha256"])
            self.assertLess(tight["ram_budget_bytes"], unlimited["ram_budget_bytes"])
            self.assertLessEqual(tight["arena_bytes"], tight["ram_budget_bytes"])
            self.assertGreater(tight["paged_in_bytes"], 0)

    def test_blocking_overlapped_direct_and_checked(self):
        plain = self.train("--steps", "3", "--ram-budget", "70%")
        for more in (["--io", "overlapped"], ["--checksums"], ["--io-engine", "threads"]):
            other = self.train("--steps", "3", "--ram-budget", "70%", *more)
            self.assertEqual(other["parameters_sha256"], plain["parameters_sha256"], more)

    def test_in_micro_batches(self):
        free = self.train("--steps", "3", "--micro-batches", "4", "--optimiser", "adam")
        tight = self.train("--steps", "3", "--micro-batches", "4", "--optimiser", "adam", "--ram-budget", "30%way")
        self.assertEqual(tight["losses"], free["losses"])
        self.assertEqual(tight["parameters_sha256"], free["parameters_sha256"])

    def test_with_parameters_where_the_planner_puts_them(self):
        split = ["--steps", "3", "--micro-batches", "2", "--optimiser", "momentum", "--ram-budget", "80%"]
        planned = self.train(*split)
        chosen = self.train(*split, "--parameters", "chosen")
        self.assertEqual(chosen["losses"], planned["losses"])
        self.assertEqual(chosen["parameters_sha256"], planned["parameters_sha256"])
        self.assertLess(chosen["paged_in_bytes"], planned["paged_in_bytes"])
        self.assertLessEqual(chosen["arena_bytes"], chosen["ram_budget_bytes"])

    def test_in_as_many_micro_batches_as_cost_least(self):
        sixteen = ["--model", "lenet5", "--image-size", "16", "--batch-size", "16", "--examples", "64"]
        chosen = self.train("--steps", "3", "--micro-batches", "auto", "--ram-budget", "100KiB", model=sixteen)
        self.assertGreater(chosen["micro_batches"], 1)
        self.assertIn("the whole batch at once has no plan", chosen["split"]["why"])
        free = self.train("--steps", "3", "--micro-batches", str(chosen["micro_batches"]), model=sixteen)
        self.assertIsNone(free["split"])
        self.assertEqual(chosen["losses"], free["losses"])
        self.assertEqual(chosen["parameters_sha256"], free["parameters_sha256"])
        self.assertLess(chosen["arena_bytes"], free["arena_bytes"])

    def test_batch_statistics_are_never_split(self):
        norms = ["--model", "resnet8", "--image-size", "8", "--batch-size", "2", "--examples", "8"]
        chosen = self.train("--steps", "1", "--micro-batches", "auto", model=norms)
        self.assertEqual(chosen["micro_batches"], 1)
        self.assertIn("normalises by the statistics of its batch", chosen["split"]["why"])

    def test_on_any_number_of_threads(self):
        one = self.train("--steps", "3")
        for threads in ("2", "3"):
            more = self.train("--steps", "3", "--threads", threads)
            self.assertEqual(more["losses"], one["losses"])
            self.assertEqual(more["parameters_sha256"], one["parameters_sha256"])

    def test_with_onednn_in_every_budget(self):
        tiny = ["--model", "bert-tiny", "--batch-size", "2", "--sequence-length", "16", "--examples", "8",
                "--optimiser", "adamw", "--train", "encoder"]
        for model in (LENET, tiny):
            for threads in ("1", "2"):
                how = ["--steps", "3", "--kernels", "onednn", "--threads", threads]
                unlimited = self.train(*how, model=model)
                tight = self.train(*how, "--ram-budget", "10%way", model=model)
                self.assertEqual(tight["losses"], unlimited["losses"])
                self.assertEqual(tight["parameters_sha256"], unlimited["parameters_sha256"])
                self.assertGreater(tight["paged_in_bytes"], 0)
                self.assertLessEqual(tight["peak_rss_bytes"] - tight["fixed_overhead_bytes"],
                                     tight["ram_budget_bytes"])
            reference = self.train("--steps", "3", model=model)
            for loss, other in zip(unlimited["losses"], reference["losses"]):
                self.assertAlmostEqual(loss, other, delta=1e-3 * abs(other))

    def test_with_bfloat16_in_every_budget(self):
        how = ["--steps", "3", "--kernels", "onednn-bf16"]
        tried = poet("train", *LENET, *how, "--quiet", "--no-keep-plans", cwd=self.folder)
        if tried.code != 0:
            self.assertIn("this p", tried.err)  # this processor cannot, or this poet
            self.skipTest(tried.err)
        unlimited = self.train(*how)
        tight = self.train(*how, "--ram-budget", "10%way")
        self.assertEqual(tight["losses"], unlimited["losses"])
        self.assertEqual(tight["parameters_sha256"], unlimited["parameters_sha256"])
        reference = self.train("--steps", "3")
        self.assertNotEqual(unlimited["losses"], reference["losses"])
        for loss, other in zip(unlimited["losses"], reference["losses"]):
            self.assertAlmostEqual(loss, other, delta=0.02 * abs(other))

    def test_another_seed_gives_other_numbers(self):
        self.assertNotEqual(self.train("--steps", "2")["losses"], self.train("--steps", "2", "--seed", "2")["losses"])


class Answer(Training):
    def test_json_has_what_programs_ask_for(self):
        answer = self.train("--steps", "2", "--ram-budget", "70%")
        for field in ("losses", "parameters_sha256", "steps", "step_s", "predicted_step_s", "arena_bytes",
                      "ram_budget_bytes", "peak_rss_bytes", "fixed_overhead_bytes", "paged_in_bytes", "paged_out_bytes",
                      "energy_j"):
            self.assertIn(field, answer)
        self.assertLessEqual(answer["peak_rss_bytes"] - answer["fixed_overhead_bytes"], answer["ram_budget_bytes"])

    def test_runs_under_a_limit_of_budget_and_overhead(self):
        arguments = ["--steps", "3", "--ram-budget", "80%"]
        free = self.train(*arguments)
        if free["address_space_overhead_bytes"] > 1 << 40:
            self.skipTest("sanitizers reserve addresses by the terabyte, and then some more")
        limit = free["ram_budget_bytes"] + free["address_space_overhead_bytes"]
        command = [program.program, "train", *LENET, *arguments, "--cache", self.path("plans"), "--quiet", "--json"]
        ended = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False,
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(json.loads(ended.stdout)["parameters_sha256"], free["parameters_sha256"])

    def test_text_tells_the_story(self):
        ended = poet("train", *LENET, "--steps", "2", "--ram-budget", "70%", "--no-keep-plans", "--quiet", cwd=self.folder)
        self.assertEqual(ended.code, 0, ended.err)
        self.assertIn("Trained after 2 steps", ended.out)
        self.assertIn("Keeping everything would take", ended.out)

    def test_no_plan_is_an_answer(self):
        ended = poet("train", *LENET, "--steps", "2", "--ram-budget", "100B", "--cache", self.path("plans"), cwd=self.folder)
        self.assertEqual(ended.code, 1, ended.err)
        self.assertIn("there is no plan for the whole step", ended.out)

    def test_log_has_a_line_for_every_step(self):
        self.train("--steps", "3", "--log", "log.jsonl", "--evaluate-every", "2")
        with open(self.path("log.jsonl"), encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        self.assertEqual([line["step"] for line in lines if "loss" in line], [1, 2, 3])
        self.assertEqual([line["step"] for line in lines if "evaluation" in line], [2, 3])

    def test_tries_no_more_examples_than_it_sees(self):
        self.assertEqual(self.train("--steps", "3")["evaluation"]["examples"], 12)
        self.assertIsNone(self.train("--steps", "3", "--test-examples", "0")["evaluation"])

    def test_bad_requests(self):
        self.assert_refused("poet train needs --model NAME ('poet models' lists them) or --model FILE.onnx", "train")
        self.assert_refused("--resume and --checkpoint-every need --checkpoint FILE", "train", *LENET, "--resume")
        self.assert_refused("a batch of 4 cannot be split into 3 equal micro-batches", "train", *LENET, "--micro-batches", "3")
        self.assert_refused(
            "--test-data and --held-out both say what to try the network on; give one",
            "train", *LENET, "--test-data", "x", "--held-out", "0.1",
        )


class Learning(Training):
    # bench/train has a whole curve.
    def test_is_real_at_the_least_budget(self):
        answer = self.train("--steps", "400", "--ram-budget", "0%way", "--optimiser", "adam", "--learning-rate", "0.003",
                            model=["--model", "lenet5", "--image-size", "16", "--batch-size", "16"])
        self.assertGreater(answer["evaluation"]["accuracy"], 0.4)  # one in ten by chance


class Checkpoints(Training):
    def test_going_on_gives_the_same_bits(self):
        whole = self.train("--steps", "6", "--optimiser", "adam")
        self.train("--steps", "3", "--optimiser", "adam", "--checkpoint", "a.ckpt")
        rest = self.train("--steps", "6", "--optimiser", "adam", "--checkpoint", "a.ckpt", "--resume", "--ram-budget", "60%")
        self.assertEqual(rest["first_step"], 4)
        self.assertEqual(rest["losses"], whole["losses"][3:])
        self.assertEqual(rest["parameters_sha256"], whole["parameters_sha256"])

    def test_other_settings_are_refused(self):
        self.train("--steps", "1", "--checkpoint", "a.ckpt")
        ended = poet("train", *LENET, "--steps", "2", "--checkpoint", "a.ckpt", "--resume", "--seed", "5", "--cache",
                     self.path("plans"), "--quiet", cwd=self.folder)
        self.assertEqual(ended.code, 2)
        self.assertEqual(ended.err, "poet: the checkpoint 'a.ckpt' is of a training with other settings: use those, or "
                                    "begin anew with another path\n")

    def test_killed_at_random_it_goes_on_to_the_same_bits(self):
        arguments = ["--steps", "40", "--optimiser", "momentum", "--ram-budget", "70%"]
        whole = self.train(*arguments)
        chance = random.Random(1)
        command = [program.program, "train", *LENET, *arguments, "--cache", self.path("plans"), "--quiet",
                   "--checkpoint", "k.ckpt", "--checkpoint-every", "1", "--resume"]
        for _ in range(6):
            with subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL) as child:
                try:
                    child.wait(timeout=chance.uniform(0.02, 0.6))
                except subprocess.TimeoutExpired:
                    child.send_signal(signal.SIGKILL)
        rest = self.train(*arguments, "--checkpoint", "k.ckpt", "--resume")
        self.assertEqual(rest["parameters_sha256"], whole["parameters_sha256"])

    def test_interrupted_it_saves_and_leaves(self):
        self.train("--steps", "1")  # the plans are there
        command = [program.program, "train", *LENET, "--steps", "100000", "--cache", self.path("plans"), "--checkpoint",
                   "i.ckpt", "--json"]
        with subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
            self.assertIn("step 1/100000", child.stderr.readline())
            child.send_signal(signal.SIGINT)
            out = child.communicate(timeout=120)[0]
        answer = json.loads(out)
        self.assertTrue(answer["stopped"])
        self.assertTrue(os.path.exists(self.path("i.ckpt")))


def npy(shape, kind, values):
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + values


class Use(Training):
    def test_evaluation_is_that_of_the_training(self):
        trained = self.train("--steps", "3", "--checkpoint", "a.ckpt", "--test-examples", "1000")
        ended = poet("eval", *NETWORK, "--checkpoint", "a.ckpt", "--cache", self.path("plans"), "--ram-budget", "50%", "--json",
                     "--no-keep-plans", cwd=self.folder)
        self.assertEqual(ended.code, 0, ended.err)
        self.assertEqual(ended.json()["checkpoint_step"], 3)
        self.assertEqual(trained["evaluation"]["examples"], 1000)
        self.assertEqual(trained["evaluation"]["loss"], ended.json()["evaluation"]["loss"])

    def test_predictions_of_a_file(self):
        pixels = bytes(random.Random(3).randrange(256) for _ in range(6 * 256))
        with open(self.path("x.npy"), "wb") as file:
            file.write(npy((6, 16, 16), "|u1", pixels))
        ended = poet("predict", *LENET, "--data", "x.npy", "--no-keep-plans", cwd=self.folder)
        self.assertEqual(ended.code, 0, ended.err)
        self.assertEqual([line.split()[0] for line in ended.out.splitlines()], list("012345"))
        ended = poet("predict", *LENET, "--data", "x.npy", "--out", "y.npy", "--no-keep-plans", cwd=self.folder)
        self.assertEqual(ended.code, 0, ended.err)
        with open(self.path("y.npy"), "rb") as file:
            outputs = file.read()
        self.assertIn(b"(6, 10,)", outputs)
        self.assertEqual(len(outputs), 128 + 6 * 10 * 4)
        ended = poet("predict", *LENET, "--data", "x.npy", "--out", "y.csv", "--no-keep-plans", cwd=self.folder)
        self.assertEqual(ended.code, 0, ended.err)
        with open(self.path("y.csv"), encoding="utf-8") as file:
            header, *rows = file.read().splitlines()
        self.assertEqual(header, "example," + ",".join(f"output_{k}" for k in range(10)))
        values = [float(value) for row in rows for value in row.split(",")[1:]]
        self.assertEqual(struct.pack("<60f", *values), outputs[128:])
        ended = poet("predict", *LENET, "--data", "x.npy", "--out", "y.txt", "--no-keep-plans", cwd=self.folder)
        self.assertEqual((ended.code, ended.err), (2, "poet: --out: outputs are written as .npy or .csv; 'y.txt' is neither\n"))
        # Not scores of classes: the outputs themselves.
        ended = poet("predict", *LENET, "--data", "x.npy", "--loss", "mean-squared-error", "--no-keep-plans", cwd=self.folder)
        self.assertEqual(ended.code, 0, ended.err)
        self.assertEqual([line.split()[1:] for line in ended.out.splitlines()], [row.split(",")[1:] for row in rows])

    def test_learns_from_files(self):
        pixels = bytes(random.Random(3).randrange(256) for _ in range(8 * 256))
        with open(self.path("images.idx"), "wb") as file:
            file.write(struct.pack(">HBBIII", 0, 8, 3, 8, 16, 16) + pixels)
        with open(self.path("labels.idx"), "wb") as file:
            file.write(struct.pack(">HBBI", 0, 8, 1, 8) + bytes(range(8)))
        answer = self.train("--data", "images.idx,labels.idx", "--epochs", "3", "--held-out", "0.25")
        self.assertEqual(answer["steps"], 5)  # 3 times 6 examples, 4 at a time
        self.assertEqual(answer["evaluation"]["examples"], 2)


if __name__ == "__main__":
    program.run_tests()
