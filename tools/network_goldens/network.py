"""A network under the names of its ONNX file, with values by rule, and one training step of it."""

import copy
import io
import math
import warnings

import numpy as np
import onnx
import onnx.numpy_helper
import torch
from torch import nn

from network_goldens import rule

VANISHES = 1e-9  # of the largest gradient of the network
STEADY = 5e-5
MARGIN = 2e-6
DRAWS = 500

OPTIONS = {
    "training": {"training": torch.onnx.TrainingMode.TRAINING, "do_constant_folding": False},
    "norms_kept": {"training": torch.onnx.TrainingMode.PRESERVE, "do_constant_folding": False},
    "inference": {},
    "inference_unfolded": {"do_constant_folding": False},
}


class Network:
    """`weights`: (name in the file, tensor of the network, whether the file has it transposed, scale, offset)."""

    def __init__(self, export):
        torch.manual_seed(20260101)
        self.export = export
        self.module = export.build()
        with torch.no_grad():  # so that no two are alike, and the exporter joins none
            for tensor in [*self.module.parameters(), *self.module.buffers()]:
                if tensor.is_floating_point():
                    tensor.copy_(torch.rand_like(tensor) + 0.5)
        self.proto = exported(self.module, export)
        self.weights = [found for tensor in self.proto.graph.initializer if (found := self.origin_of(tensor))]
        for name, tensor, transposed, scale, offset in self.weights:
            shape = tensor.t().shape if transposed else tensor.shape
            values = torch.from_numpy(rule.values(name, tuple(shape), scale, offset))
            with torch.no_grad():
                tensor.copy_(values.t() if transposed else values)

    def origin_of(self, initializer):
        """By the name, or else by the values: the exporter renames what it transposes."""
        if initializer.data_type != onnx.TensorProto.FLOAT:
            return None
        named = dict(self.module.named_buffers()) | dict(self.module.named_parameters())
        if initializer.name in named:
            tensor = named[initializer.name]
            return initializer.name, tensor, False, *scale_and_offset(initializer.name, tensor)
        values = torch.from_numpy(onnx.numpy_helper.to_array(initializer).copy())
        for name, tensor in self.module.named_parameters():
            for transposed in (False, True):
                theirs = tensor.t() if transposed and tensor.dim() == 2 else tensor
                if values.shape == theirs.shape and torch.equal(values, theirs):
                    return initializer.name, tensor, transposed, *scale_and_offset(name, tensor)
        return None

    def given(self, draw):
        """What the network reads in draw number `draw`."""
        name = f"input {draw}"
        if self.export.vocabulary:
            return torch.from_numpy(rule.wholes(name, self.export.shape, self.export.vocabulary))
        return torch.from_numpy(rule.values(name, self.export.shape, 1, 0))

    def in_use(self, case, dtype):
        """A copy of the network for one step."""
        module = copy.deepcopy(self.module).to(dtype)
        return module.train(case.batch_norms == "by_batch" and not self.export.how.startswith("inference"))

    def margin(self, case, draw):
        """How near a value comes to an edge of ReLU or ReLU6, in parts of the root mean square of its layer."""
        margins = [math.inf]

        def look(layer, inputs):
            x = inputs[0]
            edges = (0, 6) if isinstance(layer, nn.ReLU6) else (0,)
            margins.extend(float((x - edge).abs().min() / x.square().mean().sqrt()) for edge in edges)

        module = self.in_use(case, torch.float64)
        for layer in module.modules():
            if isinstance(layer, (nn.ReLU, nn.ReLU6)):
                layer.register_forward_pre_hook(look)
        given = self.given(draw)
        with torch.no_grad():
            module(given.double() if given.is_floating_point() else given)
        return min(margins)

    def step(self, case, draw, dtype=torch.float32):
        """The loss, and the gradients of all parameters under the names and in the layout of the file."""
        module = self.in_use(case, dtype)
        given = self.given(draw)
        scores = module(given.to(dtype) if given.is_floating_point() else given)
        labels = torch.from_numpy(rule.wholes("labels", case.labels, case.classes))
        if scores.dim() == 3:
            scores, labels = scores.flatten(0, 1), labels.flatten()
        loss = nn.functional.cross_entropy(scores, labels)
        loss.backward()
        names = {id(own): name for name, own in self.module.named_parameters()}
        theirs = dict(module.named_parameters())
        gradients = {}
        for name, tensor, transposed, _, _ in self.weights:
            if id(tensor) not in names:
                continue  # a running statistic
            gradient = theirs.pop(names[id(tensor)]).grad
            gradients[name] = (gradient.t() if transposed else gradient).contiguous().numpy()
        assert not theirs, f"not in the file: {list(theirs)}"
        return float(loss), gradients


