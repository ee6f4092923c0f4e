"""Files that a user names: those that are asked for are there whole, or as they were before."""

import os
import stat
from typing import Union

from poet import _poet

PathText = Union[str, "os.PathLike[str]"]


def refuse_endless(path: str) -> None:
    """A pipe would hold up the whole interpreter until somebody writes to it, and a device has no end."""
    try:
        kind = os.stat(path).st_mode
    except (OSError, ValueError):  # not there: said by whoever reads it; ValueError: no name of a file
        return
    if not (stat.S_ISREG(kind) or stat.S_ISDIR(kind)):
        error = _poet.Error(f"cannot read '{path}': it is not a regular file")
        error.code = "io"
        raise error


def write_text(path: PathText, text: str) -> None:
    """UTF-8; poet.Error where it cannot be written."""
    _poet.write_text(os.fsdecode(path), text)


def copy(source: PathText, path: PathText) -> None:
    """A file of any size; poet.Error where it cannot be written."""
    _poet.copy_file(os.fsdecode(source), os.fsdecode(path))
