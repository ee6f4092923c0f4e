"""Margins of three kinds around the last two axes."""

from torch.nn import functional


def write(golden):
    for mode, name, value in ((0, "constant", 0.75), (1, "replicate", 0), (2, "reflect", 0)):
        x = golden.random(1, 2, 4, 5)
        keywords = {"value": value} if name == "constant" else {}
        y = functional.pad(x, (2, 0, 1, 3), mode=name, **keywords)
        dy = golden.random(*y.shape)
        y.backward(dy)
        golden.case(name)
        golden.whole("mode", mode)
        golden.real("value", value)
        for key, values in (("x", x), ("y", y), ("dy", dy), ("dx", x.grad)):
            golden.tensor(key, values)
