#!/usr/bin/env python3
"""What the sources of a revision are like, so that two of them can stand side by side: how many files of which length, who
includes a header, how much is comment, how long functions are, what rooms declare. Counts only: what it takes to build
stands in bench/build, and in how many files an operator stands is what CONTRIBUTING.md says.

usage: bench/house/house.py REVISION...    prints a line of JSON for each; needs git, and ctags (Debian: universal-ctags)
"""

import io
import json
import re
import subprocess
import sys
import tarfile
import tempfile
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("poet/", "apps/", "interface/", "python/src/")
SUFFIXES = (".cc", ".h", ".c")
# What only tests use stands beside the code.
OF_TESTS = re.compile(r"_test\.cc$|for_tests|test_support|/tests?/|random_step|tick_replay")


def unpack(revision, folder):
    archive = subprocess.run(["git", "-C", ROOT, "archive", revision], capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        tar.extractall(folder)


def product_files(folder):
    """Path within the tree: text."""
    texts = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and name.startswith(FOLDERS) and name.endswith(SUFFIXES) and not OF_TESTS.search(name):
            texts[name] = path.read_text(encoding="utf-8")
    return texts


def headers_with_one_user(texts):
    """Headers that one other file includes, the source of the same name not counted; and all headers."""
    users = defaultdict(set)
    for name, text in texts.items():
        for included in re.findall(r'^#include "([^"]+)"', text, re.MULTILINE):
            if Path(name).with_suffix(".h").as_posix() != included:
                users[included].add(name)
    headers = [name for name in texts if name.endswith(".h")]
    return sum(len(users[name]) == 1 for name in headers), len(headers)


def comment_lines(text):
    within = False
    count = 0
    for line in text.splitlines():
        line = line.strip()
        begins = line.startswith(("//", "/*"))
        count += within or begins
        if line.startswith("/*") or within:
            within = "*/" not in line
    return count


def function_lines(folder, texts):
    """Of every function that is defined in a source: its lines, as ctags sees them."""
    sources = [name for name in texts if name.endswith((".cc", ".c"))]
    ended = subprocess.run(["ctags", "-f", "-", "--fields=+ne", "--kinds-C++=f", "--kinds-C=f", "--languages=C,C++", "-L", "-"],
                           input="\n".join(sources), cwd=folder, capture_output=True, text=True, check=True)
    lines = []
    for tag in ended.stdout.splitlines():
        begin, end = re.search(r"\tline:(\d+)", tag), re.search(r"\tend:(\d+)", tag)
        if begin and end:
            lines.append(int(end[1]) - int(begin[1]) + 1)
    return sorted(lines)


def declared_rooms(folder):
    """Of each room: how many others it declares."""
    counts = {}
    for path in folder.glob("poet/*/CMakeLists.txt"):
        text = path.read_text(encoding="utf-8")
        found = re.search(r"^\s+USES\s+([\w\s]*?)(?=^\s+[A-Z]|\))", text, re.MULTILINE)
        counts[path.parent.name] = len(found[1].split()) if found else 0
    return counts


def measured(revision):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        unpack(revision, folder)
        texts = product_files(folder)
        lines = {name: text.count("\n") for name, text in texts.items()}
        total = sum(lines.values())
        sources = sorted(count for name, count in lines.items() if not name.endswith(".h"))
        one_user, headers = headers_with_one_user(texts)
        functions = function_lines(folder, texts)
        rooms = declared_rooms(folder)
        return {
            "revision": subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", revision], capture_output=True, text=True,
                                       check=True).stdout.strip(),
            "product_files": len(texts),
            "product_lines": total,
            "lines_per_file": round(total / len(texts), 1),
            "median_source_lines": sources[len(sources) // 2],
            "headers": headers,
            "headers_with_one_user": one_user,
            "comment_percent": round(100 * sum(map(comment_lines, texts.values())) / total, 1),
            "functions": len(functions),
            "function_lines_p90": functions[len(functions) * 9 // 10],
            "functions_over_60_percent": round(100 * sum(count > 60 for count in functions) / len(functions), 2),
            "rooms": len(rooms),
            "most_declared": dict(sorted(rooms.items(), key=lambda room: -room[1])[:4]),
        }


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip())
    for revision in sys.argv[1:]:
        print(json.dumps(measured(revision)))


if __name__ == "__main__":
    main()
