#!/usr/bin/env python3
"""Runs an example that is written in cells, and writes it with its outputs as a notebook.

A cell begins with `# %%`, one of text with `# %% [markdown]`. As in a notebook, the value of a cell's last expression is
shown below it.

usage: notebook.py EXAMPLE.py    writes EXAMPLE.ipynb beside it
"""

import ast
import io
import json
import re
import sys
from contextlib import redirect_stdout
from pathlib import Path

CELL = re.compile(r"^# %%(.*)\n", re.MULTILINE)


def cells_of(text):
    """(is it text, its lines) of every cell."""
    pieces = CELL.split(text)
    for mark, body in zip(pieces[1::2], pieces[2::2]):
        is_text = "[markdown]" in mark
        lines = body.strip("\n")
        yield is_text, re.sub(r"^# ?", "", lines, flags=re.MULTILINE) if is_text else lines


def run(code, names):
    """The outputs of one cell, as the notebook format has them."""
    tree = ast.parse(code)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    value = None
    with redirect_stdout(printed):
        exec(compile(tree, "<cell>", "exec"), names)  # the example is ours
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
    outputs = []
    if printed.getvalue():
        outputs.append({"output_type": "stream", "name": "stdout", "text": lines_of(printed.getvalue())})
    if value is not None:
        data = {"text/plain": lines_of(repr(value))}
        if hasattr(value, "_repr_html_"):
            data["text/html"] = lines_of(value._repr_html_())
        outputs.append({"output_type": "execute_result", "execution_count": None, "metadata": {}, "data": data})
    return outputs


def lines_of(text):
    return text.splitlines(keepends=True)


def notebook(text):
    """The notebook, as JSON, of an example's text; every code cell is run, from top to bottom."""
    names = {"__name__": "__main__"}
    cells = []
    for number, (is_text, source) in enumerate(cells_of(text)):
        common = {"id": f"cell-{number}", "metadata": {}, "source": lines_of(source)}
        if is_text:
            cells.append({"cell_type": "markdown", **common})
        else:
            cells.append({"cell_type": "code", **common, "execution_count": None, "outputs": run(source, names)})
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
              "language_info": {"name": "python"}}
    return {"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}


def main():
    path = Path(sys.argv[1])
    made = notebook(path.read_text(encoding="utf-8"))
    path.with_suffix(".ipynb").write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
