"""The documents build into a site that can be searched, whose links lead somewhere, and that loads nothing from elsewhere."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

import house

# What a browser fetches by itself, beside links that a reader follows.
FETCHED = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src"}
COPIED = ("docs", "scripts", "mkdocs.yml")
NOT_NEEDED = (".git", "build")


class Page(HTMLParser):
    """What a page links to, what it fetches, and the places in it."""

    def __init__(self, text):
        super().__init__()
        self.links, self.fetched, self.places = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        have = dict(attrs)
        self.places.update(have[name] for name in ("id", "name") if have.get(name))
        if tag == "a" and have.get("href"):
            self.links.append(have["href"])
        if have.get(FETCHED.get(tag)):
            self.fetched.append(have[FETCHED[tag]])


def is_elsewhere(target):
    return re.match(r"(?:[a-z]+:)?//", target) is not None


def built(root, folder):
    return subprocess.run([root / "scripts/build-docs", folder], env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
                          capture_output=True, text=True, check=False)


def faults(site):
    """One sentence for everything that a reader would stumble over."""
    pages = {path: Page(path.read_text()) for path in sorted(site.rglob("*.html"))}
    findings = []
    for path, page in pages.items():
        where = path.relative_to(site)
        findings += [f"{where}: fetches {target}" for target in page.fetched if is_elsewhere(target)]
        if path.name == "404.html":
            continue  # its addresses begin at the root of a server
        for target in page.links + page.fetched:
            if is_elsewhere(target) or target.startswith("mailto:"):
                continue
            address, place = urldefrag(target)
            there = (path.parent / unquote(address)).resolve() if address else path
            if not there.is_file():
                findings.append(f"{where}: links to {target}, which does not exist")
            elif place and there in pages and unquote(place) not in pages[there].places:
                findings.append(f"{where}: links to {target}, a place that does not exist")
    for style in sorted(site.rglob("*.css")):
        if re.search(r"(?:url\(|@import )['\"]?(?:https?:)?//", style.read_text()):
            findings.append(f"{style.relative_to(site)}: fetches from elsewhere")
    return findings


def unreachable(site):
    """Pages that no way of links leads to from the first."""
    seen, open_pages = set(), [site / "index.html"]
    while open_pages:
        path = open_pages.pop()
        if path in seen or path.suffix != ".html" or not path.is_file():
            continue
        seen.add(path)
        links = [urldefrag(link)[0] for link in Page(path.read_text()).links if not is_elsewhere(link)]
        open_pages += [(path.parent / unquote(link)).resolve() for link in links if link]
    own = {site / "404.html", site / "search.html"}
    return sorted(str(path.relative_to(site)) for path in set(site.rglob("*.html")) - seen - own)


class InAFolder(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name).resolve()


class TheSite(InAFolder):
    def test_is_whole(self):
        root = house.current.root
        ended = built(root, self.folder / "site")
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        self.assertEqual(faults(self.folder / "site"), [])
        self.assertEqual(unreachable(self.folder / "site"), [])
        entries = json.loads((self.folder / "site/search/search_index.json").read_text())["docs"]
        for word, page in (("microcontroller", "index.html"), ("emulated", "guide/nrf52840.html")):
            with self.subTest(word):
                self.assertIn(page, {entry["location"].partition("#")[0] for entry in entries if word in entry["text"]})


class APlantedFault(InAFolder):
    def setUp(self):
        super().setUp()
        self.tree = self.folder / "tree"
        self.tree.mkdir()
        for source in house.current.root.iterdir():
            place = self.tree / source.name
            if source.name in COPIED:
                (shutil.copytree if source.is_dir() else shutil.copy)(source, place)
            elif source.name not in NOT_NEEDED:
                place.symlink_to(source)

    def append(self, page, text):
        with open(self.tree / page, "a", encoding="utf-8") as file:
            file.write(text)

    def test_a_link_to_what_does_not_exist_stops_the_build(self):
        self.append("docs/glossary.md", "\n[there](gone.md)\n")
        ended = built(self.tree, self.folder / "site")
        self.assertNotEqual(ended.returncode, 0)
        self.assertIn("'glossary.md' contains a link to 'gone.md'", ended.stderr)

    def test_what_the_build_lets_pass_is_found(self):
        (self.tree / "docs/guide/secret.md").write_text("# Nobody finds this\n")
        self.append("docs/glossary.md", '\n[a](results.md#nowhere)\n\n<img src="https://example.org/dot.png">\n\nSee [the card]'
                    "(../poet/boards/firmware/card.c), [examples](../examples) and [the rooms](../ARCHITECTURE.md).\n")
        ended = built(self.tree, self.folder / "site")
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        self.assertEqual(unreachable(self.folder / "site"), ["guide/secret.html"])
        self.assertEqual([fault for fault in faults(self.folder / "site") if fault.startswith("glossary.html")],
                         ["glossary.html: fetches https://example.org/dot.png",
                          "glossary.html: links to results.html#nowhere, a place that does not exist"])
        # What the site does not have is said in words.
        self.assertIn('See the card (<code>poet/boards/firmware/card.c</code>), examples and '
                      '<a href="ARCHITECTURE.html">the rooms</a>.', (self.folder / "site/glossary.html").read_text())

    def test_a_folder_with_other_files_is_left_alone(self):
        (self.folder / "mine").mkdir()
        (self.folder / "mine/thesis.txt").write_text("all of it")
        ended = built(self.tree, self.folder / "mine")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("has files that are no site", ended.stderr)
        self.assertTrue((self.folder / "mine/thesis.txt").exists())


if __name__ == "__main__":
    if shutil.which("mkdocs") is None:
        reason = "mkdocs is not installed, so the documents were not built into a site (scripts/install-packages docs)"
        print(f"site_test.py:0: Skipped\n{reason}\n\n[  SKIPPED ] house.site")
        sys.exit(77)
    house.run_tests()
