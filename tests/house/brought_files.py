"""Files that the commands of the documents name and the reader would bring: made up when a command wants one."""

import json
import re
import struct
import sys
import zipfile
from pathlib import Path


def digits(count, size):
    """Pictures of numbers that follow from their place: the same on every run."""
    return bytes((7 * i + i // size) % 251 for i in range(count * size))


def write_npy(file, kind, shape, data):
    """The NPY format, version 1.0."""
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape!r}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)


def floats(count):
    return struct.pack(f"<{count}f", *(((37 * i) % 101) / 101 for i in range(count)))


def plan(reader, _command):
    reader.runs("poet solve --model resnet18_cifar --platform m4 --ram-budget 30%way --runtime-budget 1.5 --out plan.json "
                "--certificate proof.json --quiet")


def graph(reader, _command):
    reader.runs("poet generate resnet --operations 60 --out mine.json")


# A file is exported for a number of examples: for that of the command, or for what it takes by default.
def network(reader, command):
    size = re.search(r"--batch-size (\d+)", command)
    default = 32 if re.search(r"poet (?:train|eval|predict|export c)\b", command) else 1
    reader.runs(f"poet export onnx --model digits-cnn --batch-size {size[1] if size else default} --out mine.onnx")


def network_checkpoint(reader, _command):
    reader.runs("poet train --model mine.onnx --batch-size 1 --steps 2 --checkpoint mine.ckpt --quiet")


# Weights that somebody published.
def weights(reader, _command):
    reader.runs("poet export safetensors --model llama-tiny --seed 7 --out tiny-llama")


def adapters(reader, _command):
    reader.runs("poet export safetensors --model llama-tiny --weights tiny-llama --adapter lora:rank=4 --out tiny-lora")


# The same kind of network as llama.cpp keeps it, with float32 in place of blocks.
def weights_of_llama_cpp(reader, _command):
    shapes = {"token_embd": (64, 512), "output_norm": (64,)}
    block = {"attn_norm": (64,), "attn_q": (64, 64), "attn_k": (64, 32), "attn_v": (64, 32), "attn_output": (64, 64), "ffn_norm": (64,),
             "ffn_gate": (64, 128), "ffn_up": (64, 128), "ffn_down": (128, 64)}
    shapes.update({f"blk.{layer}.{name}": shape for layer in range(2) for name, shape in block.items()})

    def text(value):
        return struct.pack("<Q", len(value)) + value.encode()

    head = b"GGUF" + struct.pack("<IQQ", 3, len(shapes), 1) + text("general.architecture") + struct.pack("<I", 8) + text("llama")
    data = b""
    for name, shape in shapes.items():
        head += text(name + ".weight") + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, 0, len(data))
        data += floats(shape[0] * (shape[1] if len(shape) > 1 else 1))
    (reader.folder / "tiny-llama.gguf").write_bytes(head + b"\0" * (-len(head) % 32) + data)


def adapter_checkpoint(reader, command):
    adapter = re.search(r"--adapter \S+", command)[0]
    reader.runs(f"poet train --model llama-tiny --sequence-length 16 {adapter} --batch-size 2 --steps 2 --checkpoint lora.ckpt --quiet")


# Of pictures as large as those that it is to be used on.
def lenet_checkpoint(reader, command):
    size = re.search(r"--image-size \d+", command)
    reader.runs(f"poet train --model lenet5 {size[0] if size else ''} --batch-size 4 --steps 2 --checkpoint lenet5.ckpt --quiet")


def pictures(reader, _command):
    with open(reader.folder / "images.npy", "wb") as file:
        write_npy(file, "<f4", (8, 1, 32, 32), floats(8 * 32 * 32))


def examples_of_digits(reader, _command):
    with zipfile.ZipFile(reader.folder / "x.npz", "w") as archive:
        with archive.open("x.npy", "w") as file:
            write_npy(file, "<f4", (64, 1, 8, 8), floats(64 * 64))
        with archive.open("y.npy", "w") as file:
            write_npy(file, "<i8", (64,), struct.pack("<64q", *(i % 10 for i in range(64))))


def mnist(reader, _command):
    (reader.folder / "t10k-images-idx3-ubyte").write_bytes(struct.pack(">4i", 0x803, 16, 28, 28) + digits(16, 784))
    (reader.folder / "t10k-labels-idx1-ubyte").write_bytes(struct.pack(">2i", 0x801, 16) + bytes(i % 10 for i in range(16)))


def cifar(reader, _command):
    folder = reader.folder / "cifar-10-batches-bin"
    folder.mkdir()
    for name in [*(f"data_batch_{k}" for k in range(1, 6)), "test_batch"]:
        (folder / f"{name}.bin").write_bytes(b"".join(bytes([k % 10]) + digits(1, 3072) for k in range(16)))


def tokens(reader, _command):
    (reader.folder / "tokens.bin").write_bytes(struct.pack("<4096H", *((13 * i) % 500 for i in range(4096))))


