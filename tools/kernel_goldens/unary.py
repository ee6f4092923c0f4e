"""Functions of one number and their slopes."""

import torch
from torch.nn import functional

FUNCTIONS = (
    ("relu", torch.relu, 0, 0),
    ("leaky_relu", lambda x: functional.leaky_relu(x, 0.01), 0.01, 0),
    ("clip", lambda x: torch.clamp(x, -1, 0.5), -1, 0.5),
    ("elu", lambda x: functional.elu(x, 0.75), 0.75, 0),
    ("abs", torch.abs, 0, 0),
    ("neg", torch.neg, 0, 0),
    ("sigmoid", torch.sigmoid, 0, 0),
    ("tanh", torch.tanh, 0, 0),
    ("softplus", functional.softplus, 0, 0),
    ("silu", functional.silu, 0, 0),
    ("hard_sigmoid", functional.hardsigmoid, 1 / 6, 0.5),
    ("hard_swish", functional.hardswish, 1 / 6, 0.5),
    ("gelu_erf", functional.gelu, 0, 0),
    ("gelu_tanh", lambda x: functional.gelu(x, approximate="tanh"), 0, 0),
    ("erf", torch.erf, 0, 0),
    ("exp", torch.exp, 0, 0),
    ("log", torch.log, 0, 0),
    ("sqrt", torch.sqrt, 0, 0),
    ("reciprocal", torch.reciprocal, 0, 0),
    ("sin", torch.sin, 0, 0),
    ("cos", torch.cos, 0, 0),
    ("asinh", torch.asinh, 0, 0),
)
POSITIVE = {"log", "sqrt", "reciprocal"}


def write(golden):
    for name, function, alpha, beta in FUNCTIONS:
        x = torch.randn(40).mul(64).round().div(32)
        # Off the bends, where a slope is a matter of taste.
        x = (x.abs() + 1 / 64 if name in POSITIVE else x + 1 / 64).requires_grad_()
        y = function(x)
        dy = golden.random(40)
        y.backward(dy)
        golden.case(name)
        golden.real("alpha", alpha)
        golden.real("beta", beta)
        for key, values in (("x", x), ("y", y), ("dy", dy), ("dx", x.grad)):
            golden.tensor(key, values)
