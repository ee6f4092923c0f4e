#!/usr/bin/env python3
"""Steps of about 20,000 operations: how close a plan of ten seconds is to the best that is known. And of 100,000: a plan, its gap, its memory.

    bench/large/at_size.py --program build/release/poet --log bench/large/at_size.jsonl     (half an hour)
    bench/large/at_size.py --processor-clock --log bench/large/at_size_alone.jsonl
    bench/large/at_size.py --table bench/large/at_size.jsonl bench/large/at_size_alone.jsonl

Every step is asked with --short-s and then with --long-s seconds; the best known is the better of the two. A limit counts the search; what
comes before it (reading, cutting) and after it (replaying) is in the wall seconds. Memory is of the process itself. With --processor-clock
the limits of 20,000 operations are seconds of the processor (processor_clock.c), for a machine that others work on, and only --short-s is
asked: the best known is that of all logs that are given.
"""
import json
import os
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import frame

M4 = ["--platform", "m4"]
# In 253,440 bytes, in parts of such a size that there are about 20,000.
NETWORKS = {
    "bert-base, 32 tokens, parts of 196,608": ["--model", "bert-base", "--sequence-length", "32", "--parts", "196608"],
    "resnet18, parts of 250,000": ["--model", "resnet18", "--parts", "250000"],
    "gpt2-tiny, parts of 253,440": ["--model", "gpt2-tiny", "--parts", "253440"],
    "unet, 64 x 64, parts of 253,440": ["--model", "unet", "--image-size", "64", "--parts", "253440"],
}
LARGE = {"bert-base, 128 tokens, parts of 160,000": ["--model", "bert-base", "--sequence-length", "128", "--parts", "160000"]}
FIELDS = ["status", "energy_j", "lower_bound_j", "gap", "overhead_gap", "unavoidable_j", "solve_s", "operations"]


def generated(program, folder, kind, count):
    path = os.path.join(folder, f"{kind}-{count}.json")
    subprocess.run([program, "generate", kind, "--operations", str(count), "--out", path], check=True, capture_output=True)
    return ["--graph-file", path]


def cases(program, folder, size):
    """Of a size: title, arguments."""
    for title, network in (NETWORKS if size == 20_000 else LARGE).items():
        yield title, [*network, "--ram-budget", "253440"]
    for kind in ("transformer", "resnet", "unet"):
        graph = generated(program, folder, kind, size)
        for budget in ("40%way", "10%way"):
            yield f"generated {kind}, {budget}", [*graph, "--ram-budget", budget]


def asked(program, words, limit_s, clock=None):
    begin = time.monotonic()
    environment = {**os.environ, **({"LD_PRELOAD": clock} if clock else {})}
    run = subprocess.Popen([program, "solve", *words, *M4, "--batch-size", "1", "--time-limit-s", str(limit_s), "--json", "--quiet"]
                           if "--model" in words else
                           [program, "solve", *words, *M4, "--time-limit-s", str(limit_s), "--json", "--quiet"],
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    out = run.stdout.read()
    said = run.stderr.read()
    _, _, usage = os.wait4(run.pid, 0)
    row = {"limit_s": limit_s, "wall_s": time.monotonic() - begin, "processor_s": usage.ru_utime, "rss_bytes": usage.ru_maxrss * 1024}
    answer = json.loads(out) if out else {"said": said.strip()}
    row.update({field: answer[field] for field in FIELDS if field in answer})
    if answer.get("parts"):
        row["operations"] = answer["parts"]["operations"]
    if "energy_j" not in row:
        row["said"] = answer.get("said") or out.strip()[:300]
    return row


def run(arguments):
    program = os.path.abspath(arguments.program)
    questions = [(20_000, (arguments.short_s, arguments.long_s)), (100_000, (60 - arguments.spare_s,))]
    what = {"benchmark": "large steps at size"}
    with tempfile.TemporaryDirectory() as folder:
        clock = None
        if arguments.processor_clock:
            questions = [(20_000, (arguments.short_s,))]
            what["clock"] = "the processor's"
            clock = os.path.join(folder, "clock.so")
            source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "processor_clock.c")
            subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", clock, source], check=True)
        with frame.Log(arguments.log, **what) as log:
            for size, limits in questions:
                for title, words in cases(program, folder, size):
                    for limit_s in limits:
                        log.write({"size": size, "title": title, **asked(program, words, limit_s, clock)})


def table(paths):
    rows = [row for path in paths for row in frame.read_log(path)[1]]
    best = {}
    for row in rows:
        if "energy_j" in row:
            key = row["size"], row["title"]
            best[key] = min(best.get(key, row["energy_j"]), row["energy_j"])
    print("| step | operations | limit, s | wall, s | processor, s | J | above the best known | gap to the bound | MiB |\n"
          "|---|---|---|---|---|---|---|---|---|")
    for row in rows:
        count = row.get("operations") or row["size"]
        if "energy_j" not in row:
            print(f"| {row['title']} | {count:,} | {row['limit_s']:.0f} | {row['wall_s']:.0f} | {row['processor_s']:.0f} | {row['said']} |")
            continue
        above = row["energy_j"] / best[row["size"], row["title"]] - 1
        gap = f"{row['gap']:.1%}" if row.get("gap") is not None else "none"
        print(f"| {row['title']} | {count:,} | {row['limit_s']:.0f} | {row['wall_s']:.0f} | {row['processor_s']:.0f} | {row['energy_j']:.4g} | {above:.2%} | {gap} | "
              f"{row['rss_bytes'] / 2**20:.0f} |")


def main():
    parser = frame.arguments(__doc__, many_tables=True)
    parser.add_argument("--short-s", type=float, default=10)
    parser.add_argument("--long-s", type=float, default=90)
    parser.add_argument("--spare-s", type=float, default=10, help="of the 60 s of the largest steps, for all but the search")
    parser.add_argument("--processor-clock", action="store_true")
    arguments = parser.parse_args()
    if arguments.table:
        table(arguments.table)
    else:
        run(arguments)


main()
