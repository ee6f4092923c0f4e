#!/usr/bin/env python3
"""How long the program takes to build again after one source of the solver has changed, in a build folder that is up to date.

usage: rebuild.py [--build FOLDER] [--target TARGET] [SOURCE...]
Prints one line of JSON for each source: seconds of the clock and of the processors, and what was run again. Sources: every
fourth of poet/solve, where none is named. The best of two, as the first finds some files not in memory.
"""
import argparse
import json
import os
import pathlib
import resource
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


def built(folder, target):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.monotonic()
    out = subprocess.run(["cmake", "--build", folder, "--target", target], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    clock_s = time.monotonic() - begin
    processors_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"clock_s": round(clock_s, 2), "processors_s": round(processors_s, 2), "actions": out.count("] ")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--target", default="poet_program")
    parser.add_argument("sources", nargs="*")
    asked = parser.parse_args()
    sources = asked.sources or sorted(
        str(path.relative_to(ROOT)) for path in (ROOT / "poet/solve").glob("*.cc") if not path.name.endswith("_test.cc"))[::4]
    built(asked.build, asked.target)
    for source in sources:
        runs = []
        for _ in range(2):
            os.utime(ROOT / source)
            runs.append(built(asked.build, asked.target))
        best = min(runs, key=lambda run: run["clock_s"])
        print(json.dumps({"source": source, **best}), flush=True)


if __name__ == "__main__":
    main()
