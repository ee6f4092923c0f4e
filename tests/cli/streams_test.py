"""Standard streams that are closed, full or lost, and terminals that hang up: what is asked for happens all the same."""

import json
import os
import signal
import subprocess
import unittest

import program

DIGITS = ["train", "--model", "digits-mlp", "--batch-size", "4", "--test-examples", "0"]


def with_streams(words, redirection, cwd):
    """Exit code and standard output, under a redirection of the shell."""
    ended = subprocess.run(["bash", "-c", f'"$@" {redirection}', "bash", program.program, *words], cwd=cwd,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    return ended.returncode, ended.stdout


class Streams(program.InAFolder):
    def trained(self, name, redirection):
        """The checkpoint of a training whose weights lie in storage."""
        words = [*DIGITS, "--steps", "3", "--storage", "pages", "--cache", "plans", "--checkpoint", name]
        code, _ = with_streams(words, redirection, self.folder)
        self.assertEqual(code, 0)
        with open(self.path(name), "rb") as checkpoint:
            return checkpoint.read()

    def test_no_stream_is_taken_for_a_file(self):
        whole = self.trained("whole.ckpt", "2>/dev/null")
        for number, redirection in enumerate(("2>&-", ">&- 2>&-", "<&- >&- 2>&-", "<&-", "2>/dev/full")):
            with self.subTest(redirection=redirection):
                self.assertEqual(self.trained(f"{number}.ckpt", redirection), whole)

    def test_what_cannot_be_told_changes_no_answer(self):
        for words, code in ((["bogus"], 2), (["verify", "nofile"], 2), (["help"], 0)):
            for redirection in ("2>/dev/full", "2>&-"):
                with self.subTest(words=words, redirection=redirection):
                    self.assertEqual(with_streams(words, redirection, self.folder)[0], code)

    def test_a_training_goes_on_without_readers(self):
        words = [*DIGITS, "--steps", "3", "--cache", "plans", "--checkpoint", "a.ckpt"]
        with_streams(words, "2>&1 >/dev/null | head -c 1", self.folder)
        self.assertTrue(os.path.exists(self.path("a.ckpt")))


class Hangup(program.InAFolder):
    STEPS = 10_000_000

    def started(self, hangup):
        def prepare():
            signal.signal(signal.SIGHUP, hangup)
        words = [*DIGITS, "--steps", str(self.STEPS), "--cache", "plans", "--checkpoint", "a.ckpt", "--log", "log"]
        child = subprocess.Popen([program.program, *words, "--json"], cwd=self.folder, preexec_fn=prepare,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(child.stdout.close)
        self.addCleanup(child.stderr.close)
        for line in child.stderr:
            if line.startswith("step ") or " step " in line:
                break
        return child

    def test_saves_what_was_trained(self):
        child = self.started(signal.SIG_DFL)
        child.send_signal(signal.SIGHUP)
        out, _ = child.communicate()
        answer = json.loads(out)
        self.assertTrue(answer["stopped"])
        self.assertLess(len(answer["losses"]), self.STEPS)
        self.assertTrue(os.path.exists(self.path("a.ckpt")))

    def test_that_is_ignored_ends_nothing(self):
        child = self.started(signal.SIG_IGN)
        child.send_signal(signal.SIGHUP)
        for _ in range(2):
            self.assertTrue(child.stderr.readline())
        self.assertIsNone(child.poll())
        child.send_signal(signal.SIGINT)
        child.communicate()
        self.assertEqual(child.returncode, 0)


if __name__ == "__main__":
    program.run_tests()
