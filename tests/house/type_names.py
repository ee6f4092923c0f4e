"""Finds types that share a name: two definitions of one name in one namespace break the one definition rule, which no
compiler and no linker sees when the definitions stand in different sources."""

import re
from collections import defaultdict
from pathlib import Path

TEXTS = re.compile(r'//[^\n]*|/\*.*?\*/|R"(?P<mark>[^(]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.S)
PIECES = re.compile(
    r"(?P<namespace>\bnamespace\b\s*(?P<space>[\w:]*)\s*\{)"
    r"|(?P<type>\b(?:struct|class|union|enum(?:\s+class)?)\s+(?P<name>\w+)\s*(?:final\s*)?(?::(?!:)[^;{}()]*)?\{)"
    r"|(?P<open>\{)|(?P<close>\})"
)


def without_texts(source):
    """The source with comments and literals blanked, line breaks kept."""
    return TEXTS.sub(lambda text: re.sub(r"[^\n]", " ", text.group()), source)


def types_of(source):
    """(namespace, name, line) of each type that others could collide with: neither in an unnamed namespace, nor in a
    function or another type."""
    found = []
    spaces = []  # of each open brace: the namespace's name, "" where it has none, None where it is no namespace
    source = without_texts(source)
    for piece in PIECES.finditer(source):
        if piece["close"]:
            if spaces:
                spaces.pop()
        elif piece["namespace"]:
            spaces.append(piece["space"])
        elif piece["type"]:
            if all(spaces):
                line = source.count("\n", 0, piece.start()) + 1
                found.append(("::".join(spaces), piece["name"], line))
            spaces.append(None)
        elif piece["open"]:
            spaces.append(None)
    return found


def shared(root):
    """One sentence for each name that more than one file defines."""
    places = defaultdict(list)
    for folder in ("poet", "apps", "interface", "tests", "python"):
        for path in sorted(Path(root, folder).rglob("*")):
            if path.suffix in (".h", ".cc"):
                place = path.relative_to(root)
                for space, name, line in types_of(path.read_text(encoding="utf-8")):
                    places[space, name].append(f"{place}:{line}")
    return [
        f"{space}::{name} is defined more than once: {', '.join(where)}"
        for (space, name), where in sorted(places.items())
        if len({place.split(":")[0] for place in where}) > 1
    ]
