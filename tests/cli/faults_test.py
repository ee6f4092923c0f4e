"""Whole trainings in which one call of the system fails, once: one clear sentence or no harm, and the last checkpoint intact.

The calls of the page store and of files that are written whole are made to fail one by one beside their code, too; here it is
the program with all that it does: data, plans that are kept, storage, checkpoints, the log.
"""

import errno
import os
import resource
import shutil
import subprocess
import sys
import unittest

import program
from program import poet

NETWORK = ["--model", "lenet5", "--image-size", "16", "--batch-size", "4"]
LENET = [*NETWORK, "--examples", "16", "--optimiser", "momentum", "--ram-budget", "70%", "--test-examples", "4",
         "--io-engine", "threads", "--cache", "plans", "--quiet", "--json"]
SHORT = ["train", *LENET, "--steps", "2", "--checkpoint", "c.ckpt", "--checkpoint-every", "1", "--log", "log.jsonl"]
# Before main() there is nobody to say anything.
MALLOCS_BEFORE_MAIN = 200


class Faults(program.InAFolder):
    def setUp(self):
        super().setUp()
        self.shim = sys.argv[2] if len(sys.argv) > 2 else None
        if not self.shim:
            self.skipTest("sanitizers bring their own functions of the C library")
        ended = poet(*SHORT, cwd=self.folder)
        self.assertEqual(ended.code, 0, ended.err)
        self.whole = ended.json()["parameters_sha256"]

    def run_with(self, call, at, number, arguments=SHORT):
        """The ended program, and whether its call failed."""
        mark = self.path("mark")
        if os.path.exists(mark):
            os.remove(mark)
        ended = poet(*arguments, cwd=self.folder,
                     env={"LD_PRELOAD": self.shim, "POET_FAIL_CALL": call, "POET_FAIL_AT": str(at),
                          "POET_FAIL_ERRNO": str(number), "POET_FAIL_MARK": mark})
        return ended, os.path.exists(mark)

    def assert_no_harm(self, ended, what):
        """Said in one line or without effect; the training goes on from what is there to the same bits."""
        self.assertIn(ended.code, (0, 2), f"{what}: {ended.err}")
        if ended.code == 0:
            self.assertEqual(ended.json()["parameters_sha256"], self.whole, what)
            return
        self.assertRegex(ended.err, r"^poet: [^\n]+\n$", what)
        self.assertNotIn("bug", ended.err)
        rest = poet(*SHORT, "--resume", cwd=self.folder)
        self.assertEqual(rest.code, 0, f"{what}: {ended.err}{rest.err}")
        self.assertEqual(rest.json()["parameters_sha256"], self.whole, what)

    def fail_every(self, call, number, step=1, first=0, arguments=SHORT):
        at = first
        while True:
            if os.path.exists(self.path("c.ckpt")):
                os.remove(self.path("c.ckpt"))
            ended, failed = self.run_with(call, at, number, arguments)
            if not failed:
                break
            self.assert_no_harm(ended, f"{call} {at}")
            at += step
        self.assertGreater(at, first, call)

    def test_each_call_fails_once(self):
        for call in ("open", "fsync", "fallocate", "ftruncate", "rename", "close", "mmap"):
            self.fail_every(call, errno.EIO)

    def test_writes_and_reads_fail_once(self):
        for call, number, step in (("pwrite", errno.ENOSPC, 5), ("pread", errno.EIO, 7), ("write", errno.EIO, 1),
                                   ("read", errno.EIO, 31)):
            self.fail_every(call, number, step)

    def test_memory_runs_out_anywhere(self):
        self.fail_every("malloc", errno.ENOMEM, 4099, MALLOCS_BEFORE_MAIN)

    # The search for plans is a process of its own; where plans cannot be kept, that is said.
    def test_planning_fails_once(self):
        for call in ("open", "fsync", "rename", "pwrite"):
            at = 0
            while True:
                for name in os.listdir(self.path("plans")):
                    os.remove(self.path(os.path.join("plans", name)))
                ended, failed = self.run_with(call, at, errno.EIO, [*SHORT, "--plan-only"])
                if not failed:
                    break
                self.assertIn(ended.code, (0, 2), f"{call} {at}: {ended.err}")
                if ended.code == 2:
                    self.assertRegex(ended.err, r"(?m)^poet: (?!warning)[^\n]+\n\Z", f"{call} {at}")
                at += 1
            self.assertGreater(at, 0, call)

    def test_an_answer_that_cannot_be_written(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            ended = subprocess.run([program.program, "train", *LENET, "--steps", "2"], cwd=self.folder, stdout=full,
                                   stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(ended.returncode, 2)
        self.assertRegex(ended.stderr, r"^poet: [^\n]*No space left on device[^\n]*\n$")


def texts_in(folder):
    """Of every file, but for what is only being written."""
    texts = {}
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != ".poet-new"]
        for name in names:
            if not name.endswith(".poet-new"):
                path = os.path.join(place, name)
                with open(path, "rb") as file:
                    texts[os.path.relpath(path, folder)] = file.read()
    return texts


class Projects(program.InAFolder):
    """Of C, over an earlier one: whenever the program ends, there are files of the one or of the other."""

    OLD = ["--model", "lenet5", "--image-size", "16", "--optimiser", "momentum", "--steps", "2"]
    NEW = ["--model", "mlp", "--image-size", "8", "--steps", "3"]

    def setUp(self):
        super().setUp()
        self.shim = sys.argv[2] if len(sys.argv) > 2 else None
        if not self.shim:
            self.skipTest("sanitizers bring their own functions of the C library")

    def export(self, flags, env=None):
        return poet("export", "c", *flags, "--examples", "16", "--batch-size", "4", "--gap", "0.5", "--cache", "plans",
                    "--quiet", "--out", "project", cwd=self.folder, env=env or {})

    def whole(self, flags):
        shutil.rmtree(self.path("project"), ignore_errors=True)
        ended = self.export(flags)
        self.assertEqual(ended.code, 0, ended.err)
        return texts_in(self.path("project"))

    def begin_with(self, texts):
        shutil.rmtree(self.path("project"), ignore_errors=True)
        for name, text in texts.items():
            path = os.path.join(self.path("project"), name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(text)

    def end_at(self, call, at, number):
        mark = self.path("mark")
        if os.path.exists(mark):
            os.remove(mark)
        ended = self.export(self.NEW, {"LD_PRELOAD": self.shim, "POET_FAIL_CALL": call, "POET_FAIL_AT": str(at),
                                       "POET_FAIL_ERRNO": str(number), "POET_FAIL_MARK": mark})
        return ended, os.path.exists(mark)

    def assert_never_mixed(self, call, number, step, first=0):
        at = first
        while True:
            self.begin_with({**self.old, "board.c": b"mine", "poet/mine.c": b"mine, too"})
            ended, failed = self.end_at(call, at, number)
            if not failed:
                break
            what = f"{call} {at}: {ended.err}"
            found = texts_in(self.path("project"))
            self.assertEqual((found.pop("board.c"), found.pop("poet/mine.c")), (b"mine", b"mine, too"), what)
            of_old = [name for name, text in found.items() if self.old.get(name) == text != self.new.get(name)]
            of_new = [name for name, text in found.items() if self.new.get(name) == text != self.old.get(name)]
            self.assertFalse(of_old and of_new, f"{what}{of_old} beside {of_new}")
            if found not in (self.old, self.new):
                self.assertTrue(b'"unfinished"' in found["project.json"], what)
            if number != 0 and ended.code != 0:
                self.assertRegex(ended.err, r"^poet: [^\n]+\n$", what)
            self.assertEqual(self.export(self.NEW).code, 0, what)
            found = texts_in(self.path("project"))
            self.assertEqual({**self.new, "board.c": b"mine", "poet/mine.c": b"mine, too"}, found, what)
            self.assertEqual(os.path.exists(self.path("project/.poet-new")), False)
            at += step
        self.assertGreater(at, first, call)

    def test_are_never_a_mix_of_old_and_new(self):
        self.new = self.whole(self.NEW)
        self.old = self.whole(self.OLD)
        self.assertTrue(set(self.old) - set(self.new))
        for call, step in (("rename", 5), ("unlink", 5), ("pwrite", 11), ("open", 29), ("fsync", 13)):
            self.assert_never_mixed(call, 0, step)
        for call, number, step in (("rename", errno.EIO, 9), ("unlink", errno.EIO, 9), ("pwrite", errno.ENOSPC, 17)):
            self.assert_never_mixed(call, number, step)

    @unittest.skipUnless(shutil.which("make"), "make is not installed")
    def test_that_are_not_whole_are_not_built(self):
        self.new = self.whole(self.NEW)
        self.old = self.whole(self.OLD)
        at = 0
        while True:  # until the first new file has its place
            self.begin_with(self.old)
            self.assertTrue(self.end_at("rename", at, 0)[1])
            found = texts_in(self.path("project"))
            if found.get("poet_plan.c") == self.new["poet_plan.c"]:
                break
            at += 1
        ended = subprocess.run(["make", "host"], cwd=self.path("project"), capture_output=True, text=True, check=False)
        self.assertNotEqual(ended.returncode, 0)
        self.assertIn("this project was not written whole: export it again", ended.stderr)


class Limits(program.InAFolder):
    def limited(self, arguments, size):
        return subprocess.run([program.program, *arguments], cwd=self.folder, capture_output=True, text=True, check=False,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))

    def test_a_quota_is_said_and_kills_nobody(self):
        self.assertEqual(poet(*SHORT, cwd=self.folder).code, 0)
        ended = self.limited([*SHORT, "--overwrite-checkpoint"], 4096)
        self.assertEqual(ended.returncode, 2, ended.stderr)
        self.assertRegex(ended.stderr, r"^poet: [^\n]*File too large[^\n]*\n$")

    def test_storage_that_is_cut_short_ends_with_a_sentence(self):
        arguments = ["train", *LENET, "--steps", "100000", "--checkpoint", "c.ckpt", "--checkpoint-every", "1"]
        self.assertEqual(poet(*SHORT, cwd=self.folder).code, 0)
        os.remove(self.path("c.ckpt"))
        with subprocess.Popen([program.program, *arguments], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as child:
            while not os.path.exists(self.path("c.ckpt")) and child.poll() is None:
                os.sched_yield()
            self.assertTrue(self.cut_storage(child.pid))
            try:
                error = child.communicate(timeout=120)[1]
            finally:
                child.kill()
        self.assertEqual(child.returncode, 2, error)
        self.assertRegex(error, r"^poet: [^\n]*page store[^\n]*\n$")
        ended = poet("eval", *NETWORK, "--json", "--checkpoint", "c.ckpt", cwd=self.folder)
        self.assertEqual(ended.code, 0, ended.err)
        self.assertGreater(ended.json()["checkpoint_step"], 0)

    # The store has no name; whoever has its descriptor can do to it what a vanishing disk does.
    @staticmethod
    def cut_storage(pid):
        folder = f"/proc/{pid}/fd"
        for name in os.listdir(folder):
            path = os.path.join(folder, name)
            link = os.readlink(path)
            if link.endswith("(deleted)"):
                os.truncate(path, 0)
                return True
        return False


if __name__ == "__main__":
    program.run_tests()
