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


def recurrent():
    """Layers in both directions, with the batch first; and the last state of a second network."""
    nn = torch.nn

    class Sequences(nn.Module):
        def __init__(self):
            super().__init__()
            self.lstm = nn.LSTM(8, 6, num_layers=2, bidirectional=True, batch_first=True)
            self.gru = nn.GRU(12, 7, batch_first=True)
            self.rnn = nn.RNN(7, 5, nonlinearity="relu")
            self.last = nn.Linear(5 + 7, 5)

        def forward(self, x):
            y, _ = self.lstm(x.squeeze(1))
            y, state = self.gru(torch.tanh(y))
            y, _ = self.rnn(y.transpose(0, 1))
            return self.last(torch.cat([y[-1], state[0]], 1))

    return Sequences()


def sums_by_letters():
    nn = torch.nn

    class Sums(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Parameter(torch.randn(8, 3, 4) / 4), nn.Parameter(torch.randn(8, 3) / 4)
            self.last = nn.Linear(8 * 8 + 8 + 3, 5)

        def forward(self, x):
            x = x.squeeze(1)
            heads = torch.einsum("btd,dhk->bhtk", x, self.a)
            scores = torch.einsum("bhtk,bhsk->bhts", heads, heads)
            mean = torch.einsum("...ts->...", scores)
            diagonal = torch.einsum("bii->bi", x)
            mixed = torch.einsum("bts,th,sh->bts", x, self.b, self.b)
            return self.last(torch.cat([mixed.flatten(1), diagonal, mean / 16], 1) / 4)

    return Sums()


def resized(**how):
    def make():
        nn = torch.nn
        return nn.Sequential(nn.Conv2d(1, 4, 3, stride=2, padding=1), nn.ReLU(), nn.Upsample(**how), nn.Conv2d(4, 2, 3),
                             nn.Flatten(), nn.LazyLinear(5))

    make.__name__ = "resized_" + "_".join(map(str, how.values()))
    return make


def picked_and_placed():
    nn = torch.nn

    class Places(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.last = nn.Linear(8, 8), nn.Linear(64, 5)
            self.register_buffer("places", torch.tensor([[1, 0, 3, 3, 2, 7, 6, 0]] * 4))

        def forward(self, x):
            x = self.first(x.squeeze(1))
            y = torch.cumsum(x, 1) + torch.tril(x) - torch.triu(x, 2)
            z = torch.gather(y, 2, self.places.unsqueeze(1).expand(4, 8, 8))
            z[:, 2:5, 1] = x[:, 1:4, 0] * 2
            z = z.scatter_add(2, self.places.unsqueeze(1).expand(4, 8, 8), y)
            return self.last(z.flatten(1) / 8)

    return Places()


def functions_of_a_module():
    """Each class that is named becomes a function of the file."""
    nn = torch.nn

    class Block(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.norm, self.up, self.act = nn.LayerNorm(width), nn.Linear(width, width), nn.ELU(0.5)

        def forward(self, x):
            return x + self.act(self.up(self.norm(x)))

    return nn.Sequential(nn.Flatten(), nn.Linear(64, 16), Block(16), Block(16), nn.Linear(16, 5))


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
        module.train(bool(how))
        torch.onnx.export(module, self.x, self.path("net.onnx"),
                          **{"opset_version": 13, "input_names": ["x"], **dict(export), **how})
        ended = self.train_file()
        self.assertEqual(ended.code, 0, ended.err)
        return ended, self.losses()

    def train_file(self, *options):
        if os.path.exists(self.path("log")):
            os.remove(self.path("log"))  # it would be added to
        return poet("train", "--model", "net.onnx", "--data", "data.npz", "--batch-size", "4", "--epochs", str(STEPS),
                     "--learning-rate", str(RATE), "--test-examples", "0", "--no-keep-plans", "--log", "log", "--json",
                     "--quiet", *options, cwd=self.folder)

    def losses(self):
        with open(self.path("log"), encoding="utf-8") as file:
            return [row["loss"] for row in map(json.loads, file) if "loss" in row]

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

    def compare(self, make, **options):
        how = {"training": torch.onnx.TrainingMode.TRAINING, "do_constant_folding": False}
        with self.subTest(make.__name__):
            torch.manual_seed(2)
            module = make()
            module(self.x)
            ended, losses = self.train(module, *options.items(), **how)
            self.assertEqual(ended.err, "")
            self.assertEqual(len(losses), STEPS)
            for ours, theirs in zip(losses, self.losses_of_torch(module)):
                self.assertAlmostEqual(ours, theirs, delta=2e-5)
            return ended

    def test_recurrent_networks(self):
        for opset in (9, 14):
            self.compare(recurrent, opset_version=opset)

    def test_sums_by_letters(self):
        self.compare(sums_by_letters)

    def test_resized_pictures(self):
        for how in ({"scale_factor": 2, "mode": "nearest"}, {"size": (7, 9), "mode": "nearest"},
                    {"scale_factor": 2, "mode": "bilinear", "align_corners": False},
                    {"size": (7, 9), "mode": "bilinear", "align_corners": True},
                    {"scale_factor": 1.5, "mode": "bicubic", "align_corners": False}):
            self.compare(resized(**how))
        self.compare(resized(scale_factor=2, mode="nearest"), opset_version=9)

    def test_values_by_places(self):
        self.compare(picked_and_placed, opset_version=16)

    def test_functions(self):
        how = {"training": torch.onnx.TrainingMode.TRAINING, "do_constant_folding": False}
        module = functions_of_a_module()
        functions = {type(module[2]), torch.nn.LayerNorm}
        ended, losses = self.train(module, ("opset_version", 15), ("export_modules_as_functions", functions), **how)
        self.assertEqual(ended.err, "")
        for ours, theirs in zip(losses, self.losses_of_torch(module)):
            self.assertAlmostEqual(ours, theirs, delta=2e-5)

    def test_a_recurrent_network_under_a_budget(self):
        """Steps that are made again or paged change no number."""
        how = {"training": torch.onnx.TrainingMode.TRAINING, "do_constant_folding": False}

        class Sequence(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.lstm, self.last = torch.nn.LSTM(8, 16), torch.nn.Linear(16, 5)

            def forward(self, x):
                _, (state, _) = self.lstm(x.reshape(4, 8, 8).transpose(0, 1))
                return self.last(state[0])

        ended, losses = self.train(Sequence(), **how)
        whole = ended.json()
        ended = self.train_file("--ram-budget", "50%")
        self.assertEqual(ended.code, 0, ended.err)
        within = ended.json()
        self.assertLessEqual(within["arena_bytes"], whole["plain_peak_bytes"] // 2)
        self.assertEqual(self.losses(), losses)
        self.assertEqual(within["parameters_sha256"], whole["parameters_sha256"])

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
