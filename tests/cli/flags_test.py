"""Every flag that the help of a command shows is taken by that command."""

import re
import unittest

import program
from program import poet

NO_SUCH = "--no-such-option"
FLAG = re.compile(r"^  (--?[a-z][\w-]*(?:, --?[a-z][\w-]*)*)(?: ([A-Z]\S*))?(?= |$)")


def commands():
    """By the overview: indented names with what they do."""
    listed = poet("help").out.split("\nCommands\n")[1].split("\n\n")[0]
    return re.findall(r"(?m)^  ([a-z]+) +\S", listed)


def flags_of(command):
    """(name, whether it has a value, its help) of every option in the whole help."""
    options = []
    for line in poet("help", command, "--all").out.splitlines():
        shown = FLAG.match(line)
        if shown:
            options.append([shown[1].split(", "), shown[2] is not None, line[shown.end():]])
        elif options and line.startswith(" " * 30):
            options[-1][2] += line[33:]
    return [(name, has_value, text) for names, has_value, text in options for name in names]


def forms_of(command, help_text):
    """What may stand before the flag."""
    if command != "export":
        return [[]]
    return [[form] for form in ("c", "onnx") if f"(export {form})" in help_text or "(export " not in help_text]


class Flags(unittest.TestCase):
    def test_stand_under_headings_that_come_once(self):
        for command in commands():
            headings = re.findall(r"(?m)^\w.*$", poet("help", command, "--all").out)
            self.assertEqual(len(headings), len(set(headings)), command)

    def test_are_taken_by_the_command_whose_help_shows_them(self):
        names = commands()
        self.assertGreater(len(names), 15)
        shown = 0
        for command in names:
            # The first option that a command has not is the one that it names.
            lines = {}
            for name, has_value, help_text in flags_of(command):
                shown += 1
                for form in forms_of(command, help_text):
                    lines.setdefault(tuple(form), []).extend([name, "x"] if has_value else [name])
            for form, flags in lines.items():
                ended = poet(command, *form, *flags, NO_SUCH)
                self.assertEqual(ended.code, 2, ended.err)
                self.assertIn(f"poet {command} has no option '{NO_SUCH}'", ended.err, form)
        self.assertGreater(shown, 300)

    def test_of_one_export_are_refused_by_the_other(self):
        for form, name in ((["onnx"], "--stack"), (["c"], "--checkpoint")):
            ended = poet("export", *form, name, "x")
            self.assertIn(f"poet export has no option '{name}'", ended.err)


if __name__ == "__main__":
    program.run_tests()
