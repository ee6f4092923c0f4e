#!/usr/bin/env python3
"""Packings by `poet pack`: public tables, made-up ones, and plans of networks.

    bench/packing/run.py --program build/release/poet --log bench/packing/packing.jsonl [--tables FOLDER]
    bench/packing/run.py --table bench/packing/packing.jsonl > bench/packing/README.md

FOLDER has tables whose capacity is in their names, as in `A.1048576.csv`: MiniMalloc's challenging instances (ASPLOS 2023,
Apache-2.0) and `tiny_training_135`, the step of a network trained on a microcontroller. The made-up tables are those of
`made_up.py`. Each packing is a process of its own, and its offsets are checked here, pair by pair. The log has one JSON line
for each; the tables are made from the log only.
"""
import csv
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))
from frame import Log, answer_of, arguments, read_log, timed  # noqa: E402
from made_up import instances, table  # noqa: E402

# Seconds that MiniMalloc took, built with -O2, on a 2-core x86-64.
MINIMALLOC_S = {"A": 5.6, "C": 0.85, "E": 4.2, "G": 1.4, "I": 3.9, "K": 0.65}
PLANS = [(network, "m4", budget, io) for network in ("linear", "vgg16_cifar", "resnet18_cifar", "bert")
         for budget in ("10%way", "60%way") for io in ("blocking", "overlapped")]


def overlapping(path):
    """Pairs of buffers that share bytes at some moment. Sweeps over time, so that 10,000 rows are no trouble."""
    with open(path, newline="") as file:
        rows = [(int(r["lower"]), int(r["upper"]), int(r["offset"]), int(r["offset"]) + int(r["size"]))
                for r in csv.DictReader(file)]
    live, wrong = [], 0
    for lower, upper, begin, end in sorted(rows):
        live = [other for other in live if other[0] > lower]
        wrong += sum(1 for _, b, e in live if begin < e and b < end)
        live.append((upper, begin, end))
    return wrong


def pack(program, name, path, capacity, limit_s):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "packed" + os.path.splitext(path)[1])
        options = ["--capacity", str(capacity)] if capacity else []
        run, seconds = timed([program, "pack", path, *options, "--out", out, "--json", "--quiet", "--time-limit-s", str(limit_s)])
        answer = answer_of(run)
        if answer:
            answer["file"], answer["files"] = os.path.basename(path), []
        row = {"name": name, "process_s": seconds, "exit": run.returncode, "answer": answer}
        if path.endswith(".csv") and os.path.exists(out):
            row["overlapping"] = overlapping(out)
        return row


def plan_rows(options, folder):
    for network, device, budget, io in PLANS:
        path = os.path.join(folder, "plan.json")
        timed([options.program, "solve", "--graph", "released", "--model", network, "--platform", device, "--ram-budget",
               budget, "--io", io, "--gap", "0.05", "--time-limit-s", "20", "--quiet", "--out", path])
        if os.path.exists(path):
            yield "plan", pack(options.program, f"{network}, {device}, {budget}, {io}", path, None, options.time_limit_s)
            os.remove(path)


def table_rows(options, folder):
    given = sorted(Path(options.tables).glob("*.csv")) if options.tables else []
    for path in given:
        name, capacity = path.stem.rsplit(".", 1)
        yield "given", pack(options.program, name, str(path), int(capacity), options.time_limit_s)
    for name, blocks in instances():
        path = os.path.join(folder, name + ".csv")
        Path(path).write_text(table(blocks))
        yield "made up", pack(options.program, name, path, None, options.time_limit_s)


def run_all(options):
    with Log(options.log, time_limit_s=options.time_limit_s) as log, tempfile.TemporaryDirectory() as folder:
        for rows in (table_rows, plan_rows):
            for kind, row in rows(options, folder):
                log.write({"kind": kind, **row})
                answer = row["answer"] or {}
                print(f"{row['name']:40} {answer.get('height_bytes')} of {answer.get('lower_bound_bytes')} "
                      f"{row['process_s']:7.2f} s", file=sys.stderr)


def above(answer):
    return answer["height_bytes"] / answer["lower_bound_bytes"] - 1 if answer["lower_bound_bytes"] else 0.0


def line(row, last):
    a = row["answer"]
    return (f"| {row['name']} | {a['buffers']:,} | {a['height_bytes']:,} | {a['lower_bound_bytes']:,} | {above(a):.2%} "
            f"| {'yes' if a['proved'] else 'no'} | {a['nodes']:,} | {row['process_s']:.2f} | {last} |")


def print_rows(rows, last_heading, last):
    print(f"| instance | buffers | height | lower bound | above | proved | nodes | seconds | {last_heading} |")
    print("|---|---|---|---|---|---|---|---|---|")
    for row in rows:
        print(line(row, last(row)))
    print()


def print_table(path):
    head, rows = read_log(path)
    of = {kind: [row for row in rows if row["kind"] == kind and row["answer"]] for kind in ("given", "made up", "plan")}
    print("# Packing\n\nMade by `run.py` beside this file.\n")
    print(f"Commit {head['commit']}, {head['date']}, {head['machine']} with {head['cores']} cores, other work beside it, one "
          f"packing at a time, time limit {head['time_limit_s']:g} s. Raw log: `{os.path.basename(path)}`. Seconds are of the "
          f"whole process. {sum(row.get('overlapping', 0) for row in rows)} pairs of buffers overlap.\n")
    if of["given"]:
        known = [row for row in of["given"] if row["name"] in MINIMALLOC_S]
        print(f"## Public tables\n\nWith the capacity in their names. MiniMalloc (figures as published beside the tables) takes "
              f"{sum(MINIMALLOC_S[row['name']] for row in known):.1f} s for {len(known)} of them, POET "
              f"{sum(row['process_s'] for row in known):.1f} s.\n")
        print_rows(of["given"], "MiniMalloc, s", lambda row: MINIMALLOC_S.get(row["name"], "-"))
    print("## Made-up tables\n\nOf `cut` the lower bound is the least height, since it was cut from a rectangle.\n")
    print_rows(of["made up"], "overlapping pairs", lambda row: row["overlapping"])
    print("## Plans\n\nReleased networks; the height is the arena, and nothing of it is lost when that is what is in use at the "
          "worst moment.\n")
    print_rows(of["plan"], "in use at most", lambda row: f"{row['answer']['peak_ram_bytes']:,}")


def main():
    parser = arguments(__doc__)
    parser.add_argument("--tables", metavar="FOLDER")
    parser.add_argument("--time-limit-s", type=float, default=60)
    options = parser.parse_args()
    if options.table:
        print_table(options.table)
    else:
        run_all(options)


if __name__ == "__main__":
    main()
