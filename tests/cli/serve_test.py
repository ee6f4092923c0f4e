"""`poet serve` from outside, over real sockets."""

import concurrent.futures
import ctypes
import fcntl
import io
import json
import os
import re
import select
import shutil
import signal
import socket
import stat
import subprocess
import sys
import termios
import unittest
import zipfile

import program
from program import InAFolder, poet
from service_client import LINEAR, LONG, Served


class WithAService(InAFolder):
    def serve(self, *options, **more):
        served = Served(program.program, self.folder, *options, **more)
        self.addCleanup(lambda: served.running() and served.stop())
        return served

    def assert_refused_with(self, answer, status, code, field=None):
        self.assertEqual(answer.status, status, answer.body[:300])
        error = answer.error()
        self.assertEqual((error["code"], error["field"]), (code, field))
        self.assertTrue(error["message"])


class Plans(WithAService):
    def test_from_the_request_to_the_files(self):
        served = self.serve()
        first = served.post("/v1/plans", LINEAR)
        self.assertEqual(first.status, 202)
        self.assertEqual(first.headers["location"], "/v1/plans/" + first.json()["id"])
        job = served.ended(first.json()["id"])
        self.assertEqual((job["state"], job["result"]["status"], job["error"]), ("done", "optimal", None))
        self.assertEqual(job["files"], ["plan", "report", "step", "explain"])

        # The same figures as the command's, and a plan that the verifier passes.
        command = poet("solve", "--model", "linear", "--platform", "m4", "--ram-budget", "5000", "--runtime-budget",
                       "1.5", "--json", cwd=self.folder).json()
        for field in ("energy_j", "time_s", "peak_ram_bytes", "lower_bound_j", "class"):
            self.assertEqual(job["result"][field], command[field])
        with open(self.path("plan.json"), "wb") as file:
            file.write(served.get(f"/v1/plans/{job['id']}/plan").body)
        self.assertEqual(poet("verify", self.path("plan.json")).code, 0)
        self.assertIn(b"<!DOCTYPE html>", served.get(f"/v1/plans/{job['id']}/report").body)
        self.assertEqual(served.get(f"/v1/plans/{job['id']}/step").json()["format"], "poet-step")
        self.assertEqual(served.get(f"/v1/plans/{job['id']}/project").status, 404)

        # Asked again, in other words: from the store.
        again = served.post("/v1/plans", {**LINEAR, "ram_budget": "5000 B", "paging": True})
        self.assertEqual((again.status, again.json()["id"]), (200, job["id"]))
        self.assertIn("poet_store_hits_total 1\n", served.get("/metrics").body.decode())
        self.assertEqual([one["id"] for one in served.get("/v1/plans?state=done").json()["plans"]], [job["id"]])

    def test_the_curve_of_a_search_is_streamed_and_repeated(self):
        served = self.serve()
        job = served.post("/v1/plans", {**LINEAR, "model": "resnet18_cifar", "ram_budget": "30%way"}).json()["id"]
        live = list(served.stream(job))
        self.assertEqual([data["state"] for name, data in live if name == "state"], ["queued", "running", "done"])
        progress = [data for name, data in live if name == "progress"]
        self.assertTrue(progress)
        for data in progress:  # a quick search may be told of before it has a bound
            if data["bound"] is not None and data["incumbent"] is not None:
                self.assertLessEqual(data["bound"], data["incumbent"])
        self.assertEqual((live[-1][0], live[-1][1]["result"]["status"]), ("done", "optimal"))
        self.assertEqual(list(served.stream(job)), live)

    def test_what_is_made_of_a_plan(self):
        served = self.serve()
        job = served.job("/v1/plans", {"model": "lenet5", "platform": "m4", "batch_size": 2, "image_size": 24})
        for name in ("explain", "project"):
            path = f"/v1/plans/{job['id']}/{name}"
            later = served.get(path)
            self.assertEqual((later.status, later.headers["retry-after"]), (202, "1"))
            self.assertEqual(served.ended(later.json()["id"])["state"], "done")
            answer = served.get(path)
            self.assertEqual(answer.status, 200, answer.body[:500])
            if name == "explain":
                self.assertEqual(answer.json()["format"], "poet-explanation")
            else:
                names = zipfile.ZipFile(io.BytesIO(answer.body)).namelist()
                self.assertIn("poet-project/Makefile", names)
        self.assertEqual(len(served.get("/v1/plans").json()["plans"]), 1)

    # The stack counts where the board is the target: with the board's whole RAM as budget, too.
    @unittest.skipUnless(shutil.which("make"), "make is not installed: what the service writes is not built")
    def test_a_project_in_the_whole_ram_of_its_board_is_built_and_trains(self):
        served = self.serve()
        job = served.job("/v1/plans", {"model": "lenet5", "platform": "m4", "batch_size": 8, "image_size": 24,
                                       "ram_budget": 262144, "io": "blocking"})
        path = f"/v1/plans/{job['id']}/project"
        served.ended(served.get(path).json()["id"])
        zipfile.ZipFile(io.BytesIO(served.get(path).body)).extractall(self.folder)
        project = self.path("poet-project")
        for command in (["make", "host"], ["./host", "--steps", "2"]):
            ended = subprocess.run(command, cwd=project, env={**os.environ, **program.CACHED}, capture_output=True, text=True, check=False)
            self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertRegex(ended.stdout, "^step 1 loss ")

        # As its README says: with what the command line takes where nothing is said, to the bit.
        with open(os.path.join(project, "README.md"), encoding="utf-8") as file:
            made_by = re.search(r"`poet (export c [^`]*)`", file.read()).group(1).split()
        self.assertEqual(poet(*made_by[:-1], self.path("again"), cwd=self.folder).code, 0)
        for name in ("examples.bin", "poet_plan.c", "README.md"):
            with open(os.path.join(self.path("again"), name), "rb") as again, open(os.path.join(project, name), "rb") as file:
                self.assertEqual(again.read().replace(self.path("again").encode(), b"poet-project"), file.read(), name)
        trained = poet("train", "--model", "lenet5", "--batch-size", "8", "--image-size", "24",
                       "--steps", "2", "--test-examples", "0", cwd=self.folder)
        self.assertEqual(re.search("[0-9a-f]{64}", ended.stdout).group(), re.search("[0-9a-f]{64}", trained.out).group())

    def test_a_no_is_an_answer(self):
        served = self.serve()
        job = served.job("/v1/plans", {**LINEAR, "ram_budget": 100})
        self.assertEqual((job["state"], job["result"]["status"], job["files"]), ("done", "infeasible", []))
        self.assert_refused_with(served.get(f"/v1/plans/{job['id']}/plan"), 404, "no_schedule")

    def test_cancel_keeps_the_best(self):
        served = self.serve()
        job = served.post("/v1/plans", LONG).json()["id"]
        next(data for name, data in served.stream(job) if name == "progress" and data["incumbent"])
        self.assertEqual(served.get(f"/v1/plans/{job}/plan").status, 409)
        self.assertEqual(served.ask("DELETE", f"/v1/plans/{job}").status, 202)
        document = served.ended(job)
        self.assertEqual((document["state"], document["result"]["status"]), ("cancelled", "feasible"))
        self.assertIn("plan", document["files"])
        self.assertEqual(served.ask("DELETE", f"/v1/plans/{job}").status, 200)
        self.assertEqual(served.get(f"/v1/plans/{job}/step").headers["cache-control"], "no-store")
        # It is no answer for who asks now, and stays until there is something as good.
        self.assertEqual(served.post("/v1/plans", LONG).status, 202)
        served.ask("DELETE", f"/v1/plans/{job}")
        again = served.ended(job)
        self.assertEqual(again["state"], "cancelled")
        self.assertLessEqual(again["result"]["energy_j"], document["result"]["energy_j"])

    def test_curves(self):
        served = self.serve()
        question = {"model": "linear", "platform": "m4", "budgets": ["60%", "80%", 7416],
                    "methods": ["keep-all", "chen-greedy"]}
        job = served.job("/v1/curves", question)
        self.assertEqual(job["kind"], "curve")
        curves = {one["name"]: one["points"] for one in job["result"]["methods"]}
        self.assertEqual(list(curves), ["keep-all", "chen-greedy", "poet"])
        self.assertEqual([point["outcome"] for point in curves["keep-all"]], ["over_ram", "over_ram", "fits"])
        for other, ours in zip(curves["chen-greedy"], curves["poet"]):
            if other["energy_j"] is not None:
                self.assertLessEqual(ours["energy_j"], other["energy_j"] * (1 + 1e-9))

    def test_all_searches_of_a_curve_have_one_limit(self):
        served = self.serve("--most-curve-s", "1")
        question = {name: value for name, value in LONG.items() if name != "ram_budget"}
        job = served.job("/v1/curves", {**question, "budgets": ["20%way", "25%way"], "methods": ["keep-all"]})
        self.assertEqual((job["state"], job["result"]["complete"]), ("done", False))


