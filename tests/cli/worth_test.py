"""What is worth training, from outside: gains against steps of training, every figure against 'poet solve' and 'poet minimum' with the same --train, and
the choice against all subsets of layers."""

import itertools
import json
import os
import signal
import struct
import subprocess
import unittest

import program
from program import poet

from safetensors_file import read

NET = ["--model", "digits-cnn", "--batch-size", "4"]
ON_M4 = [*NET, "--platform", "m4", "--parts", "whole"]
DATA = ["--examples", "64"]
TRAIN = [*NET, *DATA, "--test-examples", "0", "--json", "--quiet"]
SEARCH = ["--time-limit-s", "20", "--json", "--quiet"]


def floats(data):
    return struct.unpack(f"<{len(data) // 4}f", data)


class Commands(program.InAFolder):
    def ok(self, *arguments, code=0):
        ended = poet(*arguments, cwd=self.folder)
        self.assertEqual(ended.code, code, ended.err + ended.out)
        return ended

    def worth(self, *options, code=0):
        return self.ok("worth", *ON_M4, *DATA, *SEARCH, *options, code=code).json()

    def gains(self, *options):
        self.worth("--ram-budget", "1MB", "--points", "1", "--tries", "0", "--out-gains", "gains.json", *options)
        with open(self.path("gains.json"), encoding="utf-8") as file:
            return json.load(file)["gains"]

    def weights(self, name, *options):
        self.ok("export", "safetensors", "--model", "digits-cnn", *options, "--out", name)
        return {name: floats(data) for name, (_kind, _shape, data) in read(self.path(name)).items()}

    def test_gains_are_what_a_step_of_descent_does(self):
        """A step of plain gradient descent at a rate of one takes the gradient away from the values."""
        before = self.weights("before.safetensors")
        found = self.gains("--gain-batches", "1")
        self.ok("train", *TRAIN, "--steps", "1", "--learning-rate", "1", "--checkpoint", "one.ckpt", "--no-keep-plans")
        after = self.weights("after.safetensors", "--checkpoint", "one.ckpt")
        self.assertEqual(set(found), set(before))
        for name, gain in found.items():
            squares = sum((old - new) ** 2 for old, new in zip(before[name], after[name]))
            self.assertAlmostEqual(gain / squares, 1, delta=1e-3, msg=name)
        # Of several batches the mean; the first is that one.
        of_two = self.gains("--gain-batches", "2")
        os.rename(self.path("gains.json"), self.path("two.json"))
        self.assertTrue(all(value > 0 for value in of_two.values()))
        self.assertNotEqual(of_two, found)
        again = self.gains("--gains", "two.json")
        self.assertEqual(again, of_two)

    def plain(self, train, budget, *options):
        """What 'poet solve' and 'poet minimum' say of one choice."""
        ended = poet("solve", *ON_M4, "--train", train, "--ram-budget", str(budget), *SEARCH, *options, cwd=self.folder)
        self.assertIn(ended.code, (0, 1), ended.err)
        solved = ended.json()
        least = self.ok("minimum", *ON_M4, "--train", train, *SEARCH, *options).json()
        return (solved["energy_j"] if ended.code == 0 else None, solved["time_s"] if ended.code == 0 else None, least["found_bytes"],
                least["proved_bytes"])

    def test_every_subset_of_layers(self):
        everything = self.worth("--ram-budget", "1MB", "--points", "9")
        layers = [layer["layer"] for layer in everything["layers"]]
        gains = {layer["layer"]: layer["gain"] for layer in everything["layers"]}
        self.assertGreaterEqual(len(layers), 2)
        self.assertEqual(everything["best"], "all")
        self.assertAlmostEqual(everything["gain_of_all"], sum(gains.values()))
        subsets = [subset for size in range(1, len(layers) + 1) for subset in itertools.combinations(layers, size)]
        least = {subset: self.ok("minimum", *ON_M4, "--train", "layers:" + ",".join(subset), *SEARCH).json()["found_bytes"]
                 for subset in subsets}
        sizes = sorted(set(least.values()))
        self.assertGreater(len(sizes), 1)
        # In a budget that is only just enough for all, proofs take seconds.
        for budget in (sizes[0] - 1, sizes[0], (sizes[0] + sizes[-1]) // 2, 2 * sizes[-1]):
            with self.subTest(budget):
                fitting = [subset for subset in subsets if least[subset] <= budget]
                report = self.worth("--ram-budget", str(budget), code=0 if fitting else 1)
                rows = {row["train"]: row for row in report["choices"]}
                for train, row in rows.items():
                    self.assertEqual((row["energy_j"], row["time_s"], row["least_bytes"], row["proved_bytes"]), self.plain(train, budget), train)
                    self.assertEqual(row["fits"], row["energy_j"] is not None)
                if not fitting:
                    self.assertIsNone(report["best"])
                    continue
                # The best of what was looked at; the greedy set is one that no layer can be added to.
                best = rows[report["best"]]
                self.assertTrue(best["fits"])
                self.assertTrue(all(row["gain"] <= best["gain"] for row in rows.values() if row["fits"]))
                greedy = next(row["train"] for row in rows.values() if "greedy" in row["ways"])
                taken = set(layers if greedy == "all" else greedy[len("layers:"):].split(",")) if not greedy.startswith("last") else None
                if taken is not None:
                    for layer in set(layers) - taken:
                        self.assertNotIn(tuple(one for one in layers if one in taken | {layer}), fitting)
                self.assertLessEqual(best["gain"], max(sum(gains[layer] for layer in subset) for subset in fitting) * (1 + 1e-12))

    def test_limits(self):
        free = self.worth("--ram-budget", "1MB")
        energies = {row["train"]: row["energy_j"] for row in free["choices"]}
        between = (energies["bias"] + energies["all"]) / 2
        self.assertLess(energies["bias"], between)
        limited = self.worth("--ram-budget", "1MB", "--energy-budget", f"{between}")
        for row in limited["choices"]:
            self.assertEqual(row["fits"], row["energy_j"] <= between)
            self.assertEqual(row["why_not"], None if row["fits"] else "the plan takes more energy")
        self.assertNotEqual(limited["best"], "all")
        late = self.worth("--ram-budget", "1MB", "--runtime-budget", "1us", code=1)
        self.assertIsNone(late["best"])
        self.assertFalse(any(row["fits"] for row in late["choices"]))

    def test_beside_adapters(self):
        """Every choice trains them too, and 'all' is they alone: A (2, 64) and B (10, 2), which begins with zeros."""
        adapter = ["--adapter", "lora:rank=2,targets=all"]
        report = self.worth("--ram-budget", "1MB", "--points", "2", "--out-gains", "beside.json", *adapter)
        self.assertEqual(report["adapters"], "lora:rank=2,alpha=4,targets=all")
        with open(self.path("beside.json"), encoding="utf-8") as file:
            gains = json.load(file)["gains"]
        self.assertEqual(gains["fc.lora_A.weight"], 0)
        self.assertGreater(gains["fc.lora_B.weight"], 0)
        alone = report["adapters_gain"]
        self.assertEqual(alone, gains["fc.lora_B.weight"])
        plain = self.worth("--ram-budget", "1MB", "--points", "2")
        self.assertEqual(plain["adapters"], None)
        self.assertEqual(report["layers"], plain["layers"])
        self.assertAlmostEqual(report["gain_of_all"], plain["gain_of_all"] + alone)
        rows = {row["train"]: row for row in report["choices"]}
        of_plain = {row["train"]: row for row in plain["choices"]}
        self.assertEqual((rows["all"]["trained_count"], rows["all"]["gain"]), (2 * 64 + 10 * 2, alone))
        self.assertEqual(rows["bias"]["trained_count"], of_plain["bias"]["trained_count"] + 2 * 64 + 10 * 2)
        for train in ("bias", "last:1"):
            self.assertAlmostEqual(rows[train]["gain"], of_plain[train]["gain"] + alone)
        for train in ("all", "last:1"):
            row = rows[train]
            self.assertEqual((row["energy_j"], row["time_s"], row["least_bytes"], row["proved_bytes"]), self.plain(train, 1_000_000, *adapter))
        self.assertIn("beside lora:rank=2,alpha=4,targets=all: 148 values, ", self.ok("worth", *ON_M4, *DATA, "--points", "1", "--tries", "0",
                                                                                    "--quiet", *adapter).out)
        self.assert_refused("--train auto chooses among the layers of the network, and adapters are beside them; say what is trained too, such "
                            "as what 'poet worth' says is worth it", "train", *NET, "--train", "auto", "--ram-budget", "1MB", "--steps", "1",
                            *adapter)

    def test_gains_of_the_user(self):
        def by(**gains):
            with open(self.path("mine.json"), "w", encoding="utf-8") as file:
                json.dump({"format": "poet-gains", "version": 1, "gains": gains}, file)
            return self.worth("--ram-budget", "1MB", "--gains", "mine.json")

        layers = [layer["layer"] for layer in self.worth("--ram-budget", "1MB", "--points", "1")["layers"]]
        report = by(**{layers[0]: 3, layers[1] + ".weight": 1})
        self.assertEqual(report["gain_source"], "mine.json")
        rows = {row["train"]: row["gain"] for row in report["choices"]}
        self.assertEqual((rows["all"], rows["bias"]), (4, 0))
        self.assertEqual({layer["layer"]: layer["gain"] for layer in report["layers"] if layer["gain"]}, {layers[0]: 3, layers[1]: 1})
        # Of the same worth, what trains fewer values.
        self.assertEqual(by(**{layers[0] + ".bias": 1})["best"], "bias")
        with open(self.path("bad.json"), "w", encoding="utf-8") as file:
            file.write('{"format": "poet-gains", "version": 1,\n "gains": {"nothing_like_it": 1}}')
        self.assert_refused("bad.json:2:31: no layer and no parameter is called 'nothing_like_it'", "worth", *ON_M4, "--gains", "bad.json")

    def test_measuring_shows_progress(self):
        child = subprocess.Popen([program.program, "worth", *ON_M4, *DATA, "--ram-budget", "1MB", "--gain-batches", "100000000"], cwd=self.folder,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.assertRegex(child.stderr.readline(), r"gradients of batch \d+ of 100000000")
        child.send_signal(signal.SIGINT)
        _, rest = child.communicate()
        self.assertEqual(child.returncode, 2)
        self.assertIn("poet: stopped before the gradients were measured\n", rest)

    def test_a_pipe_of_gains_is_refused(self):
        os.mkfifo(self.path("pipe"))
        for command in (["worth", *ON_M4], ["train", *NET, "--quiet", "--steps", "1", "--train", "auto", "--ram-budget", "1MB", "--no-keep-plans"]):
            self.assert_refused("cannot read 'pipe': it is not a regular file", *command, "--gains", "pipe")

    def test_refusals(self):
        self.assert_refused("--ram-budget must be in bytes here, such as 256KiB: a part of what keeping everything takes is another budget for every "
                            "choice of what is trained", "worth", *ON_M4, "--ram-budget", "50%")
        self.assert_refused("--runtime-budget must be a time here, such as 200ms: a part of the time of computing is another for every choice of what "
                            "is trained", "worth", *ON_M4, "--runtime-budget", "1.5")
        self.assert_refused("--train auto chooses by the RAM budget: give one, such as --ram-budget 256KiB", "train", *NET, "--train", "auto")
        self.assert_refused("--train auto is found out by 'poet train', and stands alone; say what is trained, such as what 'poet worth' says is worth it",
                            "solve", *ON_M4, "--train", "auto")
        self.assert_refused("--gains is what --train auto chooses by: give both, or neither", "train", *NET, "--steps", "1", "--gains", "mine.json")

    def test_the_page(self):
        self.worth("--ram-budget", "1MB", "--report", "worth.html")
        with open(self.path("worth.html"), encoding="utf-8") as file:
            page = file.read()
        self.assertIn("What is worth training in", page)
        self.assertEqual(page.count("<svg"), 4)
        self.assertIn("bias+last:1", page)

    def test_training_chooses(self):
        """Ordinary training with what was chosen has the same numbers, and a training that is resumed keeps to its choice."""
        least = {train: self.ok("minimum", *ON_M4, "--train", train, *SEARCH).json()["found_bytes"] for train in ("all", "last:1")}
        budget = ["--ram-budget", str((least["all"] + least["last:1"]) // 2), "--platform", "m4", "--parts", "whole", "--storage", "."]
        cache = ["--cache", "plans"]
        told = [*TRAIN, *budget, *cache]
        first = self.ok("train", *told, "--train", "auto", "--steps", "2", "--checkpoint", "auto.ckpt").json()
        self.assertNotIn(first["train"], ("auto", "all"))
        self.assertIn(f"--train auto is --train {first['train']}: ", first["notes"][0])
        plain = self.ok("train", *told, "--train", first["train"], "--steps", "4", "--checkpoint", "plain.ckpt").json()
        self.assertEqual(plain["losses"][:2], first["losses"])
        # In a budget that holds everything, too.
        resumed = self.ok("train", *TRAIN, *cache, "--ram-budget", "4MB", "--train", "auto", "--steps", "4", "--checkpoint", "auto.ckpt",
                          "--resume").json()
        self.assertEqual(resumed["train"], first["train"])
        self.assertEqual(resumed["losses"], plain["losses"][2:])
        self.assertEqual(resumed["parameters_sha256"], plain["parameters_sha256"])
        self.assertEqual(self.ok("train", *TRAIN, *cache, "--ram-budget", "4MB", "--train", "auto", "--steps", "1").json()["train"], "all")
        nothing = self.ok("train", *TRAIN, *cache, *budget[2:], "--ram-budget", "1KiB", "--train", "auto", "--steps", "1", code=1)
        self.assertIn("nothing was found that can be trained in", nothing.err + nothing.out)
        self.assertFalse(os.path.exists(self.path("none.ckpt")))


if __name__ == "__main__":
    program.run_tests()
