#!/usr/bin/env python3
"""Every method on the grid: 8 released networks x 3 platforms x 3 RAM budgets, deadline 1.5 x the compute time.

    bench/methods/run.py --program build/release/poet --io free --log bench/methods/free.jsonl
    bench/methods/run.py --program build/release/poet --io blocking --log bench/methods/blocking.jsonl
    bench/methods/run.py --table bench/methods/free.jsonl bench/methods/blocking.jsonl > bench/methods/README.md

The log has one JSON line per instance, with the whole answer of `poet compare --json`; tables are made from logs only.
Every schedule is replayed by the verifier. What must hold is checked when the table is made: no schedule of the class is
below the proved bound, and none is cheaper than POET's.
"""
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from frame import GRID, Log, answer_of, arguments, geometric_mean, read_log, timed  # noqa: E402

# The released formulation has a benchmark of its own (bench/grid): it would take most of the time.
LEFT_OUT = {"poet-released"}
ROUNDING = 1e-9


def methods_of(program):
    run, _ = timed([program, "compare", "--model", "linear", "--platform", "m0", "--ram-budget", "100%", "--json", "--quiet"])
    return [row["method"] for row in answer_of(run)["methods"] if row["method"] not in LEFT_OUT]


def run_all(options):
    methods = options.methods or methods_of(options.program)
    with Log(options.log, io=options.io, time_limit_s=options.time_limit_s, methods=methods) as log:
        for network, device, budget in GRID:
            run, seconds = timed(
                [options.program, "compare", "--graph", "released", "--model", network, "--platform", device, "--ram-budget", budget,
                 "--runtime-budget", "1.5", "--io", options.io, "--methods", ",".join(methods), "--time-limit-s",
                 str(options.time_limit_s), "--json", "--quiet"])
            log.write({"network": network, "device": device, "budget": budget, "exit": run.returncode,
                       "process_s": seconds, "answer": answer_of(run)})
            print(f"{network:16} {device:4} {budget:6} exit {run.returncode} {seconds:7.1f} s", file=sys.stderr)


def broken_promises(rows):
    """What must not be: one sentence each."""
    for row in rows:
        place = f"{row['network']} on {row['device']} at {row['budget']}"
        answer = row["answer"]
        if answer is None:
            yield f"{place}: no answer"
            continue
        runs = {run["method"]: run for run in answer["methods"]}
        poet = runs["poet"]
        for name, run in runs.items():
            if run["outcome"] != "fits" or not run["in_class"]:
                continue
            if run["objective"] < answer["lower_bound"] * (1 - ROUNDING):
                yield f"{place}: {name} is below the bound"
            if poet["outcome"] != "fits" or run["objective"] < poet["objective"] * (1 - ROUNDING):
                yield f"{place}: {name} is cheaper than POET"


def print_table(head, rows):
    print("| method | fits | over RAM | too slow | impossible | cannot | no answer | overhead over POET's, geometric mean "
          "| worst | seconds to plan, geometric mean |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for name in head["methods"]:
        outcomes, ratios, seconds = {}, [], []
        for row in rows:
            runs = {run["method"]: run for run in row["answer"]["methods"]}
            run, poet, least = runs[name], runs["poet"], row["answer"]["unavoidable"]
            outcomes[run["outcome"]] = outcomes.get(run["outcome"], 0) + 1
            seconds.append(max(row["answer"]["timing"][name], 1e-6))
            ours = poet["objective"] - least if poet["objective"] is not None else 0
            if run["outcome"] == "fits" and ours > 1e-9 * least:
                ratios.append(max((run["objective"] - least) / ours, 1))
        mean = geometric_mean(ratios)
        print(f"| {name} | {outcomes.get('fits', 0)} | {outcomes.get('over_ram', 0)} | {outcomes.get('over_deadline', 0)} "
              f"| {outcomes.get('infeasible', 0)} | {outcomes.get('unsupported', 0)} | {outcomes.get('stopped', 0)} "
              f"| {'-' if mean is None else f'{mean:.2f}x'} | {'-' if not ratios else f'{max(ratios):.1f}x'} "
              f"| {geometric_mean(seconds):.2g} |")


def print_log(path):
    head, rows = read_log(path)
    print(f"\n## {head['io'].capitalize()} transfers\n")
    print(f"Commit {head['commit']}, {head['date']}, {head['machine']} with {head['cores']} cores, one comparison at a time, "
          f"at most {head['time_limit_s']:g} s for each method, seed 1, CBC. Raw log: `{os.path.basename(path)}`.\n")
    broken = list(broken_promises(rows))
    for sentence in broken:
        print(f"- **Broken**: {sentence}")
    findings = [f"{row['network']} on {row['device']} at {row['budget']}: {finding}"
                for row in rows if row["answer"] for finding in row["answer"]["findings"]]
    if not broken:
        print(f"On all {len(rows)} instances no schedule of the class is below the proved bound, and none is cheaper than "
              "POET's.\n")
    print(f"Schedules from outside the class that beat POET's: {len(findings)}.\n")
    for finding in findings:
        print(f"- {finding}")
    if findings:
        print()
    print_table(head, rows)
    return not broken


def main():
    parser = arguments(__doc__, many_tables=True)
    parser.add_argument("--io", default="free")
    parser.add_argument("--methods", nargs="+")
    parser.add_argument("--time-limit-s", type=float, default=20)
    options = parser.parse_args()
    if not options.table:
        run_all(options)
        return
    print("# The published methods, side by side\n\nMade by `run.py` beside this file. The overhead is the energy beyond "
          "what no schedule can save; it is compared where POET's is not zero and the method fits.")
    good = [print_log(path) for path in options.table]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
