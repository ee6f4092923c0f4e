"""GGUF files, written here by the format that is published: read by the program, names and rows put back, to the bits of blocks decoded here."""

import os
import struct
import unittest

import program
from program import poet

from safetensors_file import read

try:
    import numpy
    import gguf_file
except ImportError:
    numpy = None

LLAMA = {"general.architecture": "llama", "general.name": "Tiny", "llama.vocab_size": 512, "llama.embedding_length": 64, "llama.block_count": 2,
         "llama.attention.head_count": 4, "llama.attention.head_count_kv": 2, "llama.feed_forward_length": 128,
         "llama.attention.layer_norm_rms_epsilon": 1e-5, "llama.rope.freq_base": 10000.0, "tokenizer.ggml.tokens": ["a", "b", ""]}
NAMES = {"self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output",
         "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down", "input_layernorm": "attn_norm",
         "post_attention_layernorm": "ffn_norm"}
GEMMA_NAMES = {**NAMES, "self_attn.q_norm": "attn_q_norm", "self_attn.k_norm": "attn_k_norm", "post_attention_layernorm": "post_attention_norm",
               "pre_feedforward_layernorm": "ffn_norm", "post_feedforward_layernorm": "post_ffw_norm"}
GPT2_NAMES = {"attn.c_attn": "attn_qkv", "attn.c_proj": "attn_output", "mlp.c_fc": "ffn_up", "mlp.c_proj": "ffn_down", "ln_1": "attn_norm",
              "ln_2": "ffn_norm"}
OUTER = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "transformer.wte": "token_embd", "transformer.wpe": "position_embd",
         "transformer.ln_f": "output_norm"}


def name_there(name, names):
    """What llama.cpp calls a tensor of a folder of Hugging Face."""
    module, end = name.rsplit(".", 1)
    if module in OUTER:
        return f"{OUTER[module]}.{end}"
    _model, _layers, layer, rest = module.split(".", 3)
    return f"blk.{layer}.{names[rest]}.{end}"


