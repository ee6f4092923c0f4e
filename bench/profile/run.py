#!/usr/bin/env python3
"""Compares the sum of a step's operations, each timed by itself, with the whole step, executed by the same kernels.

usage: run.py --log profile.jsonl      profiles every network on this machine
       run.py --table profile.jsonl    prints the table of README.md

The log has one JSON line per network; the table is made from the log only.
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from frame import Log, arguments, read_log, timed  # noqa: E402

NETWORKS = [("mlp", 8), ("lenet5", 8), ("resnet8", 1), ("resnet8", 8), ("bert-tiny", 1), ("resnet18", 1), ("mobilenetv2", 1)]
PASSES = 7


def profiled(options, network, batch_size):
    run, seconds = timed([options.program, "profile", "--model", network, "--batch-size", str(batch_size), "--passes",
                          str(PASSES), "--json", "--quiet"])
    answer = json.loads(run.stdout) if run.returncode == 0 else None
    return {"network": network, "batch_size": batch_size, "process_s": seconds, "exit": run.returncode, "answer": answer}


def run_all(options):
    with Log(options.log, passes=PASSES, note=options.note) as log:
        for network, batch_size in NETWORKS:
            row = profiled(options, network, batch_size)
            log.write(row)
            print(f"{network}, batch size {batch_size}: {row['process_s']:.1f} s", file=sys.stderr)


def milliseconds(seconds):
    return f"{seconds * 1e3:,.4g}"


def print_table(path):
    head, rows = read_log(path)
    print("# The sum of the operations and the whole step\n\nMade by `run.py` beside this file. `poet profile --passes` times "
          "every different operation of a training step by itself\nand adds up their medians; and it executes the whole step "
          f"{head['passes']} times after one to warm up, with the same kernels and one\nprocessor, by `evaluate()`, which takes memory "
          "anew for every tensor, clears it,\nand copies the updated parameters out: that weighs where updates are most of a step. Both are the processor's own time for them.\n")
    note = f" {head['note']}" if head["note"] else ""
    print(f"Commit {head['commit']}, {head['date']}, {rows[0]['answer']['machine']}.{note} Raw log: `{os.path.basename(path)}`.\n")
    print("| network | batch size | operations | different | sum of medians, ms | whole step, ms (quartiles) | whole / sum |")
    print("|---|---|---|---|---|---|---|")
    for row in rows:
        answer = row["answer"]
        whole = answer["pass_s"]
        print(f"| {row['network']} | {row['batch_size']} | {answer['operation_count']} | {answer['different_count']} | "
              f"{milliseconds(answer['step_s'])} | {milliseconds(whole['median'])} ({milliseconds(whole['first'])} to "
              f"{milliseconds(whole['third'])}) | {whole['median'] / answer['step_s']:.3f} |")


def main():
    parser = arguments(__doc__)
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