# The byte-level vocabulary of nothing but bytes, a few merges and the token that ends a text.
def tokenizer(reader, _command):
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    rest = [byte for byte in range(256) if byte not in printable]
    letters = [chr(byte if byte in printable else 256 + rest.index(byte)) for byte in range(256)]
    merges = ["t h", "th e", "Ġ the", "i n", "Ġ a", "e r", "o n"]
    words = letters + [merge.replace(" ", "") for merge in merges]
    (reader.folder / "tokenizer.json").write_text(json.dumps({
        "added_tokens": [{"id": len(words), "content": "<|endoftext|>", "special": True}],
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False},
        "model": {"type": "BPE", "vocab": {word: token for token, word in enumerate(words)}, "merges": merges}}))


def book(reader, _command):
    (reader.folder / "book.txt").write_text("The quick brown fox jumps over the lazy dog, and then over the other one in the garden. " * 60)


def questions(reader, _command):
    rows = [{"prompt": f"What is {a} and {b}? ", "answer": str(a + b)} for a in range(6) for b in range(6)]
    (reader.folder / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def book_checkpoint(reader, _command):
    tokenizer(reader, _command)
    book(reader, _command)
    reader.runs("poet train --model llama-tiny --sequence-length 32 --data book.txt --tokenizer tokenizer.json --batch-size 4 --steps 2 "
                "--checkpoint texts.ckpt --quiet")


def buffers(reader, _command):
    rows = ["id,lower,upper,size", "b1,0,3,4", "b2,3,9,4", "b3,0,9,4", "b4,9,21,4", "b5,0,21,4"]
    (reader.folder / "buffers.csv").write_text("\n".join(rows) + "\n")


def gains(reader, _command):
    reader.runs("poet worth --model digits-mlp --batch-size 4 --platform m4 --ram-budget 40KiB --points 1 --tries 0 --out-gains gains.json --quiet")


# As the guide shows it.
def device(reader, _command):
    guide = (Path(__file__).resolve().parents[2] / "docs/guide/planning.md").read_text()
    (reader.folder / "my-board.toml").write_text(re.search(r"^```toml\n(# my-board\.toml\n.*?)^```$", guide, re.M | re.S)[1])


def token_file(reader, _command):
    reader.runs("poet serve --new-token ada --tokens tokens.txt")


# What a board would have drawn that ran the project, which a reader of the help has not exported yet.
def power_log(reader, _command):
    project = reader.folder / "lenet5"
    if not project.exists():
        reader.runs("poet export c --model lenet5 --image-size 24 --batch-size 4 --platform m4 --out lenet5 --quiet")
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench/energy"))
    import synthetic_log  # pylint: disable=import-outside-toplevel
    told = json.loads((project / "project.json").read_text())
    work = {one["key"]: one["flop"] for one in told["actions"] if one["what"] == "compute"}
    counted = {"operations": [{"operation": key, "seconds": 2e-5 + 1.5e-9 * flop} for key, flop in work.items()]}
    synthetic_log.write_log(str(reader.folder / "ppk.csv"), told, synthetic_log.draw_truth(told, counted, seed=1), steps=3, pins=3)


# In an order in which none needs a later one.
BROUGHT = {
    "plan.json": plan,
    "proof.json": plan,
    "mine.json": graph,
    "mine.onnx": network,
    "mine.ckpt": network_checkpoint,
    "lenet5.ckpt": lenet_checkpoint,
    "tiny-llama": weights,
    "tiny-lora": adapters,
    "tiny-llama.gguf": weights_of_llama_cpp,
    "lora.ckpt": adapter_checkpoint,
    "images.npy": pictures,
    "x.npz": examples_of_digits,
    "t10k-images-idx3-ubyte": mnist,
    "cifar-10-batches-bin": cifar,
    "tokens.bin": tokens,
    "tokenizer.json": tokenizer,
    "book.txt": book,
    "questions.jsonl": questions,
    "texts.ckpt": book_checkpoint,
    "buffers.csv": buffers,
    "my-board.toml": device,
    "gains.json": gains,
    "tokens.txt": token_file,
    "ppk.csv": power_log,
}
# What a command writes, it does not want.
WRITTEN = re.compile(r"(?:--(?:out|report|certificate|csv|json|checkpoint)|>)[ =](\S+)|--new-token \w+ --tokens (\S+)")


def wanted_by(command, folder):
    """The functions that make what a command names and the folder does not have, each once."""
    reads = command
    for found in WRITTEN.finditer(command):
        is_read = found[0].startswith("--checkpoint") and re.search(r"poet (?:eval|predict|generate-text|export onnx|export safetensors)\b", command)
        is_read = is_read or (found[0].startswith("--certificate") and "poet verify" in command)
        if not is_read:
            reads = reads.replace(found[0], "")
    makers = []
    for name, make in BROUGHT.items():
        named = re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w.-])", reads)
        if named and not (folder / name).exists() and make not in makers:
            if name == "mine.ckpt" and not (folder / "mine.onnx").exists() and network not in makers:
                makers.append(network)
            makers.append(make)
    return makers
