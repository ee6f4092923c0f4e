"""`poet serve` under attack, over real sockets: each test is something that once worked against it."""

import contextlib
import os
import re
import resource
import socket
import stat
import time
import urllib.parse

import program
from program import InAFolder, poet
from service_client import LINEAR, LONG, Served

MIB = 1 << 20
# A wait of minutes, by the released service's route: no proof ends this search sooner.
LONG_SOLVE = "/solve?" + urllib.parse.urlencode(
    {"model": "resnet18_cifar", "platform": "m4", "ram_budget": 481_305, "runtime_budget": 1.5, "time_limit_s": 500})
HEALTH = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"


class Attacked(InAFolder):
    def serve(self, *options):
        served = Served(program.program, self.folder, *options)
        self.addCleanup(lambda: served.running() and served.stop())
        self.served = served
        return served

    def connect(self, source="127.0.0.1"):
        """A connection from one of this machine's many addresses."""
        connection = socket.create_connection(("127.0.0.1", self.served.port), timeout=60, source_address=(source, 0))
        self.addCleanup(connection.close)
        return connection

    def say(self, data, source="127.0.0.1"):
        connection = self.connect(source)
        connection.sendall(data)
        return connection

    def answer_to(self, data, source="127.0.0.1"):
        """All that comes back until the other side has nothing more to say."""
        with self.say(data, source) as connection:
            connection.shutdown(socket.SHUT_WR)
            return everything(connection)

    def status_of(self, data, source="127.0.0.1"):
        return int(self.answer_to(data, source).split(b" ", 2)[1])

    def assert_healthy(self, source="127.0.0.1"):
        connection = self.say(HEALTH, source)
        connection.settimeout(20)
        self.assertIn(b"200 OK", connection.recv(1000))

    def await_metric(self, line):
        """Until GET /metrics has the line; asked from an address that nobody attacks from."""
        request = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        end = time.monotonic() + 60
        while time.monotonic() < end:
            if line.encode() in self.answer_to(request, "127.0.0.9"):
                return
        self.fail(f"never came: {line}")


def everything(connection):
    pieces = []
    with contextlib.suppress(ConnectionResetError):
        while piece := connection.recv(65536):
            pieces.append(piece)
    return b"".join(pieces)


def head(method, path, *lines):
    return "\r\n".join([f"{method} {path} HTTP/1.1", "Host: localhost", *lines, "", ""]).encode()


