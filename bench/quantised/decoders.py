"""Language models of whose weights the shapes are published: what the benchmarks of this folder write files of."""
import json
import struct
from typing import NamedTuple


class Decoder(NamedTuple):
    """The head is the table of words."""
    words: int
    layers: int
    hidden: int
    inner: int
    narrow: int  # keys and values, of all their heads
    has_biases: bool  # of queries, keys and values
    element: str  # in which a file of them is written, as safetensors has it

    def shapes(self):
        """By their published names."""
        tensors = {"model.embed_tokens.weight": [self.words, self.hidden], "model.norm.weight": [self.hidden]}
        for number in range(self.layers):
            layer = f"model.layers.{number}."
            for name, shape in (("self_attn.q_proj", [self.hidden, self.hidden]), ("self_attn.k_proj", [self.narrow, self.hidden]),
                                ("self_attn.v_proj", [self.narrow, self.hidden]), ("self_attn.o_proj", [self.hidden, self.hidden]),
                                ("mlp.gate_proj", [self.inner, self.hidden]), ("mlp.up_proj", [self.inner, self.hidden]),
                                ("mlp.down_proj", [self.hidden, self.inner]), ("input_layernorm", [self.hidden]),
                                ("post_attention_layernorm", [self.hidden])):
                tensors[layer + name + ".weight"] = shape
            if self.has_biases:
                for name, width in (("q", self.hidden), ("k", self.narrow), ("v", self.narrow)):
                    tensors[f"{layer}self_attn.{name}_proj.bias"] = [width]
        return tensors

    def write_seeded(self, path):
        """Weights of normal distribution, as a beginning of a training has them: norms of ones, biases of zeros."""
        import numpy as np

        random = np.random.default_rng(1)
        width = 2 if self.element == "BF16" else 4
        header, offset = {}, 0
        for name, shape in self.shapes().items():
            size = width * int(np.prod(shape))
            header[name] = {"dtype": self.element, "shape": shape, "data_offsets": [offset, offset + size]}
            offset += size
        text = json.dumps(header).encode()
        with open(path, "wb") as file:
            file.write(struct.pack("<Q", len(text)) + text)
            for name, shape in self.shapes().items():
                if "norm" in name:
                    values = np.ones(shape, np.float32)
                elif name.endswith("bias"):
                    values = np.zeros(shape, np.float32)
                else:
                    values = random.standard_normal(shape, dtype=np.float32) * np.float32(0.02)
                file.write(((values.view(np.uint32) >> 16).astype(np.uint16) if width == 2 else values).tobytes())


DECODERS = {
    "qwen2.5-0.5b": Decoder(words=151936, layers=24, hidden=896, inner=4864, narrow=128, has_biases=True, element="F32"),
    "llama-3.2-3b": Decoder(words=128256, layers=28, hidden=3072, inner=8192, narrow=1024, has_biases=False, element="BF16"),
}


def step(model, tokens):
    """The options of a step that trains adapters of rank 8 beside its frozen weights, with one text."""
    return ["--model", model, "--sequence-length", str(tokens), "--batch-size", "1", "--optimiser", "adamw",
            "--adapter", "lora:rank=8,alpha=16,targets=attention"]
