#!/usr/bin/env python3
"""What a hardened build costs: the same work by two programs that differ in nothing else, in turns.

    bench/hardening/run.py --program build/release/poet --plain build/plain/poet --log bench/hardening/hardening.jsonl
    bench/hardening/run.py --table bench/hardening/hardening.jsonl > bench/hardening/README.md

PLAIN is built with -DPOET_HARDENING=OFF. Each round runs both programs, the first of them in turns; a row has the seconds
of both, and the table compares medians.
"""
import os
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from frame import Log, arguments, read_log, timed  # noqa: E402

WORKS = [
    ("start", ["models"]),
    ("search", ["solve", "--model", "resnet18_cifar", "--platform", "m4", "--graph", "released", "--ram-budget", "737719",
                "--runtime-budget", "1.5", "--quiet"]),
    ("inspect", ["inspect", "resnet18", "--json"]),
    ("train, reference kernels", ["train", "--model", "lenet5", "--batch-size", "16", "--steps", "40", "--test-examples", "0",
                                  "--quiet", "--cache", "{folder}/plans"]),
]


def run_all(options):
    with Log(options.log, rounds=options.rounds) as log, tempfile.TemporaryDirectory() as folder:
        for name, words in WORKS:
            words = [word.format(folder=folder) for word in words]
            for round_number in range(options.rounds):
                row = {"work": name}
                programs = [("hardened", options.program), ("plain", options.plain)]
                for which, program in programs if round_number % 2 == 0 else reversed(programs):
                    run, seconds = timed([os.path.abspath(program), *words])
                    row[which] = seconds
                    row["exit"] = run.returncode
                log.write(row)


def print_table(path):
    head, rows = read_log(path)
    print("# What hardening costs\n\nMade by `run.py` beside this file.\n")
    print(f"Commit {head['commit']}, {head['date']}, {head['machine']} with {head['cores']} cores, release builds of g++ 12 that "
          f"differ in `POET_HARDENING` only, {head['rounds']} rounds in turns. Raw log: `{os.path.basename(path)}`.\n")
    print("| work | hardened, median (s) | plain, median (s) | ratio | ratios of single rounds |")
    print("|---|---|---|---|---|")
    for name, _ in WORKS:
        mine = [row for row in rows if row["work"] == name]
        if not mine:
            continue
        hardened, plain = (statistics.median(row[which] for row in mine) for which in ("hardened", "plain"))
        ratios = sorted(row["hardened"] / row["plain"] for row in mine)
        print(f"| {name} | {hardened:.3f} | {plain:.3f} | {hardened / plain:.3f} | {ratios[0]:.2f} to {ratios[-1]:.2f} |")


def main():
    parser = arguments(__doc__)
    parser.add_argument("--plain", default="build/plain/poet")
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    if options.table:
        print_table(options.table)
    else:
        run_all(options)


if __name__ == "__main__":
    main()
