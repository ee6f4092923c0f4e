"""Tables and folders of pictures: the same numbers as arrays of them."""

import os
import random
import struct
import zlib

import program
from program import poet


def npy(kind, shape, data):
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape!r}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data


def png(width, rows):
    """Grey, of 8 bits."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, len(rows), 8, 0, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"".join(b"\0" + row for row in rows)))
            + chunk(b"IEND", b""))


class LikeArrays(program.InAFolder):
    def write(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)

    def trained(self, data, network):
        ended = poet("train", *network, "--batch-size", "4", "--steps", "6", "--data", data, "--held-out", "20%", "--cache", "cache", "--quiet", "--json",
                     cwd=self.folder)
        self.assertEqual(ended.code, 0, ended.err + ended.out)
        answer = ended.json()
        return answer["losses"], answer["parameters_sha256"], answer["evaluation"]

    def test_a_table(self):
        draw = random.Random(3)
        rows = [[struct.unpack("<f", struct.pack("<f", draw.gauss(0, 1)))[0] for _ in range(64)] for _ in range(30)]
        labels = [draw.randrange(10) for _ in rows]
        lines = [",".join(f"pixel {k}" for k in range(64)) + ",digit"]
        lines += [",".join(map(repr, row)) + f",{label}" for row, label in zip(rows, labels)]
        self.write("table.csv", "\n".join(lines).encode())
        self.write("x.npy", npy("<f4", (30, 1, 8, 8), b"".join(struct.pack("<64f", *row) for row in rows)))
        self.write("y.npy", npy("<i8", (30,), struct.pack("<30q", *labels)))
        network = ["--model", "digits-mlp"]
        self.assertEqual(self.trained("table.csv", network), self.trained("x.npy,y.npy", network))
        self.assertEqual(self.trained("table.csv", network), self.trained("x.npy,y.npy", network))

    def test_a_folder_of_pictures(self):
        draw = random.Random(4)
        pixels, labels = b"", []
        for label in range(10):
            os.makedirs(self.path(f"digits/class {label}"))
            for k in range(3):
                rows = [bytes(draw.randrange(256) for _ in range(16)) for _ in range(16)]
                self.write(f"digits/class {label}/{k}.png", png(16, rows))
                pixels += b"".join(rows)
                labels.append(label)
        self.write("x.npy", npy("|u1", (30, 1, 16, 16), pixels))
        self.write("y.npy", npy("<i8", (30,), struct.pack("<30q", *labels)))
        network = ["--model", "lenet5", "--image-size", "16", "--pixel-mean", "0.5", "--augment", "flip,crop:2"]
        self.assertEqual(self.trained("digits", network), self.trained("x.npy,y.npy", network))


if __name__ == "__main__":
    program.run_tests()
