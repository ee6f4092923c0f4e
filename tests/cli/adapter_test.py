"""Adapters of low rank (LoRA), from outside: bits, checkpoints, merging, and, where PyTorch is, its losses."""

import json
import math
import os
import shutil
import struct
import unittest
import warnings

import program
from program import ANY_PLAN, poet

try:
    import numpy
    import onnx
    import torch
    from onnx import numpy_helper
    from torch.nn import functional
except ImportError:
    torch = None

LLAMA = ["--model", "llama-tiny", "--sequence-length", "8"]
ADAPTER = ["--adapter", "lora:rank=4,alpha=8,targets=all"]
TRAIN = ["--batch-size", "2", "--examples", "16", "--test-examples", "0", "--optimiser", "adamw", "--learning-rate", "0.01",
         "--no-keep-plans", "--json", "--quiet"]


def floats(path):
    with open(path, "rb") as file:
        data = file.read()
    values = data[10 + struct.unpack("<H", data[8:10])[0]:]
    return struct.unpack(f"<{len(values) // 4}f", values)


class Commands(program.InAFolder):
    def ok(self, *arguments):
        ended = poet(*arguments, cwd=self.folder)
        self.assertEqual(ended.code, 0, ended.err + ended.out)
        return ended

    def trained(self, *options, network=(*LLAMA, *ADAPTER)):
        return self.ok("train", *network, *TRAIN, *options).json()

    def header(self, name):
        with open(self.path(name), "rb") as file:
            data = file.read()
        return json.loads(data[16:16 + int(data[8:16])])

    def predictions(self, *network):
        self.ok("predict", *network, "--batch-size", "2", "--examples", "4", "--out", "out.npy", "--no-keep-plans")
        return floats(self.path("out.npy"))

    def evaluated(self, *network):
        return self.ok("eval", *network, "--batch-size", "2", "--examples", "6", "--no-keep-plans", "--json", "--quiet").json()["evaluation"]["loss"]

    def assert_close(self, ours, theirs):
        self.assertEqual(len(ours), len(theirs))
        largest = max(map(abs, ours))
        for a, b in zip(ours, theirs):
            self.assertLess(abs(a - b), 1e-5 * largest)

    def test_refusals(self):
        solve = ["solve", "--platform", "m4", "--model", "lenet5"]
        self.assert_refused("--adapter: unknown adapter 'dora': use lora, such as lora:rank=8,alpha=16,targets=attention", *solve,
                            "--adapter", "dora")
        self.assert_refused("--adapter: the rank of an adapter: expected a whole number of at least 1, found '0'", *solve,
                            "--adapter", "lora:rank=0")
        self.assert_refused("adapters: 'attention' chooses none of the 3 weights of matrix products: they have names such as 'fc1.weight'",
                            *solve, "--adapter", "lora")
        self.assert_refused("an adapter of rank 11 is larger than 'fc3.weight', a map of 84 to 10 features: its rank can be at most 10",
                            *solve, "--adapter", "lora:rank=11,targets=all")
        self.assert_refused("--adapter is for real networks, and this is a released graph", "solve", "--platform", "m4", "--model", "linear",
                            "--adapter", "lora")
        self.assert_refused("there are no adapters to merge: say which the network has, by --adapter", "export", "onnx", "--model", "lenet5",
                            "--merge", "--out", "a.onnx")

    def test_no_budget_changes_a_bit(self):
        free = self.trained("--steps", "4", "--train", "regex:norm")
        small = self.trained("--steps", "4", "--train", "regex:norm", "--ram-budget", "20%way", "--storage", ".")
        self.assertLess(small["arena_bytes"], free["arena_bytes"])
        parts = self.trained("--steps", "4", "--train", "regex:norm", "--ram-budget", "36KiB", "--storage", ".", "--parts", "24KiB", *ANY_PLAN)
        frozen = self.trained("--steps", "4", "--train", "regex:norm", "--ram-budget", "20%way", "--storage", ".", "--frozen", "storage")
        for other in (small, parts, frozen):
            self.assertEqual(other["losses"], free["losses"])
            self.assertEqual(other["parameters_sha256"], free["parameters_sha256"])

    def test_the_first_loss_is_that_of_the_frozen_network(self):
        self.assertEqual(self.trained("--steps", "1")["losses"], self.trained("--steps", "1", network=LLAMA)["losses"])

    def test_checkpoints_hold_adapters_alone(self):
        for frozen in ("rom", "storage"):
            with self.subTest(frozen):
                options = ["--frozen", frozen]
                whole = self.trained("--steps", "4", *options)
                self.trained("--steps", "2", "--checkpoint", "a.ckpt", *options)
                values = self.header("a.ckpt")["values"]
                self.assertEqual({value["role"] for value in values}, {"parameter", "optimiser state"})
                self.assertTrue(all(".lora_" in value["name"] for value in values))
                resumed = self.trained("--steps", "4", "--checkpoint", "a.ckpt", "--resume", *options)
                self.assertEqual(resumed["losses"], whole["losses"][2:])
                self.assertEqual(resumed["parameters_sha256"], whole["parameters_sha256"])
                os.remove(self.path("a.ckpt"))

    def test_a_checkpoint_knows_its_base(self):
        self.trained("--steps", "2", "--checkpoint", "a.ckpt")
        used = ["--batch-size", "2", "--examples", "4", "--checkpoint", "a.ckpt", "--no-keep-plans"]
        self.evaluated(*LLAMA, *ADAPTER, "--checkpoint", "a.ckpt")
        # A longer text, which the network's weights do not know of.
        self.evaluated("--model", "llama-tiny", "--sequence-length", "12", *ADAPTER, "--checkpoint", "a.ckpt")
        self.assert_refused("the checkpoint 'a.ckpt' holds adapters: say which, by --adapter lora:rank=4,alpha=8,targets=all", "eval", *LLAMA,
                            *used)
        self.assert_refused("the checkpoint 'a.ckpt' holds other adapters: lora:rank=4,alpha=8,targets=all, and not "
                            "lora:rank=4,alpha=4,targets=all", "eval", *LLAMA, "--adapter", "lora:rank=4,alpha=4,targets=all", *used)
        other = ("the checkpoint 'a.ckpt' holds adapters of another base network: parameters of this one have other names, types or values")
        self.assert_refused(other, "predict", *LLAMA, *ADAPTER, "--seed", "5", *used, "--out", "x.npy")
        self.assert_refused(other, "export", "onnx", *LLAMA, *ADAPTER, "--seed", "5", "--checkpoint", "a.ckpt", "--out", "a.onnx")
        self.assert_refused("the checkpoint 'a.ckpt' is of a training with other settings: adapters (lora:rank=4,alpha=8,targets=all there, "
                            "lora:rank=4,alpha=8,targets=attention here); use the same, or begin anew with another path",
                            "train", *LLAMA, *(word for word in TRAIN if word != "--json"), "--adapter", "lora:rank=4,alpha=8", "--steps", "4", "--checkpoint", "a.ckpt", "--resume")

    def test_merging(self):
        self.trained("--steps", "6", "--checkpoint", "a.ckpt", "--train", "regex:norm")
        network = [*LLAMA, *ADAPTER, "--train", "regex:norm", "--checkpoint", "a.ckpt"]
        exported = ["export", "onnx", *LLAMA, *ADAPTER, "--batch-size", "2", "--checkpoint", "a.ckpt"]
        self.ok(*exported, "--out", "beside.onnx")
        self.ok(*exported, "--merge", "--out", "merged.onnx")
        ours = self.predictions(*network)
        self.assert_close(ours, self.predictions("--model", "beside.onnx"))
        self.assert_close(ours, self.predictions("--model", "merged.onnx"))
        loss = self.evaluated(*network)
        self.assertAlmostEqual(loss, self.evaluated("--model", "merged.onnx"), delta=1e-5)
        before = self.predictions(*LLAMA)
        self.assertGreater(max(abs(a - b) for a, b in zip(ours, before)), 1e-3)

    def test_a_file_of_the_user(self):
        """Weights that products read through a transpose; merged, the file is what it was, with other values."""
        self.ok("export", "onnx", *LLAMA, "--batch-size", "2", "--out", "net.onnx")
        adapter = ["--adapter", "lora:rank=2,targets=regex:[qv]_proj|down_proj"]
        self.trained("--steps", "6", "--checkpoint", "a.ckpt", network=["--model", "net.onnx", *adapter])
        names = {value["name"] for value in self.header("a.ckpt")["values"] if value["role"] == "parameter"}
        self.assertEqual(names, {f"model.layers.{layer}.{of}.lora_{part}.weight" for layer in range(2) for part in "AB"
                                 for of in ("self_attn.q_proj", "self_attn.v_proj", "mlp.down_proj")})
        ours = self.predictions("--model", "net.onnx", *adapter, "--checkpoint", "a.ckpt")
        exported = ["export", "onnx", "--model", "net.onnx", "--batch-size", "2", *adapter, "--checkpoint", "a.ckpt"]
        self.ok(*exported, "--out", "beside.onnx")
        self.ok(*exported, "--merge", "--out", "merged.onnx")
        self.assert_close(ours, self.predictions("--model", "beside.onnx"))
        self.assert_close(ours, self.predictions("--model", "merged.onnx"))
        self.assertEqual(os.path.getsize(self.path("merged.onnx")), os.path.getsize(self.path("net.onnx")))
        # In its own place.
        shutil.copy(self.path("net.onnx"), self.path("own.onnx"))
        self.ok("export", "onnx", "--model", "own.onnx", "--batch-size", "2", *adapter, "--checkpoint", "a.ckpt", "--merge", "--out", "own.onnx")
        with open(self.path("own.onnx"), "rb") as own, open(self.path("merged.onnx"), "rb") as merged:
            self.assertEqual(own.read(), merged.read())

    def test_every_question_takes_adapters(self):
        network = [*LLAMA, "--batch-size", "2", "--optimiser", "adamw"]
        least = {}
        for what, adapter in (("all", []), ("adapters", ADAPTER)):
            ended = self.ok("minimum", *network, *adapter, "--platform", "a72", "--parts", "whole", "--json", "--quiet")
            least[what] = ended.json()["found_bytes"]
        self.assertLessEqual(least["adapters"], least["all"])
        self.ok("solve", *network, *ADAPTER, "--platform", "a72", *ANY_PLAN, "--json", "--quiet")
        self.ok("sweep", *network, *ADAPTER, "--platform", "a72", "--budgets", "2", "--methods", "paging", *ANY_PLAN, "--csv", "a.csv")
        self.ok("export", "c", *network, *ADAPTER, "--platform", "a72", *ANY_PLAN, "--out", "project")
        self.assertIn("lora_A", self.ok("inspect", "llama-tiny", "--sequence-length", "8", *ADAPTER).out)


