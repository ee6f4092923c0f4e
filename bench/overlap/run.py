"""Transfers that the processor waits for, and transfers beside it: time, energy and RAM of the same steps.

    bench/overlap/run.py --log bench/overlap/overlap.jsonl
    bench/overlap/run.py --table bench/overlap/overlap.jsonl

Each network is planned on each board and budget three ways: with blocking transfers; the same schedule replayed with
transfers beside the processor; and planned for transfers beside it. All make time least, and once energy within a
deadline of the geometric mean of the first and the third.
"""
import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import frame  # noqa: E402

NETWORKS = {
    "lenet5": ["--model", "lenet5", "--batch-size", "32"],
    "resnet8": ["--model", "resnet8", "--batch-size", "8"],
}
PLATFORMS = ["a72", "jetsontx2"]
BUDGETS = ["20%way", "50%way"]
LIMIT_S = 40
FIGURES = ["status", "time_s", "energy_j", "stall_s", "peak_ram_bytes", "ram_budget_bytes", "lower_bound_s", "lower_bound_j",
           "unavoidable_s"]


def solve(program, plan, *more):
    ended, wall_s = frame.timed([program, "solve", "--json", "--quiet", "--out", plan, "--time-limit-s", str(LIMIT_S), *more])
    answer = frame.answer_of(ended) or {}
    return {**{key: answer.get(key) for key in FIGURES}, "wall_s": round(wall_s, 2)}


def beside(program, plan):
    """The schedule of a plan, replayed as if its transfers ran beside the processor."""
    with open(plan, encoding="utf-8") as file:
        text = file.read()
    with open(plan, "w", encoding="utf-8") as file:
        file.write(text.replace('"time_mode": "blocking"', '"time_mode": "overlapped"'))
    ended = subprocess.run([program, "verify", plan, "--json"], capture_output=True, text=True)
    return json.loads(ended.stdout)["time_s"]


def measure(program, log):
    for name, network in NETWORKS.items():
        for platform in PLATFORMS:
            for budget in BUDGETS:
                with tempfile.TemporaryDirectory() as folder:
                    plan = os.path.join(folder, "plan.json")
                    common = [*network, "--platform", platform, "--ram-budget", budget]
                    row = {"network": name, "platform": platform, "budget": budget}
                    row["blocking"] = solve(program, plan, *common, "--objective", "time", "--io", "blocking")
                    row["replayed_s"] = beside(program, plan) if os.path.exists(plan) else None
                    row["overlapped"] = solve(program, plan, *common, "--objective", "time", "--io", "overlapped")
                    times = [row[mode]["time_s"] for mode in ("blocking", "overlapped")]
                    if all(times):
                        deadline = [*common, "--deadline", f"{math.sqrt(times[0] * times[1]):.9g}s"]
                        row["in_time"] = solve(program, plan, *deadline, "--io", "overlapped")
                        row["in_time_blocking"] = solve(program, plan, *deadline, "--io", "blocking")
                    log.write(row)


def table(path):
    head, rows = frame.read_log(path)
    print(f"commit {head['commit']}, {head['date']}\n")
    print("| network | board | RAM | blocking ms | replayed beside ms | planned beside ms | bound ms | of blocking | J | peak B |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    ratios = []
    for row in rows:
        blocking, overlapped = row["blocking"], row["overlapped"]
        if not blocking["time_s"] or not overlapped["time_s"]:
            continue
        ratios.append(overlapped["time_s"] / blocking["time_s"])
        bound = overlapped["lower_bound_s"] or 0
        print(f"| {row['network']} | {row['platform']} | {row['budget']} | {1e3 * blocking['time_s']:.3f} | "
              f"{1e3 * row['replayed_s']:.3f} | {1e3 * overlapped['time_s']:.3f} ({overlapped['status']}) | {1e3 * bound:.3f} | "
              f"{ratios[-1]:.3f} | {blocking['energy_j']:.4g} / {overlapped['energy_j']:.4g} | "
              f"{blocking['peak_ram_bytes']:,} / {overlapped['peak_ram_bytes']:,} |")
    print(f"\ngeometric mean of time, planned beside by blocking: {frame.geometric_mean(ratios):.3f}")
    for row in rows:
        if "in_time" in row:
            print(row["network"], row["platform"], row["budget"], "deadline between:", row["in_time"]["status"],
                  row["in_time"]["energy_j"], "blocking:", row["in_time_blocking"]["status"])


def main():
    options = frame.arguments(__doc__).parse_args()
    if options.table:
        table(options.table)
        return
    program = str(Path(options.program).resolve())
    with frame.Log(options.log, benchmark="overlap", limit_s=LIMIT_S) as log:
        measure(program, log)


if __name__ == "__main__":
    main()
