"""Training on this machine, by plans, within a RAM budget."""

import json
import os
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Sequence, Union

import numpy as np

from poet import _poet, display, files
from poet.answer import Answer
from poet.asking import DeviceLike, ModelLike, question
from poet.model import Model
from poet.scratch import Scratch
from poet.words import in_place, network_words, options_in, refuse, with_options

PathText = Union[str, "os.PathLike[str]"]
Step = Callable[[Dict[str, Any]], None]


class Training(Answer):
    """What poet.train() answers: the fields of docs/formats/train-json.md, and the trained network.

    losses: (steps,), float32. parameters: each by its name, in the shape that it has in the network.
    feasible: whether there was a plan and every loss was finite; `no` says why not. stopped: by Ctrl-C, after a whole step.
    """

    def __init__(self, core: _poet.Trained, checkpoint: Path, words: List[str], keep: Any) -> None:
        super().__init__(json.loads(core.json()), core.text())
        self._core = core
        self._checkpoint = checkpoint
        self._words = words
        self._keep = keep

    @property
    def feasible(self) -> bool:
        return not self._core.no

    @property
    def losses(self) -> np.ndarray:
        return self._core.losses()

    @property
    def parameters(self) -> Dict[str, np.ndarray]:
        values = read_checkpoint(self._learnt())
        return {name: array for name, (role, array) in values.items() if role in ("parameter", "statistic")}

    def save_checkpoint(self, path: PathText) -> None:
        """The trained network, with all that is needed to go on (docs/formats/checkpoint.md): poet.train(checkpoint=path, resume=True) goes on from it."""
        files.copy(self._learnt(), path)

    def export_onnx(self, path: PathText, *, merge: bool = False) -> None:
        """The trained network, as an ONNX file; merge: adapters into the weights that they are beside."""
        _poet.export_network(self._network_words(), str(self._learnt()), os.fsdecode(path), merge)

    def export_safetensors(self, path: PathText, *, merge: bool = False) -> None:
        """The weights of the trained network, as they are published (docs/formats/weights.md): a folder as Hugging
        Face has it, or a file NAME.safetensors. Of a network with adapters these alone, a folder as PEFT has it, which
        adapter_weights begins with; merge: the weights, with the adapters in those that they are beside."""
        _poet.export_weights(self._network_words(), str(self._learnt()), os.fsdecode(path), merge)

    def _network_words(self) -> List[str]:
        """What says which network it is, and with which values it began: those that were not trained still are."""
        return network_words(options_in(self._words, "train"))

    def predict(self, data: Any) -> np.ndarray:
        """What the trained network says: (examples, ...), float32. data: an array (examples, ...), or several, or paths."""
        scratch = Scratch()
        paths = ",".join(data_words(data, scratch, "x"))
        words = _without(self._words, PREDICT_LACKS)
        # The budget of the training, in bytes: a part of the peak would be one of predicting, which is smaller.
        if "--ram-budget" in words:
            words[words.index("--ram-budget") + 1] = str(self.ram_budget_bytes)
        return _poet.predict([*words, "--data", paths, "--checkpoint", str(self._learnt())])

    def report_html(self, path: Optional[PathText] = None) -> str:
        """The page about the training; written to `path` if there is one."""
        page = self._core.page()
        if path is not None:
            files.write_text(path, page)
        return page

    def write_trace(self, path: PathText) -> None:
        """When each action of the first steps (option trace_steps) began and ended, as measured and as predicted, for Perfetto."""
        self._core.write_trace(os.fsdecode(path))

    def _learnt(self) -> Path:
        if not self.feasible:
            raise refuse(f"nothing was {'kept' if len(self.losses) else 'trained'}: {self._core.no}")
        return self._checkpoint

    def __getitem__(self, name: str) -> Any:
        return self.losses if name == "losses" else super().__getitem__(name)

    def _repr_html_(self) -> str:
        return display.preformatted(str(self))


PREDICT_LACKS = {
    "--data", "--checkpoint", "--checkpoint-every", "--resume", "--no-resume", "--overwrite-checkpoint",
    "--evaluate-every", "--steps", "--epochs",
    "--micro-batches", "--learning-rate", "--schedule", "--warm-up-steps", "--last-rate-ratio", "--rate-every",
    "--rate-factor", "--trace-steps", "--ram-levels", "--ram-control",
    "--ram-pressure", "--momentum", "--weight-decay", "--test-data", "--test-examples", "--held-out", "--augment", "--gains",
    "--gain-batches", "--best-checkpoint", "--stop-after-no-better", "--replan", "--no-replan", "--follow-memory-limits",
    "--no-follow-memory-limits",
}
SWITCHES = {"--resume", "--no-resume", "--overwrite-checkpoint", "--allow-non-finite", "--replan", "--no-replan",
            "--follow-memory-limits", "--no-follow-memory-limits"}


