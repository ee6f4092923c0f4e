#!/usr/bin/env python3
"""Training adapters beside frozen weights of float32, int8 and int4: plans of a step in 128 MiB, by `poet train --plan-only`.

    bench/quantised/run.py --program build/release/poet --log bench/quantised/quantised.jsonl
    bench/quantised/run.py --table bench/quantised/quantised.jsonl > bench/quantised/README.md

Nothing is trained and no weights are downloaded: the figures are those of plans, for which only sizes count. The file of weights has the published names and
shapes, and is a hole of zeros. The figures are those of a second process, `poet verify`, which replays the plan. The log has one JSON line per search; the
table is made from the log only.
"""
import json
import os
import struct
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from decoders import DECODERS, step  # noqa: E402
from frame import Log, answer_of, arguments, read_log, timed  # noqa: E402

MODEL = "qwen2.5-0.5b"
STEP = step(MODEL, 256)
WEIGHTS = {"float32": None, "int8": 8, "int4": 4}
BLOCK = 32
PLACES = ["storage", "rom"]
BUDGET = "128MiB"


def write_zeros(path, bits):
    """As docs/formats/weights.md and docs/formats/quantised.md have it; a number of 4 bits with a scale of 0 is 0 whatever it is."""
    header, offset, blocks = {}, 0, {}
    for name, shape in DECODERS[MODEL].shapes().items():
        kind, size = "F32", 4
        if bits and len(shape) == 2:
            blocks[name] = {"bits": bits, "block": BLOCK, "shape": shape}
            kind, size, shape = "U8", 1, [shape[0], shape[1] // BLOCK, 2 + BLOCK * bits // 8]
        count = size
        for extent in shape:
            count *= extent
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [offset, offset + count]}
        offset += count
    if blocks:
        header["__metadata__"] = {"poet.blocks": json.dumps({"version": 1, "tensors": blocks})}
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        file.truncate(8 + len(text) + offset)
    return offset


def ask(program, weights, place, limit_s):
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "weights.safetensors")
        size = write_zeros(file, WEIGHTS[weights])
        plans = Path(folder) / "plans"
        # A step that is only trained: an evaluation would hold the scores of all words at once.
        run, seconds = timed([program, "train", *STEP, "--weights", file, "--frozen", place, "--ram-budget", BUDGET, "--test-examples", "0",
                              "--plan-only", "--cache", str(plans), "--time-limit-s", str(limit_s), "--quiet"])
        kept = sorted(plans.glob("*.plan.json"))
        row = {"weights": weights, "place": place, "weights_bytes": size, "process_s": seconds, "exit": run.returncode, "plan": None}
        if kept:
            checked, _seconds = timed([program, "verify", str(kept[0]), "--json"])
            row["plan"] = answer_of(checked)
        return row


def run_all(options):
    with Log(options.log, time_limit_s=options.time_limit_s) as log:
        for weights in WEIGHTS:
            for place in PLACES:
                row = ask(options.program, weights, place, options.time_limit_s)
                log.write(row)
                print(f"{weights:8} {place:8} {row['exit']} {row['process_s']:7.1f} s", file=sys.stderr)


def mb(size):
    return f"{size / 1e6:,.1f}"


def print_table(path):
    head, rows = read_log(path)
    print("# Adapters beside quantised weights\n\nMade by `run.py` beside this file.\n")
    print(f"Commit {head['commit']}, {head['date']}, {head['machine']} with {head['cores']} cores, other work beside it, time limit "
          f"{head['time_limit_s']:g} s a search. Raw log: `{os.path.basename(path)}`. `poet train {' '.join(STEP)} --ram-budget {BUDGET} --plan-only`, in parts that the "
          "search chooses; the file of weights has the network's names and shapes. By plan, nothing is trained; the figures are those of the replay by `poet verify`. In "
          "*rom* frozen weights are addressed in place and take no RAM of the budget; in *storage* they come in by pages.\n")
    print("| frozen weights | bytes of all, MB | place | valid | peak RAM, MB | read, MB | written, MB | storage, MB | done again | s | J |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for row in rows:
        p = row["plan"]
        start = f"| {row['weights']} | {mb(row['weights_bytes'])} | {row['place']} "
        if p is None:
            print(start + "| no plan | - | - | - | - | - | - | - |")
            continue
        print(start + f"| {'yes' if p['valid'] else 'no'} | {mb(p['peak_ram_bytes'])} | {mb(p['read_bytes'])} | {mb(p['written_bytes'])} | {mb(p['storage_bytes'])} "
              f"| {p['recomputed_operations']} | {p['time_s']:.1f} | {p['energy_j']:.1f} |")


def main():
    parser = arguments(__doc__)
    parser.add_argument("--time-limit-s", type=float, default=30)
    options = parser.parse_args()
    if options.table:
        print_table(options.table)
    elif options.log:
        run_all(options)
    else:
        parser.error("--log to run, or --table to print")


if __name__ == "__main__":
    main()