class Models(WithAService):
    def onnx(self, *words):
        """A small network as an ONNX file."""
        ended = poet("train", "--model", "digits-mlp", "--steps", "1", "--batch-size", "4", "--examples", "8",
                     "--checkpoint", "m.ckpt", cwd=self.folder)
        self.assertEqual(ended.code, 0, ended.err)
        ended = poet("export", "onnx", "--model", "digits-mlp", "--checkpoint", "m.ckpt", "--out", "mine.onnx",
                     *words, cwd=self.folder)
        self.assertEqual(ended.code, 0, ended.err)
        with open(self.path("mine.onnx"), "rb") as file:
            return file.read()

    def test_an_upload_is_kept_once_and_planned(self):
        served = self.serve()
        data = self.onnx()
        first = served.post("/v1/models?name=mine.onnx", data, headers={"Content-Type": "application/octet-stream"})
        self.assertEqual(first.status, 201, first.body[:300])
        model = first.json()
        self.assertEqual((model["name"], model["kind"], model["size_bytes"]), ("mine.onnx", "onnx", len(data)))
        again = served.post("/v1/models", data, headers={"Content-Type": "application/octet-stream"})
        self.assertEqual((again.status, again.json()["id"]), (200, model["id"]))
        self.assertIn(model["id"], [one["id"] for one in served.get("/v1/models").json()["models"]])

        figures = served.get(f"/v1/models/{model['id']}?optimiser=adam&platform=a72").json()
        self.assertEqual((figures["name"], figures["platform"], figures["batch_size"]), ("mine.onnx", "a72", 1))
        self.assertLess(figures["working_set_bytes"], figures["plain_peak_bytes"])
        job = served.job("/v1/plans", {"model": model["id"], "platform": "m4", "batch_size": 1, "ram_budget": "50%way"})
        self.assertEqual((job["state"], job["result"]["model"]), ("done", "mine.onnx"), job["error"])

        # The same by a form: the same model, the same job.
        form = (b'--b\r\nContent-Disposition: form-data; name="model"; filename="other.onnx"\r\n\r\n' + data +
                b'\r\n--b\r\nContent-Disposition: form-data; name="platform"\r\n\r\nm4'
                b'\r\n--b\r\nContent-Disposition: form-data; name="batch_size"\r\n\r\n1'
                b'\r\n--b\r\nContent-Disposition: form-data; name="ram_budget"\r\n\r\n50%way\r\n--b--\r\n')
        answer = served.post("/v1/plans", form, headers={"Content-Type": "multipart/form-data; boundary=b"})
        self.assertEqual((answer.status, answer.json()["id"]), (200, job["id"]))

    def test_an_upload_may_have_the_batch_that_it_was_exported_for(self):
        served = self.serve()
        answer = served.post("/v1/models?name=four.onnx", self.onnx("--batch-size", "4"),
                             headers={"Content-Type": "application/octet-stream"})
        self.assertEqual(answer.status, 201, answer.body[:300])
        job = served.job("/v1/plans", {"model": answer.json()["id"], "platform": "m4", "batch_size": 4, "ram_budget": "50%way"})
        self.assertEqual(job["state"], "done", job["error"])

    def test_what_is_no_model_is_refused_and_not_kept(self):
        served = self.serve()
        answer = served.post("/v1/models?name=x.onnx", b"\x08\x07garbage", headers={})
        self.assert_refused_with(answer, 422, "unusable_model")
        self.assertIn("x.onnx", answer.error()["message"])
        self.assertNotIn(self.folder, answer.body.decode())
        self.assertEqual(os.listdir(self.path("store/models")), [])
        answer = served.post("/v1/plans", {**LINEAR, "model": "sha256:" + "0" * 64})
        self.assert_refused_with(answer, 404, "not_found", "model")


