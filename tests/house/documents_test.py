"""The documents point at things that exist."""

import re
import tempfile
import unittest
from pathlib import Path

import house

# [text](target), but neither an address nor a place within the same page.
LINK = re.compile(r"\]\((?!https?://|#|mailto:)([^)#\s]+)")


def broken_links(root):
    """One sentence for each link of a document to a file that does not exist."""
    findings = []
    pages = [*root.glob("*.md"), *(root / "docs").rglob("*.md"), *(root / "bench").rglob("*.md")]
    for page in sorted(pages):
        for target in LINK.findall(page.read_text()):
            if not (page.parent / target).exists():
                findings.append(f"{page.relative_to(root)}: links to {target}, which does not exist")
    return findings


# `poet/room/file.cc`, also with a * in it.
SOURCE = re.compile(r"`((?:apps|bench|cmake|docs|examples|interface|packaging|poet|python|scripts|tests|tools|web)/[\w./*-]*(?:\.\w+|/))`")
# `file.cc`, in the folder of the one before it.
NEIGHBOUR = re.compile(r"`(\w[\w-]*\.(?:cc|h|c|py))`")
WALK = re.compile(r"^## The walk of .*?(?=^## )", re.MULTILINE | re.DOTALL)


def missing_sources(root):
    """One sentence for each source that a document for people of today names and that does not exist."""
    findings = []
    for page in sorted([*root.glob("*.md"), *(root / "docs").rglob("*.md")]):
        # What was decided or changed then speaks of files of then.
        if page.name == "CHANGELOG.md" or page.parent.name == "decisions":
            continue
        for name in SOURCE.findall(page.read_text()):
            # Programs that use the installed library know its header as poet/poet.h.
            if not any(any(folder.glob(name.rstrip("/"))) for folder in (root, root / "interface/include")):
                findings.append(f"{page.relative_to(root)}: names {name}, which does not exist")
    return findings


def lost_on_a_walk(root):
    """One sentence for each file or function in the walks of ARCHITECTURE.md that is not where its row says."""
    findings = []
    rows = re.findall(r"^\| \d+ \|.*$", "".join(WALK.findall((root / "ARCHITECTURE.md").read_text())), re.MULTILINE)
    for row in rows:
        places = []
        for name in re.findall(f"{SOURCE.pattern}|{NEIGHBOUR.pattern}", row):
            places.append(root / name[0] if name[0] else places[-1].parent / name[1])
            if not places[-1].exists():
                findings.append(f"ARCHITECTURE.md: {places[-1].relative_to(root)} does not exist")
        files = [file for place in places for file in (place.glob("*.cc") if place.is_dir() else [place]) if file.exists()]
        for function in re.findall(r"`([\w:]+)\(\)`", row):
            if not any(re.search(rf"^\w[^;=\n]*\b{function}\(", file.read_text(), re.MULTILINE) for file in files):
                findings.append(f"ARCHITECTURE.md: no {function}() in the files of its row")
    return findings


def rooms_of(page):
    """The rooms in the table of ARCHITECTURE.md, in order: rows like | 1 | `base` | ..."""
    return re.findall(r"^\| \d+ \| `(\w+)` \|", page.read_text(), re.MULTILINE)


class TheDocuments(unittest.TestCase):
    def test_link_to_what_exists(self):
        self.assertEqual(broken_links(house.current.root), [])

    def test_name_sources_that_exist(self):
        self.assertEqual(missing_sources(house.current.root), [])

    def test_walk_past_what_is_there(self):
        self.assertEqual(lost_on_a_walk(house.current.root), [])

    def test_list_the_rooms_that_are_built(self):
        built = [line.partition(":")[0] for line in house.current.rooms_file.read_text().splitlines()]
        self.assertEqual(rooms_of(house.current.root / "ARCHITECTURE.md"), built)


class APlantedFault(unittest.TestCase):
    def test_a_broken_link_is_found(self):
        with tempfile.TemporaryDirectory() as scratch:
            root = Path(scratch)
            (root / "docs").mkdir()
            (root / "README.md").write_text("[here](docs) and [there](docs/gone.md#part)")
            self.assertEqual(broken_links(root), ["README.md: links to docs/gone.md, which does not exist"])

    def test_a_source_that_is_not_there_is_found(self):
        with tempfile.TemporaryDirectory() as scratch:
            root = Path(scratch)
            (root / "poet").mkdir()
            (root / "poet/here.cc").write_text("")
            (root / "README.md").write_text("`poet/`, `poet/*.cc` and `poet/here.cc`, but `poet/gone.cc`")
            self.assertEqual(missing_sources(root), ["README.md: names poet/gone.cc, which does not exist"])

    def test_a_walk_that_is_lost_is_found(self):
        with tempfile.TemporaryDirectory() as scratch:
            root = Path(scratch)
            (root / "poet").mkdir()
            (root / "poet/here.cc").write_text("int found() {\n  return called();\n}\n")
            (root / "ARCHITECTURE.md").write_text(
                "## The walk of a test\n| 1 | `poet/here.cc`, `gone.cc` | `found()` and `called()` |\n## End\n"
            )
            self.assertEqual(
                lost_on_a_walk(root),
                [
                    "ARCHITECTURE.md: poet/gone.cc does not exist",
                    "ARCHITECTURE.md: no called() in the files of its row",
                ],
            )


if __name__ == "__main__":
    house.run_tests()
