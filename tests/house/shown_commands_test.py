"""Every command that README.md, the guides and the help show runs, with what is said to follow it."""

import re
import shutil
import subprocess
import tempfile
import unittest

import examples
import house
import shown_commands
from shown_commands import Failed, Reader, Shown

COMPARED = "house.examples runs it, and compares what it prints"
TOOLS = {
    "make": "make is not installed",
    "curl": "curl is not installed",
    "mpirun": "mpirun is not installed",
    "arm-none-eabi-gcc": "arm-none-eabi-gcc is not installed",
}


def documents():
    return examples.documents(house.current.root)


def of_document(path):
    return list(shown_commands.of_document(str(path.relative_to(house.current.root)), path.read_text()))


def help_of(*words):
    return subprocess.run([house.current.program, "help", *words], capture_output=True, text=True, check=True).stdout


def of_help():
    """(what is asked for, groups of commands) for every text that 'poet help' has."""
    overview = help_of()
    names = re.findall(r"^  ([a-z]+) {2,}", overview.partition("\nCommands\n")[2], re.MULTILINE)
    texts = [("poet help", overview), *((f"poet help {name}", help_of(name)) for name in [*names, "weights"])]
    return [(where, shown_commands.of_help(where, text)) for where, text in texts]


def missing_tool(command):
    needed = [tool for tool in TOOLS if re.search(rf"(?<![\w/-]){re.escape(tool)}(?![\w/])", command)]
    return next((TOOLS[tool] for tool in needed if not shutil.which(tool)), None)


def problem_of(reader, shown):
    try:
        reader.types(shown)
    except Failed as failed:
        return str(failed)
    return None


class TheCommands(unittest.TestCase):
    def read(self, commands, more=lambda shown: None):
        """Types them all, and says of each that is left out why."""
        with tempfile.TemporaryDirectory() as folder:
            reader = Reader(folder, house.current.program)
            try:
                for shown in commands:
                    why_not = shown_commands.reason_not_to_run(shown.command) or missing_tool(shown.command) or more(shown)
                    if why_not:
                        print(f"not run: {shown.where}: {shown.command}\n  {why_not}")
                        continue
                    with self.subTest(where=shown.where, command=shown.command):
                        if failed := problem_of(reader, shown):
                            self.fail(failed)
            finally:
                reader.leaves()


class OfTheDocuments(TheCommands):
    # Projects are exported here as well, for what is to be done in them.
    def test_run(self):
        for path in documents():
            commands = of_document(path)
            # `make host && ./host` may be said before the command that makes the folder.
            commands.sort(key=lambda shown: shown.command.startswith(("make", "./host")))
            self.read(commands, lambda shown: COMPARED if shown.printed and "poet export c" not in shown.command else None)


class OfTheHelp(TheCommands):
    def test_run(self):
        for _, groups in of_help():
            for group in groups:
                self.read(group)


class TheTables(unittest.TestCase):
    def test_have_no_entry_that_nothing_needs(self):
        everything = [shown.command for path in documents() for shown in of_document(path)]
        everything += [shown.command for _, groups in of_help() for group in groups for shown in group]
        for table in (shown_commands.NOT_RUN, shown_commands.SMALLER, shown_commands.ONLY_WORDS):
            for entry in table:
                with self.subTest(entry[0]):
                    self.assertTrue(any(re.search(entry[0], command) for command in everything))


class TheFinder(unittest.TestCase):
    def test_finds_commands_in_blocks_and_in_the_text(self):
        text = ("`poet train` learns; `make host && ./host` tries\nit, `--out FILE` writes.\n"
                "```sh\n# first\nscripts/quickstart --build-only   # packages\npoet train --model a \\\n    --steps 3\n```\n"
                "```console\n$ build/release/poet models\nname\n```\n```toml\npoet = 1\n```\n")
        self.assertEqual([(shown.command, shown.printed) for shown in shown_commands.of_document("d", text)], [
            ("make host && ./host", False), ("scripts/quickstart --build-only", False),
            ("poet train --model a --steps 3", False), ("build/release/poet models", True)])

    def test_finds_a_command_over_two_lines_of_text(self):
        text = "as `poet solve --platform mine.toml --costs\nmine.costs.json` does"
        self.assertEqual([shown.command for shown in shown_commands.of_document("d", text)],
                         ["poet solve --platform mine.toml --costs mine.costs.json"])

    def test_finds_examples_of_the_help_with_what_follows_them(self):
        text = "poet x: what\n\nUsage: poet x\n\nExamples\n  poet x --a\n      one; 'make host' tries it\n  poet x --b\n      two\n"
        self.assertEqual([[shown.command for shown in group] for group in shown_commands.of_help("h", text)],
                         [["poet x --a", "make host"], ["poet x --b"]])

    def test_finds_every_example_of_the_help(self):
        for where, groups in of_help():
            with self.subTest(where):
                self.assertTrue(groups, "it shows no command: was the format changed?")

    def test_finds_something_in_every_document(self):
        self.assertGreaterEqual(len(examples.examples_in("$ poet\n")), 1)
        for path in documents():
            with self.subTest(path.name):
                self.assertTrue(of_document(path), "it shows no command: was the format changed?")

    def test_a_command_that_fails_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            reader = Reader(folder, house.current.program)
            with self.assertRaisesRegex(Failed, r"unknown model 'nothing'"):
                reader.types(Shown("d", "poet solve --model nothing --platform m4"))


if __name__ == "__main__":
    house.run_tests()
