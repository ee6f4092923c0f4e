"""Softmax and its logarithm along the last and along a middle axis."""

import torch


def write(golden):
    for name, function in (("softmax", torch.softmax), ("log_softmax", torch.log_softmax)):
        for outer, axis, inner in ((6, 10, 1), (2, 5, 18), (1, 100, 1)):
            x = golden.random(outer, axis, inner).detach().mul(3).requires_grad_()
            y = function(x, dim=1)
            dy = golden.random(outer, axis, inner)
            y.backward(dy)
            golden.case(f"{name}_{outer}_{axis}_{inner}")
            golden.whole("is_log", name == "log_softmax")
            golden.whole("outer", outer)
            golden.whole("axis", axis)
            golden.whole("inner", inner)
            for key, values in (("x", x), ("y", y), ("dy", dy), ("dx", x.grad)):
                golden.tensor(key, values)
