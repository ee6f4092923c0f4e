#!/usr/bin/env python3
"""Whether `--parts SIZE` is kept: drawn networks, what of them is trained, optimisers and sizes, and of each step the largest
working set of an operation, beside what stays in RAM. Writes a line of JSON for each; names what is larger at the end.

usage: bench/parts/sizes.py --program build/release/poet --log bench/parts/sizes.jsonl [--questions 200] [--seed 1]
"""

import argparse
import json
import random
import re
import subprocess

NETWORKS = ["digits-mlp", "digits-cnn", "lenet5", "resnet8", "ds-cnn", "gpt2-tiny", "llama-tiny", "gemma-tiny", "bert-tiny",
            "mcunet-in1", "mobilenetv2", "ddpm-tiny"]
SIZES = ["2KiB", "3000B", "5KiB", "6KiB", "7777B", "12KiB", "20000B", "32KiB", "50000B", "100KiB", "256KiB"]


def draw(numbers):
    return {"model": numbers.choice(NETWORKS), "batch-size": str(numbers.choice([1, 2, 4])), "parts": numbers.choice(SIZES),
            "train": numbers.choice(["all", "bias", "last:2"]), "updates": numbers.choice(["auto", "separate", "sliced"]),
            "optimiser": numbers.choice(["sgd", "adam"])}


def number(text):
    return int(text.replace(",", ""))


def asked(program, question):
    words = [word for name, value in question.items() for word in (f"--{name}", value)]
    command = [program, "minimum", "--platform", "m4", *words, "--time-limit-s", "3", "--quiet"]
    try:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    except subprocess.TimeoutExpired:
        return {"outcome": "took too long"}
    largest = re.search(r"largest working set\s+([\d,]+)", ended.stdout)
    if not largest:
        return {"outcome": (ended.stderr or ended.stdout).strip().splitlines()[-1][:200]}
    in_parts = re.search(r"parts +([\d,]+) operations of at most", ended.stdout)
    stays = re.search(r"beside ([\d,]+) bytes of what stays", ended.stdout)
    return {"outcome": "in parts" if in_parts else "whole", "largest_bytes": number(largest.group(1)),
            "resident_bytes": number(stays.group(1)) if stays else 0}


def bytes_of(size):
    return int(size[:-3]) * 1024 if size.endswith("KiB") else int(size[:-1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--log", required=True)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    numbers = random.Random(options.seed)
    seen, larger, kept = [], [], 0
    with open(options.log, "w", encoding="utf-8") as log:
        while len(seen) < options.questions:
            question = draw(numbers)
            if question in seen:
                continue
            seen.append(question)
            answer = asked(options.program, question)
            log.write(json.dumps({**question, **answer}) + "\n")
            log.flush()
            if "largest_bytes" not in answer:
                continue
            if answer["largest_bytes"] - answer["resident_bytes"] > bytes_of(question["parts"]):
                larger.append(question)
            else:
                kept += 1
    print(f"{kept} kept, {len(larger)} larger, {len(seen) - kept - len(larger)} without an answer")
    for question in larger:
        print("larger:", json.dumps(question))


if __name__ == "__main__":
    main()
