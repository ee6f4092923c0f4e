"""Convolutions and transposed convolutions of one, two and three dimensions, with every gradient."""

import torch

CONV = {1: torch.nn.functional.conv1d, 2: torch.nn.functional.conv2d, 3: torch.nn.functional.conv3d}
TRANSPOSED = {
    1: torch.nn.functional.conv_transpose1d,
    2: torch.nn.functional.conv_transpose2d,
    3: torch.nn.functional.conv_transpose3d,
}

# name, batch, C, M, groups, input, kernel, stride, padding, dilation
CONVOLUTIONS = (
    ("same_3x3", 2, 3, 5, 1, (4, 5), (3, 3), (1, 1), (1, 1), (1, 1)),
    ("strided_groups", 1, 4, 6, 2, (7, 8), (3, 2), (2, 3), (1, 0), (1, 1)),
    ("depthwise_dilated", 1, 3, 3, 3, (7, 7), (3, 3), (1, 1), (2, 2), (2, 2)),
    ("signal", 2, 3, 4, 1, (14,), (5,), (2,), (2,), (1,)),
    ("volume", 1, 2, 4, 1, (4, 4, 5), (2, 3, 3), (1, 2, 1), (0, 1, 1), (1, 1, 1)),
)
# The same, and the padding that only the output gets.
TRANSPOSED_CONVOLUTIONS = (
    ("upsample_2x2", 2, 4, 3, 1, (4, 3), (2, 2), (2, 2), (0, 0), (1, 1), (0, 0)),
    ("upsample_3x3_groups", 1, 4, 6, 2, (4, 5), (3, 3), (2, 2), (1, 1), (1, 1), (1, 1)),
    ("upsample_signal", 2, 2, 3, 1, (6,), (4,), (3,), (1,), (2,), (2,)),
)


def three(values, filler):
    return (filler,) * (3 - len(values)) + tuple(values)


def write_shape(golden, batch, in_channels, out_channels, groups, extents, options):
    golden.whole("batch", batch)
    golden.whole("in_channels", in_channels)
    golden.whole("out_channels", out_channels)
    golden.whole("groups", groups)
    for key, values in extents.items():
        golden.whole(key, *three(values, 1))
    stride, padding, dilation = options
    golden.whole("stride", *three(stride, 1))
    golden.whole("padding", *three(padding, 0))
    golden.whole("dilation", *three(dilation, 1))


def write_tensors(golden, x, w, bias, y):
    dy = golden.random(*y.shape)
    y.backward(dy)
    for key, values in (("x", x), ("w", w), ("bias", bias), ("y", y), ("dy", dy)):
        golden.tensor(key, values)
    for key, values in (("dx", x.grad), ("dw", w.grad), ("db", bias.grad)):
        golden.tensor(key, values)


def write(golden):
    for name, batch, c, m, groups, size, kernel, *options in CONVOLUTIONS:
        x, w, bias = golden.random(batch, c, *size), golden.random(m, c // groups, *kernel), golden.random(m)
        stride, padding, dilation = options
        y = CONV[len(size)](x, w, bias, stride, padding, dilation, groups)
        golden.case(name)
        golden.whole("transposed", 0)
        extents = {"input": size, "output": y.shape[2:], "kernel": kernel}
        write_shape(golden, batch, c, m, groups, extents, options)
        write_tensors(golden, x, w, bias, y)
    for name, batch, c, m, groups, size, kernel, *options, extra in TRANSPOSED_CONVOLUTIONS:
        x, w, bias = golden.random(batch, c, *size), golden.random(c, m // groups, *kernel), golden.random(m)
        stride, padding, dilation = options
        y = TRANSPOSED[len(size)](x, w, bias, stride, padding, extra, groups, dilation)
        golden.case(name)
        golden.whole("transposed", 1)
        # As the convolution whose gradient by the input it is.
        extents = {"input": y.shape[2:], "output": size, "kernel": kernel}
        write_shape(golden, batch, m, c, groups, extents, options)
        write_tensors(golden, x, w, bias, y)
