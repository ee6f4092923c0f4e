#!/usr/bin/env python3
"""What parts a budget of 253,440 bytes chooses for whole networks on an M4, and how little is enough.

    bench/parts/by_budget.py --program build/release/poet --log bench/parts/by_budget.jsonl      (a quarter of an hour)
    bench/parts/by_budget.py --table bench/parts/by_budget.jsonl
"""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import frame

CASES = {
    "bert-tiny, 128 tokens": ["--model", "bert-tiny"],
    "ResNet-8, batch 8": ["--model", "resnet8", "--batch-size", "8"],
    "MobileNetV2, 96x96": ["--model", "mobilenetv2", "--image-size", "96"],
    "ResNet-18, 32x32, 10 classes": ["--model", "resnet18", "--image-size", "32", "--classes", "10"],
    "ResNet-18, 224x224": ["--model", "resnet18"],
    "U-Net, 64x64": ["--model", "unet", "--image-size", "64"],
    "BERT-base, 32 tokens": ["--model", "bert-base", "--sequence-length", "32"],
    "gpt2-tiny": ["--model", "gpt2-tiny"],
}
PLAN = ["--ram-budget", "253440"]


FIELDS = ["status", "energy_j", "lower_bound_j", "peak_ram_bytes", "read_bytes", "written_bytes", "found_bytes", "proved_bytes", "parts",
          "timing", "error", "reason"]


def row(program, name, command, words):
    run = subprocess.run([program, command, *words, "--platform", "m4", "--json"], capture_output=True, text=True, check=False)
    found = json.loads(run.stdout)
    return {"network": name, "command": command, "words": words, **{field: found[field] for field in FIELDS if field in found}}


def measure(arguments):
    with frame.Log(arguments.log, what="parts by the budget, m4") as log:
        for name, words in CASES.items():
            log.write(row(arguments.program, name, "solve", [*words, *PLAN]))
            log.write(row(arguments.program, name, "minimum", words))


def table(path):
    _, lines = frame.read_log(path)
    print("| network | parts of, B | operations | J | bound, J | tried: parts of B, operations, J | least RAM found, B | in parts of, B |")
    print("|---|---|---|---|---|---|---|---|")
    for name in CASES:
        rows = {line["command"]: line for line in lines if line["network"] == name}
        if "solve" not in rows or "minimum" not in rows:
            continue  # a run that was stopped before
        plan, least = rows["solve"], rows["minimum"]
        tried = "; ".join(f"{level['part_bytes']:,}: " + (f"{level.get('operations', 0):,}, {level['objective']:.2f}" if level["objective"]
                                                           else "none") for level in plan["parts"]["tried"])
        print(f"| {name} | {plan['parts']['part_bytes'] or 0:,} | {plan['parts']['operations']:,} | {plan['energy_j']:.2f} | "
              f"{plan['lower_bound_j']:.2f} | {tried} | {least['found_bytes']:,} | {least['parts']['part_bytes'] or 0:,} |")


def main():
    arguments = frame.arguments(__doc__).parse_args()
    if arguments.table:
        table(arguments.table)
    elif arguments.log:
        measure(arguments)
    else:
        sys.exit("give --log or --table")


if __name__ == "__main__":
    main()
