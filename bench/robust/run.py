"""Machines whose costs are not quite their figures: how often a plan is late there, and what a plan costs that never is.

    bench/robust/run.py --log bench/robust/robust.jsonl
    bench/robust/run.py --table bench/robust/robust.jsonl

Each step is planned for the same deadline three times: by its figures; for costs that may all be 20 % above them; and for at
most 8 that are. The deadline is 1.01 times what the cheapest plan of all takes by the figures. Then 1,000 machines are sampled, of
four kinds, and each plan's time is added up on each; of each kind five are replayed by `poet verify`: the problem of the plan with
the machine's costs, certain, and the deadline. A factor is of a cost: an operation, the reads of a tensor, or its writes.

- around: each factor uniform between 0.8 and 1.2;
- extremes: each factor 0.8 or 1.2;
- slower: each factor uniform between 1 and 1.2;
- eight: 8 costs that the schedule pays are 1.2, drawn by how much of its time they take; all others are 1.
"""
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import frame  # noqa: E402

RATIO = 0.2
DEVIATIONS = 8
MACHINES = 1000
VERIFIED = 5
SLACK = 1.01
LIMIT_S = 12
STEPS = {
    "linear (released), 10%way": ["--model", "linear", "--ram-budget", "10%way"],
    "bert-tiny, batch of 32, 60%way": ["--model", "bert-tiny", "--batch-size", "32", "--ram-budget", "60%way"],
    "bert-tiny, batch of 32, 20%way": ["--model", "bert-tiny", "--batch-size", "32", "--ram-budget", "20%way"],
    "lenet5, batch of 32, 50%way": ["--model", "lenet5", "--batch-size", "32", "--ram-budget", "50%way"],
    "transformer (released), 30%way": ["--model", "transformer", "--ram-budget", "30%way"],
    "gpt2-tiny, batch of 4, 50%way": ["--model", "gpt2-tiny", "--batch-size", "4", "--ram-budget", "50%way"],
}
COMMON = ["--platform", "a72", "--io", "blocking"]
PLANS = {"figures": [], "all": ["--uncertainty", "20%"], "eight": ["--uncertainty", f"20%:{DEVIATIONS}"]}
TRANSFERS = {"read": ("page_in", "page_in_s", "page_in_j"), "write": ("page_out", "page_out_s", "page_out_j")}


def answer(program, command, *more):
    run = subprocess.run([program, command, "--json", "--quiet", "--time-limit-s", str(LIMIT_S), *more], capture_output=True, text=True)
    return json.loads(run.stdout)


def paid(plan):
    """The seconds that a schedule pays for each cost, by the figures."""
    problem, seconds = plan["problem"], {}
    for action, i in plan["schedule"]["actions"]:
        if action == "compute":
            cost, each = ("compute", i), problem["operations"][i].get("compute_s", 0)
        elif action == "page_in":
            cost, each = ("read", i), problem["tensors"][i].get("page_in_s", 0)
        elif action == "page_out":
            cost, each = ("write", i), problem["tensors"][i].get("page_out_s", 0)
        else:
            continue
        seconds[cost] = seconds.get(cost, 0) + each
    return {cost: all_s for cost, all_s in seconds.items() if all_s > 0}


def factors_of(kind, seconds, dice):
    if kind != "eight":
        draw = {"around": lambda: dice.uniform(1 - RATIO, 1 + RATIO), "extremes": lambda: dice.choice([1 - RATIO, 1 + RATIO]),
                "slower": lambda: dice.uniform(1, 1 + RATIO)}[kind]
        return {cost: draw() for cost in seconds}
    slow, left = {}, dict(seconds)
    while left and len(slow) < DEVIATIONS:
        cost = dice.choices(list(left), weights=left.values())[0]
        slow[cost] = 1 + RATIO
        del left[cost]
    return slow


def on_machine(plan, factors, deadline_s):
    """The plan with the costs of a machine, which are certain there."""
    there = json.loads(json.dumps(plan))
    problem = there["problem"]
    problem.pop("uncertainty", None)
    problem["deadline_s"] = deadline_s
    for (kind, i), factor in factors.items():
        if kind == "compute":
            piece, names = problem["operations"][i], ("compute_s", "compute_j")
        else:
            piece, names = problem["tensors"][i], TRANSFERS[kind][1:]
        for name in names:
            if name in piece:
                piece[name] *= factor
    return there


def replayed(program, plan, folder):
    path = os.path.join(folder, "machine.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(plan, file)
    run = subprocess.run([program, "verify", path, "--json"], capture_output=True, text=True)
    return json.loads(run.stdout)


def late_machines(program, plan, deadline_s, kind, folder):
    """Transfers are blocking, so times add up; `poet verify` replays some of the machines, and must say the same."""
    dice, seconds, late, slowest_s = random.Random(f"{kind} 22.3"), paid(plan), 0, 0
    for n in range(MACHINES):
        factors = factors_of(kind, seconds, dice)
        time_s = sum(factors.get(cost, 1) * all_s for cost, all_s in seconds.items())
        is_late = time_s > deadline_s * (1 + 1e-9)
        if n < VERIFIED:
            there = replayed(program, on_machine(plan, factors, deadline_s), folder)
            assert abs(there["time_s"] - time_s) <= 1e-9 * time_s, (there["time_s"], time_s)
            assert bool(there["findings"]) == is_late, there["findings"]
        late += is_late
        slowest_s = max(slowest_s, time_s)
    return {"late": late, "slowest_s": slowest_s}


def measure(program, log):
    for name, step in STEPS.items():
        step = [*step, *COMMON]
        cheapest = answer(program, "solve", *step)
        deadline_s = SLACK * cheapest["time_s"]
        for which, how in PLANS.items():
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "plan.json")
                found = answer(program, "solve", *step, "--deadline", f"{deadline_s!r}s", *how, "--out", path)
                row = {"step": name, "plan": which, "deadline_s": deadline_s}
                row.update((key, found.get(key)) for key in ("status", "proof", "energy_j", "lower_bound_j", "time_s", "uncertainty", "solve_s"))
                if os.path.exists(path):
                    with open(path, encoding="utf-8") as file:
                        plan = json.load(file)
                    row["machines"] = {kind: late_machines(program, plan, deadline_s, kind, folder)
                                       for kind in ("around", "extremes", "slower", "eight")}
                log.write(row)


def table(path):
    head, rows = frame.read_log(path)
    print(f"Commit {head['commit']}, {head['date']}, {head['machine']} with {head['cores']} cores.\n")
    print("| step | planned for | status | energy (J) | worst (J) | time (s) | worst (s) | deadline (s) | late: around | extremes | slower | eight |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|")
    for row in rows:
        worst = row["uncertainty"] or {"time_s": None, "energy_j": None}
        late = [str(row["machines"][kind]["late"]) if row.get("machines") else "" for kind in ("around", "extremes", "slower", "eight")]
        figures = [row["energy_j"], worst["energy_j"], row["time_s"], worst["time_s"], row["deadline_s"]]
        print(f"| {row['step']} | {row['plan']} | {row['status']} | "
              + " | ".join("" if figure is None else f"{figure:.6g}" for figure in figures) + " | " + " | ".join(late) + " |")


def main():
    options = frame.arguments(__doc__).parse_args()
    if options.table:
        table(options.table)
        return
    with frame.Log(options.log, machines=MACHINES, ratio=RATIO, slack=SLACK, limit_s=LIMIT_S) as log:
        measure(options.program, log)


if __name__ == "__main__":
    main()
