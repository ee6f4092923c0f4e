"""A training step by poet and by PyTorch, in turns: time and memory of both.

    bench/speed/run.py --log bench/speed/speed.jsonl [--blas FOLDER] [--networks resnet18,bert-base] [--turns 5]
    bench/speed/run.py --table bench/speed/speed.jsonl

PyTorch of Debian multiplies matrices with whatever libblas.so.3 is; --blas names the folder of another one, such as that of
the package libopenblas0-pthread. The first step of every process is not counted.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import frame  # noqa: E402

PYTORCH = Path(__file__).resolve().parent / "pytorch_step.py"
ARGUMENTS = {
    "resnet18": ["--model", "resnet18", "--image-size", "32", "--batch-size", "32", "--optimiser", "momentum"],
    "bert-base": ["--model", "bert-base", "--train", "encoder", "--batch-size", "8", "--sequence-length", "128",
                  "--optimiser", "adamw"],
}
STEPS = {"resnet18": 5, "bert-base": 3}  # counted, of a process
SEGMENTS = {"resnet18": 3, "bert-base": 4}


def poet_turn(program, folder, network, threads, budget):
    """Of each counted step the seconds; and the memory."""
    log = os.path.join(folder, "steps.jsonl")
    Path(log).unlink(missing_ok=True)  # a log goes on where there is one
    command = [program, "train", *ARGUMENTS[network], "--kernels", "onednn", "--threads", str(threads), "--steps",
               str(STEPS[network] + 1), "--examples", "64", "--test-examples", "0", "--ram-budget", budget, "--cache",
               os.path.join(folder, "plans"), "--storage", folder, "--log", log, "--quiet", "--json"]
    if budget == "100%":
        command += ["--parameters", "resident"]
    ended = subprocess.run(command, capture_output=True, text=True)
    if ended.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{ended.stdout}{ended.stderr}")
    answer = json.loads(ended.stdout)
    with open(log, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    return {"step_s": [line["step_s"] for line in lines if "step_s" in line][1:],
            **{key: answer[key] for key in ("arena_bytes", "peak_rss_bytes", "fixed_overhead_bytes", "paged_in_bytes")}}


def pytorch_turn(network, threads, segments, blas):
    environment = dict(os.environ, OMP_NUM_THREADS=str(threads), OPENBLAS_NUM_THREADS=str(threads))
    if blas:
        environment["LD_LIBRARY_PATH"] = blas
    command = ["/usr/bin/python3", str(PYTORCH), network, "--threads", str(threads), "--steps", str(STEPS[network] + 1),
               "--segments", str(segments)]
    ended = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    answer = json.loads(ended.stdout)
    return {**answer, "step_s": answer["step_s"][1:]}


def measure(options, log):
    program = str(Path(options.program).resolve())
    for network in options.networks.split(","):
        for threads in (1, 2):
            with tempfile.TemporaryDirectory(dir=options.storage) as folder:
                for segments in (1, SEGMENTS[network]):
                    kept_bytes = None
                    for turn in range(options.turns):
                        row = {"network": network, "threads": threads, "segments": segments, "turn": turn}
                        theirs = pytorch_turn(network, threads, segments, options.blas)
                        log.write({**row, "who": "pytorch", **theirs})
                        if kept_bytes is None:
                            kept_bytes = theirs["peak_rss_bytes"] - theirs["empty_rss_bytes"]
                        budget = "100%" if segments == 1 else str(kept_bytes)
                        log.write({**row, "who": "poet", "budget": budget,
                                   **poet_turn(program, folder, network, threads, budget)})


def table(path):
    head, rows = frame.read_log(path)
    print(json.dumps(head))
    print("| network | threads | PyTorch keeps | PyTorch, s | poet, s | poet / PyTorch | PyTorch, peak RSS, MiB | "
          "poet, peak RSS, MiB | poet, arena, MiB |")
    print("|---|---|---|---|---|---|---|---|---|")
    keys = sorted({(row["network"], row["threads"], row["segments"]) for row in rows})
    for network, threads, segments in keys:
        of = {who: [row for row in rows if (row["network"], row["threads"], row["segments"], row["who"]) ==
                    (network, threads, segments, who)] for who in ("pytorch", "poet")}
        median = {who: statistics.median(second for row in of[who] for second in row["step_s"]) for who in of}
        mebibytes = {who: max(row["peak_rss_bytes"] for row in of[who]) / 2**20 for who in of}
        arena = max(row["arena_bytes"] for row in of["poet"]) / 2**20
        kept = "everything" if segments == 1 else f"{segments} segments"
        print(f"| {network} | {threads} | {kept} | {median['pytorch']:.3f} | {median['poet']:.3f} | "
              f"{median['poet'] / median['pytorch']:.2f} | {mebibytes['pytorch']:.0f} | {mebibytes['poet']:.0f} | "
              f"{arena:.0f} |")


def main():
    parser = frame.arguments(__doc__)
    parser.add_argument("--blas")
    parser.add_argument("--networks", default=",".join(ARGUMENTS))
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--storage", help="the folder for pages and plans")
    options = parser.parse_args()
    if options.table:
        table(options.table)
        return
    blas = "libblas.so.3 of the system" if options.blas is None else "OpenBLAS 0.3.21"
    with frame.Log(options.log, benchmark="speed", blas=blas, steps=STEPS) as log:
        measure(options, log)


if __name__ == "__main__":
    main()
