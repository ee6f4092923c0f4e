"""What the scripts promise, in a copy of the tree where the tools are stand-ins."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import house

STAND_IN = "#!/bin/sh\n"


class InACopy(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = Path(folder.name) / "tree"
        self.tools = Path(folder.name) / "tools"
        self.tools.mkdir()
        self.tree.mkdir()
        shutil.copytree(house.current.root / "scripts", self.tree / "scripts")

    def stand_in(self, name, body="exit 0"):
        path = self.tools / name
        path.write_text(f"{STAND_IN}{body}\n")
        path.chmod(0o755)

    def script(self, *words):
        environment = {**os.environ, "POET_PACKAGES": "installed", "PATH": f"{self.tools}:{os.environ['PATH']}"}
        return subprocess.run(words, cwd=self.tree, env=environment, capture_output=True, text=True, check=False)


class Quickstart(InACopy):
    def setUp(self):
        super().setUp()
        program = self.tree / "build/release/poet"
        program.parent.mkdir(parents=True)
        program.write_text(f"{STAND_IN}echo \"poet $1\"\n")
        program.chmod(0o755)
        (self.tree / "web").mkdir()
        (self.tree / "web/package-lock.json").write_text("{}\n")
        self.stand_in("cmake")
        self.stand_in("node")

    # As npm does when it cannot reach its registry.
    def test_goes_on_without_the_page_where_packages_cannot_be_fetched(self):
        self.stand_in("npm", "echo 'npm error network request failed' >&2; exit 1")
        ended = self.script("scripts/quickstart")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("npm error network request failed", ended.stderr)
        self.assertIn("The page of 'poet serve' was not built", ended.stdout)
        self.assertIn("poet verify", ended.stdout)
        self.assertTrue(ended.stdout.endswith("the plan is out/resnet18_cifar_m4.plan.json.\n"))

    def test_tells_npm_not_to_try_for_minutes(self):
        self.stand_in("npm", "env | grep -i ^npm_config_fetch; exit 1")
        ended = self.script("scripts/quickstart", "--build-only")
        self.assertIn("npm_config_fetch_retries=1\n", ended.stdout)
        self.assertIn("npm_config_fetch_timeout=60000\n", ended.stdout)

    def test_ends_where_the_program_cannot_be_built(self):
        self.stand_in("npm")
        self.stand_in("cmake", "exit 1")
        self.assertNotEqual(self.script("scripts/quickstart").returncode, 0)


class Packages(InACopy):
    def names(self, which):
        ended = self.script("scripts/install-packages", "--names", which)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return ended.stdout.split()

    def test_of_boards_are_what_poet_run_asks_for(self):
        asked_for = (house.current.root / "poet/boards/board_build.cc").read_text()
        boards = self.names("boards")
        self.assertEqual(len(boards), 4)
        for package in boards:
            self.assertIn(f'"{package}"', asked_for)

    # Found by running scripts/check in an empty system: each was in no list once, or would be missed at once.
    def test_of_tests_have_every_tool_that_tests_call(self):
        tests = self.names("tests")
        for package in ("make", "g++", "cmake", "ninja-build", "python3", "curl", "shellcheck", *self.names("boards")):
            self.assertIn(package, tests)

    def test_stand_in_a_list_once(self):
        for which in ("build", "boards", "python", "tests", "arm64", "libraries"):
            names = self.names(which)
            self.assertEqual(len(names), len(set(names)), which)


class SkippedTests(InACopy):
    def test_of_single_cases_and_of_parts_are_named_by_their_reasons(self):
        skipped = "a.cc:1: Skipped\nno such library\n\n[  SKIPPED ] {} (0 ms)\n"
        part = "[       OK ] Rounds.Up (0 ms)\n" + skipped.format("Backends/Rounds.Up/highs") + "[       OK ] Rounds.Up/gurobi (3 ms)\n"
        results = self.tree / "tests.xml"
        results.write_text(
            '<testsuite><testcase name="solve.part_0"><system-out>' + part + "</system-out></testcase>"
            '<testcase name="cli_program.solve"><system-out>[       OK ] is no case (0 ms)\n</system-out></testcase>'
            '<testcase name="exec.Ring.Turns"><skipped/><system-out>' + skipped.format("Ring.Turns") + "</system-out></testcase></testsuite>")
        ended = self.script("scripts/skipped-tests", str(results))
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(ended.stdout.splitlines(), [
            "2 of 5 tests did not run.",
            "Skipped, because: no such library",
            "  solve.Backends/Rounds.Up/highs",
            "  exec.Ring.Turns",
            "Optional backend HiGHS: 1 tests did not run (no such library).",
            "Optional backend Gurobi: 1 tests ran.",
        ])


if __name__ == "__main__":
    house.run_tests()
