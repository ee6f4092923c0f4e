"""Files of opsets that Debian's PyTorch does not write, made by hand and trained by the program: PyTorch's losses."""

import unittest

import onnx_trained
import program
from onnx_trained import node

try:
    import numpy
    import onnx
    import torch
    from onnx import helper
except ImportError:
    torch = None


def by_reference(made, **names):
    """Attributes of a function's node that are attributes of its call."""
    for name, (of_call, kind) in names.items():
        attribute = made.attribute.add()
        attribute.name, attribute.ref_attr_name, attribute.type = name, of_call, kind
    return made


def function(name, inputs, outputs, nodes, opset, attributes=()):
    return helper.make_function("mine", name, inputs.split(), outputs.split(), nodes,
                                [helper.make_opsetid("", opset), helper.make_opsetid("mine", 1)], attributes)


@unittest.skipIf(torch is None, "python3-torch and python3-onnx are not installed")
class Opsets(onnx_trained.Trained):
    def test_axes_as_inputs_and_uneven_parts(self):
        def forward(x, w):
            a, b, c = torch.split(x @ w["w"], 3, dim=2)
            a = torch.nn.functional.pad(a, (0, 0, 1, 1), value=0.5)
            return torch.cat([a.mean(1), torch.logsumexp(b, 2), c.pow(2).sum((1, 2), keepdim=True).flatten(1)], 1)

        self.compare(18, [node("MatMul", "x w", "y"), node("Split", "y", "a b c", axis=2, num_outputs=3),
                          node("Pad", "a pads half along", "padded"), node("ReduceMean", "padded along", "mean", keepdims=0),
                          node("ReduceLogSumExp", "b last", "lse", keepdims=0),
                          node("ReduceSumSquare", "c both", "squares", keepdims=0),
                          node("Unsqueeze", "squares along", "column"), node("Concat", "mean lse column", "h", axis=1)],
                     self.projected("w"), forward,
                     known=[("pads", [1, 1]), ("half", numpy.float32(0.5)), ("along", [1]), ("last", [-1]), ("both", [1, 2])])

    def test_group_norms_by_groups_and_by_channels(self):
        def forward(x, w):
            scale, bias = (w[name] if len(w[name]) == 6 else w[name].repeat_interleave(3) for name in ("scale", "bias"))
            return torch.nn.functional.group_norm(x @ w["w"], 2, scale, bias, 1e-4)

        nodes = [node("MatMul", "x w", "y"), node("GroupNormalization", "y scale bias", "h", num_groups=2, epsilon=1e-4)]
        for opset, count in ((18, 2), (21, 6)):
            with self.subTest(opset):
                self.compare(opset, nodes, {**self.projected("w"), "scale": torch.randn(count), "bias": torch.randn(count)},
                             forward)

    def test_activations(self):
        functional = torch.nn.functional
        for opset, made, of_torch in (
                (20, node("Gelu", "y", "h"), functional.gelu),
                (20, node("Gelu", "y", "h", approximate="tanh"), lambda y: functional.gelu(y, approximate="tanh")),
                (22, node("Mish", "y", "h"), functional.mish), (22, node("HardSwish", "y", "h"), functional.hardswish),
                (24, node("Swish", "y", "h", alpha=1.5), lambda y: y * torch.sigmoid(1.5 * y))):
            with self.subTest(made.op_type):
                self.compare(opset, [node("MatMul", "x w", "y"), made], self.projected("w"),
                             lambda x, w, of_torch=of_torch: of_torch(x @ w["w"]))

    def test_norms_by_the_root_of_the_mean_square(self):
        def forward(x, w):
            y = x @ w["w"]
            return y / torch.sqrt(y.pow(2).mean(2, keepdim=True) + 1e-5) * w["scale"]

        self.compare(23, [node("MatMul", "x w", "y"), node("RMSNormalization", "y scale", "h")],
                     {**self.projected("w"), "scale": torch.randn(8)}, forward)

    def test_attention_with_rotary_positions_and_shared_keys(self):
        """Four heads of queries on two of keys; every second place, or halves, are turned together."""
        angle = torch.arange(6).unsqueeze(1) * torch.tensor([1.0, 0.1])
        cosine, sine = torch.cos(angle[:, :1]), torch.sin(angle[:, :1])

        def turned(x, interleaved):
            a, b = (x[..., 0:1], x[..., 1:2])  # of two values both ways are the same
            c, s = cosine[None, None], sine[None, None]
            return torch.cat([c * a - s * b, s * a + c * b], -1)

        def forward(x, w, interleaved=0):
            q = (x @ w["q"]).reshape(4, 6, 4, 2).transpose(1, 2)
            k = (x @ w["k"])[:, :, :4].reshape(4, 6, 2, 2).transpose(1, 2)
            v = (x @ w["v"])[:, :, :4].reshape(4, 6, 2, 2).transpose(1, 2)
            q, k = turned(q, interleaved), turned(k, interleaved)
            k, v = k.repeat_interleave(2, 1), v.repeat_interleave(2, 1)
            scores = (q @ k.transpose(2, 3)) / 2 ** 0.5
            scores = scores.masked_fill(~torch.ones(6, 6, dtype=torch.bool).tril(), -torch.inf)
            return (torch.softmax(scores, -1) @ v).transpose(1, 2).reshape(4, 6, 8)

        tables = [("cos", cosine.expand(6, 1).numpy()), ("sin", sine.expand(6, 1).numpy()),
                  ("places", numpy.tile(numpy.arange(6), (4, 1))), ("four", [4]), ("zero", [0]), ("two", [2])]
        for interleaved in (0, 1):
            nodes = [node("MatMul", "x q", "xq"), node("MatMul", "x k", "xk"), node("MatMul", "x v", "xv"),
                     node("Slice", "xk zero four two", "k4"), node("Slice", "xv zero four two", "v4"),
                     node("RotaryEmbedding", "xq cos sin places", "rq", num_heads=4, interleaved=interleaved),
                     node("RotaryEmbedding", "k4 cos sin places", "rk", num_heads=2, interleaved=interleaved),
                     node("Attention", "rq rk v4", "h", q_num_heads=4, kv_num_heads=2, is_causal=1)]
            with self.subTest(interleaved=interleaved):
                self.compare(23, nodes, self.projected("q", "k", "v"), forward, known=tables)

    def test_a_part_is_turned_in_four_dimensions(self):
        angle = torch.arange(6).unsqueeze(1) * torch.tensor([1.0, 0.1])
        cosine, sine = torch.cos(angle).expand(4, 6, 2), torch.sin(angle).expand(4, 6, 2)

        def forward(x, w, interleaved):
            y = (x @ w["w"]).unsqueeze(1)
            t, rest = y[..., :4], y[..., 4:]
            a, b = (t[..., 0::2], t[..., 1::2]) if interleaved else (t[..., :2], t[..., 2:])
            c, s = cosine.unsqueeze(1), sine.unsqueeze(1)
            real, imaginary = c * a - s * b, s * a + c * b
            both = torch.stack([real, imaginary], -1).flatten(-2) if interleaved else torch.cat([real, imaginary], -1)
            return torch.cat([both, rest], -1)

        for interleaved in (0, 1):
            with self.subTest(interleaved=interleaved):
                self.compare(23, [node("MatMul", "x w", "y"), node("Unsqueeze", "y one", "heads"),
                                  node("RotaryEmbedding", "heads cos sin", "h", rotary_embedding_dim=4,
                                       interleaved=interleaved)],
                             self.projected("w"), lambda x, w, i=interleaved: forward(x, w, i),
                             known=[("cos", cosine.numpy()), ("sin", sine.numpy()), ("one", [1])])

    def test_attention_with_a_mask_and_bounded_scores(self):
        mask = torch.from_numpy(numpy.random.default_rng(3).random((6, 6)) > 0.4)
        mask |= torch.eye(6, dtype=torch.bool)

        def forward(x, w, masked):
            q, k, v = (x @ w[name] for name in "qkv")
            scores = q @ k.transpose(1, 2) * 0.5
            scores = scores.masked_fill(~mask, -torch.inf) if masked else 2 * torch.tanh(scores / 2)
            return torch.softmax(scores, -1) @ v

        products = [node("MatMul", f"x {name}", f"x{name}") for name in "qkv"]
        for masked, made in ((True, node("Attention", "xq xk xv mask", "h", q_num_heads=1, kv_num_heads=1, scale=0.5)),
                             (False, node("Attention", "xq xk xv", "h", q_num_heads=1, kv_num_heads=1, scale=0.5,
                                          softcap=2.0))):
            with self.subTest(masked=masked):
                self.compare(23, [*products, made], self.projected("q", "k", "v"),
                             lambda x, w, masked=masked: forward(x, w, masked), known=[("mask", mask.numpy())])

    def test_functions_within_functions(self):
        """The inner one is of another opset, and has its slope from the outer call."""
        leaky = by_reference(node("LeakyRelu", "v", "u"), alpha=("slope", onnx.AttributeProto.FLOAT))
        inner = function("Bend", "v", "u", [leaky], 16, ["slope"])
        call = by_reference(node("Bend", "y", "b", domain="mine"), slope=("steepness", onnx.AttributeProto.FLOAT))
        outer = function("Layer", "a m", "c", [node("MatMul", "a m", "y"), call,
                                               node("Constant", "", "axes", value_ints=[2]),
                                               node("ReduceMean", "b axes", "mean"), node("Sub", "b mean", "c")], 18,
                         ["steepness"])

        def forward(x, w):
            for name, slope in (("w", 0.3), ("v", 0.1)):
                x = torch.nn.functional.leaky_relu(x @ w[name], slope)
                x = x - x.mean(2, keepdim=True)
            return x

        self.compare(21, [node("Layer", "x w", "first", domain="mine", steepness=0.3),
                          node("Layer", "first v", "h", domain="mine", steepness=0.1)],
                     self.projected("w", "v"), forward, functions=[outer, inner])

    def test_weights_of_other_floats(self):
        note = ("poet: warning: the file has float16 values, in 1 place; POET calculates with them as float32, so that results "
                "differ by the rounding of float16\n")
        weights = {"w": self.projected("w")["w"].half().float()}
        self.compare(22, [node("MatMul", "x w", "h")], weights, lambda x, w: x @ w["w"], notes=note,
                     types=[("w", numpy.float16)])

    def test_everything_unsupported_at_once(self):
        last = torch.nn.Linear(48, 5)
        self.write(22, [node("Det", "x", "a"), node("NonZero", "x", "b"),
                        node("Resize", "x none sizes", "c", antialias=1, mode="linear"), node("Sum", "a b c", "h")],
                   {"last.weight": last.weight, "last.bias": last.bias},
                   known=[("none", numpy.zeros(0, numpy.float32)), ("sizes", numpy.array([1, 0.5, 0.5], numpy.float32))])
        ended = self.train()
        self.assertEqual(ended.code, 2)
        self.assertEqual(ended.err, "poet: net.onnx: POET does not support these operators:\n"
                                    "  Det that makes 'a': write it with other operators, or export it with its definition as a "
                                    "function of the file\n"
                                    "  NonZero that makes 'b': the size of what it makes depends on values; leave it out of the "
                                    "network, or use a mask\n"
                                    "  Resize that makes 'c': POET does not smooth what it makes smaller: export it with "
                                    "antialias=False\n")


if __name__ == "__main__":
    program.run_tests()
