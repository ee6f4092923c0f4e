"""Networks of the zoo of today, as the program has them: they train, and, where PyTorch is, with its losses."""

import json
import math
import os
import unittest
import warnings

import program
from program import poet

try:
    import numpy
    import onnx
    import torch
    from onnx import numpy_helper
    from torch.nn import functional
except ImportError:
    torch = None

STEPS = 4
SMALL_PICTURES = ["--image-size", "32", "--classes", "7"]


class Trains(program.InAFolder):
    def train(self, model, *options):
        ended = poet("train", "--model", model, *options, "--steps", "2", "--batch-size", "2", "--examples", "8", "--test-examples", "0",
                     "--no-keep-plans", "--log", "log", "--json", "--quiet", cwd=self.folder)
        self.assertEqual(ended.code, 0, ended.err)
        with open(self.path("log"), encoding="utf-8") as log:
            losses = [row["loss"] for row in map(json.loads, log) if "loss" in row]
        os.remove(self.path("log"))
        self.assertEqual(len(losses), 2)
        for loss in losses:
            self.assertTrue(math.isfinite(loss) and 0 < loss < 20, (model, losses))

    def test_decoders(self):
        self.train("llama-tiny", "--sequence-length", "12")
        self.train("gemma-tiny", "--sequence-length", "12", "--optimiser", "adamw")

    def test_recurrent_networks(self):
        self.train("lstm-small", "--sequence-length", "4")

    def test_pictures(self):
        self.train("mobilenetv3-small", *SMALL_PICTURES)
        self.train("efficientnet-b0", *SMALL_PICTURES)
        self.train("vit-s16", *SMALL_PICTURES)
        self.train("mobilevit-xs", "--image-size", "64", "--classes", "7")

    def test_keywords(self):
        self.train("ds-cnn")
        self.train("ds-cnn", "--ram-budget", "50%way")

    def test_diffusion(self):
        self.train("ddpm-tiny", "--image-size", "8", "--loss", "mean-squared-error")

    def test_refusals(self):
        solve = ["solve", "--platform", "a72", "--model"]
        self.assert_refused("the sequence length is 8193: smollm2-135m takes up to 8192", *solve, "smollm2-135m", "--sequence-length", "8193")
        self.assert_refused("ds-cnn has no image size: leave it out", *solve, "ds-cnn", "--image-size", "32")
        self.assert_refused("lstm-small has no number of classes: leave it out", *solve, "lstm-small", "--classes", "3")
        self.assert_refused("the image size is 32: mobilevit-xs needs at least 64", *solve, "mobilevit-xs", "--image-size", "32")
        self.assert_refused("the image size is 100: convnext-t needs a multiple of 32", *solve, "convnext-t", "--image-size", "100")


def linear(w, name, x):
    return functional.linear(x, w[name + ".weight"], w.get(name + ".bias"))


def rms_norm(w, name, x, epsilon, above=0):
    return x / torch.sqrt((x * x).mean(-1, keepdim=True) + epsilon) * (w[name + ".weight"] + above)


def layer_norm(w, name, x, epsilon):
    return functional.layer_norm(x, x.shape[-1:], w[name + ".weight"], w[name + ".bias"], epsilon)


def turned(x, base):
    """x (N, heads, S, size) by its places."""
    half = x.shape[-1] // 2
    angle = torch.arange(x.shape[2]).double()[:, None] * base ** -(torch.arange(half).double() / half)
    cos, sin = angle.cos().float(), angle.sin().float()
    return torch.cat([x[..., :half] * cos - x[..., half:] * sin, x[..., half:] * cos + x[..., :half] * sin], -1)


