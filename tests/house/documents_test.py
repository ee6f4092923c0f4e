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


def rooms_of(page):
    """The rooms in the table of ARCHITECTURE.md, in order: rows like | 1 | `base` | ..."""
    return re.findall(r"^\| \d+ \| `(\w+)` \|", page.read_text(), re.MULTILINE)


class TheDocuments(unittest.TestCase):
    def test_link_to_what_exists(self):
        self.assertEqual(broken_links(house.current.root), [])

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


if __name__ == "__main__":
    house.run_tests()
