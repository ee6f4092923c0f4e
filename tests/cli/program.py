"""What the tests of the built program share: running it, and the small question that most of them ask."""

import atexit
import json
import os
import subprocess
import sys
import tempfile
import unittest
from dataclasses import dataclass

program = None

# Any plan will do: the search is cut off by effort, which is the same on every machine.
ANY_PLAN = ["--gap", "0.5", "--max-nodes", "1", "--max-iterations", "1"]
# For what builds projects: all have the same kernels, which ccache compiles once, where it is installed. Debian's has these names of
# compilers; each project lies in a folder of its own, which debug information names; that makes no other object. Not for what
# 'make check' reads: ccache keeps no files in which gcc says who calls whom.
CACHED = {"PATH": f"/usr/lib/ccache:{os.environ['PATH']}", "CCACHE_NOHASHDIR": "1"}
# Solved in well under a second: 27 operations.
LINEAR = ["solve", "--model", "linear", "--platform", "m4", "--ram-budget", "5000", "--runtime-budget", "1.5"]


@dataclass(frozen=True)
class Ended:
    code: int
    out: str
    err: str

    def json(self):
        return json.loads(self.out)


def poet(*arguments, cwd=None, env=None):
    environment = {**os.environ, **(env or {})}
    ended = subprocess.run([program, *arguments], cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    return Ended(ended.returncode, ended.stdout, ended.stderr)


class InAFolder(unittest.TestCase):
    """Each test has an empty folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def assert_refused(self, message, *arguments):
        """Exit code 2, the one sentence on standard error, nothing on standard output, nothing left behind."""
        before = sorted(os.listdir(self.folder))
        ended = poet(*arguments, cwd=self.folder)
        self.assertEqual(ended.err, f"poet: {message}\n")
        self.assertEqual(ended.code, 2)
        self.assertEqual(ended.out, "")
        self.assertEqual(sorted(os.listdir(self.folder)), before)


def keep_plans_apart():
    """Plans that this process's programs keep are not the user's: what a test finds does not depend on what ran before."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    os.environ["XDG_CACHE_HOME"] = folder.name


def run_tests():
    global program
    program = sys.argv[1]
    keep_plans_apart()
    unittest.TestCase.maxDiff = None
    unittest.main(module="__main__", argv=sys.argv[:1], verbosity=2)


def wait_for_file(path, size_bytes, running):
    """Until the file of a running program has that size, or the program has ended."""
    while not os.path.exists(path) or os.path.getsize(path) < size_bytes:
        try:
            running.wait(timeout=0.002)
            return
        except subprocess.TimeoutExpired:
            pass


def lines_of_growing_file(path, running):
    """The lines that a running program writes, one by one as they are there, until it has ended."""
    seen = 0
    while True:
        try:
            running.wait(timeout=0.001)
            ended = True
        except subprocess.TimeoutExpired:
            ended = False
        try:
            with open(path, encoding="utf-8") as file:
                lines = file.read().split("\n")[:-1]
        except FileNotFoundError:
            lines = []
        yield from lines[seen:]
        seen = len(lines)
        if ended:
            return
