#!/usr/bin/python3
"""Compares every value of every gradient of the networks of tools/make_network_goldens.py with PyTorch's.

    tools/compare_networks.py build/dev/tests/networks/network_gradients          all of them
    tools/compare_networks.py build/dev/tests/networks/network_gradients unet     those whose names begin so

Prints a table: the distance of a gradient g from g' is max |g - g'| / max |g'|, and of all parameters of a network the
largest counts. Gradients that are zero but for rounding are left out; docs/networks.md says which.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import torch

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "tests" / "data" / "networks"
sys.path.insert(0, str(ROOT / "tools"))
sys.dont_write_bytecode = True

from network_goldens.cases import CASES, EXPORTS  # noqa: E402
from network_goldens.network import Network, farthest, vanishing  # noqa: E402


def our_step(program, name, theirs):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, FOLDER / f"{name}.txt", folder], check=True)
        values = np.fromfile(Path(folder) / "gradients.bin", dtype=np.float32)
    gradients, begin = {}, 1
    for parameter, gradient in theirs.items():
        gradients[parameter] = values[begin : begin + gradient.size].reshape(gradient.shape)
        begin += gradient.size
    assert begin == values.size, f"{name}: {values.size} values of ours, {begin} of PyTorch's"
    return float(values[0]), gradients


def draw_of(name):
    lines = (FOLDER / f"{name}.txt").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("draw "))


def compare(program, name, network):
    draw = draw_of(name)
    loss, single = network.step(CASES[name], draw)
    _, double = network.step(CASES[name], draw, torch.float64)
    our_loss, ours = our_step(program, name, single)
    left_out = vanishing(double)
    values = sum(gradient.size for gradient in single.values())
    worst, parameter = farthest(ours, single, left_out)
    columns = [name, f"{len(single)}", f"{values:,}", f"{abs(our_loss - loss) / loss:.1e}", f"{worst:.1e}", parameter,
               f"{farthest(ours, double, left_out)[0]:.1e}", f"{farthest(single, double, left_out)[0]:.1e}"]
    print(f"| {' | '.join(columns)} |", flush=True)


def main():
    torch.set_num_threads(1)
    program, *beginnings = sys.argv[1:]
    print(f"PyTorch {torch.__version__}\n")
    print("| network | parameters | values | loss from PyTorch's | gradients from PyTorch's | the farthest "
          "| ours from double precision | PyTorch's from double precision |")
    print("|---|---:|---:|---:|---:|---|---:|---:|")
    for export in EXPORTS:
        names = [name for name, case in CASES.items()
                 if case.export == export and name.startswith(tuple(beginnings or [""]))]
        network = Network(EXPORTS[export]) if names else None
        for name in names:
            compare(program, name, network)


if __name__ == "__main__":
    main()
