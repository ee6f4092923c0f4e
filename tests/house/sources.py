"""Finds in our texts what must not stand there: one row per rule."""

import re
from dataclasses import dataclass, field

import includes


@dataclass(frozen=True)
class Rule:
    pattern: str
    why: str
    # Places (relative paths, or folders ending in /) where the rule holds, and those in them that are excepted.
    within: tuple
    but: tuple = field(default=())


# The rooms, without their tests: what becomes the library.
LIBRARY = ("poet/",)
EVERYTHING = ("poet/", "apps/", "interface/", "packaging/", "tests/", "python/", "examples/", "bench/", "scripts/", "cmake/", "docs/", ".ci/", "web/", "")

RULES = (
    Rule(r"(?<![\w./$}>])/(?:home|root|work|tmp|Users|mnt)/", "a path of one machine", EVERYTHING),
    Rule(r"\bstd::(?:cout|cerr|clog)\b|\b(?:f?printf|puts|fputs)\s*\(", "the library never prints", LIBRARY,
         ("poet/base/check.cc",)),
    Rule(r"\b(?:std::)?(?:exit|_exit|quick_exit)\s*\(", "the library never exits", LIBRARY),
    Rule(r"(?<![.>])\bgetenv\s*\(", "the library never reads the environment", LIBRARY),
    Rule(r"\b(?:system|steady|high_resolution)_clock\b|\bgettimeofday\b|\bclock_gettime\b",
         "the library looks at no clock but its caller's Stop", LIBRARY),
    Rule(r"\brandom_device\b|\bs?rand\s*\(", "seeds are explicit", ("poet/", "apps/", "interface/", "tests/", "python/")),
    Rule(r"\bsleep(?:_for|_until)?\s*\(", "nothing sleeps", ("poet/", "apps/", "interface/", "tests/", "python/")),
    Rule(r"\bposix_spawnp?\s*\(|\bexec(?:l|v)[a-z]*\s*\(", "programs are started in one place", ("poet/", "apps/", "interface/", "python/"),
         ("poet/base/child_process.cc", "poet/service/least_rights_test.cc")),
    Rule(r"^using\s+namespace\b|\busing\s+namespace\s+std\b", "names are written out", ("poet/", "apps/", "interface/", "python/")),
    Rule(r"ffast-math", "sums are the same on every machine", ("CMakeLists.txt", "CMakePresets.json", "cmake/", "poet/")),
    Rule(r"\bTODO\b(?!\(#\d+\))|\b(?:FIXME|XXX|HACK)\b", "unfinished work has an issue number", EVERYTHING),
    Rule(r"\bDISABLED_", "a test that never runs", ("poet/", "apps/", "tests/")),
)

TEXTS = {".cc", ".h", ".c", ".py", ".cmake", ".txt", ".md", ".toml", ".sh", ".json", ".ts", ".tsx", ".mjs", ".js", ".css", ".html", ""}
# Folders that are not ours to judge: what builds and runs leave behind.
SKIPPED = {".git", "build", "out", "__pycache__", "node_modules", "dist"}
# These two must name what they forbid.
OURSELVES = {"tests/house/sources.py", "tests/house/sources_test.py"}


def is_within(place, folders):
    return any(place == folder or (folder.endswith("/") and place.startswith(folder)) for folder in folders)


def applies(rule, place):
    held = is_within(place, rule.within) or ("" in rule.within and "/" not in place)
    if rule.within == LIBRARY and re.search(r"_test\.cc$", place):
        return False
    return held and not is_within(place, rule.but)


def our_texts(root):
    for path in sorted(root.rglob("*")):
        parts = path.relative_to(root).parts
        if not SKIPPED.intersection(parts) and path.suffix in TEXTS and path.is_file():
            yield path


def without_comments(text):
    """C++ with the comments blanked: a comment may speak of what the code must not do."""
    return re.sub(r"//[^\n]*", "", text)


def forbidden(root):
    """One sentence for each place that breaks a rule."""
    findings = []
    for path in our_texts(root):
        place = path.relative_to(root).as_posix()
        if place in OURSELVES:
            continue
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            code = without_comments(line) if path.suffix in {".cc", ".h", ".c"} else line
            for rule in RULES:
                text = line if rule.within == EVERYTHING else code
                if applies(rule, place) and re.search(rule.pattern, text):
                    findings.append(f"{place}:{number}: {rule.why}: {line.strip()}")
    return findings


# Texts that are meant to be read several times in one source, each time with other macros, and say so at their top.
READ_AGAIN = {"poet/runtime/panel_tile.h"}


def without_guard(root):
    """Headers that could be read twice."""
    return [
        path.relative_to(root).as_posix()
        for folder in ("poet", "apps", "interface", "tests", "python")
        for path in includes.sources_under(root / folder)
        if path.suffix == ".h" and path.relative_to(root).as_posix() not in READ_AGAIN and not re.search(r"^#(?:pragma once|ifndef POET_\w+_H_)$", path.read_text(), re.MULTILINE)
    ]
