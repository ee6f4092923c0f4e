"""Steps of thousands to a hundred thousand operations: how soon there is a plan, how good it is, what is proved.

    python3 bench/large/run.py --log bench/large/large.jsonl
    python3 bench/large/run.py --table bench/large/large.jsonl > bench/large/README.md

Networks in parts on the released Cortex-M4 with the RAM that it leaves, and generated steps; one after the other. The time limit is of
the clock and counts from the start of the process; wall seconds and memory are of the whole process, with reading, cutting and verifying.
"""
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from frame import Log, arguments, read_log  # noqa: E402

# A network, and how large its parts may be.
PARTS = [
    (["resnet18", "--image-size", "32", "--classes", "10"], "64KiB"),
    (["resnet18"], "250000"),
    (["bert-tiny"], "64KiB"),
    (["bert-base", "--sequence-length", "32"], "100KiB"),
    (["gpt2-small"], "250000"),
]
GENERATED = [(kind, count, budget) for count in (10_000, 100_000) for kind in ("transformer", "resnet", "unet") for budget in ("40%way", "10%way")]


def cases(folder, program):
    for network, parts in PARTS:
        for limit_s in (10, 30):
            yield ([" ".join(network) + f", parts of {parts}", "253,440 B"], limit_s,
                   ["--model", *network, "--parts", parts, "--platform", "m4", "--ram-budget", "253440"])
    for kind, count, budget in GENERATED:
        path = os.path.join(folder, f"{kind}-{count}.json")
        if not os.path.exists(path):
            subprocess.run([program, "generate", kind, "--operations", str(count), "--out", path], check=True, capture_output=True)
        yield [f"generated {kind}, {count:,} operations", budget], 30, ["--graph-file", path, "--platform", "m4", "--ram-budget", budget]


def first_plan_s(shown):
    """When progress first showed a schedule. It is first shown after two seconds, so nothing sooner is seen."""
    for line in shown.splitlines():
        found = re.match(r"\s*([\d.]+) s of .*best", line)
        if found:
            return float(found[1])
    return None


def measure(program, what, limit_s, arguments_of_solve):
    begin = time.monotonic()
    run = subprocess.Popen([program, "solve", *arguments_of_solve, "--time-limit-s", str(limit_s), "--json"],
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    out, err = run.communicate()
    wall_s = time.monotonic() - begin
    row = {"instance": what[0], "budget": what[1], "limit_s": limit_s, "exit": run.returncode, "wall_s": wall_s,
           "first_shown_s": first_plan_s(err), "largest_rss_bytes_so_far": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024}
    if out:
        report = json.loads(out)
        if "status" not in report:
            return {**row, "said": out.strip()}
        for key in ("status", "energy_j", "compute_j", "page_in_j", "page_out_j", "unavoidable_j", "lower_bound_j", "gap", "overhead_gap",
                    "peak_ram_bytes", "recomputed_operations", "paged_tensors", "solve_s"):
            row[key] = report[key]
    else:
        row["said"] = (err.strip().splitlines() or ["nothing"])[-1]
    return row


def run(program, path):
    with tempfile.TemporaryDirectory() as folder, Log(path, benchmark="large") as log:
        for case in cases(folder, program):
            row = measure(program, *case)
            log.write(row)
            print(row, file=sys.stderr)


def table(path):
    head, rows = read_log(path)
    print("# Large steps\n\nMade by `run.py` beside this file.\n")
    print(f"Commit {head['commit']}, {head['date']}, {head['machine']} with {head['cores']} cores, on which builds and tests ran at the same time: a process got a quarter to a half of a core. Raw log: "
          f"`{os.path.basename(path)}`. Limits and wall seconds are of the whole process; memory is the most of any process up to that row.\n")
    print("| step | RAM budget | limit | wall | first plan seen | energy | bound | gap | open part of the overhead | memory |\n|---|---|---|---|---|---|---|---|---|---|")
    for row in rows:
        memory = f"{row['largest_rss_bytes_so_far'] / 2**20:.0f} MiB"
        start = f"| {row['instance']} | {row['budget']} | {row['limit_s']} s | {row['wall_s']:.1f} s | {row['first_shown_s'] or ''} |"
        if row.get("energy_j") is None:
            print(start, f"{row.get('said', row.get('status'))} | | | | {memory} |")
        else:
            print(start, f"{row['energy_j']:.4g} J | {row['lower_bound_j']:.4g} J | {row['gap']:.2%} | {row['overhead_gap']:.1%} | {memory} |")


def main():
    given = arguments(__doc__).parse_args()
    if given.table:
        table(given.table)
    else:
        run(given.program, given.log)


main()
