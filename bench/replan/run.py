"""A training that plans again, against the same with the plan that it began with and with all the RAM that it could use.

    bench/replan/run.py --storage /a/folder/on/the/disk --log bench/replan/resnet18.jsonl
    bench/replan/run.py --table bench/replan/resnet18.jsonl

The plan is made with the figures of `laptop`, which are assumed, for a quarter of the arena of the unlimited run, or the budget of
the network's row. A first training measures, plans again and changes over, and is stopped once it says what that brought. Then, --rounds
times in turns, the three go on from its checkpoint for --steps steps, to the same losses: on a machine that others use, too, each
round's ratio is of runs that stood next to each other. A step's time is the median of a run's steps but the first; `worked` is what
its thread computed, which other programs add less to. What tables give are medians of the rounds.
"""
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import frame  # noqa: E402

# The words of each, and its budget: nothing is a quarter of the unlimited arena.
NETWORKS = {
    "resnet18": (["--model", "resnet18", "--image-size", "32", "--batch-size", "32", "--optimiser", "momentum"], None),
    "resnet18-small": (["--model", "resnet18", "--image-size", "32", "--batch-size", "4", "--optimiser", "momentum"], None),
    "bert-base": (["--model", "bert-base", "--batch-size", "1", "--sequence-length", "64"], "64MiB"),
}
STEPS = 100000  # which nobody waits for
# Said when the comparison of the plans is over.
LAST_WORDS = ("stays", "brought", "back")


