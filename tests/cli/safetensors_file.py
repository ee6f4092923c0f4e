"""Safetensors files as the format is published, for the tests of weights."""

import json
import struct


def count_of(shape):
    count = 1
    for extent in shape:
        count *= extent
    return count


def write(path, tensors, metadata=None):
    """tensors: name to (dtype, shape, bytes)."""
    header, offset = {} if metadata is None else {"__metadata__": metadata}, 0
    for name, (kind, shape, data) in tensors.items():
        header[name] = {"dtype": kind, "shape": list(shape), "data_offsets": [offset, offset + len(data)]}
        offset += len(data)
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for _kind, _shape, data in tensors.values():
            file.write(data)


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + length])
    header.pop("__metadata__", None)
    return {name: (entry["dtype"], tuple(entry["shape"]), data[8 + length + entry["data_offsets"][0]:8 + length + entry["data_offsets"][1]])
            for name, entry in header.items()}
