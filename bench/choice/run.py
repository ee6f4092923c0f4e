#!/usr/bin/env python3
"""Steps by what they cost (docs/decisions/0066-what-costs-least.md): what is planned where whole operations fit, before and after.

    bench/choice/run.py --program build/release/poet --before /a/build/of/5cf178a9/poet --log bench/choice/m4.jsonl
    bench/choice/run.py --table bench/choice/m4.jsonl

Both programs get the same budgets in bytes: what the largest operation of the whole step with separate updates needs alone, and parts
of the way from there to its plain peak.
"""
import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
import frame  # noqa: E402

NETWORKS = [
    ("lenet5", []),
    ("lenet5", ["--batch-size", "8"]),
    ("resnet8", []),
    ("resnet8", ["--batch-size", "8"]),
    ("ds-cnn", []),
    ("digits-cnn", ["--batch-size", "8"]),
    ("bert-tiny", []),
    ("llama-tiny", ["--batch-size", "4"]),
    ("mobilenetv2", ["--image-size", "96"]),
    ("resnet18", ["--image-size", "32"]),
    ("unet", ["--image-size", "64"]),
    ("ddpm-tiny", []),
    ("efficientnet-b0", []),
]
WAYS = [0, 0.1, 0.4]
KEYS = ("status", "energy_j", "gap", "parts", "updates", "choice", "timing")


def solve(options, program, network, words, budget):
    command = [program, "solve", "--model", network, *words, "--platform", options.platform, "--io", "blocking",
               "--ram-budget", str(budget), "--time-limit-s", str(options.limit_s), "--json", "--quiet"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    return json.loads(run.stdout)


def measure(options, case):
    network, words = case
    whole = solve(options, options.before, network, [*words, "--updates", "separate", "--parts", "whole"], "100%")
    least, peak = whole["largest_working_set_bytes"], whole["plain_peak_bytes"]
    for way in WAYS:
        budget = int(least + way * (peak - least))
        row = {"network": network, "words": " ".join(words), "way": way, "ram_budget_bytes": budget}
        for name, program in (("before", options.before), ("after", options.program)):
            answer = solve(options, program, network, words, budget)
            row[name] = {key: answer.get(key) for key in KEYS}
        yield row


def step_of(answer):
    if answer["parts"]["part_bytes"]:
        return f"parts of {answer['parts']['part_bytes']:,} B"
    return "by slices" if answer["updates"]["sliced"] else "separate"


def table(path):
    head, rows = frame.read_log(path)
    print(f"{head['platform']}, blocking transfers, {head['limit_s']} s a question, commit {head['commit']}, {head['date']}\n")
    print("| network | way | RAM, B | before, mJ | after, mJ | ratio | step now | proved, before and after |")
    print("|---|---|---|---|---|---|---|---|")
    for row in rows:
        before, after = row["before"]["energy_j"], row["after"]["energy_j"]
        proved = ", ".join("yes" if row[name]["status"] == "optimal" else "no" for name in ("before", "after"))
        name = f"{row['network']} {row['words']}".strip()
        print(f"| {name} | {row['way']:.0%} | {row['ram_budget_bytes']:,} | {1e3 * before:.5g} | {1e3 * after:.5g} | "
              f"{after / before:.4f} | {step_of(row['after'])} | {proved} |")


def main():
    parser = frame.arguments(__doc__)
    parser.add_argument("--before", help="the program of the commit before")
    parser.add_argument("--only", help="of this network alone")
    parser.add_argument("--platform", default="m4")
    parser.add_argument("--limit-s", type=int, default=15)
    options = parser.parse_args()
    if options.table:
        table(options.table)
        return
    with frame.Log(options.log, benchmark="choice", platform=options.platform, limit_s=options.limit_s) as log:
        for case in NETWORKS:
            if options.only not in (None, case[0]):
                continue
            for row in measure(options, case):
                log.write(row)


if __name__ == "__main__":
    main()