class Bench:
    def __init__(self, options, name, folder):
        self.options = options
        self.words, self.budget = NETWORKS[name]
        self.folder = folder
        self.log = os.path.join(folder, "log.jsonl")
        self.kept = os.path.join(folder, "kept.checkpoint")

    def command(self, arguments):
        options = self.options
        return [options.program, "train", *self.words, *arguments, "--steps", str(STEPS), "--seed", "1", "--examples", "256",
                "--test-examples", "0", "--objective", "time", "--kernels", options.kernels, "--cache", options.cache, "--storage",
                self.folder, "--log", self.log, "--quiet", "--json", "--time-limit-s", str(options.plan_s)]

    def lines(self):
        if not os.path.exists(self.log):
            return []
        with open(self.log, encoding="utf-8") as file:
            return [json.loads(line) for line in file if line.endswith("\n")]

    def step_times_s(self):
        return [row["step_s"] for row in self.lines() if "step_s" in row]

    def run(self, arguments, is_enough):
        """Stopped when it is: how many steps are planned for decides how well plans are looked for, and is the same for all."""
        if os.path.exists(self.log):
            os.remove(self.log)
        process = subprocess.Popen(self.command(arguments), cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while process.poll() is None and not is_enough():
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
        if process.returncode != 0:
            sys.exit(out + err)
        return json.loads(out)

    def plan_again(self, arguments):
        """Until it is said what came of it."""
        return self.run([*arguments, "--checkpoint", self.kept], lambda: any(line.get("replanning") in LAST_WORDS for line in self.lines()))


def measure(options, log, name, folder):
    bench = Bench(options, name, folder)
    unlimited = ["--ram-budget", "100%", "--parameters", "resident", "--no-replan"]
    arena = bench.run(unlimited, lambda: bench.step_times_s())["arena_bytes"]
    budget = bench.budget or str(arena // 4)
    small = ["--ram-budget", budget, "--io", options.io, *(["--direct-io"] if options.direct else [])]
    first = bench.plan_again(small)
    log.write({"model": name, "run": "first", "unlimited_arena_bytes": arena, "ram_budget_bytes": first["ram_budget_bytes"],
               "replanning": first["replanning"], "steps": first["steps"]})
    shutil.copy(bench.kept, bench.kept + ".first")
    runs = {"unlimited": unlimited, "kept": [*small, "--no-replan"]}
    if first["replanning"][-1]["event"] == "brought":  # otherwise it goes on as it was
        runs["replanned"] = small
    for turn in range(options.rounds):
        for which, arguments in runs.items():
            shutil.copy(bench.kept + ".first", bench.kept)
            answer = bench.run([*arguments, "--checkpoint", bench.kept, "--resume"], lambda: len(bench.step_times_s()) >= options.steps)
            times = bench.step_times_s()
            log.write({"model": name, "run": which, "turn": turn, "arguments": " ".join(arguments), "step_times_s": times,
                       "step_work_s": answer["step_work_s"], "replanning": answer["replanning"],
                       "predicted_step_s": answer["predicted_step_s"], "arena_bytes": answer["arena_bytes"],
                       "peak_rss_bytes": answer["peak_rss_bytes"], "paged_in_bytes": answer["paged_in_bytes"],
                       "paged_out_bytes": answer["paged_out_bytes"], "losses": answer["losses"]})


def of(rows, which, figure):
    return [figure(row) for row in rows if row["run"] == which]


def step_s(row):
    return statistics.median(row["step_times_s"][1:])


def table(path):
    head, rows = frame.read_log(path)
    print(f"commit {head['commit']}, {head['date']}, {head['cores']} cores, {head['storage']}\n")
    print("| network | RAM | rounds | plan | step | predicted | of unlimited | worked, of unlimited | moved in a step | same losses |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for name in dict.fromkeys(row["model"] for row in rows):
        own = [row for row in rows if row["model"] == name]
        first, turns = own[0], own[1:]
        common = min(len(row["losses"]) for row in turns)
        same = len({tuple(row["losses"][:common]) for row in turns}) == 1
        base = {figure: of(turns, "unlimited", figure) for figure in (step_s, lambda row: row["step_work_s"])}
        for which in dict.fromkeys(row["run"] for row in turns):
            ratios = [statistics.median([a / b for a, b in zip(of(turns, which, figure), values)])
                      for figure, values in base.items()]
            times = of(turns, which, step_s)
            moved = statistics.median(of(turns, which, lambda row: (row["paged_in_bytes"] + row["paged_out_bytes"]) / len(row["losses"])))
            print(f"| {name} | {first['ram_budget_bytes'] / (1 << 20):.1f} MiB | {len(times)} | {which} | {statistics.median(times):.3f} s | "
                  f"{statistics.median(of(turns, which, lambda row: row['predicted_step_s'])):.3f} s | {ratios[0]:.2f} | {ratios[1]:.2f} | "
                  f"{moved / (1 << 20):.1f} MiB | {same} |")
        print()
        for line in first["replanning"]:
            print(f"    step {line['step']}: {line['event']}: {line['why']}")


def main():
    parser = frame.arguments(__doc__)
    parser.add_argument("--what", nargs="+", default=["resnet18"], choices=list(NETWORKS))
    parser.add_argument("--steps", type=int, default=6, help="of a run in a round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--storage", default=".", help="a folder on the disk to page to")
    parser.add_argument("--cache", default=os.path.abspath("plans"), help="where plans are kept")
    parser.add_argument("--io", default="overlapped", choices=["blocking", "overlapped"])
    parser.add_argument("--direct", action="store_true", help="past the page cache")
    parser.add_argument("--plan-s", type=float, default=10)
    parser.add_argument("--kernels", default="onednn")
    options = parser.parse_args()
    if options.table:
        table(options.table)
        return
    options.program = str(Path(options.program).resolve())
    options.cache = os.path.abspath(options.cache)
    storage = f"{options.io} transfers, {'past' if options.direct else 'through'} the page cache"
    with frame.Log(options.log, benchmark="replan", kernels=options.kernels, storage=storage, load=os.getloadavg()) as log:
        for name in options.what:
            with tempfile.TemporaryDirectory(dir=options.storage) as folder:
                measure(options, log, name, folder)


if __name__ == "__main__":
    main()
