#!/usr/bin/env python3
"""What each case of a test of the built program takes of a processor, with all the programs that it starts.

usage: bench/build/cases.py TEST PROGRAM    for example: cases.py export build/dev/poet; prints "seconds case" and a total
CCACHE_DISABLE=1 compiles everything; CCACHE_DIR=FOLDER with an empty folder is a machine that checks for the first time.
"""

import importlib
import os
import sys
import unittest
from pathlib import Path

TESTS = Path(__file__).resolve().parents[2] / "tests/cli"


def processor_s():
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


class Timed(unittest.TextTestResult):
    def startTest(self, test):
        self.before = processor_s()
        super().startTest(test)

    def stopTest(self, test):
        print(f"{processor_s() - self.before:6.2f} {test.id()}", flush=True)
        super().stopTest(test)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    sys.path.insert(0, str(TESTS))
    sys.dont_write_bytecode = True
    shared = importlib.import_module("program")
    shared.program = str(Path(sys.argv[2]).resolve())
    shared.keep_plans_apart()
    cases = unittest.defaultTestLoader.loadTestsFromModule(importlib.import_module(f"{sys.argv[1]}_test"))
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        ended = unittest.TextTestRunner(stream=nowhere, resultclass=Timed).run(cases)
    print(f"{processor_s():6.2f} all", flush=True)
    sys.exit(not ended.wasSuccessful())


if __name__ == "__main__":
    main()
