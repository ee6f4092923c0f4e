"""Several `poet serve` and `poet work` that share a database, through their death and that of its connections."""

import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import unittest

import postgres_cluster
import program
from postgres_cluster import Cluster
from program import InAFolder, poet
from service_client import LINEAR, LONG, Served, Working

NEVER = "8"  # seconds: of a lease that no test waits for


def question(n):
    return {**LINEAR, "ram_budget": 5000 + n}


@unittest.skipIf(postgres_cluster.missing(), postgres_cluster.missing())
class Team(InAFolder):
    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster("fsync=off", "max_connections=60").__enter__()
        cls.addClassCleanup(cls.cluster.__exit__)

    def setUp(self):
        super().setUp()
        self.name = self.id().rsplit(".", 1)[1][:60]
        self.uri = self.cluster.make_database(self.name)

    def serves(self, *options, store=None):
        served = Served(program.program, self.folder, *options, store=store or self.uri)
        self.addCleanup(served.stop)
        return served

    def works(self, *options):
        working = Working(program.program, self.folder, self.uri, *options)
        self.addCleanup(working.stop)
        return working

    def asks(self, sql):
        return self.cluster.ask(sql, self.name)

    def test_the_store_in_a_database(self):
        ended = subprocess.run([sys.argv[2], "--gtest_brief=1"], env={**os.environ, "POET_TEST_DATABASE": self.uri},
                               capture_output=True, text=True, check=False)
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        self.assertNotIn("SKIPPED", ended.stdout)

    def test_what_one_is_asked_another_does_and_all_tell(self):
        asked = self.serves("--jobs", "0", "--curves", "0")
        told = self.serves("--jobs", "0", "--curves", "0")
        long = asked.post("/v1/plans", LONG).json()
        self.assertEqual((long["state"], long["ahead"]), ("queued", 0))
        self.assertEqual(long["waits_for"], "it is the next that a worker takes")
        worker = self.works()
        # Progress of a job that runs elsewhere, as it comes.
        for name, data in told.stream(long["id"]):
            if name == "progress":
                self.assertIn("overhead_gap", data)
                break
        else:
            self.fail("the job ended without a word")
        self.assertEqual(told.get(f"/v1/plans/{long['id']}").json()["state"], "running")
        short = told.post("/v1/plans", LINEAR).json()
        self.assertEqual(told.ask("DELETE", f"/v1/plans/{long['id']}").status, 202)
        self.assertEqual(asked.ended(long["id"])["state"], "cancelled")
        done = asked.ended(short["id"])
        self.assertEqual((done["state"], done["result"]["status"]), ("done", "optimal"))
        self.assertEqual(asked.get(f"/v1/plans/{short['id']}/plan").body, told.get(f"/v1/plans/{short['id']}/plan").body)
        self.assertEqual(asked.post("/v1/plans", LINEAR).status, 200)
        self.assertEqual({job["id"] for job in told.get("/v1/plans").json()["plans"]}, {short["id"], long["id"]})
        self.assertEqual(worker.stop(), 0)

    def test_a_model_of_ones_own_reaches_every_worker(self):
        poet("train", "--model", "digits-mlp", "--steps", "1", "--batch-size", "4", "--examples", "8", "--checkpoint",
             "m.ckpt", cwd=self.folder)
        made = poet("export", "onnx", "--model", "digits-mlp", "--checkpoint", "m.ckpt", "--out", "mine.onnx", cwd=self.folder)
        self.assertEqual(made.code, 0, made.err)
        with open(self.path("mine.onnx"), "rb") as file:
            model = file.read()
        asked = self.serves("--jobs", "0", "--curves", "0")
        kept = asked.post("/v1/models?name=mine.onnx", model, headers={"Content-Type": "application/octet-stream"}).json()
        asked.stop()
        self.works()
        other = self.serves("--jobs", "0", "--curves", "0")
        job = other.job("/v1/plans", {"model": kept["id"], "platform": "a72", "ram_budget": "50%way"})
        self.assertEqual((job["state"], job["result"]["model"]), ("done", "mine.onnx"), job["error"])
        self.assertEqual(other.ask("DELETE", f"/v1/models/{kept['id']}").status, 204)
        self.assertEqual(self.asks("SELECT count(*) FROM poet.blobs"), ["0"])

    def test_what_is_killed_under_load_loses_no_job_and_doubles_no_answer(self):
        count = 16
        fronts = [self.serves("--jobs", "0", "--curves", "0", "--lease", "2"), self.serves("--jobs", "1", "--curves", "0", "--lease", "2")]
        workers = [self.works("--lease", "2"), self.works("--lease", "2")]
        ids = [fronts[n % 2].post("/v1/plans", question(n)).json()["id"] for n in range(count)]
        self.assertEqual(len(set(ids)), count)
        over = threading.Event()

        def break_connections():
            while not over.wait(0.3):
                self.asks("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'poet'")

        breaker = threading.Thread(target=break_connections)
        breaker.start()
        try:
            # Each dies while it has a job.
            for k in range(2):
                self.until("SELECT count(*) > 0 FROM poet.jobs WHERE state = 'running'")
                workers[k].kill()
                workers[k] = self.works("--lease", "2")
            fronts[1].kill()
            self.until(f"SELECT count(*) = {count} FROM poet.jobs WHERE state = 'done'")
        finally:
            over.set()
            breaker.join()
        self.assertEqual(self.asks("SELECT state, count(*) FROM poet.jobs GROUP BY state"), [f"done|{count}"])
        self.assertEqual(self.asks("SELECT count(*), count(DISTINCT job) FROM poet.events "
                                   "WHERE name = 'state' AND data LIKE '{\"state\": \"done\"%'"), [f"{count}|{count}"])
        self.assertEqual(self.asks("SELECT count(*) FROM poet.files WHERE name = 'plan'"), [str(count)])
        for job in ids:
            self.assertEqual(fronts[0].get(f"/v1/plans/{job}").json()["result"]["status"], "optimal")

    def until(self, question_with_yes):
        """The database is asked until it says yes; a test that it never does is ended by its time limit."""
        while self.asks(question_with_yes) != ["t"]:
            threading.Event().wait(0.05)

    def test_a_database_that_begins_anew_is_found_again(self):
        served = self.serves("--jobs", "0", "--curves", "0")
        self.works("--lease", NEVER)
        long = served.post("/v1/plans", LONG).json()["id"]
        self.until("SELECT count(*) = 1 FROM poet.jobs WHERE state = 'running'")
        self.cluster.stop(signal.SIGQUIT)
        self.cluster.start()
        job = served.post("/v1/plans", question(1)).json()
        self.assertEqual(job["state"], "queued")
        self.assertEqual(served.ask("DELETE", f"/v1/plans/{long}").status, 202)
        self.assertEqual(served.ended(job["id"])["state"], "done")
        self.assertEqual(self.asks("SELECT lost FROM poet.jobs ORDER BY seq"), ["0", "0"], "the lease outlived it")

    def test_who_is_told_to_end_gives_back_what_it_does(self):
        served = self.serves("--jobs", "0", "--curves", "0")
        worker = self.works()
        long = served.post("/v1/plans", LONG).json()["id"]
        served.await_state(long, "running")
        self.assertEqual(worker.stop(), 0)
        self.assertEqual(self.asks("SELECT state, attempts, lost, ticket FROM poet.jobs"), ["queued|0|0|"])

    def test_the_size_of_a_store_holds(self):
        served = self.serves("--jobs", "1", "--curves", "0", "--most-store", "200KiB")
        for n in range(5):
            job = served.job("/v1/plans", question(n))
            self.assertEqual(job["state"], "done")
        self.assertLess(len(served.get("/v1/plans").json()["plans"]), 5)
        self.assertEqual(served.get(f"/v1/plans/{job['id']}").status, 200)


