#!/usr/bin/python3
"""Writes the golden values of the kernels in poet/runtime with PyTorch 1.13 (Debian: python3-torch).

    tools/make_kernel_goldens.py            every family
    tools/make_kernel_goldens.py conv pool  these families

A family is a module in tools/kernel_goldens with a function write(golden); its values go to
tests/data/kernels/<family>.txt. Seeds are fixed: the same PyTorch writes the same bytes.
"""

import importlib
import sys
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "tests" / "data" / "kernels"


class Golden:
    """The lines of one family."""

    def __init__(self, family):
        self.lines = [f"# PyTorch {torch.__version__}; written by tools/make_kernel_goldens.py {family}"]

    def random(self, *shape):
        """Normal values in steps of 1/32, which are short to write; they ask for gradients."""
        return torch.randn(shape).mul(32).round().div(32).requires_grad_()

    def case(self, name):
        self.lines += ["", f"case {name}"]

    def whole(self, key, *values):
        self.lines.append(" ".join(["int", key, *(str(int(value)) for value in values)]))

    def real(self, key, *values):
        self.lines.append(" ".join(["float", key, *(f"{value:.9g}" for value in values)]))

    def tensor(self, key, values):
        """Floats with eight digits, more than any test asks for; whole numbers as they are."""
        values = values.detach()
        look = "{:.8g}" if values.is_floating_point() else "{:d}"
        numbers = [look.format(value) for value in values.reshape(-1).tolist()]
        self.lines.append(" ".join(["tensor", key, *map(str, values.shape), ":", *numbers]))


def main():
    sys.path.insert(0, str(ROOT / "tools"))
    sys.dont_write_bytecode = True
    torch.set_num_threads(1)
    families = sys.argv[1:] or sorted(path.stem for path in (ROOT / "tools" / "kernel_goldens").glob("*.py"))
    for family in families:
        torch.manual_seed(20260101)
        golden = Golden(family)
        importlib.import_module(f"kernel_goldens.{family}").write(golden)
        (FOLDER / f"{family}.txt").write_text("\n".join(golden.lines) + "\n")


if __name__ == "__main__":
    main()
