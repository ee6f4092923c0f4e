"""Completion scripts: the bash one is run, the others are held to the commands and flags that help shows."""

import os
import pty
import re
import shutil
import subprocess
import unittest

import program
from program import poet


def completed(line):
    """What bash offers after a command line; like bash, takes '=' for a word of its own."""
    words = [word for part in line.split(" ") for word in (re.split("(=)", part) if part.startswith("-") else [part])]
    words = [word for number, word in enumerate(words) if word or number + 1 == len(words) and words[-2] != "="]
    script = (
        'source /dev/stdin <<< "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _poet; '
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    ended = subprocess.run(
        ["bash", "-c", script, "bash", poet("completion", "bash").out, *words], capture_output=True, text=True, check=True
    )
    return sorted(ended.stdout.split())


@unittest.skipUnless(shutil.which("bash"), "skipped: no bash here")
class Bash(program.InAFolder):
    def test_commands(self):
        self.assertEqual(completed("poet ver"), ["verify"])
        self.assertEqual(completed("poet --v"), ["--version"])

    def test_options(self):
        self.assertEqual(completed("poet solve --ram"), ["--ram-budget"])
        self.assertEqual(completed("poet solve --no-"), ["--no-paging", "--no-print-graph-info", "--no-print-power-costs",
                                                         "--no-remat"])

    def test_values(self):
        self.assertEqual(completed("poet solve --model resnet18"), ["resnet18", "resnet18_cifar"])
        self.assertEqual(completed("poet solve --io "), ["blocking", "free", "overlapped"])
        self.assertEqual(completed("poet help so"), ["solve"])
        self.assertEqual(completed("poet generate "), ["resnet", "transformer", "unet"])

    def test_values_after_an_equals_sign(self):
        self.assertEqual(completed("poet solve --model=vgg16_c"), ["vgg16_cifar"])
        self.assertEqual(completed("poet solve --io="), ["blocking", "free", "overlapped"])

    def test_files(self):
        for name in ("plan_a.json", "plan_b.json"):
            with open(self.path(name), "w") as file:
                file.write("{}")
        self.assertEqual(
            completed("poet verify " + self.path("plan_")), [self.path("plan_a.json"), self.path("plan_b.json")]
        )


    def test_a_folder_is_not_the_end_of_a_path(self):
        """bash itself, at a terminal: after a folder it writes '/' and no blank."""
        os.mkdir(self.path("plots"))
        with open(self.path("script"), "w") as file:
            file.write(poet("completion", "bash").out + "poet() { printf '%s' \"$*\" > got; }\n")
        terminal, end = pty.openpty()
        shell = subprocess.Popen(
            ["bash", "--norc", "--noprofile", "-i"], stdin=end, stdout=end, stderr=end, cwd=self.folder,
            env={**os.environ, "INPUTRC": "/dev/null", "TERM": "dumb"}, start_new_session=True,
        )
        os.close(end)
        os.write(terminal, b"source ./script\npoet solve --plot-directory plo\tend\nexit\n")
        try:
            while os.read(terminal, 4096):
                pass
        except OSError:  # how Linux says that the other end is closed
            pass
        os.close(terminal)
        shell.wait()
        with open(self.path("got")) as file:
            self.assertEqual(file.read(), "solve --plot-directory plots/end")


class EveryShell(unittest.TestCase):
    def test_says_of_both_forms_of_a_switch_what_they_do(self):
        for shell in ("zsh", "fish"):
            script = poet("completion", shell).out
            self.assertIn("do not move tensors to storage and back", script)
            self.assertIn("do not compute tensors again", script)

    def test_knows_every_flag_that_help_shows(self):
        flags = set(re.findall(r"--([a-z][a-z-]+)", poet("help", "solve", "--all").out.split("Examples")[0]))
        for shell, written in (("bash", "--{}"), ("zsh", "--{}["), ("fish", "-l {} ")):
            script = poet("completion", shell).out
            for flag in flags:
                self.assertIn(written.format(flag), script, f"{shell} does not complete --{flag}")

    def test_scripts_are_what_their_shells_can_read(self):
        for shell in ("bash", "zsh", "fish"):
            if not shutil.which(shell):
                continue
            ended = subprocess.run([shell, "-n"], input=poet("completion", shell).out, capture_output=True, text=True, check=False)
            self.assertEqual((ended.returncode, ended.stderr), (0, ""), shell)


if __name__ == "__main__":
    program.run_tests()
