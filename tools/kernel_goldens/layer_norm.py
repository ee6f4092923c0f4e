"""Layer normalisation with scale and bias."""

from torch.nn import functional


def write(golden):
    for rows, features, epsilon in ((5, 7, 1e-5), (2, 64, 1e-12), (3, 290, 1e-5)):
        x, scale, bias = golden.random(rows, features), golden.random(features), golden.random(features)
        y = functional.layer_norm(x, (features,), scale, bias, epsilon)
        dy = golden.random(rows, features)
        y.backward(dy)
        golden.case(f"rows_of_{features}")
        golden.whole("rows", rows)
        golden.whole("features", features)
        golden.real("epsilon", epsilon)
        for key, values in (("x", x), ("scale", scale), ("bias", bias), ("dy", dy), ("y", y)):
            golden.tensor(key, values)
        for key, values in (("dx", x.grad), ("dscale", scale.grad), ("dbias", bias.grad)):
            golden.tensor(key, values)
