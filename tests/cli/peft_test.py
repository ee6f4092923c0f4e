"""Adapters as PEFT keeps them: folders written here by the layout that is published, read by the program, and written back."""

import json
import os
import unittest

import program
from program import poet

from safetensors_file import read, write

try:
    import numpy
except ImportError:
    numpy = None

LLAMA = ["--model", "llama-tiny", "--sequence-length", "8"]
TRAIN = ["--batch-size", "2", "--examples", "8", "--test-examples", "0", "--optimiser", "adamw", "--learning-rate", "0.01", "--no-keep-plans",
         "--json", "--quiet"]
# Features in and out of the products of a block of llama-tiny.
SHAPES = {"self_attn.q_proj": (64, 64), "self_attn.k_proj": (64, 32), "self_attn.v_proj": (64, 32), "self_attn.o_proj": (64, 64),
          "mlp.gate_proj": (64, 128), "mlp.up_proj": (64, 128), "mlp.down_proj": (128, 64)}
CONFIG = {"alpha_pattern": {}, "auto_mapping": None, "base_model_name_or_path": "base", "bias": "none", "eva_config": None,
          "exclude_modules": None, "fan_in_fan_out": False, "inference_mode": True, "init_lora_weights": True, "layer_replication": None,
          "layers_pattern": None, "layers_to_transform": None, "loftq_config": {}, "lora_alpha": 8, "lora_bias": False, "lora_dropout": 0.05,
          "megatron_config": None, "megatron_core": "megatron.core", "modules_to_save": None, "peft_type": "LORA", "r": 4, "rank_pattern": {},
          "revision": None, "target_modules": ["q_proj", "down_proj"], "task_type": "CAUSAL_LM", "trainable_token_indices": None,
          "use_dora": False, "use_rslora": False}


def key(module, part):
    return f"base_model.model.{module}.lora_{part}.weight"


def module(layer, name):
    return f"model.layers.{layer}.{name}"


def matrices(rank, modules, seed=3):
    """A (rank, in) and B (out, rank) of each module, as NumPy has them."""
    draw = numpy.random.default_rng(seed)
    return {name: (draw.normal(0, 0.3, (rank, SHAPES[name.split(".", 3)[3]][0])).astype("f4"),
                   draw.normal(0, 0.3, (SHAPES[name.split(".", 3)[3]][1], rank)).astype("f4")) for name in modules}


def stored(array, kind="F32"):
    return kind, array.shape, array.astype({"F32": "<f4", "F16": "<f2"}[kind]).tobytes()


