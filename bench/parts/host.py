#!/usr/bin/env python3
"""Trains BERT-base on this machine in an arena of 253,440 bytes: the same bits as without a budget, and how much memory the process has.

    bench/parts/host.py --program build/release/poet --storage /a/folder/on/the/disk --log bench/parts/host.jsonl
    bench/parts/host.py --table bench/parts/host.jsonl

Memory is looked at from outside, in /proc, twenty times a second: VmHWM, the most that was resident. A training makes its plan in a process
of its own, then lowers it, forgets what it does not need any more and lets the kernel forget the peak (docs/decisions/0018-executor.md), and
takes its steps. `during_bytes` is the most from there to the end, with the digest of all parameters; `before_bytes` the most before it.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from statistics import median

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import frame

CASES = {f"bert-base-{tokens}": ["--model", "bert-base", "--sequence-length", str(tokens), "--batch-size", "1"] for tokens in (32, 128)}
BUDGET_BYTES = 253_440
ALLOWED_BYTES = 32 << 20


def most_resident_bytes(pid):
    """VmHWM, or nothing when the process has ended."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii") as status:
            found = re.search(r"VmHWM:\s+(\d+) kB", status.read())
    except OSError:
        return None
    return int(found[1]) * 1024 if found else None


def train(program, network, steps, limits, folder):
    """What it said, its losses, its time, and its memory before and after it let the kernel forget the peak."""
    log = os.path.join(folder, "log.jsonl")
    command = [program, "train", *network, "--steps", str(steps), "--test-examples", "0", "--storage", folder, "--cache",
               os.path.join(folder, "plans"), "--log", log, "--quiet", *limits]
    begin = time.monotonic()
    with open(os.path.join(folder, "out"), "w+", encoding="utf-8") as out:
        run = subprocess.Popen(command, stdout=out, stderr=subprocess.PIPE, text=True)
        seen = []
        while run.poll() is None:
            bytes_now = most_resident_bytes(run.pid)
            if bytes_now:
                seen.append(bytes_now)
            time.sleep(0.05)
        said = run.stderr.read()
        out.seek(0)
        text = out.read()
    if run.returncode != 0:
        return {"failed": text + said}
    # The peak falls where it is forgotten, and only there.
    falls = [k for k in range(1, len(seen)) if seen[k] < seen[k - 1]]
    begun = falls[-1] if falls else 0
    with open(log, encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    digest = re.search(r"\b[0-9a-f]{64}\b", text)
    return {"losses": [row["loss"] for row in rows if "loss" in row and "step_s" in row],
            "step_times_s": [row["step_s"] for row in rows if "step_s" in row], "parameters_sha256": digest and digest[0],
            "wall_s": time.monotonic() - begin, "before_bytes": max(seen[:begun], default=0), "during_bytes": max(seen[begun:]),
            "said": text}


def run(arguments):
    program = os.path.abspath(arguments.program)
    with frame.Log(arguments.log, what="BERT-base on the host in a small arena", ram_budget_bytes=BUDGET_BYTES) as log:
        for case in arguments.cases or CASES:
            answers = {}
            for which, limits in (("free", []), ("small", ["--ram-budget", str(BUDGET_BYTES), "--time-limit-s", str(arguments.plan_s),
                                                           *arguments.more])):
                with tempfile.TemporaryDirectory(dir=arguments.storage) as folder:
                    answers[which] = train(program, CASES[case], arguments.steps, limits, folder)
                log.write({"case": case, "run": which, **answers[which]})
            small, free = answers["small"], answers["free"]
            if "failed" in small or "failed" in free:
                continue
            log.write({"case": case, "same_losses": small["losses"] == free["losses"],
                       "same_parameters": small["parameters_sha256"] == free["parameters_sha256"],
                       "beyond_the_arena_bytes": small["during_bytes"] - BUDGET_BYTES,
                       "within": small["during_bytes"] <= BUDGET_BYTES + ALLOWED_BYTES})


def table(path):
    _, rows = frame.read_log(path)
    print("| network | steps | bits | process without a budget, MiB | process in 253,440 B, MiB | before its first step, MiB | "
          "step without a budget, s | step, s |\n|---|---|---|---|---|---|---|---|")
    for row in rows:
        if "within" not in row:
            continue
        small, free = (next(r for r in rows if r["case"] == row["case"] and r.get("run") == which) for which in ("small", "free"))
        same = "the same" if row["same_losses"] and row["same_parameters"] else "OTHERS"
        print(f"| {row['case']} | {len(small['losses'])} | {same} | {free['during_bytes'] / 2**20:.1f} | {small['during_bytes'] / 2**20:.1f} | "
              f"{small['before_bytes'] / 2**20:.1f} | {median(free['step_times_s']):.1f} | {median(small['step_times_s']):.1f} |")


def main():
    parser = frame.arguments(__doc__)
    parser.add_argument("--cases", nargs="+", choices=sorted(CASES))
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--storage", default=".", help="a folder on the disk to page to")
    parser.add_argument("--plan-s", type=int, default=120)
    parser.add_argument("--more", nargs="*", default=[], help="further arguments of the small run")
    arguments = parser.parse_args()
    if arguments.table:
        table(arguments.table)
    else:
        run(arguments)


main()
