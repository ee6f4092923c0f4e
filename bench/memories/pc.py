#!/usr/bin/env python3
"""Trainings on a PC with three levels (docs/decisions/0069-several-memories.md): RAM, a fast disk mapped to addresses, and a slow disk behind.

    bench/memories/pc.py --program build/release/poet --fast /media/nvme --slow /media/disk --cgroup /sys/fs/cgroup/some/folder --log bench/memories/pc.jsonl
    bench/memories/pc.py --table bench/memories/pc.jsonl

Each network is planned for `pc` in a part of the RAM that keeping everything takes, and for the same PC without its NVMe, where what does not fit goes to the hard disk or is computed again. The first plan
is then run in a process that the kernel holds to that RAM and what the program itself has (a control group), with the memory in a file in --fast and storage in --slow, and held against a training
without limits: loss by loss, and parameters to the last bit. Seconds are those of this machine, whose disks are not those of the plan.
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "quantised"))
import frame  # noqa: E402
from process import in_group  # noqa: E402

NETWORKS = [
    ("resnet18", ["--image-size", "32", "--batch-size", "64"]),
    ("mobilenetv2", ["--image-size", "32", "--batch-size", "16"]),
    ("bert-tiny", ["--batch-size", "32"]),
]
PARTS = ["25%", "50%"]
WHOLE = ["--parts", "whole", "--updates", "separate"]
# What the program has beside its arena: code, libraries, examples.
PROGRAM_BYTES = 96 << 20
KEYS = ("status", "energy_j", "time_s", "gap", "peak_ram_bytes", "ram_budget_bytes", "further_memories", "recomputed_operations", "paged_tensors", "infeasible")


def without_nvme(folder):
    text = (Path(__file__).parents[2] / "poet/device/boards/pc.toml").read_text()
    path = Path(folder) / "pc-disk.toml"
    path.write_text(text[:text.index("[memory.nvme]")] + text[text.index("[compute]"):])
    return str(path)


def solve(options, platform, network, words, budget):
    command = [options.program, "solve", "--model", network, *words, *WHOLE, "--platform", platform, "--ram-budget", budget, "--time-limit-s", str(options.limit_s), "--json", "--quiet"]
    answer = json.loads(subprocess.run(command, capture_output=True, text=True, check=False).stdout)
    return {key: answer[key] for key in KEYS if answer.get(key) is not None}


def train(options, folder, network, words, budget):
    """In the RAM of the plan, and with all that it wants."""
    common = [options.program, "train", "--model", network, *words, "--test-examples", "0", "--time-limit-s", str(options.limit_s), "--cache", f"{folder}/plans",
              "--json", "--quiet"]
    free = json.loads(subprocess.run([*common, "--steps", "2"], capture_output=True, text=True, check=True).stdout)
    planned = [*common, *WHOLE, "--platform", "pc", "--ram-budget", budget, "--memory-in", f"nvme={options.fast}", "--storage", options.slow]
    subprocess.run([*planned, "--steps", "2", "--plan-only"], capture_output=True, check=True)
    arena_bytes = json.loads(subprocess.run([*planned, "--steps", "1"], capture_output=True, text=True, check=True).stdout)["ram_budget_bytes"]
    limit_bytes = arena_bytes + PROGRAM_BYTES
    ended, peak_bytes = in_group([*planned, "--steps", "2"], options.cgroup, limit_bytes)
    row = {"limit_bytes": limit_bytes, "peak_bytes": peak_bytes, "plain_peak_bytes": free["plain_peak_bytes"], "plain_step_s": free["step_s"]}
    if ended.returncode != 0:
        return {**row, "code": ended.returncode, "error": ended.stderr[-300:]}
    limited = json.loads(ended.stdout)
    return {**row, "step_s": limited["step_s"], "ram_budget_bytes": limited["ram_budget_bytes"], "arena_bytes": limited["arena_bytes"], "further_arenas": limited["further_arenas"],
            "read_bytes": limited["paged_in_bytes"], "written_bytes": limited["paged_out_bytes"],
            "same": limited["losses"] == free["losses"] and limited["parameters_sha256"] == free["parameters_sha256"]}


def run(options):
    with tempfile.TemporaryDirectory() as folder, frame.Log(options.log, limit_s=options.limit_s) as log:
        alone = without_nvme(folder)
        for network, words in NETWORKS:
            for budget in PARTS:
                log.write({"network": network, "words": " ".join(words), "budget": budget, "nvme": solve(options, "pc", network, words, budget), "disk": solve(options, alone, network, words, budget),
                           "run": train(options, folder, network, words, budget)})


def table(path):
    head, rows = frame.read_log(path)
    print(f"{head['limit_s']} s a question, commit {head['commit']}, {head['date']}\n")
    print("| network | RAM of the plan, MB | with NVMe, J | with the disk alone, J | in NVMe, MB | process held to, MB | its group's peak, MB | step, s | without limits, s | same bits |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for row in rows:
        made = row["run"]
        joules = [f"{row[which]['energy_j']:.5g}" if row[which].get("energy_j") is not None else "none" for which in ("nvme", "disk")]
        if "same" not in made:
            print(f"| {row['network']} {row['words']} | {row['budget']} | {joules[0]} | {joules[1]} | | {made['limit_bytes'] / 1e6:.0f} | | ended with {made['code']} | {made['plain_step_s']:.3g} | |")
            continue
        print(f"| {row['network']} {row['words']} | {made['ram_budget_bytes'] / 1e6:.1f} | {joules[0]} | {joules[1]} | {made['further_arenas'][0]['size_bytes'] / 1e6:.1f} | {made['limit_bytes'] / 1e6:.0f} | "
              f"{(made['peak_bytes'] or 0) / 1e6:.0f} | {made['step_s']:.3g} | {made['plain_step_s']:.3g} | {'yes' if made['same'] else 'no'} |")


def main():
    parser = frame.arguments(__doc__)
    parser.add_argument("--limit-s", type=float, default=10)
    parser.add_argument("--fast", default=".")
    parser.add_argument("--slow", default=".")
    parser.add_argument("--cgroup", default="/sys/fs/cgroup/memory")
    options = parser.parse_args()
    table(options.table) if options.table else run(options)


if __name__ == "__main__":
    main()
