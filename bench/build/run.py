#!/usr/bin/env python3
"""What tests take of a processor in one build folder, for comparing two builds: seconds of user and system together, which
other work on the machine changes less than seconds of the clock.

usage: bench/build/run.py BUILD_FOLDER [LABEL]    prints a line of JSON for each row below
"""

import json
import os
import subprocess
import sys
from pathlib import Path

# Program, cases: what took longest under clang's sanitizers.
ROWS = [
    ("rooms/methods/methods_test", "Dtr.AnAdversary*"),
    ("rooms/layout/layout_test", "Pack.ProvesWhatLies*"),
    ("rooms/runtime/runtime_test", "*Conv*"),
    ("rooms/autodiff/autodiff_test", "*"),
    ("tests/overlapped_oracle_test", "*"),
    ("tests/revolve_oracle_test", "*"),
    ("tests/executor_networks_test", "*InAnyBudget/mobilenetv2"),
]
SUPPRESSIONS = Path(__file__).resolve().parents[2] / "tests/support/leaks_of_libraries.txt"


def processor_s():
    times = os.times()
    return times.children_user + times.children_system


def measured(folder, program, cases):
    before = processor_s()
    ended = subprocess.run([folder / program, f"--gtest_filter={cases}"], capture_output=True, check=False,
                           env={**os.environ, "LSAN_OPTIONS": f"suppressions={SUPPRESSIONS}:print_suppressions=0"})
    return {"program": program, "cases": cases, "processor_s": round(processor_s() - before, 2), "code": ended.returncode}


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    label = sys.argv[2] if len(sys.argv) == 3 else sys.argv[1]
    for program, cases in ROWS:
        print(json.dumps({"build": label, **measured(Path(sys.argv[1]), program, cases)}), flush=True)


if __name__ == "__main__":
    main()
