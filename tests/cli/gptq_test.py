"""Weights that GPTQ has quantised, packed here as its libraries pack them: read by the program to the values that they stand for."""

import json
import os
import shutil
import unittest

import program
from program import poet

from safetensors_file import read, write

try:
    import numpy
except ImportError:
    numpy = None

FORM = {"bits": 4, "group_size": 16, "damp_percent": 0.01, "desc_act": False, "static_groups": False, "sym": True, "true_sequential": True,
        "model_name_or_path": None, "quant_method": "gptq"}


def stored(array, kind):
    return kind, array.shape, numpy.ascontiguousarray(array).tobytes()


def together(numbers, bits, axis):
    """As many as fit into 32 bits, the first lowest."""
    numbers = numpy.moveaxis(numbers, axis, -1).astype("u4")
    words = numbers.reshape(*numbers.shape[:-1], -1, 32 // bits)
    shifts = numpy.arange(0, 32, bits, dtype="u4")
    return numpy.moveaxis((words << shifts).sum(-1, dtype="u4"), -1, axis).astype("<u4").view("<i4")


def quantised(name, out, into, draw, form, scale_kind="F16", order=None):
    """Random parts of a weight (out, into), and what it is; order: the group of each place of the input."""
    bits, size = form["bits"], form["group_size"] if form["group_size"] > 0 else into
    groups = into // size
    numbers = draw.integers(0, 1 << bits, (into, out))
    zeros = draw.integers(0, 1 << bits, (groups, out))
    scales = draw.normal(0, 0.01, (groups, out)).astype({"F16": "<f2", "F32": "<f4"}[scale_kind])
    of_place = numpy.arange(into) // size if order is None else order
    added = 0 if "gptq_v2" in (form.get("checkpoint_format"), form.get("format")) else 1
    weight = scales.astype("f4")[of_place] * (numbers - zeros[of_place] - added).astype("f4")
    parts = {name + ".qweight": stored(together(numbers, bits, 0), "I32"), name + ".qzeros": stored(together(zeros, bits, 1), "I32"),
             name + ".scales": stored(scales, scale_kind), name + ".g_idx": stored(of_place.astype("<i4"), "I32")}
    return parts, weight.T


@unittest.skipIf(numpy is None, "python3-numpy is not installed")
class Gptq(program.InAFolder):
    def ok(self, *arguments):
        ended = poet(*arguments, cwd=self.folder)
        self.assertEqual(ended.code, 0, ended.err + ended.out)
        return ended

    def weights(self, network, *options):
        self.ok("export", "safetensors", "--model", network, *options, "--out", "w.safetensors")
        return {name: numpy.frombuffer(data, "<f4").reshape(shape) for name, (_kind, shape, data) in read(self.path("w.safetensors")).items()}

    def folder_of(self, tensors, form, config=None):
        shutil.rmtree(self.path("net"), ignore_errors=True)
        os.mkdir(self.path("net"))
        write(self.path("net/model.safetensors"), tensors, {"format": "pt"})
        for name, content in (("quantize_config.json", form), ("config.json", config)):
            if content is not None:
                with open(self.path("net/" + name), "w", encoding="utf-8") as file:
                    json.dump(content, file)

    def made_up(self, form, **how):
        """A llama-tiny whose products are quantised, and what its tensors are."""
        draw = numpy.random.default_rng(form["bits"])
        tensors, wanted = {}, {}
        for name, value in self.weights("llama-tiny").items():
            if value.ndim == 2 and "proj" in name:
                out, into = value.shape
                order = draw.permutation(numpy.arange(into) // form["group_size"]) if form["desc_act"] else None
                parts, wanted[name] = quantised(name.removesuffix(".weight"), out, into, draw, form, order=order, **how)
                tensors.update(parts)
            else:
                tensors[name] = stored(value.astype("<f2"), "F16")
                wanted[name] = value.astype("<f2").astype("f4")
        return tensors, wanted

    def test_values_are_those_of_the_parts(self):
        for change, how, in_config in (({}, {}, False), ({"desc_act": True}, {}, False), ({"bits": 8, "checkpoint_format": "gptq_v2"}, {}, False),
                                       ({"group_size": -1, "checkpoint_format": "gptq"}, {"scale_kind": "F32"}, True)):
            with self.subTest(change=change):
                form = {**FORM, **change}
                tensors, wanted = self.made_up(form, **how)
                config = {"model_type": "llama", "num_hidden_layers": 2}
                if in_config:
                    self.folder_of({name: value for name, value in tensors.items() if not name.endswith(".g_idx")}, None,
                                   {**config, "quantization_config": form})
                else:
                    self.folder_of(tensors, form, config)
                ours = self.weights("llama-tiny", "--weights", "net")
                self.assertEqual(set(ours), set(wanted))
                for name, value in wanted.items():
                    self.assertEqual(ours[name].tobytes(), numpy.ascontiguousarray(value, "<f4").tobytes(), name)
        # Which can be trained as any float32.
        self.ok("train", "--model", "llama-tiny", "--sequence-length", "8", "--weights", "net", "--train", "last:1", "--batch-size", "2", "--steps",
                "1", "--no-keep-plans", "--quiet")

    def test_refusals(self):
        tensors, _wanted = self.made_up(FORM)
        command = ["export", "safetensors", "--model", "llama-tiny", "--weights", "net", "--out", "x.safetensors"]
        self.folder_of(tensors, None, {"model_type": "llama"})
        self.assert_refused("the folder 'net' has quantised weights, and no quantize_config.json that says how", *command)
        self.folder_of(tensors, {**FORM, "quant_method": "awq"})
        self.assert_refused("net/quantize_config.json:1:178: 'quant_method' is 'awq', and POET reads gptq", *command)
        self.folder_of(tensors, {**FORM, "bits": 2})
        self.assert_refused("net/quantize_config.json:1:10: 'bits' is 2, and POET reads 4 and 8", *command)
        module = "model.layers.0.mlp.down_proj"
        self.folder_of({name: value for name, value in tensors.items() if name != module + ".scales"}, FORM)
        self.assert_refused(f"net/model.safetensors: '{module}.qweight' has no '{module}.scales' beside it", *command)
        self.folder_of({**tensors, module + ".g_idx": stored(numpy.full(128, 8, "<i4"), "I32")}, FORM)
        self.assert_refused(f"net/model.safetensors: place 0 of '{module}.g_idx' is group 8, and there are 8", *command)
        # Bits of another number fit nothing.
        self.folder_of(tensors, {**FORM, "bits": 8})
        self.assertEqual(poet(*command, cwd=self.folder).code, 2)
        self.assertFalse(os.path.exists(self.path("x.safetensors")))


if __name__ == "__main__":
    program.run_tests()
