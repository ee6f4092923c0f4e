"""Ctrl-C in the middle of a search. The searches here are far from done when they are interrupted; what is waited for is
what the program says, not time."""

import json
import os
import pty
import signal
import subprocess
import unittest

import program

# The hard one: proving it takes far longer than finding a schedule.
BERT = ["solve", "--model", "bert", "--platform", "m4", "--ram-budget", "10%way", "--runtime-budget", "1.5", "--gap", "0",
        "--time-limit-s", "100000", "--json"]


def interrupted(arguments, awaited, number):
    """Sends a signal once a progress line contains a text; returns exit code, output and progress."""
    child = subprocess.Popen([program.program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    seen = []
    for line in child.stderr:
        seen.append(line)
        if awaited in line:
            child.send_signal(number)
            break
    out, err = child.communicate()
    return child.returncode, out, "".join(seen) + err


def processes_with(word):
    """The processes that have the word among those of their command lines."""
    found = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/cmdline", "rb") as file:
                if word.encode() in file.read().split(b"\0"):
                    found.append(process)
        except OSError:
            pass  # it ended meanwhile
    return found


class Interrupt(unittest.TestCase):
    def test_returns_the_best_schedule_so_far(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            code, out, err = interrupted(BERT, "  best ", number)
            self.assertEqual(code, 0, err)
            answer = json.loads(out)
            self.assertIn(answer["status"], ("feasible", "optimal"))
            self.assertLessEqual(answer["lower_bound_j"], answer["energy_j"] * (1 + 1e-9))
            if answer["status"] == "feasible":
                self.assertIn("stopped on request, before the search was complete", answer["warnings"])


class PlansOfATraining(program.InAFolder):
    """A training plans in a process of its own, which hears what the training hears, and ends with it."""

    def interrupted_training(self, number):
        train = ["train", "--model", "resnet8", "--ram-budget", "517KiB", "--steps", "400", "--time-limit-s", "100000", "--gap", "0",
                 "--cache", self.path("plans"), "--storage", self.folder]
        answer = interrupted(train, "best ", number)
        return *answer, processes_with(self.path("plans"))

    def test_both_stop(self):
        code, out, err, left = self.interrupted_training(signal.SIGTERM)
        self.assertEqual((code, out, left), (1, "", []))
        self.assertTrue(err.endswith("poet: warning: stopped on request, before the search was complete\n"
                                     "poet: warning: stopped while planning; nothing was trained\n"), err)

    def test_the_other_ends_too(self):
        code, _, _, left = self.interrupted_training(signal.SIGKILL)
        self.assertEqual((code, left), (-signal.SIGKILL, []))


class APipe(program.InAFolder):
    """Nothing was searched by then, so there is nothing to keep."""

    def test_that_nobody_writes_to_is_left_at_once(self):
        for arguments in (["explain", "plan.json"], ["pack", "plan.json"], ["pack", "table.csv"], ["verify", "plan.json"]):
            path = self.path(arguments[1])
            if not os.path.exists(path):
                os.mkfifo(path)
            child = subprocess.Popen([program.program, *arguments], cwd=self.folder, stdout=subprocess.DEVNULL,
                                     stderr=subprocess.DEVNULL)
            with open(path, "wb"):  # until it reads
                child.send_signal(signal.SIGINT)
                self.assertEqual(child.wait(), -signal.SIGINT, arguments)


class Abort(unittest.TestCase):
    def test_a_failed_check_is_exit_code_3(self):
        code, out, _ = interrupted(BERT, "  best ", signal.SIGABRT)
        self.assertEqual((code, out), (3, ""))


class Progress(unittest.TestCase):
    def test_rewrites_one_line_on_a_terminal(self):
        terminal, its_end = pty.openpty()
        self.addCleanup(os.close, terminal)
        child = subprocess.Popen([program.program, *BERT], stdout=subprocess.PIPE, stderr=its_end)
        os.close(its_end)
        seen = ""
        while "best" not in seen:
            seen += os.read(terminal, 1000).decode()
        child.send_signal(signal.SIGINT)
        child.communicate()
        self.assertEqual(child.returncode, 0)
        # What the user should know before a long search is said before it.
        warning, seen = seen.split("\r\n", 1)
        self.assertTrue(warning.startswith("poet: warning: the RAM budget of "), warning)
        self.assertRegex(seen, r"^\r\x1b\[K\[[# ]{10}\] \d+\.\d s of up to \d+ s  ")
        self.assertNotIn("\n", seen)
        for line in seen.split("\r\x1b[K"):
            self.assertLess(len(line), 80)

    def test_is_plain_lines_where_there_is_no_terminal(self):
        _, _, err = interrupted(BERT, "bound ", signal.SIGINT)
        lines = [line for line in err.splitlines() if not line.startswith("poet: ")]
        self.assertTrue(lines)
        for line in lines:
            self.assertRegex(line, r"^ *[\d.]+ s of up to \d+ s  \S")
        self.assertNotIn("\r", err)
        self.assertGreaterEqual(float(lines[0].split()[0]), 2)

    def test_quiet_shows_none(self):
        ended = program.poet(*program.LINEAR, "--quiet")
        self.assertEqual(ended.err, "")


if __name__ == "__main__":
    program.run_tests()
