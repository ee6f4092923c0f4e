"""Squared errors and binary cross-entropies of logits, and their gradients."""

import torch
from torch.nn import functional

FUNCTIONS = (
    ("squared_error", functional.mse_loss),
    ("binary_cross_entropy", functional.binary_cross_entropy_with_logits),
)


def write(golden):
    for name, function in FUNCTIONS:
        for code, reduction in enumerate(("none", "sum", "mean")):
            x = golden.random(6, 5)
            target = torch.rand(6, 5).mul(32).round().div(32)
            loss = function(x, target, reduction=reduction)
            dloss = golden.random(*loss.shape)
            loss.backward(dloss)
            golden.case(f"{name}_{reduction}")
            golden.whole("reduction", code)
            for key, values in (("x", x), ("target", target), ("dloss", dloss), ("loss", loss), ("dx", x.grad)):
                golden.tensor(key, values)
