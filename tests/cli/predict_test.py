"""poet_predict() of an emitted project: the bits of 'poet predict', with what was learnt up to then, from the same arena."""

import csv
import json
import os
import random
import re
import shutil
import struct

import program
from export_test import ANY_PLAN, LENET, MLP, RESNET, Exporting
from program import poet

EXAMPLES = 12


def npy(shape, kind, values):
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}"
    head += " " * (63 - (10 + len(head)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + values


class Predicting(Exporting):
    def write_data(self, channels, size):
        """Pictures of floats, as arrays and, in the same order, as a project reads its examples."""
        draw = random.Random(3)
        pictures = [struct.pack(f"<{channels * size * size}f", *(draw.gauss(0, 1) for _ in range(channels * size * size)))
                    for _ in range(EXAMPLES)]
        labels = [draw.randrange(10) for _ in range(EXAMPLES)]
        with open(self.path("x.npy"), "wb") as file:
            file.write(npy((EXAMPLES, channels, size, size), "<f4", b"".join(pictures)))
        with open(self.path("y.npy"), "wb") as file:
            file.write(npy((EXAMPLES,), "<i8", struct.pack(f"<{EXAMPLES}q", *labels)))
        with open(self.path("in_order.bin"), "wb") as file:
            file.write(b"".join(picture + struct.pack("<q", label) for picture, label in zip(pictures, labels)))

    def poet_json(self, *words):
        ended = poet(*words, "--data", "x.npy,y.npy", "--cache", self.plans, "--quiet", "--json", cwd=self.folder)
        self.assertEqual(ended.code, 0, ended.err + ended.out)
        return ended.json()

    def export(self, *flags):
        return self.poet_json("export", "c", *flags, "--out", "project")

    def predicted_by_poet(self, flags, learning, steps):
        """After a training here, in all the RAM that it wants."""
        self.poet_json("train", *flags, *learning, "--steps", str(steps), "--test-examples", "0", "--checkpoint", "here.ckpt")
        self.poet_json("predict", *flags, "--checkpoint", "here.ckpt", "--out", "here.csv")
        with open(self.path("here.csv"), encoding="utf-8") as file:
            return [[struct.pack("<f", float(value)) for value in row[1:]] for row in list(csv.reader(file))[1:]]

    def predicted(self, ended):
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        rows = [line.split() for line in ended.stdout.splitlines() if line.startswith("prediction")]
        self.assertEqual([int(row[1]) for row in rows], list(range(len(rows))))
        return [[struct.pack("<f", float.fromhex(value)) for value in row[2:]] for row in rows]

    def assert_same_bits(self, flags, *plan, learning=(), steps=2, channels=1, size=16):
        """In the run that trained, and, of all examples in order, in one that goes on from the checkpoint."""
        self.write_data(channels, size)
        answer = self.export(*flags, *learning, *plan, *ANY_PLAN, "--predict", "--steps", str(steps))
        self.make("host")
        begun = self.predicted(self.host("--steps", "1", "--predict", "2"))
        trained = self.predicted(self.host("--steps", str(steps), "--predict", "2"))
        self.assertNotEqual(trained, begun)
        self.assertEqual(self.predicted(self.host("--steps", str(steps), "--predict", "2")), trained)
        ordered = self.predicted(self.host("--steps", str(steps), "--examples", "../in_order.bin", "--predict", str(EXAMPLES)))
        self.assertEqual(ordered[:EXAMPLES], self.predicted_by_poet(flags, learning, steps))
        return answer

    def form(self, name="prediction"):
        return [action for action in self.actions() if action["form"] == name]


class SameBits(Predicting):
    def test_lenet5_one_by_one(self):
        answer = self.assert_same_bits(LENET, "--ram-budget", "80%", steps=3)
        self.assertEqual(answer["prediction"]["batch_size"], 1)
        self.assertEqual(answer["prediction"]["outputs"], 10)
        self.assertEqual(len(self.form()), answer["prediction"]["actions"])
        self.assertEqual(len(self.form("whole")), answer["actions"])

    def test_in_the_arena_that_training_alone_takes(self):
        self.write_data(1, 16)
        flags = [*LENET, *ANY_PLAN, "--ram-budget", "60%", "--steps", "1"]
        alone = self.export(*flags)
        self.assertNotIn("predict", self.plan_text())
        self.assertEqual(self.export(*flags, "--predict")["arena_bytes"], alone["arena_bytes"])

    def test_running_statistics_in_a_batch_that_is_paged(self):
        self.assert_same_bits(RESNET, "--platform", "laptop", "--parts", "whole", "--ram-budget", "0%way", "--predict-batch", "32",
                              channels=3, size=8)
        made = {action["name"] for action in self.form() if action["what"] == "compute"}
        self.assertTrue([action for action in self.form() if action["what"] == "write" and action["name"] in made])
        self.assertTrue([action for action in self.form() if "running_mean" in action["name"] and action["what"] == "read"])

    def test_residents_micro_batches_and_frozen_parameters_in_flash(self):
        self.assert_same_bits([*LENET, "--parameters", "resident", "--train", "last:2"], "--platform", "laptop", "--ram-budget", "100%",
                              "--predict-batch", "2", learning=["--micro-batches", "2", "--optimiser", "adam"])
        self.assertTrue(os.path.exists(self.path("project/poet_rom.c")))

    def test_pieces_of_parameters_and_of_pictures(self):
        self.assert_same_bits(["--model", "lenet5", "--batch-size", "2"], "--parts", "10KiB", "--ram-budget", "40KiB", size=32)
        self.assertIn("read_part", self.plan_text())


class WhatIsEmitted(Predicting):
    def test_counts_predictions_in_its_stack_and_says_what_they_take(self):
        self.write_data(1, 16)
        self.export(*LENET, *ANY_PLAN, "--ram-budget", "60%", "--predict", "--predict-batch", "5", "--steps", "1")
        with open(self.path("project/Makefile"), encoding="utf-8") as file:
            self.assertIn("poet_parameters poet_predict\"", file.read())
        with open(self.path("project/project.json"), encoding="utf-8") as file:
            project = json.load(file)
        self.assertEqual(project["examples_of_a_prediction"], 5)
        self.assertEqual(project["outputs_of_an_example"], 10)
        # Batches of five; as many as are asked for, and counts that are none are refused.
        self.make("host")
        asked = self.predicted(self.host("--steps", "1", "--predict", "7"))
        self.assertEqual(len(asked), 7)
        for count in ("-1", "4294967296", "7x", ""):
            ended = self.host("--steps", "1", "--predict", count)
            self.assertEqual((ended.returncode, ended.stdout), (2, ""))
            self.assertIn("[--predict N]", ended.stderr)


class Pauses(Exporting):
    """export_pauses.c says what must hold at every action."""

    def assert_same_bits(self, *flags):
        self.export(*flags, *ANY_PLAN, "--hook", "--steps", "3")
        self.copy_to_pc("export_pauses.c", "pauses.c")
        self.make("host", "PC_SOURCES=pc/pauses.c pc/sha256.c")
        ended = self.host("storage.image", "examples.bin", "3")
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        told = re.fullmatch(r"the same after (\d+) pauses and (\d+) steps given up, (\d+) of them too late\n", ended.stdout)
        pauses, given_up, too_late = (int(word) for word in told.groups())
        self.assertEqual(pauses, 3 * given_up)
        self.assertTrue(0 < too_late < given_up)

    def test_of_a_step_that_pages_and_recomputes(self):
        self.assert_same_bits(*LENET, "--ram-budget", "0%way")
        self.assertTrue(self.recomputes())
        self.assertIn("write", [action["what"] for action in self.actions()])

    def test_with_transfers_under_way(self):
        self.assert_same_bits(*LENET, "--parts", "whole", "--ram-budget", "0%way", "--io", "overlapped")
        self.assertIn("poet_transfers_issue", self.plan_text())

    def test_of_residents_in_micro_batches(self):
        self.assert_same_bits(*MLP, "--micro-batches", "2", "--optimiser", "adam", "--parameters", "resident", "--platform", "laptop",
                              "--ram-budget", "100%")

    def test_are_an_option(self):
        self.export(*MLP, "--steps", "1")
        with open(self.path("project/poet_train.h"), encoding="utf-8") as file:
            self.assertNotIn("hook", file.read())
        self.assertNotIn("hook", self.plan_text())


class PowerCuts(Exporting):
    """export_power.c says what must hold after every cut."""

    def assert_survives(self, *flags):
        self.export(*flags, *ANY_PLAN, "--hook", "--steps", "2")
        shutil.copy(os.path.join(os.path.dirname(__file__), "export_power.c"), self.path("project/pc/power.c"))
        self.make("host", "PC_SOURCES=pc/power.c pc/sha256.c", "RAM_CHECK=")
        ended = self.host("storage.image", "examples.bin", "2")
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        return {name: int(cuts) for name, cuts in (line.split() for line in ended.stdout.splitlines())}

    def test_at_every_action_of_a_step_that_pages_and_recomputes(self):
        cuts = self.assert_survives("--model", "lenet5", "--image-size", "20", "--batch-size", "4", "--ram-budget", "0%way")
        self.assertEqual(cuts["action"], 2 * len(self.actions()))
        self.assertEqual(cuts["unwritten"], cuts["torn"])
        self.assertEqual(cuts["damaged"], cuts["torn"])
        self.assertGreater(cuts["torn"], 2 * [action["what"] for action in self.actions()].count("write") + 2)

    def test_of_residents_in_micro_batches(self):
        self.assert_survives(*MLP, "--micro-batches", "2", "--optimiser", "adam", "--parameters", "resident", "--platform", "laptop",
                             "--ram-budget", "100%")


class Refused(Predicting):
    def test_a_batch_without_predictions(self):
        self.assert_refused("--predict-batch says how many examples --predict takes: give both", "export", "c", *LENET,
                            "--out", "project", "--predict-batch", "2")

    def test_predictions_that_do_not_fit_the_arena(self):
        self.write_data(1, 16)
        ended = poet("export", "c", *LENET, "--data", "x.npy,y.npy", "--parts", "whole", "--predict", "--predict-batch", "4000",
                     "--no-keep-plans", "--quiet", "--out", "project", cwd=self.folder)
        self.assertEqual(ended.code, 1, ended.err)
        said = re.fullmatch("there is no plan for the prediction step: operation 'conv1' alone needs 17,920,624 bytes of RAM for its inputs, "
                            "outputs and workspace, and the budget is 252,928 bytes; the smallest budget found to work is --ram-budget "
                            "([0-9]+)\n", ended.out)
        self.assertTrue(said, ended.out)
        self.assertGreaterEqual(int(said[1]), 17_920_624)
        self.assertFalse(os.path.exists(self.path("project")))


if __name__ == "__main__":
    program.run_tests()
