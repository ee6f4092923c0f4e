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
            for parameter in self.module.parameters():
                parameter.copy_(torch.randn_like(parameter))
        self.proto = exported(self.module, export)
        self.weights = [found for tensor in self.proto.graph.initializer if (found := self.origin_of(tensor))]
        for name, tensor, transposed, scale, offset in self.weights:
            shape = tensor.t().shape if transposed else tensor.shape
            values = torch.from_numpy(rule.values(name, tuple(shape), scale, offset))
            with torch.no_grad():
                tensor.copy_(values.t() if transposed else values)

    def origin_of(self, initializer):
        if initializer.data_type != onnx.TensorProto.FLOAT:
            return None
        values = torch.from_numpy(onnx.numpy_helper.to_array(initializer).copy())
        tensors = dict(self.module.named_buffers()) | dict(self.module.named_parameters())
        for name, tensor in tensors.items():
            if tensor.dtype != torch.float32 or tensor.dim() == 0:
                continue
            scale, offset = scale_and_offset(name, tensor)
            if values.shape == tensor.shape and (name == initializer.name or torch.equal(values, tensor)):
                return initializer.name, tensor, False, scale, offset
            if tensor.dim() == 2 and values.shape == tensor.t().shape and torch.equal(values, tensor.t()):
                return initializer.name, tensor, True, scale, offset
        return None

    def given(self):
        if self.export.vocabulary:
            return torch.from_numpy(rule.wholes("input", self.export.shape, self.export.vocabulary))
        return torch.from_numpy(rule.values("input", self.export.shape, 1, 0))

    def step(self, case, dtype=torch.float32):
        """The loss, and the gradients of all parameters under the names and in the layout of the file."""
        module = copy.deepcopy(self.module).to(dtype)
        module.train(case.batch_norms == "by_batch" and not self.export.how.startswith("inference"))
        given = self.given()
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
