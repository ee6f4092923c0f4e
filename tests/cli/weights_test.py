"""Published weights: files written here by the layout that is published, read by the program, and written back to the same bits."""

import json
import os
import random
import struct
import unittest

import program
from program import poet

from safetensors_file import count_of, read, write
from zoo_test import decoder, torch

if torch is not None:
    import numpy

TINY = ["--model", "llama-tiny", "--sequence-length", "12"]
TINY_CONFIG = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "vocab_size": 512, "hidden_size": 64, "num_hidden_layers": 2,
               "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16, "intermediate_size": 128, "rms_norm_eps": 1e-05,
               "rope_theta": 10000.0, "rope_scaling": None, "tie_word_embeddings": True, "torch_dtype": "bfloat16"}
SIZES = {"F32": 4, "F16": 2, "BF16": 2, "F64": 8, "I64": 8, "I8": 1}


def packed(kind, values):
    if kind == "BF16":
        return b"".join(struct.pack("<f", value)[2:] for value in values)
    return struct.pack(f"<{len(values)}{ {'F32': 'f', 'F16': 'e', 'F64': 'd', 'I64': 'q', 'I8': 'b'}[kind]}", *values)


def as_float32(kind, data):
    """The bytes of the float32 values that a tensor stands for."""
    if kind == "BF16":
        return b"".join(b"\0\0" + data[i:i + 2] for i in range(0, len(data), 2))
    letter = {"F32": "f", "F16": "e", "F64": "d"}[kind]
    values = struct.unpack(f"<{len(data) // SIZES[kind]}{letter}", data)
    return struct.pack(f"<{len(values)}f", *values)


def tiny_shapes():
    shapes = {"model.embed_tokens.weight": (512, 64)}
    for i in range(2):
        layer = f"model.layers.{i}."
        shapes.update({layer + "input_layernorm.weight": (64,), layer + "self_attn.q_proj.weight": (64, 64),
                       layer + "self_attn.k_proj.weight": (32, 64), layer + "self_attn.v_proj.weight": (32, 64),
                       layer + "self_attn.o_proj.weight": (64, 64), layer + "post_attention_layernorm.weight": (64,),
                       layer + "mlp.gate_proj.weight": (128, 64), layer + "mlp.up_proj.weight": (128, 64),
                       layer + "mlp.down_proj.weight": (64, 128)})
    shapes["model.norm.weight"] = (64,)
    return shapes


def made_up(shapes, kinds=("F32",)):
    draw = random.Random(7)
    tensors = {}
    for i, (name, shape) in enumerate(shapes.items()):
        kind = kinds[i % len(kinds)]
        middle = 1 if "norm" in name else 0
        tensors[name] = (kind, shape, packed(kind, [middle + draw.gauss(0, 0.1) for _ in range(count_of(shape))]))
    return tensors


class WithFiles(program.InAFolder):
    def ok(self, *arguments):
        ended = poet(*arguments, cwd=self.folder)
        self.assertEqual(ended.code, 0, ended.err + ended.out)
        return ended

    def folder_of(self, name, tensors, config=None):
        os.mkdir(self.path(name))
        write(self.path(name + "/model.safetensors"), tensors, {"format": "pt"})
        if config is not None:
            with open(self.path(name + "/config.json"), "w", encoding="utf-8") as file:
                json.dump(config, file, indent=2)

    def written_back(self, *arguments, out="back.safetensors"):
        self.ok("export", "safetensors", *arguments, "--out", out)
        return read(self.path(out))

    def assert_same(self, back, tensors):
        self.assertEqual(set(back), set(tensors))
        for name, (kind, shape, data) in tensors.items():
            self.assertEqual(back[name], ("F32", shape, as_float32(kind, data)), name)