def _without(words: Sequence[str], flags: Any) -> List[str]:
    kept: List[str] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word.partition("=")[0] not in flags:
            kept.append(word)
        elif "=" not in word and word not in SWITCHES:
            rest.pop(0)
    return kept


def array_of(value: Any, name: str) -> np.ndarray:
    """An array as POET reads it: float32, or whole numbers; contiguous."""
    array = np.asarray(value)
    if array.ndim == 0 or array.dtype.kind not in "fiub":
        raise refuse(f"{name}: expected an array of numbers with one row an example, found {array.dtype} {array.shape}")
    if array.dtype.kind == "f":
        array = array.astype(np.float32, copy=False)
    elif array.dtype.kind == "b":
        array = array.astype(np.uint8)
    elif array.dtype not in (np.uint8, np.int32, np.int64):
        array = array.astype(np.int64)
    return np.ascontiguousarray(array)


def data_words(data: Any, scratch: Scratch, name: str) -> List[str]:
    """Paths of data: given as such, or of arrays, which are written to files first."""
    if isinstance(data, (str, os.PathLike)):
        return [os.fsdecode(data)]
    parts = list(data) if isinstance(data, (list, tuple)) else [data]
    if parts and all(isinstance(part, (str, os.PathLike)) for part in parts):
        return [os.fsdecode(part) for part in parts]
    if not parts:
        raise refuse("data: expected arrays or paths, found none")
    paths = []
    rows = None
    for number, part in enumerate(parts):
        array = array_of(part, f"data[{number}]")
        if rows is not None and array.shape[0] != rows:
            raise refuse(f"data: the arrays have {rows} and {array.shape[0]} rows; each needs one for every example")
        rows = array.shape[0]
        path = scratch.path(f"{name}{number}.npy")
        np.save(path, array)
        paths.append(str(path))
    return paths


def add_data(asked: Dict[str, Any], scratch: Scratch, data: Any) -> bool:
    """What says what a network learns from, added to what is asked; whether it is in arrays, which have no examples to try."""
    if data is None:
        return False
    asked["data"] = data_words(data, scratch, "data")
    if isinstance(data, (str, os.PathLike)) or asked.get("data_format") is not None:
        return False
    if not asked["data"][0].startswith(str(scratch.path(""))):
        return False
    asked["data_format"] = "npy"
    return True


def _led_to(path: PathText) -> Path:
    """Behind all links; what is no name of a file is refused by whoever reads it."""
    try:
        return Path(os.path.realpath(os.fsdecode(path)))
    except ValueError:
        return Path(os.fsdecode(path))


@with_options("train")
def train(model: Optional[ModelLike] = None, *, data: Any = None, test_data: Any = None,
          platform: Optional[DeviceLike] = None, checkpoint: Optional[PathText] = None, on_step: Optional[Step] = None,
          progress: Optional[Step] = None, **options: Any) -> Training:
    """Plans a training step in a RAM budget and takes steps, in one arena of that size; what does not fit is paged to a file.

    model: a name of poet.models(), the path of an ONNX file, or a poet.Model.
    data: (x, y): arrays with one row an example, x for each input in its order and y the classes (whole numbers) or targets;
        or paths, as --data has them (CIFAR-10, MNIST, NPY, NPZ, tokens); None: made-up examples that fit the network.
    test_data: the same, to try the network on. platform: whose times and energies to plan with; default laptop.
    checkpoint: a file that keeps what is learnt; with resume=True training goes on from it, and with
        overwrite_checkpoint=True it begins anew and replaces one that is there.
    on_step: called after each step with a dict (step, steps, epoch, loss, learning_rate, step_s, energy_j, peak_bytes,
        remaining_s).
    progress: called at news of the search for plans, as in poet.solve().

    Ctrl-C ends after the step that runs. Whatever the RAM budget, the numbers are the same, to the last bit.
    """
    scratch = Scratch()
    asked: Dict[str, Any] = dict(options)
    if isinstance(model, Model) and asked.get("batch_size") is None:
        asked["batch_size"] = model.batch_size
    if add_data(asked, scratch, data):
        asked.setdefault("test_examples", 0 if test_data is None else None)
    if test_data is not None:
        asked["test_data"] = data_words(test_data, scratch, "test")
    # Where the name leads now, whatever folder the process is in, and wherever a link leads, when it is read.
    kept = _led_to(checkpoint) if checkpoint is not None else scratch.path("checkpoint")
    asked["checkpoint"] = os.path.abspath(os.fsdecode(checkpoint)) if checkpoint is not None else str(kept)
    words, question_files = question("train", model, platform, asked)
    placed = in_place(words)
    core = _poet.train(words, on_step, progress)
    return Training(core, kept, placed, (model, platform, question_files, scratch))


def read_checkpoint(path: PathText) -> Dict[str, Any]:
    """{name: (role, array)} of everything in a checkpoint: parameters, statistics, states of the optimiser."""
    return _poet.read_checkpoint(os.fsdecode(path))
