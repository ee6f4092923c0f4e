#!/usr/bin/env python3
"""Costed graphs from files: published ones with published figures beside, and large generated ones.

    bench/graphs/run.py --program build/release/poet --graphs FOLDER --log bench/graphs/graphs.jsonl
    bench/graphs/run.py --table bench/graphs/graphs.jsonl > bench/graphs/README.md

FOLDER has the public graphs of Moccasin (ICML 2023) and Checkmate (MLSys 2020) in the form of
docs/formats/costed_graph.md; those that are missing are left out. Large graphs are made by `poet generate`. Each plan is
verified by a second process. The log has one JSON line per solve; the table is made from the log only.
"""
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from frame import Log, answer_of, arguments, is_verified, read_log, timed  # noqa: E402

# name, RAM budget, what others published: extra duration and time to find it
PUBLISHED = [
    ("random_layered_100", "0.9x", None), ("random_layered_100", "0.8x", None),
    ("random_layered_250", "0.9x", "0.9 %, 55 s (Moccasin)"), ("random_layered_250", "0.8x", "4.9 %, 640 s (Moccasin)"),
    ("random_layered_1000", "0.9x", "0.7 %, 3,613 s (Moccasin)"),
    ("resnet50_b256", "0.9x", "0.2 %, 65 s (Moccasin); 0.1 %, 434 s (Checkmate)"),
    ("resnet50_b256", "0.8x", "0.3 %, 69 s (Moccasin); 0.3 %, 485 s (Checkmate)"),
    ("mobilenet_b512", "0.5x", None), ("fcn8_vgg_b32", "0.7x", None), ("vgg16_b256", "0.9x", None),
]
# kind, operations, RAM budget; costs of the m4 board, paging and recomputing, deadline 1.5 x, transfers free
GENERATED = [(kind, count, way) for kind in ("transformer", "resnet", "unet")
             for count, way in ((1000, "40%way"), (10000, "40%way"), (1000, "10%way"))]


def solve(program, name, path, more, limit_s, more_generate=None):
    with tempfile.TemporaryDirectory() as folder:
        if more_generate:
            path = os.path.join(folder, "graph.json")
            subprocess.run([program, "generate", *more_generate, "--out", path], check=True, capture_output=True)
        plan = os.path.join(folder, "plan.json")
        command = [program, "solve", "--graph-file", path, *more, "--solver", "cbc", "--time-limit-s", str(limit_s),
                   "--json", "--out", plan]
        run, seconds = timed(command)
        verified = is_verified(program, plan)
        answer = answer_of(run, folder)
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
        return {"name": name, "options": more, "process_s": seconds, "exit": run.returncode, "answer": answer,
                "verified": verified, "most_memory_of_any_solve_so_far_bytes": peak}


def run_all(options):
    with Log(options.log, time_limit_s=options.time_limit_s) as log:
        for name, budget, published in PUBLISHED:
            path = os.path.join(options.graphs or "", name + ".json")
            if not os.path.exists(path):
                print(f"{name}: no {path}, left out", file=sys.stderr)
                continue
            row = solve(options.program, name, path, ["--ram-budget", budget], options.time_limit_s)
            row["published"] = published
            log.write(row)
            print(f"{name} {budget}: {row['process_s']:.1f} s", file=sys.stderr)
        for kind, count, way in GENERATED:
            row = solve(options.program, f"{kind}, {count:,} operations", None,
                        ["--ram-budget", way, "--runtime-budget", "1.5", "--io", "free"], options.time_limit_s,
                        [kind, "--operations", str(count), "--platform", "m4"])
            log.write(row)
            print(f"{kind} {count} {way}: {row['process_s']:.1f} s", file=sys.stderr)


def print_table(path):
    head, rows = read_log(path)
    print("# Costed graphs\n\nMade by `run.py` beside this file.\n")
    print(f"Commit {head['commit']}, {head['date']}, {head['machine']} with {head['cores']} cores, one solve at a time, time "
          f"limit {head['time_limit_s']:g} s, seed 1, CBC. Raw log: `{os.path.basename(path)}`. Seconds are of the whole process. "
          "No solve needed more than "
          f"{max(r['most_memory_of_any_solve_so_far_bytes'] for r in rows) / 2**20:.0f} MiB. {head.get('note', '')}\n")
    print("Published figures are the authors', on their machines: extra duration, and the time to find it.\n")
    print("| graph | RAM budget | status | overhead | bound on it | overhead gap | seconds | verified | published |")
    print("|---|---|---|---|---|---|---|---|---|")
    for r in rows:
        a = r["answer"] or {}
        budget = r["options"][1]
        kind = "time" if a.get("objective") == "time" else "energy"
        unit = "s" if kind == "time" else "j"
        base, over = a.get(f"unavoidable_{unit}"), a.get(f"overhead_{unit}")
        bound = a.get(f"lower_bound_{unit}")
        if over is None or base in (None, 0):
            print(f"| {r['name']} | {budget} | {a.get('status', 'none')} | | | | {r['process_s']:.1f} | "
                  f"{'yes' if r['verified'] else ''} | {r.get('published') or ''} |")
            continue
        gap = a.get("overhead_gap")
        print(f"| {r['name']} | {budget} | {a['status']} | {over / base:.4%} of {kind} | {(bound - base) / base:.4%} | "
              f"{'-' if gap is None else format(gap, '.2%')} | {r['process_s']:.1f} | {'yes' if r['verified'] else 'no'} | "
              f"{r.get('published') or ''} |")


def main():
    parser = arguments(__doc__)
    parser.add_argument("--graphs", help="folder of the public graphs")
    parser.add_argument("--time-limit-s", type=float, default=60)
    options = parser.parse_args()
    if options.table:
        print_table(options.table)
    else:
        run_all(options)


if __name__ == "__main__":
    main()
