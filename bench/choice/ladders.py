#!/usr/bin/env python3
"""Whether more RAM costs more: small networks planned in more and more of it.

usage: bench/choice/ladders.py POET OUT.jsonl [--count N] [--budgets N] [--seed S] [--time-limit-s S]
Draws N questions by the seed, asks `poet minimum` where each begins, and plans each in budgets from there to 3, 10 or 40 times
as much. A line of JSON for each plan as it is found; in the end how many cost over 0.1 % more than one in less RAM, and how
many of those were not ended by the clock.
"""

import argparse
import json
import random
import subprocess
import sys

NETWORKS = ("lenet5", "digits-cnn", "digits-cnn", "digits-mlp")
MORE = 1.001  # what counts as more


def answer(poet, words):
    done = subprocess.run([poet, *words, "--json", "--quiet"], capture_output=True, text=True)
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError:
        return {"error": (done.stderr or done.stdout)[-300:]}


def drawn(draw):
    network = draw.choice(NETWORKS)
    words = ["--model", network, "--platform", draw.choice(("m4", "m0", "laptop", "a72")),
             "--batch-size", str(draw.choice((1, 2, 4, 8)))]
    if network == "lenet5":
        words += ["--image-size", draw.choice(("16", "28", "32"))]
    chance = draw.random()
    if chance < 0.25:
        words.append("--no-remat")
    elif chance < 0.5:
        words.append("--no-paging")
    if draw.random() < 0.3:
        words += ["--io", draw.choice(("free", "blocking"))]
    return words


def budgets_from(least, draw, count):
    most = least * draw.choice((3, 10, 40))
    return sorted({int(least * (most / least) ** (k / (count - 1))) for k in range(count)})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("poet")
    parser.add_argument("out")
    parser.add_argument("--count", type=int, default=14)
    parser.add_argument("--budgets", type=int, default=9)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--time-limit-s", default="20")
    asked = parser.parse_args()
    draw = random.Random(asked.seed)
    plans, worse, sure = 0, 0, 0
    with open(asked.out, "w", encoding="utf-8") as out:
        for _ in range(asked.count):
            words = drawn(draw)
            least = answer(asked.poet, ["minimum", *words, "--time-limit-s", asked.time_limit_s]).get("found_bytes")
            if least is None:
                print(json.dumps({"question": " ".join(words), "minimum": None}), file=out, flush=True)
                continue
            best = None
            for budget in budgets_from(least, draw, asked.budgets):
                found = answer(asked.poet, ["solve", *words, "--ram-budget", str(budget), "--time-limit-s", asked.time_limit_s])
                energy = found.get("energy_j")
                clock = found.get("timing", {}).get("ended_by_clock")
                line = {"question": " ".join(words), "ram_budget_bytes": budget, "status": found.get("status"), "energy_j": energy,
                        "ended_by_clock": clock, "effort_s": found.get("timing", {}).get("effort_s")}
                plans += 1
                if best is not None and (energy is None or energy > MORE * best[0]):
                    line["less_in_bytes"], line["ratio"] = best[1], energy and energy / best[0]
                    worse += 1
                    sure += not clock
                print(json.dumps(line), file=out, flush=True)
                if energy is not None and (best is None or energy < best[0]):
                    best = (energy, budget)
        said = {"plans": plans, "worse": worse, "worse_without_the_clock": sure}
        print(json.dumps(said), file=out)
        print(said)
    return 0


if __name__ == "__main__":
    sys.exit(main())