def paired(array, head):
    """Rows as llama.cpp has them: of a head, those of its halves in turn."""
    return array.reshape(-1, 2, head // 2, *array.shape[1:]).swapaxes(1, 2).reshape(array.shape)


def unpaired(array, head):
    return array.reshape(-1, head // 2, 2, *array.shape[1:]).swapaxes(1, 2).reshape(array.shape)


@unittest.skipIf(numpy is None, "python3-numpy is not installed")
class Gguf(program.InAFolder):
    def ok(self, *arguments):
        ended = poet(*arguments, cwd=self.folder)
        self.assertEqual(ended.code, 0, ended.err + ended.out)
        return ended

    def write(self, name, tensors, metadata, **how):
        with open(self.path(name), "wb") as file:
            file.write(gguf_file.file_of(tensors, metadata, **how))

    def weights(self, network, *options, out="w.safetensors"):
        self.ok("export", "safetensors", "--model", network, *options, "--out", out)
        return {name: numpy.frombuffer(data, "<f4").reshape(shape) for name, (_kind, shape, data) in read(self.path(out)).items()}

    def assert_same(self, ours, wanted):
        self.assertEqual(set(ours), set(wanted))
        for name, value in wanted.items():
            self.assertEqual(ours[name].tobytes(), numpy.ascontiguousarray(value, "<f4").tobytes(), name)

    def made_up(self, kinds, draw):
        """A llama-tiny of GGUF, and what its tensors are for Hugging Face's libraries."""
        tensors, wanted = {}, {}
        for i, (name, value) in enumerate(self.weights("llama-tiny").items()):
            there = name_there(name, NAMES)
            # Rows of 64 and 128 values hold no block of 256.
            kind = kinds[i % len(kinds)] if value.ndim == 2 else "F32"
            if gguf_file.TYPES[kind][1] == 256 and value.shape[-1] % 256:
                kind = "Q8_0"
            data = gguf_file.random_blocks(kind, value.shape, draw)
            tensors[there] = (kind, value.shape, data)
            values = gguf_file.decoded(kind, value.shape, data)
            wanted[name] = unpaired(values, 16) if there.rsplit(".", 2)[-2] in ("attn_q", "attn_k") else values
        return tensors, wanted

    def test_values_of_all_types_are_those_decoded_here(self):
        draw = numpy.random.default_rng(5)
        for version, alignment, kinds in ((3, 32, ("Q8_0", "Q4_0", "F16", "Q5_1")), (2, 64, ("Q4_1", "Q5_0", "BF16", "F32", "F64"))):
            with self.subTest(kinds=kinds):
                tensors, wanted = self.made_up(kinds, draw)
                tensors["rope_freqs.weight"] = ("F32", (8,), numpy.ones(8, "<f4").tobytes())
                self.write("tiny.gguf", tensors, LLAMA, version=version, alignment=alignment)
                self.assert_same(self.weights("llama-tiny", "--weights", "tiny.gguf"), wanted)
        # Quantised by POET, it is a file of the same names, whose rows are put back too.
        self.ok("quantise", "tiny.gguf", "--out", "again.safetensors", "--bits", "8")
        for name, value in self.weights("llama-tiny", "--weights", "again.safetensors").items():
            self.assertLess(abs(value - wanted[name]).max(), abs(wanted[name]).max() / 200, name)

    def test_blocks_of_256(self):
        draw = numpy.random.default_rng(6)
        shape = (3, 512)
        for kind in ("Q4_K", "Q5_K", "Q6_K"):
            data = gguf_file.random_blocks(kind, shape, draw)
            self.write("two.gguf", {"w": (kind, shape, data), "x": ("F32", (1, 32), bytes(128))}, {"general.architecture": "none"})
            self.ok("quantise", "two.gguf", "--out", "two.safetensors", "--bits", "8", "--tensors", "regex:^x$")
            kind_there, shape_there, values = read(self.path("two.safetensors"))["w"]
            self.assertEqual((kind_there, shape_there), ("F32", shape))
            self.assertEqual(values, gguf_file.decoded(kind, shape, data).tobytes(), kind)

    def test_blocks_stay_blocks(self):
        """What is computed and learnt is that of the decoded values, to the bit, and steps decode."""
        tensors, wanted = self.made_up(("Q8_0", "Q4_0"), numpy.random.default_rng(8))
        self.write("tiny.gguf", tensors, LLAMA)
        self.weights("llama-tiny", "--weights", "tiny.gguf", out="decoded.safetensors")
        network = ["--model", "llama-tiny", "--sequence-length", "8", "--adapter", "lora:rank=2,targets=all"]
        train = ["train", *network, "--batch-size", "2", "--examples", "8", "--test-examples", "0", "--steps", "3", "--no-keep-plans", "--json",
                 "--quiet"]
        losses = [self.ok(*train, "--weights", path, *options).json()["losses"] for path, options in
                  (("tiny.gguf", []), ("decoded.safetensors", []), ("tiny.gguf", ["--frozen", "storage", "--ram-budget", "40%way", "--storage", "."]))]
        self.assertEqual(losses[0], losses[1])
        self.assertEqual(losses[0], losses[2])
        inspected = self.ok("inspect", "llama-tiny", *network[2:], "--weights", "tiny.gguf").out
        self.assertIn("decode_blocks", inspected)
        self.assert_same(self.weights("llama-tiny", "--weights", "decoded.safetensors"), wanted)

    def test_is_used_where_nothing_is_trained(self):
        tensors, _wanted = self.made_up(("Q8_0", "Q4_0"), numpy.random.default_rng(9))
        self.write("tiny.gguf", tensors, LLAMA)
        self.weights("llama-tiny", "--weights", "tiny.gguf", out="decoded.safetensors")
        network = ["--model", "llama-tiny", "--sequence-length", "8", "--batch-size", "2", "--examples", "4", "--quiet"]
        logits = []
        for path in ("tiny.gguf", "decoded.safetensors"):
            self.ok("predict", *network, "--weights", path, "--out", "logits.npy")
            logits.append(numpy.load(self.path("logits.npy")).tobytes())
            self.ok("eval", *network, "--weights", path)
        self.assertEqual(*logits)
        self.assertIn("is quantised and stays as it is", poet("train", *network, "--weights", "tiny.gguf", "--steps", "1", cwd=self.folder).err)

    def test_positions_that_are_stretched_are_of_another_network(self):
        tensors, _wanted = self.made_up(("F32",), numpy.random.default_rng(10))
        command = ["export", "safetensors", "--model", "llama-tiny", "--weights", "tiny.gguf", "--out", "x.safetensors"]
        other = "tiny.gguf: the configuration is of another network than llama-tiny: "
        self.write("tiny.gguf", {**tensors, "rope_freqs.weight": ("F32", (8,), numpy.full(8, 8, "<f4").tobytes())}, LLAMA)
        self.assert_refused(other + "rope_scaling is an object and not absent", *command)
        self.write("tiny.gguf", tensors, {**LLAMA, "llama.rope.scaling.type": "yarn"})
        self.assert_refused(other + "rope_scaling is an object and not absent", *command)
        self.write("tiny.gguf", tensors, {**LLAMA, "llama.rope.dimension_count": 8})
        self.assert_refused(other + "head_dim is 8 and not 16", *command)

    def test_other_architectures(self):
        # Gemma's norms are 1 + w there, and its rows are not paired.
        gemma = self.weights("gemma-tiny")
        tensors = {}
        for name, value in gemma.items():
            there = value + numpy.float32(1) if "norm" in name else value
            tensors[name_there(name, GEMMA_NAMES)] = ("F32", value.shape, there.tobytes())
        wanted = {name: (value + numpy.float32(1)) - numpy.float32(1) if "norm" in name else value for name, value in gemma.items()}
        self.write("gemma.gguf", tensors, {"general.architecture": "gemma3", "gemma3.block_count": 2})
        self.assert_same(self.weights("gemma-tiny", "--weights", "gemma.gguf"), wanted)
        # GPT-2's matrices are turned there.
        gpt2 = self.weights("gpt2-tiny")
        tensors = {}
        for name, value in gpt2.items():
            there = value.T if name.rsplit(".", 1)[0].endswith(("c_attn", "c_proj", "c_fc")) and value.ndim == 2 else value
            tensors[name_there(name, GPT2_NAMES)] = ("F32", there.shape, numpy.ascontiguousarray(there).tobytes())
        tensors["output.weight"] = tensors["token_embd.weight"]
        self.write("gpt2.gguf", tensors, {"general.architecture": "gpt2", "gpt2.block_count": 2})
        self.assert_same(self.weights("gpt2-tiny", "--weights", "gpt2.gguf"), gpt2)

    def test_refusals(self):
        tensors, _wanted = self.made_up(("Q8_0",), numpy.random.default_rng(7))
        command = ["export", "safetensors", "--model", "llama-tiny", "--weights", "tiny.gguf", "--out", "x.safetensors"]
        where = "tiny.gguf: "
        self.write("tiny.gguf", tensors, {**LLAMA, "general.architecture": "qwen2", "qwen2.block_count": 24})
        self.assert_refused(where + "the configuration is of another network than llama-tiny: model_type is \"qwen2\" and not \"llama\", "
                            "num_hidden_layers is 24 and not 2", *command)
        self.write("tiny.gguf", tensors, {})
        self.assert_refused(where + "it does not say of which architecture it is, by a text 'general.architecture'", *command)
        self.write("tiny.gguf", {**tensors, "output.weight": tensors["blk.0.attn_q.weight"]}, LLAMA)
        self.assert_refused(where + "'token_embd.weight' and 'output.weight' differ, and the network has one tensor for both", *command)
        some = dict(list(tensors.items())[:-1])
        self.write("tiny.gguf", some, LLAMA)
        ended = poet(*command, cwd=self.folder)
        self.assertIn("they lack 'output_norm.weight'", ended.err)
        self.write("tiny.gguf", {**tensors, "blk.9.attn_q.weight": ("F32", (1,), bytes(4))}, LLAMA)
        self.assertIn("has no place for 'blk.9.attn_q.weight'", poet(*command, cwd=self.folder).err)
        whole = gguf_file.file_of(tensors, LLAMA)
        for size in (3, 7, 30, 200, 1500, len(whole) - 40):
            with open(self.path("tiny.gguf"), "wb") as file:
                file.write(whole[:size])
            ended = poet(*command, cwd=self.folder)
            self.assertEqual(ended.code, 2, size)
            self.assertEqual(ended.err.count("\n"), 1, ended.err)
        with open(self.path("tiny.gguf"), "wb") as file:
            file.write(whole[:4] + struct.pack("<I", 1) + whole[8:])
        self.assert_refused(where + "it is of version 1 of GGUF, and POET reads 2 and 3 as machines with the low byte first write them", *command)
        self.assertFalse(os.path.exists(self.path("x.safetensors")))


if __name__ == "__main__":
    program.run_tests()
