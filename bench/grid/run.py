#!/usr/bin/env python3
"""The grid: 8 released networks x 3 platforms x 3 RAM budgets, deadline 1.5 x the compute time, transfers free.

    bench/grid/run.py --program build/release/poet --log bench/grid/event.jsonl
    bench/grid/run.py --program build/release/poet --log bench/grid/released.jsonl \\
        --formulation event released --named --time-limit-s 900 --jobs 1
    bench/grid/run.py --table bench/grid/event.jsonl bench/grid/released.jsonl > bench/grid/README.md

Each solve is a process of its own; the plan it writes is verified by a second process. The log has one JSON line per
solve, with the whole answer of `poet solve --json`; tables are made from logs only.
"""
import concurrent.futures
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from frame import GRID, Log, answer_of, arguments, geometric_mean, is_verified, read_log, timed  # noqa: E402

# Named instances for the comparison of formulations: one per network, from easy to hard.
NAMED = [("linear", "m4", "10%way"), ("transformer", "m4", "30%way"), ("vgg16_cifar", "a72", "30%way"),
         ("vgg16", "m4", "30%way"), ("resnet18", "a72", "30%way"), ("resnet18_cifar", "m4", "30%way"),
         ("bert", "a72", "30%way"), ("resnet50", "m4", "30%way")]
OVERTIME_S = 120  # after the time limit a solve is ended
LONGER = {("bert", "m4"): 2}  # of the time limit: the hard ones


def solve(program, network, device, budget, formulation, time_limit_s):
    time_limit_s *= LONGER.get((network, device), 1) if formulation == "event" else 1
    with tempfile.TemporaryDirectory() as folder:
        plan = os.path.join(folder, "plan.json")
        command = [program, "solve", "--graph", "released", "--model", network, "--platform", device,
                   "--ram-budget", budget, "--runtime-budget", "1.5", "--io", "free", "--solver", "cbc",
                   "--formulation", formulation, "--time-limit-s", str(time_limit_s), "--json", "--out", plan]
        row = {"network": network, "device": device, "budget": budget, "formulation": formulation}
        try:
            run, process_s = timed(command, time_limit_s + OVERTIME_S)
        except subprocess.TimeoutExpired as ended:
            return {**row, "process_s": ended.timeout, "exit": None, "answer": None, "verified": False}
        return {**row, "process_s": process_s, "exit": run.returncode, "answer": answer_of(run, folder),
                "verified": is_verified(program, plan)}


def run_all(options):
    instances = NAMED if options.named else GRID
    with (Log(options.log, jobs=options.jobs, time_limit_s=options.time_limit_s) as log,
          concurrent.futures.ThreadPoolExecutor(options.jobs) as pool):
        pending = [pool.submit(solve, options.program, *instance, formulation, options.time_limit_s)
                   for instance in instances for formulation in options.formulation]
        for done in concurrent.futures.as_completed(pending):
            row = done.result()
            log.write(row)
            status = row["answer"]["status"] if row["answer"] else "stopped"
            print(f"{row['network']:16} {row['device']:4} {row['budget']:6} {row['formulation']:8} {status:10} "
                  f"{row['process_s']:7.1f} s", file=sys.stderr)


def cell(value, form):
    return "-" if value is None else format(value, form)


def read(path):
    head, rows = read_log(path)
    return head, {(r["formulation"], r["network"], r["device"], r["budget"]): r for r in rows}


def print_grid(path):
    head, rows = read(path)
    rows = {key[1:]: row for key, row in rows.items() if key[0] == "event"}
    answers = [r["answer"] for r in rows.values() if r["answer"]]
    optimal = sum(a["status"] == "optimal" for a in answers)
    times = [r["process_s"] for r in rows.values()]
    mean = geometric_mean([max(t, 1e-3) for t in times])
    print(f"Commit {head['commit']}, {head['date']}, {head['machine']} with {head['cores']} cores, {head['jobs']} solves "
          f"at a time, time limit {head['time_limit_s']:g} s (twice that for bert on m4), seed 1, CBC. Raw log: "
          f"`{os.path.basename(path)}`. {head.get('note', '')}\n")
    print(f"{sum(r['verified'] for r in rows.values())} of {len(rows)} have a verified schedule; {optimal} are proved to "
          f"the default gap, 1 % of the overhead. Seconds are of the whole process: geometric mean {mean:.2f}, longest "
          f"{max(times):.1f}.\n")
    print("| network | device | budget (bytes) | status | energy (J) | bound (J) | gap | overhead gap | seconds | verified |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for key in GRID:
        if key not in rows:
            continue
        row, a = rows[key], rows[key]["answer"] or {}
        print(f"| {key[0]} | {key[1]} | {key[2]} ({a.get('ram_budget_bytes', '-')}) | {a.get('status', 'stopped')} "
              f"| {cell(a.get('energy_j'), '.8g')} | {cell(a.get('lower_bound_j'), '.8g')} | {cell(a.get('gap'), '.1e')} "
              f"| {cell(a.get('overhead_gap'), '.1%')} | {row['process_s']:.1f} | {'yes' if row['verified'] else 'no'} |")


def print_comparison(path):
    head, rows = read(path)
    print(f"\n## Against the released formulation\n\nThe same instances in the formulation of the released code, same "
          f"program, same CBC, same run, time limit {head['time_limit_s']:g} s (raw log: `{os.path.basename(path)}`, commit "
          f"{head['commit']}). Its energy may be higher even when proved: its class of schedules is smaller."
          f"{' ' + head['note'] if 'note' in head else ''}\n")
    print("| network | device | budget | event: status, J, s | released: status, J, bound J, s | ratio of seconds |")
    print("|---|---|---|---|---|---|")
    for key in NAMED:
        if ("event", *key) not in rows or ("released", *key) not in rows:
            continue
        a, b = rows["event", *key], rows["released", *key]
        x, y = a["answer"] or {}, b["answer"] or {}
        finished = y.get("status") == "optimal"
        print(f"| {' | '.join(key)} | {x.get('status')}, {cell(x.get('energy_j'), '.8g')}, {a['process_s']:.1f} "
              f"| {y.get('status', 'stopped')}, {cell(y.get('energy_j'), '.8g')}, {cell(y.get('lower_bound_j'), '.8g')}, "
              f"{b['process_s']:.1f} | {'' if finished else '> '}{b['process_s'] / a['process_s']:.0f} |")


def main():
    parser = arguments(__doc__, many_tables=True)
    parser.add_argument("--formulation", nargs="+", default=["event"])
    parser.add_argument("--named", action="store_true", help="the eight named instances only")
    parser.add_argument("--time-limit-s", type=float, default=55)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    if options.table:
        print("# The grid\n\nMade by `run.py` beside this file.\n")
        print_grid(options.table[0])
        if len(options.table) > 1:
            print_comparison(options.table[1])
    else:
        run_all(options)


if __name__ == "__main__":
    main()
