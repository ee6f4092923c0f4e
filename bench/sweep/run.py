#!/usr/bin/env python3
"""The full sweep of resnet18_cifar on m4: 20 budgets, ten methods; then once more, killed halfway and resumed.

    bench/sweep/run.py --program build/release/poet --log bench/sweep/sweep.jsonl
    bench/sweep/run.py --table bench/sweep/sweep.jsonl > bench/sweep/README.md

The log has a line about the machine, and one for each run with the whole answer of `poet sweep --json`.
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from frame import Log, arguments, read_log, timed  # noqa: E402

SWEEP = ["sweep", "--model", "resnet18_cifar", "--platform", "m4", "--runtime-budget", "1.5", "--budgets", "20", "--methods",
         "keep-all,chen-sqrt,chen-greedy,revolve,dtr,checkmate,paging,pofo,min-cut,poet", "--json", "--quiet"]


def finish(program, results):
    run, seconds = timed([program, *SWEEP, "--results", results])
    return {"exit": run.returncode, "process_s": seconds, "answer": json.loads(run.stdout)}


def kill_after(program, results, seconds):
    """By force, with the processes that plan for it."""
    child = subprocess.Popen([program, *SWEEP, "--results", results], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(seconds)
    child.send_signal(signal.SIGKILL)
    return child.wait()


def run_all(options):
    with Log(options.log, command=" ".join(["poet", *SWEEP])) as log, tempfile.TemporaryDirectory() as folder:
        whole = finish(options.program, os.path.join(folder, "whole.db"))
        log.write({"run": "whole", **whole})
        print(f"whole: {whole['process_s']:.1f} s", file=sys.stderr)
        half = os.path.join(folder, "half.db")
        ended = kill_after(options.program, half, whole["process_s"] / 2)
        resumed = finish(options.program, half)
        log.write({"run": "resumed", "killed_with": ended, "killed_after_s": whole["process_s"] / 2, **resumed})
        print(f"resumed: {resumed['process_s']:.1f} s", file=sys.stderr)


def points(answer):
    return {key: value for key, value in answer.items() if key not in ("timing", "files")}


def print_table(path):
    head, (whole, resumed) = read_log(path)
    print(f"# A full sweep\n\nMade by `run.py` beside this file.\n\nCommit {head['commit']}, {head['date']}, {head['machine']} with "
          f"{head['cores']} cores, a process for each core. Raw log: `{os.path.basename(path)}`."
          f"{' ' + head['note'] if 'note' in head else ''}\n\n    {head['command']}\n")
    answer = whole["answer"]
    count = sum(len(row["points"]) for row in answer["instances"][0]["methods"])
    before = resumed["answer"]["timing"]["found_before"]
    same = points(answer) == points(resumed["answer"])
    print(f"{count} points in {whole['process_s']:.0f} s. A second run was killed by force after {resumed['killed_after_s']:.0f} s, "
          f"with {before} points finished, and resumed: {resumed['process_s']:.0f} s for the rest, and the points are "
          f"{'the same' if same else '**NOT the same**'}.\n")
    print("| method | least RAM, B | budgets at which it fits | seconds of planning |\n|---|---|---|---|")
    seconds = {}
    for point in answer["timing"]["points"]:
        seconds[point["method"]] = seconds.get(point["method"], 0) + point["plan_s"]
    for row in answer["instances"][0]["methods"]:
        fits = sum(point["outcome"] == "fits" for point in row["points"])
        print(f"| {row['method']} | {row['least_ram_bytes'] or '-'} | {fits} | {seconds[row['method']]:.2f} |")
    return same


def main():
    options = arguments(__doc__).parse_args()
    if options.table:
        sys.exit(0 if print_table(options.table) else 1)
    run_all(options)


if __name__ == "__main__":
    main()
