"""Large networks in little RAM, against the same training with all the RAM that it could use: time of a step, and the bits.

    bench/headline/run.py --log bench/headline/headline.jsonl --storage /path/on/the/disk
    bench/headline/run.py --kernels onednn --threads 2 --log ... --what bert-base
    bench/headline/run.py --kernels onednn --log ... --what "bert-base in 16MiB" "bert-base in 4MiB"
    bench/headline/run.py --table bench/headline/headline.jsonl

Both runs of a pair are taken in turns, --rounds times; the figure is the ratio of the medians of all their steps but the first
of each run, in which pages and files are touched for the first time.
"""
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import frame  # noqa: E402

# Embeddings of BERT are frozen and lie in a file that is mapped; 85 million parameters of the encoder and a head are trained.
BERT = ["--model", "bert-base", "--train", "encoder", "--frozen", "rom", "--batch-size", "8", "--sequence-length", "128",
        "--classes", "2", "--optimiser", "adamw"]
RESNET = ["--model", "resnet18", "--image-size", "32", "--batch-size", "32", "--optimiser", "momentum"]
# How long a training is decides how well its plans are looked for, so each is a long one that is stopped.
STEPS = 100000
# A budget that is a number is that part of the arena of the unlimited run.
PAIRS = {
    "bert-base": {"arguments": BERT, "budget": "64MiB", "more": ["--direct-io"], "goal": 2.0},
    # Operations need up to 28 MB at once; parts are chosen by the budget for the reference kernels only.
    **{f"bert-base in {budget}": {"arguments": BERT, "budget": budget, "more": ["--direct-io", *parts], "goal": goal}
       for budget, parts, goal in [("64MiB", [], 1.25), ("16MiB", ["--parts", "4MiB"], 1.5), ("4MiB", ["--parts", "1MiB"], 2.5),
                                   ("1MiB", ["--parts", "256KiB"], 5.0)]},
    "resnet18": {"arguments": RESNET, "budget": 0.25, "more": ["--direct-io"], "goal": 1.25},
}
KEPT = ["steps", "step_s", "predicted_step_s", "ram_budget_bytes", "plain_peak_bytes", "arena_bytes", "storage_bytes",
        "peak_rss_bytes", "fixed_overhead_bytes", "paged_in_bytes", "paged_out_bytes", "parameters_sha256", "story"]


def step_times_s(log):
    if not os.path.exists(log):
        return []
    with open(log, encoding="utf-8") as lines:
        return [row["step_s"] for row in map(json.loads, (line for line in lines if line.endswith("\n"))) if "step_s" in row]


def run(options, folder, name, which, arguments):
    """One training, stopped after its steps: its answer, and the time of every step but the first."""
    log = os.path.join(folder, "log.jsonl")
    command = [options.program, "train", *arguments, "--steps", str(STEPS), "--no-replan", "--seed", "1", "--test-examples", "0",
               "--examples", "256", "--cache", options.cache, "--storage", folder, "--log", log, "--quiet", "--json",
               "--time-limit-s", str(options.plan_s), *options.common]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while process.poll() is None and len(step_times_s(log)) < options.steps:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    if process.returncode != 0:
        sys.exit(f"{name}, {which}: {out}{err}")
    times = step_times_s(log)
    os.remove(log)
    return json.loads(out), times[1:options.steps]


def budget_of(row, unlimited):
    budget = row["budget"]
    return budget if isinstance(budget, str) else str(int(budget * unlimited["arena_bytes"]))


def pair(options, log, name):
    row = PAIRS[name]
    runs = {"unlimited": [*row["arguments"], "--ram-budget", "100%", "--parameters", "resident"],
            "small": [*row["arguments"], "--io", options.io, *row["more"]]}
    times = {which: [] for which in runs}
    answers = {}
    for turn in range(options.rounds):
        for which, arguments in runs.items():
            if which == "small":
                arguments = [*arguments, "--ram-budget", budget_of(row, answers["unlimited"])]
            with tempfile.TemporaryDirectory(dir=options.storage) as folder:
                answer, steps = run(options, folder, name, which, arguments)
            answers[which] = answer
            times[which] += steps
            log.write({"model": name, "run": which, "turn": turn, "arguments": " ".join(arguments), "step_times_s": steps,
                       "losses": answer["losses"], **{key: answer[key] for key in KEPT}, "notes": answer["notes"]})
    medians = {which: statistics.median(steps) for which, steps in times.items()}
    small, unlimited = answers["small"], answers["unlimited"]
    log.write({"model": name, "ratio": medians["small"] / medians["unlimited"], "goal": row["goal"], "median_s": medians,
               "same_losses": all(a == b for a, b in zip(small["losses"], unlimited["losses"])),
               "same_bits": small["parameters_sha256"] == unlimited["parameters_sha256"]
               if small["steps"] == unlimited["steps"] else None,
               "within_budget": small["peak_rss_bytes"] - small["fixed_overhead_bytes"] <= small["ram_budget_bytes"],
               "budget_of_unlimited": small["ram_budget_bytes"] / unlimited["arena_bytes"]})


def table(path):
    head, rows = frame.read_log(path)
    print(f"{head['benchmark']}, commit {head['commit']}, {head['cores']} cores\n")
    print("| network | RAM | of the unlimited run | step | unlimited step | ratio | goal | same losses | within the budget |")
    print("|---|---|---|---|---|---|---|---|---|")
    for row in rows:
        if "ratio" not in row:
            continue
        small = [r for r in rows if r.get("run") == "small" and r["model"] == row["model"]][-1]
        print(f"| {row['model']} | {small['ram_budget_bytes'] / (1 << 20):.1f} MiB | {100 * row['budget_of_unlimited']:.0f} % | "
              f"{row['median_s']['small']:.2f} s | {row['median_s']['unlimited']:.2f} s | {row['ratio']:.2f} | {row['goal']} | "
              f"{row.get('same_losses', row['same_bits'])} | {row['within_budget']} |")


def main():
    parser = frame.arguments(__doc__)
    parser.add_argument("--what", nargs="+", default=["bert-base", "resnet18"], choices=list(PAIRS))
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--storage", default=".", help="a folder on the disk to page to")
    parser.add_argument("--cache", default=os.path.abspath("plans"), help="where plans are kept")
    parser.add_argument("--io", default="overlapped", choices=["blocking", "overlapped"])
    parser.add_argument("--plan-s", type=float, default=300)
    parser.add_argument("--objective", default="energy", choices=["energy", "time"])
    parser.add_argument("--kernels", default="reference")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--platform", help="a device that 'poet profile' measured, for better predictions")
    parser.add_argument("--costs", help="what it measured of the network's operations")
    options = parser.parse_args()
    if options.table:
        return table(options.table)
    options.program = str(Path(options.program).resolve())
    options.cache = os.path.abspath(options.cache)
    options.common = ["--kernels", options.kernels, "--objective", options.objective]
    if options.threads:
        options.common += ["--threads", str(options.threads)]
    if options.platform:
        options.common += ["--platform", os.path.abspath(options.platform)]
    if options.costs:
        options.common += ["--costs", os.path.abspath(options.costs)]
    with frame.Log(options.log, benchmark=f"headline, {options.kernels} kernels", storage="direct I/O") as log:
        for name in options.what:
            pair(options, log, name)


if __name__ == "__main__":
    main()