class TheReleasedService(WithAService):
    """A client that was written for it."""

    QUERY = "/solve?model=linear&platform=m4&ram_budget=5000.0&runtime_budget=1.5&paging=1&remat=1" \
            "&mem_power_scale=1.0&batch_size=1&solver=cbc&time_limit_s=1e100&solve_threads=4"

    def test_its_fields(self):
        served = self.serve()
        result = served.get(self.QUERY).json()
        self.assertEqual(set(result), {"ram_budget", "runtime_budget_ms", "paging", "remat", "total_power_cost_page",
                                       "total_power_cost_cpu", "total_runtime", "feasible", "solution"})
        solution = result["solution"]
        self.assertEqual(set(solution), {"R", "SRam", "SSd", "Min", "Mout", "FreeE", "U", "finished", "feasible",
                                         "solve_time_s"})
        self.assertTrue(result["feasible"] and solution["feasible"] and solution["finished"])
        for name in ("R", "SRam", "SSd", "Min", "Mout", "U"):
            self.assertEqual((len(solution[name]), len(solution[name][0])), (27, 27))
        # As many columns as the released graph has edges.
        self.assertEqual((len(solution["FreeE"]), len(solution["FreeE"][0])), (27, 52))
        self.assertTrue(all(solution["R"][t][t] for t in range(27)))
        self.assertLessEqual(max(map(max, solution["U"])), 5000)

    def test_the_released_formulation(self):
        served = self.serve()
        released = served.get(self.QUERY + "&formulation=released").json()
        command = poet(*program.LINEAR, "--graph", "released", "--formulation", "released", "--json").json()
        energy = released["total_power_cost_cpu"] + released["total_power_cost_page"]
        self.assertAlmostEqual(energy / command["energy_j"], 1, delta=1e-6)

    def test_without_a_schedule_there_are_no_matrices(self):
        served = self.serve()
        result = served.get("/solve?model=linear&platform=m4&ram_budget=100&runtime_budget=1.5").json()
        self.assertEqual((result["feasible"], result["total_power_cost_cpu"], result["solution"]["R"]), (False, None, None))
        self.assertTrue(result["solution"]["finished"])

    def test_what_it_cannot_take(self):
        served = self.serve()
        self.assert_refused_with(served.get("/solve?model=linear&platform=m4&ram_budget=1"), 400, "bad_request",
                                 "runtime_budget")
        self.assert_refused_with(served.get(self.QUERY.replace("linear", "lenet5")), 400, "bad_request", "model")
        self.assert_refused_with(served.get(self.QUERY + "&x=1"), 400, "bad_request", "x")


