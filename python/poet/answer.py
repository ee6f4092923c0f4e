"""What most questions are answered with."""

import json
from typing import Any, Iterator, Mapping

from poet import display


class Answer(Mapping[str, Any]):
    """Fields of a documented JSON object, as attributes and as items; printed, it is the text of the command line."""

    def __init__(self, data: Mapping[str, Any], text: str) -> None:
        self._data = dict(data)
        self._text = text

    def __getitem__(self, name: str) -> Any:
        return self._data[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def __getattr__(self, name: str) -> Any:
        # Not by self._data: unpickling asks for attributes before there are any.
        data = self.__dict__.get("_data", {})
        if name in data:
            return data[name]
        raise AttributeError(f"the answer has no field '{name}'; it has {', '.join(data)}")

    def __dir__(self) -> Any:
        return [*super().__dir__(), *self._data]

    def to_json(self) -> str:
        return json.dumps(self._data)

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        return display.preformatted(self._text)