@unittest.skipIf(numpy is None, "python3-numpy is not installed")
class Peft(program.InAFolder):
    def ok(self, *arguments):
        ended = poet(*arguments, cwd=self.folder)
        self.assertEqual(ended.code, 0, ended.err + ended.out)
        return ended

    def folder_of(self, name, adapters, kind="F32", **config):
        os.makedirs(self.path(name), exist_ok=True)
        tensors = {}
        for of, (down, up) in adapters.items():
            tensors[key(of, "A")] = stored(down, kind)
            tensors[key(of, "B")] = stored(up, kind)
        write(self.path(name + "/adapter_model.safetensors"), tensors, {"format": "pt"})
        with open(self.path(name + "/adapter_config.json"), "w", encoding="utf-8") as file:
            json.dump({**CONFIG, **config}, file, indent=2)

    def read_folder(self, name):
        with open(self.path(name + "/adapter_config.json"), encoding="utf-8") as file:
            return json.load(file), read(self.path(name + "/adapter_model.safetensors"))

    def predictions(self, *options, network=LLAMA):
        self.ok("predict", *network, *options, "--batch-size", "2", "--examples", "4", "--out", "out.npy", "--no-keep-plans")
        return numpy.load(self.path("out.npy"))

    def weights(self, *options, out="w.safetensors"):
        self.ok("export", "safetensors", *LLAMA, *options, "--out", out)
        return {name: numpy.frombuffer(data, "<f4").reshape(shape) for name, (_kind, shape, data) in read(self.path(out)).items()}

    def test_outputs_are_those_of_the_sums_by_hand(self):
        chosen = [module(layer, name) for layer in range(2) for name in ("self_attn.q_proj", "mlp.down_proj")]
        base = self.weights(out="base.safetensors")
        for kind, rank, alpha, config in (("F32", 4, 8, {}), ("F16", 4, 6, {"use_rslora": True}), ("F32", 3, 2.5, {"target_modules": "all-linear"})):
            with self.subTest(kind=kind, config=config):
                adapters = matrices(rank, chosen)
                if kind == "F16":
                    adapters = {name: tuple(part.astype("f2").astype("f4") for part in parts) for name, parts in adapters.items()}
                self.folder_of("lora", adapters, kind, r=rank, lora_alpha=alpha, **config)
                scale = alpha / rank ** 0.5 if config.get("use_rslora") else alpha / rank
                summed = dict(base)
                for name, (down, up) in adapters.items():
                    summed[name + ".weight"] = (base[name + ".weight"] + scale * (up.astype("f8") @ down.astype("f8"))).astype("f4")
                write(self.path("summed.safetensors"), {name: stored(value) for name, value in summed.items()})
                theirs = self.predictions("--weights", "summed.safetensors")
                ours = self.predictions("--weights", "base.safetensors", "--adapter-weights", "lora")
                self.assertLess(abs(ours - theirs).max(), 1e-5 * abs(theirs).max())
                self.assertGreater(abs(ours - self.predictions("--weights", "base.safetensors")).max(), 1e-2)
                merged = self.weights("--weights", "base.safetensors", "--adapter-weights", "lora", "--merge", out="merged.safetensors")
                for name, value in summed.items():
                    numpy.testing.assert_allclose(merged[name], value, rtol=1e-6, atol=1e-7, err_msg=name)

    def test_what_is_written_is_as_peft_has_it(self):
        adapter = ["--adapter", "lora:rank=4,alpha=8,targets=regex:[qv]_proj"]
        self.weights(out="base.safetensors")
        network = [*LLAMA, "--weights", "base.safetensors"]
        self.ok("train", *network, *adapter, *TRAIN, "--steps", "4", "--checkpoint", "a.ckpt")
        report = self.ok("export", "safetensors", *network, *adapter, "--checkpoint", "a.ckpt", "--out", "lora", "--json").json()
        self.assertEqual(report["files"], ["lora/adapter_model.safetensors", "lora/adapter_config.json"])
        self.assertEqual(report["parameters"], 2 * 4 * (64 + 64 + 64 + 32))
        config, tensors = self.read_folder("lora")
        for name, value in {"peft_type": "LORA", "r": 4, "lora_alpha": 8, "target_modules": ["q_proj", "v_proj"], "bias": "none",
                            "base_model_name_or_path": "base.safetensors", "task_type": "CAUSAL_LM", "fan_in_fan_out": False,
                            "use_rslora": False, "use_dora": False, "rank_pattern": {}, "modules_to_save": None}.items():
            self.assertEqual(config[name], value, name)
        self.assertEqual({name: (kind, shape) for name, (kind, shape, _data) in tensors.items()},
                         {key(module(layer, of), part): ("F32", (4, 64) if part == "A" else (SHAPES[of][1], 4)) for layer in range(2)
                          for of in ("self_attn.q_proj", "self_attn.v_proj") for part in "AB"})
        self.assertTrue(any(byte for name, (_kind, _shape, data) in tensors.items() if "lora_B" in name for byte in data))
        # To the same bits: outputs, the folder again, and where a training goes on from.
        learnt = self.predictions(*network[4:], *adapter, "--checkpoint", "a.ckpt")
        self.assertEqual(self.predictions(*network[4:], "--adapter-weights", "lora").tobytes(), learnt.tobytes())
        self.ok("export", "safetensors", *network, "--adapter-weights", "lora", "--out", "again")
        self.assert_refused("--out and --adapter-weights name one file, 'lora/adapter_model.safetensors'; give each its own",
                            "export", "safetensors", *network, "--adapter-weights", "lora", "--merge",
                            "--out", "lora/adapter_model.safetensors")
        for name in ("adapter_model.safetensors", "adapter_config.json"):
            self.assert_refused(f"--log and --adapter-weights name one file, 'lora/{name}'; give each its own",
                                "train", *network, "--adapter-weights", "lora", "--steps", "1", "--log", f"lora/{name}")
        self.assertEqual(self.read_folder("again"), (config, tensors))
        self.ok("train", *network, "--adapter-weights", "lora", *TRAIN, "--steps", "2", "--checkpoint", "b.ckpt")
        self.ok("train", *network, "--adapter-weights", "lora", *TRAIN, "--steps", "4", "--checkpoint", "b.ckpt", "--resume")
        # Which is a checkpoint of such adapters, whoever says so.
        of_names = ["--adapter", r"lora:rank=4,alpha=8,targets=regex:(^|[./])(q_proj|v_proj)(\.weight)?$"]
        self.assertEqual(self.predictions(*network[4:], *of_names, "--checkpoint", "b.ckpt").tobytes(),
                         self.predictions(*network[4:], "--adapter-weights", "lora", "--checkpoint", "b.ckpt").tobytes())

    def test_targets_that_have_a_name_keep_it(self):
        for targets in ("attention", "all"):
            adapter = ["--adapter", f"lora:rank=2,alpha=4,targets={targets}"]
            self.ok("train", *LLAMA, *adapter, *TRAIN, "--steps", "1", "--checkpoint", "a.ckpt")
            self.ok("export", "safetensors", *LLAMA, *adapter, "--checkpoint", "a.ckpt", "--out", "lora")
            self.predictions("--adapter-weights", "lora", "--checkpoint", "a.ckpt")
            os.remove(self.path("a.ckpt"))

    def test_other_networks(self):
        # GPT-2 keeps its matrices the other way round, and query, key and value in one.
        gpt2 = ["--model", "gpt2-tiny", "--sequence-length", "8"]
        self.ok("export", "safetensors", *gpt2, "--adapter", "lora:rank=2,targets=regex:c_fc|c_proj", "--out", "gpt2")
        config, tensors = self.read_folder("gpt2")
        self.assertIs(config["fan_in_fan_out"], True)
        self.assertIn("base_model.model.transformer.h.0.mlp.c_fc.lora_A.weight", tensors)
        self.assertEqual(config["target_modules"], ["c_fc", "c_proj"])
        self.predictions("--adapter-weights", "gpt2", network=gpt2)
        self.assert_refused("'transformer.h.0.attn.c_attn.weight' holds 3 weights of the network, and adapters beside the whole are not those "
                            "beside its parts", "export", "safetensors", *gpt2, "--adapter", "lora:targets=regex:query", "--out", "no")
        # A network of the user's, by its own names; ends of names would choose more than was chosen.
        self.ok("export", "onnx", *LLAMA, "--batch-size", "2", "--out", "net.onnx")
        own = ["--model", "net.onnx", "--adapter", r"lora:rank=2,targets=regex:layers\.1.*(q_proj|up_proj)"]
        self.ok("train", *own, *TRAIN, "--steps", "2", "--checkpoint", "a.ckpt")
        self.ok("export", "safetensors", *own, "--batch-size", "2", "--checkpoint", "a.ckpt", "--out", "own")
        config, _tensors = self.read_folder("own")
        self.assertEqual(config["target_modules"], ["model.layers.1.mlp.up_proj", "model.layers.1.self_attn.q_proj"])
        self.assertIsNone(config["task_type"])
        self.assertEqual(self.predictions("--adapter-weights", "own", network=["--model", "net.onnx"]).tobytes(),
                         self.predictions(*own[2:], "--checkpoint", "a.ckpt", network=["--model", "net.onnx"]).tobytes())
        # Beside weights in blocks.
        self.ok("export", "safetensors", *LLAMA, "--out", "base.safetensors")
        self.ok("quantise", "base.safetensors", "--out", "small.safetensors", "--bits", "8")
        self.ok("train", *LLAMA, "--weights", "small.safetensors", "--adapter-weights", "own", *TRAIN, "--steps", "1")

    def test_refusals(self):
        chosen = [module(0, "self_attn.q_proj")]
        network = ["predict", *LLAMA, "--adapter-weights", "lora", "--out", "x.npy"]
        alone = ", and POET's adapters are W + (alpha / rank) B A alone"
        for name, value, said in (("use_dora", True, "true"), ("rank_pattern", {"q_proj": 8}, "an object"), ("alpha_pattern", {"q": 1}, "an object"),
                                  ("modules_to_save", ["lm_head"], "a list"), ("bias", "all", '"all"'), ("peft_type", "IA3", '"IA3"'),
                                  ("init_lora_weights", "pissa", '"pissa"'), ("lora_bias", True, "true"), ("of_tomorrow", "yes", '"yes"')):
            self.folder_of("lora", matrices(4, chosen), **{name: value})
            ended = poet(*network, cwd=self.folder)
            self.assertEqual(ended.code, 2, ended.out)
            self.assertIn("lora/adapter_config.json:", ended.err)
            self.assertIn(f"'{name}' is {said}{alone}", ended.err)
        self.folder_of("lora", matrices(8, chosen), r=8, use_rslora=True)
        with open(self.path("lora/adapter_config.json"), encoding="utf-8") as file:
            lines = file.read().splitlines()
        line = 1 + next(number for number, text in enumerate(lines) if "use_rslora" in text)
        self.assert_refused(f"lora/adapter_config.json:{line}:17: 'use_rslora' divides by the root of 'r', which POET takes where it is whole, as of 16, "
                            "and 8 has none", *network)
        where = "lora/adapter_model.safetensors: "
        self.folder_of("lora", matrices(4, chosen), r=8)
        self.assert_refused(where + "'base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight' is F32 (4, 64), and the network takes "
                            "(8, 64), F32, F16 or BF16", *network)
        self.folder_of("lora", matrices(4, [*chosen, module(7, "self_attn.q_proj")]))
        self.assert_refused(where + "the network has no place for 'base_model.model.model.layers.7.self_attn.q_proj.lora_A.weight', 2 of 4 "
                            "matrices of adapters", *network)
        self.folder_of("lora", {})
        self.assert_refused(where + "there is no adapter in it", *network)
        self.folder_of("lora", matrices(4, chosen))
        for command in (["predict", "--out", "x.npy"], ["eval"], ["train", "--steps", "1"], ["export", "safetensors", "--out", "x"]):
            self.assert_refused("the adapters in 'lora' were learnt beside the weights of 'base', and without these the network begins with values "
                                "that are drawn: say where they are, by --weights", *command, *LLAMA, "--adapter-weights", "lora")
        write(self.path("lora/adapter_model.safetensors"), {key(chosen[0], "A"): stored(numpy.zeros((4, 64)))})
        self.assert_refused(where + "the adapter of 'model.layers.0.self_attn.q_proj' lacks "
                            "'base_model.model.model.layers.0.self_attn.q_proj.lora_B.weight'", *network)
        os.remove(self.path("lora/adapter_model.safetensors"))
        self.assert_refused("the folder 'lora' has no adapter_model.safetensors: adapters are read from safetensors alone", *network)
        self.assert_refused("--adapter-weights says itself which adapters there are; leave --adapter out", *network, "--adapter", "lora")
        export = ["export", "safetensors", *LLAMA, "--adapter", "lora:targets=all"]
        # Neither file is replaced where one cannot be.
        os.makedirs(self.path("old/adapter_config.json"))
        write(self.path("old/adapter_model.safetensors"), {})
        self.assert_refused("cannot write 'old/adapter_config.json': it is a directory", *export, "--out", "old")
        self.assertEqual(read(self.path("old/adapter_model.safetensors")), {})
        self.assertEqual(sorted(os.listdir(self.path("old"))), ["adapter_config.json", "adapter_model.safetensors"])
        self.assert_refused("adapters are written as a folder with their configuration, and 'a.safetensors' is a file: name a folder, or --merge "
                            "them into the weights that they are beside", *export, "--out", "a.safetensors")
        self.ok("train", *LLAMA, *export[-2:], *TRAIN, "--train", "regex:norm", "--steps", "1", "--checkpoint", "a.ckpt")
        self.assert_refused("the checkpoint has 'model.layers.0.input_layernorm.weight' too, which has no place among adapters: --merge writes "
                            "the whole network", *export, "--checkpoint", "a.ckpt", "--out", "other")
        self.assertFalse(os.path.exists(self.path("other")))


if __name__ == "__main__":
    program.run_tests()
