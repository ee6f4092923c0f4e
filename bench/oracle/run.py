#!/usr/bin/env python3
"""A million random problems: what the planner claims of them, held against the oracle.

    cmake --build build/release --target oracle_bench
    bench/oracle/run.py --program build/release/bench/oracle/oracle_bench --log bench/oracle/oracle.jsonl
    bench/oracle/run.py --table bench/oracle/oracle.jsonl

Problems are asked about in chunks, each in a process of its own at low priority: a seed that ends its process, or keeps
it busy for --patience seconds, is written down by name, and the rest of the chunk is asked about in the next process.
Started again with the same log, it goes on where it was: a chunk that was not finished is begun anew.
"""
import argparse
import json
import os
import platform
import selectors
import subprocess
import sys
import time

SUMS = ["problems", "answers", "unproved", "certificates", "covered"]


def commit():
    return subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()


def is_older(log):
    """Whether the log is of another commit: its problems were asked of another planner."""
    with open(log) as lines:
        return json.loads(lines.readline())["commit"] != commit()


def finished_chunks(log):
    with open(log) as lines:
        return {row["first"] for row in map(json.loads, lines) if "first" in row}


def ask(program, first, count, patience_s):
    """The rows of `count` seeds from `first`, in as many processes as it takes."""
    rows, sums, end = [], dict.fromkeys(SUMS, 0), first + count
    while first < end:
        process = subprocess.Popen([program, str(first), str(end - first)], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, preexec_fn=lambda: os.nice(15))
        at, why = first, None
        for line in lines_of(process, patience_s):
            row = json.loads(line)
            at = row.get("at", at)
            if "seed" in row:
                rows.append(row)
            if "problems" in row:
                sums = {name: sums[name] + row[name] for name in SUMS}
                first = end
        if process.returncode is None:
            process.kill()
            why = f"no answer within {patience_s} s"
        errors = process.communicate()[1].strip().splitlines()
        if first == end:
            break
        if why is None:
            why = f"ended with {process.returncode}: {errors[-1] if errors else 'no word'}"
        rows.append({"seed": at, "crash": why})
        first = at + 1
    return rows, sums


def lines_of(process, patience_s):
    """Its whole lines until it ends or is silent for too long; then it has no return code."""
    pipe, rest = process.stdout.fileno(), b""
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        while selector.select(patience_s):
            text = os.read(pipe, 1 << 16)
            if not text:
                process.wait()
                return
            *lines, rest = (rest + text).split(b"\n")
            yield from lines


def run_all(options):
    fresh = not os.path.exists(options.log)
    if not fresh and is_older(options.log):
        sys.exit(f"{options.log} is of another commit; move it away first")
    with open(options.log, "a") as log:
        def write(row):
            log.write(json.dumps(row) + "\n")
            log.flush()

        if fresh:
            write({"commit": commit(), "machine": platform.machine(), "cores": os.cpu_count(), "note": options.note,
                   "date": time.strftime("%Y-%m-%d")})
        done = finished_chunks(options.log)
        began = time.monotonic()
        for first in range(options.first, options.first + options.problems, options.chunk):
            if first in done:
                continue
            if options.hours and time.monotonic() - began > options.hours * 3600:
                break
            chunk_began = time.monotonic()
            rows, sums = ask(options.program, first, options.chunk, options.patience)
            for row in rows:
                write(row)
            write({"first": first, "chunk": options.chunk, **sums, "s": round(time.monotonic() - chunk_began, 1)})


def print_table(path):
    with open(path) as log:
        head, *rows = [json.loads(line) for line in log]
    chunks = [row for row in rows if "first" in row]
    done = {seed for row in chunks for seed in range(row["first"], row["first"] + row["chunk"])}
    false = [row for row in rows if "false" in row and row["seed"] in done]
    crashes = [row for row in rows if "crash" in row and row["seed"] in done]
    sums = {name: sum(row[name] for row in chunks) for name in SUMS}
    print(f"Commit {head['commit']}, {head['date']}, {head['machine']} with {head['cores']} cores. {head['note']}\n")
    print("| problems | answers of processes that ended well | not proved | certificates | that cover the claim | "
          "problems with a false answer | problems that ended the process | hours |")
    print("|---|---|---|---|---|---|---|---|")
    print(f"| {len(done):,} | {sums['answers']:,} | {sums['unproved']:,} | {sums['certificates']:,} | {sums['covered']:,} | "
          f"{len({row['seed'] for row in false}):,} | {len({row['seed'] for row in crashes}):,} | "
          f"{sum(row['s'] for row in chunks) / 3600:.1f} |")
    for row in false:
        print(f"\nSeed {row['seed']}: " + "; ".join(row["false"]))
    for row in crashes:
        print(f"\nSeed {row['seed']}: {row['crash']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/bench/oracle/oracle_bench")
    parser.add_argument("--log")
    parser.add_argument("--table", metavar="LOG")
    parser.add_argument("--first", type=int, default=1_000_000, help="the first seed; the tests' are below 20,000")
    parser.add_argument("--problems", type=int, default=1_000_000)
    parser.add_argument("--chunk", type=int, default=500, help="problems of one process")
    parser.add_argument("--patience", type=float, default=300, help="seconds that one problem may take")
    parser.add_argument("--hours", type=float, help="begin no chunk after so many")
    parser.add_argument("--note", default="")
    options = parser.parse_args()
    if options.table:
        print_table(options.table)
    else:
        run_all(options)


main()
