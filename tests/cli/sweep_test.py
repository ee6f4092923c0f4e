"""What `poet sweep` answers, and that no finished point is lost."""

import contextlib
import csv
import json
import os
import shutil
import signal
import sqlite3
import subprocess

import program
from program import poet

METHODS = "keep-all,chen-greedy,dtr,checkmate,paging"
SMALL = ["sweep", "--model", "linear", "--platform", "m0", "--runtime-budget", "1.5", "--budgets", "6", "--methods", METHODS]
# More than a hundred points, so that it is not done when it is killed.
LONG = ["sweep", "--model", "linear,vgg16_cifar", "--platform", "m0,m4", "--runtime-budget", "1.5", "--budgets", "12",
        "--methods", METHODS, "--json", "--quiet"]


def points_of(answer):
    """The answer without clock readings and paths."""
    return {key: value for key, value in answer.items() if key not in ("timing", "files", "warnings")}


class Curves(program.InAFolder):
    def test_table(self):
        ended = poet(*SMALL)
        self.assertEqual(ended.code, 0, ended.err)
        lines = ended.out.splitlines()
        self.assertTrue(lines[0].startswith("linear on m0, released graph, free transfers, at most "), lines[0])
        self.assertRegex(lines[3], r"^method +least RAM, B +fits at +3\.86 KiB +")
        self.assertEqual([line.split()[0] for line in lines[4:11]],
                         ["keep-all", "chen-greedy", "dtr", "checkmate", "paging", "poet", "bound"])

    def test_curves_hang_together(self):
        for instance in poet(*SMALL, "--json").json()["instances"]:
            rows = {row["method"]: row["points"] for row in instance["methods"]}
            bounds = instance["bounds"]
            self.assertEqual(bounds, sorted(bounds, reverse=True), "a bound at a larger budget holds at a smaller one")
            energies = [point["energy_j"] for point in rows["poet"]]
            self.assertEqual(energies, sorted(energies, reverse=True), "a schedule for less RAM is one for more")
            for method, points in rows.items():
                for ours, bound, point in zip(rows["poet"], bounds, points):
                    if point["outcome"] != "fits":
                        continue
                    with self.subTest(method=method, budget=point["ram_budget_bytes"]):
                        self.assertLessEqual(point["peak_ram_bytes"], point["ram_budget_bytes"])
                        self.assertGreaterEqual(point["energy_j"], bound * (1 - 1e-9))
                        self.assertGreaterEqual(point["energy_j"], ours["energy_j"] * (1 - 1e-9))

    def test_any_number_of_jobs_gives_the_same_points(self):
        one, three = (poet(*SMALL, "--json", "--jobs", jobs).json() for jobs in ("1", "3"))
        self.assertEqual(points_of(one), points_of(three))

    def test_lists(self):
        ended = poet("sweep", "--model", "linear", "--platform", "m0,a72", "--runtime-budget", "1.2,2", "--ram-budget",
                     "60%,5000,7416", "--methods", "paging", "--json")
        self.assertEqual(ended.code, 0, ended.err)
        answer = ended.json()
        self.assertEqual([(one["platform"], one["budgets_bytes"]) for one in answer["instances"]],
                         [(platform, [4449, 5000, 7416]) for platform in ("m0", "m0", "a72", "a72")])

    def test_files(self):
        page, table, folder = self.path("page.html"), self.path("points.csv"), self.path("charts")
        ended = poet(*SMALL, "--report", page, "--csv", table, "--plot-directory", folder)
        self.assertEqual(ended.code, 0, ended.err)
        with open(table, encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 6 * 6)
        with open(page, encoding="utf-8") as file:
            self.assertIn("chen-greedy", file.read())
        self.assertEqual(sorted(os.listdir(folder)), ["sweep_energy.svg", "sweep_time.svg"])

    def test_of_which_steps_it_speaks(self):
        table, page = self.path("points.csv"), self.path("page.html")
        question = ["sweep", "--model", "digits-cnn", "--platform", "m4", "--budgets", "2", "--methods", "keep-all"]
        ended = poet(*question, "--csv", table, "--report", page)
        self.assertIn("\nAll methods have the same step at a budget, in the order with the lowest peak that was found; bounds, what no schedule can save and "
                      "that nothing fits are said of it. "
                      "poet-own-step: the best that 'poet solve' plans in that budget or a smaller one: of another order, with other "
                      "slices or in parts where that costs less.\n", ended.out)
        self.assertRegex(ended.out, r"\npoet-own-step +[0-9,]+ +2 of 2 ")
        answer = poet(*question, "--json").json()
        self.assertFalse(any(point["ended_by_clock"] for point in answer["timing"]["points"]))
        instance = answer["instances"][0]
        self.assertEqual(instance["scope"], "these-steps")
        self.assertEqual([own["is_other"] for own in instance["own_steps"]], [True, False])
        for own, shared in zip(instance["own_steps"], instance["methods"][-1]["points"]):
            solved = poet("solve", "--model", "digits-cnn", "--platform", "m4", "--ram-budget", str(own["ram_budget_bytes"]), "--json").json()
            self.assertAlmostEqual(own["energy_j"], solved["energy_j"], delta=1e-9 * own["energy_j"])
            self.assertEqual(own["is_other"], own["energy_j"] < shared["energy_j"])
        with open(table, encoding="utf-8") as file:
            rows = [row for row in csv.DictReader(file) if row["method"] == "poet-own-step"]
        self.assertEqual([float(row["energy_j"]) for row in rows], [own["energy_j"] for own in instance["own_steps"]])
        self.assertEqual([row["bound"] for row in rows], ["", ""])
        with open(page, encoding="utf-8") as file:
            self.assertIn("poet-own-step", file.read())

    def test_one_step_is_said_to_be_the_only_one(self):
        question = ["sweep", "--model", "digits-mlp", "--platform", "m4", "--ram-budget", "9000", "--methods", "keep-all"]
        ended = poet(*question)
        self.assertIn("\nAll methods have the same step at a budget, in the order with the lowest peak that was found, and 'poet solve' plans no other there.\n", ended.out)
        self.assertNotIn("poet-own-step", ended.out)
        closed = poet(*question, "--updates", "separate", "--parts", "whole")
        self.assertNotIn("same step", closed.out)
        self.assertIsNone(poet(*question, "--updates", "separate", "--parts", "whole", "--json").json()["instances"][0]["own_steps"])

    def test_slips(self):
        sweep = ["sweep", "--model", "linear", "--platform", "m0"]
        self.assert_refused("--budgets and --ram-budget both say how much RAM; give one of them",
                            *sweep, "--budgets", "3", "--ram-budget", "5000")
        self.assert_refused("unknown model 'linaer'; did you mean 'linear'?", "sweep", "--model", "linaer", "--platform", "m0")
        self.assert_refused("--methods: unknown method 'chekmate'; did you mean 'checkmate'?", *sweep, "--methods", "chekmate")


