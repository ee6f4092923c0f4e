"""Devices: built-in ones by name, and anyone's in TOML."""

import os
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple, Union

from poet import _poet, display, files
from poet.scratch import Scratch
from poet.words import refuse


class Device:
    """A board as measured (docs/formats/device.md).

    Device("m4") is a built-in one, Device("my-board.toml") that of a file, Device.from_toml(text) that of a text.

    name, title: which board.
    ram_bytes: its RAM, in bytes.
    flop_per_s, flop_per_j: how fast it computes, and on how little energy.
    idle_w: power drawn whatever happens, in W.
    time_mode: 'blocking', 'overlapped' or 'free': whether transfers go on beside the processor.
    figures: (key, figure with its unit, source) of every number.
    """

    def __init__(self, name_or_path: Union[str, "os.PathLike[str]"]) -> None:
        self._scratch: Optional[Scratch] = None
        self._open(os.fsdecode(name_or_path))

    def _open(self, source: str) -> None:
        files.refuse_endless(source)
        self.source = source
        figures: Dict[str, Any] = _poet.device(source)
        self.name: str = figures["name"]
        self.title: str = figures["title"]
        self.ram_bytes: int = figures["ram_bytes"]
        self.flop_per_s: float = figures["flop_per_s"]
        self.flop_per_j: float = figures["flop_per_j"]
        self.idle_w: float = figures["idle_w"]
        self.time_mode: str = figures["time_mode"]
        self.figures: List[Tuple[str, str, str]] = figures["figures"]
        self._text: str = figures["text"]

    @classmethod
    def from_toml(cls, text: str) -> "Device":
        """The device that a text in TOML describes; poet.Error names the line that is not right."""
        device = cls.__new__(cls)
        device._scratch = Scratch()
        path: Path = device._scratch.path("device.toml")
        try:
            path.write_text(text, encoding="utf-8")
        except UnicodeEncodeError:
            raise refuse("text: it has half of a UTF-16 pair in it, which is no character") from None
        device._open(str(path))
        return device

    def __fspath__(self) -> str:
        return self.source

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<poet.Device {self.name}: {self.title}>"

    def _repr_html_(self) -> str:
        return display.table((key, f"{text} ({source})") for key, text, source in self.figures)


def devices() -> List[str]:
    """The names of the built-in devices."""
    return _poet.devices()
