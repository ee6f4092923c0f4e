#!/usr/bin/env python3
"""Which "no schedule" and which smallest budgets have a certificate that both exact checkers accept.

    bench/certificates/refusals.py --program build/release/poet --log bench/certificates/refusals.jsonl
    bench/certificates/refusals.py --table bench/certificates/refusals.jsonl > bench/certificates/refusals.md

Of each released network, device and question the smallest RAM budget is asked for with `--certificate`, and then a plan in one byte
less than what is proved of it. Both certificates are checked by `poet-check-proof`, which lies beside the program, and by
tools/check_proof.py, each in a process of its own. The log has one JSON line per case; tables are made from logs only.
"""
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from frame import Log, answer_of, arguments, read_log, timed  # noqa: E402

SECOND = Path(__file__).parents[2] / "tools" / "check_proof.py"
NETWORKS = ["linear", "transformer", "vgg16_cifar", "resnet18_cifar", "vgg16", "bert"]
DEVICES = ["m4", "a72"]
# The smallest budget is not a working set where there is no time for what would get there.
QUESTIONS = {"recomputing, 1.05x": ["--no-paging", "--runtime-budget", "1.05"],
             "recomputing, 1.2x": ["--no-paging", "--runtime-budget", "1.2"],
             "both, waiting, 1.005x": ["--io", "blocking", "--runtime-budget", "1.005"]}


def checked(program, folder, *files):
    """What both checkers say of a certificate; None where there is none."""
    paths = [os.path.join(folder, file) for file in files]
    if not all(map(os.path.exists, paths)):
        return None
    exact, exact_s = timed([str(Path(program).with_name("poet-check-proof")), *paths])
    python, python_s = timed([sys.executable, str(SECOND), *paths])
    return {"bytes": os.path.getsize(paths[-1]), "exact": exact.returncode, "exact_s": exact_s, "python": python.returncode,
            "python_s": python_s}


def asked(program, folder, command, *words):
    run, seconds = timed([program, command, "--graph", "released", "--quiet", "--json", *words])
    answer = answer_of(run, folder)
    kept = ("status", "evidence", "proof", "proved_bytes", "found_bytes", "largest_working_set_bytes", "warnings")
    parts = [part["kind"] for part in answer.get("certificate", {}).get("parts", [])]
    return {"seconds": seconds, "parts": parts, **{key: answer[key] for key in kept if key in answer}}


def measure(program, network, device, question, time_limit_s):
    with tempfile.TemporaryDirectory() as folder:
        words = ["--model", network, "--platform", device, *QUESTIONS[question], "--time-limit-s", str(time_limit_s)]
        plan, least, none = (os.path.join(folder, name) for name in ("plan.json", "least.json", "none.json"))
        row = {"network": network, "device": device, "question": question}
        row["minimum"] = asked(program, folder, "minimum", *words, "--out", plan, "--certificate", least)
        row["minimum"]["certificate"] = checked(program, folder, "plan.json", "least.json")
        budget = str(row["minimum"]["proved_bytes"] - 1)
        row["solve"] = asked(program, folder, "solve", *words, "--ram-budget", budget, "--certificate", none)
        row["solve"]["certificate"] = checked(program, folder, "none.json")
        return row


def run_all(options):
    with Log(options.log, time_limit_s=options.time_limit_s, note=options.note) as log:
        for question in QUESTIONS:
            for network in NETWORKS:
                for device in DEVICES:
                    row = measure(options.program, network, device, question, options.time_limit_s)
                    log.write(row)
                    print(question, network, device, *((row[what]["status"], row[what]["proof"], row[what]["certificate"])
                                                       for what in ("minimum", "solve")), file=sys.stderr)


def is_accepted(one):
    return bool(one["certificate"]) and (one["certificate"]["exact"], one["certificate"]["python"]) == (0, 0)


def words(one):
    if not one["certificate"]:
        return "none"
    return f"{'yes' if is_accepted(one) else 'NO'}, {one['certificate']['bytes'] / 1024:.1f} KiB"


def print_table(path):
    head, rows = read_log(path)
    least = [row["minimum"] for row in rows]
    none = [row["solve"] for row in rows if row["solve"]["status"] == "infeasible"]
    sums = sum(one["evidence"] == "arithmetic" for one in none)
    exact = sorted(one["certificate"]["exact_s"] for one in least + none if one["certificate"])
    print("# Certificates that there is no schedule\n\nMade by `refusals.py` beside this file: the smallest RAM budget of released networks, and "
          "the question for one byte less than what is proved of it, each with `--certificate`.\n")
    print(f"Commit {head['commit']}, {head['date']}, {head['machine']} with {head['cores']} cores, time limit {head['time_limit_s']:g} s, "
          f"seed 1, CBC. Raw log: `{os.path.basename(path)}`. {head.get('note', '')}\n")
    print(f"- `poet minimum`: of {len(least)} questions {sum(one['status'] == 'optimal' for one in least)} have a smallest budget that is claimed "
          f"proved; {sum(map(is_accepted, least))} have a certificate that both exact checkers accept, and of "
          f"{sum(one['proof'] == 'exact' for one in least)} it covers the answer.")
    print(f"- `poet solve`, a byte less: {len(none)} have no schedule, {sums} of them by sums alone; {sum(map(is_accepted, none))} have a certificate "
          "that both accept.")
    if exact:
        print(f"- A check by `poet-check-proof` takes at most {exact[-1]:.2f} s.")
    print("\n`certificate` is whether both exact checkers accept it, and its size.\n")
    print("| question | network | device | proved (B) | found (B) | proof | certificate | (s) | a byte less | proof | certificate | (s) |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|")
    for row in rows:
        minimum, solve = row["minimum"], row["solve"]
        print(f"| {row['question']} | {row['network']} | {row['device']} | {minimum['proved_bytes']:,} | {minimum['found_bytes'] or 0:,} "
              f"| {minimum['proof']} | {words(minimum)} | {minimum['seconds']:.1f} | {solve['status']} | {solve['proof']} | {words(solve)} "
              f"| {solve['seconds']:.1f} |")


def main():
    parser = arguments(__doc__)
    parser.add_argument("--time-limit-s", type=float, default=5)
    parser.add_argument("--note", default="", help="for the log: what one should know of this run")
    options = parser.parse_args()
    if options.table:
        print_table(options.table)
    else:
        run_all(options)


if __name__ == "__main__":
    main()
