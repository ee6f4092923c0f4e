"""Files that a user asked for: each is there whole, or as it was before."""

import os
from typing import Union

from poet import _poet

PathText = Union[str, "os.PathLike[str]"]


def write_text(path: PathText, text: str) -> None:
    """UTF-8; poet.Error where it cannot be written."""
    _poet.write_text(os.fspath(path), text)


def copy(source: PathText, path: PathText) -> None:
    """A file of any size; poet.Error where it cannot be written."""
    _poet.copy_file(os.fspath(source), os.fspath(path))
