#!/usr/bin/env python3
"""Plans training steps of real networks in blocking time, at 40 % of the way from the largest working set to the plain peak.

usage: run.py --log real.jsonl      plans every network on every device
       run.py --table real.jsonl    prints the table of README.md

SGD, parameters planned, no deadline. Every plan is verified by a process of its own. The log has one JSON line per plan;
the table is made from the log only.
"""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from frame import Log, answer_of, arguments, is_verified, read_log, timed  # noqa: E402

NETWORKS = [("resnet18", ["--image-size", "32"]), ("resnet50", []), ("mobilenetv2", []), ("bert-base", [])]
DEVICES = ["a72", "m4"]


def plan(options, network, sizes, device, folder):
    path = os.path.join(folder, "plan.json")
    run, seconds = timed([options.program, "solve", "--graph", "real", "--model", network, *sizes, "--batch-size", "8",
                          "--platform", device, "--io", "blocking", "--ram-budget", "40%way", "--time-limit-s",
                          str(options.time_limit_s), "--out", path, "--json", "--quiet"])
    return {"network": network, "sizes": sizes, "device": device, "process_s": seconds, "exit": run.returncode,
            "verified": is_verified(options.program, path), "answer": answer_of(run, folder)}


def run_all(options):
    with Log(options.log, time_limit_s=options.time_limit_s, note=options.note) as log:
        for network, sizes in NETWORKS:
            for device in DEVICES:
                with tempfile.TemporaryDirectory() as folder:
                    row = plan(options, network, sizes, device, folder)
                log.write(row)
                print(f"{network} on {device}: {row['process_s']:.1f} s", file=sys.stderr)


def print_table(path):
    head, rows = read_log(path)
    print("# Real networks\n\nMade by `run.py` beside this file: training steps of batch size 8 with SGD, parameters in storage,\n"
          "blocking transfers, at 40 % of the way from the largest working set to the plain peak, no deadline.\n")
    note = f" {head['note']}." if head["note"] else ""
    print(f"Commit {head['commit']}, {head['date']}, {head['machine']} with {head['cores']} cores, one plan at a time, at most "
          f"{head['time_limit_s']:g} s, CBC.{note} Raw log:\n`{os.path.basename(path)}`. The overhead is the energy beyond what no "
          "schedule can save; the gap is the part of it in doubt.\n")
    print("| network | device | RAM budget, B | energy, J | overhead | gap of the overhead | answer | verified | planned in |")
    print("|---|---|---|---|---|---|---|---|---|")
    for row in rows:
        answer = row["answer"]
        print(f"| {' '.join([row['network'], *row['sizes']])} | {row['device']} | {answer['ram_budget_bytes']:,} | "
              f"{answer['energy_j']:.6g} | {answer['overhead_j'] / answer['unavoidable_j']:.3%} | {answer['overhead_gap']:.2%} | "
              f"{answer['status']} | {'yes' if row['verified'] else 'NO'} | {row['process_s']:.1f} s |")


def main():
    parser = arguments(__doc__)
    parser.add_argument("--time-limit-s", type=float, default=120)
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
