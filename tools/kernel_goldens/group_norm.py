"""Group normalisation, of which instance normalisation is a case."""

from torch.nn import functional


def write(golden):
    for name, batch, channels, size, groups, epsilon in (
        ("groups", 2, 6, (3, 4), 3, 1e-5),
        ("instances", 2, 4, (5, 3), 4, 1e-3),
        ("one_group", 3, 5, (7,), 1, 1e-5),
    ):
        x = golden.random(batch, channels, *size)
        scale, bias = golden.random(channels), golden.random(channels)
        y = functional.group_norm(x, groups, scale, bias, epsilon)
        dy = golden.random(*y.shape)
        y.backward(dy)
        golden.case(name)
        golden.whole("batch", batch)
        golden.whole("channels", channels)
        golden.whole("pixels", x[0][0].numel())
        golden.whole("groups", groups)
        golden.real("epsilon", epsilon)
        for key, values in (("x", x), ("scale", scale), ("bias", bias), ("dy", dy), ("y", y)):
            golden.tensor(key, values)
        for key, values in (("dx", x.grad), ("dscale", scale.grad), ("dbias", bias.grad)):
            golden.tensor(key, values)
