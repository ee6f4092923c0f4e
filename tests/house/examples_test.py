"""What README.md and the guides show is what the program prints."""

import tempfile
import unittest
from pathlib import Path

import examples
import house
from examples import Example


class TheDocuments(unittest.TestCase):
    def count_of(self, page):
        """Compares what a document shows; how many commands that were."""
        ran = 0
        for example, printed in examples.results(page.read_text(), house.current.program):
            ran += 1
            with self.subTest(page=page.name, command=example.command):
                if not examples.matches(example.shown, printed):
                    self.assertEqual(example.shown, printed)
        return ran

    def test_show_what_the_program_prints(self):
        readme, *guides = examples.documents(house.current.root)
        self.assertGreaterEqual(self.count_of(readme), 5, "README.md shows too few commands: was the format changed?")
        self.assertGreaterEqual(sum(self.count_of(guide) for guide in guides), 15,
                                "the guides show too few commands: was the format changed?")


class APlantedFault(unittest.TestCase):
    def test_a_guide_that_shows_something_else_is_found_and_brought_up_to_date(self):
        with tempfile.TemporaryDirectory() as scratch:
            root = Path(scratch)
            program = root / "poet"
            program.write_text("#!/bin/sh\necho 7 bytes\n")
            program.chmod(0o755)
            (root / "README.md").write_text("nothing\n")
            (root / "docs/guide").mkdir(parents=True)
            (root / "docs/guide/budget.md").write_text("```console\n$ build/release/poet minimum\n6 bytes\n```\n")
            guide = examples.documents(root)[1]
            [(example, printed)] = examples.results(guide.read_text(), str(program))
            self.assertFalse(examples.matches(example.shown, printed))
            self.assertIn("\n7 bytes\n", examples.up_to_date(guide.read_text(), str(program)))


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
