"""Linear layers: y = x W^T + bias, with their gradients."""

import torch


def write(golden):
    for rows, columns, inner in ((1, 10, 70), (9, 5, 33), (16, 20, 24)):
        x = golden.random(rows, inner)
        w = golden.random(columns, inner)
        bias = golden.random(columns)
        y = torch.nn.functional.linear(x, w, bias)
        dy = golden.random(rows, columns)
        y.backward(dy)
        golden.case(f"linear_{rows}_{columns}_{inner}")
        golden.whole("rows", rows)
        golden.whole("columns", columns)
        golden.whole("inner", inner)
        for key, values in (("x", x), ("w", w), ("bias", bias), ("y", y), ("dy", dy), ("dx", x.grad), ("dw", w.grad)):
            golden.tensor(key, values)
