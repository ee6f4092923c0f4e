#!/usr/bin/env python3
"""Training everything beside adapters of low rank: the least RAM of a step and a plan of it, by `poet minimum` and `poet solve`.

    bench/adapters/run.py --program build/release/poet --log bench/adapters/adapters.jsonl
    bench/adapters/run.py --table bench/adapters/adapters.jsonl > bench/adapters/README.md

Nothing is trained: the figures are those of plans, which a second process verifies. Each search is a process of its own. The
log has one JSON line per search; the table is made from the log only.
"""
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from frame import Log, answer_of, arguments, is_verified, read_log, timed  # noqa: E402

STEP = ["--model", "qwen2.5-0.5b", "--sequence-length", "256", "--batch-size", "1", "--optimiser", "adamw", "--platform", "a72"]
TRAINED = [
    ("everything", []),
    ("adapters, attention", ["--adapter", "lora:rank=8,alpha=16,targets=attention"]),
    ("adapters, all products", ["--adapter", "lora:rank=8,alpha=16,targets=all"]),
]
# Of each: what is asked, and with what.
QUESTIONS = [
    ("least RAM, whole", "minimum", ["--parts", "whole"]),
    ("least RAM, in parts", "minimum", []),
    ("plan in 2 GiB", "solve", ["--ram-budget", "2GiB"]),
    ("plan in 300 MiB", "solve", ["--ram-budget", "300MiB"]),
]


def ask(program, trained, options, question, command, with_what, limit_s):
    with tempfile.TemporaryDirectory() as folder:
        plan = os.path.join(folder, "plan.json")
        run, seconds = timed([program, command, *STEP, *options, *with_what, "--time-limit-s", str(limit_s), "--json", "--quiet",
                              "--out", plan])
        return {"trained": trained, "question": question, "process_s": seconds, "exit": run.returncode,
                "answer": answer_of(run, folder), "verified": is_verified(program, plan)}


def run_all(options):
    with Log(options.log, time_limit_s=options.time_limit_s) as log:
        for trained, what in TRAINED:
            for question in QUESTIONS:
                row = ask(options.program, trained, what, *question, options.time_limit_s)
                log.write(row)
                answer = row["answer"] or {}
                print(f"{trained:24} {question[0]:28} {answer.get('status')} {row['process_s']:7.1f} s", file=sys.stderr)


def mb(size):
    return "-" if size is None else f"{size / 1e6:,.1f}"


def print_table(path):
    head, rows = read_log(path)
    print("# Adapters beside training everything\n\nMade by `run.py` beside this file.\n")
    print(f"Commit {head['commit']}, {head['date']}, {head['machine']} with {head['cores']} cores, other work beside it, time limit "
          f"{head['time_limit_s']:g} s a search. Raw log: `{os.path.basename(path)}`. `poet ... {' '.join(STEP)}`: AdamW, frozen "
          "weights in a mapped file, trained ones and their states in storage. By plan, nothing is trained; every plan was verified "
          "by a second process.\n")
    print("The least RAM. In parts it is that of the sizes of parts that the search came to in its time, which a faster machine or a "
          "longer search may beat; what is proved of it is proved of that step alone.\n")
    print("| trained | operations | no smaller budget works, MB | smallest found, MB | what keeping everything needs, MB | the operation that needs most |")
    print("|---|---|---|---|---|---|")
    for row in rows:
        a = row["answer"] or {}
        if row["question"].startswith("least"):
            print(f"| {row['trained']} | {row['question'].removeprefix('least RAM, ')} | {mb(a.get('proved_bytes'))} | {mb(a.get('found_bytes'))} "
                  f"| {mb(a.get('plain_peak_bytes'))} | {a.get('largest_working_set_operation', '-')} |")
    print("\nPlans:\n")
    print("| trained | RAM | status | J | unavoidable, J | bound, J | s | peak RAM, MB | written, MB | read, MB | storage, MB |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for row in rows:
        a = row["answer"] or {}
        if row["question"].startswith("least"):
            continue
        if a.get("energy_j") is None:
            print(f"| {row['trained']} | {row['question'].removeprefix('plan in ')} | {a.get('status')} | - | - | - | - | - | - | - | - |")
            continue
        print(f"| {row['trained']} | {row['question'].removeprefix('plan in ')} | {a['status']} | {a['energy_j']:.1f} | {a['unavoidable_j']:.1f} "
              f"| {a['lower_bound_j']:.1f} | {a['time_s']:.1f} | {mb(a['peak_ram_bytes'])} | {mb(a['written_bytes'])} "
              f"| {mb(a['read_bytes'])} | {mb(a['storage_bytes'])} |")
    unverified = [row for row in rows if row["exit"] == 0 and not row["verified"]]
    assert not unverified, unverified


def main():
    parser = arguments(__doc__)
    parser.add_argument("--time-limit-s", type=float, default=60)
    options = parser.parse_args()
    if options.table:
        print_table(options.table)
    elif options.log:
        run_all(options)
    else:
        parser.error("--log to run, or --table to print")


if __name__ == "__main__":
    main()
