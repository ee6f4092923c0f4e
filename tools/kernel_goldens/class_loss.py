"""Cross-entropies and negative log-likelihoods in several reductions, and their gradients."""

import torch
from torch.nn import functional

REDUCTIONS = ("none", "sum", "mean")


def write(golden):
    options = ((0, False, 0.0, 1), (1, True, 0.0, 1), (2, False, 0.0, 6), (2, True, 0.0, 6), (2, False, 0.125, 6), (2, True, 0.125, 6))
    for softmax in (1, 0):
        for reduction, weighted, smoothing, pixels in options:
            extents = (4, 5) if pixels == 1 else (4, 5, pixels)
            x = golden.random(*extents)
            if not softmax:
                smoothing = 0.0
                x = functional.log_softmax(x.detach(), 1).requires_grad_()
            labels = torch.randint(0, 5, (4,) if pixels == 1 else (4, pixels))
            labels[1] = -100
            weights = golden.random(5).detach().abs() + 0.25 if weighted else None
            keywords = {"weight": weights, "reduction": REDUCTIONS[reduction]}
            if softmax:
                loss = functional.cross_entropy(x, labels, label_smoothing=smoothing, **keywords)
            else:
                loss = functional.nll_loss(x, labels, **keywords)
            dloss = golden.random(*loss.shape)
            loss.backward(dloss)
            golden.case(f"{'softmax' if softmax else 'likelihood'}_{REDUCTIONS[reduction]}_{weighted}_{smoothing}")
            golden.whole("softmax", softmax)
            golden.whole("batch", 4)
            golden.whole("classes", 5)
            golden.whole("pixels", pixels)
            golden.whole("ignore_index", -100)
            golden.whole("reduction", reduction)
            golden.real("label_smoothing", smoothing)
            golden.tensor("x", x)
            golden.tensor("labels", labels)
            if weighted:
                golden.tensor("weights", weights)
            for key, values in (("dloss", dloss), ("loss", loss), ("dx", x.grad)):
                golden.tensor(key, values)
