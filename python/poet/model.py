"""Networks: by name, from ONNX files, or built layer by layer."""

import os
from pathlib import Path
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple, Union

from poet import _poet, display, files
from poet.scratch import Scratch
from poet.words import network_words, refuse, words_of

PathText = Union[str, "os.PathLike[str]"]


class Port(NamedTuple):
    """What goes into a network or comes out of it: its shape begins with the batch."""

    name: str
    type: str
    shape: Tuple[int, ...]


class Model:
    """What a user wants to train: a network's forward pass, with the values that it begins with.

    Model.zoo("lenet5", image_size=24), Model.load("mine.onnx"), Model.from_onnx(bytes), or NetworkBuilder.build().

    inputs, outputs: lists of (name, type, shape).
    operations: how many the forward pass has.
    parameters: how many values can be trained.
    """

    def __init__(self, source: str, options: Mapping[str, Any], scratch: Optional[Scratch] = None) -> None:
        self.source = source
        self.options = dict(options)
        self._scratch = scratch
        found: Dict[str, Any] = _poet.network(self._words())
        self.inputs = [Port(*port) for port in found["inputs"]]
        self.outputs = [Port(*port) for port in found["outputs"]]
        self.operations: int = found["operations"]
        self.parameters: int = found["parameters"]

    @classmethod
    def zoo(cls, name: str, *, batch_size: int = 1, image_size: Optional[int] = None,
            sequence_length: Optional[int] = None, classes: Optional[int] = None,
            dropout: Optional[float] = None) -> "Model":
        """A network of poet.models(), of any size that fits it.

        batch_size: examples in a step. image_size: pixels along a side. sequence_length: tokens. classes: of the output.
        dropout: the probability of all dropouts, 0 for none. What is None is the network's own default.
        """
        sizes = {"batch_size": batch_size, "image_size": image_size, "sequence_length": sequence_length,
                 "classes": classes, "dropout": dropout}
        return cls(name, {"graph": "real", **{key: value for key, value in sizes.items() if value is not None}})

    @classmethod
    def load(cls, path: PathText, *, batch_size: int = 1, dimensions: Optional[Mapping[str, int]] = None) -> "Model":
        """The network in an ONNX file (opsets 6 to 24).

        batch_size: the first extent of each input; one that the file fixes must be the same.
        dimensions: the other extents that the file leaves open, by their names there: {"sequence": 128}.
        """
        text = os.fsdecode(path)
        source = text if text.endswith(".onnx") or "/" in text else os.path.join(".", text)
        options: Dict[str, Any] = {"batch_size": batch_size}
        if dimensions:
            options["dimensions"] = dict(dimensions)
        return cls(source, options)

    @classmethod
    def from_onnx(cls, contents: bytes, *, name: str = "model", batch_size: int = 1,
                  dimensions: Optional[Mapping[str, int]] = None) -> "Model":
        """The network in the bytes of an ONNX file. `name` is what answers call it."""
        scratch = Scratch()
        path = scratch.path(f"{Path(name).stem or 'model'}.onnx")
        path.write_bytes(contents)
        model = cls.load(path, batch_size=batch_size, dimensions=dimensions)
        model._scratch = scratch
        return model

    @property
    def batch_size(self) -> int:
        """Examples in a step."""
        return int(self.options.get("batch_size", 1))

    def asked(self) -> Dict[str, Any]:
        """The options that ask for this network."""
        return {"model": self.source, **self.options}

    def _words(self) -> List[str]:
        return words_of("solve", self.asked())

    def inspect(self) -> str:
        """What a training step of it consists of, as `poet inspect` says it."""
        return self.shown(_poet.inspect(self.source, self._words()))

    def shown(self, text: str) -> str:
        """A text about this network as people should see it."""
        return text if self._scratch is None else self._scratch.without_folder(text)

    def save(self, path: PathText) -> None:
        """Writes it as an ONNX file."""
        target = os.fsdecode(path)
        if self._scratch is not None:
            files.copy(self.source, target)
        else:
            _poet.export_network(network_words(self.asked()), None, target)

    def __str__(self) -> str:
        return self.inspect()

    def __repr__(self) -> str:
        return f"<poet.Model {os.path.basename(self.source)}: {self.operations} operations, {self.parameters:,} parameters>"

    def _repr_html_(self) -> str:
        return display.preformatted(self.inspect())