class Refusals(InAFolder):
    def test_what_makes_no_sense(self):
        needs = "poet work needs --store postgresql://..., the database of the team"
        self.assert_refused(needs, "work")
        self.assert_refused(needs, "work", "--store", "folder")
        self.assert_refused("poet work with --jobs 0 and --curves 0 would do nothing", "work", "--store",
                            "postgresql://x/y", "--jobs", "0", "--curves", "0")
        self.assert_refused("--jobs 0 leaves the work to 'poet work', which needs --store postgresql://...", "serve",
                            "--jobs", "0")
        self.assert_refused("--prune is for a folder: services that use a database hold it to their --most-store", "serve",
                            "--prune", "--store", "postgresql://x/y")

    def test_an_address_that_is_none_is_no_folder(self):
        for place in ("POSTGRESQL://poet:Hush77word@127.0.0.1/t", "postgresql:/poet:Hush77word@127.0.0.1/t", "postgres:poet:Hush77word@h"):
            with self.subTest(place):
                self.assert_refused("the store begins like the address of a database and is none: write postgresql://USER@HOST/DATABASE, "
                                    "or ./ before the name of a folder", "serve", "--port", "0", "--store", place)

    def test_what_a_server_says_before_the_connection_stands_is_not_shown(self):
        def fields(*words):
            return b"".join(word.encode() + b"\0" for word in words) + b"\0"

        def message(kind, body):
            return kind + struct.pack(">i", 4 + len(body)) + body

        def serve(listener):
            while True:
                try:
                    there, _ = listener.accept()
                except OSError:
                    return
                with there:
                    if not there.recv(4096):
                        continue
                    ready = message(b"Z", b"I")
                    there.sendall(message(b"R", struct.pack(">i", 0)) + message(b"N", fields("SNOTICE", "C00000", "Mhear me")) * 100 + ready)
                    there.recv(4096)
                    there.sendall(message(b"E", fields("SERROR", "C42501", "Mnot you")) + ready)
                    there.recv(4096)

        with socket.create_server(("127.0.0.1", 0)) as listener:
            threading.Thread(target=serve, args=(listener,), daemon=True).start()
            ended = poet("work", "--store", f"postgresql://poet@127.0.0.1:{listener.getsockname()[1]}/t?sslmode=disable&gssencmode=disable",
                         cwd=self.folder)
            listener.shutdown(socket.SHUT_RDWR)
        self.assertEqual(ended.code, 2)
        self.assertNotIn("hear me", ended.err)
        self.assertRegex(ended.err, r"\Apoet: cannot use the database 't': not you\n\Z")

    def test_no_password_is_repeated(self):
        for place in ("postgresql://poet:Hush77wo%zzrd@127.0.0.1:9/t", "postgresql://poet@127.0.0.1:9/t?password=Hush77wo%zzrd",
                      "postgresql://poet:Hush77word@[::1/t"):
            with self.subTest(place):
                ended = poet("work", "--store", place, cwd=self.folder)
                self.assertNotIn("Hush77", ended.err)
                self.assertEqual(ended.code, 2)

    def test_without_the_client_of_postgresql(self):
        open(self.path("libpq.so.5"), "wb").close()
        for command in (["serve", "--port", "0"], ["work"]):
            ended = poet(*command, "--store", "postgresql://x/y", cwd=self.folder, env={"LD_LIBRARY_PATH": self.folder})
            self.assertEqual(ended.err, "poet: PostgreSQL's client is not installed: no library libpq.so.5 was found; "
                                        "Debian's package libpq5 has it\n")
            self.assertEqual(ended.code, 2)


if __name__ == "__main__":
    program.run_tests()
