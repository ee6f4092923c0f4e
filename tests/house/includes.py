"""Reads which room may include which, and finds the includes that break it.

A room may include itself and the rooms named in its own USES. What those use in turn does not count: a room that
speaks of a type says so, and the table of rooms stays the whole truth.
"""

import re
from fnmatch import fnmatch
from pathlib import Path

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)
SOURCES = ("*.cc", "*.h", "*.c")


def read_rooms(rooms_file):
    """{room: set of the rooms it declares}, in reading order, from lines `name: used;used`."""
    rooms = {}
    for line in Path(rooms_file).read_text().splitlines():
        name, _, uses = line.partition(":")
        rooms[name] = {used for used in uses.strip().split(";") if used}
    return rooms


def sources_under(folder):
    return sorted(path for pattern in SOURCES for path in Path(folder).rglob(pattern))


def includes_of(path):
    """(line number, included name) of every include in a file."""
    text = path.read_text()
    return [(text.count("\n", 0, found.start(1)) + 1, found[1]) for found in INCLUDE.finditer(text)]


def undeclared_includes(root, rooms):
    """One sentence for each include of a room that the including room did not declare."""
    findings = []
    for path in sources_under(root / "poet"):
        room = path.relative_to(root / "poet").parts[0]
        for line, name in includes_of(path):
            parts = name.split("/")
            if parts[0] != "poet":
                continue
            if parts[1] != room and parts[1] not in rooms.get(room, set()):
                findings.append(
                    f"{path.relative_to(root)}:{line}: room '{room}' includes {name} but does not declare '{parts[1]}'"
                )
    return findings


def unneeded_rooms(root, rooms):
    """One sentence for each room that another declares and never includes, in its product or in its tests."""
    findings = []
    for room, uses in rooms.items():
        included = {
            name.split("/")[1]
            for path in sources_under(root / "poet" / room)
            for _, name in includes_of(path)
            if name.startswith("poet/")
        }
        findings += [f"room '{room}' declares '{used}' but includes nothing of it" for used in sorted(uses - included)]
    return findings


def relative_includes(root):
    """One sentence for each include that escapes the check above by naming a neighbour without its room."""
    findings = []
    for path in sources_under(root / "poet"):
        for line, name in includes_of(path):
            if (path.parent / name).exists() or name.startswith("."):
                findings.append(
                    f"{path.relative_to(root)}:{line}: includes {name}; write poet/<room>/<file>.h"
                )
    return findings


def read_adapters(decision):
    """[(header patterns, file patterns)] from the table of docs/decisions/0001-dependencies.md.

    The last two columns of a row are the headers of a dependency and the files of ours that may include them.
    """
    adapters = []
    for line in Path(decision).read_text().splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("| ") and len(cells) >= 2:
            headers, files = (re.findall(r"`([^`]+)`", cell) for cell in cells[-2:])
            if headers and files:
                adapters.append((headers, files))
    return adapters


def strangers(root, adapters):
    """One sentence for each include of a dependency by a file that is not its adapter."""
    findings = []
    for folder in ("poet", "apps", "interface", "tests", "python"):
        for path in sources_under(root / folder):
            place = str(path.relative_to(root))
            for line, name in includes_of(path):
                for headers, files in adapters:
                    if any(fnmatch(name, pattern) for pattern in headers) and not any(
                        fnmatch(place, pattern) for pattern in files
                    ):
                        findings.append(f"{place}:{line}: includes {name}, which only {' '.join(files)} may")
    return findings


def precompiled(root, header):
    """One sentence for each CMake file that has a header precompiled, with which every source would read it."""
    findings = []
    for path in sorted([*(root / "cmake").rglob("*.cmake"), *root.glob("*/**/CMakeLists.txt")]):
        if path.is_relative_to(root / "build"):
            continue
        for line, text in enumerate(path.read_text().splitlines(), 1):
            if not text.lstrip().startswith("#") and any(fnmatch(name, header) for name in re.findall(r"<([^<>]+)>", text)):
                findings.append(f"{path.relative_to(root)}:{line}: precompiles {header}")
    return findings


def unlisted_sources(root, rooms):
    """One sentence for each .cc of a room that its CMakeLists.txt forgot: it would never be built or run."""
    findings = []
    for room in rooms:
        folder = root / "poet" / room
        listed = set(re.findall(r"[\w./-]+\.cc?\b", (folder / "CMakeLists.txt").read_text()))
        for path in sources_under(folder):
            name = str(path.relative_to(folder))
            if path.suffix != ".h" and name not in listed:
                findings.append(f"poet/{room}/{name} is not named in poet/{room}/CMakeLists.txt")
    return findings
