"""What mkdocs does beside its own (mkdocs.yml): the same Markdown is right on a forge, in an editor and in the site.

Links in the documents are paths within the repository. In the site, one to a page goes to the page, one to a folder of docs to
the folder's README.md, and one to anything else to `repo_url` of mkdocs.yml; where that is not set, the path is said in place
of a link. A link to what does not exist is left as it is, so that mkdocs complains.
"""

import os
import posixpath
import re
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[1]
FROM_ROOT = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")  # pages that do not lie in docs
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
BLOCK = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)


def pages_of(folder):
    """A folder's README.md, then its other pages by name."""
    names = sorted(path.name for path in (ROOT / "docs" / folder).glob("*.md"))
    return [folder + name for name in sorted(names, key=lambda name: name != "README.md")]


def filled_in(nav):
    """The navigation, with pages for folders."""
    return [{title: pages_of(what) if isinstance(what, str) and what.endswith("/") else what for title, what in item.items()}
            for item in nav]


def on_config(config):
    config["nav"] = filled_in(config["nav"])
    return config


def on_files(files, config):
    for name in FROM_ROOT:
        files.append(File(name, str(ROOT), config["site_dir"], config["use_directory_urls"]))
    for file in list(files):
        if "." not in posixpath.basename(file.src_uri):
            files.remove(file)  # scripts that draw pictures
    return files


def in_repository(target, page_path):
    """A link's target as a path from the root; nothing for an address or a place in the page."""
    if re.match(r"[a-z]+:|#|/", target):
        return None
    path = posixpath.normpath(posixpath.join(posixpath.dirname(page_path), target.partition("#")[0]))
    return None if path.startswith("..") else path


def in_site(path):
    """The page or picture of the site that a path of the repository is; nothing for others."""
    if path in FROM_ROOT:
        return path
    if path != "docs" and not path.startswith("docs/"):
        return None
    if (ROOT / path).is_dir():
        path = posixpath.join(path, "README.md")
    return posixpath.relpath(path, "docs") if (ROOT / path).is_file() else None


def rewritten(markdown, page_path, page_uri, repo_url):
    """The text with links as the site needs them."""
    def link(match):
        mark, text, target = match.groups()
        path = in_repository(target, page_path)
        if path is None or not (ROOT / path).exists():
            return match[0]
        anchor = "#" + target.partition("#")[2] if "#" in target else ""
        if page := in_site(path):
            return f"{mark}[{text}]({posixpath.relpath(page, posixpath.dirname(page_uri) or '.')}{anchor})"
        if repo_url:
            return f"{mark}[{text}]({repo_url.rstrip('/')}/blob/HEAD/{path}{anchor})"
        return text if path.endswith(text.strip("`")) else f"{text} (`{path}`)"

    return "".join(piece if piece.startswith("```") else LINK.sub(link, piece) for piece in BLOCK.split(markdown))


def on_page_markdown(markdown, page, config, files):
    path = os.path.relpath(page.file.abs_src_path, ROOT)
    return rewritten(markdown, path, page.file.src_uri, config["repo_url"])