def decoder(w, ids, gemma):
    above, epsilon = (1, 1e-6) if gemma else (0, 1e-5)
    act = (lambda x: functional.gelu(x, approximate="tanh")) if gemma else functional.silu
    length = ids.shape[1]
    x = w["model.embed_tokens.weight"][ids] * (8 if gemma else 1)
    distance = torch.arange(length)[:, None] - torch.arange(length)
    for i in range(2):
        name = f"model.layers.{i}."
        near = gemma and i == 0
        seen = (distance >= 0) & (distance < (8 if near else length))
        base = 1e6 if gemma and not near else 1e4

        def heads(part, y):
            y = linear(w, f"{name}self_attn.{part}_proj", y)
            y = y.unflatten(-1, (-1, 16))
            if gemma and part != "v":
                y = rms_norm(w, f"{name}self_attn.{part}_norm", y, epsilon, above)
            y = y.transpose(1, 2)
            return y if part == "v" else turned(y, base)

        y = rms_norm(w, name + "input_layernorm", x, epsilon, above)
        q, k, v = (heads(part, y) for part in "qkv")
        k, v = (part.repeat_interleave(2, 1) for part in (k, v))
        scores = (q @ k.transpose(2, 3) / 4).masked_fill(~seen, -math.inf)
        y = (scores.softmax(-1) @ v).transpose(1, 2).flatten(2)
        y = linear(w, name + "self_attn.o_proj", y)
        if gemma:
            y = rms_norm(w, name + "post_attention_layernorm", y, epsilon, above)
        x = x + y
        y = rms_norm(w, name + ("pre_feedforward_layernorm" if gemma else "post_attention_layernorm"), x, epsilon, above)
        y = linear(w, name + "mlp.down_proj", act(linear(w, name + "mlp.gate_proj", y)) * linear(w, name + "mlp.up_proj", y))
        if gemma:
            y = rms_norm(w, name + "post_feedforward_layernorm", y, epsilon, above)
        x = x + y
    return rms_norm(w, "model.norm", x, epsilon, above) @ w["model.embed_tokens.weight"].T


def lstm(w, ids):
    steps = list(w["embedding.weight"][ids].transpose(0, 1))
    for layer in ("l0", "l1"):
        h = c = torch.zeros(ids.shape[0], 200)
        for t, x in enumerate(steps):
            sums = x @ w["lstm.weight_ih_" + layer].T + h @ w["lstm.weight_hh_" + layer].T + w["lstm.bias_ih_" + layer]
            i, f, g, o = sums.chunk(4, 1)
            c = f.sigmoid() * c + i.sigmoid() * g.tanh()
            steps[t] = h = o.sigmoid() * c.tanh()
    return linear(w, "head", torch.stack(steps, 1))


def attention(q, k, v):
    return (q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])).softmax(-1) @ v


def encoder(w, name, x, heads, epsilon, act):
    y = layer_norm(w, name + ".norm1", x, epsilon)
    q, k, v = (linear(w, f"{name}.attn.{part}", y).unflatten(-1, (heads, -1)).transpose(1, 2) for part in ("query", "key", "value"))
    x = x + linear(w, name + ".attn.proj", attention(q, k, v).transpose(1, 2).flatten(2))
    y = layer_norm(w, name + ".norm2", x, epsilon)
    return x + linear(w, name + ".mlp.fc2", act(linear(w, name + ".mlp.fc1", y)))


def vit(w, x):
    x = functional.conv2d(x, w["patch_embed.proj.weight"], w["patch_embed.proj.bias"], stride=16).flatten(2).transpose(1, 2)
    x = torch.cat([w["cls_token"].expand(x.shape[0], 1, 384), x], 1) + w["pos_embed"]
    for i in range(12):
        x = encoder(w, f"blocks.{i}", x, 6, 1e-6, functional.gelu)
    return linear(w, "head", layer_norm(w, "norm", x, 1e-6)[:, 0])


