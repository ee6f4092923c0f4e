"""Reductions over sets of axes, named as in poet/runtime/reduce_test.cc, and their gradients."""

import torch

CASES = (
    ("LastAxis", (4, 9), (1,)),
    ("Middle", (3, 5, 4), (1,)),
    ("PerChannel", (2, 3, 4, 5), (0, 2, 3)),
    ("Everything", (2, 3, 4), (0, 1, 2)),
)


def product(x, axes):
    for axis in sorted(axes, reverse=True):
        x = x.prod(axis)
    return x


FUNCTIONS = (
    ("sum", lambda x, axes: x.sum(axes)),
    ("mean", lambda x, axes: x.mean(axes)),
    ("max", torch.amax),
    ("min", torch.amin),
    ("product", product),
    ("sum_of_squares", lambda x, axes: x.square().sum(axes)),
    ("l2", lambda x, axes: torch.linalg.vector_norm(x, 2, axes)),
    ("log_sum_exp", torch.logsumexp),
)


def write(golden):
    for name, extents, axes in CASES:
        # All different, so that largest and smallest are one each.
        count = torch.Size(extents).numel()
        x = ((torch.randperm(count) - count / 2 + 0.25) * (4 / count)).reshape(extents)
        dy = None
        golden.case(name)
        golden.tensor("x", x)
        for key, function in FUNCTIONS:
            x = x.detach().requires_grad_()
            x.grad = None
            y = function(x, axes)
            if dy is None:
                dy = golden.random(*y.shape)
                golden.tensor("dy", dy)
            y.backward(dy)
            golden.tensor(key, y)
            golden.tensor("d" + key, x.grad)
