"""ONNX files made by hand that the program trains, beside PyTorch's losses of the same network."""

import json
import os
import warnings

import program
from program import poet

try:
    import numpy
    import onnx
    import torch
    from onnx import helper, numpy_helper
except ImportError:
    torch = None

STEPS = 5
RATE = 0.2


def node(op_type, inputs, outputs, **attributes):
    domain = attributes.pop("domain", "")
    return helper.make_node(op_type, inputs.split(), outputs.split(), domain=domain, **attributes)


class Trained(program.InAFolder):
    def setUp(self):
        super().setUp()
        warnings.filterwarnings("ignore")
        torch.manual_seed(1)
        self.x, self.y = torch.randn(4, 6, 8), torch.randint(0, 5, (4,))
        numpy.savez(self.path("data.npz"), x=self.x.numpy(), y=self.y.numpy())

    def write(self, opset, nodes, weights, known=(), functions=(), types=()):
        """h of x (4, 6, 8) by the nodes, then five scores of all values of h."""
        values = dict(weights)
        dtypes = dict(types)
        graph = helper.make_graph(
            [*nodes, node("Flatten", "h", "flat"), node("Gemm", "flat last.weight last.bias", "scores", transB=1)], "g",
            [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [4, 6, 8])],
            [helper.make_tensor_value_info("scores", onnx.TensorProto.FLOAT, [4, 5])],
            [numpy_helper.from_array(value.detach().numpy().astype(dtypes.get(name, numpy.float32)), name)
             for name, value in values.items()] + [numpy_helper.from_array(numpy.array(value), name) for name, value in known])
        model = helper.make_model(graph, functions=list(functions),
                                  opset_imports=[helper.make_opsetid("", opset), helper.make_opsetid("mine", 1)])
        model.ir_version = 11
        onnx.save(model, self.path("net.onnx"))

    def train(self):
        if os.path.exists(self.path("log")):
            os.remove(self.path("log"))  # it would be added to
        return poet("train", "--model", "net.onnx", "--data", "data.npz", "--batch-size", "4", "--epochs", str(STEPS),
                    "--learning-rate", str(RATE), "--test-examples", "0", "--no-keep-plans", "--log", "log", "--json",
                    "--quiet", cwd=self.folder)

    def compare(self, opset, nodes, weights, forward, notes="", **file):
        """`forward` makes h of x and the weights, in PyTorch."""
        weights = {name: torch.nn.Parameter(value) for name, value in weights.items()}
        with torch.no_grad():
            width = forward(self.x, weights).flatten(1).shape[1]
        last = torch.nn.Linear(width, 5)
        self.write(opset, nodes, {**weights, "last.weight": last.weight, "last.bias": last.bias}, **file)
        ended = self.train()
        self.assertEqual(ended.code, 0, ended.err)
        self.assertEqual(ended.err, notes)
        with open(self.path("log"), encoding="utf-8") as log:
            losses = [row["loss"] for row in map(json.loads, log) if "loss" in row]
        optimiser = torch.optim.SGD([*weights.values(), *last.parameters()], lr=RATE)
        self.assertEqual(len(losses), STEPS)
        for ours in losses:
            loss = torch.nn.functional.cross_entropy(last(forward(self.x, weights).flatten(1)), self.y)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            self.assertAlmostEqual(ours, loss.item(), delta=2e-5)

    def projected(self, *names):
        return {name: torch.randn(8, 8) / 3 for name in names}