class TheContract(WithAService):
    def test_the_document_is_what_is_served(self):
        served = self.serve()
        document = served.get("/openapi.json").json()
        for path, methods in document["paths"].items():
            real = path.replace("{id}", "0" * 64).replace("{file}", "none.js")
            allowed = {method.upper() for method in methods}
            for method in ("GET", "POST", "DELETE", "PUT", "PATCH"):
                answer = served.ask(method, real, body=b"" if method != "GET" else None)
                self.assertEqual(answer.status == 405, method not in allowed, f"{method} {path}: {answer.status}")
                if answer.status == 405:
                    self.assertEqual(set(answer.headers["allow"].split(", ")), allowed)

    def test_every_route_is_documented(self):
        here = os.path.dirname(os.path.abspath(__file__))
        with open(os.path.join(here, "../../docs/formats/service.md"), encoding="utf-8") as file:
            text = file.read()
        for path, methods in self.serve().get("/openapi.json").json()["paths"].items():
            shown = path.replace("/v1/models/{id}", "/v1/models/{model}")
            for method in methods:
                self.assertIn(f"`{method.upper()} {shown}`", text)


class Limits(WithAService):
    def test_the_queue_has_an_end(self):
        served = self.serve("--jobs", "1", "--queue", "1")
        ids = []
        for seed in range(1, 3):
            answer = served.post("/v1/plans", {**LONG, "seed": seed})
            self.assertEqual(answer.status, 202)
            ids.append(answer.json()["id"])
            if seed == 1:
                served.await_state(ids[0], "running")
        full = served.post("/v1/plans", {**LONG, "seed": 3})
        self.assert_refused_with(full, 429, "queue_full")
        self.assertGreaterEqual(int(full.headers["retry-after"]), 1)
        for job in reversed(ids):
            served.ask("DELETE", f"/v1/plans/{job}")
            self.assertIn(served.ended(job)["state"], ("cancelled", "done"))

    def test_a_job_that_needs_too_much_memory_ends_alone(self):
        served = self.serve("--job-memory", "60MB")
        job = served.job("/v1/plans", {"model": "bert-base", "platform": "a72", "batch_size": 1})
        self.assertEqual((job["state"], job["error"]["code"]), ("failed", "memory_limit"))
        self.assertEqual(served.get("/healthz").status, 200)

    def test_tokens(self):
        made = poet("serve", "--tokens", "tokens.txt", "--new-token", "ada", cwd=self.folder)
        self.assertEqual(made.code, 0, made.err)
        token = made.out.strip()
        with open(self.path("tokens.txt"), encoding="ascii") as file:
            self.assertNotIn(token, file.read())
        served = self.serve("--tokens", "tokens.txt")
        self.assert_refused_with(served.get("/v1/devices"), 401, "unauthorised")
        self.assertEqual(served.get("/v1/devices", headers={"Authorization": f"Bearer {token}"}).status, 200)
        self.assertEqual(served.get("/healthz").status, 200)

    def token(self, owner):
        made = poet("serve", "--tokens", "tokens.txt", "--new-token", owner, cwd=self.folder)
        self.assertEqual(made.code, 0, made.err)
        return {"Authorization": f"Bearer {made.out.strip()}"}

    def test_a_file_of_tokens_that_is_there_is_closed_to_others(self):
        with open(self.path("tokens.txt"), "x", encoding="ascii"):
            os.chmod(self.path("tokens.txt"), 0o644)
        self.token("ada")
        self.assertEqual(stat.S_IMODE(os.stat(self.path("tokens.txt")).st_mode), 0o600)

    def revoke(self, owner):
        with open(self.path("tokens.txt"), encoding="ascii") as file:
            lines = file.readlines()
        with open(self.path("tokens.txt"), "w", encoding="ascii") as file:
            file.writelines(line for line in lines if line.split()[1] != owner)  # a hash may hold any three letters

    def test_tokens_are_read_again_and_show_each_their_own(self):
        ada, bob = self.token("ada"), self.token("bob")
        served = self.serve("--tokens", "tokens.txt", "--queue", "8")
        job = served.post("/v1/plans", LINEAR, headers=dict(ada)).json()["id"]
        self.assertEqual(served.get(f"/v1/plans/{job}", headers=ada).status, 200)
        self.assert_refused_with(served.get(f"/v1/plans/{job}", headers=bob), 404, "not_found")
        self.assert_refused_with(served.ask("DELETE", f"/v1/plans/{job}", headers=bob), 404, "not_found")
        self.assertEqual(served.get("/v1/plans", headers=bob).json()["plans"], [])
        self.revoke("ada")
        self.assertEqual(served.get("/v1/devices", headers=ada).status, 200)
        served.process.send_signal(signal.SIGHUP)
        while served.get("/v1/devices", headers=ada).status == 200:
            self.assertTrue(served.running())
        self.assertEqual(served.get("/v1/devices", headers=bob).status, 200)
        with open(self.path("tokens.txt"), "a", encoding="ascii") as file:
            file.write("no hash\n")
        served.process.send_signal(signal.SIGHUP)
        while b"the tokens stay as they were" not in served.complaints():
            self.assertTrue(served.running())
        self.assertEqual(served.get("/v1/devices", headers=bob).status, 200)

    def test_a_name_with_a_line_break_gets_no_token(self):
        self.assert_refused("--new-token: a name is one line, without control characters",
                            "serve", "--new-token", "a\nb", "--tokens", "tokens.txt")

    def test_tokens_that_others_may_write_are_warned_of(self):
        self.token("ann")
        os.chmod(self.path("tokens.txt"), 0o666)
        served = self.serve("--tokens", "tokens.txt")
        self.assertIn(b"may be written by others, who can let themselves in", served.complaints())

    def test_a_pipe_in_place_of_the_tokens_changes_nothing_and_holds_up_nobody(self):
        ada = self.token("ada")
        served = self.serve("--tokens", "tokens.txt")
        os.rename(self.path("tokens.txt"), self.path("kept.txt"))
        os.mkfifo(self.path("tokens.txt"))
        served.process.send_signal(signal.SIGHUP)
        while b"it is not a file" not in served.complaints():
            self.assertTrue(served.running())
        self.assertEqual(served.get("/v1/devices", headers=ada).status, 200)
        self.assertEqual(served.stop(), 0)

    def test_the_end_of_its_terminal_ends_it(self):
        ours, its = os.openpty()

        def in_a_terminal():
            signal.signal(signal.SIGHUP, signal.SIG_DFL)  # these tests may run under nohup
            os.setsid()
            fcntl.ioctl(its, termios.TIOCSCTTY, 0)

        served = subprocess.Popen([program.program, "serve", "--port", "0"], cwd=self.folder, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, preexec_fn=in_a_terminal)
        self.addCleanup(served.kill)
        os.close(its)
        self.assertIn("http://127.0.0.1:", served.stdout.readline())
        served.send_signal(signal.SIGHUP)
        while "without --tokens it is ignored" not in served.stderr.readline():
            self.assertIsNone(served.poll())
        os.close(ours)
        served.communicate(timeout=60)
        self.assertEqual(served.returncode, 0)

    def test_a_signal_without_tokens_is_told_and_ignored(self):
        served = self.serve(start=("env", "--default-signal=HUP"))
        served.process.send_signal(signal.SIGHUP)
        while b"without --tokens it is ignored" not in served.complaints():
            self.assertTrue(served.running())
        self.assertEqual(served.get("/healthz").status, 200)
        self.assertEqual(served.stop(), 0)

    def test_what_follows_from_its_words_alone_is_said(self):
        self.assert_refused("--cors: an origin is a scheme and a host, such as https://example.org, found 'evil'",
                            "serve", "--cors", "evil")
        self.assert_refused("--page: there is no folder '/nope'", "serve", "--page", "/nope")

    @staticmethod
    def is_pending(pid, number):
        with open(f"/proc/{pid}/status", encoding="ascii") as file:
            pending = next(line.split()[1] for line in file if line.startswith("ShdPnd:"))
        return int(pending, 16) >> (number - 1) & 1

    def test_started_to_outlive_its_terminal_it_does(self):
        served = self.serve(start=("nohup",))
        for _ in range(2):  # that the second is taken says that the service is done with the first
            served.process.send_signal(signal.SIGHUP)
            while self.is_pending(served.process.pid, signal.SIGHUP):
                self.assertTrue(served.running())
        self.assertEqual(served.job("/v1/plans", LINEAR)["state"], "done")
        self.assertEqual(served.stop(), 0)

    def test_started_to_outlive_its_terminal_it_reads_tokens_again(self):
        ada, bob = self.token("ada"), self.token("bob")
        served = self.serve("--tokens", "tokens.txt", start=("nohup",))
        self.revoke("ada")
        served.process.send_signal(signal.SIGHUP)
        while served.get("/v1/devices", headers=ada).status == 200:
            self.assertTrue(served.running())
        self.assertEqual(served.get("/v1/devices", headers=bob).status, 200)

    def test_the_store_is_held_to_its_size(self):
        served = self.serve("--most-store", "400KB")
        ids = [served.job("/v1/plans", {"model": "resnet18_cifar", "platform": "m4", "ram_budget": f"{budget}%way"})["id"]
               for budget in (70, 75, 80, 85, 90)]
        size = sum(os.path.getsize(os.path.join(place, name)) for place, _, names in os.walk(self.path("store"))
                   for name in names)
        self.assertLessEqual(size, 400_000)
        self.assertEqual(served.get(f"/v1/plans/{ids[0]}").status, 404)
        self.assertEqual(served.get(f"/v1/plans/{ids[-1]}/plan").status, 200)
        self.assertEqual(served.ask("DELETE", f"/v1/plans/{ids[-1]}?forget=true").status, 204)
        self.assertEqual(served.get(f"/v1/plans/{ids[-1]}").status, 404)
        in_use = poet("serve", "--prune", "--store", "store", cwd=self.folder)
        self.assertEqual(in_use.code, 2)
        self.assertIn("is in use by another service", in_use.err)
        self.assertEqual(served.stop(), 0)
        pruned = poet("serve", "--prune", "--store", "store", "--most-store", "150KB", cwd=self.folder)
        self.assertEqual(pruned.code, 0, pruned.err)
        self.assertEqual(stat.S_IMODE(os.stat(self.path("store/work")).st_mode), 0o700)
        self.assertRegex(pruned.out, r"^[0-9,]+ bytes, before [0-9,]+; forgotten: [0-9]+ results?")

    def test_a_folder_of_somebodys_is_no_store(self):
        for name in ("work", "models"):
            os.makedirs(self.path(f"thesis/{name}"))
            with open(self.path(f"thesis/{name}/{'a' * 64}.onnx"), "w", encoding="utf-8") as file:
                file.write("mine")
        for more in ([], ["--prune"]):
            ended = poet("serve", "--port", "0", "--store", "thesis", *more, cwd=self.folder)
            self.assertEqual(ended.code, 2)
            self.assertRegex(ended.err, r"^poet: [^\n]*not the store of a service[^\n]*\n$")
        self.assertEqual(sorted(name for _, _, names in os.walk(self.path("thesis")) for name in names), ["a" * 64 + ".onnx"] * 2)
        self.assertEqual(sorted(os.listdir(self.path("thesis"))), ["models", "work"])

    def test_slow_clients_are_given_up(self):
        served = self.serve("--patience", "0.3", "--connections", "4")
        with socket.create_connection(("127.0.0.1", served.port), timeout=30) as slow:
            slow.sendall(b"GET /healthz HTTP/1.1\r\nHost: loc")
            self.assertIn(b"408", slow.recv(100))
        with socket.create_connection(("127.0.0.1", served.port), timeout=30) as slow:
            slow.sendall(b"POST /v1/models HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nabc")
            self.assertNotIn(b" 20", slow.recv(100)[:12])

    def test_those_who_do_not_read_give_their_threads_back(self):
        served = self.serve("--patience", "0.3", "--connections", "4", "--rate", "0")
        deaf = []
        for _ in range(8):
            one = socket.socket()
            self.addCleanup(one.close)
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            one.connect(("127.0.0.1", served.port))
            one.setblocking(False)
            try:
                one.send(b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 400)
            except BlockingIOError:
                pass
            deaf.append(one)
        self.assertEqual(served.get("/healthz", timeout=60).status, 200)

    def test_addresses_that_are_taken_or_not_there(self):
        served = self.serve()
        ended = poet("serve", "--port", str(served.port), "--store", "other", cwd=self.folder)
        self.assertEqual(ended.code, 2)
        self.assertIn("the port is taken", ended.err)
        ended = poet("serve", "--port", "0", "--store", "store", cwd=self.folder)
        self.assertEqual(ended.code, 2)
        self.assertIn("is in use by another service", ended.err)