class Weights(WithFiles):
    # --- To the same bits

    def test_every_float_type_in_one_folder(self):
        tensors = made_up(tiny_shapes(), ("F32", "BF16", "F16", "F64"))
        self.folder_of("tiny", tensors, TINY_CONFIG)
        self.assert_same(self.written_back(*TINY, "--weights", "tiny"), tensors)
        self.assert_same(self.written_back(*TINY, "--weights", "tiny/model.safetensors"), tensors)

    def test_several_files_by_their_index(self):
        tensors = made_up(tiny_shapes())
        os.mkdir(self.path("tiny"))
        names, index = list(tensors), {}
        for part, chosen in enumerate((names[:9], names[9:]), 1):
            file = f"model-0000{part}-of-00002.safetensors"
            write(self.path("tiny/" + file), {name: tensors[name] for name in chosen})
            index.update(dict.fromkeys(chosen, file))
        with open(self.path("tiny/model.safetensors.index.json"), "w", encoding="utf-8") as file:
            json.dump({"metadata": {"total_size": 1}, "weight_map": index}, file)
        self.assert_same(self.written_back(*TINY, "--weights", "tiny"), tensors)

    def test_a_folder_that_is_written_and_read_again(self):
        first = self.ok("export", "safetensors", *TINY, "--seed", "5", "--out", "made")
        self.assertEqual(first.out, "106,816 parameters, as the network begins\n\n  wrote made/model.safetensors\n  wrote made/config.json\n")
        with open(self.path("made/config.json"), encoding="utf-8") as file:
            config = json.load(file)
        for key in set(config) & set(TINY_CONFIG):
            self.assertEqual(config[key], TINY_CONFIG[key], key)
        self.assertEqual(config["hidden_size"], 64)
        # Over itself, too: what is read stays mapped while the new file takes its place.
        self.ok("export", "safetensors", *TINY, "--weights", "made", "--out", "made")
        self.assert_same(self.written_back(*TINY, "--weights", "made"), read(self.path("made/model.safetensors")))

    def test_matrices_the_other_way_round_and_several_in_one(self):
        network = ["--model", "gpt2-tiny", "--sequence-length", "8"]
        made = self.written_back(*network, "--seed", "3", out="made.safetensors")
        self.assertEqual(made["transformer.h.0.attn.c_attn.weight"][1], (128, 384))
        self.assertEqual(made["transformer.h.0.mlp.c_fc.weight"][1], (128, 512))
        self.assert_same(self.written_back(*network, "--weights", "made.safetensors"), made)
        # Without the prefix, as the file that was published.
        bare = {name[len("transformer."):]: tensor for name, tensor in made.items()}
        bare["h.0.attn.bias"] = ("F32", (1,), packed("F32", [1]))
        write(self.path("bare.safetensors"), bare)
        self.assert_same(self.written_back(*network, "--weights", "bare.safetensors"), made)
        predict = ["predict", *network, "--batch-size", "2", "--examples", "2", "--no-keep-plans", "--out"]
        self.ok(*predict, "seed.npy", "--seed", "3")
        self.ok(*predict, "file.npy", "--seed", "3", "--weights", "bare.safetensors")
        with open(self.path("seed.npy"), "rb") as one, open(self.path("file.npy"), "rb") as other:
            self.assertEqual(one.read(), other.read())

    def test_pictures(self):
        for network in (["--model", "vit-s16", "--image-size", "16", "--classes", "3"], ["--model", "resnet8"],
                        ["--model", "bert-tiny", "--sequence-length", "8"]):
            with self.subTest(network[1]):
                made = self.written_back(*network, "--seed", "2", out="made.safetensors")
                made["bn1.num_batches_tracked"] = ("I64", (), packed("I64", [7]))
                write(self.path("more.safetensors"), made)
                del made["bn1.num_batches_tracked"]
                self.assert_same(self.written_back(*network, "--weights", "more.safetensors"), made)

    # --- What begins with them

    def test_a_training_of_some_parameters(self):
        tensors = made_up(tiny_shapes(), ("F32", "BF16"))
        self.folder_of("tiny", tensors, TINY_CONFIG)
        self.ok("train", *TINY, "--weights", "tiny", "--train", "regex:layers[.]1", "--steps", "2", "--batch-size", "2", "--examples", "4",
                "--test-examples", "0", "--checkpoint", "a.ckpt", "--no-keep-plans", "--quiet")
        trained = self.written_back(*TINY, "--weights", "tiny", "--checkpoint", "a.ckpt")
        for name, (kind, _shape, data) in tensors.items():
            same = trained[name][2] == as_float32(kind, data)
            self.assertEqual(same, "layers.1" not in name, name)
        # What was not trained is not in the checkpoint, and drawn values in its place would be another network.
        said = ("poet: of the checkpoint 'a.ckpt' only what was trained is taken (regex:layers[.]1), and the rest of this network does not begin "
                "as it did then: give the same --weights, --seed and sizes\n")
        use = ["--batch-size", "2", "--examples", "4", "--checkpoint", "a.ckpt", "--quiet"]
        for words in (["eval", *TINY, "--train", "regex:layers[.]1", *use], ["predict", *TINY, *use],
                      ["export", "safetensors", *TINY, "--checkpoint", "a.ckpt", "--out", "other"]):
            ended = poet(*words, cwd=self.folder)
            self.assertEqual((ended.code, ended.err), (2, said))
        self.ok("eval", *TINY, "--weights", "tiny", "--train", "regex:layers[.]1", *use)

    def test_an_onnx_file(self):
        network = ["--model", "digits-mlp"]
        self.ok("export", "onnx", *network, "--out", "net.onnx")
        other = self.written_back(*network, "--seed", "9", out="other.safetensors")
        self.assert_same(self.written_back("--model", "net.onnx", "--weights", "other.safetensors"), other)
        self.ok("export", "onnx", "--model", "net.onnx", "--weights", "other.safetensors", "--out", "new.onnx")
        self.assert_same(self.written_back("--model", "new.onnx"), other)
        evaluate = ["eval", "--batch-size", "1", "--examples", "8", "--no-keep-plans", "--json", "--model"]
        with_weights = self.ok(*evaluate, "net.onnx", "--weights", "other.safetensors").json()
        self.assertEqual(with_weights, self.ok(*evaluate, "new.onnx").json())
        self.assertNotEqual(with_weights, self.ok(*evaluate, "net.onnx").json())

    def test_another_number_of_classes(self):
        self.written_back("--model", "resnet8", "--seed", "2", out="ten.safetensors")
        seven = ["--model", "resnet8", "--classes", "7", "--weights", "ten.safetensors"]
        differ = "they have 'fc.weight' as (10, 64) where it takes (7, 64), 'fc.bias' as (10) where it takes (7)"
        self.assert_refused(f"ten.safetensors: the weights are not those of resnet8: {differ}", "export", "safetensors", *seven, "--out",
                            "new.safetensors")
        trained = self.ok("train", *seven, "--weights-missing", "initial", "--steps", "1", "--batch-size", "2", "--examples", "2",
                          "--test-examples", "0", "--no-keep-plans", "--quiet")
        self.assertIn(f"and the rest begins with values of its own: {differ}", trained.err)

    # --- What is refused

    def test_values_that_are_not_finite(self):
        tensors = made_up(tiny_shapes())
        kind, shape, data = tensors["model.norm.weight"]
        tensors["model.norm.weight"] = (kind, shape, data[:12] + packed(kind, [float("nan")]) + data[16:])
        self.folder_of("tiny", tensors, TINY_CONFIG)
        said = "tiny/model.safetensors: 'model.norm.weight' holds nan at (3), which is not a finite number: --allow-non-finite goes on with it"
        use = ["--batch-size", "2", "--examples", "2", "--no-keep-plans", "--quiet"]
        for command in (["predict", *use, "--out", "x.npy"], ["eval", *use], ["train", *use, "--test-examples", "0", "--steps", "1"],
                        ["export", "onnx", "--out", "x.onnx"], ["export", "safetensors", "--out", "x.safetensors"]):
            self.assert_refused(said, *command, *TINY, "--weights", "tiny")
            self.ok(*command, *TINY, "--weights", "tiny", "--allow-non-finite")
        self.assert_refused(said, "export", "c", *TINY, "--weights", "tiny", "--platform", "a72", "--out", "x")
        # Who only plans looks at names and shapes.
        self.ok("inspect", *TINY[1:], "--weights", "tiny")

    def test_another_network(self):
        self.folder_of("tiny", made_up(tiny_shapes()), {**TINY_CONFIG, "hidden_size": 2048, "num_hidden_layers": 16})
        export = ["export", "safetensors", *TINY, "--out", "new"]
        self.assert_refused("tiny/config.json:7:18: the configuration is of another network than llama-tiny: hidden_size is 2048 and not 64, "
                            "num_hidden_layers is 16 and not 2", *export, "--weights", "tiny")
        self.assert_refused("cannot read 'nowhere': No such file or directory", *export, "--weights", "nowhere")
        self.assert_refused("--weights-missing is about published weights; name them with --weights", *export, "--weights-missing", "initial")

    def test_folders_that_hold_something_else(self):
        self.folder_of("other", {}, {**TINY_CONFIG, "vocab_size": 32000})
        self.assert_refused("other/config.json:6:17: the configuration is of another network than llama-tiny: vocab_size is 32000 and not 512",
                            "export", "safetensors", *TINY, "--out", "other")
        os.mkdir(self.path("parts"))
        with open(self.path("parts/model.safetensors.index.json"), "w", encoding="utf-8") as file:
            file.write("{}")
        self.assert_refused("the folder 'parts' has weights in several files, which model.safetensors.index.json lists: name another folder",
                            "export", "safetensors", *TINY, "--out", "parts")
        self.assert_refused("poet export safetensors needs --out FOLDER or --out FILE.safetensors", "export", "safetensors", *TINY)


@unittest.skipIf(torch is None, "python3-torch and python3-onnx are not installed")
class Logits(WithFiles):
    def test_of_a_small_llama(self):
        tensors = made_up(tiny_shapes(), ("BF16", "F32"))
        self.folder_of("tiny", tensors, TINY_CONFIG)
        weights = {name: torch.tensor(struct.unpack(f"<{count_of(shape)}f", as_float32(kind, data))).reshape(shape)
                   for name, (kind, shape, data) in tensors.items()}
        ids = torch.randint(0, 512, (3, 12), generator=torch.Generator().manual_seed(3))
        numpy.savez(self.path("ids.npz"), input_ids=ids.numpy())
        self.ok("predict", *TINY, "--weights", "tiny", "--data", "ids.npz", "--batch-size", "3", "--no-keep-plans", "--out", "logits.npy")
        ours = torch.from_numpy(numpy.load(self.path("logits.npy")))
        theirs = decoder(weights, ids, False)
        self.assertEqual(ours.shape, theirs.shape)
        self.assertLess((ours - theirs).abs().max().item(), 2e-5)
        self.assertGreater(theirs.abs().max().item(), 0.1)


if __name__ == "__main__":
    program.run_tests()
