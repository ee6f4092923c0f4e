#!/usr/bin/env python3
"""Training steps on a chip with a slow memory beside its RAM (docs/decisions/0069-several-memories.md): with it, and without.

    bench/memories/run.py --program build/release/poet --log bench/memories/esp32s3.jsonl
    bench/memories/run.py --table bench/memories/esp32s3.jsonl

Each network is planned on the device with its PSRAM, and on the same device without, where all that does not fit goes to the SD card or
is computed again: with whole operations and separate updates, in parts of the RAM that keeping everything takes.
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
import frame  # noqa: E402

NETWORKS = [
    ("digits-cnn", ["--batch-size", "32"]),
    ("lenet5", ["--batch-size", "8"]),
    ("ds-cnn", []),
    ("resnet8", []),
    ("resnet8", ["--batch-size", "8"]),
    ("mobilenetv2", ["--image-size", "32"]),
]
PARTS = ["25%", "50%", "75%"]
WHOLE = ["--parts", "whole", "--updates", "separate"]
KEYS = ("status", "energy_j", "time_s", "gap", "peak_ram_bytes", "ram_budget_bytes", "access_s", "further_memories", "recomputed_operations",
        "paged_tensors", "lower_bound_j", "infeasible")


def without_memories(program, folder):
    """The device file of the chip, less the tables of its further memories."""
    text = (Path(__file__).parents[2] / "poet/device/boards/esp32s3.toml").read_text()
    begin, end = text.index("[memory.psram]"), text.index("[compute]")
    path = Path(folder) / "esp32s3-ram.toml"
    path.write_text(text[:begin] + text[end:])
    return str(path)


def solve(options, platform, network, words, budget):
    command = [options.program, "solve", "--model", network, *words, *WHOLE, "--platform", platform, "--ram-budget", budget, "--time-limit-s",
               str(options.limit_s), "--json", "--quiet"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    answer = json.loads(run.stdout)
    return {key: answer[key] for key in KEYS if answer.get(key) is not None}


def run(options):
    with tempfile.TemporaryDirectory() as folder, frame.Log(options.log, limit_s=options.limit_s) as log:
        alone = without_memories(options.program, folder)
        for network, words in NETWORKS:
            for budget in PARTS:
                row = {"network": network, "words": " ".join(words), "budget": budget,
                       "psram": solve(options, "esp32s3", network, words, budget), "card": solve(options, alone, network, words, budget)}
                log.write(row)


def cell(answer):
    if "energy_j" not in answer:
        return "none" if answer["status"] == "infeasible" else "not found"
    return f"{1e3 * answer['energy_j']:.5g}"


def table(path):
    head, rows = frame.read_log(path)
    print(f"esp32s3, {head['limit_s']} s a question, commit {head['commit']}, {head['date']}\n")
    print("| network | RAM, B | with PSRAM, mJ | gap | in PSRAM, B | with the card alone, mJ | ratio |")
    print("|---|---|---|---|---|---|---|")
    for row in rows:
        psram, card = row["psram"], row["card"]
        ratio = f"{psram['energy_j'] / card['energy_j']:.3f}" if "energy_j" in psram and "energy_j" in card else ""
        gap = f"{100 * psram['gap']:.2g} %" if "gap" in psram else ""
        peak = f"{psram['further_memories'][0]['peak_bytes']:,}" if "further_memories" in psram else ""
        print(f"| {row['network']} {row['words']}".rstrip() + f" | {psram['ram_budget_bytes']:,} | {cell(psram)} | {gap} | {peak} | {cell(card)} | {ratio} |")


def main():
    parser = frame.arguments(__doc__)
    parser.add_argument("--limit-s", type=float, default=10)
    options = parser.parse_args()
    table(options.table) if options.table else run(options)


if __name__ == "__main__":
    main()
