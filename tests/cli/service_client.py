"""A running `poet serve` for tests, and a client for it: the standard library's, over real sockets."""

import ctypes
import http.client
import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass

LINEAR = {"model": "linear", "platform": "m4", "ram_budget": 5000, "runtime_budget": 1.5}
# Takes minutes to prove: something to cancel, kill and queue behind.
LONG = {"model": "resnet50", "graph": "released", "platform": "m4", "ram_budget": "20%way", "runtime_budget": 1.2,
        "io": "blocking", "gap": 0, "time_limit_s": 500}


PR_SET_PDEATHSIG = 1  # of Linux: <sys/prctl.h>
LIBC = ctypes.CDLL(None, use_errno=True)


def end_with(parent):
    """For a process that begins: however its parent ends, SIGKILL included, it ends too."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        os._exit(1)


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict
    body: bytes

    def json(self):
        return json.loads(self.body)

    def error(self):
        return self.json()["error"]


class Started:
    """A process of ours in a folder, with a log beside it, until it is stopped or killed."""

    def __init__(self, words, folder, log):
        self.errors = open(os.path.join(folder, log), "ab")
        parent = os.getpid()
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=self.errors, cwd=folder, text=True,
                                        preexec_fn=lambda: end_with(parent))

    def first_line(self, begin):
        """What it says first, which begins so when it has started."""
        line = self.process.stdout.readline()
        if not line.startswith(begin):
            code = self._end() if not line else None
            raise RuntimeError(f"it did not start (exit code {code}): {line}{self.complaints().decode(errors='replace')}")
        return line

    def running(self):
        return self.process.poll() is None

    def complaints(self):
        with open(self.errors.name, "rb") as file:
            return file.read()

    def stop(self):
        """Politely; answers the exit code."""
        if self.running():
            self.process.terminate()
        return self._end()

    def kill(self):
        self.process.kill()
        return self._end()

    def _end(self):
        code = self.process.wait(timeout=60)
        self.process.stdout.close()
        self.errors.close()
        return code


class Served(Started):
    """The service as a process of ours, on a port of its own, with a store in a folder, or where we say."""

    def __init__(self, program, folder, *options, host="127.0.0.1", start=(), store=None):
        super().__init__([*start, program, "serve", "--host", host, "--port", "0", "--store", store or os.path.join(folder, "store"), *options],
                         folder, "serve.log")
        line = self.first_line("http://")
        self.port = int(line.rstrip().rstrip("/").rsplit(":", 1)[1])

    def ask(self, method, path, body=None, headers=None, timeout=120):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        headers = dict(headers or {})
        if isinstance(body, dict):
            body = json.dumps(body)
            headers.setdefault("Content-Type", "application/json")
        try:
            connection.request(method, path, body=body, headers=headers)
            answer = connection.getresponse()
            return Answer(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
        finally:
            connection.close()

    def get(self, path, **more):
        return self.ask("GET", path, **more)

    def post(self, path, body, **more):
        return self.ask("POST", path, body, **more)

    def job(self, path, body):
        """Submits, waits for the end, and answers the job."""
        answer = self.post(path, body)
        if answer.status not in (200, 202):
            raise AssertionError(f"{answer.status}: {answer.body[:500]}")
        return self.ended(answer.json()["id"])

    def ended(self, job):
        """The job, when it has ended."""
        for _ in self.stream(job):
            pass
        return self.get(f"/v1/plans/{job}").json()

    def await_state(self, job, state):
        for name, data in self.stream(job):
            if name == "state" and data["state"] == state:
                return
        raise AssertionError(f"{job} ended and never was {state}")

    def await_count(self, job, state, times):
        """Until the job was in a state so often."""
        for name, data in self.stream(job):
            times -= name == "state" and data["state"] == state
            if times <= 0:
                return
        raise AssertionError(f"{job} ended too early")

    def stream(self, job, limit_s=300, of="plans"):
        """(name, data) of each event, as it comes."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=limit_s)
        try:
            connection.request("GET", f"/v1/{of}/{job}/events")
            answer = connection.getresponse()
            fields = {}
            while line := answer.readline().decode():
                if line == "\n" and "event" in fields:
                    yield fields["event"], json.loads(fields["data"])
                    fields = {}
                elif ": " in line and not line.startswith(":"):
                    key, value = line.rstrip("\n").split(": ", 1)
                    fields[key] = value
        finally:
            connection.close()

    def memory_kib(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


class Working(Started):
    """`poet work` as a process of ours, with one place for plans."""

    def __init__(self, program, folder, uri, *options):
        super().__init__([program, "work", "--store", uri, "--jobs", "1", "--curves", "0", *options], folder, "work.log")
        self.first_line("places: ")


def program_path():
    return sys.argv[1]