class Kept(program.InAFolder):
    def killed_halfway(self, results):
        """Ends the sweep by force as soon as some points are kept."""
        child = subprocess.Popen([program.program, *LONG, "--results", results], stdout=subprocess.DEVNULL,
                                 start_new_session=True)
        program.wait_for_file(results, 200_000, child)
        self.assertIsNone(child.poll(), "it was to be killed before its end")
        child.kill()
        child.wait()

    def test_killed_and_resumed_it_gives_the_same_points(self):
        results = self.path("points.db")
        self.killed_halfway(results)
        resumed = poet(*LONG, "--results", results).json()
        whole = poet(*LONG).json()
        self.assertGreater(resumed["timing"]["found_before"], 0)
        self.assertEqual(whole["timing"]["found_before"], 0)
        self.assertEqual(points_of(resumed), points_of(whole))

    def test_interrupted_it_says_what_is_there(self):
        results = self.path("points.db")
        child = subprocess.Popen([program.program, *LONG, "--results", results], stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True)
        program.wait_for_file(results, 100_000, child)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate()
        self.assertEqual(child.returncode, 1, err)
        answer = json.loads(out)
        self.assertFalse(answer["complete"])
        self.assertIn("the same command with the same --results or --store goes on from here", err)

    def test_another_sweep_is_refused(self):
        results = self.path("points.db")
        self.assertEqual(poet(*SMALL, "--results", results).code, 0)
        ended = poet(*SMALL, "--gap", "0.5", "--results", results)
        self.assertEqual(ended.code, 2)
        self.assertIn("holds the points of another sweep", ended.err)

    def test_a_damaged_file_is_named(self):
        results = self.path("points.db")
        self.assertEqual(poet(*SMALL, "--results", results).code, 0)
        for damage, words in (("UPDATE points SET answer = '{}' WHERE id = 1", f"poet: the results file '{results}': point 1 of the sweep, "),
                              ("DELETE FROM question", f"'{results}' does not say of which sweep its points are")):
            with contextlib.closing(sqlite3.connect(results)) as file:
                file.execute(damage)
                file.commit()
            ended = poet(*SMALL, "--results", results)
            self.assertEqual(ended.code, 2)
            self.assertIn(words, ended.err)


