"""What README.md shows is what the program prints.

In its `console` blocks, a line `$ build/release/poet ...` is run and the lines after it must be its output. A line that is
only `...` stands for any lines. A `toml` block whose first line is a comment with a file name is that file. All run in
one empty folder, from top to bottom. Clock readings are not compared.
"""

import re
import shlex
import subprocess
import tempfile
import unittest
from dataclasses import dataclass
from pathlib import Path

import house

PROGRAM = "build/release/poet"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ELISION = "..."
CLOCK = re.compile(r"\bafter [\d.]+ (?:us|ms|s|min|h)\b")


@dataclass(frozen=True)
class Example:
    command: str
    shown: str  # what the document says it prints


def without_clock(text):
    return CLOCK.sub("after SOME TIME", text)


def examples_in(block):
    """The commands of one console block with the output shown below each."""
    examples = []
    joined = re.sub(r"\\\n\s*", "", block)
    for part in re.split(r"^\$ ", joined, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        examples.append(Example(command, shown.rstrip("\n")))
    return examples


def matches(shown, printed):
    """Whether what is printed is what is shown; an elision in it stands for any lines."""
    pieces = [re.escape(piece) for piece in re.split(rf"^{re.escape(ELISION)}$", shown, flags=re.MULTILINE)]
    return re.fullmatch(".*".join(pieces), printed, re.DOTALL) is not None


def run(example, folder, program):
    words = shlex.split(example.command)
    ended = subprocess.run([program, *words[1:]], cwd=folder, capture_output=True, text=True, check=False)
    return ended.stdout.rstrip("\n")


class TheReadme(unittest.TestCase):
    def test_shows_what_the_program_prints(self):
        text = (house.current.root / "README.md").read_text()
        commands = 0
        with tempfile.TemporaryDirectory() as folder:
            for language, block in BLOCK.findall(text):
                named = re.match(r"# (\S+\.toml)\n", block)
                if language == "toml" and named:
                    (Path(folder) / named[1]).write_text(block)
                if language != "console":
                    continue
                for example in examples_in(block):
                    if not example.command.startswith(PROGRAM + " "):
                        continue
                    commands += 1
                    with self.subTest(example.command):
                        shown = without_clock(example.shown)
                        printed = without_clock(run(example, folder, house.current.program))
                        if not matches(shown, printed):
                            self.assertEqual(shown, printed)
        self.assertGreaterEqual(commands, 5, "README.md shows too few commands: was the format changed?")


class TheReader(unittest.TestCase):
    def test_joins_a_command_over_lines_and_splits_commands(self):
        block = "$ build/release/poet solve \\\n    --model linear\none\ntwo\n\n$ ls\nthree\n"
        self.assertEqual(
            examples_in(block),
            [Example("build/release/poet solve --model linear", "one\ntwo"), Example("ls", "three")],
        )

    def test_a_changed_figure_does_not_match(self):
        self.assertTrue(matches("energy 1 J\npeak 2 B", "energy 1 J\npeak 2 B"))
        self.assertFalse(matches("energy 1 J\npeak 2 B", "energy 1 J\npeak 3 B"))

    def test_an_elision_stands_for_lines_and_for_nothing_else(self):
        self.assertTrue(matches("first\n...\nlast", "first\n2\n3\nlast"))
        self.assertFalse(matches("first\n...\nlast", "first\n2\n3\nend"))

    def test_a_clock_reading_is_no_difference(self):
        self.assertEqual(without_clock("proved after 3.2 s (cbc)"), without_clock("proved after 120 ms (cbc)"))


if __name__ == "__main__":
    house.run_tests()
