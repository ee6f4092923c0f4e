#!/usr/bin/env python3
"""What the program of intervals (docs/model/intervals.md §2.4) closes: two programs on small real networks.

usage: bench/ablation/program.py BEFORE AFTER OUT.jsonl [--time-limit-s S]
Prints a row of a table for each question; a line of JSON for each plan goes to OUT.jsonl.
"""

import argparse
import json
import subprocess
import sys

QUESTIONS = [
    ["gpt2-tiny", "--platform", "m4", "--batch-size", "8", "--ram-budget", "20%way"],
    ["gpt2-tiny", "--platform", "m4", "--batch-size", "4", "--ram-budget", "30%way"],
    ["llama-tiny", "--platform", "m4", "--batch-size", "4", "--ram-budget", "40%way"],
    ["bert-tiny", "--platform", "a72", "--batch-size", "32", "--ram-budget", "40%way"],
    ["bert-base", "--platform", "a72", "--batch-size", "8", "--ram-budget", "40%way"],
    ["resnet18", "--image-size", "32", "--platform", "m4", "--batch-size", "8", "--ram-budget", "20%way"],
    ["mobilenetv2", "--image-size", "96", "--platform", "m4", "--ram-budget", "30%way"],
    ["resnet8", "--platform", "m4", "--batch-size", "2", "--ram-budget", "20%way"],
]


def planned(program, words, limit_s):
    done = subprocess.run([program, "solve", "--model", *words, "--gap", "0", "--time-limit-s", limit_s,
                           "--json", "--quiet"], capture_output=True, text=True, check=False)
    answer = json.loads(done.stdout)
    kept = {key: answer.get(key) for key in ("status", "energy_j", "gap", "overhead_gap")}
    return {**kept, "effort_s": answer["timing"]["effort_s"], "solve_s": answer["timing"]["solve_s"],
            "ended_by_clock": answer["timing"]["ended_by_clock"]}


def cell(plan):
    gap = plan["overhead_gap"]
    return f"{gap:.3%} of the overhead open, {plan['effort_s']:.1f} s of effort" if gap is not None else str(plan["status"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("out")
    parser.add_argument("--time-limit-s", default="30")
    asked = parser.parse_args()
    print("| question | before | after |\n|---|---|---|")
    with open(asked.out, "w", encoding="utf-8") as out:
        for words in QUESTIONS:
            cells = []
            for name, program in (("before", asked.before), ("after", asked.after)):
                plan = planned(program, words, asked.time_limit_s)
                print(json.dumps({"question": " ".join(words), "program": name, **plan}), file=out, flush=True)
                cells.append(cell(plan))
            print(f"| {' '.join(words)} | {' | '.join(cells)} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
