#!/usr/bin/env python3
"""Reads the examples in README.md and in the guides, runs them, and brings them up to date.

In its `console` blocks, a line `$ build/release/poet ...` is a command and the lines after it are its output. A line that
is only `...` stands for any lines. As on a terminal, warnings stand before the answer; progress is left out. A `toml`
block whose first line is a comment with a file name is that file. All of one document run in one empty folder, from top to
bottom. Clock readings are not compared.

usage: examples.py PROGRAM [DOCUMENT...]    rewrites these, or README.md and the guides, where PROGRAM prints something else
                                            than is shown
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

PROGRAM = "build/release/poet"  # or what is built beside it: build/release/poet-check-proof
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ELISION = "..."
CLOCK = re.compile(r"\bafter [\d.]+ (?:us|µs|ms|s)\b")
LONGEST = 24  # lines of output that a rewritten example shows


@dataclass(frozen=True)
class Example:
    text: str  # the command as it stands, with its line breaks
    shown: str  # what the document says it prints

    @property
    def command(self):
        return re.sub(r"\\\n\s*", "", self.text)


# The last column of a table that says how long planning took.
LAST_COLUMN = re.compile(r" +(?:planned in|[\d.]+ (?:ns|µs|ms|s))$", re.MULTILINE)


def without_clock(text):
    if re.search(r" planned in$", text, re.MULTILINE):
        text = LAST_COLUMN.sub(" SOME TIME", text)
    return CLOCK.sub("after SOME TIME", text)


def examples_in(block):
    """The commands of one console block with the output shown below each."""
    parts = re.split(r"^\$ ((?:.*\\\n)*.*)\n", block, flags=re.MULTILINE)
    return [Example(text, shown.rstrip("\n")) for text, shown in zip(parts[1::2], parts[2::2])]


def matches(shown, printed):
    """Whether what is printed is what is shown."""
    pieces = re.split(rf"^{re.escape(ELISION)}$", without_clock(shown), flags=re.MULTILINE)
    pattern = ".*".join(re.escape(piece) for piece in pieces)
    return re.fullmatch(pattern, without_clock(printed), re.DOTALL) is not None


def run(example, folder, program):
    words = shlex.split(example.command)
    own_cache = {**os.environ, "XDG_CACHE_HOME": str(Path(folder) / "cache")}
    ended = subprocess.run([Path(program).with_name(Path(words[0]).name), *words[1:]], cwd=folder, env=own_cache, capture_output=True, text=True, check=False)
    warnings = [line for line in ended.stderr.splitlines() if line.startswith("poet: ")]
    return "\n".join([*warnings, ended.stdout.rstrip("\n")])


def results(text, program):
    """(example, what it prints) for every example of a document that runs PROGRAM."""
    with tempfile.TemporaryDirectory() as folder:
        for language, block in BLOCK.findall(text):
            named = re.match(r"# (\S+\.toml)\n", block)
            if language == "toml" and named:
                (Path(folder) / named[1]).write_text(block)
            if language == "console":
                for example in examples_in(block):
                    if re.match(rf"{PROGRAM}(-[a-z-]+)? ", example.command):
                        yield example, run(example, folder, program)


def shortened(printed):
    lines = printed.split("\n")
    return "\n".join(lines if len(lines) <= LONGEST else [*lines[:LONGEST], ELISION])


def up_to_date(text, program):
    for example, printed in results(text, program):
        if not matches(example.shown, printed):
            old = f"$ {example.text}\n{example.shown}".rstrip("\n") + "\n"
            text = text.replace(old, f"$ {example.text}\n{shortened(printed)}\n", 1)
    return text


def documents(root):
    """README.md, then the guides; what lists those shows nothing."""
    return [root / "README.md", *(page for page in sorted((root / "docs/guide").glob("*.md")) if page.name != "README.md")]


if __name__ == "__main__":
    for page in [Path(name) for name in sys.argv[2:]] or documents(Path(__file__).resolve().parents[2]):
        page.write_text(up_to_date(page.read_text(), str(Path(sys.argv[1]).resolve())))
