"""A training that plans again, against the same with the plan that it began with and with all the RAM that it could use.

    bench/replan/run.py --storage /a/folder/on/the/disk --log bench/replan/resnet18.jsonl
    bench/replan/run.py --table bench/replan/resnet18.jsonl

The three run in turns, --rounds times, in one budget: a quarter of the arena of the unlimited run. The plan is made with the
figures of `laptop`, which are assumed. A log has every step's time and what came of planning again; figures are medians of all
steps but the first of each run, of the last run from the change on.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import frame  # noqa: E402

NETWORKS = {
    "resnet18": ["--model", "resnet18", "--image-size", "32", "--batch-size", "32", "--optimiser", "momentum"],
    "resnet18-small": ["--model", "resnet18", "--image-size", "32", "--batch-size", "4", "--optimiser", "momentum"],
}


def run(options, name, arguments):
    """One training: its answer, the time of every step, and after which it changed over."""
    with tempfile.TemporaryDirectory(dir=options.storage) as folder:
        log = os.path.join(folder, "log.jsonl")
        command = [options.program, "train", *NETWORKS[name], *arguments, "--steps", str(options.steps), "--seed", "1", "--examples",
                   "256", "--test-examples", "0", "--objective", "time", "--kernels", options.kernels, "--cache", options.cache,
                   "--storage", folder, "--log", log, "--quiet", "--json", "--time-limit-s", str(options.plan_s)]
        ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if ended.returncode != 0:
            sys.exit(f"{name}: {ended.stdout}{ended.stderr}")
        with open(log, encoding="utf-8") as lines:
            times = [row["step_s"] for row in map(json.loads, lines) if "step_s" in row]
    return json.loads(ended.stdout), times


def measure(options, log, name):
    unlimited = ["--ram-budget", "100%", "--parameters", "resident", "--no-replan"]
    arena = run(options, name, unlimited)[0]["arena_bytes"]
    small = ["--ram-budget", str(arena // 4), "--io", options.io, *(["--direct-io"] if options.direct else [])]
    runs = {"unlimited": unlimited, "kept": [*small, "--no-replan"], "replanned": small}
    for turn in range(options.rounds):
        for which, arguments in runs.items():
            answer, times = run(options, name, arguments)
            changes = [line["step"] for line in answer["replanning"] if line["event"] == "changes"]
            log.write({"model": name, "run": which, "turn": turn, "arguments": " ".join(arguments), "step_times_s": times,
                       "changed_after": changes[0] if changes else None, "replanning": answer["replanning"],
                       "predicted_step_s": answer["predicted_step_s"], "ram_budget_bytes": answer["ram_budget_bytes"],
                       "arena_bytes": answer["arena_bytes"], "peak_rss_bytes": answer["peak_rss_bytes"],
                       "fixed_overhead_bytes": answer["fixed_overhead_bytes"], "paged_in_bytes": answer["paged_in_bytes"],
                       "paged_out_bytes": answer["paged_out_bytes"], "parameters_sha256": answer["parameters_sha256"],
                       "losses": answer["losses"]})


def median_of(rows, which):
    times = []
    for row in rows:
        if row["run"] == which:
            times += row["step_times_s"][(row["changed_after"] or 0) + 1:]
    return statistics.median(times)


def table(path):
    head, rows = frame.read_log(path)
    print(f"commit {head['commit']}, {head['date']}, {head['cores']} cores, {head['storage']}\n")
    print("| network | RAM | unlimited step | first plan | of unlimited | planned again | of unlimited | changed after step | same bits |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name in dict.fromkeys(row["model"] for row in rows):
        own = [row for row in rows if row["model"] == name]
        base, kept, replanned = (median_of(own, which) for which in ("unlimited", "kept", "replanned"))
        small = [row for row in own if row["run"] == "replanned"]
        same = len({row["parameters_sha256"] for row in own}) == 1 and all(row["losses"] == own[0]["losses"] for row in own)
        print(f"| {name} | {small[0]['ram_budget_bytes'] / (1 << 20):.1f} MiB | {base:.3f} s | {kept:.3f} s | {kept / base:.2f} | "
              f"{replanned:.3f} s | {replanned / base:.2f} | {', '.join(str(row['changed_after']) for row in small)} | {same} |")


def main():
    parser = frame.arguments(__doc__)
    parser.add_argument("--what", nargs="+", default=["resnet18"], choices=list(NETWORKS))
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--storage", default=".", help="a folder on the disk to page to")
    parser.add_argument("--cache", default=os.path.abspath("plans"), help="where plans are kept")
    parser.add_argument("--io", default="overlapped", choices=["blocking", "overlapped"])
    parser.add_argument("--direct", action="store_true", help="past the page cache")
    parser.add_argument("--plan-s", type=float, default=10)
    parser.add_argument("--kernels", default="onednn")
    options = parser.parse_args()
    if options.table:
        table(options.table)
        return
    options.program = str(Path(options.program).resolve())
    options.cache = os.path.abspath(options.cache)
    storage = f"{options.io} transfers, {'past' if options.direct else 'through'} the page cache"
    with frame.Log(options.log, benchmark="replan", kernels=options.kernels, storage=storage) as log:
        for name in options.what:
            measure(options, log, name)


if __name__ == "__main__":
    main()
