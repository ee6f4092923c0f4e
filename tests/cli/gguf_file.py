"""GGUF files as the format is published, for the tests of weights: written, and decoded with NumPy."""

import struct

import numpy

ALIGNMENT = 32
# Number, values of a block and its bytes.
TYPES = {"F32": (0, 1, 4), "F16": (1, 1, 2), "Q4_0": (2, 32, 18), "Q4_1": (3, 32, 20), "Q5_0": (6, 32, 22), "Q5_1": (7, 32, 24), "Q8_0": (8, 32, 34),
         "Q4_K": (12, 256, 144), "Q5_K": (13, 256, 176), "Q6_K": (14, 256, 210), "F64": (28, 1, 8), "BF16": (30, 1, 2)}


def text(value):
    return struct.pack("<Q", len(value)) + value.encode()


def value_of(value):
    """A number as others write it: whole ones of 32 bits, float32, a text, a list of texts."""
    if isinstance(value, str):
        return struct.pack("<I", 8) + text(value)
    if isinstance(value, list):
        return struct.pack("<IIQ", 9, 8, len(value)) + b"".join(text(one) for one in value)
    if isinstance(value, bool):
        return struct.pack("<IB", 7, value)
    return struct.pack("<If", 6, value) if isinstance(value, float) else struct.pack("<II", 4, value)


def padded(data, alignment):
    return data + b"\0" * (-len(data) % alignment)


def file_of(tensors, metadata, version=3, alignment=ALIGNMENT):
    """tensors: name to (type, shape with the outermost first, bytes)."""
    if alignment != ALIGNMENT:
        metadata = {**metadata, "general.alignment": alignment}
    head = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(metadata))
    for key, value in metadata.items():
        head += text(key) + value_of(value)
    data = b""
    for name, (kind, shape, values) in tensors.items():
        head += text(name) + struct.pack("<I", len(shape)) + b"".join(struct.pack("<Q", extent) for extent in reversed(shape))
        head += struct.pack("<IQ", TYPES[kind][0], len(data))
        data += padded(values, alignment)
    return padded(head, alignment) + data


def random_blocks(kind, shape, draw):
    """Any bits, but for scales: these are around a hundredth, so that values are as those of weights."""
    _number, values, size = TYPES[kind]
    count = int(numpy.prod(shape)) // values
    if values == 1:
        array = draw.normal(0, 0.1, shape)
        if kind == "BF16":
            return (array.astype("<f4").view("<u4") >> 16).astype("<u2").tobytes()
        return array.astype({"F32": "<f4", "F16": "<f2", "F64": "<f8"}[kind]).tobytes()
    blocks = draw.integers(0, 256, (count, size), dtype="u1")
    small = draw.normal(0, 0.01 if values == 32 else 0.0003, (count, 2)).astype("<f2").view("u1")
    if kind == "Q6_K":
        blocks[:, 208:] = small[:, :2]
    else:
        scales = 4 if kind[-1] in "1K" else 2
        blocks[:, :scales] = small[:, :scales]
    return blocks.tobytes()


def halves(blocks):
    return numpy.ascontiguousarray(blocks).view("<f2").astype("f4")


def nibbles(numbers):
    """The low halves of all bytes, and behind them the high ones."""
    return numpy.concatenate([numbers & 15, numbers >> 4], axis=-1)


def bits_of(numbers):
    return numpy.unpackbits(numbers, axis=-1, bitorder="little")


def groups_of(blocks):
    """Scales and least values of the eight groups of a block of 256, by one text of 96 bits."""
    low, middle, last = (blocks[:, 4 + 4 * i:8 + 4 * i] for i in range(3))
    scales = numpy.concatenate([low & 63, (last & 15) | (low >> 6 << 4)], axis=1)
    least = numpy.concatenate([middle & 63, (last >> 4) | (middle >> 6 << 4)], axis=1)
    return halves(blocks[:, :2]) * scales, halves(blocks[:, 2:4]) * least


def decoded_blocks(kind, blocks):
    first = halves(blocks[:, :2]) if kind != "Q6_K" else halves(blocks[:, 208:])
    if kind == "Q8_0":
        return first * blocks[:, 2:].view("i1").astype("f4")
    if kind == "Q4_0":
        return first * (nibbles(blocks[:, 2:]).astype("f4") - 8)
    if kind == "Q4_1":
        return first * nibbles(blocks[:, 4:]).astype("f4") + halves(blocks[:, 2:4])
    if kind == "Q5_0":
        return first * ((nibbles(blocks[:, 6:]) | bits_of(blocks[:, 2:6]) << 4).astype("f4") - 16)
    if kind == "Q5_1":
        return first * (nibbles(blocks[:, 8:]) | bits_of(blocks[:, 4:8]) << 4).astype("f4") + halves(blocks[:, 2:4])
    count = len(blocks)
    if kind == "Q6_K":
        low = numpy.concatenate([nibbles(blocks[:, :64]), nibbles(blocks[:, 64:128])], axis=1)
        high = numpy.concatenate([blocks[:, begin:begin + 32] >> shift & 3 for begin in (128, 160) for shift in (0, 2, 4, 6)], axis=1)
        scales = first * blocks[:, 192:208].view("i1").astype("f4")
        return numpy.repeat(scales, 16, axis=1) * ((low | high << 4).astype("f4") - 32)
    scales, least = groups_of(blocks)
    begin = 16 if kind == "Q4_K" else 48
    numbers = nibbles(blocks[:, begin:].reshape(count, 4, 32)).reshape(count, 256)
    if kind == "Q5_K":
        fifth = numpy.concatenate([blocks[:, 16:48] >> group & 1 for group in range(8)], axis=1)
        numbers = numbers | fifth << 4
    return numpy.repeat(scales, 32, axis=1) * numbers.astype("f4") - numpy.repeat(least, 32, axis=1)


def decoded(kind, shape, data):
    """The float32 values that a tensor stands for."""
    _number, values, size = TYPES[kind]
    if kind == "BF16":
        return (numpy.frombuffer(data, "<u2").astype("<u4") << 16).view("<f4").reshape(shape)
    if values == 1:
        return numpy.frombuffer(data, {"F32": "<f4", "F16": "<f2", "F64": "<f8"}[kind]).astype("f4").reshape(shape)
    blocks = numpy.frombuffer(data, "u1").reshape(-1, size)
    return decoded_blocks(kind, blocks).astype("f4").reshape(shape)
