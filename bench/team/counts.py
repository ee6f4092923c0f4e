"""Where the processor goes while two `poet work` do in place of one: counted processor seconds, which others on the machine change little.

    bench/team/counts.py PROGRAM [--jobs N] [--percent N] [--rounds N] [--log FILE]
    bench/team/counts.py --table LOG

As team.py, but every row has the processor seconds of each part for one plan: the processes that plan, `poet work` around them, the
service, the database and the client that asks; and transactions of the database for one plan, and how often the gate of the jobs was waited for
longer than a millisecond by all. What runs beside the planning processes takes
from the second processor what a second worker would have: with c for one plan's process and its worker and t for all together, two workers on two
processors can do no more than 2 c / t times what one does.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tests/cli"))
from postgres_cluster import Cluster, missing  # noqa: E402
from service_client import Served, Working  # noqa: E402
from team import FIRST_PERCENT, QUESTION  # noqa: E402

TICKS = os.sysconf("SC_CLK_TCK")


def seconds_of(process):
    """Its own, and those of its children that have ended."""
    with open(f"/proc/{process}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    own, ended = sum(map(int, fields[11:13])), sum(map(int, fields[13:15]))
    return own / TICKS, ended / TICKS


def children_of(process):
    with open(f"/proc/{process}/task/{process}/children", encoding="ascii") as file:
        return [int(word) for word in file.read().split()]


def seconds_of_database(cluster):
    postmaster = cluster.process.pid
    return sum(seconds_of(postmaster)) + sum(sum(seconds_of(child)) for child in children_of(postmaster))


def commits(cluster, name):
    return int(cluster.ask(f"SELECT xact_commit FROM pg_stat_database WHERE datname = '{name}'")[0])


def gate_waits(cluster):
    return sum("still waiting for ExclusiveLock on advisory lock" in line for line in list(cluster.said))


def run(program, cluster, name, workers, questions):
    uri = cluster.make_database(name)
    with tempfile.TemporaryDirectory() as folder:
        served = Served(program, folder, "--jobs", "0", "--curves", "0", "--queue", "1000", "--queue-each", "1000", "--rate", "0", store=uri)
        working = [Working(program, folder, uri) for _ in range(workers)]
        database_s, told, waits = seconds_of_database(cluster), commits(cluster, name), gate_waits(cluster)
        client_s = sum(os.times()[:2])
        begun_s = [sum(seconds_of(one.process.pid)) for one in [served, *working]]
        ids = [served.post("/v1/plans", asked).json()["id"] for asked in questions]
        states = [served.ended(job)["state"] for job in ids]
        told, waits = commits(cluster, name) - told, gate_waits(cluster) - waits
        service_s = sum(seconds_of(served.process.pid)) - begun_s[0]
        of_workers = [seconds_of(one.process.pid) for one in working]
        around_s = sum(own for own, _ in of_workers)
        planning_s = sum(ended for _, ended in of_workers)
        database_s = seconds_of_database(cluster) - database_s
        client_s = sum(os.times()[:2]) - client_s
        for one in working:
            one.stop()
        served.stop()
    count = len(ids)
    each = {"planning": planning_s, "worker": around_s, "service": service_s, "database": database_s, "client": client_s}
    each = {part: round(seconds / count, 4) for part, seconds in each.items()}
    chain = each["planning"] + each["worker"]
    return {"workers": workers, "jobs": count, "done": states.count("done"), "cpu_s_each": each, "commits_each": round(told / count, 1), "gate_waits": waits,
            "most_by_count": round(2 * chain / sum(each.values()), 2)}


def table(path):
    with open(path, encoding="utf-8") as log:
        rows = [json.loads(line) for line in log]
    parts = list(rows[0]["cpu_s_each"])
    heads = ["program", "`--percent`", "plans", "workers", *(f"{part}, s" for part in parts), "transactions", "waits at the gate", "at most"]
    print("| " + " | ".join(heads) + " |\n" + "|---" * len(heads) + "|")
    for row in rows:
        cells = [row["commit"], row["percent"], row["done"], row["workers"], *(f"{row['cpu_s_each'][part]:.3f}" for part in parts),
                 row["commits_each"], row["gate_waits"], row["most_by_count"]]
        print("| " + " | ".join(map(str, cells)) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?")
    parser.add_argument("--jobs", type=int, default=40)
    parser.add_argument("--percent", type=int, default=FIRST_PERCENT, help="of the RAM on the way: less is more work")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--log", default="counts.jsonl")
    parser.add_argument("--commit", help="of the program, where it is not that of this folder")
    parser.add_argument("--table")
    arguments = parser.parse_args()
    if arguments.table:
        return table(arguments.table)
    if missing():
        raise SystemExit(missing())
    commit = arguments.commit or subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False,
                            cwd=os.path.dirname(os.path.abspath(__file__))).stdout.strip()
    number = 0
    with Cluster("log_lock_waits=on", "deadlock_timeout=1ms") as cluster, open(arguments.log, "a", encoding="utf-8") as log:
        for turn, workers in enumerate([1, 2] * arguments.rounds):
            questions = [{**QUESTION, "ram_budget": f"{arguments.percent + (number + k) / 1000:.3f}%way"} for k in range(arguments.jobs)]
            number += arguments.jobs
            row = {"commit": commit, "cores": os.cpu_count(), "load_average": round(os.getloadavg()[0], 2), "percent": arguments.percent,
                   **run(os.path.abspath(arguments.program), cluster, f"counts{turn}", workers, questions)}
            print(json.dumps(row), flush=True)
            log.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
