#!/usr/bin/env python3
"""Plans training steps of small real networks whose proofs were hardest, as whole operations and as POET chooses; with a goal also with separate updates alone.

usage: run.py --log small.jsonl      plans every instance in every way
       run.py --table small.jsonl    prints the table of README.md

Every plan is verified by a process of its own. The log has one JSON line per plan; the table is made from the log only.
"""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from frame import Log, answer_of, arguments, is_verified, read_log, timed  # noqa: E402

BLOCKING = ["--io", "blocking"]
# What is asked, and within how many seconds it was to be proved, where that was a goal.
INSTANCES = [
    (["--model", "resnet8", "--platform", "m4", "--ram-budget", "500000", "--deadline", "1.5x", *BLOCKING], 30),
    (["--model", "resnet8", "--platform", "m4", "--ram-budget", "40%way"], 30),
    (["--model", "resnet8", "--batch-size", "2", "--platform", "m4", "--ram-budget", "20%way"], None),
    (["--model", "resnet8", "--batch-size", "2", "--platform", "m4", "--ram-budget", "40%way"], None),
    (["--model", "resnet18", "--image-size", "32", "--batch-size", "8", "--platform", "m4", "--ram-budget", "40%way"], 60),
    (["--model", "llama-tiny", "--batch-size", "4", "--platform", "m4", "--ram-budget", "40%way"], None),
]
WAYS = {"separate updates": ["--parts", "whole", "--updates", "separate"], "whole": ["--parts", "whole"], "chosen": []}


def plan(options, question, way, folder):
    path = os.path.join(folder, "plan.json")
    run, seconds = timed([options.program, "solve", *question, *WAYS[way], "--time-limit-s", str(options.time_limit_s), "--out", path,
                          "--json", "--quiet"])
    return {"question": question, "way": way, "process_s": seconds, "exit": run.returncode, "verified": is_verified(options.program, path),
            "answer": answer_of(run, folder)}


def run_all(options):
    with Log(options.log, time_limit_s=options.time_limit_s, note=options.note) as log:
        for question, goal_s in INSTANCES:
            for way in WAYS:
                if way == "separate updates" and goal_s is None:
                    continue
                with tempfile.TemporaryDirectory() as folder:
                    row = plan(options, question, way, folder)
                log.write({**row, "goal_s": goal_s})
                print(f"{' '.join(question)}, {way}: {row['process_s']:.1f} s", file=sys.stderr)


def print_table(path):
    head, rows = read_log(path)
    note = f" {head['note']}." if head["note"] else ""
    print(f"Commit {head['commit']}, {head['date']}, {head['machine']} with {head['cores']} cores, one plan at a time, at most "
          f"{head['time_limit_s']:g} s, CBC.{note}\n")
    print("| question | operations | of at most | energy, J | overhead | gap of the overhead | answer | verified | planned in | goal |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for row in rows:
        answer = row["answer"]
        part_bytes = answer["parts"]["part_bytes"]
        print(f"| {' '.join(row['question'])} | {row['way']} | {'whole' if part_bytes is None else f'{part_bytes:,} B'} | "
              f"{answer['energy_j']:.6g} | {answer['overhead_j'] / answer['unavoidable_j']:.3%} | {answer['overhead_gap']:.2%} | "
              f"{answer['status']} | {'yes' if row['verified'] else 'NO'} | {row['process_s']:.1f} s | "
              f"{'' if row['goal_s'] is None else str(row['goal_s']) + ' s'} |")


def main():
    parser = arguments(__doc__)
    parser.add_argument("--time-limit-s", type=float, default=60)
    parser.add_argument("--note", default="", help="what a reader of the figures should know")
    options = parser.parse_args()
    if options.table:
        print_table(options.table)
    elif options.log:
        run_all(options)
    else:
        parser.error("give --log or --table")


if __name__ == "__main__":
    main()
