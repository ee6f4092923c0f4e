"""Functions of two numbers, the second repeated along two axes, and the gradients of both."""

import torch

FUNCTIONS = (
    ("add", torch.add),
    ("sub", torch.sub),
    ("mul", torch.mul),
    ("div", torch.div),
    ("pow", torch.pow),
    ("max", torch.maximum),
    ("min", torch.minimum),
)


def write(golden):
    for name, function in FUNCTIONS:
        a = (golden.random(2, 3, 4).detach().abs() + 0.25).requires_grad_()
        b = (golden.random(3, 1).detach().abs() + 0.25).requires_grad_()
        y = function(a, b)
        dy = golden.random(2, 3, 4)
        y.backward(dy)
        golden.case(name)
        for key, values in (("a", a), ("b", b), ("y", y), ("dy", dy), ("da", a.grad), ("db", b.grad)):
            golden.tensor(key, values)
