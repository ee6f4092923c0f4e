#!/usr/bin/env python3
"""What certificates prove of the grid's bounds in exact arithmetic, by both exact checkers.

    bench/certificates/exact.py --program build/release/poet --log bench/certificates/exact.jsonl
    bench/certificates/exact.py --table bench/certificates/exact.jsonl > bench/certificates/exact.md

Each instance of the grid is solved with `--certificate`; plan and certificate are checked by `poet verify` (in doubles), by
`poet-check-proof`, which lies beside the program, and by tools/check_proof.py, each in a process of its own. The log has one JSON
line per instance; tables are made from logs only.
"""
import json
import os
import statistics
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from frame import GRID, Log, answer_of, arguments, read_log, timed  # noqa: E402

SECOND = Path(__file__).parents[2] / "tools" / "check_proof.py"


def said_by(command):
    run, seconds = timed(command)
    return json.loads(run.stdout) if run.stdout else {"error": run.stderr}, run.returncode, seconds


def measure(program, network, device, budget, time_limit_s):
    with tempfile.TemporaryDirectory() as folder:
        plan, proof = os.path.join(folder, "plan.json"), os.path.join(folder, "proof.json")
        run, solve_s = timed([program, "solve", "--graph", "released", "--model", network, "--platform", device,
                              "--ram-budget", budget, "--runtime-budget", "1.5", "--io", "free", "--solver", "cbc",
                              "--time-limit-s", str(time_limit_s), "--quiet", "--json", "--out", plan,
                              "--certificate", proof])
        answer = answer_of(run, folder)
        row = {"network": network, "device": device, "budget": budget, "solve_s": solve_s, "status": answer["status"],
               "evidence": answer["evidence"], "energy_j": answer["energy_j"], "unavoidable_j": answer["unavoidable_j"]}
        if not (os.path.exists(proof) and os.path.exists(plan)):
            return row
        row["certificate_bytes"] = os.path.getsize(proof)
        in_doubles, row["verify_exit"], row["verify_s"] = said_by([program, "verify", plan, "--certificate", proof, "--json"])
        row["in_doubles"] = in_doubles["certificate"]
        beside = str(Path(program).with_name("poet-check-proof"))
        row["exact"], row["exact_exit"], row["exact_s"] = said_by([beside, "--json", plan, proof])
        row["python"], row["python_exit"], row["python_s"] = said_by([sys.executable, str(SECOND), "--json", plan, proof])
        return row


def agree(row):
    """Whether both exact checkers found the same fractions."""
    here, there = row["exact"], row["python"]
    if here["fault"] or there["fault"]:
        return False
    return (here["holds"] == there["holds"] and here["proved"]["exact"] == there["proved"] and
            [one["exact"] for one in here["parts"]] == there["parts"] and here["gap"]["exact"] == there["gap"] and
            here["plan"]["objective"]["exact"] == there["plan"]["objective"])


def run_all(options):
    with Log(options.log, time_limit_s=options.time_limit_s, note=options.note) as log:
        for instance in GRID:
            row = measure(options.program, *instance, options.time_limit_s)
            log.write(row)
            print(*instance, row["status"], f"{row['solve_s']:.1f} s,", "no certificate" if "exact" not in row else
                  f"agree: {agree(row)}, {row['exact_s']:.2f} s and {row['python_s']:.2f} s", file=sys.stderr)


def part_text(value):
    return "0" if value == 0 else f"{float(value):.1e}"


def print_table(path):
    head, rows = read_log(path)
    rows = {(row["network"], row["device"], row["budget"]): row for row in rows}
    proved = [row for row in rows.values() if "exact" in row]
    gaps = {key: Fraction(row["exact"]["gap"]["exact"]) for key, row in rows.items() if "exact" in row}
    costs = {key: Fraction(rows[key]["exact"]["plan"]["objective"]["exact"]) for key in gaps}
    least = {key: Fraction(rows[key]["exact"]["unavoidable"]["exact"]) for key in gaps}
    to_the_bit = sum(gap == 0 for gap in gaps.values())
    rounding = sum(0 < gap <= costs[key] / 10**9 for key, gap in gaps.items())
    within = sum(gap <= max((costs[key] - least[key]) / 100, costs[key] / 10**6) for key, gap in gaps.items())
    # Below 0: doubles, with their margins, proved less than there is to prove.
    differences = {key: (Fraction(rows[key]["in_doubles"]["proved_bound"]) - Fraction(rows[key]["exact"]["proved"]["exact"])) / costs[key]
                   for key in gaps}
    print("# Certificates in exact arithmetic\n\nMade by `exact.py` beside this file: the instances of [the grid](../grid/README.md), "
          "each solved with `--certificate`, and checked by `poet verify`, `poet-check-proof` and `tools/check_proof.py`.\n")
    print(f"Commit {head['commit']}, {head['date']}, {head['machine']} with {head['cores']} cores, time limit "
          f"{head['time_limit_s']:g} s, seed 1, CBC. Raw log: `{os.path.basename(path)}`. {head.get('note', '')}\n")
    print(f"Of {len(rows)} instances, {len(proved)} have a certificate. All hold by `poet-check-proof`: "
          f"{'yes' if all(row['exact']['holds'] for row in proved) else 'NO'}. `tools/check_proof.py` finds the same fractions for "
          f"{sum(map(agree, proved))} of them. {to_the_bit} plans are optimal to the last bit, {rounding} more within 1e-9 of what "
          f"they take; {within} are shown to be within the gap that is allowed (1 % of the overhead, or 1e-6), without a margin. The certificates of the others prove "
          "less: a longer limit leaves more time for them ([README](README.md)).\n")
    print(f"The bound in doubles is below the exact one by at most {part_text(-min(differences.values()))} of the plan's cost, and above it by at "
          f"most {part_text(max([Fraction(0), *differences.values()]))}: what no schedule can avoid is a plain sum in doubles.\n")
    for name, key in (("`poet verify`", "verify_s"), ("`poet-check-proof`", "exact_s"), ("`tools/check_proof.py`", "python_s")):
        times = sorted(row[key] for row in proved)
        print(f"- {name}: median {statistics.median(times):.2f} s, at most {times[-1]:.2f} s, {sum(times):.1f} s in all")
    print("\n`gap` is the exact gap as a part of what the plan takes, `open` as a part of its overhead; `doubles` is how far the bound of "
          "`poet verify` lies from the exact one, as a part of what the plan takes; `digits` those of the exact bound as a fraction.\n")
    print("| network | device | budget | gap | open | doubles | digits | size (KiB) | verify (s) | exact (s) | Python (s) |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for key in GRID:
        if key not in gaps:
            continue
        row, overhead = rows[key], costs[key] - least[key]
        share = f"{float(gaps[key] / overhead):.3%}" if overhead > 0 else "-"
        print(f"| {' | '.join(key)} | {part_text(gaps[key] / costs[key])} | {share} | {part_text(differences[key])} "
              f"| {len(row['exact']['proved']['exact'])} | {row['certificate_bytes'] / 1024:.0f} | {row['verify_s']:.2f} "
              f"| {row['exact_s']:.2f} | {row['python_s']:.2f} |")


def main():
    parser = arguments(__doc__)
    parser.add_argument("--time-limit-s", type=float, default=55)
    parser.add_argument("--note", default="", help="for the log: what one should know of this run")
    options = parser.parse_args()
    if options.table:
        print_table(options.table)
    else:
        run_all(options)


if __name__ == "__main__":
    main()
