"""Quantised weights, from outside: what is written, by encoders and decoders written here after the format's page; and that training beside them has the
bits of training on the decoded weights."""

import json
import os
import random
import re
import struct
import subprocess
import unittest

import program
from program import ANY_PLAN, poet

from safetensors_file import count_of, read, write

LLAMA = ["--model", "llama-tiny", "--sequence-length", "8"]
ADAPTER = ["--adapter", "lora:rank=4,alpha=8,targets=attention"]
TRAIN = ["--batch-size", "2", "--examples", "16", "--test-examples", "0", "--optimiser", "adamw", "--learning-rate", "0.01",
         "--no-keep-plans", "--json", "--quiet"]


def metadata_of(path):
    with open(path, "rb") as file:
        length = struct.unpack("<Q", file.read(8))[0]
        return json.loads(file.read(length))["__metadata__"]


def blocks_of(path):
    return json.loads(metadata_of(path)["poet.blocks"])["tensors"]


def as_half(value):
    """The bits of the nearest float16 of the nearest float32."""
    return struct.pack("<e", struct.unpack("<f", struct.pack("<f", value))[0])


def half(data):
    return struct.unpack("<e", data)[0]


def decoded_block(bits, data, values):
    scale, numbers = half(data[:2]), data[2:]
    if bits == 8:
        return [scale * number for number in struct.unpack(f"{len(numbers)}b", numbers)][:values]
    return ([scale * ((byte & 15) - 8) for byte in numbers] + [scale * ((byte >> 4) - 8) for byte in numbers])[:values]


def decoded(said, data):
    """The values of a tensor, one after the other; all are float32 numbers."""
    bits, block, shape = said["bits"], said["block"], said["shape"]
    row = count_of(shape[1:])
    size = 2 + block * bits // 8
    values, place = [], 0
    for _row in range(shape[0]):
        for first in range(0, row, block):
            values += decoded_block(bits, data[place:place + size], min(block, row - first))
            place += size
    assert place == len(data)
    return values


def numbers_of(values, scale, least, most):
    return [max(least, min(most, round(value / scale))) if scale else 0 for value in values]


