"""Writes tests/fuzz/corpus/gguf_fuzz: small files of GGUF of every type, some with tensors of llama-tiny, and some that are spoilt."""

import os
import sys

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "cli"))

import gguf_file  # noqa: E402  (beside the tests that read such files)

LLAMA = {"general.architecture": "llama", "llama.block_count": 2, "llama.attention.layer_norm_rms_epsilon": 1e-5}


def files():
    draw = numpy.random.default_rng(1)
    for kind, (_number, values, _size) in gguf_file.TYPES.items():
        shape = (2, values)
        yield kind, gguf_file.file_of({"w": (kind, shape, gguf_file.random_blocks(kind, shape, draw))}, {})
    rows = {"blk.1.attn_k.weight": ("Q4_0", (32, 64)), "blk.0.attn_norm.weight": ("F32", (64,)), "output_norm.weight": ("F16", (64,))}
    tensors = {name: (kind, shape, gguf_file.random_blocks(kind, shape, draw)) for name, (kind, shape) in rows.items()}
    yield "of_llama", gguf_file.file_of(tensors, LLAMA)
    yield "version_2", gguf_file.file_of(tensors, {**LLAMA, "tokenizer.ggml.tokens": ["a", "bc", ""], "flag": True}, version=2, alignment=64)
    yield "nothing", gguf_file.file_of({}, {})
    whole = gguf_file.file_of(tensors, LLAMA)
    yield "cut_in_keys", whole[:60]
    yield "cut_in_data", whole[:-40]
    # As the target puts a beginning in front of it: one key and one tensor.
    yield "behind_a_beginning", b"\1\1" + gguf_file.file_of({"w": ("Q8_0", (2, 32), gguf_file.random_blocks("Q8_0", (2, 32), draw))},
                                                            {"general.architecture": "llama"})[24:]


def main():
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus", "gguf_fuzz")
    os.makedirs(folder, exist_ok=True)
    for name, data in files():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)


if __name__ == "__main__":
    main()