class Workers(WithAService):
    def worker_of(self, served):
        """The process of the one job that runs."""
        job = served.post("/v1/plans", LONG).json()["id"]
        served.await_state(job, "running")
        while True:
            children = []
            for task in os.listdir(f"/proc/{served.process.pid}/task"):
                with open(f"/proc/{served.process.pid}/task/{task}/children", encoding="ascii") as file:
                    children += file.read().split()
            # Until it has begun to search, it may not have taken its rights from itself.
            if children and next(data for name, data in served.stream(job) if name == "progress"):
                return int(children[0])

    def test_a_worker_ends_with_a_service_that_is_killed(self):
        served = self.serve()
        worker = self.worker_of(served)
        os.kill(worker, signal.SIGSTOP)  # so that it cannot see the end of its input
        held = os.pidfd_open(worker)
        self.addCleanup(os.close, held)
        served.kill()
        ended = select.poll()
        ended.register(held, select.POLLIN)
        if not ended.poll(30_000):
            signal.pidfd_send_signal(held, signal.SIGKILL)
            self.fail("the worker lives on")

    def test_the_system_holds_its_limits(self):
        served = self.serve()
        worker = self.worker_of(served)
        with open(f"/proc/{worker}/limits", encoding="ascii") as file:
            limits = {line[:26].strip(): line[26:].split()[0] for line in file}
        self.assertLess(int(limits["Max cpu time"]), 1000)
        self.assertEqual(limits["Max address space"], str(4 << 30))
        with open(f"/proc/{worker}/status", encoding="ascii") as file:
            status = file.read()
        self.assertIn("NoNewPrivs:\t1", status)
        for rights in ("CapInh", "CapPrm", "CapEff", "CapAmb"):  # of which root has all
            self.assertIn(f"{rights}:\t{0:016x}\n", status)

    def test_a_worker_that_the_system_kills_wanted_too_much_memory(self):
        served = self.serve()
        for attempt in range(2):
            worker = self.worker_of(served)
            os.kill(worker, signal.SIGKILL)
            job = served.get("/v1/plans").json()["plans"][0]["id"]
            if attempt == 0:
                served.await_count(job, "running", 2)
        document = served.ended(job)
        self.assertEqual((document["state"], document["error"]["code"]), ("failed", "memory_limit"))
        told = f"the worker of job {job} ended by signal 9 (Killed)\n".encode()
        self.assertEqual(served.complaints().count(told), 2, served.complaints())

    def test_a_worker_reads_nothing_but_its_folder(self):
        if ctypes.CDLL(None).syscall(444, None, 0, 1) < 1:  # the version of Landlock
            self.skipTest("this kernel has no Landlock")
        os.makedirs(self.path("work/model"))
        with open(self.path("secret.onnx"), "wb") as file:
            file.write(b"secret")
        os.symlink(self.path("secret.onnx"), self.path("work/model/model.onnx"))
        fields = {**LINEAR, "model": "sha256:" + "0" * 64, "graph": "real"}
        order = {"kind": "describe", "model_name": "x.onnx", "question": {"kind": "plan", "fields": fields}}
        with open(self.path("work/order.json"), "w", encoding="ascii") as file:
            json.dump(order, file)
        ended = poet("serve", "--work", self.path("work"), cwd=self.folder)
        self.assertEqual(ended.code, 0, ended.err)
        with open(self.path("work/output"), encoding="utf-8") as file:
            answer = file.read()
        self.assertIn("Permission denied", answer)


