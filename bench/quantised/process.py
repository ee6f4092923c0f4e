#!/usr/bin/env python3
"""A whole training process in so much memory: adapters of rank 8 beside frozen weights of 4 bits, with Qwen2.5-0.5B's shape and 256 tokens, or another.

    bench/quantised/process.py --program build/release/poet --storage /a/folder --cgroup /sys/fs/cgroup/some/folder --log bench/quantised/process.jsonl
    bench/quantised/process.py --table bench/quantised/process.jsonl > bench/quantised/process.md
    bench/quantised/process.py --model llama-3.2-3b --tokens 1024 --limit 2370000000 --budget 1900MiB --parts auto --plain-budget 8GiB --steps 2 --rounds 1 ... --log bench/quantised/llama.jsonl

The weights have the published names and shapes and seeded values; `poet quantise` makes 4 bits of them. The kernel holds the process to its limit (a control
group, of version 1 or 2; who runs this may make folders in --cgroup): what it allocates, the pages of the mapped file of weights, and what the page cache keeps
for it. The plan is kept by a process before, as `poet train --plan-only` does it, which has no limit. The same training with all the RAM that it wants runs
in turns with it. The log has one line for each process; the table is made from the log only.
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from decoders import DECODERS, step  # noqa: E402
from frame import Log, answer_of, arguments, read_log, timed  # noqa: E402

LIMIT_BYTES = 136_000_000


class Group:
    """A control group of one process."""

    def __init__(self, parent, limit_bytes):
        self._folder = Path(parent) / f"poet-{os.getpid()}"
        self._folder.mkdir()
        self._is_old = (self._folder / "memory.limit_in_bytes").exists()
        self._write("memory.limit_in_bytes" if self._is_old else "memory.max", limit_bytes)
        swap = "memory.memsw.limit_in_bytes" if self._is_old else "memory.swap.max"
        if (self._folder / swap).exists():
            self._write(swap, limit_bytes if self._is_old else 0)

    def _write(self, name, value):
        (self._folder / name).write_text(str(value))

    def enter(self):
        self._write("cgroup.procs", os.getpid())

    def peak_bytes(self):
        file = self._folder / ("memory.max_usage_in_bytes" if self._is_old else "memory.peak")
        return int(file.read_text()) if file.exists() else None

    def remove(self):
        self._folder.rmdir()


def in_group(command, parent, limit_bytes):
    """What the process printed, its exit code, and the most that its group had."""
    group = Group(parent, limit_bytes)
    try:
        run = subprocess.run(command, capture_output=True, text=True, preexec_fn=group.enter)
        return run, group.peak_bytes()
    finally:
        group.remove()


def run_all(options):
    with tempfile.TemporaryDirectory(dir=options.storage) as folder:
        whole, small = os.path.join(folder, "whole.safetensors"), os.path.join(folder, "small.safetensors")
        DECODERS[options.model].write_seeded(whole)
        subprocess.run([options.program, "quantise", whole, "--out", small, "--bits", "4"], check=True, stdout=subprocess.DEVNULL)
        os.remove(whole)
        common = [options.program, "train", *step(options.model, options.tokens), "--weights", small, "--frozen", "rom", "--test-examples", "0", "--steps", str(options.steps), "--storage", folder,
                  "--direct-io", "--cache", os.path.join(folder, "plans"), "--time-limit-s", str(options.time_limit_s), "--json", *options.more]
        limited = [*common, "--ram-budget", options.budget, "--parts", options.parts]
        plain = [*common, "--ram-budget", options.plain_budget]
        with Log(options.log, model=options.model, tokens=options.tokens, steps=options.steps, budget=options.budget, plain_budget=options.plain_budget, parts=options.parts, limit_bytes=options.limit, time_limit_s=options.time_limit_s,
                 weights_bytes=os.path.getsize(small), more=options.more) as log:
            for command in (limited, plain):
                _run, seconds = timed([*command, "--plan-only"])
                log.write({"what": "plan", "limited": command is limited, "process_s": seconds})
            for turn in range(options.rounds):
                for command in (limited, plain):
                    if command is limited:
                        run, peak_bytes = in_group(command, options.cgroup, options.limit)
                    else:
                        run, peak_bytes = subprocess.run(command, capture_output=True, text=True), None
                    log.write({"what": "train", "turn": turn, "limited": command is limited, "exit": run.returncode, "group_peak_bytes": peak_bytes,
                               "answer": answer_of(run), "progress": [line for line in run.stderr.splitlines() if "s/step" in line]})
                    print("limited" if command is limited else "plain  ", run.returncode, run.stderr.splitlines()[-2:], file=sys.stderr)


def seconds_of(rows):
    """The median step of those after the first, which fills caches."""
    steps = sorted(float(line.split(" s/step")[0].split()[-1]) for row in rows for line in row["progress"][1:])
    return steps[len(steps) // 2] if steps else None


def mb(size):
    return f"{size / 1e6:,.1f}"


def print_table(path):
    head, rows = read_log(path)
    rows = [row for row in rows if row["what"] == "train"]
    print("# A whole process in so much memory\n\nMade by `process.py` beside this file.\n")
    print(f"Commit {head['commit']}, {head['date']}, {head['machine']} with {head['cores']} cores. Raw log: `{os.path.basename(path)}`. `poet train {' '.join(step(head.get('model', 'qwen2.5-0.5b'), head.get('tokens', 256)))} --frozen rom "
          f"--direct-io --test-examples 0 --steps {head.get('steps', 3)} {' '.join(head['more'])}`, weights of {mb(head['weights_bytes'])} MB in blocks of 4 bits. Limited: `--ram-budget {head['budget']} --parts {head['parts']}`, "
          f"in a control group of {mb(head['limit_bytes'])} MB, to which all that the process allocates, pages of the file of weights and of the program, and the page cache count.\n")
    print("| | ended | arena, MB | whole process, MB | read by a step, MB | written, MB | loss after the steps | a step, s |\n|---|---|---|---|---|---|---|---|")
    plain = "all RAM" if head.get("plain_budget", "100%") == "100%" else f"budget {head['plain_budget']}, no group"
    for limited in (True, False):
        own = [row for row in rows if row["limited"] == limited]
        first = own[0]["answer"] or {}
        losses = {line.split("loss ")[1].split()[0] for row in own for line in row["progress"][-1:]}
        step_s = seconds_of(own)
        print(f"| {'limited' if limited else plain} | {', '.join(sorted({str(row['exit']) for row in own}))} | {mb(first.get('arena_bytes', 0))} | {mb(max((row['answer'] or {}).get('peak_rss_bytes', 0) for row in own))} "
              f"| {mb(first.get('predicted_in_bytes', 0))} | {mb(first.get('predicted_out_bytes', 0))} | {', '.join(sorted(losses))} | {'' if step_s is None else f'{step_s:.1f}'} |")
    times = [seconds_of([row for row in rows if row["limited"] == limited]) for limited in (True, False)]
    same = len({(row["answer"] or {}).get("parameters_sha256") for row in rows}) == 1
    if all(times):
        print("\nThe group counts what the process is the first to read; pages of libraries and of the program that others had in RAM before are in *whole process* alone.")
        print(f"\nA limited step takes {times[0] / times[1]:.2f} times as long. Adapters after the last step are {'the same bits in all runs' if same else 'NOT the same in all runs'}.")


def main():
    parser = arguments(__doc__)
    parser.add_argument("--storage", default=".", help="a folder on the disk that pages go to")
    parser.add_argument("--cgroup", help="the control group in which one is made")
    parser.add_argument("--model", choices=DECODERS, default="qwen2.5-0.5b")
    parser.add_argument("--tokens", type=int, default=256)
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--budget", default="90MiB")
    parser.add_argument("--parts", default="99090432")
    parser.add_argument("--plain-budget", default="100%", help="of the training that it is compared with, where the machine has less than the plain peak")
    parser.add_argument("--limit", type=int, default=LIMIT_BYTES)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--time-limit-s", type=float, default=60)
    parser.add_argument("--more", nargs="*", default=[], help="further options of both trainings, without the dashes: 'io=overlapped'")
    options = parser.parse_args()
    options.more = [f"--{one}" for one in options.more]
    if options.table:
        print_table(options.table)
    elif options.log and options.cgroup:
        run_all(options)
    else:
        parser.error("--log and --cgroup to run, or --table to print")


if __name__ == "__main__":
    main()
