#!/usr/bin/env python3
"""What a Power Profiler Kit II would log of a board that runs a project, from a truth that is drawn and kept apart.

    synthetic_log.py PROJECT COUNTED.costs.json LOG.csv TRUTH.json [--steps N] [--pins N] [--noise-ua X] [--seed N] [--rate-hz X] ...

The board takes each operation for as long as was counted, times a factor of its own, at a power of its own; a byte and a
transfer of each direction have their own seconds and joules. A sample is the mean current of the time since the one before, with noise, and the digital
channels as they are at its end. Standard library only."""

import argparse
import json
import random

SUPPLY_V = 3.0
IDLE_A = 0.4e-3
INPUT_S = 0.3e-3
BETWEEN_S = 3e-6  # from the end of a micro-batch to what comes next


def announced(project):
    """What poet_trace() is told in a step: actions, and None at the end of each micro-batch."""
    def form(name):
        actions = [one for one in project["actions"] if one["form"] == name]
        return actions + [None] if actions else []
    count = project["micro_batches"]
    if count == 1:
        return form("whole")
    return form("first") + form("middle") * (count - 2) + form("last")


# What the device m4 says of its card: bytes a second, and seconds of a transfer.
M4_CARD = {"read": (4616.51e3, 0.109e-3), "write": (4440e3, 0.113e-3)}


def draw_truth(project, costs, seed, spread=None):
    """Seconds and joules above idle of one use of everything that the step does. With a spread, all takes 1.3 times what is counted
    or stated, but for that part of it; otherwise the card is one of its own."""
    draws = random.Random(seed)
    counted = {one["operation"]: one["seconds"] for one in costs["operations"]}
    truth = {}
    for action in announced(project):
        if action and action["what"] == "compute" and action["key"] not in truth:
            factor = draws.uniform(1.1, 1.6) if spread is None else 1.3 * draws.uniform(1 - spread, 1 + spread)
            seconds = counted[action["key"]] * factor
            truth[action["key"]] = {"seconds": seconds, "joules": seconds * draws.uniform(8e-3, 14e-3)}
    for name, rate, power in (("byte read", 1.1e6, 70e-3), ("byte written", 0.6e6, 110e-3)):
        truth[name] = {"seconds": 1 / (rate * draws.uniform(0.8, 1.2))}
        truth[name]["joules"] = truth[name]["seconds"] * power * draws.uniform(0.8, 1.2)
    for name, seconds, power in (("read", 0.4e-3, 40e-3), ("write", 1.5e-3, 60e-3)):
        truth[name] = {"seconds": seconds * draws.uniform(0.8, 1.2)}
        truth[name]["joules"] = truth[name]["seconds"] * power * draws.uniform(0.8, 1.2)
    if spread is not None:
        for byte, transfer in (("byte read", "read"), ("byte written", "write")):
            rate, latency_s = M4_CARD[transfer]
            for name, seconds in ((byte, 1 / rate), (transfer, latency_s)):
                took_s = 1.3 * seconds * draws.uniform(1 - spread, 1 + spread)
                truth[name] = {"seconds": took_s, "joules": took_s * truth[name]["joules"] / truth[name]["seconds"]}
    return truth


def uses(action):
    """What an action is made of: names of the truth, and how often."""
    if action["what"] == "compute":
        return [(action["key"], 1)]
    if action["what"] == "read":
        return [("byte read", action["bytes"]), ("read", 1)]
    if action["what"] == "write":
        return [("byte written", action["bytes"]), ("write", 1)]
    return []


def spans(project, truth, steps, pause_s):
    """The log as stretches of one current: (seconds, amperes, announcements so far)."""
    yield pause_s, IDLE_A, 0
    count = 0
    step = announced(project)
    for number in range(steps):
        for position, action in enumerate(step):
            count += 1
            if position == len(step) - 1:
                yield pause_s * (1 + 0.0137 * number), IDLE_A, count
            elif action is None:
                yield BETWEEN_S, IDLE_A, count
            else:
                seconds = sum(n * truth[name]["seconds"] for name, n in uses(action)) or INPUT_S
                joules = sum(n * truth[name]["joules"] for name, n in uses(action)) or INPUT_S * 9e-3
                yield seconds, IDLE_A + joules / seconds / SUPPLY_V, count


def write_log(path, project, truth, steps=8, pins=1, noise_ua=20.0, seed=1, rate_hz=100_000, pause_s=0.15, channels=True,
              start_s=0.0, digits=False):
    draws = random.Random(seed + 1)
    names = "" if not channels else ",D0-D7" if digits else ",D0,D1,D2,D3,D4,D5,D6,D7"
    sample_s = 1 / rate_hz
    with open(path, "w", newline="") as file:
        file.write(f"Timestamp(ms),Current(uA){names}\r\n")
        number, left_s, charge = 0, sample_s, 0.0
        for seconds, amperes, count in spans(project, truth, steps, pause_s):
            low = count & ((1 << pins) - 1)
            shown = [str(low >> pin & 1) for pin in range(8)]
            text = "" if not channels else "," + ("".join(shown) if digits else ",".join(shown))
            while seconds >= left_s:
                charge += left_s * amperes
                seconds -= left_s
                number += 1
                current_ua = charge / sample_s * 1e6 + draws.gauss(0, noise_ua)
                file.write(f"{(start_s + number * sample_s) * 1e3:.4f},{current_ua:.3f}{text}\r\n")
                left_s, charge = sample_s, 0.0
            charge += seconds * amperes
            left_s -= seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("project", "costs", "log", "truth"):
        parser.add_argument(name)
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--pins", type=int, default=1)
    parser.add_argument("--noise-ua", type=float, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate-hz", type=float, default=100_000)
    parser.add_argument("--spread", type=float, help="of what the board takes about 1.3 times what is expected; default: no such ratio")
    parser.add_argument("--without-channels", action="store_true")
    chosen = parser.parse_args()
    with open(chosen.project + "/project.json") as file:
        project = json.load(file)
    with open(chosen.costs) as file:
        costs = json.load(file)
    truth = draw_truth(project, costs, chosen.seed, chosen.spread)
    with open(chosen.truth, "w") as file:
        json.dump(truth, file, indent=1)
    write_log(chosen.log, project, truth, chosen.steps, chosen.pins, chosen.noise_ua, chosen.seed, chosen.rate_hz,
              channels=not chosen.without_channels)


if __name__ == "__main__":
    main()
