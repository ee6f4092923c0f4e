#!/usr/bin/env python3
"""The smallest RAM budget of the 8 released networks on m4, and of published graphs, as `poet minimum` finds it.

    bench/minimum/run.py --program build/release/poet --log bench/minimum/minimum.jsonl [--graphs FOLDER]
    bench/minimum/run.py --table bench/minimum/minimum.jsonl > bench/minimum/README.md

FOLDER has the public graphs of Moccasin (ICML 2023) and Checkmate (MLSys 2020) in the form of
docs/formats/costed_graph.md; those that are missing are left out. Each search is a process of its own; the plan it writes
is verified by a second process. The log has one JSON line per search; the table is made from the log only.
"""
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from frame import NETWORKS, Log, answer_of, arguments, geometric_mean, is_verified, read_log, timed  # noqa: E402

QUESTIONS = [  # what a schedule may do, and the deadline
    ("free, 1.5x", ["--io", "free", "--runtime-budget", "1.5"]),
    ("blocking, 1.5x", ["--io", "blocking", "--runtime-budget", "1.5"]),
    ("blocking, 1.001x", ["--io", "blocking", "--runtime-budget", "1.001"]),
    ("no paging, 1.5x", ["--no-paging", "--runtime-budget", "1.5"]),
    ("no paging, 1.1x", ["--no-paging", "--runtime-budget", "1.1"]),
]
GRAPHS = ["fcn8_vgg_b32", "mobilenet_b512", "random_layered_100", "random_layered_250", "resnet50_b256", "vgg16_b256"]
GRAPH_QUESTIONS = [("recomputing, no deadline", []), ("recomputing, 1.1x", ["--runtime-budget", "1.1"])]


def ask(program, name, question, what, options, limit_s):
    with tempfile.TemporaryDirectory() as folder:
        plan = os.path.join(folder, "plan.json")
        run, seconds = timed([program, "minimum", *what, *options, "--solver", "cbc", "--time-limit-s", str(limit_s),
                              "--json", "--quiet", "--out", plan])
        return {"name": name, "question": question, "process_s": seconds, "exit": run.returncode,
                "answer": answer_of(run, folder), "verified": is_verified(program, plan)}


def run_all(options):
    searches = [(n, q, ["--graph", "released", "--model", n, "--platform", "m4"], o) for n in NETWORKS for q, o in QUESTIONS]
    for name in GRAPHS:
        path = os.path.join(options.graphs or "", name + ".json")
        if options.graphs and os.path.exists(path):
            searches += [(name, q, ["--graph-file", path], o) for q, o in GRAPH_QUESTIONS]
    with Log(options.log, time_limit_s=options.time_limit_s) as log:
        for search in searches:
            row = ask(options.program, *search, options.time_limit_s)
            log.write(row)
            answer = row["answer"] or {}
            print(f"{row['name']:18} {row['question']:24} {answer.get('status'):9} {answer.get('proved_bytes')} to "
                  f"{answer.get('found_bytes')} {row['process_s']:7.2f} s", file=sys.stderr)


def print_table(path):
    head, rows = read_log(path)
    proved = [row for row in rows if row["answer"] and row["answer"]["status"] == "optimal"]
    mean = geometric_mean([max(row["process_s"], 1e-3) for row in rows])
    print("# The smallest RAM budget\n\nMade by `run.py` beside this file.\n")
    print(f"Commit {head['commit']}, {head['date']}, {head['machine']} with {head['cores']} cores, other work beside it, one "
          f"search at a time, time limit {head['time_limit_s']:g} s, CBC. Raw log: `{os.path.basename(path)}`. Networks on m4; "
          f"published graphs state durations only, and nothing can be paged.\n")
    print(f"{len(proved)} of {len(rows)} are proved to the byte; {sum(row['verified'] for row in rows)} have a verified plan. "
          f"Seconds are of the whole process: geometric mean {mean:.2f}.\n")
    print("| graph | question | no smaller budget works (bytes) | smallest found (bytes) | proved | of the plain peak "
          "| of the way | seconds |")
    print("|---|---|---|---|---|---|---|---|")
    for row in rows:
        a = row["answer"] or {}
        found = a.get("found_bytes")
        print(f"| {row['name']} | {row['question']} | {a.get('proved_bytes', 0):,} | {'-' if found is None else f'{found:,}'} "
              f"| {'yes' if a.get('status') == 'optimal' else 'no'} | {a.get('part_of_plain_peak', 0):.1%} "
              f"| {a.get('part_of_the_way', 0):.1%} | {row['process_s']:.2f} |")


def main():
    parser = arguments(__doc__)
    parser.add_argument("--graphs", metavar="FOLDER")
    parser.add_argument("--time-limit-s", type=float, default=60)
    options = parser.parse_args()
    if options.table:
        print_table(options.table)
    else:
        run_all(options)


if __name__ == "__main__":
    main()