def turned(x):
    """x (N, heads, S, 16) by its places."""
    half = x.shape[-1] // 2
    angle = torch.arange(x.shape[2]).double()[:, None] * 1e4 ** -(torch.arange(half).double() / half)
    cos, sin = angle.cos().float(), angle.sin().float()
    return torch.cat([x[..., :half] * cos - x[..., half:] * sin, x[..., half:] * cos + x[..., :half] * sin], -1)


class Llama:
    """llama-tiny with LoRA as the paper has it, by hand: W0 x + (alpha / rank) B A x beside each matrix of attention."""

    def __init__(self, weights, scale):
        self.weights = weights
        self.scale = scale

    def linear(self, name, x):
        w = self.weights
        y = x @ w[name + ".weight"].T
        if name + ".lora_A.weight" in w:
            y = y + self.scale * ((x @ w[name + ".lora_A.weight"].T) @ w[name + ".lora_B.weight"].T)
        return y

    def norm(self, name, x):
        return x / torch.sqrt((x * x).mean(-1, keepdim=True) + 1e-5) * self.weights[name + ".weight"]

    def attention(self, name, x):
        q, k, v = (self.linear(f"{name}.{part}_proj", x).unflatten(-1, (-1, 16)).transpose(1, 2) for part in "qkv")
        q, k = turned(q), turned(k)
        k, v = (part.repeat_interleave(2, 1) for part in (k, v))
        unseen = torch.ones(x.shape[1], x.shape[1]).triu(1).bool()
        scores = (q @ k.transpose(2, 3) / 4).masked_fill(unseen, -math.inf)
        return self.linear(f"{name}.o_proj", (scores.softmax(-1) @ v).transpose(1, 2).flatten(2))

    def __call__(self, ids):
        x = self.weights["model.embed_tokens.weight"][ids]
        for i in range(2):
            name = f"model.layers.{i}."
            x = x + self.attention(name + "self_attn", self.norm(name + "input_layernorm", x))
            y = self.norm(name + "post_attention_layernorm", x)
            y = functional.silu(self.linear(name + "mlp.gate_proj", y)) * self.linear(name + "mlp.up_proj", y)
            x = x + self.linear(name + "mlp.down_proj", y)
        return self.norm("model.norm", x) @ self.weights["model.embed_tokens.weight"].T