def models() -> List[str]:
    """The names of the networks that can be trained."""
    return _poet.networks()


class NetworkBuilder:
    """A network under construction, layer by layer.

    Each layer is a method that takes the tensors that it reads and gives the one that it makes; names are made up where
    none is given. Parameters begin with PyTorch's rules, drawn from `seed`. What does not fit is refused when it is added,
    and leaves nothing behind.

        net = poet.NetworkBuilder()
        x = net.input("image", (8, 1, 16, 16))
        x = net.relu(net.conv2d(x, 8))
        net.output(net.linear(net.flatten(x), 10))
        model = net.build("small")
    """

    def __init__(self, seed: int = 1) -> None:
        self._net = _poet.LayerBuilder(seed)
        self._batch_size: Optional[int] = None
        self._counts: Dict[str, int] = {}

    def _name(self, given: Optional[str], kind: str) -> str:
        if given is not None:
            return given
        self._counts[kind] = self._counts.get(kind, 0) + 1
        return f"{kind}{self._counts[kind]}"

    def input(self, name: str, shape: Tuple[int, ...], type: str = "float32") -> _poet.LayerOutput:
        """What each step brings: shape (N, ...), N the batch size; type 'float32', 'int64', 'int32' or 'uint8'."""
        made = self._net.input(name, list(shape), type)
        if self._batch_size is None:
            self._batch_size = int(shape[0])
        return made

    def conv2d(self, x: _poet.LayerOutput, channels: int, *, kernel: int = 3, stride: int = 1,
               padding: Optional[int] = None, groups: int = 1, bias: bool = False,
               name: Optional[str] = None) -> _poet.LayerOutput:
        """(N, C, H, W) to (N, channels, H', W'); kernels and strides are square, padding is (kernel - 1) / 2 unless given."""
        around = (kernel - 1) // 2 if padding is None else padding
        return self._net.conv2d(self._name(name, "conv"), x, channels, kernel, stride, around, groups, bias)

    def max_pool2d(self, x: _poet.LayerOutput, kernel: int = 2, stride: Optional[int] = None, padding: int = 0,
                   name: Optional[str] = None) -> _poet.LayerOutput:
        """The largest of each window of (N, C, H, W)."""
        return self._net.pool2d("max", self._name(name, "pool"), x, kernel, stride or kernel, padding)

    def average_pool2d(self, x: _poet.LayerOutput, kernel: int = 2, stride: Optional[int] = None, padding: int = 0,
                       name: Optional[str] = None) -> _poet.LayerOutput:
        """The mean of each window of (N, C, H, W)."""
        return self._net.pool2d("average", self._name(name, "pool"), x, kernel, stride or kernel, padding)

    def global_average_pool(self, x: _poet.LayerOutput, name: Optional[str] = None) -> _poet.LayerOutput:
        """(N, C, H, W) to (N, C)."""
        return self._net.global_average_pool(self._name(name, "mean"), x)

    def batch_norm(self, x: _poet.LayerOutput, name: Optional[str] = None) -> _poet.LayerOutput:
        """Of (N, C, H, W), over all but C."""
        return self._net.batch_norm(self._name(name, "norm"), x)

    def layer_norm(self, x: _poet.LayerOutput, epsilon: float = 1e-5, name: Optional[str] = None) -> _poet.LayerOutput:
        """Over the last dimension."""
        return self._net.layer_norm(self._name(name, "norm"), x, epsilon)

    def linear(self, x: _poet.LayerOutput, features: int, *, bias: bool = True,
               name: Optional[str] = None) -> _poet.LayerOutput:
        """(..., inputs) to (..., features)."""
        return self._net.linear(self._name(name, "linear"), x, features, bias)

    def dropout(self, x: _poet.LayerOutput, probability: float = 0.5, name: Optional[str] = None) -> _poet.LayerOutput:
        """Zero with this probability, and scaled otherwise; written to ONNX it does nothing, as in any file for inference."""
        return self._net.dropout(self._name(name, "dropout"), x, probability)

    def flatten(self, x: _poet.LayerOutput, name: Optional[str] = None) -> _poet.LayerOutput:
        """(N, ...) to (N, features)."""
        return self._net.flatten(self._name(name, "flatten"), x)

    def reshape(self, x: _poet.LayerOutput, shape: Tuple[int, ...], name: Optional[str] = None) -> _poet.LayerOutput:
        """The same values under another shape."""
        return self._net.reshape(self._name(name, "reshape"), x, list(shape))

    def embedding(self, indices: _poet.LayerOutput, rows: int, features: int,
                  name: Optional[str] = None) -> _poet.LayerOutput:
        """The rows of a table (rows, features) that whole numbers of shape (...) name: (..., features)."""
        return self._net.embedding(self._name(name, "embedding"), indices, rows, features)

    def attention(self, query: _poet.LayerOutput, key: _poet.LayerOutput, value: _poet.LayerOutput, heads: int,
                  name: Optional[str] = None) -> _poet.LayerOutput:
        """softmax(q k^T / sqrt(d)) v, all (N, S, H), with heads of d = H / heads features."""
        return self._net.attention(self._name(name, "attention"), query, key, value, heads)

    def _plain(self, kind: str, name: Optional[str], *inputs: _poet.LayerOutput) -> _poet.LayerOutput:
        return self._net.plain(kind, self._name(name, kind), list(inputs))

    def relu(self, x: _poet.LayerOutput, name: Optional[str] = None) -> _poet.LayerOutput:
        return self._plain("relu", name, x)

    def gelu(self, x: _poet.LayerOutput, name: Optional[str] = None) -> _poet.LayerOutput:
        return self._plain("gelu", name, x)

    def silu(self, x: _poet.LayerOutput, name: Optional[str] = None) -> _poet.LayerOutput:
        return self._plain("silu", name, x)

    def sigmoid(self, x: _poet.LayerOutput, name: Optional[str] = None) -> _poet.LayerOutput:
        return self._plain("sigmoid", name, x)

    def tanh(self, x: _poet.LayerOutput, name: Optional[str] = None) -> _poet.LayerOutput:
        return self._plain("tanh", name, x)

    def add(self, a: _poet.LayerOutput, b: _poet.LayerOutput, name: Optional[str] = None) -> _poet.LayerOutput:
        """With broadcasting, as sub, mul and div."""
        return self._plain("add", name, a, b)

    def sub(self, a: _poet.LayerOutput, b: _poet.LayerOutput, name: Optional[str] = None) -> _poet.LayerOutput:
        return self._plain("sub", name, a, b)

    def mul(self, a: _poet.LayerOutput, b: _poet.LayerOutput, name: Optional[str] = None) -> _poet.LayerOutput:
        return self._plain("mul", name, a, b)

    def div(self, a: _poet.LayerOutput, b: _poet.LayerOutput, name: Optional[str] = None) -> _poet.LayerOutput:
        return self._plain("div", name, a, b)

    def shape(self, x: _poet.LayerOutput) -> Tuple[int, ...]:
        return tuple(self._net.shape(x))

    def output(self, x: _poet.LayerOutput, name: str = "output") -> None:
        """Names what the network answers with; the loss is of the first one."""
        self._net.output(name, x)

    def build(self, name: str = "model") -> Model:
        """The network as it is now."""
        if self._batch_size is None:
            raise refuse("the network has no input; add one with input()")
        scratch = Scratch()
        path = scratch.path(f"{Path(name).stem or 'model'}.onnx")
        self._net.write(name, str(path))
        return Model(str(path), {"batch_size": self._batch_size}, scratch)
