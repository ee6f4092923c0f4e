#!/usr/bin/env python3
"""How near the fit to a log of power comes to a truth that it does not know.

    bench/energy/run.py --program build/release/poet --log bench/energy/energy.jsonl
    bench/energy/run.py --table bench/energy/energy.jsonl

A network's step runs on the emulated board qemu-m4 and is exported as a project; synthetic_log.py draws what a board takes, writes it to a file,
and writes the log; 'poet profile --power-log' fits; and what it says is compared with the file."""

import json
import math
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import frame  # noqa: E402

NETWORK = ["--model", "lenet5", "--image-size", "24", "--batch-size", "8"]
SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "synthetic_log.py")
# The options of the script, and those of poet.
CASES = {
    "three pins": (["--pins", "3"], ["--pins", "3"]),
    "three pins, noise of 1 mA": (["--pins", "3", "--noise-ua", "1000"], ["--pins", "3"]),
    "three pins, 10 kHz": (["--pins", "3", "--rate-hz", "10000"], ["--pins", "3"]),
    "one pin": ([], []),
    "no pin, durations within 2 % of 1.3 times those expected": (["--without-channels", "--spread", "0.02"], ["--align", "durations"]),
    "no pin, within 10 %": (["--without-channels", "--spread", "0.1"], ["--align", "durations"]),
    "no pin, another card": (["--without-channels"], ["--align", "durations"]),
}
STEPS = 10


def prepare(program, folder):
    subprocess.run([program, "run", "--board", "qemu-m4", *NETWORK, "--steps", "1", "--out", folder + "/project", "--quiet"],
                   check=True, capture_output=True)
    subprocess.run([program, "profile", "--board", "qemu-m4", *NETWORK, "--datasheet", "nrf52840", "--out-device",
                    folder + "/counted.toml", "--out-costs", folder + "/counted.costs.json", "--quiet"], check=True,
                   capture_output=True)


def fit(program, folder, case, seed):
    made, asked = CASES[case]
    log, truth = folder + "/log.csv", folder + "/truth.json"
    subprocess.run([sys.executable, SCRIPT, folder + "/project", folder + "/counted.costs.json", log, truth, "--steps", str(STEPS),
                    "--seed", str(seed), *made], check=True)
    ended = subprocess.run([program, "profile", "--power-log", log, "--supply-v", "3", "--project", folder + "/project",
                            "--costs", folder + "/counted.costs.json", "--platform", folder + "/counted.toml", "--json",
                            *asked], capture_output=True, text=True)
    os.remove(log)
    if ended.returncode != 0:
        return {"case": case, "seed": seed, "refused": json.loads(ended.stdout)["error"].replace(folder + "/", "")}
    with open(truth) as file:
        return {"case": case, "seed": seed, **compared(json.loads(ended.stdout), json.load(file))}


def compared(said, truth):
    """What poet says of each term beside the truth; sizes are of the log, errors relative."""
    power = said["power_log"]
    terms = []
    for term in power["terms"]:
        real = truth.get(term["name"])
        if real is None or term["joules"] is None:
            continue
        terms.append({"kind": term["kind"], "name": term["name"], "uses": term["uses"], "together": term["together"],
                      "joules": term["joules"], "true_joules": real["joules"], "joules_error": term["joules_error"],
                      "seconds": term["seconds"], "true_seconds": real["seconds"]})
    return {"steps": power["steps"], "rows": power["rows"], "step_j": power["step_j"], "residual": power["joules_residual_ratio"],
            "terms": terms}


def off(term, what="joules"):
    return abs(term[what] / term["true_" + what] - 1)


def weighted(terms):
    """The mean relative error, by what each takes of the step."""
    if not terms:
        return math.nan
    whole = sum(term["uses"] * term["true_joules"] for term in terms)
    return sum(off(term) * term["uses"] * term["true_joules"] for term in terms) / whole


def table(path):
    with open(path) as file:
        rows = [json.loads(line) for line in file][1:]
    print("| log | steps | operations by themselves: mean error, by joules | worst above 0.1 % of the step | worst of all, of the "
          "step's joules | divided ones: worst, of the step's joules | byte read, written | within 3 of its errors | missed by the fit, as it says |")
    print("|---|---|---|---|---|---|---|---|---|")
    for row in rows:
        if "refused" in row:
            print(f"| {row['case']} | | refused: {row['refused']} | | | | | |")
            continue
        alone = [term for term in row["terms"] if term["together"] == 0 and term["kind"] == "operation"]
        shared = [term for term in row["terms"] if term["together"] != 0 and term["kind"] == "operation"]
        large = [term for term in alone if term["uses"] * term["true_joules"] > 1e-3 * row["step_j"]]
        moved = {term["kind"]: term for term in row["terms"] if term["kind"].startswith("byte")}
        near = [term for term in row["terms"] if term["together"] == 0 and term["joules_error"] is not None]
        held = sum(abs(term["joules"] - term["true_joules"]) <= 3 * term["joules_error"] for term in near)
        percent = lambda x: f"{100 * x:.2g} %"
        worst = lambda some, figure: percent(max(map(figure, some))) + f" of {len(some)}" if some else "none"
        of_step = lambda term: off(term) * term["uses"] * term["true_joules"] / row["step_j"]  # noqa: B023
        print(f"| {row['case']} | {row['steps']} | {percent(weighted(alone)) if alone else 'none'} | {worst(large, off)} | {worst(alone, of_step)} | {worst(shared, of_step)} | "
              f"{percent(off(moved['byte read']))}, {percent(off(moved['byte written']))} | {held} of {len(near)} | "
              f"{percent(row['residual'])} |")


def main():
    chosen = frame.arguments(__doc__).parse_args()
    if chosen.table:
        table(chosen.table)
        return
    with frame.Log(chosen.log, network=NETWORK, steps=STEPS) as log, tempfile.TemporaryDirectory() as folder:
        prepare(chosen.program, folder)
        for seed, case in enumerate(CASES, start=1):
            log.write(fit(chosen.program, folder, case, seed))


if __name__ == "__main__":
    main()
