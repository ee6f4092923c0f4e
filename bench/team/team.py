"""What two `poet work` do in place of one: distinct plans per second, over one `poet serve` without places and a PostgreSQL
of its own, which waits for the disk as it does by default.

    bench/team/team.py PROGRAM [--jobs N] [--rounds N] [--log FILE]
    bench/team/team.py --table LOG

Every round asks N plans that nobody asked for before and does them with one worker, then as many with two, then with two and
with one, so that what else the machine does falls on both. Each run adds one line to the log.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tests/cli"))
from postgres_cluster import Cluster, missing  # noqa: E402
from service_client import Served, Working  # noqa: E402

# Half a second to a second of search each.
QUESTION = {"model": "resnet18_cifar", "graph": "released", "platform": "m4", "runtime_budget": 1.3, "time_limit_s": 60}
FIRST_PERCENT = 30


def question(number):
    """The same work, and never the same question."""
    return {**QUESTION, "ram_budget": f"{FIRST_PERCENT + number / 1000:.3f}%way"}


def run(program, cluster, name, workers, numbers):
    uri = cluster.make_database(name)
    with tempfile.TemporaryDirectory() as folder:
        served = Served(program, folder, "--jobs", "0", "--curves", "0", "--queue", "1000", "--rate", "0", store=uri)
        ids = [served.post("/v1/plans", question(number)).json()["id"] for number in numbers]
        begin = time.monotonic()
        working = [Working(program, folder, uri) for _ in range(workers)]
        states = [served.ended(job)["state"] for job in ids]
        seconds = time.monotonic() - begin
        for one in working:
            one.stop()
        served.stop()
    searched = cluster.ask("SELECT sum(finished - started) FROM poet.jobs", name)[0]
    return {"workers": workers, "jobs": len(ids), "done": states.count("done"), "seconds": round(seconds, 3),
            "jobs_per_s": round(len(ids) / seconds, 3), "sum_of_jobs_s": int(searched)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?")
    parser.add_argument("--jobs", type=int, default=20)
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
            row = run(program, cluster, f"run{turn}", workers, range(number, number + arguments.jobs))
            number += arguments.jobs
            row = {"commit": commit, "cores": os.cpu_count(), "load_average": os.getloadavg()[0], **row}
            print(json.dumps(row), flush=True)
            log.write(json.dumps(row) + "\n")
            log.flush()


def table(path):
    with open(path, encoding="utf-8") as log:
        rows = [json.loads(line) for line in log]
    rates = {workers: statistics.median(row["jobs_per_s"] for row in rows if row["workers"] == workers) for workers in (1, 2)}
    print("| workers | runs | plans per second, median |\n|---|---|---|")
    for workers, rate in rates.items():
        print(f"| {workers} | {sum(row['workers'] == workers for row in rows)} | {rate:.2f} |")
    print(f"\ntwo against one: {rates[2] / rates[1]:.2f}")


if __name__ == "__main__":
    main()
