"""What the tests of the house share: the tree under test, as ctest passes it on the command line."""

import sys
import unittest
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class House:
    root: Path  # of the sources
    rooms_file: Path  # written by cmake/room.cmake
    cmake: str
    program: str  # poet


current = None


def run_tests():
    """Runs the tests of the calling script and exits; they find the house in `house.current`."""
    global current
    root, rooms_file, cmake, program = sys.argv[1:5]
    current = House(Path(root), Path(rooms_file), cmake, program)
    unittest.TestCase.maxDiff = None
    unittest.main(module="__main__", argv=[sys.argv[0], *sys.argv[5:]], verbosity=2)
