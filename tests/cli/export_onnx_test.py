"""Trained networks as ONNX files: they pass ONNX's own checker, and predict the same when they are read again."""

import glob
import os
import re
import shutil
import struct
import subprocess
import unittest

import program
from program import poet

# Debian's, where it is installed.
CHECK = "import onnx, sys; onnx.checker.check_model(onnx.load(sys.argv[1]), full_check=True)"


def has_onnx():
    python = shutil.which("python3", path="/usr/bin")
    if python is None:
        return False
    return subprocess.run([python, "-c", "import onnx"], capture_output=True, check=False).returncode == 0


def floats(path):
    with open(path, "rb") as file:
        data = file.read()
    length = struct.unpack("<H", data[8:10])[0]
    values = data[10 + length:]
    return struct.unpack(f"<{len(values) // 4}f", values)


NAMES = """
import onnx, re, sys
names = set()
for path in sys.argv[2:]:
    with open(path, encoding="utf-8") as file:
        # What is newer is written in pieces.
        names |= {name for name, since in re.findall(r'(?:plain|special)_in_onnx\\("(\\w+)", (\\d+)', file.read())
                  if int(since) <= int(sys.argv[1])}
assert len(names) > 30, names
for name in sorted(names):
    try:
        onnx.defs.get_schema(name, int(sys.argv[1]), "")
    except onnx.defs.SchemaError:
        print(name)
"""


class Names(unittest.TestCase):
    """What the rows of operators call their nodes is of the operator set that files are written in."""

    def test_are_of_the_written_operator_set(self):
        if not has_onnx():
            self.skipTest("python3-onnx is not installed: names of nodes are not compared with ONNX's own")
        root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
        with open(os.path.join(root, "poet/model/onnx_export.h"), encoding="utf-8") as file:
            opset = re.search(r"kWrittenOpset = (\d+)", file.read())[1]
        rows = glob.glob(os.path.join(root, "poet/graph/operators/*.cc"))
        ended = subprocess.run(["/usr/bin/python3", "-c", NAMES, opset, *rows], capture_output=True, text=True, check=False)
        self.assertEqual((ended.stdout, ended.stderr), ("", ""))


class ExportOnnx(program.InAFolder):
    def ok(self, *arguments):
        ended = poet(*arguments, cwd=self.folder)
        self.assertEqual(ended.code, 0, ended.err + ended.out)
        return ended

    def checked(self, path):
        if not has_onnx():
            return
        ended = subprocess.run(["/usr/bin/python3", "-c", CHECK, self.path(path)], capture_output=True, text=True, check=False)
        self.assertEqual(ended.returncode, 0, ended.stderr)

    def trained(self, *network):
        self.ok("train", *network, "--steps", "3", "--examples", "32", "--checkpoint", "a.ckpt", "--quiet", "--no-keep-plans",
                "--test-examples", "0")

    def predictions(self, name, *network):
        self.ok("predict", *network, "--examples", "8", "--out", f"{name}.npy", "--no-keep-plans")
        return floats(self.path(f"{name}.npy"))

    # Written, checked, read again: the same outputs.
    def round_trip(self, model, *sizes):
        network = ["--model", model, *sizes]
        self.trained(*network)
        self.ok("export", "onnx", *network, "--checkpoint", "a.ckpt", "--out", "a.onnx")
        self.checked("a.onnx")
        before = self.predictions("before", *network, "--checkpoint", "a.ckpt")
        # Sizes are in the file but for the batch's, which must be the same.
        batch = ["--batch-size", sizes[sizes.index("--batch-size") + 1]]
        after = self.predictions("after", "--model", "a.onnx", *batch)
        self.assertEqual(before, after)
        untrained = self.predictions("untrained", *network)
        self.assertNotEqual(before, untrained)

    def test_convolutions(self):
        self.round_trip("lenet5", "--image-size", "16", "--batch-size", "4")

    def test_batch_norms(self):
        self.round_trip("resnet8", "--batch-size", "2")

    def test_depthwise_convolutions(self):
        self.round_trip("mobilenetv2", "--image-size", "32", "--batch-size", "2")

    def test_attention_with_padding(self):
        self.round_trip("bert-tiny", "--sequence-length", "8", "--batch-size", "2")

    def test_causal_attention(self):
        self.round_trip("gpt2-tiny", "--sequence-length", "8", "--batch-size", "1")

    def test_what_was_written_can_be_trained_and_written_again(self):
        self.ok("export", "onnx", "--model", "resnet8", "--batch-size", "2", "--out", "begin.onnx")
        network = ["--model", "begin.onnx", "--batch-size", "2"]
        self.trained(*network)
        self.ok("export", "onnx", *network, "--checkpoint", "a.ckpt", "--out", "end.onnx")
        self.checked("end.onnx")
        self.assertEqual(self.predictions("before", *network, "--checkpoint", "a.ckpt"),
                         self.predictions("after", "--model", "end.onnx", "--batch-size", "2"))

    def test_says_what_it_wrote(self):
        ended = self.ok("export", "onnx", "--model", "lenet5", "--out", "a.onnx", "--json")
        self.assertEqual(ended.json(), {"format": "poet-onnx-export", "version": 1, "parameters": 61706, "checkpoint_step": 0,
                                        "files": ["a.onnx"]})
        self.assertEqual(self.ok("export", "onnx", "--model", "mlp", "--out", "b.onnx").out,
                         "266,610 parameters, as the network begins\n\n  wrote b.onnx\n")

    def test_refusals(self):
        self.assert_refused("poet export needs to be told what to write: poet export c, poet export onnx or poet export safetensors", "export")
        self.assert_refused("poet export onnx needs --out FILE.onnx", "export", "onnx", "--model", "mlp")
        self.assert_refused("poet export onnx needs --model NAME ('poet models' lists them) or --model FILE.onnx", "export",
                            "onnx", "--out", "x.onnx")
        self.trained("--model", "mlp", "--batch-size", "2")
        ended = poet("export", "onnx", "--model", "lenet5", "--checkpoint", "a.ckpt", "--out", "x.onnx", cwd=self.folder)
        self.assertEqual(ended.code, 2)
        self.assertEqual(ended.err, "poet: the checkpoint 'a.ckpt' has 'fc1.bias' as float32 (300), and the network as float32 "
                                    "(120)\n")
        self.assertFalse(os.path.exists(self.path("x.onnx")))


if __name__ == "__main__":
    program.run_tests()
