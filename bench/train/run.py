"""Training under faults, and learning: programs that are killed at random and go on, and a curve at the least budget.

    bench/train/run.py kills --log bench/train/kills.jsonl
    bench/train/run.py learning --log bench/train/learning.jsonl
"""
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import frame  # noqa: E402

RUNS = 100
KILLS = ["--model", "lenet5", "--image-size", "16", "--batch-size", "4", "--examples", "64", "--steps", "60", "--optimiser",
         "momentum", "--ram-budget", "70%"]
LEARNING = {
    "lenet5": ["--model", "lenet5", "--optimiser", "adam", "--learning-rate", "0.002", "--schedule", "cosine", "--epochs", "8",
               "--ram-budget", "0%way"],
}


def answer(program, folder, *arguments):
    ended = subprocess.run([program, "train", *arguments, "--cache", "plans", "--quiet", "--json"], cwd=folder,
                           capture_output=True, text=True, check=True)
    return json.loads(ended.stdout)


def kills(program, log):
    """Every run is killed until it comes to its end; its final bits are those of one that nobody kills."""
    with tempfile.TemporaryDirectory() as folder:
        whole = answer(program, folder, *KILLS)["parameters_sha256"]
        for seed in range(RUNS):
            chance = random.Random(seed)
            checkpoint = f"{seed}.ckpt"
            command = [program, "train", *KILLS, "--cache", "plans", "--quiet", "--checkpoint", checkpoint,
                       "--checkpoint-every", "1", "--resume"]
            killed = 0
            for _ in range(4):
                with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL) as child:
                    try:
                        child.wait(timeout=chance.uniform(0.01, 0.5))
                    except subprocess.TimeoutExpired:
                        child.send_signal(signal.SIGKILL)
                        killed += 1
            last = answer(program, folder, *KILLS, "--checkpoint", checkpoint, "--resume")
            log.write({"seed": seed, "killed": killed, "resumed_at": last["first_step"],
                       "same": last["parameters_sha256"] == whole})
            os.remove(os.path.join(folder, checkpoint))


def learning(program, log):
    for name, arguments in LEARNING.items():
        with tempfile.TemporaryDirectory() as folder:
            end = answer(program, folder, *arguments, "--evaluate-every", "313", "--log", "log.jsonl")
            with open(os.path.join(folder, "log.jsonl"), encoding="utf-8") as file:
                for line in map(json.loads, file):
                    if "evaluation" in line:
                        log.write({"model": name, "step": line["step"], **line["evaluation"]})
            log.write({"model": name, "arguments": " ".join(arguments), "evaluation": end["evaluation"],
                       **{key: end[key] for key in ("ram_budget_bytes", "plain_peak_bytes", "steps", "step_s",
                                                    "predicted_step_s", "peak_rss_bytes", "fixed_overhead_bytes",
                                                    "parameters_sha256")}})


def main():
    parser = frame.arguments(__doc__)
    parser.add_argument("what", choices=["kills", "learning"])
    options = parser.parse_args()
    program = str(Path(options.program).resolve())
    with frame.Log(options.log, benchmark=f"train {options.what}") as log:
        {"kills": kills, "learning": learning}[options.what](program, log)


if __name__ == "__main__":
    main()
