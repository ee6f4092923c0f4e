"""What the tests of installing share: the build, as ctest passes it, and commands that must succeed."""

import os
import subprocess
import sys
import tempfile
import unittest
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Tree:
    sources: Path
    build: Path
    cmake: str
    compiler: str  # of C++
    version: str


tree = None


def done(*command, cwd=None, env=None):
    """What a command prints; its failure is that of the test."""
    ended = subprocess.run([str(word) for word in command], cwd=cwd, env={**os.environ, **(env or {})}, capture_output=True,
                           text=True, check=False)
    if ended.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}\n{ended.stdout[-3000:]}{ended.stderr[-3000:]}"
                             f"exit code {ended.returncode}")
    return ended.stdout


def install(component, prefix):
    done(tree.cmake, "--install", tree.build, "--prefix", prefix, "--component", component)


class Installed(unittest.TestCase):
    """What setUpModule() of the tests has installed, and an empty folder for each class."""

    prefix = None

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)

    def only(self, pattern):
        """The one file in the prefix that a pattern finds, wherever this system has its folders."""
        found = sorted(self.prefix.glob(pattern))
        self.assertEqual(len(found), 1, f"{pattern}: {found}")
        return found[0]


def run_tests():
    global tree
    sources, build, cmake, compiler, version = sys.argv[1:6]
    tree = Tree(Path(sources), Path(build), cmake, compiler, version)
    unittest.TestCase.maxDiff = None
    unittest.main(module="__main__", argv=[sys.argv[0], *sys.argv[6:]], verbosity=2)
