"""What the functions that plan have in common: which network is meant, and on which device."""

import json
import os
from typing import Any, Dict, List, Mapping, Optional, Tuple, Union

from poet import _poet
from poet.device import Device
from poet.model import Model
from poet.scratch import Scratch
from poet.words import options_of, refuse, words_of

ModelLike = Union[str, "os.PathLike[str]", Model]
DeviceLike = Union[str, "os.PathLike[str]", Device]


def _model_options(model: Any) -> Dict[str, Any]:
    if isinstance(model, Model):
        return model.asked()
    if isinstance(model, (str, os.PathLike)):
        return {"model": os.fspath(model)}
    raise refuse(f"model: expected a name, the path of an ONNX file or a poet.Model, found {type(model).__name__}")


def shown(text: str, model: Any) -> str:
    """An answer about a network that is not in a file of the user's, without the file that it is in."""
    return model.shown(text) if isinstance(model, Model) else text


def _graph_file(graph: Any, scratch: Scratch) -> str:
    if isinstance(graph, Mapping):
        path = scratch.path("graph.json")
        path.write_text(json.dumps(graph), encoding="utf-8")
        return str(path)
    return os.fsdecode(graph)


def question(command: str, model: Any, platform: Any, options: Mapping[str, Any]) -> Tuple[List[str], Optional[Scratch]]:
    """The command line of a question, and what must live until it is answered.

    As in the released function, a name of the released code means its graph, unless `graph` says otherwise.
    """
    asked: Dict[str, Any] = {}
    scratch: Optional[Scratch] = None
    rest = dict(options)
    if rest.get("graph_file") is not None:
        scratch = Scratch()
        rest["graph_file"] = _graph_file(rest["graph_file"], scratch)
    if model is not None:
        asked.update(_model_options(model))
        if isinstance(model, str) and model in _poet.released_networks():
            asked["graph"] = "released"
    if platform is not None:
        asked["platform"] = platform.source if isinstance(platform, Device) else platform
    for name, value in rest.items():
        if value is not None:
            asked[name] = value
    # A network that was built is of the batch size that it was built for.
    known = options_of(command)
    if "graph" not in known:
        asked.pop("graph", None)
    return words_of(command, asked), scratch
