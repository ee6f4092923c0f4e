"""Files that live as long as the object that they belong to."""

import tempfile
from pathlib import Path


class Scratch:
    """A folder that goes with its last owner."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="poet-")

    def path(self, name: str) -> Path:
        return Path(self._folder.name) / name

    def without_folder(self, text: str) -> str:
        """A text in which this folder, which means nothing to anybody, is not named."""
        return text.replace(self._folder.name + "/", "")
