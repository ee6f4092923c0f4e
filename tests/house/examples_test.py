"""What README.md shows is what the program prints."""

import tempfile
import unittest
from pathlib import Path

import examples
import house
from examples import Example


class TheReadme(unittest.TestCase):
    def test_shows_what_the_program_prints(self):
        text = (house.current.root / "README.md").read_text()
        ran = 0
        for example, printed in examples.results(text, house.current.program):
            ran += 1
            with self.subTest(example.command):
                if not examples.matches(example.shown, printed):
                    self.assertEqual(example.shown, printed)
        self.assertGreaterEqual(ran, 5, "README.md shows too few commands: was the format changed?")


class TheReader(unittest.TestCase):
    def test_splits_commands(self):
        block = "$ build/release/poet solve\none\ntwo\n\n$ ls\nthree\n"
        self.assertEqual(
            examples.examples_in(block),
            [Example("build/release/poet solve", "one\ntwo"), Example("ls", "three")],
        )

    def test_joins_a_command_over_lines(self):
        [example] = examples.examples_in("$ build/release/poet solve \\\n    --model linear\none\n")
        self.assertEqual(example.command, "build/release/poet solve --model linear")
        self.assertEqual(example.shown, "one")

    def test_warnings_stand_before_the_answer_and_progress_nowhere(self):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "poet"
            program.write_text("#!/bin/sh\necho answer\necho '   2.0 s  relaxation' >&2\necho 'poet: warning: less RAM' >&2\n")
            program.chmod(0o755)
            printed = examples.run(Example("build/release/poet solve", ""), folder, str(program))
        self.assertEqual(printed, "poet: warning: less RAM\nanswer")

    def test_a_changed_figure_does_not_match(self):
        self.assertTrue(examples.matches("energy 1 J\npeak 2 B", "energy 1 J\npeak 2 B"))
        self.assertFalse(examples.matches("energy 1 J\npeak 2 B", "energy 1 J\npeak 3 B"))

    def test_an_elision_stands_for_lines_and_for_nothing_else(self):
        self.assertTrue(examples.matches("first\n...\nlast", "first\n2\n3\nlast"))
        self.assertFalse(examples.matches("first\n...\nlast", "first\n2\n3\nend"))

    def test_a_clock_reading_is_no_difference(self):
        self.assertTrue(examples.matches("proved after 3.2 s (cbc)", "proved after 120 ms (cbc)"))


if __name__ == "__main__":
    house.run_tests()