def encoded_block(bits, block, values):
    extreme = max(values, key=abs)
    if bits == 8:
        scale = as_half(abs(extreme) / 127)
        numbers = numbers_of(values, half(scale), -127, 127)
        return scale + struct.pack(f"{block}b", *numbers, *[0] * (block - len(values)))
    best = None
    for scale, least, most in ((as_half(extreme / -8), -8, 7), (as_half(abs(extreme) / 7), -7, 7)):
        numbers = numbers_of(values, half(scale), least, most)
        squares = sum((value - number * half(scale)) ** 2 for value, number in zip(values, numbers))
        if best is None or squares < best[0]:
            best = (squares, scale, numbers)
    numbers = [number + 8 for number in best[2] + [0] * (block - len(values))]
    return best[1] + bytes(low | high << 4 for low, high in zip(numbers[:block // 2], numbers[block // 2:]))


def encoded(bits, block, shape, values):
    row = count_of(shape[1:])
    data = b""
    for begin in range(0, len(values), row):
        for first in range(begin, begin + row, block):
            data += encoded_block(bits, block, values[first:min(first + block, begin + row)])
    return data


def floats(data):
    return struct.unpack(f"<{len(data) // 4}f", data)


def decode_file(path, out):
    """The same weights as float32."""
    said = blocks_of(path)
    tensors = {}
    for name, (kind, shape, data) in read(path).items():
        if name in said:
            values = decoded(said[name], data)
            kind, shape, data = "F32", said[name]["shape"], struct.pack(f"<{len(values)}f", *values)
        tensors[name] = (kind, shape, data)
    write(out, tensors)


class Commands(program.InAFolder):
    def ok(self, *arguments):
        ended = poet(*arguments, cwd=self.folder)
        self.assertEqual(ended.code, 0, ended.err + ended.out)
        return ended

    def quantised(self, *options, network=LLAMA, name="q.safetensors"):
        self.ok("export", "safetensors", *network, "--out", "whole.safetensors")
        return self.ok("quantise", "whole.safetensors", "--out", name, *options, "--json").json()

    def trained(self, weights, *options):
        return self.ok("train", *LLAMA, *ADAPTER, "--weights", weights, *TRAIN, *options).json()

    def bytes_of(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def test_what_is_written(self):
        for bits in (8, 4):
            with self.subTest(bits):
                report = self.quantised("--bits", str(bits))
                before, after = read(self.path("whole.safetensors")), read(self.path("q.safetensors"))
                said = blocks_of(self.path("q.safetensors"))
                self.assertEqual(set(said), {name for name, (_kind, shape, _data) in before.items() if len(shape) == 2})
                self.assertEqual([tensor["name"] for tensor in report["tensors"]], sorted(said))
                self.assertEqual(report["bytes_before"], sum(len(data) for _kind, _shape, data in before.values()))
                self.assertEqual(report["bytes_after"], sum(len(data) for _kind, _shape, data in after.values()))
                for name, (kind, shape, data) in before.items():
                    if name not in said:
                        self.assertEqual(after[name], (kind, shape, data))
                        continue
                    self.assertEqual(said[name], {"bits": bits, "block": 32, "shape": list(shape)})
                    self.assertEqual(after[name][2], encoded(bits, 32, shape, floats(data)), name)
                for tensor in report["tensors"]:
                    values = floats(before[tensor["name"]][2])
                    errors = [abs(a - b) for a, b in zip(values, decoded(said[tensor["name"]], after[tensor["name"]][2]))]
                    self.assertEqual(tensor["largest_error"], max(errors))
                    self.assertAlmostEqual(tensor["mean_square_error"], sum(error * error for error in errors) / len(errors), delta=1e-12)
                    self.assertEqual(tensor["bytes_after"], len(after[tensor["name"]][2]))
                    self.assertLess(tensor["mean_square_error"], tensor["mean_square"] * (1e-4 if bits == 8 else 1e-2))

    def test_short_blocks_other_types_and_a_choice(self):
        draw = random.Random(5)
        tensors = {"a": ("F32", (3, 5, 7), struct.pack("<105f", *(draw.gauss(0, 1) for _ in range(105)))),
                   "b": ("F16", (2, 40), struct.pack("<80e", *(draw.gauss(0, 100) for _ in range(80)))),
                   "c": ("F32", (40,), bytes(160)), "d": ("I64", (2, 3), bytes(range(48)))}
        write(self.path("in.safetensors"), tensors)
        self.ok("quantise", "in.safetensors", "--out", "out.safetensors", "--bits", "4", "--block", "16")
        found, said = read(self.path("out.safetensors")), blocks_of(self.path("out.safetensors"))
        self.assertEqual(found["a"], ("U8", (3, 3, 10), encoded(4, 16, [3, 5, 7], floats(tensors["a"][2]))))
        self.assertEqual(found["b"], ("U8", (2, 3, 10), encoded(4, 16, [2, 40], struct.unpack("<80e", tensors["b"][2]))))
        self.assertEqual((found["c"], found["d"]), (tensors["c"], tensors["d"]))
        self.assertEqual(said["a"], {"bits": 4, "block": 16, "shape": [3, 5, 7]})
        # Others in blocks of their own beside them, which stay.
        self.ok("quantise", "in.safetensors", "--out", "b.safetensors", "--bits", "8", "--tensors", "regex:^b$")
        self.ok("quantise", "b.safetensors", "--out", "ab.safetensors", "--bits", "4", "--block", "16")
        self.assertEqual(blocks_of(self.path("ab.safetensors")),
                         {"a": said["a"], "b": {"bits": 8, "block": 32, "shape": [2, 40]}})
        self.assertEqual(read(self.path("ab.safetensors"))["a"], found["a"])

    def test_refusals_of_the_command(self):
        write(self.path("in.safetensors"), {"a": ("F32", [2, 8], bytes(64)), "n": ("F32", [1, 2], struct.pack("<2f", 1, float("nan")))})
        quantise = ["quantise", "in.safetensors", "--out", "out.safetensors"]
        self.assert_refused("poet quantise needs --bits 4 or --bits 8", *quantise)
        self.assert_refused("poet quantise needs --out FILE.safetensors", "quantise", "in.safetensors", "--bits", "4")
        self.assert_refused("poet quantise needs weights: FILE.safetensors, or a folder that has them", "quantise", "--bits", "4", *quantise[2:])
        self.assert_refused("--block: a block has a power of two from 8 to 1024 values, not 24", *quantise, "--bits", "4", "--block", "24")
        self.assert_refused("cannot quantise 'some': use all or regex:PATTERN", *quantise, "--bits", "4", "--tensors", "some")
        self.assert_refused("'regex:z' chooses none of the weights in 'in.safetensors': what is quantised are floats of two dimensions or more",
                            *quantise, "--bits", "4", "--tensors", "regex:z")
        self.assert_refused("in.safetensors: row 0 of 'n' has a value that is not finite, or too large for the scale of a block", *quantise, "--bits", "8")
        self.assertEqual(sorted(os.listdir(self.folder)), ["in.safetensors"])

    def test_training_has_the_bits_of_the_decoded_weights(self):
        for bits in (4, 8):
            with self.subTest(bits):
                self.quantised("--bits", str(bits), "--block", "16")
                decode_file(self.path("q.safetensors"), self.path("d.safetensors"))
                theirs = self.trained("d.safetensors", "--steps", "4", "--checkpoint", "d.ckpt")
                ours = self.trained("q.safetensors", "--steps", "4", "--checkpoint", "q.ckpt")
                self.assertEqual(ours["losses"], theirs["losses"])
                for name in ("d", "q"):
                    self.ok("export", "safetensors", *LLAMA, *ADAPTER, "--weights", f"{name}.safetensors", "--checkpoint", f"{name}.ckpt",
                            "--merge", "--out", f"{name}-merged.safetensors")
                self.assertEqual(self.bytes_of("q-merged.safetensors"), self.bytes_of("d-merged.safetensors"))
                self.assertNotEqual(read(self.path("q-merged.safetensors")), read(self.path("d.safetensors")))
                others = [["--ram-budget", "20%way", "--storage", "."],
                          ["--ram-budget", "20%way", "--storage", ".", "--frozen", "storage"],
                          ["--ram-budget", "36KiB", "--storage", ".", "--parts", "24KiB", *ANY_PLAN],
                          ["--ram-budget", "36KiB", "--storage", ".", "--parts", "24KiB", *ANY_PLAN, "--frozen", "storage"],
                          ["--threads", "2"]]
                for options in others if bits == 4 else others[2:3]:
                    other = self.trained("q.safetensors", "--steps", "4", *options)
                    self.assertEqual(other["losses"], ours["losses"], options)
                    self.assertEqual(other["parameters_sha256"], ours["parameters_sha256"], options)
                self.trained("q.safetensors", "--steps", "2", "--checkpoint", "half.ckpt")
                resumed = self.trained("q.safetensors", "--steps", "4", "--checkpoint", "half.ckpt", "--resume")
                self.assertEqual(resumed["losses"], ours["losses"][2:])
                self.assertEqual(resumed["parameters_sha256"], ours["parameters_sha256"])
                for name in ("d", "q", "half"):
                    os.remove(self.path(f"{name}.ckpt"))

    def test_using_what_was_trained(self):
        self.quantised("--bits", "8")
        decode_file(self.path("q.safetensors"), self.path("d.safetensors"))
        # Norms are not quantised, and may be trained without adapters.
        for network, trained in ((ADAPTER, []), ([], ["--train", "regex:norm"])):
            with self.subTest(network):
                found = {}
                for name in ("q", "d"):
                    whole = [*LLAMA, *network, "--weights", f"{name}.safetensors"]
                    told = [*whole, *trained]
                    self.ok("train", *told, *TRAIN, "--steps", "2", "--checkpoint", f"{name}.ckpt", "--frozen", "storage")
                    used = [*told, "--checkpoint", f"{name}.ckpt", "--batch-size", "2", "--examples", "4", "--no-keep-plans"]
                    self.ok("predict", *used, "--out", f"{name}.npy")
                    loss = self.ok("eval", *used, "--json", "--quiet").json()["evaluation"]["loss"]
                    self.ok("export", "onnx", *whole, "--checkpoint", f"{name}.ckpt", "--out", f"{name}.onnx")
                    found[name] = (loss, self.bytes_of(f"{name}.npy"), self.bytes_of(f"{name}.onnx"))
                self.assertEqual(found["q"], found["d"])
                if network == ADAPTER:
                    self.assert_refused("the checkpoint 'd.ckpt' holds adapters of another base network: parameters of this one have other names, "
                                        "types or values", "eval", *LLAMA, *network, "--weights", "q.safetensors", "--checkpoint", "d.ckpt",
                                        "--batch-size", "2", "--examples", "4", "--no-keep-plans")
                for name in ("d", "q"):
                    os.remove(self.path(f"{name}.ckpt"))

    def test_what_lies_the_other_way_round(self):
        """GPT-2's matrices are turned, and have query, key and value side by side."""
        network = ["--model", "gpt2-tiny", "--sequence-length", "8"]
        self.quantised("--bits", "4", network=network)
        decode_file(self.path("q.safetensors"), self.path("d.safetensors"))
        found = [self.ok("train", *network, *ADAPTER, "--weights", f"{name}.safetensors", *TRAIN, "--steps", "2").json()["losses"] for name in "qd"]
        self.assertEqual(*found)
        self.ok("quantise", "whole.safetensors", "--out", "wide.safetensors", "--bits", "4", "--block", "256")
        ended = poet("export", "safetensors", *network, "--weights", "wide.safetensors", "--out", "x.safetensors", cwd=self.folder)
        self.assertEqual(ended.code, 2)
        self.assertIn("'transformer.h.0.attn.c_attn.weight' in blocks of 256, in which the network's (128, 128) begin", ended.err)

    def test_a_convolution(self):
        network = ["--model", "lenet5"]
        self.quantised("--bits", "8", "--block", "8", network=network)
        decode_file(self.path("q.safetensors"), self.path("d.safetensors"))
        found = [self.ok("train", *network, "--train", "bias", "--weights", f"{name}.safetensors", *TRAIN, "--steps", "2").json()["losses"]
                 for name in "qd"]
        self.assertEqual(*found)

    def test_what_is_quantised_is_not_trained(self):
        self.quantised("--bits", "4")
        train = ["train", *LLAMA, "--weights", "q.safetensors", "--steps", "1"]
        end = ("is quantised and stays as it is: train adapters beside it (--adapter lora), or those that are not quantised (--train unquantised)")
        self.assert_refused(f"'model.embed_tokens.weight' {end}", *train)
        self.assert_refused(f"'model.layers.1.mlp.up_proj.weight' {end}", *train, *ADAPTER, "--train", "regex:1.mlp.up")

    def test_hostile_files(self):
        self.quantised("--bits", "4")
        good = read(self.path("q.safetensors"))
        said = blocks_of(self.path("q.safetensors"))
        name = "model.layers.0.mlp.down_proj.weight"  # (64, 128)

        def refused(sentence, tensors=None, text=None, **fields):
            changed = json.loads(json.dumps(said))
            changed[name].update(fields)
            write(self.path("bad.safetensors"), {**good, **(tensors or {})},
                  {"poet.blocks": json.dumps({"version": 1, "tensors": changed}) if text is None else text})
            self.assert_refused(f"bad.safetensors: poet.blocks in its metadata: {sentence}", "train", *LLAMA, *ADAPTER, "--weights",
                                "bad.safetensors", "--steps", "1")

        kind, shape, data = good[name]
        lies = f"'{name}' is U8 (64, 4, 18), and"
        refused(f"{lies} (64, 64) in blocks of 32 values of 4 bits is U8 (64, 2, 18)", shape=[64, 64])
        refused(f"{lies} (64, 128) in blocks of 32 values of 8 bits is U8 (64, 4, 34)", bits=8)
        refused(f"{lies} (64, 128) in blocks of 64 values of 4 bits is U8 (64, 2, 34)", block=64)
        known = "blocks have 8 or 4 bits, and a power of two from 8 to 1024 values"
        refused(f"'{name}' would have blocks of 32 values of 3 bits: {known}", bits=3)
        refused(f"'{name}' would have blocks of 0 values of 4 bits: {known}", block=0)
        refused(f"'{name}' would be (8192) in blocks, which take rows: two dimensions at least", shape=[8192])
        refused(f"'{name}' has the shape (64, 0): every extent must be at least 1", shape=[64, 0])
        refused(f"'{name}' has the shape (4611686018427387904, 128): a tensor has at most 2147483647 values", shape=[2**62, 128])
        for block, spoilt in ((1, data[:18] + b"\x00\x7e" + data[20:]), (255, data[:-18] + b"\x00\xfc" + data[-16:])):
            write(self.path("bad.safetensors"), {**good, name: (kind, shape, spoilt)}, metadata_of(self.path("q.safetensors")))
            self.assert_refused(f"bad.safetensors: the scale of block {block} of '{name}' is not a finite number", "train", *LLAMA, *ADAPTER,
                                "--weights", "bad.safetensors", "--steps", "1")
        refused("its version is 2, and 1 is known", text='{"version": 2, "tensors": {}}')
        refused("the file has no tensor 'x'", text='{"version": 1, "tensors": {"x": {"bits": 4, "block": 32, "shape": [2, 2]}}}')
        refused("'tensors' must be an object, found 1", text='{"version": 1, "tensors": 1}')
        for text in ("", "{", "[]", '{"version": 1}', '{"version": 1, "tensors": {"x": {}}}', '{"version": 1, "tensors": {}, "more": 1}'):
            write(self.path("bad.safetensors"), good, {"poet.blocks": text})
            ended = poet("export", "safetensors", *LLAMA, "--weights", "bad.safetensors", "--out", "x.safetensors", cwd=self.folder)
            self.assertEqual(ended.code, 2, text)
            self.assertIn("bad.safetensors: poet.blocks in its metadata: ", ended.err)
        with open(self.path("q.safetensors"), "rb") as file:
            whole = file.read()
        with open(self.path("cut.safetensors"), "wb") as file:
            file.write(whole[:-100])
        ended = poet("export", "safetensors", *LLAMA, "--weights", "cut.safetensors", "--out", "x.safetensors", cwd=self.folder)
        self.assertEqual(ended.code, 2)

    def test_plans_decode(self):
        """Whoever plans and looks sees the step that is trained: blocks, and operations that decode them."""
        self.quantised("--bits", "4", "--block", "16")
        decode_file(self.path("q.safetensors"), self.path("d.safetensors"))
        told = [*LLAMA, *ADAPTER, "--batch-size", "2", "--optimiser", "adamw"]
        weights = {name: [*told, "--weights", f"{name}.safetensors"] for name in "qd"}

        looked = {name: self.ok("inspect", words[1], *words[2:], "--json").json() for name, words in weights.items()}
        operators = {name: {row["operator"]: row["operations"] for row in one["operators"]} for name, one in looked.items()}
        self.assertNotIn("decode_blocks", operators["d"])
        # Seven products of each of two blocks, the head, and the rows of words that are looked up.
        self.assertEqual(operators["q"]["decode_blocks"], 16)
        self.assertEqual({**operators["q"], "decode_blocks": 0}, {**operators["d"], "decode_blocks": 0})
        self.assertEqual(looked["q"]["trained_count"], looked["d"]["trained_count"])

        stored = ["--platform", "a72", "--frozen", "storage"]
        limits = ["--ram-budget", "30%way", *stored, "--json", "--quiet"]
        solved = self.ok("solve", *weights["q"], *limits, "--out", "plan.json").json()
        self.assertTrue(self.ok("verify", "plan.json", "--json").json()["valid"])
        with open(self.path("plan.json"), encoding="utf-8") as file:
            plan = json.load(file)
        decoding = {operation["id"] for operation in plan["problem"]["operations"] if operation["name"].endswith("decoded")}
        self.assertEqual(len(decoding), 15)
        # Some of what was decoded is thrown away and decoded again.
        done = [place for kind, place in plan["schedule"]["actions"] if kind == "compute" and place in decoding]
        self.assertGreater(len(done), 15)
        # The step is the one that is trained, and the plan what training beside the decoded weights cannot have.
        trained = self.trained("q.safetensors", "--steps", "1", "--storage", ".", *limits[:-2])
        self.assertEqual(trained["energy_j"], solved["energy_j"])
        self.assertLess(solved["read_bytes"], self.ok("solve", *weights["d"], *limits).json()["read_bytes"] / 2)
        least = self.ok("minimum", *weights["q"], *stored, "--parts", "whole", "--json", "--quiet").json()
        self.assertLessEqual(least["found_bytes"], solved["peak_ram_bytes"])
        # What cannot be trained says so here, too; and what has no weights.
        end = "is quantised and stays as it is: train adapters beside it (--adapter lora), or those that are not quantised (--train unquantised)"
        for command in (["solve", *LLAMA, "--platform", "m4"], ["minimum", *LLAMA, "--platform", "m4"], ["inspect", *LLAMA[1:]]):
            self.assert_refused(f"'model.embed_tokens.weight' {end}", *command, "--weights", "q.safetensors")
        self.assert_refused("--weights is for real networks, and this is a released graph", "solve", "--model", "linear", "--graph", "released",
                            "--platform", "m4", "--weights", "q.safetensors")

    def test_a_board_has_them_in_flash(self):
        """The project is tried on this machine; what it prints of parameters is a hash of their bytes, which are others."""
        self.quantised("--bits", "4")
        decode_file(self.path("q.safetensors"), self.path("d.safetensors"))
        told = {}
        constants = {}
        for name in "qd":
            written = self.ok("export", "c", *LLAMA, *ADAPTER, "--weights", f"{name}.safetensors", "--batch-size", "2", "--optimiser", "sgd",
                              "--platform", "a72", *ANY_PLAN, "--out", name)
            constants[name] = int(re.search(r"constants +([\d,]+) bytes", written.out)[1].replace(",", ""))
            subprocess.run(["make", "host"], cwd=self.path(name), env={**os.environ, **program.CACHED}, check=True, capture_output=True)
            lines = subprocess.run(["./host"], cwd=self.path(name), check=True, capture_output=True, text=True).stdout.splitlines()
            told[name] = [line for line in lines if line.startswith("step ")]
        self.assertEqual(len(told["q"]), 20)
        self.assertEqual(told["q"], told["d"])
        self.assertLess(constants["q"], constants["d"] / 6)


if __name__ == "__main__":
    program.run_tests()
