"""How `poet serve` bears load, over loopback, and stops by itself:

    bench/service/load.py PROGRAM cached    200 clients ask for 60 s for plans that are in the store
    bench/service/load.py PROGRAM distinct  50 clients ask for plans that nobody asked for before, with a short queue
    bench/service/load.py PROGRAM kill      the same, and kill -9 in the middle: what was 'done' is still there

Options: [--clients N] [--seconds S] [--log FILE]. Each run adds one line to the log; its address is on standard error. However
it ends, its server ends with it. The clients are one process of asyncio
streams that keep their connections; its own work counts in the latencies that it sees.
"""

import argparse
import asyncio
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tests/cli"))
from service_client import LINEAR, Served  # noqa: E402

PAUSE_S = 0.1  # of a client of cached plans, between an answer and the next question


class Connection:
    def __init__(self, port):
        self.port, self.reader, self.writer = port, None, None

    async def ask(self, method, path, body=None):
        """(status, headers, body); a connection that the service closed is opened again, once."""
        data = b"" if body is None else json.dumps(body).encode()
        head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(data)}\r\n"
        if data:
            head += "Content-Type: application/json\r\n"
        for last in (False, True):
            try:
                if self.writer is None:
                    self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
                self.writer.write(head.encode() + b"\r\n" + data)
                return await self.answer()
            except (ConnectionError, asyncio.IncompleteReadError):
                self.close()
                if last:
                    raise

    async def answer(self):
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in head[1:] if ": " in line)
        body = await self.reader.readexactly(int(headers.get("content-length", 0)))
        if headers.get("connection") == "close":
            self.close()
        return int(head[0].split()[1]), headers, body

    def close(self):
        if self.writer is not None:
            self.writer.close()
        self.reader = self.writer = None


def percentile(values, part):
    return sorted(values)[min(len(values) - 1, int(part * len(values)))] if values else None


async def cached(served, arguments):
    jobs = [served.job("/v1/plans", {**LINEAR, "ram_budget": 5000 + 10 * k})["id"] for k in range(20)]
    seconds, errors = [], []
    end = time.monotonic() + arguments.seconds

    async def client(number):
        connection = Connection(served.port)
        await asyncio.sleep(PAUSE_S * number / arguments.clients)
        turn = number
        while time.monotonic() < end:
            turn += 1
            k = turn % len(jobs)
            start = time.perf_counter()
            try:
                if turn % 2:
                    status, _, body = await connection.ask("GET", f"/v1/plans/{jobs[k]}")
                else:
                    status, _, body = await connection.ask("POST", "/v1/plans", {**LINEAR, "ram_budget": 5000 + 10 * k})
                if status != 200 or b'"state": "done"' not in body:
                    errors.append(f"{status} {body[:80]!r}")
            except (OSError, asyncio.IncompleteReadError) as error:
                errors.append(repr(error))
            seconds.append(time.perf_counter() - start)
            await asyncio.sleep(PAUSE_S)
        connection.close()

    await asyncio.gather(*(client(n) for n in range(arguments.clients)))
    return {"requests": len(seconds), "errors": len(errors), "first_errors": errors[:3],
            "requests_per_s": round(len(seconds) / arguments.seconds, 1),
            "median_ms": round(1000 * statistics.median(seconds), 2), "p99_ms": round(1000 * percentile(seconds, 0.99), 2),
            "largest_ms": round(1000 * max(seconds), 2)}


