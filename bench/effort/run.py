#!/usr/bin/env python3
"""Counted effort beside the clock: what a search counts and what it takes, alone and on a crowded machine.

    bench/effort/run.py --program build/release/poet --log bench/effort/effort.jsonl
    bench/effort/run.py --table bench/effort/effort.jsonl > bench/effort/README.md

Each question is asked twice: alone, and beside as many busy processes as there are processors. Phases of a search end by
counted effort (docs/decisions/0030-counted-effort.md), so both answers must be the same wherever the time limit did not end
them. The log has one JSON line per question; the table is made from the log only.
"""
import json
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from frame import Log, arguments, read_log, timed  # noqa: E402

QUESTIONS = [
    (verb, model, platform, [*budget, *options])
    for verb, model, platform, budget, options in [
        ("solve", "resnet18_cifar", "m4", ["--ram-budget", "30%way"], []),
        ("solve", "resnet50", "m4", ["--ram-budget", "10%way"], []),
        ("solve", "bert", "m4", ["--ram-budget", "10%way"], []),
        ("solve", "bert", "a72", ["--ram-budget", "30%way"], []),
        ("solve", "resnet8", "m4", ["--ram-budget", "40%way"], []),
        ("solve", "resnet8", "m4", ["--ram-budget", "500000"], ["--deadline", "1.5", "--io", "blocking"]),
        ("solve", "lenet5", "m4", ["--ram-budget", "30%way"], ["--io", "overlapped", "--deadline", "1.2"]),
        ("solve", "mobilenetv2", "a72", ["--ram-budget", "40%way"], ["--image-size", "32"]),
        ("minimum", "resnet50", "m4", [], ["--graph", "released", "--no-paging", "--runtime-budget", "1.1"]),
        ("minimum", "resnet18_cifar", "m4", [], ["--io", "blocking", "--runtime-budget", "1.001"]),
    ]
]


class Crowd:
    """As many busy processes as there are processors."""

    def __enter__(self):
        self._busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count())]

    def __exit__(self, *_):
        for process in self._busy:
            process.kill()
            process.wait()


def ask(program, question, limit_s):
    verb, model, platform, options = question
    command = [program, verb, "--model", model, "--platform", platform, *options, "--time-limit-s", str(limit_s),
               "--json", "--quiet"]
    run, seconds = timed(command)
    answer = json.loads(run.stdout) if run.stdout else {}
    timing = answer.pop("timing", {})
    answer.pop("solve_s", None)
    return {"process_s": seconds, **timing, "answer": answer}


def run_all(options):
    with Log(options.log, time_limit_s=options.time_limit_s) as log:
        for question in QUESTIONS:
            alone = ask(options.program, question, options.time_limit_s)
            with Crowd():
                crowded = ask(options.program, question, options.time_limit_s)
            row = {"question": " ".join([*question[:3], *question[3]]), "alone": alone, "crowded": crowded,
                   "same": alone["answer"] == crowded["answer"]}
            log.write(row)
            print(row["question"], row["same"], alone.get("effort_s"), alone.get("solve_s"), file=sys.stderr)


def print_table(path):
    head, rows = read_log(path)
    whole = [row for row in rows if not (row["alone"].get("ended_by_clock") or row["crowded"].get("ended_by_clock"))]
    same = sum(row["same"] for row in whole)
    print("# Counted effort\n\nMade by `run.py` beside this file.\n")
    print(f"Commit {head['commit']}, {head['date']}, {head['machine']} with {head['cores']} cores, time limit "
          f"{head['time_limit_s']:g} s, CBC. Raw log: `{os.path.basename(path)}`. \"Crowded\": beside {head['cores']} busy "
          "processes.\n")
    print(f"{same} of the {len(whole)} questions that no clock ended have the same answer on a crowded machine, to the last "
          "byte.\n")
    print("| question | status | counted (s) | alone (s) | crowded (s) | same answer |")
    print("|---|---|---|---|---|---|")
    for row in rows:
        alone, crowded = row["alone"], row["crowded"]
        ended = alone.get("ended_by_clock") or crowded.get("ended_by_clock")
        verdict = "yes" if row["same"] else "the clock ended it" if ended else "NO"
        print(f"| `{row['question']}` | {alone['answer'].get('status')} | {alone.get('effort_s', 0):.2f} | "
              f"{alone.get('solve_s', 0):.2f} | {crowded.get('solve_s', 0):.2f} | {verdict} |")


def main():
    parser = arguments(__doc__)
    parser.add_argument("--time-limit-s", type=float, default=20)
    options = parser.parse_args()
    if options.table:
        print_table(options.table)
    else:
        run_all(options)


if __name__ == "__main__":
    main()
