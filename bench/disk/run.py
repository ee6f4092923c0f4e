#!/usr/bin/env python3
"""How fast pages go to and come from a disk: by size of transfer, engine, direct and cached.

    cmake --build build/release --target disk_bench
    bench/disk/run.py --program build/release/bench/disk/disk_bench --storage FOLDER --log bench/disk/disk.jsonl
    bench/disk/run.py --table bench/disk/disk.jsonl > bench/disk/README.md

Each measurement is a process of its own on a new store; the ways are taken in turn, and the whole is repeated, so that
what else the machine does falls on all of them. The log has one JSON line per process; tables are made from logs only.
"""
import os
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from frame import Log, answer_of, arguments, read_log, timed  # noqa: E402

SIZES = [64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20]
ENGINES = ["threads", "uring", "uring-writes"]
KEYS = ["engine", "mode", "checks", "transfer_bytes"]
FIGURES = [("first_write_mb_per_s", "first write", 0), ("write_mb_per_s", "write", 0), ("read_mb_per_s", "read", 0),
           ("blocking_write_us", "one write (us)", 0), ("blocking_read_us", "one read (us)", 0)]


def ways():
    yield from ((engine, mode, "plain", size) for mode in ("direct", "cached") for size in SIZES for engine in ENGINES)
    yield from (("uring", mode, "checked", 4 << 20) for mode in ("direct", "cached"))


def measure(options, engine, mode, checks, size):
    run, _ = timed([options.program, options.storage, engine, mode, checks, str(size), str(options.total_bytes),
                    str(options.depth), str(options.piece_bytes)])
    if run.returncode != 0:
        sys.exit(run.stderr)
    return {**dict(zip(KEYS, (engine, mode, checks, size))), **answer_of(run)}


def run_all(options):
    with Log(options.log, total_bytes=options.total_bytes, depth=options.depth, piece_bytes=options.piece_bytes,
             repeats=options.repeats, note=options.note) as log:
        for repeat in range(options.repeats):
            for way in ways():
                log.write({"repeat": repeat, **measure(options, *way)})
            print(f"{repeat + 1} of {options.repeats}", file=sys.stderr)


def size_text(size):
    return f"{size >> 20} MiB" if size >= 1 << 20 else f"{size >> 10} KiB"


def medians(rows):
    grouped = {}
    for row in rows:
        grouped.setdefault(tuple(row[key] for key in KEYS), []).append(row)
    return {way: {name: statistics.median(row[name] for row in group) for name, _, _ in FIGURES}
            for way, group in grouped.items()}


def print_table(path):
    head, rows = read_log(path)
    found = medians(rows)
    blocks = sorted({row["block_bytes"] for row in rows if row["mode"] == "direct"})
    print("# Pages to and from a disk\n\nMade by `run.py` beside this file. Throughput of transfers one behind the other, four "
          "of them under way, in MB/s (10^6 bytes): the first write to a new store, a second write of the same places, a read "
          "of them; then the median time of one blocking transfer. *Cached* reads come from memory, as they do in training "
          "while the page cache has room; *direct* is the disk.\n")
    print("`threads` is pread and pwrite on the store's thread; `uring` takes reads of more than one piece through io_uring, "
          "`uring-writes` writes as well.\n")
    print(f"Commit {head['commit']}, {head['date']}, {head['machine']} with {head['cores']} cores, {size_text(head['total_bytes'])} "
          f"per pass, rings of {head['depth']} pieces of {size_text(head['piece_bytes'])}, blocks of "
          f"{', '.join(map(str, blocks))} bytes, medians of {head['repeats']} runs. Raw log: `{os.path.basename(path)}`. "
          f"{head['note']}\n")
    for mode in ("direct", "cached"):
        print(f"## {mode}\n\n| size | engine | {' | '.join(title for _, title, _ in FIGURES)} |")
        print("|---|---|" + "---|" * len(FIGURES))
        for way, figures in found.items():
            if way[1] == mode:
                name = way[0] + (", checksums" if way[2] == "checked" else "")
                values = " | ".join(f"{figures[key]:.{digits}f}" for key, _, digits in FIGURES)
                print(f"| {size_text(way[3])} | {name} | {values} |")
        print()


def main():
    parser = arguments(__doc__)
    parser.add_argument("--storage", default=".", help="a folder on the disk to measure")
    parser.add_argument("--total-bytes", type=int, default=128 << 20)
    parser.add_argument("--depth", type=int, default=4)
    parser.add_argument("--piece-bytes", type=int, default=1 << 20)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--note", default="", help="for the log: what one should know of this run")
    options = parser.parse_args()
    if options.table:
        print_table(options.table)
    else:
        run_all(options)


if __name__ == "__main__":
    main()