class Bodies(Attacked):
    def assert_no_memory_for(self, first, piece):
        """Sends the head, and then pieces as long as they are taken, up to 200 MiB."""
        served = self.serve("--patience", "2")
        before = served.memory_kib()
        connection = self.say(first)
        with contextlib.suppress(OSError):
            for _ in range(200 * MIB // len(piece)):
                connection.sendall(piece)
        self.assertLess(served.memory_kib() - before, 30_000)
        self.assert_healthy()

    def test_without_a_length_is_not_read(self):
        self.assert_no_memory_for(head("POST", "/v1/models", "Content-Type: application/octet-stream"), bytes(MIB))

    def test_in_chunks_is_not_read(self):
        chunk = b"100000\r\n" + bytes(MIB) + b"\r\n"
        self.assert_no_memory_for(head("POST", "/v1/models", "Transfer-Encoding: chunked"), chunk)

    def test_without_a_length_is_refused_by_its_head(self):
        self.serve()
        for lines in ([], ["Transfer-Encoding: chunked"], ["Transfer-Encoding: gzip, chunked"]):
            answer = self.answer_to(head("POST", "/v1/models", *lines))
            self.assertTrue(answer.startswith(b"HTTP/1.1 411 "), answer[:200])
            self.assertIn(b'"a body needs a Content-Length"', answer)

    def test_with_two_meanings_is_refused(self):
        self.serve()
        for lines in (["Content-Length: 0", "Content-Length: 5"], ["Content-Length: 99999999999", "Content-Length: 2"],
                      ["Content-Length: 5", "Content-Length: 5"], ["Content-Length: 5", "Transfer-Encoding: chunked"],
                      ["Content-Length: 5, 5"], ["Content-Length: +5"], ["Content-Length : 5"],
                      ["X: y\nContent-Length: 5"], ["Content-Length: 5", "Host: evil.example"]):
            for method in ("POST", "DELETE", "GET"):
                status = self.status_of(head(method, "/v1/models", *lines) + b"hello")
                self.assertEqual(status, 400, (method, lines))

    def test_ends_where_its_head_says(self):
        self.serve()
        body = b'{"model": 1}'
        first = head("POST", "/v1/plans", "Content-Type: application/json", f"Content-Length: {len(body)}") + body
        answer = self.answer_to(first + HEALTH)
        self.assertEqual(re.findall(rb"HTTP/1\.1 (\d+)", answer), [b"400", b"200"])

    def test_is_sent_when_its_client_is_told_to(self):
        self.serve()
        body = b'{"model": 1}'
        asks = ["Content-Type: application/json", "Expect: 100-continue"]
        connection = self.say(head("POST", "/v1/plans", *asks, f"Content-Length: {len(body)}"))
        self.assertEqual(connection.recv(1000), b"HTTP/1.1 100 Continue\r\n\r\n")
        connection.sendall(body)
        self.assertIn(b"HTTP/1.1 400 ", connection.recv(1000))
        # What is refused by its head is refused at once.
        self.assertIn(b"HTTP/1.1 413 ", self.say(head("POST", "/v1/plans", *asks, "Content-Length: 400000")).recv(1000))

    def test_too_large_is_said_to_who_is_still_sending(self):
        self.serve()
        answer = self.answer_to(head("POST", "/v1/plans", "Content-Length: 400000") + bytes(400_000))
        self.assertTrue(answer.startswith(b"HTTP/1.1 413 "), answer[:200])


class Rest(Attacked):
    """What is left of a request that was answered before its end is never the next request."""

    def assert_one_answer(self, connection, rest, status):
        """Sends the rest once the answer has begun; nothing else may be answered."""
        answer = connection.recv(65536)
        with contextlib.suppress(OSError):
            connection.sendall(rest)
        with contextlib.suppress(OSError):
            answer += everything(connection)
        self.assertEqual(re.findall(rb"HTTP/1\.1 (\d+)", answer), [status], answer)
        self.assertIn(b"\r\nConnection: close\r\n", answer)
        self.assertNotIn(b"Keep-Alive", answer)

    def test_of_a_late_body(self):
        self.serve("--patience", "0.5")
        for path, kind in (("/v1/plans", "application/json"), ("/v1/plans", "multipart/form-data; boundary=b"),
                           ("/v1/models", "application/octet-stream")):
            late = self.say(head("POST", path, f"Content-Type: {kind}", "Content-Length: 500") + b"{")
            self.assert_one_answer(late, HEALTH, b"408")

    def test_of_what_is_no_request(self):
        self.serve()
        length = f"Content-Length: {len(HEALTH)}"
        json = head("POST", "/v1/plans", "Content-Type: application/json", length)
        for first in (head("POST", "/v1/plans", "Content-Type: multipart/form-data", length),
                      json.replace(b"HTTP/1.1", b"HTTP/1.2"), json.replace(b"POST", b"FOO")):
            self.assert_one_answer(self.say(first), HEALTH, b"400")
            self.assert_one_answer(self.say(first + HEALTH), HEALTH, b"400")

    def test_of_what_is_refused_by_its_head(self):
        self.serve()
        length = f"Content-Length: {len(HEALTH)}"
        for first, status in ((head("POST", "/v1/plans", "Content-Type: text/plain", length), b"415"),
                              (head("GET", "/v1/plans", length), b"413"), (head("PUT", "/v1/plans", length), b"405")):
            self.assert_one_answer(self.say(first), HEALTH, status)


class Meanings(Attacked):
    def test_of_a_query_are_one(self):
        served = self.serve()
        solve = "/solve?model=linear&platform=m4&ram_budget=5500&runtime_budget=1.5"
        for path in ("/v1/plans?limit=1&limit=2", "/v1/plans?limit=1&limit=1", solve + "&paging=2", solve + "&remat=",
                     solve + "&ram_budget=5600", solve + "&solver=cbc&use_actual_gurobi=1", solve + "&use_actual_gurobi=x",
                     "/v1/models/linear?batch_size=1&batch_size=2", "/healthz?x=1", "/metrics?x=1", "/openapi.json?x=1"):
            self.assertEqual(served.get(path).status, 400, path)
        self.assertEqual(served.get("/v1/plans").json()["plans"], [])
        self.assertEqual(served.get("/?x=1&x=2").status, 200)

    def test_of_a_form_are_one(self):
        served = self.serve()
        model = "Content-Disposition: form-data; name=\"model\""
        file = "Content-Disposition: form-data; name=\"model\"; filename=\"m.onnx\""
        for path, parts in (("/v1/plans", [model + "\r\n\r\nlinear", model + "\r\n\r\nresnet8"]),
                            ("/v1/plans", [model + "\r\n\r\nlinear", file + "\r\n\r\nx"]),
                            ("/v1/models", [file + "\r\n\r\nx", file + "\r\n\r\ny"]),
                            ("/v1/models", [file + "\r\n\r\nx", model + "\r\n\r\ny"])):
            form = "".join(f"--b\r\n{part}\r\n" for part in parts) + "--b--\r\n"
            answer = served.post(path, form.encode(), headers={"Content-Type": "multipart/form-data; boundary=b"})
            self.assertEqual(answer.status, 400, (path, parts))

    def test_of_a_curve_are_one(self):
        curve = {"model": "linear", "platform": "m4", "points": 2, "budgets": [5000]}
        answer = self.serve().post("/v1/curves", curve)
        self.assertEqual((answer.status, answer.error()["field"]), (400, "points"))

    def test_of_a_head_are_one(self):
        self.serve()
        for lines in (b"", b"Host:\r\n", b"Host: localhost\r\nOrigin: http://a\r\nOrigin: http://b\r\n"):
            self.assertEqual(self.status_of(b"GET /healthz HTTP/1.1\r\n" + lines + b"\r\n"), 400, lines)


class FullDisks(Attacked):
    def test_are_said_as_such(self):
        # A file that may not grow is refused like one on a full disk, once the signal is ignored.
        ignoring = ("/bin/sh", "-c", 'trap "" 25; exec "$@"', "sh")
        served = Served(program.program, self.folder, start=ignoring)
        self.addCleanup(lambda: served.running() and served.stop())
        served.job("/v1/plans", LINEAR)
        before = resource.prlimit(served.process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(served.process.pid, resource.RLIMIT_FSIZE, (0, before[1]))
        # Not POST /v1/plans: SQLite does not tell this error from a disk that is broken.
        answer = served.post("/v1/models", b"x", headers={"Content-Type": "application/octet-stream"})
        self.assertEqual((answer.status, answer.error()["code"]), (507, "store_full"), answer.body)
        answer = served.get("/v1/models/linear?batch_size=3")
        self.assertEqual((answer.status, answer.error()["code"]), (507, "store_full"), answer.body)
        resource.prlimit(served.process.pid, resource.RLIMIT_FSIZE, before)
        self.assertEqual(served.job("/v1/plans", {**LINEAR, "ram_budget": 5100})["state"], "done")


class Places(Attacked):
    def test_silent_connections_keep_nobody_out(self):
        self.serve("--connections", "4", "--rate", "0")
        for _ in range(300):
            self.connect()
        for source in ("127.0.0.1", "127.0.0.2"):
            self.assert_healthy(source)
            self.assertEqual(self.status_of(head("GET", "/v1/devices"), source), 200)

    def test_half_a_request_keeps_nobody_out(self):
        self.serve("--connections", "4", "--rate", "0", "--patience", "30")
        for _ in range(100):
            self.say(b"GET /v1/devices HTTP/1.1\r\nHost: loc")
        for source in ("127.0.0.1", "127.0.0.2"):
            self.assert_healthy(source)
            self.assertEqual(self.status_of(head("GET", "/v1/devices"), source), 200)

    def test_slow_bodies_take_only_the_share_of_their_address(self):
        self.serve("--connections", "4", "--rate", "0", "--patience", "30")
        for _ in range(50):
            self.say(head("POST", "/v1/plans", "Content-Type: application/json", "Content-Length: 1000") + b"{")
        self.assert_healthy()
        self.assertEqual(self.status_of(head("GET", "/v1/devices"), "127.0.0.2"), 200)

    def test_slow_uploads_keep_nobody_from_uploading(self):
        self.serve("--rate", "0", "--patience", "30")
        upload = head("POST", "/v1/models", f"Content-Length: {MIB}")
        # Of this address there are two at a time, once two slow ones have begun before a whole one.
        self.say(upload + b"x")
        self.say(upload + b"x")
        while self.status_of(upload + bytes(MIB)) != 429:
            self.say(upload + b"x")
        # Others are heard: what they send is no model.
        answer = everything(self.say(upload.replace(b"Host", b"Connection: close\r\nHost") + bytes(MIB), "127.0.0.2"))
        self.assertTrue(answer.startswith(b"HTTP/1.1 4"), answer[:200])
        self.assertNotIn(b"HTTP/1.1 429 ", answer)

    def test_health_is_answered_to_who_asks_too_often(self):
        self.serve("--rate", "0.001")
        self.assertEqual([self.served.get("/v1/devices").status for _ in range(3)], [200, 429, 429])
        self.assert_healthy()

    def test_who_waits_for_a_job_and_hangs_up_gives_the_place_back(self):
        self.serve("--connections", "8", "--jobs", "1", "--rate", "0")
        # A quarter of 8 may wait; of one address, a quarter of its half.
        waiting = self.say(head("GET", LONG_SOLVE))
        self.await_metric("poet_running_jobs 1")
        refused = self.answer_to(head("GET", LONG_SOLVE))
        self.assertTrue(refused.startswith(b"HTTP/1.1 503 "), refused[:300])
        self.assertIn(b"Retry-After: ", refused)
        # Somebody else has a place.
        other = self.say(head("GET", LONG_SOLVE), "127.0.0.2")
        waiting.close()
        self.await_metric('poet_requests_total{route="/solve",code="499"} 1')
        other.close()
        self.await_metric('poet_requests_total{route="/solve",code="499"} 2')
        # Nobody was told what to ask for: nor is the job done for nobody.
        self.await_metric("poet_running_jobs 0")

    def test_a_job_that_somebody_may_come_back_for_goes_on(self):
        served = self.serve("--jobs", "1", "--rate", "0")
        waiting = self.say(head("GET", LONG_SOLVE))
        self.await_metric("poet_running_jobs 1")
        job = served.get("/v1/plans").json()["plans"][0]["id"]
        request = {**dict(urllib.parse.parse_qsl(LONG_SOLVE.partition("?")[2])), "graph": "released"}
        request = {name: float(value) if value[0].isdigit() else value for name, value in request.items()}
        self.assertEqual(served.post("/v1/plans", request).json()["id"], job)
        waiting.close()
        self.await_metric('poet_requests_total{route="/solve",code="499"} 1')
        self.assertEqual(served.get(f"/v1/plans/{job}").json()["state"], "running")

    def test_streams_are_bounded_and_give_their_places_back(self):
        served = self.serve("--connections", "4", "--rate", "0")
        path = f"/v1/plans/{served.post('/v1/plans', LONG).json()['id']}/events"
        for _ in range(3):
            stream = self.say(head("GET", path))
            while b" 503 " in (begin := stream.recv(13)):  # the one before is not gone yet
                stream = self.say(head("GET", path))
            self.assertIn(b" 200 ", begin)
            self.assertEqual(self.status_of(head("GET", path)), 503)
            stream.close()


class Sites(Attacked):
    def test_a_name_that_looks_like_an_address_is_a_name(self):
        served = self.serve()
        for host in ("127.evil.example", "127.0.0.1.evil.example", "127.0.0.1x", "localhost.evil.example", "evil.example",
                     "127.0.0.1@evil.example", "[::1].evil.example", "128.0.0.1", "[::2]", "127.1", "localhost:80:80"):
            self.assertEqual(served.get("/v1/plans", headers={"Host": host}).status, 403, host)
        for host in ("127.0.0.1", "127.8.9.10:8321", "[::1]:1", "LocalHost:9", "[::ffff:127.0.0.1]"):
            self.assertEqual(served.get("/v1/plans", headers={"Host": host}).status, 200, host)

    def test_a_whole_address_says_whom_it_is_for(self):
        self.serve()
        ask = "GET http://{}/v1/plans HTTP/1.1\r\nHost: {}\r\n\r\n"
        for address, host, status in (("127.0.0.1:1", "127.0.0.1", 200), ("evil.example", "127.0.0.1", 403),
                                      ("127.0.0.1", "evil.example", 200)):
            self.assertEqual(self.status_of(ask.format(address, host).encode()), status, (address, host))

    def test_pages_of_other_sites_start_nothing(self):
        served = self.serve()
        job = served.job("/v1/plans", LINEAR)["id"]
        solve = "/solve?model=linear&platform=m4&ram_budget=5500&runtime_budget=1.5"
        paths = [solve, "/v1/models/linear", f"/v1/plans/{job}/explain", f"/v1/plans/{job}/project",
                 f"/v1/plans/{job}/events"]
        for headers in ({"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"},
                        {"Referer": "http://evil.example/"}, {"Origin": "http://evil.example"}, {"Origin": "null"}):
            for path in paths:
                self.assertEqual(served.get(path, headers=headers).status, 403, (path, headers))
            self.assertEqual(served.post("/v1/plans", {**LINEAR, "ram_budget": 5100}, headers=headers).status, 403)
            self.assertEqual(served.get("/", headers=headers).status, 200)
        self.assertEqual(len(served.get("/v1/plans").json()["plans"]), 1)
        for headers in ({"Sec-Fetch-Site": "same-origin"}, {"Sec-Fetch-Site": "none"}, {},
                        {"Referer": f"http://127.0.0.1:{served.port}/x"}, {"Origin": f"http://127.0.0.1:{served.port}"}):
            self.assertEqual(served.get(solve, headers=headers).status, 200, headers)

    def test_the_site_that_may_use_it_may_start_work(self):
        served = self.serve("--cors", "https://lab.example")
        solve = "/solve?model=linear&platform=m4&ram_budget=5500&runtime_budget=1.5"
        self.assertEqual(served.get(solve, headers={"Origin": "https://evil.example"}).status, 403)
        answer = served.get(solve, headers={"Origin": "https://lab.example"})
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer.headers["access-control-allow-origin"], "https://lab.example")


class Files(Attacked):
    def setUp(self):
        super().setUp()
        before = os.umask(0o022)
        self.addCleanup(os.umask, before)

    def modes_below(self, folder):
        """{path: who besides the owner may do something}"""
        found = {}
        for place, folders, files in os.walk(folder):
            for name in [".", *folders, *files]:
                path = os.path.normpath(os.path.join(place, name))
                found[path] = oct(stat.S_IMODE(os.stat(path).st_mode) & 0o077)
        return found

    def make_model(self):
        for command in (["train", "--model", "digits-mlp", "--steps", "1", "--batch-size", "4", "--examples", "8",
                         "--checkpoint", "m.ckpt"],
                        ["export", "onnx", "--model", "digits-mlp", "--checkpoint", "m.ckpt", "--out", "mine.onnx"]):
            ended = poet(*command, cwd=self.folder)
            self.assertEqual(ended.code, 0, ended.err)
        with open(self.path("mine.onnx"), "rb") as file:
            return file.read()

    def test_are_for_their_owner_alone(self):
        model = self.make_model()
        self.assertEqual(oct(stat.S_IMODE(os.stat(self.path("m.ckpt")).st_mode)), "0o600")
        ended = poet("serve", "--tokens", "tokens.txt", "--new-token", "ada", cwd=self.folder)
        self.assertEqual(ended.code, 0, ended.err)
        self.assertEqual(oct(stat.S_IMODE(os.stat(self.path("tokens.txt")).st_mode)), "0o600")
        served = self.serve()
        self.assertEqual(served.post("/v1/models", model, headers={"Content-Type": "application/octet-stream"}).status, 201)
        served.job("/v1/plans", LINEAR)
        modes = self.modes_below(self.path("store"))
        self.assertGreater(len(modes), 4)
        self.assertEqual({path: mode for path, mode in modes.items() if mode != "0o0"}, {})

    def test_that_others_could_read_are_closed(self):
        self.serve().job("/v1/plans", LINEAR)
        self.served.stop()
        for name, mode in (("store", 0o777), ("store/jobs.db", 0o644), ("store/models", 0o755), ("store/work", 0o755)):
            os.chmod(self.path(name), mode)
        self.serve()
        modes = self.modes_below(self.path("store"))
        self.assertEqual({path: mode for path, mode in modes.items() if mode != "0o0"}, {})


if __name__ == "__main__":
    program.run_tests()
