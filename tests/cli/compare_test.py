"""What `poet compare` shows."""

import csv
import io
import xml.dom.minidom

import program
from program import poet

STEP = ["compare", "--model", "resnet18_cifar", "--platform", "m4", "--ram-budget", "40%way", "--runtime-budget", "1.5"]
QUICK = ["--methods", "keep-all,chen-greedy,checkmate,paging"]


class Compare(program.InAFolder):
    def test_table(self):
        ended = poet(*STEP, *QUICK)
        self.assertEqual(ended.code, 0)
        lines = ended.out.splitlines()
        self.assertRegex(lines[0], r"^resnet18_cifar on m4, released graph, free transfers, 1,138,790 B of RAM, at most ")
        self.assertEqual([line.split()[0] for line in lines[3:8]], ["keep-all", "chen-greedy", "checkmate", "paging", "poet"])
        self.assertIn("over RAM", lines[3])
        self.assertIn("2,453,760", lines[3])
        self.assertRegex(ended.out, r"\nNo schedule of the class needs less than .* \(by \S+ \S+, without certificate\)\. "
                                    r"'poet explain' says of which class\.\nWhat is best or infeasible by \S+ \S+ is its word, "
                                    r"without certificate\.\n$")
        self.assertNotIn("proved", ended.out)

    def test_nobody_is_below_the_bound(self):
        answer = poet(*STEP, *QUICK, "--json").json()
        self.assertEqual((answer["format"], answer["version"]), ("poet-compare", 1))
        rows = {row["method"]: row for row in answer["methods"]}
        self.assertEqual(rows["keep-all"]["outcome"], "over_ram")
        for name, row in rows.items():
            if row["outcome"] != "fits":
                continue
            with self.subTest(name):
                self.assertGreaterEqual(row["objective"], answer["lower_bound"] * (1 - 1e-9))
                self.assertGreaterEqual(row["objective"], rows["poet"]["objective"] * (1 - 1e-9))
                self.assertLessEqual(row["peak_ram_bytes"], answer["ram_budget_bytes"])
        self.assertEqual(answer["findings"], [])

    def test_files(self):
        table, picture = self.path("table.csv"), self.path("picture.svg")
        ended = poet(*STEP, *QUICK, "--csv", table, "--chart", picture)
        self.assertEqual(ended.code, 0)
        with open(table, encoding="utf-8") as file:
            rows = list(csv.DictReader(io.StringIO(file.read())))
        self.assertEqual([row["method"] for row in rows], ["keep-all", "chen-greedy", "checkmate", "paging", "poet"])
        self.assertEqual(rows[0]["outcome"], "over_ram")
        self.assertEqual(xml.dom.minidom.parse(picture).documentElement.tagName, "svg")

    def test_poet_is_always_there(self):
        answer = poet("compare", "--model", "linear", "--platform", "m0", "--ram-budget", "60%",
                      "--methods", "keep-all", "--json").json()
        self.assertEqual([row["method"] for row in answer["methods"]], ["keep-all", "poet"])

    def test_a_step_that_costs_less_is_told_beside_the_one_that_methods_share(self):
        question = ["--model", "digits-cnn", "--platform", "m4", "--ram-budget", "50%way"]
        answer = poet("compare", *question, "--methods", "keep-all", "--json").json()
        solved = poet("solve", *question, "--json").json()
        self.assertAlmostEqual(answer["own_step"]["energy_j"], solved["energy_j"], delta=1e-9 * solved["energy_j"])
        self.assertEqual(answer["own_step"]["updates"], solved["updates"])
        self.assertLess(answer["own_step"]["energy_j"], answer["methods"][-1]["energy_j"])
        self.assertLess(answer["own_step"]["energy_j"], answer["lower_bound"])
        self.assertFalse(answer["methods"][-1]["ended_by_clock"])
        self.assertIn("\nAll of this is of one step, which the methods share. 'poet solve' plans another: ",
                      poet("compare", *question, "--methods", "keep-all").out)

    def test_a_step_that_is_given_is_the_only_one(self):
        self.assertIsNone(poet("compare", "--model", "digits-cnn", "--platform", "m4", "--ram-budget", "50%way", "--methods",
                               "keep-all", "--updates", "separate", "--parts", "whole", "--json").json()["own_step"])

    def test_what_a_method_cannot_do_is_said(self):
        ended = poet("compare", "--model", "linear", "--platform", "m0", "--ram-budget", "60%", "--no-remat",
                     "--methods", "chen-sqrt,checkmate")
        self.assertEqual(ended.code, 0)
        self.assertIn("\n  chen-sqrt: the method recomputes, which the request rules out\n", ended.out)

    def test_nothing_fits(self):
        ended = poet("compare", "--model", "linear", "--platform", "m0", "--ram-budget", "100", "--methods", "keep-all", "--json")
        self.assertEqual(ended.code, 1)
        self.assertEqual([row["outcome"] for row in ended.json()["methods"]], ["over_ram", "infeasible"])

    def test_slips(self):
        for arguments, message in [
            (["--methods", "keep-al"], "poet: --methods: unknown method 'keep-al'; did you mean 'keep-all'?\n"),
            (["--methods", "poet,,dtr"], "poet: --methods: expected names with commas between them, found 'poet,,dtr'\n"),
            (["--methods", "poet,poet"], "poet: --methods: 'poet' stands there twice\n"),
            (["--csv", "/nowhere/at/all"], None),
        ]:
            with self.subTest(arguments):
                ended = poet(*STEP, *arguments)
                self.assertEqual((ended.code, ended.out), (2, ""))
                if message:
                    self.assertEqual(ended.err, message)


if __name__ == "__main__":
    program.run_tests()
