#!/usr/bin/env python3
"""What path inequalities are worth: small real networks and the hardest of the released grid, with them and without.

    bench/paths/run.py --program build/release/poet --log bench/paths/paths.jsonl
    bench/paths/run.py --table bench/paths/paths.jsonl > bench/paths/README.md

The log has one JSON line per solve, with the whole answer of `poet solve --json`; the table is made from the log only.
"""
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from frame import Log, arguments, read_log, timed  # noqa: E402

RELEASED = ["--graph", "released", "--runtime-budget", "1.5", "--io", "free"]
INSTANCES = {
    "resnet8, m4, 500,000 B, deadline 1.5, blocking":
        ["--model", "resnet8", "--platform", "m4", "--ram-budget", "500000", "--deadline", "1.5", "--io", "blocking"],
    "resnet8, m4, 40%way": ["--model", "resnet8", "--platform", "m4", "--ram-budget", "40%way"],
    "resnet18 32 x 32, m4, 40%way, batch 8":
        ["--model", "resnet18", "--image-size", "32", "--platform", "m4", "--ram-budget", "40%way", "--batch-size", "8"],
    "resnet18_cifar, m4, 10%way, released":
        [*RELEASED, "--model", "resnet18_cifar", "--platform", "m4", "--ram-budget", "10%way"],
    "resnet18, a72, 30%way, released": [*RELEASED, "--model", "resnet18", "--platform", "a72", "--ram-budget", "30%way"],
}


def solve(program, words, without, limit_s):
    command = [program, "solve", *words, "--time-limit-s", str(limit_s), "--json", "--quiet"]
    if without:
        command += ["--without", without]
    run, seconds = timed(command)
    return {"without": without, "process_s": seconds, "exit": run.returncode, "answer": json.loads(run.stdout)}


def run_all(options):
    with Log(options.log, time_limit_s=options.time_limit_s, note=options.note) as log:
        for name, words in INSTANCES.items():
            for without in ["paths", ""]:
                row = {"instance": name, **solve(options.program, words, without, options.time_limit_s)}
                log.write(row)
                print(f"{name}, without {without or 'nothing'}: {row['process_s']:.1f} s", file=sys.stderr)


def cell(row):
    answer = row["answer"]
    return (f"{answer['energy_j']:.7f}, {answer['lower_bound_j']:.7f}, {answer['overhead_gap']:.2%}, {row['process_s']:.1f} s, "
            f"{answer['iterations'] + answer['nodes']:,}")


def print_table(path):
    head, rows = read_log(path)
    cells = {(row["instance"], row["without"]): cell(row) for row in rows}
    print("# What path inequalities are worth\n\nMade by `run.py` beside this file.\n")
    print(f"Commit {head['commit']}, {head['date']}, {head['machine']} with {head['cores']} cores, one solve at a time, time limit "
          f"{head['time_limit_s']:g} s, seed 1, CBC. {head['note']} Raw log: `{Path(path).name}`. Each cell: J of the schedule, "
          "J of the bound, overhead gap, seconds of the process, simplex iterations and nodes.\n")
    print("| instance | without paths | with them |\n|---|---|---|")
    for name in dict.fromkeys(row["instance"] for row in rows):
        print(f"| {name} | {cells[name, 'paths']} | {cells[name, '']} |")


def main():
    parser = arguments(__doc__)
    parser.add_argument("--time-limit-s", type=float, default=60)
    parser.add_argument("--note", default="")
    options = parser.parse_args()
    if options.table:
        print_table(options.table)
    else:
        run_all(options)


if __name__ == "__main__":
    main()