class UnderMpi(program.InAFolder):
    def test_ranks_give_the_same_points(self):
        if shutil.which("mpirun") is None:
            self.skipTest("mpirun is not installed")
        environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        ended = subprocess.run(["mpirun", "-n", "3", "--oversubscribe", program.program, *SMALL, "--json"], env=environment,
                               capture_output=True, text=True, check=False)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(points_of(json.loads(ended.stdout)), points_of(poet(*SMALL, "--json").json()))

    def test_points_are_kept_when_a_rank_dies(self):
        if shutil.which("mpirun") is None:
            self.skipTest("mpirun is not installed")
        environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        results = self.path("points.db")
        child = subprocess.Popen(["mpirun", "-n", "3", "--oversubscribe", program.program, *LONG, "--results", results],
                                 env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        program.wait_for_file(results, 200_000, child)
        self.assertIsNone(child.poll(), "a rank was to be killed before the end")
        with open(f"/proc/{child.pid}/task/{child.pid}/children", encoding="ascii") as file:
            ranks = [int(word) for word in file.read().split()]
        os.kill(ranks[-1], signal.SIGKILL)
        self.assertNotEqual(child.wait(), 0)
        resumed = poet(*LONG, "--results", results)
        self.assertEqual(resumed.code, 0, resumed.err)
        self.assertGreater(resumed.json()["timing"]["found_before"], 0)

    def test_an_interrupted_rank_says_what_was_found(self):
        if shutil.which("mpirun") is None:
            self.skipTest("mpirun is not installed")
        environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        results = self.path("points.db")
        child = subprocess.Popen(["mpirun", "-n", "3", "--oversubscribe", program.program, *LONG, "--results", results, "--json"],
                                 env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        program.wait_for_file(results, 200_000, child)
        with open(f"/proc/{child.pid}/task/{child.pid}/children", encoding="ascii") as file:
            os.kill(int(file.read().split()[0]), signal.SIGINT)  # rank 0
        out, _ = child.communicate()
        self.assertEqual(json.loads(out)["format"], "poet-sweep")


class SeveralMemories(program.InAFolder):
    def test_poet_alone_is_swept(self):
        ended = poet("sweep", "--model", "lenet5", "--platform", "esp32s3", "--ram-budget", "8KiB,128KiB", "--json")
        self.assertEqual(ended.code, 0, ended.err)
        self.assertIn("methods beside poet plan for one memory only, and esp32s3 has psram beside its RAM: they are left out", ended.err)
        [instance] = ended.json()["instances"]
        [method] = instance["methods"]
        points = method["points"]
        self.assertEqual([method["method"], *(point["ram_budget_bytes"] for point in points)], ["poet", 8192, 131072])
        self.assertLess(points[1]["energy_j"], points[0]["energy_j"])
        for point in points:
            self.assertLessEqual(point["peak_ram_bytes"], point["ram_budget_bytes"])
        owns = instance["own_steps"]
        for shared, own in zip(points, owns, strict=True):
            self.assertLessEqual(own["energy_j"], shared["energy_j"])
        self.assertLess(owns[1]["energy_j"], points[1]["energy_j"])
        self.assertIn("fc1.weight", owns[1]["weights"])  # by slices


if __name__ == "__main__":
    program.run_tests()
