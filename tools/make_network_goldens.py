#!/usr/bin/python3
"""Exports whole networks with PyTorch 1.13 (Debian: python3-torch, python3-onnx), and writes the loss and the gradients of
one training step of each as PyTorch calculates them.

    tools/make_network_goldens.py                  every network
    tools/make_network_goldens.py bert_tiny unet   those whose names begin so

tests/data/networks gets <export>.onnx, without weights: those follow from their names (tools/network_goldens/rule.py); and
<case>.txt: the loss, and of every gradient figures of all of it and some of its values. docs/networks.md says what they
prove. tools/compare_networks.py compares every value.
"""

import sys
from pathlib import Path

import numpy as np
import torch

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "tests" / "data" / "networks"
sys.path.insert(0, str(ROOT / "tools"))
sys.dont_write_bytecode = True

from network_goldens import rule  # noqa: E402
from network_goldens.cases import CASES, EXPORTS  # noqa: E402
from network_goldens.network import Network, first_steady_draw, vanishing, without_weights  # noqa: E402

SAMPLES = 64
LARGE = 0.01  # half of the samples are among these of the largest values


def text(values):
    return " ".join(f"{float(value):.9g}" for value in values)


def shape_text(shape):
    return " ".join(map(str, shape))


def sample_places(name, gradient):
    size = np.abs(gradient.reshape(-1))
    if size.size <= SAMPLES:
        return np.arange(size.size)
    random = np.random.default_rng(rule.bits(name, 1)[0])
    large = np.argsort(-size, kind="stable")[: max(SAMPLES, int(LARGE * size.size))]
    among_large = random.choice(large, SAMPLES // 2, replace=False)
    others = np.setdiff1d(random.choice(size.size, SAMPLES, replace=False), among_large)
    return np.sort(np.concatenate([among_large, others[: SAMPLES - SAMPLES // 2]]))


def gradient_lines(name, gradient):
    flat = gradient.reshape(-1)
    wide = flat.astype(np.float64)
    places = sample_places(name, gradient)
    return [
        f"gradient {name} {shape_text(gradient.shape)}",
        f"figures {text([np.sqrt((wide * wide).sum()), np.abs(wide).max(), wide.sum()])}",
        f"projections {text(rule.projections(name, gradient))}",
        "samples " + " ".join(f"{place} {flat[place]:.9g}" for place in places),
    ]


def golden(name, case, network):
    draw = first_steady_draw(network, case)
    loss, gradients = network.step(case, draw)
    left_out = vanishing(network.step(case, draw, torch.float64)[1])
    lines = [f"# PyTorch {torch.__version__}; written by tools/make_network_goldens.py {name}",
             f"model {case.export}.onnx", f"batch_norms {case.batch_norms}", f"draw {draw}"]
    if network.export.vocabulary:
        lines.append(f"tokens {network.export.vocabulary} {shape_text(network.export.shape)}")
    else:
        lines.append(f"pictures {shape_text(network.export.shape)}")
    lines.append(f"labels {case.classes} {shape_text(case.labels)}")
    for weight, tensor, transposed, scale, offset in network.weights:
        shape = tensor.t().shape if transposed else tensor.shape
        lines.append(f"weight {weight} {scale:.9g} {offset:.9g} {shape_text(shape)}")
    lines.append(f"loss {loss:.9g}")
    for parameter, gradient in gradients.items():
        lines += gradient_lines(parameter, gradient)
        if parameter in left_out:
            lines.append("vanishes")
    return "\n".join(lines) + "\n"


def main():
    torch.set_num_threads(1)
    FOLDER.mkdir(parents=True, exist_ok=True)
    chosen = [name for name in EXPORTS if name.startswith(tuple(sys.argv[1:] or [""]))]
    for export in chosen:
        network = Network(EXPORTS[export])
        (FOLDER / f"{export}.onnx").write_bytes(without_weights(network, f"{export}.weights"))
        for name, case in CASES.items():
            if case.export == export:
                (FOLDER / f"{name}.txt").write_text(golden(name, case, network))


if __name__ == "__main__":
    main()
