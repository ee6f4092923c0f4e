"""Several `poet sweep` that share the points of one sweep in a database, through the death of some of them."""

import csv
import json
import os
import shutil
import signal
import subprocess
import tempfile
import unittest

import postgres_cluster
import program
from postgres_cluster import Cluster
from program import InAFolder, poet

SMALL = ["sweep", "--model", "linear", "--platform", "m0", "--budgets", "3", "--methods", "paging", "--quiet"]
# Seventy points, of some hundredths of a second each.
WHOLE = ["sweep", "--model", "linear,vgg16_cifar", "--platform", "m0", "--runtime-budget", "1.5", "--budgets", "7",
         "--methods", "keep-all,chen-greedy,dtr,paging", "--jobs", "1", "--quiet"]
POINTS = 70
LEASE = ["--lease", "1"]
OF_MPI = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def points_of(answer):
    """The answer without clock readings and paths."""
    return {key: value for key, value in answer.items() if key not in ("timing", "files", "warnings")}


@unittest.skipIf(postgres_cluster.missing(), postgres_cluster.missing())
class Shared(InAFolder):
    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster("fsync=off").__enter__()
        cls.addClassCleanup(cls.cluster.__exit__)
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.csv_alone = os.path.join(folder.name, "alone.csv")
        cls.alone = poet(*WHOLE, "--json", "--csv", cls.csv_alone).json()

    def setUp(self):
        super().setUp()
        self.name = self.id().rsplit(".", 1)[1][:60]
        self.uri = self.cluster.make_database(self.name)
        self.store = ["--store", self.uri]

    def number(self, sql):
        return int(self.cluster.ask(sql, self.name)[0])

    def begun(self, *words):
        child = subprocess.Popen([program.program, *words, *self.store], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(child.stderr.close)
        self.addCleanup(child.stdout.close)
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        return child

    def bytes_of(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def rows_of(self, name):
        """Of a CSV file, without clock readings."""
        with open(self.path(name), encoding="utf-8") as file:
            rows = [{key: value for key, value in row.items() if key != "plan_s"} for row in csv.DictReader(file)]
        self.assertEqual(len(rows), POINTS)
        return rows

    def held(self, child):
        """Points that a process has taken and not answered."""
        return self.number(f"SELECT count(*) FROM poet.sweep_points WHERE process LIKE '%-{child.pid}-%'")

    def goes_on(self, child):
        """For a moment, and has not ended by then."""
        try:
            child.wait(timeout=0.01)
        except subprocess.TimeoutExpired:
            return
        self.fail("it has ended too early")

    def until(self, what, child):
        """It stands still while we look, which takes longer than many a point."""
        while True:
            child.send_signal(signal.SIGSTOP)
            there = what()
            child.send_signal(signal.SIGCONT)
            if there:
                return
            self.goes_on(child)

    def answered(self):
        return self.number("SELECT CASE WHEN to_regclass('poet.sweep_points') IS NULL THEN 0 ELSE 1 END") and self.number(
            "SELECT count(answer) FROM poet.sweep_points")

    def stop_with_a_point(self, child):
        """It stands still, and has a point: whatever it was about to say, it does not."""
        while True:
            child.send_signal(signal.SIGSTOP)
            if self.held(child):
                return
            child.send_signal(signal.SIGCONT)
            self.goes_on(child)

    def test_two_share_and_what_one_was_killed_with_the_other_does(self):
        first = self.begun(*WHOLE, *LEASE, "--json")
        self.until(lambda: self.answered() >= 3, first)
        self.stop_with_a_point(first)
        early = poet(*WHOLE, *self.store, "--json", "--collect")
        second = self.begun(*WHOLE, *LEASE, "--json", "--csv", self.path("second.csv"))
        first.kill()
        out, err = second.communicate()
        self.assertEqual(second.returncode, 0, err)
        found = json.loads(out)
        self.assertEqual(points_of(found), points_of(self.alone))
        self.assertGreaterEqual(found["timing"]["found_before"], 3)
        self.assertLess(found["timing"]["found_before"], POINTS)
        self.assertEqual(self.number("SELECT count(*) FROM poet.sweep_points WHERE answer IS NOT NULL AND process = ''"), POINTS)
        self.assertEqual(self.number("SELECT sum(lost) FROM poet.sweep_points"), 1)
        # What is there was told while it was not all; it is all now, and the same command finds it.
        self.assertEqual(early.code, 1)
        self.assertFalse(early.json()["complete"])
        for word in ([], ["--collect"]):
            again = poet(*WHOLE, *self.store, *word, "--json", "--csv", self.path("again.csv"))
            self.assertEqual((again.code, again.json()["timing"]["found_before"]), (0, POINTS))
            self.assertEqual(points_of(again.json()), points_of(self.alone))
            self.assertEqual(self.bytes_of("again.csv"), self.bytes_of("second.csv"))
        self.assertEqual(self.rows_of("again.csv"), self.rows_of(self.csv_alone))

    def test_its_text_is_that_of_one_process(self):
        self.assertEqual(poet(*SMALL, *self.store).out, poet(*SMALL).out)

    def test_interrupted_it_leaves_its_points_to_others_at_once(self):
        child = self.begun(*WHOLE, "--lease", "600", "--json")
        self.until(lambda: self.answered() >= 3, child)
        self.stop_with_a_point(child)
        child.send_signal(signal.SIGTERM)
        child.send_signal(signal.SIGCONT)
        _, err = child.communicate()
        self.assertEqual(child.returncode, 1)
        self.assertIn("the same command with the same --results or --store goes on from here", err)
        self.assertEqual(self.number("SELECT count(*) FROM poet.sweep_points WHERE process <> ''"), 0)
        self.assertEqual(points_of(poet(*WHOLE, *self.store, "--json").json()), points_of(self.alone))

    def test_the_database_may_be_away_for_a_while(self):
        child = self.begun(*WHOLE, "--json")
        self.until(lambda: self.answered() >= 3, child)
        self.cluster.stop(signal.SIGQUIT)
        self.cluster.start()
        out, err = child.communicate()
        self.assertEqual(child.returncode, 0, err)
        self.assertEqual(points_of(json.loads(out)), points_of(self.alone))

    def test_ranks_share_with_others(self):
        if shutil.which("mpirun") is None:
            self.skipTest("mpirun is not installed")
        other = self.begun(*WHOLE, "--json")
        ended = subprocess.run(["mpirun", "-n", "3", "--oversubscribe", program.program, *WHOLE, *self.store, "--json"],
                               env=OF_MPI, capture_output=True, text=True, check=False)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        out, err = other.communicate()
        self.assertEqual(other.returncode, 0, err)
        for answer in (out, ended.stdout):
            self.assertEqual(points_of(json.loads(answer)), points_of(self.alone))

    def test_slips(self):
        self.assertEqual(poet(*SMALL, *self.store).code, 0)
        self.assert_refused("the store has the points of another sweep under the name 'sweep'; repeat that sweep's options, or "
                            "give this one another --name", *SMALL, *self.store, "--gap", "0.5")
        self.assertEqual(poet(*SMALL, *self.store, "--gap", "0.5", "--name", "other").code, 0)
        self.assert_refused("the store has no sweep of the name 'third'", *SMALL, *self.store, "--name", "third", "--collect")
        self.assert_refused("--results and --store both say where the points are kept; give one of them",
                            *SMALL, *self.store, "--results", "points.db")
        self.assert_refused("--store: expected the address of a database, postgresql://USER@HOST/DATABASE; --results FILE keeps "
                            "the points in a file", *SMALL, "--store", "folder")
        self.assert_refused("--name is of a sweep in a database; give --store postgresql://...", *SMALL, "--name", "mine")
        self.assert_refused("--collect needs --store or --results, where the points are kept", *SMALL, "--collect")
        self.assert_refused("--collect: there is no results file 'points.db'", *SMALL, "--collect", "--results", "points.db")

    def test_no_password_is_told(self):
        with_one = self.uri.replace("poet@", "poet:hush-hush@")
        self.assertNotEqual(with_one, self.uri)
        ended = poet(*SMALL, "--store", with_one, "--report", self.path("page.html"), "--json")
        self.assertEqual(ended.code, 0, ended.err)
        with open(self.path("page.html"), encoding="utf-8") as file:
            page = file.read()
        self.assertIn("poet:***@", page)
        self.assertNotIn("hush-hush", page + ended.out + ended.err)


if __name__ == "__main__":
    program.run_tests()
