#!/usr/bin/env python3
"""What each part of the event solver is worth: the same instances with one part left out at a time.

    bench/ablation/run.py --program build/release/poet --log bench/ablation/ablation.jsonl
    bench/ablation/run.py --program build/release/poet --log bench/ablation/hard.jsonl --hard
    bench/ablation/run.py --log bench/ablation/sums.jsonl --parts '' reachable-sums --note 'Others used the machine.'
    bench/ablation/run.py --table bench/ablation/ablation.jsonl bench/ablation/hard.jsonl > bench/ablation/README.md

The log has one JSON line per solve; the table is made from the log only.
"""
import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from frame import Log, arguments, geometric_mean, read_log, timed  # noqa: E402

INSTANCES = [("vgg16", "a72", "10%way"), ("resnet18", "m4", "30%way"), ("resnet18_cifar", "m4", "737719"),
             ("resnet18_cifar", "a72", "10%way"), ("resnet50", "a72", "30%way"), ("bert", "m4", "30%way")]
PARTS = ["", "greedy", "dives", "smaller-models", "windows", "windows,lifting", "windows,cuts",
         "reachable-sums"]
# Proofs that take many window models; what only they need shows here.
HARD_INSTANCES = [("resnet50", "m4", "10%way"), ("resnet18_cifar", "m4", "10%way"), ("bert", "m4", "10%way")]
HARD_PARTS = ["", "greedy", "annealing", "rebuilding", "key-search", "paths", "local-search", "reachable-sums",
              "identical-blocks"]


def solve(program, instance, without, limit_s):
    network, device, budget = instance
    command = [program, "solve", "--graph", "released", "--model", network, "--platform", device, "--ram-budget", budget,
               "--runtime-budget", "1.5", "--io", "free", "--solver", "cbc", "--time-limit-s", str(limit_s), "--json"]
    if without:
        command += ["--without", without]
    run, seconds = timed(command)
    return {"network": network, "device": device, "budget": budget, "without": without, "process_s": seconds,
            "exit": run.returncode, "answer": json.loads(run.stdout)}


def run_all(options):
    with Log(options.log, time_limit_s=options.time_limit_s, note=options.note) as log:
        for without in options.parts or (HARD_PARTS if options.hard else PARTS):
            for instance in HARD_INSTANCES if options.hard else INSTANCES:
                row = solve(options.program, instance, without, options.time_limit_s)
                log.write(row)
                print(f"without {without or 'nothing'}: {' '.join(instance)}: {row['process_s']:.1f} s", file=sys.stderr)


def cell(row):
    answer = row["answer"]
    gap = answer.get("overhead_gap")
    text = "nothing" if gap is None else f"{gap:.2%}"
    return f"{text}, {row['process_s']:.1f} s, {answer['iterations'] + answer['nodes']:,}"


def print_table(path):
    head, rows = read_log(path)
    rows = {(r["network"], r["device"], r["budget"], r["without"]): r for r in rows}
    instances = list(dict.fromkeys(key[:3] for key in rows))
    parts = list(dict.fromkeys(key[3] for key in rows))
    print(f"Commit {head['commit']}, {head['date']}, {head['machine']} with {head['cores']} cores, one solve at a time, time limit "
          f"{head['time_limit_s']:g} s, seed 1, CBC. Raw log: `{os.path.basename(path)}`. Each cell: overhead gap at the end, "
          "seconds of the whole process, and counted effort (simplex iterations and nodes)."
          f"{' ' + head['note'] if head.get('note') else ''}\n")
    print("| without | " + " | ".join(" ".join(i) for i in instances) + " | geometric mean of seconds |")
    print("|---" * (len(instances) + 2) + "|")
    for without in parts:
        here = [rows[(*i, without)] for i in instances]
        mean = geometric_mean([r["process_s"] for r in here])
        print(f"| {without or 'nothing'} | " + " | ".join(cell(r) for r in here) + f" | {mean:.2f} |")
    print()


def main():
    parser = arguments(__doc__, many_tables=True)
    parser.add_argument("--time-limit-s", type=float, default=30)
    parser.add_argument("--parts", nargs="+", help="what to leave out, one after the other; '' for nothing")
    parser.add_argument("--note", default="", help="what a reader of the figures should know")
    parser.add_argument("--hard", action="store_true", help="the instances whose proof is hard")
    options = parser.parse_args()
    if options.table:
        print("# What each part is worth\n\nMade by `run.py` beside this file.\n")
        for path in options.table:
            print_table(path)
    else:
        run_all(options)


if __name__ == "__main__":
    main()
