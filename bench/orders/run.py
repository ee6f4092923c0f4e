#!/usr/bin/env python3
"""Orders by the budget (docs/decisions/0061-orders-by-budget.md): what steps cost by plan, before and after.

    bench/orders/run.py --program build/release/poet --before /a/build/of/f5c6fb7f/poet --log bench/orders/m4.jsonl
    bench/orders/run.py --program ... --before ... --platform jetsontx2 --objective time --log bench/orders/jetsontx2.jsonl
    bench/orders/run.py --table bench/orders/m4.jsonl

Both programs get the same budgets in bytes: what the largest operation needs alone, and a part of the way from there to the plain
peak of the order with the lowest peak. Two questions are asked at a time.
"""
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
import frame  # noqa: E402

NETWORKS = [
    ("lenet5", ["--batch-size", "8"]),
    ("resnet8", ["--batch-size", "8"]),
    ("resnet18", ["--image-size", "32", "--batch-size", "8"]),
    ("resnet50", ["--image-size", "64", "--batch-size", "4"]),
    ("vgg16", ["--image-size", "32", "--batch-size", "16"]),
    ("mobilenetv2", ["--batch-size", "4"]),
    ("efficientnet-b0", ["--batch-size", "2"]),
    ("convnext-t", ["--batch-size", "2"]),
    ("unet", ["--image-size", "64"]),
    ("ds-cnn", ["--batch-size", "8"]),
    ("ddpm-tiny", ["--batch-size", "4"]),
    ("mobilevit-xs", ["--batch-size", "2"]),
    ("vit-s16", ["--batch-size", "4"]),
    ("bert-tiny", ["--batch-size", "8", "--train", "encoder"]),
    ("bert-base", ["--batch-size", "8", "--train", "encoder", "--optimiser", "adamw"]),
    ("llama-tiny", ["--batch-size", "8"]),
    ("gpt2-small", ["--batch-size", "4", "--sequence-length", "128", "--optimiser", "adamw"]),
]
WAYS = [0.05, 0.2, 0.5]


def solve(options, program, network, words, budget):
    command = [program, "solve", "--model", network, *words, "--platform", options.platform, "--io", options.io, "--objective",
               options.objective, "--ram-budget", str(budget), "--time-limit-s", str(options.limit_s), "--json", "--quiet"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    return json.loads(run.stdout)


def measure(options, case):
    network, words = case
    whole = solve(options, options.program, network, words, "100%")
    least, peak = whole["largest_working_set_bytes"], whole["plain_peak_bytes"]
    rows = []
    for way in WAYS:
        budget = int(least + way * (peak - least))
        row = {"network": network, "words": " ".join(words), "way": way, "ram_budget_bytes": budget}
        for name, program in (("before", options.before), ("after", options.program)):
            answer = solve(options, program, network, words, budget)
            row[name] = {key: answer.get(key) for key in ("status", "energy_j", "time_s", "gap", "read_bytes", "written_bytes",
                                                          "recomputed_operations", "order", "timing")}
        rows.append(row)
    return rows


def table(path):
    head, rows = frame.read_log(path)
    key = {"energy": "energy_j", "time": "time_s"}[head["objective"]]
    unit = {"energy": "J", "time": "s"}[head["objective"]]
    print(f"{head['platform']}, least {head['objective']}, {head['io']} transfers, {head['limit_s']} s a question, commit "
          f"{head['commit']}, {head['date']}\n")
    print(f"| network | way | RAM, B | before, {unit} | after, {unit} | ratio | order | proved, before and after |")
    print("|---|---|---|---|---|---|---|---|")
    for row in rows:
        before, after = row["before"][key], row["after"][key]
        if not before or not after:
            print(f"| {row['network']} | {row['way']} | {row['ram_budget_bytes']:,} | {before} | {after} | | | |")
            continue
        order = row["after"]["order"]
        chosen = "moves least" if order and order["by_budget"] else "lowest peak"
        proved = ", ".join("yes" if row[name]["status"] == "optimal" else "no" for name in ("before", "after"))
        print(f"| {row['network']} | {row['way']:.0%} | {row['ram_budget_bytes']:,} | {before:.5g} | {after:.5g} | {after / before:.4f} | "
              f"{chosen} | {proved} |")


def main():
    parser = frame.arguments(__doc__)
    parser.add_argument("--before", help="the program of the commit before")
    parser.add_argument("--platform", default="m4")
    parser.add_argument("--objective", default="energy", choices=["energy", "time"])
    parser.add_argument("--io", default="blocking")
    parser.add_argument("--limit-s", type=int, default=10)
    options = parser.parse_args()
    if options.table:
        table(options.table)
        return
    with frame.Log(options.log, benchmark="orders", platform=options.platform, objective=options.objective, io=options.io,
                   limit_s=options.limit_s) as log, ThreadPoolExecutor(2) as pool:
        for rows in pool.map(lambda case: measure(options, case), NETWORKS):
            for row in rows:
                log.write(row)


if __name__ == "__main__":
    main()
