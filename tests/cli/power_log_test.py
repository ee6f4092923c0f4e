"""poet profile --power-log: what is fitted to a log whose joules are known, and what is refused."""

import json
import pathlib
import sys
import unittest

import program
from program import poet

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench" / "energy"))
import synthetic_log  # noqa: E402

EXPORT = ["export", "c", "--model", "lenet5", "--image-size", "24", "--batch-size", "8", "--platform", "m4"]


class PowerLog(program.InAFolder):
    def setUp(self):
        super().setUp()
        ended = poet(*EXPORT, "--out", self.path("project"), "--quiet")
        self.assertEqual(ended.code, 0, ended.err)
        with open(self.path("project/project.json")) as file:
            self.project = json.load(file)
        # What would be counted: a nanosecond and a half for a FLOP, and something for the call.
        work = {one["key"]: one["flop"] for one in self.project["actions"] if one["what"] == "compute"}
        self.counted = {"operations": [{"operation": key, "seconds": 2e-5 + 1.5e-9 * flop} for key, flop in work.items()]}
        self.truth = synthetic_log.draw_truth(self.project, self.counted, seed=5)

    def log(self, **how):
        synthetic_log.write_log(self.path("log.csv"), self.project, self.truth, **{"steps": 3, "pins": 3, **how})

    def profile(self, *more, supply=("--supply-v", "3"), pins=("--pins", "3")):
        return poet("profile", "--power-log", self.path("log.csv"), "--project", self.path("project"), *supply, *pins, *more)

    def write_costs(self):
        costs = {"format": "poet-costs", "version": 1, "machine": "m", "measured": "counted", "complete": True,
                 "active_power_w": 0.01, "power_source": "assumed",
                 "operations": [{**one, "kernels": "reference", "spread_s": 0, "joules": None, "samples": 1, "executions": 1,
                                 "uses": 1} for one in self.counted["operations"]]}
        with open(self.path("counted.json"), "w") as file:
            json.dump(costs, file)

    def test_fits_what_the_log_was_made_of(self):
        self.log()
        ended = self.profile("--out-device", self.path("mine.toml"), "--out-costs", self.path("mine.json"), "--json")
        self.assertEqual(ended.code, 0, ended.err)
        power = ended.json()["power_log"]
        self.assertEqual((power["steps"], power["left_out"], power["aligned_by"]), (3, 0, "pins"))
        self.assertAlmostEqual(power["idle_w"], 3 * synthetic_log.IDLE_A, delta=1e-5)
        self.assertLess(power["joules_residual_ratio"], 0.01)
        for term in power["terms"]:
            if term["name"] not in self.truth or term["together"]:
                continue
            real = self.truth[term["name"]]
            part = term["uses"] * real["joules"] / power["step_j"]
            if part > 1e-3:
                self.assertAlmostEqual(term["joules"] / real["joules"], 1, delta=0.02, msg=term["name"])
                self.assertAlmostEqual(term["seconds"] / real["seconds"], 1, delta=0.02, msg=term["name"])
        # The files are what the planner reads, and the device says how its figures came about.
        with open(self.path("mine.toml")) as file:
            text = file.read()
        self.assertIn("# compute.rate ", text)
        self.assertIn("# storage.write_power ", text)
        device = poet("inspect", self.path("mine.toml"), "--json").json()
        self.assertTrue(all(figure["source"] for figure in device["figures"]))
        solved = poet("solve", "--model", "lenet5", "--image-size", "24", "--batch-size", "8", "--platform", self.path("mine.toml"),
                      "--costs", self.path("mine.json"), "--costs-missing", "formula", "--ram-budget", "240KiB", "--json", "--quiet")
        self.assertEqual(solved.code, 0, solved.err)

    def test_tells_people_what_it_found(self):
        self.log(digits=True)
        ended = self.profile()
        self.assertEqual(ended.code, 0, ended.err)
        self.assertRegex(ended.out, r"byte written")
        self.assertRegex(ended.out, r"(?m)^  missed ")
        self.assertRegex(ended.out, r"above idle, the mean of 3 steps")

    def test_aligns_by_durations_where_there_is_no_pin(self):
        self.truth = synthetic_log.draw_truth(self.project, self.counted, seed=5, spread=0.01)
        self.log(channels=False)
        self.write_costs()
        ended = self.profile("--align", "durations", "--costs", self.path("counted.json"), "--json", pins=())
        self.assertEqual(ended.code, 0, ended.err)
        power = ended.json()["power_log"]
        self.assertEqual((power["steps"], power["aligned_by"]), (3, "durations"))
        self.assertAlmostEqual(power["stretch"], 1.3, delta=0.02)
        self.assertIsNone(power["terms"][0]["joules_error"])
        self.assertIn("nothing in the log says where an action ends", ended.err)

    def test_refuses_in_one_sentence_with_its_place(self):
        # Less than a sample, so that two announcements bring one pin back to where it was.
        update = next(one["key"] for one in self.project["actions"] if one.get("key", "").startswith("sgd"))
        self.truth[update] = {"seconds": 1e-6, "joules": 1e-8}
        self.log(steps=2)
        self.assertEqual(self.profile(supply=()).err,
                         f"poet: {self.path('log.csv')}:1: the log has currents: --supply-v says at which voltage\n")
        one_pin = self.profile(pins=())
        self.assertEqual(one_pin.code, 2)
        self.assertRegex(one_pin.err, r"log\.csv:\d+: a step has 63 announcements, and .*--pins")
        self.assertIn("--costs names the file that 'poet profile --board' counted", self.profile("--align", "durations").err)
        with open(self.path("log.csv"), "a") as file:
            file.write("nan,1,0,0,0,0,0,0,0,0\n")
        self.assertRegex(self.profile().err, r"log\.csv:\d+: 'nan' is not a finite number\n$")

    def test_refuses_options_that_do_not_go_together(self):
        self.assertEqual(poet("profile", "--power-log", "log.csv").err,
                         "poet: --power-log needs --project FOLDER: what the board ran, as 'poet export c' wrote it\n")
        self.assertEqual(poet("profile", "--power-log", "a", "--project", "b", "--board", "qemu-m4").err,
                         "poet: --power-log is of a real board, and --board emulates one\n")
        self.assertIn("name it with --power-log", poet("profile", "--model", "lenet5", "--supply-v", "3").err)
        self.assertIn("name it with --board", poet("profile", "--model", "lenet5", "--datasheet", "nrf52840").err)
        missing = poet("profile", "--power-log", "none.csv", "--project", self.path("project"), "--supply-v", "3")
        self.assertEqual(missing.code, 2)
        self.assertIn("none.csv", missing.err)


if __name__ == "__main__":
    program.run_tests()
