"""Max and average pooling with padding, dilation and rounding up."""

from torch.nn import functional

# name, is_max, batch, C, input, window, stride, padding, dilation, rounds up, counts padding
CASES = (
    ("max_overlapping", 1, 2, 3, (7, 8), (3, 3), (2, 2), (1, 1), (1, 1), False, False),
    ("max_dilated_up", 1, 1, 2, (8, 9), (2, 3), (2, 3), (0, 1), (3, 1), True, False),
    ("max_signal", 1, 2, 2, (13,), (4,), (3,), (2,), (1,), True, False),
    ("max_volume", 1, 1, 2, (4, 5, 4), (2, 3, 2), (2, 1, 2), (1, 1, 0), (1, 1, 1), False, False),
    ("average_counted", 0, 2, 2, (7, 8), (3, 3), (2, 2), (1, 1), (1, 1), False, True),
    ("average_uncounted", 0, 2, 2, (7, 8), (3, 3), (2, 2), (1, 1), (1, 1), False, False),
    ("average_counted_up", 0, 1, 2, (6, 9), (3, 2), (2, 3), (1, 0), (1, 1), True, True),
    ("average_uncounted_up", 0, 1, 2, (6, 9), (3, 2), (2, 3), (1, 0), (1, 1), True, False),
    ("average_volume", 0, 1, 2, (5, 4, 4), (3, 2, 4), (2, 2, 1), (1, 1, 2), (1, 1, 1), True, True),
)
MAX = {1: functional.max_pool1d, 2: functional.max_pool2d, 3: functional.max_pool3d}
AVERAGE = {1: functional.avg_pool1d, 2: functional.avg_pool2d, 3: functional.avg_pool3d}


def three(values, filler):
    return (filler,) * (3 - len(values)) + tuple(values)


def write(golden):
    for name, is_max, batch, channels, size, window, stride, padding, dilation, ceil, counts in CASES:
        x = golden.random(batch, channels, *size)
        if is_max:
            y = MAX[len(size)](x, window, stride, padding, dilation, ceil)
        else:
            y = AVERAGE[len(size)](x, window, stride, padding, ceil, counts)
        dy = golden.random(*y.shape)
        y.backward(dy)
        golden.case(name)
        golden.whole("is_max", is_max)
        golden.whole("planes", batch * channels)
        golden.whole("counts_padding", counts)
        golden.whole("input", *three(size, 1))
        golden.whole("output", *three(y.shape[2:], 1))
        golden.whole("window", *three(window, 1))
        golden.whole("stride", *three(stride, 1))
        golden.whole("padding", *three(padding, 0))
        golden.whole("dilation", *three(dilation, 1))
        for key, values in (("x", x), ("y", y), ("dy", dy), ("dx", x.grad)):
            golden.tensor(key, values)