def convnext(w, x):
    def pixel_norm(name, x):
        return layer_norm(w, name, x.permute(0, 2, 3, 1), 1e-6).permute(0, 3, 1, 2)

    for stage, blocks in enumerate((3, 3, 9, 3)):
        if stage == 0:
            x = functional.conv2d(x, w["stem.0.weight"], w["stem.0.bias"], stride=4)
            x = pixel_norm("stem.1", x)
        else:
            x = pixel_norm(f"stages.{stage}.downsample.0", x)
            x = functional.conv2d(x, w[f"stages.{stage}.downsample.1.weight"], w[f"stages.{stage}.downsample.1.bias"], stride=2)
        for block in range(blocks):
            name = f"stages.{stage}.blocks.{block}"
            y = functional.conv2d(x, w[name + ".conv_dw.weight"], w[name + ".conv_dw.bias"], padding=3, groups=x.shape[1])
            y = layer_norm(w, name + ".norm", y.permute(0, 2, 3, 1), 1e-6)
            y = linear(w, name + ".mlp.fc2", functional.gelu(linear(w, name + ".mlp.fc1", y)))
            x = x + (w[name + ".gamma"] * y).permute(0, 3, 1, 2)
    return linear(w, "head.fc", layer_norm(w, "head.norm", x.mean((2, 3)), 1e-6))