def vanishing(gradients):
    """The parameters whose gradients, of double precision, are zero but for rounding."""
    largest = max(np.abs(gradient).max() for gradient in gradients.values())
    return {name for name, gradient in gradients.items() if np.abs(gradient).max() < VANISHES * largest}


def distance(gradient, reference):
    reference = reference.astype(np.float64)
    return float(np.abs(gradient - reference).max() / np.abs(reference).max())


def farthest(gradients, references, left_out):
    """The largest distance among all parameters, and whose it is."""
    return max((distance(gradients[name], references[name]), name) for name in references if name not in left_out)


def is_steady(network, case, draw):
    _, double = network.step(case, draw, torch.float64)
    left_out = vanishing(double)
    for with_onednn in (True, False):
        with torch.backends.mkldnn.flags(enabled=with_onednn):
            _, single = network.step(case, draw)
        if farthest(single, double, left_out)[0] > STEADY:
            return False
    return True


def first_steady_draw(network, case):
    """The number of the first input at which rounding decides nothing: no value lies within MARGIN of an edge of ReLU,
    where gradients jump, and PyTorch's own single precision, with oneDNN and without, has the gradients of its double
    precision within STEADY. At others no two programs need agree."""
    for draw in range(DRAWS):
        if network.margin(case, draw) > MARGIN and is_steady(network, case, draw):
            return draw
    raise RuntimeError(f"no steady input for {case.export} among {DRAWS}")


def exported(module, export):
    module.train(export.how == "training")
    given = torch.zeros(export.shape, dtype=torch.int64 if export.vocabulary else torch.float32)
    file = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(copy.deepcopy(module), given, file, opset_version=export.opset, input_names=["input"],
                          output_names=["scores"], dynamic_axes={"input": {0: "batch"}}, **OPTIONS[export.how])
    return onnx.load_from_string(file.getvalue())


def scale_and_offset(name, tensor):
    """Such that signals keep their size from layer to layer, and no value stands out."""
    if name.endswith("running_var"):
        return 0.5, 1.0
    if name.endswith("running_mean"):
        return 0.25, 0.0
    if tensor.dim() == 1:
        return 0.25, 0.0 if name.endswith("bias") else 1.0
    if any(word in name for word in ("words", "places", "types", "wte", "wpe")):
        return 0.125, 0.0
    fan_in = math.prod(tensor.shape[1:])
    return float(np.float32(math.sqrt((6 if tensor.dim() == 4 else 3) / fan_in))), 0.0


def without_weights(network, location):
    """The file with the values of `network.weights` taken out: they are in the file `location` beside it, one after
    the other, once somebody has written it by the rule."""
    proto = onnx.ModelProto()
    proto.CopyFrom(network.proto)
    initializers = {tensor.name: tensor for tensor in proto.graph.initializer}
    offset = 0
    for name, *_ in network.weights:
        tensor = initializers[name]
        length = 4 * math.prod(tensor.dims)
        tensor.ClearField("raw_data")
        tensor.ClearField("float_data")
        tensor.data_location = onnx.TensorProto.EXTERNAL
        for key, value in (("location", location), ("offset", offset), ("length", length)):
            tensor.external_data.add(key=key, value=str(value))
        offset += length
    for node in proto.graph.node:
        node.ClearField("doc_string")
    return proto.SerializeToString()
