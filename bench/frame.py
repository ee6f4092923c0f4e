"""What the benchmarks share: their arguments, the log with its line about the machine, and timed processes."""
import argparse
import json
import math
import os
import platform
import subprocess
import time

# The grid of the released networks.
NETWORKS = ["linear", "transformer", "vgg16_cifar", "vgg16", "resnet18", "resnet18_cifar", "bert", "resnet50"]
PLATFORMS = ["m4", "a72", "m0"]
BUDGETS = ["10%way", "30%way", "60%way"]
GRID = [(network, device, budget) for network in NETWORKS for device in PLATFORMS for budget in BUDGETS]


def arguments(doc, many_tables=False):
    """The arguments of every benchmark: a run writes --log, a table is made of logs."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/poet")
    parser.add_argument("--log")
    parser.add_argument("--table", nargs="+" if many_tables else None, metavar="LOG")
    return parser


class Log:
    """A file of JSON lines: the first says what was measured on which machine, each further one is a row."""

    def __init__(self, path, **what):
        self._file = open(path, "w")
        commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
        self.write({"commit": commit, "machine": platform.machine(), "cores": os.cpu_count(), **what,
                    "date": time.strftime("%Y-%m-%d")})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._file.close()

    def write(self, row):
        self._file.write(json.dumps(row) + "\n")
        self._file.flush()


def read_log(path):
    """The line about the machine, and the rows."""
    with open(path) as log:
        head, *rows = [json.loads(line) for line in log]
    return head, rows


def timed(command, timeout_s=None):
    """The finished process, and the seconds that it took."""
    begin = time.monotonic()
    run = subprocess.run(command, capture_output=True, text=True, timeout=timeout_s)
    return run, time.monotonic() - begin


def answer_of(run, folder=None):
    """The JSON that a process printed, without the temporary folder in its names of files; None where it printed none."""
    text = run.stdout.replace(folder + os.sep, "") if folder else run.stdout
    return json.loads(text) if text.strip() else None


def is_verified(program, plan):
    """By a process of its own."""
    return os.path.exists(plan) and subprocess.run([program, "verify", plan], capture_output=True).returncode == 0


def geometric_mean(values):
    return math.exp(sum(math.log(value) for value in values) / len(values)) if values else None
