#!/usr/bin/env python3
"""How little RAM a training step needs on a chip with a slow memory beside it, by how much time it may take (docs/model/memories.md 5.4).

    bench/memories/least.py --program build/release/poet --log bench/memories/least.jsonl
    bench/memories/least.py --table bench/memories/least.jsonl

The deadline is so many times what no schedule can save of the step's time. Without the slow memory the same is asked of the RAM alone,
beside the SD card. Operations are whole and updates separate.
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
import frame  # noqa: E402
from run import WHOLE, without_memories  # noqa: E402

NETWORKS = [("digits-cnn", ["--batch-size", "32"]), ("lenet5", []), ("ds-cnn", []), ("resnet8", [])]
TIMES = [1.02, 1.05, 1.1, 1.2, None]
KEYS = ("status", "proved_bytes", "found_bytes", "unavoidable_s", "deadline_s", "time_s", "energy_j", "plain_peak_bytes", "further_memories")


def least(options, platform, network, words, deadline_s):
    deadline = [] if deadline_s is None else ["--deadline", f"{deadline_s}s"]
    command = [options.program, "minimum", "--model", network, *words, *WHOLE, "--platform", platform, *deadline, "--time-limit-s",
               str(options.limit_s), "--json", "--quiet"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    answer = json.loads(ended.stdout)
    return {key: answer[key] for key in KEYS if answer.get(key) is not None}


def run(options):
    with tempfile.TemporaryDirectory() as folder, frame.Log(options.log, limit_s=options.limit_s) as log:
        alone = without_memories(options.program, folder)
        for network, words in NETWORKS:
            unavoidable_s = least(options, "esp32s3", network, words, None)["unavoidable_s"]
            for times in TIMES:
                deadline_s = None if times is None else times * unavoidable_s
                log.write({"network": network, "words": " ".join(words), "times": times,
                           "psram": least(options, "esp32s3", network, words, deadline_s),
                           "card": least(options, alone, network, words, deadline_s)})


def cell(answer):
    if "found_bytes" not in answer:
        return "none" if answer["status"] == "infeasible" else f"over {answer['proved_bytes']:,}"
    found, proved = answer["found_bytes"], answer["proved_bytes"]
    return f"{found:,}" if found <= proved else f"{found:,} (over {proved:,})"


def table(path):
    head, rows = frame.read_log(path)
    print(f"esp32s3, {head['limit_s']} s a question, commit {head['commit']}, {head['date']}\n")
    print("| network | time, of what nothing can save | RAM with PSRAM, B | in PSRAM, B | RAM with the card alone, B |")
    print("|---|---|---|---|---|")
    for row in rows:
        further = row["psram"].get("further_memories")
        peak = f"{further[0]['peak_bytes']:,}" if further else ""
        times = "any" if row["times"] is None else f"{row['times']:.2f}"
        print(f"| {row['network']} {row['words']}".rstrip() + f" | {times} | {cell(row['psram'])} | {peak} | {cell(row['card'])} |")


def main():
    parser = frame.arguments(__doc__)
    parser.add_argument("--limit-s", type=float, default=15)
    options = parser.parse_args()
    table(options.table) if options.table else run(options)


if __name__ == "__main__":
    main()
