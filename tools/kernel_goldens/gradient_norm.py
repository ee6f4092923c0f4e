"""Gradients of three parameters, clipped to a norm over all of them."""

import torch


def write(golden):
    for name, limit in (("over", 1.5), ("under", 100)):
        parameters = [torch.zeros(extents, requires_grad=True) for extents in ((3, 5), (7,), (1,))]
        golden.case(name)
        golden.real("limit", limit)
        for number, parameter in enumerate(parameters):
            parameter.grad = golden.random(*parameter.shape).detach()
            golden.tensor(f"x{number}", parameter.grad)
        torch.nn.utils.clip_grad_norm_(parameters, limit)
        for number, parameter in enumerate(parameters):
            golden.tensor(f"clipped_x{number}", parameter.grad)