def conv_norm(w, name, x, act=None, epsilon=1e-5, stride=1, groups=1):
    weight = w[name + ".0.weight"]
    x = functional.conv2d(x, weight, stride=stride, padding=weight.shape[2] // 2, groups=groups)
    x = functional.batch_norm(x, None, None, w[name + ".1.weight"], w[name + ".1.bias"], training=True, eps=epsilon)
    return x if act is None else act(x)


def squeeze_excite(w, name, x, act, gate):
    y = x.mean((2, 3), keepdim=True)
    y = act(functional.conv2d(y, w[name + ".fc1.weight"], w[name + ".fc1.bias"]))
    return x * gate(functional.conv2d(y, w[name + ".fc2.weight"], w[name + ".fc2.bias"]))


def efficientnet(w, x):
    silu = functional.silu
    x = conv_norm(w, "features.0", x, silu, stride=2)
    stages = ((1, 1, 1), (6, 2, 2), (6, 2, 2), (6, 2, 3), (6, 1, 3), (6, 2, 4), (6, 1, 1))
    for stage, (expansion, stride, blocks) in enumerate(stages, 1):
        for block in range(blocks):
            parts = iter(f"features.{stage}.{block}.block.{part}" for part in range(4))
            y = conv_norm(w, next(parts), x, silu) if expansion != 1 else x
            y = conv_norm(w, next(parts), y, silu, stride=stride if block == 0 else 1, groups=y.shape[1])
            y = squeeze_excite(w, next(parts), y, silu, torch.sigmoid)
            y = conv_norm(w, next(parts), y)
            x = x + y if x.shape == y.shape else y
    x = conv_norm(w, "features.8", x, silu)
    return linear(w, "classifier.1", x.mean((2, 3)))


def mobilenetv3(w, x):
    """The small one."""
    relu, swish = functional.relu, functional.hardswish
    x = conv_norm(w, "features.0", x, swish, 1e-3, stride=2)
    for block in range(11):
        name = f"features.{block + 1}.block"
        act = relu if block < 3 else swish
        parts = iter(f"{name}.{part}" for part in range(4))
        y = conv_norm(w, next(parts), x, act, 1e-3) if block > 0 else x
        y = conv_norm(w, next(parts), y, act, 1e-3, stride=2 if block in (0, 1, 3, 8) else 1, groups=y.shape[1])
        if block not in (1, 2):
            y = squeeze_excite(w, next(parts), y, relu, functional.hardsigmoid)
        y = conv_norm(w, next(parts), y, None, 1e-3)
        x = x + y if x.shape == y.shape else y
    x = conv_norm(w, "features.12", x, swish, 1e-3).mean((2, 3))
    return linear(w, "classifier.3", swish(linear(w, "classifier.0", x)))


def mobilevit(w, x):
    """The extra small one, with the folding that PyTorch has for patches."""
    silu = functional.silu

    def inverted(name, x, stride=1):
        y = conv_norm(w, name + ".expand", x, silu)
        y = conv_norm(w, name + ".depthwise", y, silu, stride=stride, groups=y.shape[1])
        y = conv_norm(w, name + ".reduce", y)
        return x + y if x.shape == y.shape else y

    x = conv_norm(w, "stem", x, silu, stride=2)
    x = inverted("stages.0.0", x)
    for i in range(3):
        x = inverted(f"stages.1.{i}", x, 2 if i == 0 else 1)
    for stage, layers in ((2, 2), (3, 4), (4, 3)):
        name = f"stages.{stage}.1"
        x = inverted(f"stages.{stage}.0", x, 2)
        y = functional.conv2d(conv_norm(w, name + ".conv_kxk", x, silu), w[name + ".conv_1x1.weight"])
        n, c, side, _ = y.shape
        # Each pixel of a patch with those at its place in all others.
        y = functional.unfold(y, 2, stride=2).view(n, c, 4, -1).permute(0, 2, 3, 1).flatten(0, 1)
        for i in range(layers):
            y = encoder(w, f"{name}.transformer.{i}", y, 4, 1e-5, silu)
        y = layer_norm(w, name + ".norm", y, 1e-5).view(n, 4, -1, c).permute(0, 3, 1, 2).flatten(1, 2)
        y = functional.fold(y, side, 2, stride=2)
        y = torch.cat([x, conv_norm(w, name + ".conv_proj", y, silu)], 1)
        x = conv_norm(w, name + ".conv_fusion", y, silu)
    x = conv_norm(w, "final_conv", x, silu)
    return linear(w, "head.fc", x.mean((2, 3)))


def ds_cnn(w, x):
    def conv(name, x, **how):
        x = functional.conv2d(x, w[name + ".weight"], w[name + ".bias"], **how)
        return x

    def norm(name, x):
        x = functional.batch_norm(x, None, None, w[name + ".norm.weight"], w[name + ".norm.bias"], training=True, eps=1e-3)
        return functional.relu(x)

    x = norm("conv", conv("conv", functional.pad(x, (1, 1, 4, 5)), stride=2))
    for i in range(1, 5):
        x = norm(f"separable{i}.depthwise", conv(f"separable{i}.depthwise", x, padding=1, groups=64))
        x = norm(f"separable{i}.pointwise", conv(f"separable{i}.pointwise", x))
    return linear(w, "fc", functional.avg_pool2d(x, (24, 5)).flatten(1))


def mcunet(w, x):
    def conv(name, x, bends=True, **how):
        weight = w[name + ".conv.weight"]
        x = functional.conv2d(x, weight, padding=weight.shape[-1] // 2, **how)
        x = functional.batch_norm(x, None, None, w[name + ".bn.weight"], w[name + ".bn.bias"], training=True)
        return functional.relu6(x) if bends else x

    x = conv("first_conv", x, stride=2)
    for i in range(14):
        name = f"blocks.{i}.mobile_inverted_conv."
        y = conv(name + "inverted_bottleneck", x) if i > 0 else x
        y = conv(name + "depth_conv", y, groups=y.shape[1], stride=2 if i in (1, 3, 5, 10) else 1)
        y = conv(name + "point_linear", y, False)
        x = x + y if x.shape == y.shape else y
    return linear(w, "classifier.linear", x.mean((2, 3)))


@unittest.skipIf(torch is None, "python3-torch and python3-onnx are not installed")
class Losses(program.InAFolder):
    """The network is written as ONNX, which leaves dropouts out; both train the weights that stand there. Diffusion
    is not among them: its group norms have no node in the opset that POET writes."""

    def setUp(self):
        super().setUp()
        warnings.filterwarnings("ignore")
        torch.manual_seed(1)

    def weights(self, model, options, changed):
        ended = poet("export", "onnx", "--model", model, *options, "--batch-size", "2", "--out", "net.onnx", cwd=self.folder)
        self.assertEqual(ended.code, 0, ended.err)
        file = onnx.load(self.path("net.onnx"))
        weights = {}
        for stored in file.graph.initializer:
            value = torch.from_numpy(numpy_helper.to_array(stored).copy())
            if changed is not None and stored.name.endswith(changed):
                value = value + 0.3 * torch.randn_like(value)
                stored.CopyFrom(numpy_helper.from_array(value.numpy(), stored.name))
            if value.dtype == torch.float32 and "running_" not in stored.name:
                weights[stored.name] = torch.nn.Parameter(value)
        onnx.save(file, self.path("net.onnx"))
        return weights

    def losses_of_poet(self, rate, loss):
        ended = poet("train", "--model", "net.onnx", "--data", "data.npz", "--batch-size", "2", "--epochs", str(STEPS), "--learning-rate",
                     str(rate), "--test-examples", "0", "--no-keep-plans", "--json", "--quiet", *loss, cwd=self.folder)
        self.assertEqual(ended.code, 0, ended.err)
        return ended.json()["losses"]

    def compare(self, model, forward, inputs, y, options=(), rate=0.05, changed=None):
        """`changed`: the end of the names of parameters that begin where they would hardly matter."""
        numpy.savez(self.path("data.npz"), **{name: x.numpy() for name, x in inputs.items()}, target=y.numpy())
        weights = self.weights(model, options, changed)
        by_class = y.dtype == torch.int64
        ours = self.losses_of_poet(rate, [] if by_class else ["--loss", "mean-squared-error"])
        self.assertEqual(len(ours), STEPS)
        optimiser = torch.optim.SGD(weights.values(), lr=rate)
        for loss_of_poet in ours:
            made = forward(weights, *inputs.values())
            loss = functional.cross_entropy(made.flatten(0, -2), y.flatten()) if by_class else functional.mse_loss(made, y)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            self.assertAlmostEqual(loss_of_poet, loss.item(), delta=5e-5, msg=f"{model}: {ours}")
        self.assertGreater(abs(ours[0] - ours[-1]), 2e-3)

    def tokens(self, words, length):
        ids = torch.randint(0, words, (2, length + 1))
        return {"input_ids": ids[:, :-1]}, ids[:, 1:].contiguous()

    def pictures(self, size):
        return {"image": torch.randn(2, 3, size, size)}, torch.randint(0, 7, (2,))

    def test_decoders(self):
        for model, gemma in (("llama-tiny", False), ("gemma-tiny", True)):
            with self.subTest(model):
                self.compare(model, lambda w, ids, gemma=gemma: decoder(w, ids, gemma), *self.tokens(512, 12),
                             ["--sequence-length", "12"], rate=0.5, changed="norm.weight")

    def test_recurrent_networks(self):
        self.compare("lstm-small", lstm, *self.tokens(10000, 5), ["--sequence-length", "5"], rate=1)

    def test_vision_transformers(self):
        self.compare("vit-s16", vit, *self.pictures(32), SMALL_PICTURES)

    def test_convnext(self):
        self.compare("convnext-t", convnext, *self.pictures(32), SMALL_PICTURES, changed=".gamma", rate=0.002)

    def test_networks_for_phones(self):
        # At 64 x 64 the last batch norms have eight values each, and PyTorch's own losses differ between float and double.
        for model, forward in (("efficientnet-b0", efficientnet), ("mobilenetv3-small", mobilenetv3)):
            self.compare(model, forward, *self.pictures(96), ["--image-size", "96", "--classes", "7"])

    def test_networks_for_microcontrollers(self):
        # At larger rates PyTorch's own losses differ between float and double: gradients are large at first.
        self.compare("mcunet-in1", mcunet, *self.pictures(96), ["--image-size", "96", "--classes", "7"], rate=1e-4)

    def test_mobilevit(self):
        self.compare("mobilevit-xs", mobilevit, *self.pictures(64), ["--image-size", "64", "--classes", "7"])

    def test_keywords(self):
        self.compare("ds-cnn", ds_cnn, {"spectrogram": torch.randn(2, 1, 49, 10)}, torch.randint(0, 12, (2,)))


if __name__ == "__main__":
    program.run_tests()
