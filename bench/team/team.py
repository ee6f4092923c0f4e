"""What two `poet work` do in place of one: distinct plans per second, over one `poet serve` without places and a PostgreSQL
of its own, which waits for the disk as it does by default.

    bench/team/team.py PROGRAM [--jobs N] [--rounds N] [--log FILE]
    bench/team/team.py --table LOG

Every round asks N plans that nobody asked for before and does them with one worker, then as many with two, then with two and
with one, so that what else the machine does falls on both. Beside each of these runs, the same number of processes do as many
plans one after the other by `poet solve`, without any service, which says what the machine has to give just then. Each run adds
one line to the log.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tests/cli"))
from postgres_cluster import Cluster, missing  # noqa: E402
from service_client import Served, Working  # noqa: E402

# A quarter of a second of one processor each, as long as it has one for itself.
QUESTION = {"model": "bert", "graph": "released", "platform": "m4", "runtime_budget": 1.3, "io": "blocking", "time_limit_s": 60}
FIRST_PERCENT = 40


def question(number):
    """The same work, and never the same question."""
    return {**QUESTION, "ram_budget": f"{FIRST_PERCENT + number / 1000:.3f}%way"}


def run(program, cluster, name, workers, numbers):
    uri = cluster.make_database(name)
    with tempfile.TemporaryDirectory() as folder:
        served = Served(program, folder, "--jobs", "0", "--curves", "0", "--queue", "1000", "--queue-each", "1000", "--rate", "0", store=uri)
        working = [Working(program, folder, uri) for _ in range(workers)]
        begin = time.monotonic()
        ids = [served.post("/v1/plans", question(number)).json()["id"] for number in numbers]
        states = [served.ended(job)["state"] for job in ids]
        seconds = time.monotonic() - begin
        for one in working:
            one.stop()
        served.stop()
    return {"workers": workers, "jobs": len(ids), "done": states.count("done"), "seconds": round(seconds, 3),
            "jobs_per_s": round(len(ids) / seconds, 3)}


def run_alone(program, workers, numbers):
    """Plain `poet solve`, as patient as a worker's processes are."""
    waiting = iter(list(numbers))
    lock = threading.Lock()
    codes = []

    def work():
        while True:
            with lock:
                number = next(waiting, None)
            if number is None:
                return
            asked = question(number)
            ended = subprocess.run(
                ["nice", "-n", "10", program, "solve", "--model", asked["model"], "--graph", asked["graph"], "--platform",
                 asked["platform"], "--ram-budget", asked["ram_budget"], "--runtime-budget", str(asked["runtime_budget"]), "--io", asked["io"],
                 "--time-limit-s", str(asked["time_limit_s"]), "--json"], stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, check=False)
            codes.append(ended.returncode)

    begin = time.monotonic()
    threads = [threading.Thread(target=work) for _ in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds = time.monotonic() - begin
    return {"workers": workers, "jobs": len(codes), "done": codes.count(0), "seconds": round(seconds, 3),
            "jobs_per_s": round(len(codes) / seconds, 3)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?")
    parser.add_argument("--jobs", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--log", default="team.jsonl")
    parser.add_argument("--table")
    arguments = parser.parse_args()
    if arguments.table:
        return table(arguments.table)
    if missing():
        raise SystemExit(missing())
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False,
                            cwd=os.path.dirname(os.path.abspath(__file__))).stdout.strip()
    program = os.path.abspath(arguments.program)
    number = 0
    with Cluster() as cluster, open(arguments.log, "a", encoding="utf-8") as log:
        for turn, workers in enumerate([1, 2, 2, 1] * arguments.rounds):
            for what in ("team", "solve"):
                numbers = range(number, number + arguments.jobs)
                number += arguments.jobs
                row = {"commit": commit, "cores": os.cpu_count(), "load_average": round(os.getloadavg()[0], 2), "what": what,
                       **(run(program, cluster, f"run{turn}", workers, numbers) if what == "team"
                          else run_alone(program, workers, numbers))}
                print(json.dumps(row), flush=True)
                log.write(json.dumps(row) + "\n")
                log.flush()


def table(path):
    with open(path, encoding="utf-8") as log:
        rows = [json.loads(line) for line in log]
    print("| plans per second, median | runs of each | with 1 | with 2 | two against one |\n|---|---|---|---|---|")
    for what, name in (("team", "`poet work`"), ("solve", "`poet solve`, no service")):
        rates = [[row["jobs_per_s"] for row in rows if (row["what"], row["workers"]) == (what, workers)] for workers in (1, 2)]
        one, two = (statistics.median(of) for of in rates)
        print(f"| {name} | {len(rates[0])} | {one:.2f} | {two:.2f} | {two / one:.2f} |")


if __name__ == "__main__":
    main()
