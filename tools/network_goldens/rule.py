"""Values that need not be stored: each follows from the name of its tensor and from where it stands there. The tests make
the same ones (tests/networks/value_rule.h)."""

import numpy as np

PROJECTIONS = 4


def bits(name, count):
    """`count` words of 64 bits: splitmix64 (Steele et al., OOPSLA 2014), begun with the FNV-1a hash of the name."""
    start = 0xCBF29CE484222325
    for byte in name.encode():
        start = (start ^ byte) * 0x100000001B3 % 2**64
    with np.errstate(over="ignore"):
        z = np.uint64(start) + (np.arange(count, dtype=np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def values(name, shape, scale, offset):
    """float32: offset + scale u with u even in [-1, 1) in steps of 2^-23; product and sum are rounded once each."""
    count = int(np.prod(shape, dtype=np.int64))
    whole = (bits(name, count) >> np.uint64(40)).astype(np.int64) - 2**23
    u = whole.astype(np.float32) * np.float32(2.0**-23)
    return (np.float32(offset) + np.float32(scale) * u).reshape(shape)


def wholes(name, shape, below):
    """int64, in [0, below)."""
    count = int(np.prod(shape, dtype=np.int64))
    return (bits(name, count) % np.uint64(below)).astype(np.int64).reshape(shape)


def projections(name, gradient):
    """Sums of all values under random signs: bit k of the words of `name` says which of them projection k turns
    round. The square of such a sum is, on average over signs, the square of the L2 norm."""
    flat = gradient.reshape(-1).astype(np.float64)
    words = bits(name, flat.size)
    return [float(np.where(words >> np.uint64(k) & np.uint64(1), -flat, flat).sum()) for k in range(PROJECTIONS)]
