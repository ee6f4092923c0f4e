"""What torch.onnx.export writes, trained by the program: PyTorch's losses, or a sentence about what the export did."""

import json
import os
import unittest
import warnings

import program
from program import poet

try:
    import numpy
    import torch
except ImportError:
    torch = None

STEPS = 5
RATE = 0.2


def group_norms():
    """PyTorch writes each norm as an InstanceNormalization by constant ones and zeros, then a scale and an offset."""
    nn = torch.nn
    return nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.GroupNorm(4, 8), nn.ReLU(), nn.Conv2d(8, 8, 3), nn.GroupNorm(2, 8),
                         nn.ReLU(), nn.InstanceNorm2d(8), nn.Sigmoid(), nn.Flatten(), nn.Linear(8 * 6 * 6, 5))


def norms_without_parameters():
    nn = torch.nn
    return nn.Sequential(nn.Conv2d(1, 8, 3), nn.BatchNorm2d(8, affine=False), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 6 * 6, 5))


def batch_norms():
    nn = torch.nn
    return nn.Sequential(nn.Conv2d(1, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 6 * 6, 5))


def equal_norms():
    nn = torch.nn
    return nn.Sequential(nn.Flatten(), nn.Linear(64, 16), nn.LayerNorm(16), nn.Tanh(), nn.LayerNorm(16), nn.Linear(16, 5))


AVOIDED = "torch.onnx.export(..., training=torch.onnx.TrainingMode.TRAINING, do_constant_folding=False) keeps them"


@unittest.skipIf(torch is None, "python3-torch is not installed")
class Exports(program.InAFolder):
    def setUp(self):
        super().setUp()
        warnings.filterwarnings("ignore")
        torch.manual_seed(1)
        # One batch, so that the order of its examples does not matter.
        self.x, self.y = torch.randn(4, 1, 8, 8), torch.randint(0, 5, (4,))
        numpy.savez(self.path("data.npz"), x=self.x.numpy(), y=self.y.numpy())

    def train(self, module, *export, **how):
        if os.path.exists(self.path("log")):
            os.remove(self.path("log"))  # it would be added to
        module.train(bool(how))
        torch.onnx.export(module, self.x, self.path("net.onnx"), opset_version=13, input_names=["x"], **dict(export), **how)
        ended = poet("train", "--model", "net.onnx", "--data", "data.npz", "--batch-size", "4", "--epochs", str(STEPS),
                     "--learning-rate", str(RATE), "--test-examples", "0", "--no-keep-plans", "--log", "log", "--json",
                     "--quiet", cwd=self.folder)
        self.assertEqual(ended.code, 0, ended.err)
        with open(self.path("log"), encoding="utf-8") as file:
            return ended, [row["loss"] for row in map(json.loads, file) if "loss" in row]

    def losses_of_torch(self, module):
        module.train()
        optimiser = torch.optim.SGD(module.parameters(), lr=RATE)
        losses = []
        for _ in range(STEPS):
            loss = torch.nn.functional.cross_entropy(module(self.x), self.y)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            losses.append(loss.item())
        return losses

    def test_losses_are_those_of_pytorch(self):
        how = {"training": torch.onnx.TrainingMode.TRAINING, "do_constant_folding": False}
        for make in (group_norms, norms_without_parameters, equal_norms):
            with self.subTest(make.__name__):
                module = make()
                ended, losses = self.train(module, **how)
                self.assertEqual(ended.err, "")
                self.assertEqual(len(losses), STEPS)
                for ours, theirs in zip(losses, self.losses_of_torch(module)):
                    self.assertAlmostEqual(ours, theirs, delta=2e-5)

    def test_says_that_batch_norms_were_folded(self):
        ended, _ = self.train(batch_norms())
        self.assertEqual(ended.err, "poet: warning: the export folded batch norms into 1 convolution, such as Conv '/0/Conv', "
                                    f"which trains without them, to other numbers than in PyTorch; {AVOIDED}\n")
        self.assertEqual(len(ended.json()["notes"]), 1)

    def test_says_that_parameters_were_merged(self):
        ended, _ = self.train(equal_norms())
        self.assertEqual(ended.err, "poet: warning: the export merged 4 parameters that had equal values, such as '2.bias' and "
                                    "'4.bias', and they are trained as one where PyTorch trains each; "
                                    f"{AVOIDED} apart\n")

    def test_names_the_outputs_that_are_left_out(self):
        class Two(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.a, self.b = torch.nn.Linear(64, 5), torch.nn.Linear(64, 3)

            def forward(self, x):
                return self.a(x.flatten(1)), self.b(x.flatten(1))

        ended, _ = self.train(Two(), ("output_names", ["scores", "aside"]))
        self.assertEqual(ended.err,
                         "poet: warning: the network has 2 outputs: the loss is of 'scores', and 'aside' is left out\n")


if __name__ == "__main__":
    program.run_tests()
