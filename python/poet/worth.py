"""What is worth training within a budget."""

import json
import os
from typing import Any, Callable, Dict, Mapping, Optional, Union

from poet import _poet, files
from poet.answer import Answer
from poet.asking import DeviceLike, ModelLike, question, shown
from poet.scratch import Scratch
from poet.training import add_data
from poet.words import with_options

PathText = Union[str, "os.PathLike[str]"]


class Worth(Answer):
    """What poet.worth() answers: the fields of `poet worth --json`.

    best: what poet.train(train=...) takes, or None where nothing that was looked at fits. choices: one entry each, from the
    largest gain on. layers: what each gains. gains: a file of them as a dict, for gains= of poet.worth() and poet.train().
    """

    def __init__(self, data: Mapping[str, Any], text: str, page: str, gains: Mapping[str, Any]) -> None:
        super().__init__(data, text)
        self.gains = dict(gains)
        self._page = page

    def save_gains(self, path: PathText) -> None:
        """Writes what each parameter is worth (docs/formats/gains.md), for gains=path."""
        files.write_text(path, json.dumps(self.gains, indent=1) + "\n")

    def report_html(self, path: Optional[PathText] = None) -> str:
        """The page with the curves, gain against energy and against RAM; written to `path` if there is one."""
        if path is not None:
            files.write_text(path, self._page)
        return self._page


@with_options("worth")
def worth(model: Optional[ModelLike] = None, platform: Optional[DeviceLike] = None, *, data: Any = None,
          gains: Union[Mapping[str, Any], PathText, None] = None, progress: Optional[Callable[[Dict[str, Any]], None]] = None,
          **options: Any) -> Worth:
    """Plans choices of what is trained within ram_budget= (bytes), and says of each what it gains and what it takes.

    model, platform, Ctrl-C and errors: as in poet.solve(). data: as in poet.train(); gains are measured on it. gains: a dict or a
    file of gains of your own, in place of measuring: {"format": "poet-gains", "version": 1, "gains": {"conv1": 2.5}}.
    progress: called with a dict (done, all, train): searches, each of what is trained, or batches, where train is None.
    """
    scratch = Scratch()
    asked: Dict[str, Any] = dict(options)
    add_data(asked, scratch, data)
    if isinstance(gains, Mapping):
        path = scratch.path("gains.json")
        path.write_text(json.dumps(gains), encoding="utf-8")
        asked["gains"] = path
    else:
        asked["gains"] = gains
    words, _keep = question("worth", model, platform, asked)
    answer = _poet.worth(words, progress)
    return Worth(json.loads(shown(answer["json"], model)), shown(answer["text"], model), answer["page"],
                 json.loads(answer["gains"]))
