#!/usr/bin/env python3
"""What poet plans by itself in the RAM of a chip, with the slow memory beside it and without (docs/decisions/0069-several-memories.md).

    bench/memories/default.py --program build/release/poet --log bench/memories/default.jsonl
    bench/memories/default.py --table bench/memories/default.jsonl

No option says how weights are updated or whether operations come in parts.
"""
import json
import subprocess
import tempfile

import run
from run import frame

NETWORKS = [
    ("lenet5", ["--batch-size", "8"]),
    ("ds-cnn", ["--batch-size", "4"]),
    ("resnet8", []),
    ("resnet8", ["--batch-size", "8"]),
    ("mobilenetv2", ["--image-size", "32"]),
    ("bert-tiny", ["--sequence-length", "64"]),
    ("resnet18", ["--image-size", "32"]),
]
KEYS = (*run.KEYS, "updates", "parts", "written_bytes", "read_bytes", "solve_s")


def solve(options, platform, network, words):
    command = [options.program, "solve", "--model", network, *words, "--platform", platform, "--time-limit-s", str(options.limit_s), "--json",
               "--quiet"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    answer = json.loads(ended.stdout)
    return {key: answer[key] for key in KEYS if answer.get(key) is not None}


def measure(options):
    with tempfile.TemporaryDirectory() as folder, frame.Log(options.log, limit_s=options.limit_s) as log:
        alone = run.without_memories(options.program, folder)
        for network, words in NETWORKS:
            log.write({"network": network, "words": " ".join(words), "psram": solve(options, "esp32s3", network, words),
                       "card": solve(options, alone, network, words)})


def how(answer):
    """The way in which the step is made."""
    if "energy_j" not in answer:
        return ""
    if answer["parts"].get("part_bytes"):
        return f"{answer['parts']['operations']:,} parts of {answer['parts']['part_bytes']:,} B"
    return "whole, by slices" if answer["updates"]["sliced"] else "whole"


def table(path):
    head, rows = frame.read_log(path)
    print(f"esp32s3, {head['limit_s']} s a question, commit {head['commit']}, {head['date']}\n")
    print("| network | with PSRAM, mJ | gap | operations | in PSRAM, B | with the card alone, mJ | gap | operations | ratio |")
    print("|---|---|---|---|---|---|---|---|---|")
    for row in rows:
        psram, card = row["psram"], row["card"]
        ratio = f"{psram['energy_j'] / card['energy_j']:.3f}" if "energy_j" in psram and "energy_j" in card else ""
        gaps = [f"{100 * answer['gap']:.2g} %" if "gap" in answer else "" for answer in (psram, card)]
        peak = f"{psram['further_memories'][0]['peak_bytes']:,}" if "further_memories" in psram else ""
        print(f"| {row['network']} {row['words']}".rstrip() + f" | {run.cell(psram)} | {gaps[0]} | {how(psram)} | {peak} | {run.cell(card)} | {gaps[1]} | "
              f"{how(card)} | {ratio} |")


def main():
    parser = frame.arguments(__doc__)
    parser.add_argument("--limit-s", type=float, default=60.0, help="of each question; default %(default)s")
    options = parser.parse_args()
    if options.table:
        table(options.table)
    else:
        measure(options)


if __name__ == "__main__":
    main()
