#!/usr/bin/env python3
"""What certificates prove of the grid's bounds (bench/grid), how large they are and how long checking takes.

    bench/certificates/run.py --program build/release/poet --log bench/certificates/certificates.jsonl
    bench/certificates/run.py --table bench/certificates/certificates.jsonl > bench/certificates/README.md

Each solve is a process of its own; the plan and the certificate it writes are verified by a second process. The log has
one JSON line per solve; tables are made from logs only.
"""
import concurrent.futures
import json
import os
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from frame import GRID, Log, answer_of, arguments, read_log, timed  # noqa: E402

def measure(program, network, device, budget, time_limit_s):
    with tempfile.TemporaryDirectory() as folder:
        plan, proof = os.path.join(folder, "plan.json"), os.path.join(folder, "proof.json")
        run, solve_s = timed([program, "solve", "--graph", "released", "--model", network, "--platform", device,
                              "--ram-budget", budget, "--runtime-budget", "1.5", "--io", "free", "--solver", "cbc",
                              "--time-limit-s", str(time_limit_s), "--quiet", "--json", "--out", plan,
                              "--certificate", proof])
        row = {"network": network, "device": device, "budget": budget, "solve_s": solve_s,
               "answer": answer_of(run, folder)}
        if os.path.exists(proof) and os.path.exists(plan):
            row["certificate_bytes"] = os.path.getsize(proof)
            check, row["verify_s"] = timed([program, "verify", plan, "--certificate", proof, "--json"])
            _, row["verify_without_s"] = timed([program, "verify", plan, "--json"])
            row["verify_exit"] = check.returncode
            row["certificate"] = json.loads(check.stdout)["certificate"]
        return row


def run_all(options):
    with (Log(options.log, jobs=options.jobs, time_limit_s=options.time_limit_s, note=options.note) as log,
          concurrent.futures.ThreadPoolExecutor(options.jobs) as pool):
        pending = [pool.submit(measure, options.program, *instance, options.time_limit_s) for instance in GRID]
        for done in concurrent.futures.as_completed(pending):
            row = done.result()
            log.write(row)
            proof = row.get("certificate", {})
            print(f"{row['network']:16} {row['device']:4} {row['budget']:6} {row['answer']['status']:10} "
                  f"{row['solve_s']:6.1f} s  covers: {proof.get('covers_claim')}", file=sys.stderr)


def overhead_gap(row, bound):
    answer = row["answer"]
    overhead = answer["energy_j"] - answer["unavoidable_j"]
    gap = answer["energy_j"] - bound
    return 0.0 if gap <= 1e-9 * answer["energy_j"] else gap / overhead


def size_text(size):
    return f"{size / 1024:.0f} KiB" if size < 1 << 20 else f"{size / (1 << 20):.1f} MiB"


def print_table(path):
    head, rows = read_log(path)
    rows = {(r["network"], r["device"], r["budget"]): r for r in rows}
    proved = [r for r in rows.values() if "certificate" in r]
    whole = [r for r in proved if r["certificate"]["covers_claim"]]
    within = [r for r in proved if overhead_gap(r, r["certificate"]["proved_bound"]) <= 0.01]
    sizes = sorted(r["certificate_bytes"] for r in proved)
    checks = sorted(r["verify_s"] for r in proved)
    print("# Certificates\n\nMade by `run.py` beside this file: the instances of [the grid](../grid/README.md), each solved "
          "with `--certificate` and checked by `poet verify --certificate` in a process of its own.\n\nThe same instances checked in "
          "exact arithmetic by two programs: [exact.md](exact.md), made by `exact.py`. That there is no schedule, "
          "and smallest budgets: [refusals.md](refusals.md), made by `refusals.py`.\n")
    print(f"Commit {head['commit']}, {head['date']}, {head['machine']} with {head['cores']} cores, {head['jobs']} at a time, time "
          f"limit {head['time_limit_s']:g} s (of which the search has at most 0.7), seed 1, CBC. Raw log: "
          f"`{os.path.basename(path)}`. {head.get('note', '')}\n")
    print(f"Of {len(rows)} instances, {len(proved)} have a certificate, and all of them hold"
          f"{'' if all(r['certificate']['holds'] for r in proved) else ' BUT SOME'}. {len(whole)} cover the whole claim of the "
          f"solver; {len(within)} prove by themselves that the schedule is within 1 % of its overhead. Sizes: median "
          f"{size_text(statistics.median(sizes))}, largest {size_text(sizes[-1])}. Checking takes a median of "
          f"{statistics.median(checks):.2f} s, {checks[-1]:.2f} s at most, the whole process.\n")
    print("Gaps are parts of the overhead: `claimed` is the solver's, `proved` the certificate's, which may be smaller: its "
          "cuts and cases sometimes prove more than was claimed.\n")
    print("| network | device | budget | solve (s) | claimed | proved | nodes | cuts | whole | size | check (s) |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for key in GRID:
        if key not in rows or "certificate" not in rows[key]:
            continue
        row, proof = rows[key], rows[key]["certificate"]
        windows = [p for p in proof["parts"] if p["kind"] == "windows"]
        nodes, cuts = (windows[0]["nodes"], windows[0]["cuts"]) if windows else ("-", "-")
        print(f"| {' | '.join(key)} | {row['solve_s']:.1f} | {overhead_gap(row, proof['claimed_bound']):.2%} "
              f"| {overhead_gap(row, proof['proved_bound']):.2%} | {nodes} | {cuts} "
              f"| {'yes' if proof['covers_claim'] else 'no'} | {size_text(row['certificate_bytes'])} | {row['verify_s']:.2f} |")


def main():
    parser = arguments(__doc__)
    parser.add_argument("--time-limit-s", type=float, default=55)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--note", default="", help="for the log: what one should know of this run")
    options = parser.parse_args()
    if options.table:
        print_table(options.table)
    else:
        run_all(options)


if __name__ == "__main__":
    main()
