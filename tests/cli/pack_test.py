"""Buffers from tables and plans get addresses: poet pack."""

import csv
import io
import os
import unittest

import program
from program import LINEAR, poet

TABLE = "id,lower,upper,size\nb1,0,3,4\nb2,3,9,4\nb3,0,9,4\nb4,9,21,4\nb5,0,21,4\n"


class Pack(program.InAFolder):
    def write(self, text=TABLE, name="b.csv"):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def test_every_row_gets_an_offset(self):
        out = self.path("packed.csv")
        ended = poet("pack", self.write(), "--capacity", "12", "--out", out, "--json")
        self.assertEqual(ended.code, 0, ended.err)
        answer = ended.json()
        self.assertEqual((answer["height_bytes"], answer["fits"], answer["proved"]), (12, True, True))
        self.assertEqual(answer["files"], [out])
        with open(out, encoding="utf-8") as file:
            rows = list(csv.DictReader(io.StringIO(file.read())))
        self.assertEqual([row["id"] for row in rows], ["b1", "b2", "b3", "b4", "b5"])
        for a in rows:
            for b in rows:
                if a is not b and int(a["lower"]) < int(b["upper"]) and int(b["lower"]) < int(a["upper"]):
                    self.assertTrue(int(a["offset"]) + 4 <= int(b["offset"]) or int(b["offset"]) + 4 <= int(a["offset"]))

    def test_a_capacity_that_is_too_small_is_exit_code_1(self):
        ended = poet("pack", self.write(), "--capacity", "11B")
        self.assertEqual(ended.code, 1)
        self.assertIn("does not fit into 11 bytes, proved", ended.out)

    def test_offsets_are_aligned(self):
        ended = poet("pack", self.write(), "--alignment", "16", "--json")
        self.assertEqual(ended.json()["height_bytes"], 48)

    def test_a_plan_is_laid_out_and_read_again(self):
        plan, out = self.path("plan.json"), self.path("laid_out.json")
        self.assertEqual(poet(*LINEAR, "--out", plan).code, 0)
        ended = poet("pack", plan, "--out", out, "--json")
        self.assertEqual(ended.code, 0, ended.err)
        answer = ended.json()
        self.assertEqual(answer["height_bytes"], answer["peak_ram_bytes"])
        self.assertTrue(answer["proved"])
        self.assertEqual(poet("verify", out).code, 0)
        self.assertEqual(poet("pack", out, "--json").json()["height_bytes"], answer["height_bytes"])

    def test_bad_input_is_one_sentence(self):
        self.write("id,lower,upper,size\nb1,0,3\n")
        self.assert_refused("b.csv:2: expected 4 cells as in the heading, found 3", "pack", "b.csv")
        self.assert_refused("poet pack needs a table of buffers (FILE.csv) or a plan (FILE.json)", "pack")
        self.write()
        self.assert_refused("an alignment is a power of two of at most 1 GiB, found 3", "pack", "b.csv", "--alignment", "3")
        self.write("id,lower,upper,size\nb1,0,3,9223372036854775807\n")
        self.assert_refused("b.csv:2: '9223372036854775807' is too large for 'size'; the largest that works is "
                            "4611686018427387904", "pack", "b.csv")
        self.write(TABLE + "b3,21,22,4\n")
        self.assert_refused("b.csv:7: the id 'b3' stands in line 4 already", "pack", "b.csv")
        os.remove(self.path("b.csv"))
        self.assert_refused("cannot read 'b.csv': No such file or directory", "pack", "b.csv")


if __name__ == "__main__":
    program.run_tests()
