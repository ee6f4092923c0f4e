"""Tables of buffers that are made up, the same for the same seed: (lower, upper, size) each."""
import heapq
import random

UNIT = 64


def uniform(count, seed, life):
    """Lives of so many moments on average, anywhere in twice as many moments as there are buffers."""
    draw = random.Random(seed)
    moments = 2 * count
    blocks = []
    for _ in range(count):
        lower = draw.randrange(moments)
        blocks.append((lower, min(moments + 1, lower + 1 + int(draw.expovariate(1 / life))), size(draw, 0, 12)))
    return blocks


def training(count, seed):
    """A step: activations that live until their backward operation, gradients, and workspaces in both directions."""
    draw = random.Random(seed)
    layers = count // 4
    blocks = []
    for layer in range(layers):
        kept = size(draw, 4, 12)
        backward = 4 * layers - 2 * layer - 1
        blocks += [(2 * layer, backward + 2, kept), (2 * layer, 2 * layer + 2, size(draw, 2, 11)),
                   (backward, backward + 3, kept), (backward, backward + 1, size(draw, 2, 11))]
    return blocks


def cut(count, seed, height=1 << 20):
    """A rectangle cut into pieces: whoever finds its height again has wasted nothing."""
    draw = random.Random(seed)
    moments, units = 2 * count, height // UNIT
    pieces = [(-moments * units, 0, moments, 0, units)]
    while len(pieces) < count:
        area, lower, upper, bottom, top = heapq.heappop(pieces)
        if upper - lower < 2 and top - bottom < 2:
            heapq.heappush(pieces, (0, lower, upper, bottom, top))
            continue
        if top - bottom < 2 or (upper - lower > 1 and draw.random() < 0.5):
            middle = inside(draw, lower, upper)
            parts = [(lower, middle, bottom, top), (middle, upper, bottom, top)]
        else:
            middle = inside(draw, bottom, top)
            parts = [(lower, upper, bottom, middle), (lower, upper, middle, top)]
        for a, b, c, d in parts:
            heapq.heappush(pieces, (-(b - a) * (d - c) * draw.uniform(0.3, 1), a, b, c, d))
    blocks = [(lower, upper, (top - bottom) * UNIT) for _, lower, upper, bottom, top in pieces]
    draw.shuffle(blocks)
    return blocks


def size(draw, least, most):
    return UNIT * int(2 ** draw.uniform(least, most))


def inside(draw, low, high):
    return min(max(low + 1 + int((high - low - 1) * draw.betavariate(2, 2)), low + 1), high - 1)


def table(blocks):
    return "id,lower,upper,size\n" + "".join(f"{i},{a},{b},{s}\n" for i, (a, b, s) in enumerate(blocks))


def instances():
    """(name, blocks) of every table of the benchmark."""
    for count in (100, 300, 1000):
        for seed in (1, 2, 3):
            yield f"cut_{count}_{seed}", cut(count, seed)
            yield f"uniform_{count}_{seed}", uniform(count, seed, count // 4)
    for life in (20, 200, 2000):
        yield f"uniform_10000_life_{life}", uniform(10_000, 1, life)
    yield "training_10000", training(10_000, 1)
    yield "cut_10000", cut(10_000, 1)