@unittest.skipIf(torch is None, "python3-torch and python3-onnx are not installed")
class Losses(program.InAFolder):
    def test_losses_are_those_of_pytorch(self):
        warnings.filterwarnings("ignore")
        torch.manual_seed(1)
        ids = torch.randint(0, 512, (2, 9))  # in one batch, so that their order makes no difference
        numpy.savez(self.path("data.npz"), input_ids=ids[:, :-1].numpy(), target=ids[:, 1:].numpy())
        network = ["--model", "llama-tiny", "--sequence-length", "8", "--adapter", "lora:rank=4,alpha=16,targets=attention"]
        # As it begins: A drawn, B zero.
        ended = poet("export", "onnx", *network, "--batch-size", "2", "--out", "begin.onnx", cwd=self.folder)
        self.assertEqual(ended.code, 0, ended.err)
        weights = {stored.name: torch.from_numpy(numpy_helper.to_array(stored).copy())
                   for stored in onnx.load(self.path("begin.onnx")).graph.initializer}
        trained = {name: value.requires_grad_() for name, value in weights.items() if ".lora_" in name}
        self.assertEqual(len(trained), 16)
        self.assertTrue(all((value == 0).all() == name.endswith("_B.weight") for name, value in trained.items()))
        ended = poet("train", *network, "--data", "data.npz", "--batch-size", "2", "--epochs", "8", "--optimiser", "adamw", "--learning-rate",
                     "0.01", "--weight-decay", "0.1", "--test-examples", "0", "--no-keep-plans", "--json", "--quiet", cwd=self.folder)
        self.assertEqual(ended.code, 0, ended.err)
        ours = ended.json()["losses"]
        self.assertEqual(len(ours), 8)
        model = Llama(weights, 16 / 4)
        optimiser = torch.optim.AdamW(trained.values(), lr=0.01, weight_decay=0.1)
        for loss_of_poet in ours:
            loss = functional.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            self.assertAlmostEqual(loss_of_poet, loss.item(), delta=5e-5, msg=f"{ours}")
        self.assertGreater(ours[0] - ours[-1], 0.1)


if __name__ == "__main__":
    program.run_tests()
