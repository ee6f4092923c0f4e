#!/usr/bin/env python3
"""The grid: 8 released networks x 3 platforms x 3 RAM budgets, deadline 1.5 x the compute time, transfers free.

    bench/grid/run.py --program build/release/poet --log bench/grid/event.jsonl
    bench/grid/run.py --program build/release/poet --log bench/grid/released.jsonl \\
        --formulation event released --named --time-limit-s 900 --jobs 1
    bench/grid/run.py --table bench/grid/event.jsonl bench/grid/released.jsonl > bench/grid/README.md

Each solve is a process of its own; the plan it writes is verified by a second process. The log has one JSON line per
solve, with the whole answer of `poet solve --json`; tables are made from logs only.
"""
import argparse
import concurrent.futures
import json
import math
import os
import platform
import subprocess
import sys
import tempfile
import time

NETWORKS = ["linear", "transformer", "vgg16_cifar", "vgg16", "resnet18", "resnet18_cifar", "bert", "resnet50"]
PLATFORMS = ["m4", "a72", "m0"]
BUDGETS = ["10%way", "30%way", "60%way"]
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
        start = time.monotonic()
        try:
            run = subprocess.run(command, capture_output=True, text=True, timeout=time_limit_s + OVERTIME_S)
        except subprocess.TimeoutExpired:
            return {"network": network, "device": device, "budget": budget, "formulation": formulation,
                    "process_s": time.monotonic() - start, "exit": None, "answer": None, "verified": False}
        process_s = time.monotonic() - start
        verified = False
        if os.path.exists(plan):
            verified = subprocess.run([program, "verify", plan], capture_output=True).returncode == 0
        answer = json.loads(run.stdout.replace(folder + os.sep, "")) if run.stdout.strip() else None
        return {"network": network, "device": device, "budget": budget, "formulation": formulation,
                "process_s": process_s, "exit": run.returncode, "answer": answer, "verified": verified}


def run_all(options):
    instances = NAMED if options.named else [(n, d, b) for n in NETWORKS for d in PLATFORMS for b in BUDGETS]
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    with open(options.log, "w") as log, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        head = {"commit": commit, "machine": platform.machine(), "cores": os.cpu_count(), "jobs": options.jobs,
                "time_limit_s": options.time_limit_s, "date": time.strftime("%Y-%m-%d")}
        log.write(json.dumps(head) + "\n")
        pending = [pool.submit(solve, options.program, *instance, formulation, options.time_limit_s)
                   for instance in instances for formulation in options.formulation]
        for done in concurrent.futures.as_completed(pending):
            row = done.result()
            log.write(json.dumps(row) + "\n")
            log.flush()
            status = row["answer"]["status"] if row["answer"] else "stopped"
            print(f"{row['network']:16} {row['device']:4} {row['budget']:6} {row['formulation']:8} {status:10} "
                  f"{row['process_s']:7.1f} s", file=sys.stderr)


def cell(value, form):
    return "-" if value is None else format(value, form)


def read(path):
    with open(path) as log:
        lines = [json.loads(line) for line in log]
    return lines[0], {(r["formulation"], r["network"], r["device"], r["budget"]): r for r in lines[1:]}


def print_grid(path):
    head, rows = read(path)
    rows = {key[1:]: row for key, row in rows.items() if key[0] == "event"}
    answers = [r["answer"] for r in rows.values() if r["answer"]]
    optimal = sum(a["status"] == "optimal" for a in answers)
    times = [r["process_s"] for r in rows.values()]
    mean = math.exp(sum(math.log(max(t, 1e-3)) for t in times) / len(times))
    print(f"Commit {head['commit']}, {head['date']}, {head['machine']} with {head['cores']} cores, {head['jobs']} solves "
          f"at a time, time limit {head['time_limit_s']:g} s (twice that for bert on m4), seed 1, CBC. Raw log: "
          f"`{os.path.basename(path)}`.\n")
    print(f"{sum(r['verified'] for r in rows.values())} of {len(rows)} have a verified schedule; {optimal} are proved to "
          f"the default gap, 1 % of the overhead. Seconds are of the whole process: geometric mean {mean:.2f}, longest "
          f"{max(times):.1f}.\n")
    print("| network | device | budget (bytes) | status | energy (J) | bound (J) | gap | overhead gap | seconds | verified |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for key in [(n, d, b) for n in NETWORKS for d in PLATFORMS for b in BUDGETS]:
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
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/poet")
    parser.add_argument("--log")
    parser.add_argument("--formulation", nargs="+", default=["event"])
    parser.add_argument("--named", action="store_true", help="the eight named instances only")
    parser.add_argument("--time-limit-s", type=float, default=55)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--table", nargs="+", metavar="LOG")
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