class Trainings(WithAService):
    """How a training goes, for those who look on."""

    TRAIN = ["train", "--model", "digits-mlp", "--batch-size", "4", "--examples", "64", "--test-examples", "0", "--quiet", "--no-keep-plans",
             "--no-replan", "--time-limit-s", "5"]

    def test_a_training_is_followed_to_its_death(self):
        os.mkdir(self.path("runs"))
        served = self.serve("--trainings", "runs")
        self.assertEqual(served.get("/v1/trainings").json(), {"shown": True, "trainings": []})
        training = subprocess.Popen([program.program, *self.TRAIN, "--steps", "100000000", "--progress", "runs/a.jsonl"], cwd=self.folder,
                                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(training.wait)
        self.addCleanup(training.kill)
        program.wait_for_file(self.path("runs/a.jsonl"), 1, training)
        listed = served.get("/v1/trainings").json()["trainings"][0]
        self.assertIn(listed["state"], ("planning", "training"))
        self.assertEqual((listed["name"], listed["model"]), ("a.jsonl", "digits-mlp"))
        events = []
        for name, data in served.stream(listed["id"], of="trainings"):
            events.append((name, data))
            if name == "step" and training.poll() is None:
                self.assertEqual(served.get("/v1/trainings").json()["trainings"][0]["state"], "training")
                training.kill()
        names = [name for name, _ in events]
        self.assertEqual(names[:2], ["restart", "begin"])
        self.assertLess(names.index("plan"), names.index("step"))
        self.assertEqual([data["running"] for name, data in events if name == "running"], [True, False])
        self.assertEqual(events[-1], ("done", {"gone": False}))
        self.assertEqual(served.get("/v1/trainings").json()["trainings"][0]["state"], "died")

    def test_a_folder_has_to_be_there(self):
        ended = poet("serve", "--port", "0", "--trainings", "nowhere", cwd=self.folder)
        self.assertEqual((ended.code, ended.err), (2, "poet: --trainings: there is no folder 'nowhere'\n"))


class Restarts(WithAService):
    def test_a_polite_stop_queues_again_what_runs(self):
        served = self.serve()
        done = served.job("/v1/plans", LINEAR)
        job = served.post("/v1/plans", LONG).json()["id"]
        served.await_state(job, "running")
        self.assertEqual(served.stop(), 0)
        served = self.serve()
        self.assertEqual(served.get(f"/v1/plans/{done['id']}").json(), done)
        served.await_state(job, "running")
        served.ask("DELETE", f"/v1/plans/{job}")
        self.assertEqual(served.ended(job)["state"], "cancelled")

    def test_killed_at_any_moment_it_loses_nothing_that_was_done(self):
        done = {}
        for round_number in range(3):
            served = self.serve("--jobs", "2")
            for job, document in done.items():
                self.assertEqual(served.get(f"/v1/plans/{job}").json(), document)
            accepted = [served.post("/v1/plans", {**LINEAR, "ram_budget": 5000 + 20 * round_number + k}).json()["id"]
                        for k in range(12)]
            for job in accepted[:4 * round_number + 2]:
                done[job] = served.ended(job)
            served.kill()
        served = self.serve()
        for job, document in done.items():
            self.assertEqual(served.get(f"/v1/plans/{job}").json(), document)
        for job in accepted:
            self.assertEqual(served.ended(job)["state"], "done")


class Hostile(WithAService):
    def test_five_hundred_requests(self):
        sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bench/service"))
        import hostile  # the long form's generator
        served = self.serve("--patience", "0.5", "--rate", "0")
        before = hostile.files_outside(self.folder)
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda n: hostile.attack(served, n), range(500)))
        self.assertTrue(served.running())
        self.assertEqual([answer for answer in answers if answer], [])
        self.assertEqual(hostile.files_outside(self.folder), before)
        self.assertEqual(served.job("/v1/plans", LINEAR)["state"], "done")
        self.assertEqual(served.stop(), 0)


if __name__ == "__main__":
    program.run_tests()
