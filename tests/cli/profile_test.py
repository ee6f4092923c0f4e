"""poet profile: the files that it writes are what solve reads. No figure of a clock is tested."""

import json
import os
import signal
import subprocess
import unittest

import program
from program import poet

# Few samples of a small network: what is tested is what becomes of them.
PROFILE = ["profile", "--model", "lenet5", "--repeats", "1"]


class Profile(program.InAFolder):
    def files(self):
        return ["--out-device", self.path("mine.toml"), "--out-costs", self.path("mine.costs.json")]

    def costs(self):
        with open(self.path("mine.costs.json")) as file:
            return json.load(file)

    def test_writes_what_solve_reads(self):
        ended = poet(*PROFILE, *self.files(), "--power-w", "8", "--json", "--quiet")
        self.assertEqual(ended.code, 0, ended.err)
        said = ended.json()
        self.assertTrue(said["complete"])
        self.assertEqual(said["timed_count"], said["different_count"])
        self.assertLessEqual(said["different_count"], said["operation_count"])
        self.assertEqual(sum(row["uses"] for row in self.costs()["operations"]), said["operation_count"])
        device = poet("inspect", self.path("mine.toml"), "--json").json()
        self.assertEqual(device["name"], "mine")
        self.assertTrue(all(figure["source"] for figure in device["figures"]))

        answer = poet("solve", "--model", "lenet5", "--platform", self.path("mine.toml"), "--costs",
                      self.path("mine.costs.json"), "--ram-budget", "60%way", "--json", "--quiet").json()
        self.assertEqual(answer["costs"], "measured with reference kernels")
        self.assertAlmostEqual(answer["unavoidable_s"] if answer["io"] == "free" else said["step_s"], said["step_s"])
        inspected = poet("inspect", "lenet5", "--platform", self.path("mine.toml"), "--costs", self.path("mine.costs.json"),
                         "--json").json()
        self.assertAlmostEqual(inspected["compute_s"], said["step_s"])
        self.assertAlmostEqual(inspected["compute_j"], 8 * said["step_s"])

    def test_another_network_says_what_is_missing(self):
        # A name without a folder is one in the folder where the program runs.
        self.assertEqual(poet(*PROFILE, "--out-costs", "mine.costs.json", "--quiet", cwd=self.folder).code, 0)
        ask = ["solve", "--model", "lenet5", "--batch-size", "2", "--platform", "m4", "--costs", self.path("mine.costs.json"),
               "--ram-budget", "60%way", "--updates", "separate", "--parts", "whole", "--json", "--quiet"]
        ended = poet(*ask)
        self.assertEqual(ended.code, 2)
        self.assertIn("different operations of the step are not measured with reference kernels", ended.err)
        self.assertIn("(2, 6, 28, 28)", ended.err)
        mixed = poet(*ask, "--costs-missing", "formula")
        self.assertEqual(mixed.code, 0)
        self.assertIn("formulas stand for them", mixed.err)
        self.assertRegex(mixed.json()["costs"], r"^measured with reference kernels, \d+ of \d+ operations by formula$")
        compared = poet("compare", *ask[1:], "--costs-missing", "formula", "--methods", "keep-all").json()
        self.assertEqual(compared["costs"], mixed.json()["costs"])

    def test_an_interrupt_keeps_what_is_measured(self):
        running = subprocess.Popen([program.program, "profile", "--model", "lenet5", "--repeats", "100000", "--out-costs",
                                    self.path("mine.costs.json"), "--json"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        progress = running.stderr.readline()
        running.send_signal(signal.SIGINT)
        out, err = running.communicate()
        self.assertEqual(running.returncode, 1, err)
        self.assertRegex(progress, r"^\d+ s: \d+ of \d+ different operations; at work: ")
        said = json.loads(out)
        self.assertFalse(said["complete"])
        self.assertLess(said["timed_count"], said["different_count"])
        self.assertEqual((self.costs()["complete"], len(self.costs()["operations"])), (False, said["timed_count"]))
        self.assertIn("the costs are not complete", err)

    def test_refusals(self):
        self.assert_refused("poet profile needs --model NAME ('poet models' lists them) or --model FILE.onnx", "profile")
        self.assert_refused("--out-device: 'mine.json' must end in .toml, as --platform wants it", *PROFILE, "--out-device",
                            "mine.json")
        self.assert_refused("the storage is measured for a device; name its file with --out-device", *PROFILE, "--direct")
        self.assert_refused("a profile is of a real network: a released graph has no kernels", "profile", "--model", "linear")
        self.assert_refused("--costs is for real networks, and this is a released graph", "solve", "--model", "linear",
                            "--platform", "m4", "--costs", "mine.costs.json")
        self.assert_refused("--costs-missing is about a cost table; name one with --costs", "solve", "--model", "lenet5",
                            "--platform", "m4", "--costs-missing", "formula")


class Pictures(program.InAFolder):
    def test_draws_a_network(self):
        ended = poet("inspect", "lenet5", "--plot-directory", self.path("pictures"), "--json")
        self.assertEqual(ended.code, 0, ended.err)
        written = {os.path.basename(path) for path in ended.json()["files"]}
        self.assertLessEqual({"model.dot", "memory.svg", "costs.svg"}, written)
        self.assertEqual(written, set(os.listdir(self.path("pictures"))))

    def test_draws_nothing_else(self):
        self.assert_refused("--plot-directory draws real networks, and 'm4' is none", "inspect", "m4", "--plot-directory",
                            "pictures")


if __name__ == "__main__":
    program.run_tests()