async def distinct(served, arguments, tally):
    """Each client submits plans of its own until the time is over, waits as it is told when the queue is full, and asks after
    each until it has ended."""
    end = time.monotonic() + arguments.seconds

    async def client(number):
        connection = Connection(served.port)
        turn = 0
        while time.monotonic() < end:
            turn += 1
            asked = {**LINEAR, "model": "resnet18_cifar", "ram_budget": 600_000 + 500 * number + turn, "time_limit_s": 5}
            status, headers, body = await connection.ask("POST", "/v1/plans", asked)
            if status == 429:
                tally["refused"] += 1
                if json.loads(body)["error"]["code"] != "queue_full" or int(headers["retry-after"]) < 1:
                    tally["wrong"].append(body[:100].decode())
                await asyncio.sleep(1)
                continue
            if status != 202:
                tally["wrong"].append(f"{status} {body[:100]!r}")
                continue
            job = json.loads(body)["id"]
            tally["accepted"].append(job)
            while True:
                status, _, body = await connection.ask("GET", f"/v1/plans/{job}")
                document = json.loads(body)
                if status != 200 or document["state"] in ("done", "failed"):
                    break
                await asyncio.sleep(0.2)
            if status != 200 or document["state"] != "done":
                tally["wrong"].append(f"{status} {document.get('error')}")
            else:
                tally["done"][job] = document
        connection.close()

    async def watch():
        while time.monotonic() < end and served.running():
            tally["memory_kib"].append(served.memory_kib())
            await asyncio.sleep(0.5)

    return await asyncio.gather(watch(), *(client(n) for n in range(arguments.clients)), return_exceptions=True)


def new_tally():
    return {"accepted": [], "done": {}, "refused": 0, "wrong": [], "memory_kib": []}


def run_distinct(served, arguments):
    tally = new_tally()
    problems = [repr(one) for one in asyncio.run(distinct(served, arguments, tally)) if isinstance(one, Exception)]
    lost = [job for job in tally["accepted"] if served.get(f"/v1/plans/{job}").json()["state"] != "done"]
    return {"accepted": len(tally["accepted"]), "done": len(tally["done"]), "refused_429": tally["refused"],
            "wrong": (tally["wrong"] + problems)[:3], "lost": len(lost),
            "memory_kib": [tally["memory_kib"][0], max(tally["memory_kib"])]}


def run_kill(served, arguments, again):
    tally = new_tally()

    async def both():
        load = asyncio.create_task(distinct(served, arguments, tally))
        await asyncio.sleep(arguments.seconds / 2)
        served.kill()
        await load

    asyncio.run(both())
    served = again()
    try:
        missing = [job for job, document in tally["done"].items() if served.get(f"/v1/plans/{job}").json() != document]
        ends = [served.ended(job)["state"] for job in tally["accepted"]]
    finally:
        served.stop()
    return {"accepted": len(tally["accepted"]), "done_before_the_kill": len(tally["done"]), "missing_after": len(missing),
            "done_in_the_end": ends.count("done")}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("what", choices=["cached", "distinct", "kill"])
    parser.add_argument("--clients", type=int)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--log", default="load.jsonl")
    arguments, options = parser.parse_known_args()
    arguments.clients = arguments.clients or (200 if arguments.what == "cached" else 50)
    options = ["--rate", "0", "--jobs", "2", *([] if arguments.what == "cached" else ["--queue", "16", "--queue-each", "16"]), *options]
    # Told to end, it still stops its server and removes its folder.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    with tempfile.TemporaryDirectory() as folder:
        served = Served(arguments.program, folder, *options)
        try:
            print(f"asking http://127.0.0.1:{served.port}/", file=sys.stderr, flush=True)
            if arguments.what == "cached":
                measured = asyncio.run(cached(served, arguments))
            elif arguments.what == "distinct":
                measured = run_distinct(served, arguments)
            else:
                measured = run_kill(served, arguments, lambda: Served(arguments.program, folder, *options))
        finally:
            if served.running():
                served.stop()
    record = {"what": arguments.what, "clients": arguments.clients, "seconds": arguments.seconds, **measured,
              "processors": os.cpu_count(), "load_average": os.getloadavg()[0],
              "commit": subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True,
                                       check=False).stdout.strip()}
    with open(arguments.log, "a", encoding="utf-8") as log:
        log.write(json.dumps(record) + "\n")
    print(json.dumps(record, indent=1))


if __name__ == "__main__":
    main()
