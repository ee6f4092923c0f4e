"""Citations of the specification in docs/model, and of documents in comments."""

import re
from fnmatch import fnmatch
from pathlib import Path

FOLDERS = ("poet", "apps", "python", "tests", "bench", "cmake", "scripts", "tools", "docs")
SPECIFIED = ("solve", "verify", "exact", "overlap")  # rooms that do what docs/model says
DESCRIBED = ("methods",)  # rooms whose sources begin with what they compute, and which publication has it
SLASHES = {".cc", ".h", ".c", ".hpp", ".mjs", ".js", ".ts", ".css"}
HASHES = {".py", ".pyi", ".cmake", ".sh", ".toml", ".yml", ""}
PAGE = r"[\w-]+\.md"
SECTIONS = r"§\d+(?:\.\d+)?(?:(?:,| and| to|, and) §\d+(?:\.\d+)?)*"
# The page's path and §1.3; in the pages themselves also a link and §1.3, or §1.3 alone.
FROM_ANYWHERE = re.compile(rf"docs/model/({PAGE}) ({SECTIONS})")
IN_A_PAGE = re.compile(rf"(?:\]\((?:\.\./model/)?({PAGE})\) |docs/model/({PAGE}) )?({SECTIONS})")
HEADING = re.compile(r"^## (\d+(?:\.\d+)?) ", re.MULTILINE)
# A path to a document, as comments have it; one that a command writes is not cited.
DOCUMENT = re.compile(r"(?<![\w./-])(?<!> )[\w./-]*[\w-]\.md\b")


def sections(root):
    """For each page of docs/model the numbers of its sections."""
    return {page.name: HEADING.findall(page.read_text()) for page in sorted((root / "docs/model").glob("*.md"))}


def files(root):
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.is_file() and "node_modules" not in path.parts and path.suffix in SLASHES | HASHES | {".md", ".txt"}:
                yield path


def text_of(path):
    try:
        return path.read_text()
    except UnicodeDecodeError:
        return ""


def as_one_line(text):
    """A comment over several lines as one."""
    return re.sub(r"\s*\n\s*(?://|\*|#)?\s*", " ", text)


def cited(where, known, pieces):
    """One sentence for each (page, sections) that names what is not there."""
    for page, numbers in pieces:
        for number in re.findall(r"[\d.]+", numbers):
            if page not in known:
                yield f"{where}: cites docs/model/{page}, which does not exist"
            elif number not in known[page]:
                yield f"{where}: cites docs/model/{page} §{number}, and it has no such section"


def wrong_citations(root):
    known = sections(root)
    findings = []
    for path in files(root):
        if path.name in ("model.py", "model_test.py"):
            continue  # they plant faults
        text = as_one_line(text_of(path))
        pieces = FROM_ANYWHERE.findall(text)
        if path.parent == root / "docs/model":
            pieces = [(linked or named or path.name, numbers) for linked, named, numbers in IN_A_PAGE.findall(text)
                      if linked or named or path.name != "README.md"]
        findings += cited(path.relative_to(root), known, pieces)
    return findings


def sections_not_in_order(root):
    """Numbers that come twice, or before a smaller one."""
    findings = []
    for page, numbers in sections(root).items():
        as_numbers = [tuple(int(part) for part in number.split(".")) for number in numbers]
        for before, after in zip(as_numbers, as_numbers[1:]):
            if after <= before:
                findings.append(f"docs/model/{page}: §{'.'.join(map(str, after))} comes after §{'.'.join(map(str, before))}")
    return findings


def without_citation(root):
    """Sources of the planner and the verifier that do not begin with a comment that cites the specification."""
    findings = []
    for path in sorted(path for room in SPECIFIED for path in (root / "poet" / room).glob("*.cc")):
        text = path.read_text()
        if path.name.endswith("_test.cc") or "namespace poet::testing" in text:
            continue
        if not FROM_ANYWHERE.search(as_one_line(re.match(r"(?://.*\n)*", text)[0])):
            findings.append(f"{path.relative_to(root)}: does not begin with what it computes and where that is derived")
    return findings


def without_description(root):
    """Sources of the published methods that do not begin with a comment."""
    return [
        f"{path.relative_to(root)}: does not begin with what it computes"
        for path in sorted(path for room in DESCRIBED for path in (root / "poet" / room).glob("*.cc"))
        if not path.name.endswith("_test.cc") and not path.read_text().startswith("// ")
    ]


def sources_not_in_table(root):
    """Sources of the planner and the verifier that the table of docs/model/README.md does not have."""
    named = re.findall(r"`[\w./]*?([\w*]+\.(?:cc|h))`", (root / "docs/model/README.md").read_text())
    return [
        f"docs/model/README.md: its table lacks {path.relative_to(root)}"
        for path in sorted(path for room in SPECIFIED for path in (root / "poet" / room).glob("*.cc"))
        if not path.name.endswith("_test.cc") and "namespace poet::testing" not in path.read_text()
        and not any(fnmatch(path.name, name) for name in named)
    ]


def comments(path, text):
    if path.suffix in SLASHES:
        without_strings = re.sub(r'"(?:\\.|[^"\\\n])*"', '""', text)
        yield from re.findall(r"//.*", without_strings)
        yield from re.findall(r"/\*.*?\*/", without_strings, re.DOTALL)
    elif path.suffix in HASHES or path.name == "CMakeLists.txt":
        yield from re.findall(r"(?:^|\s)#.*", text)
        yield from re.findall(r'^\s*"""(.*?)"""', text, re.DOTALL | re.MULTILINE)


def unknown_documents(root):
    """Documents that a comment cites and that nobody has: named from the root, or from the folder of the comment."""
    findings = []
    for path in files(root):
        for comment in comments(path, text_of(path)):
            for name in DOCUMENT.findall(comment):
                if not (root / name).is_file() and not (path.parent / name).is_file():
                    findings.append(f"{path.relative_to(root)}: cites {name}, which is not in the repository")
    return findings
