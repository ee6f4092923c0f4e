"""Batch normalisation in training, with its running statistics, and with frozen ones."""

from torch.nn import functional

# name, batch, C, pixels, epsilon, momentum
CASES = (("pictures", 3, 4, (3, 5), 1e-5, 0.1), ("vectors", 9, 5, (), 1e-3, 0.3))


def write(golden):
    for name, batch, channels, size, epsilon, momentum in CASES:
        for training in (True, False):
            x = golden.random(batch, channels, *size)
            scale, bias = golden.random(channels), golden.random(channels)
            mean, variance = golden.random(channels), golden.random(channels).abs() + 0.5
            old_mean, old_variance = mean.detach().clone(), variance.detach().clone()
            new_mean, new_variance = old_mean.clone(), old_variance.clone()
            y = functional.batch_norm(x, new_mean, new_variance, scale, bias, training, momentum, epsilon)
            dy = golden.random(*y.shape)
            y.backward(dy)
            golden.case(f"{name}_{'training' if training else 'inference'}")
            golden.whole("training", training)
            golden.whole("batch", batch)
            golden.whole("channels", channels)
            golden.whole("pixels", x[0][0].numel())
            golden.real("epsilon", epsilon)
            golden.real("momentum", momentum)
            for key, values in (
                ("x", x),
                ("scale", scale),
                ("bias", bias),
                ("running_mean", old_mean),
                ("running_variance", old_variance),
                ("dy", dy),
                ("y", y),
                ("new_running_mean", new_mean),
                ("new_running_variance", new_variance),
                ("dx", x.grad),
                ("dscale", scale.grad),
                ("dbias", bias.grad),
            ):
                golden.tensor(key, values)
