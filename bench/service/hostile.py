"""Malformed and hostile requests against `poet serve`: nothing may crash it, no answer may be a 5xx, no file may appear
outside its store.

    bench/service/hostile.py PROGRAM [--requests 10000] [--log hostile.jsonl] [serve options ...]

The n-th request is always the same. tests/cli/serve_test.py sends the first 500. The program may be built with
AddressSanitizer; give it `--job-memory 0` then, because the sanitizer maps terabytes of addresses.
"""

import argparse
import concurrent.futures
import gzip
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tests/cli"))
from service_client import LINEAR, Served  # noqa: E402


def varint(number):
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def field(number, value):
    """Of protobuf: a whole number, or bytes with their length."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def onnx(dims=(4, 3), data=None, location=None):
    """A file of one matrix product, of which the weight may be wrong in many ways."""
    weight = b"".join(field(1, d) for d in dims) + field(2, 1) + field(8, "w")
    if location is not None:
        weight += field(13, field(1, "location") + field(2, location)) + field(14, 1)
    else:
        weight += field(9, bytes(48) if data is None else data)
    shape = field(1, field(1, field(1, 1) + field(2, field(1, field(1, 1)) + field(1, field(1, 4)))))
    graph = (field(1, field(1, "x") + field(1, "w") + field(2, "y") + field(4, "MatMul")) + field(2, "net") +
             field(5, weight) + field(11, field(1, "x") + field(2, shape)) + field(12, field(1, "y")))
    return field(1, 7) + field(8, field(1, "") + field(2, 13)) + field(7, graph)


def http(method, path, body=b"", **headers):
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    if body and "Content_Length" not in headers and "Transfer_Encoding" not in headers:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode("utf-8", "surrogateescape") + b"\r\n\r\n" + body


def form(name, filename, data):
    return (f'--b\r\nContent-Disposition: form-data; name="{name}"; filename="{filename}"\r\n\r\n'.encode() + data +
            b"\r\n--b--\r\n")


JSON = {"Content_Type": "application/json"}
PATHS = ["/../../etc/passwd", "/..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/assets/../../store/jobs.db",
         "//etc/passwd", "/assets/%00.js", "/v1/plans/../../jobs.db", "/v1/plans/..%2f/plan", "/v1/models/..%2f..%2fx",
         "/v1/models/sha256:../../../x", "/store/jobs.db", "/\\..\\..\\x", "/v1/plans/" + "a" * 64 + "/../plan",
         "/%ff%fe", "/v1/plans/" + "%41" * 64, "/v1//plans", "/v1/plans/;ls", "/v1/plans/$(id)/plan", "/.git/config"]


def bad_value(chance):
    return chance.choice([-1, 1e308, -1e308, 2**62, 2**63, 10**40, "", " ", "\u0000", "NaN", "Infinity", "1e999", "0x10", "-0",
                          "9" * 5000, "../../x", [], [1] * 100, {"a": 1}, None, True, "\ud800".encode("utf-8", "surrogatepass")
                          .decode("latin-1"), "%n%s", "'; DROP TABLE jobs; --", "\U0001f600" * 50])


FIELDS = ["model", "platform", "graph", "batch_size", "image_size", "sequence_length", "classes", "dimensions",
          "mem_power_scale", "train", "parameters", "frozen", "optimiser", "loss", "ram_budget", "runtime_budget",
          "write_budget", "storage_block", "io", "paging", "remat", "objective", "solver", "formulation", "gap",
          "max_nodes", "solve_threads", "seed", "time_limit_s", "budgets", "points", "methods", "costs", "__proto__"]


def malformed(chance):
    return chance.choice([
        b"\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\x00" * 500 + b"\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n",
        b"get / http/1.1\r\nHost: localhost\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 20,
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"GET /" + b"a" * chance.randrange(9000, 60000) + b" HTTP/1.1\r\n\r\n",
        bytes(chance.randrange(256) for _ in range(300)), b"GET / HTTP/1.1\r\nHost: localhost\r\n: no name\r\n\r\n",
        b"GET / HTTP/1.1\nHost: localhost\n\n", b"CONNECT example.org:80 HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"TRACE / HTTP/1.1\r\nHost: localhost\r\n\r\n", b"GET http://example.org/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X-A: 1\r\n" * chance.randrange(100, 8000) + b"\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: " + b"y" * chance.randrange(8000, 40000) + b"\r\n\r\n"])


def large_or_packed(chance):
    zeros = gzip.compress(bytes(20 << 20))
    return chance.choice([
        http("POST", "/v1/models", b"x" * 10, Content_Length=10**12),
        http("POST", "/v1/models", b"x" * 10, Content_Length=-5),
        http("POST", "/v1/models", b"x" * 10, Content_Length="18446744073709551615"),
        http("POST", "/v1/plans", b" " * (300 << 10), **JSON),
        http("POST", "/v1/plans", zeros, Content_Encoding="gzip", **JSON),
        http("POST", "/v1/models", zeros),
        http("POST", "/v1/models", zeros, Content_Encoding="br"),
        http("POST", "/v1/models", b"5\r\nhello\r\n0\r\n\r\n", Transfer_Encoding="chunked"),
        http("POST", "/v1/models", b"FFFFFFFFFFFFFFFFF\r\nhello", Transfer_Encoding="chunked"),
        http("POST", "/v1/plans", b"{}", Content_Length=2, Transfer_Encoding="chunked", **JSON),
        http("GET", "/healthz", b"GET /v1/plans HTTP/1.1\r\n\r\n"),
        http("DELETE", "/v1/plans/" + "a" * 64, b"x" * 100000),
        http("GET", "/openapi.json", Range="bytes=" + ",".join("0-" for _ in range(1500))),
        http("GET", "/openapi.json", Range="bytes=" + "1" * 7000),
        http("GET", "/", Expect="100-continue", Content_Length=5)])


def models(chance):
    good = onnx()
    broken = bytearray(good)
    for _ in range(chance.randrange(1, 6)):
        broken[chance.randrange(len(broken))] = chance.randrange(256)
    return chance.choice([
        bytes(broken), bytes(broken), good[:chance.randrange(len(good))],
        bytes(chance.randrange(256) for _ in range(chance.randrange(1, 2000))),
        onnx(dims=(2**62, 2**62)), onnx(dims=(2**31, 2**31)), onnx(dims=(0, 0), data=b""), onnx(dims=()),
        onnx(dims=(10**9, 10**9), data=b""), onnx(location="/etc/passwd"), onnx(location="../../jobs.db"),
        onnx(location="order.json"), onnx(location="\x00"), onnx(location="/dev/zero"), onnx(data=bytes(47)),
        field(7, field(7, field(7, b"")) * 1000), field(7, b"\x0a\x00" * 5000),
        b"PK\x03\x04" + bytes(1000), gzip.compress(bytes(10 << 20))])


def request_of(chance):
    """Bytes that are hostile in one of many ways."""
    kind = chance.randrange(10)
    if kind == 0:
        return malformed(chance)
    if kind == 1:
        return http(chance.choice(["GET", "HEAD", "POST", "DELETE", "PUT", "OPTIONS"]), chance.choice(PATHS))
    if kind == 2:
        return large_or_packed(chance)
    if kind == 3:
        return http("POST", "/v1/models?name=" + chance.choice(["x.onnx", "..%2f..%2fx", "%00", "a" * 400]), models(chance))
    if kind == 4:
        name = chance.choice(["../../../x.onnx", "/etc/cron.d/x", "a\\b", "\x01", "x" * 3000, "store/jobs.db"])
        return http("POST", "/v1/plans", form("model", name, models(chance)),
                    Content_Type="multipart/form-data; boundary=" + chance.choice(["b", "b", "", "b" * 3000, "x"]))
    if kind == 5:
        text = chance.choice(["[" * 100000, "{\"a\":" * 50000, "{", "null", "\"\\ud800\"", "{\"model\": \"" + "a" * 200000 + "\"}",
                              "\ufeff{}", "{\"model\": 1, \"model\": 2}", "1e400", "{\"\\u0000\": 1}"])
        return http("POST", chance.choice(["/v1/plans", "/v1/curves"]), text.encode("utf-8", "replace"), **JSON)
    if kind == 6:
        asked = {**LINEAR, **{chance.choice(FIELDS): bad_value(chance) for _ in range(chance.randrange(1, 4))}}
        # What is right in it by chance is a small job.
        asked["time_limit_s"] = asked.get("time_limit_s", 1)
        return http("POST", chance.choice(["/v1/plans", "/v1/plans", "/v1/curves"]),
                    json.dumps(asked).encode("utf-8", "replace"), **JSON)
    if kind == 7:
        query = "&".join(f"{chance.choice(FIELDS)}={chance.choice(['1', '%00', '..%2f', '9' * 300, 'm4', 'linear', '%ff'])}"
                         for _ in range(chance.randrange(0, 80)))
        return http("GET", chance.choice(["/solve", "/v1/plans", "/v1/models/linear", "/v1/devices"]) + "?" + query)
    if kind == 8:
        return http("GET", chance.choice(["/v1/plans/" + "f" * 64 + "/events", "/v1/plans", "/", "/metrics"]),
                    Host=chance.choice(["evil.example", "localhost", "\u00e9", "", "[::1", "127.0.0.1.evil.example"]),
                    Origin=chance.choice(["http://evil.example", "null", "x" * 3000]),
                    Authorization=chance.choice(["Bearer x", "Basic eDp5", "x" * 3000]),
                    Last_Event_ID=chance.choice(["-1", "9" * 100, "x"]))
    return http("GET", "/healthz") * chance.randrange(1, 200)


def manner_of(chance):
    """How the bytes are sent: all at once, in pieces, cut off, or by one who does not read."""
    return chance.choices(["whole", "pieces", "cut", "deaf"], [85, 7, 5, 3])[0]


def send(served, data, manner, chance):
    with socket.create_connection(("127.0.0.1", served.port), timeout=60) as connection:
        if manner == "cut":
            connection.sendall(data[:chance.randrange(len(data) + 1)])
            return b""
        if manner == "pieces":
            for at in range(0, min(len(data), 60), 3):
                connection.sendall(data[at:at + 3])
            connection.sendall(data[60:])
        else:
            connection.sendall(data)
        if manner == "deaf":
            time.sleep(0.05)
            return b""
        connection.shutdown(socket.SHUT_WR)
        pieces = []
        while piece := connection.recv(65536):
            pieces.append(piece)
        return b"".join(pieces)


def attack(served, number):
    """Sends the request of this number; what is wrong with what came back, or None."""
    chance = random.Random(number)
    data, manner = request_of(chance), manner_of(chance)
    try:
        answer = send(served, data, manner, chance)
    except TimeoutError:
        return f"request {number}: no end within a minute"
    except OSError:
        return None  # refused before everything was sent
    if not answer:
        return None
    if not answer.startswith(b"HTTP/1.1 "):
        return f"request {number}: {answer[:60]!r}"
    status = int(answer[9:12])
    if status >= 500 and status != 503:
        return f"request {number}: {answer[:400]!r}"
    if status >= 400 and b'"error"' not in answer and not data.startswith(b"HEAD"):
        return f"request {number}: no error object: {answer[:300]!r}"
    return None


def files_outside(folder):
    """Every file below the folder that is not the store's or the log."""
    found = []
    for place, _, names in os.walk(folder):
        if os.path.relpath(place, folder).split(os.sep)[0] != "store":
            found += [os.path.join(place, name) for name in names if name != "serve.log"]
    return sorted(found)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--log", default="hostile.jsonl")
    arguments, options = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as folder:
        served = Served(arguments.program, folder, "--patience", "1", "--rate", "0", *options)
        before, memory, start = files_outside(folder), served.memory_kib(), time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            faults = [fault for fault in pool.map(lambda n: attack(served, n), range(arguments.requests)) if fault]
        seconds = time.monotonic() - start
        job = served.job("/v1/plans", LINEAR)["state"] if served.running() else "the service is gone"
        after = served.memory_kib() if served.running() else 0
        outside = files_outside(folder) != before
        code = served.stop()
        with open(os.path.join(folder, "serve.log"), encoding="utf-8", errors="replace") as log:
            lines = log.read()
    record = {"requests": arguments.requests, "seconds": round(seconds, 1), "faults": len(faults), "a_job_after": job,
              "exit_code": code, "wrote_outside_the_store": outside, "sanitizer_reports": lines.count("ERROR: "),
              "worker_crashes": lines.count(" ended by "), "memory_kib": [memory, after], "first_faults": faults[:5],
              "commit": subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True,
                                       check=False).stdout.strip()}
    with open(arguments.log, "a", encoding="utf-8") as log:
        log.write(json.dumps(record) + "\n")
    print(json.dumps(record, indent=1))
    if lines:
        print(lines[-3000:])
    return 1 if faults or code or outside or job != "done" else 0


if __name__ == "__main__":
    sys.exit(main())
