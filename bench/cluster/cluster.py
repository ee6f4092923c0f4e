"""A sweep as an array of Slurm tasks on two nodes, through the death of a task, of a node and of the whole array.

    bench/cluster/cluster.py PROGRAM [--log FILE] [--budgets N]

Slurm (slurm_cluster.py) and PostgreSQL are Debian's, started by this script on loopback, and gone afterwards. The script of the
tasks is the one that docs/guide/several-machines.md shows, with another sweep and another address. In the middle of the sweep
a task is killed (SIGKILL); then a node is lost with all that runs on it, and comes back when Slurm has noticed; then the array is
cancelled, and submitted again. What the store has at the end is compared with what one process by itself answers. Each event
adds one line to the log: what was answered by then, what was taken (by those who were lost too, until their leases end), and how
many points were taken over from those who were lost.
"""

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

from slurm_cluster import Slurm, parent_of

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../tests/cli"))
from postgres_cluster import Cluster, missing  # noqa: E402

GUIDE = os.path.join(HERE, "../../docs/guide/several-machines.md")
LEASE_S = 3
NAME = "resnet18"  # as in the guide


def sweep_words(budgets):
    return ["--model", "linear,vgg16_cifar", "--platform", "m0,m4", "--runtime-budget", "1.5", "--budgets", str(budgets),
            "--methods", "keep-all,chen-greedy,dtr,checkmate,paging"]


def replaced(pattern, replacement, text):
    text, count = re.subn(pattern, lambda _: replacement, text)
    if count != 1:
        raise RuntimeError(f"the script of the guide has no {pattern}, or several")
    return text


def script_of_guide(program, uri, budgets):
    with open(GUIDE, encoding="utf-8") as file:
        script = re.search(r"```sh\n(#!/bin/bash\n#SBATCH.*?)```", file.read(), re.DOTALL)[1]
    script = replaced(r"poet sweep --model \S+ --platform \S+ --runtime-budget \S+",
                      " ".join([program, "sweep", *sweep_words(budgets), "--lease", str(LEASE_S)]), script)
    script = replaced(r"postgresql://\S+", f"'{uri}'", script)
    script = replaced(r"--array=\S+", "--array=1-4", script)
    return replaced(r"--cpus-per-task=\S+", "--cpus-per-task=1", script)


def points_of(answer):
    return {key: value for key, value in answer.items() if key not in ("timing", "files", "warnings")}


class Bench:
    def __init__(self, arguments, slurm, cluster, folder, log):
        self.slurm, self.folder, self.log = slurm, folder, log
        self.uri = cluster.make_database("sweeps")
        self.asks = lambda sql: cluster.ask(sql, "sweeps")[0]
        self.program = os.path.abspath(arguments.program)
        self.budgets = arguments.budgets
        self.begin = time.monotonic()
        self.script = os.path.join(folder, "sweep.sh")
        with open(self.script, "w", encoding="utf-8") as file:
            file.write(script_of_guide(self.program, self.uri, self.budgets))

    def answered(self):
        there = self.asks("SELECT to_regclass('poet.sweep_points') IS NOT NULL") == "t"
        return int(self.asks("SELECT count(answer) FROM poet.sweep_points")) if there else 0

    def say(self, event, **more):
        row = {"event": event, "seconds": round(time.monotonic() - self.begin, 1), "answered": self.answered(),
               "taken": int(self.asks("SELECT count(*) FROM poet.sweep_points WHERE process <> ''")),
               "taken_over": int(self.asks("SELECT sum(lost) FROM poet.sweep_points")), "nodes": self.slurm.states(),
               "tasks": self.slurm.jobs(), **more}
        print(json.dumps(row), flush=True)
        self.log.write(json.dumps(row) + "\n")
        self.log.flush()

    def submit(self):
        return self.slurm.run("sbatch", "--parsable", self.script, cwd=self.folder).strip()

    def sweeps_on(self, node):
        """The tasks' own processes, without the copies that plan for them."""
        tasks = self.slurm.task_processes(node)
        named = [one for one in tasks if os.path.realpath(f"/proc/{one}/exe") == os.path.realpath(self.program)]
        parents = {parent_of(one) for one in named}
        return [one for one in named if one in parents]

    def with_a_point(self, node):
        """A process on a node that has taken a point, and stands still with it."""
        while True:
            for process in self.sweeps_on(node):
                os.kill(process, signal.SIGSTOP)
                if int(self.asks(f"SELECT count(*) FROM poet.sweep_points WHERE process LIKE '%-{process}-%'")) > 0:
                    return process
                os.kill(process, signal.SIGCONT)
            time.sleep(0.02)

    def until_answered(self, count):
        self.slurm.until(lambda: self.answered() >= count, f"{count} points are not answered", 600)

    def run(self):
        begin = time.monotonic()
        alone = subprocess.run([self.program, "sweep", *sweep_words(self.budgets), "--jobs", "1", "--quiet", "--json"],
                               capture_output=True, text=True, check=True)
        alone_s = time.monotonic() - begin
        alone = json.loads(alone.stdout)
        points = sum(len(row["points"]) for one in alone["instances"] for row in one["methods"])
        self.begin = time.monotonic()
        array = self.submit()
        self.until_answered(1)
        self.say("an array of four tasks runs on two nodes", points=points, alone_seconds=round(alone_s, 1))
        self.until_answered(points // 5)
        os.kill(self.with_a_point("one"), signal.SIGKILL)
        self.say("a task was killed that had a point")
        self.until_answered(2 * points // 5)
        self.with_a_point("two")
        self.slurm.lose_node("two")
        self.say("node two was lost with a task that had a point")
        self.slurm.until(lambda: self.slurm.states().get("two") == "down", "Slurm does not notice", 120)
        self.say("Slurm has noticed")
        self.slurm.start_node("two")
        self.slurm.until(lambda: self.sweeps_on("two"), "the node does not come back", 120)
        self.say("node two is back, and has a task again")
        self.until_answered(3 * points // 5)
        self.slurm.run("scancel", array)
        self.slurm.until(lambda: not self.slurm.jobs(), "the array does not end")
        self.say("the array was cancelled")
        self.submit()
        self.slurm.until(lambda: self.answered() == points and not self.slurm.jobs(), "the sweep does not end", 600)
        self.say("the same array was submitted again, and ended")
        collected = subprocess.run([self.program, "sweep", *sweep_words(self.budgets), "--store", self.uri, "--name", NAME, "--collect",
                                    "--json"], capture_output=True, text=True, check=True)
        same = points_of(json.loads(collected.stdout)) == points_of(alone)
        self.say("collected", same_as_one_process=same)
        return same


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--log", default="cluster.jsonl")
    parser.add_argument("--budgets", type=int, default=160)
    arguments = parser.parse_args()
    if missing():
        raise SystemExit(missing())
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False, cwd=HERE).stdout.strip()
    with Cluster() as cluster, Slurm() as slurm, tempfile.TemporaryDirectory() as folder, open(arguments.log, "a", encoding="utf-8") as log:
        log.write(json.dumps({"commit": commit, "cores": os.cpu_count(), "load_average": round(os.getloadavg()[0], 2),
                              "slurm": slurm.run("sinfo", "--version").strip(), "lease_s": LEASE_S}) + "\n")
        if not Bench(arguments, slurm, cluster, folder, log).run():
            raise SystemExit("the points are not those of one process")


if __name__ == "__main__":
    main()
