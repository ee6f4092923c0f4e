"""Costed graphs from files, and the ones that `poet generate` makes up."""

import csv
import json
import os
import re
import shlex
import unittest

import program
from program import poet

PAGE = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "formats", "costed_graph.md")


def chain(**more):
    """Four operations and their gradients: `ga` reads what `a` made first."""
    graph = {
        "name": "chain",
        "nodes": 7,
        "edges": [[0, 1], [1, 2], [2, 3], [2, 4], [3, 4], [1, 5], [4, 5], [0, 6], [5, 6]],
        "duration": [1, 2, 4, 8, 8, 8, 8],
        "output_bytes": [100] * 7,
    }
    return {**graph, **more}


class GraphFile(program.InAFolder):
    def write(self, graph, name="g.json"):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(graph if isinstance(graph, str) else json.dumps(graph))
        return self.path(name)


class Solve(GraphFile):
    def solve(self, graph, *arguments):
        ended = poet("solve", "--graph-file", self.write(graph), "--json", *arguments)
        self.assertEqual(ended.code, 0, ended.err)
        return ended.json()

    def test_least_duration_in_a_part_of_the_plain_peak(self):
        answer = self.solve(chain(), "--ram-budget", "0.9x")
        self.assertEqual(
            [answer[key] for key in ("status", "model", "graph", "platform", "objective", "paging", "deadline_s")],
            ["optimal", "chain", "file", None, "time", False, None],
        )
        self.assertEqual((answer["plain_peak_bytes"], answer["ram_budget_bytes"]), (500, 450))
        self.assertEqual((answer["time_s"], answer["unavoidable_s"], answer["overhead_s"]), (40, 39, 1))
        self.assertEqual((answer["recomputed_operations"], answer["paged_tensors"]), (1, 0))

    def test_every_form_of_a_budget(self):
        for text, budget in (("60%", 300), ("40%way", 380), ("512KiB", 524288), ("450", 450)):
            self.assertEqual(self.solve(chain(), "--ram-budget", text)["ram_budget_bytes"], budget)

    def test_a_budget_is_needed_without_a_device(self):
        self.assert_refused(
            "a graph file alone says nothing of the RAM: give --ram-budget, such as 0.9x of the plain peak, or --platform for "
            "the RAM of a device",
            "solve", "--graph-file", self.write(chain()),
        )
        self.assertEqual(self.solve(chain(), "--platform", "m4")["ram_budget_bytes"], 262144)

    def test_energies_and_transfers_of_its_own(self):
        graph = chain(compute_j=[2, 4, 8, 16, 16, 16, 16], page_in_j=[0.25] * 7, page_out_j=[0.5] * 7)
        answer = self.solve(graph, "--ram-budget", "450")
        self.assertEqual((answer["objective"], answer["paging"]), ("energy", True))
        self.assertEqual((answer["energy_j"], answer["overhead_j"], answer["paged_tensors"]), (78.75, 0.75, 1))
        answer = self.solve(graph, "--ram-budget", "450", "--no-paging")
        self.assertEqual((answer["energy_j"], answer["overhead_j"]), (80, 2))
        answer = self.solve(graph, "--ram-budget", "450", "--no-paging", "--objective", "time")
        self.assertEqual((answer["objective"], answer["time_s"]), ("time", 40))

    def test_a_deadline(self):
        answer = self.solve(chain(), "--ram-budget", "450", "--deadline", "1.5x")
        self.assertEqual(answer["deadline_s"], 58.5)
        ended = poet("solve", "--graph-file", self.write(chain()), "--ram-budget", "450", "--deadline", "39s")
        self.assertEqual(ended.code, 1)

    def test_plans_reports_and_verification(self):
        graph = self.write(chain())
        ended = poet("solve", "--graph-file", graph, "--ram-budget", "450", "--out", "plan.json", "--report", "plan.html",
                     "--plot-directory", "plots", cwd=self.folder)
        self.assertEqual(ended.code, 0, ended.err)
        lines = ended.out.splitlines()
        self.assertEqual(lines[0], "chain, graph from a file, free transfers, no paging, least time")
        self.assertNotIn("energy ", ended.out)
        os.remove(graph)  # the plan has everything
        ended = poet("verify", self.path("plan.json"))
        self.assertEqual(ended.code, 0, ended.out)
        self.assertEqual(ended.out.splitlines()[:2], [lines[0], "valid: every rule is kept"])
        self.assertIn("recompute  op_0", poet("inspect", self.path("plan.json")).out)
        with open(self.path("plan.html"), encoding="utf-8") as page:
            text = page.read()
        self.assertIn("<h1>chain</h1>", text)
        self.assertNotIn("Energy of one step", text)
        self.assertFalse(re.search(r"\b(?:nan|inf)\b", re.sub(r"<script.*?</script>|<style.*?</style>", "", text, flags=re.S)))

    def test_the_same_request_gives_the_same_bytes(self):
        first, second = (self.solve(chain(), "--ram-budget", "450") for _ in range(2))
        for answer in (first, second):
            del answer["timing"], answer["solve_s"]
        self.assertEqual(first, second)

    def test_a_graph_from_a_pipe(self):
        if not os.path.exists("/dev/stdin"):
            self.skipTest("no /dev/stdin here")
        import subprocess

        ended = subprocess.run(
            [program.program, "solve", "--graph-file", "/dev/stdin", "--ram-budget", "450", "--json"],
            input=json.dumps(chain()), capture_output=True, text=True, check=False,
        )
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(json.loads(ended.stdout)["time_s"], 40)

    def test_warns_of_a_peak_that_is_not_so(self):
        graph = self.write(chain(peak_without_recomputation_bytes=400))
        ended = poet("solve", "--graph-file", graph, "--ram-budget", "450")
        self.assertEqual(
            ended.err,
            "poet: warning: the graph file states a plain peak of 400 bytes, but by its sizes and edges it is 500 bytes\n",
        )

    def test_the_example_of_the_documentation(self):
        with open(PAGE, encoding="utf-8") as page:
            text = page.read()
        self.write(re.search(r"^```json\n(.*?)^```$", text, re.M | re.S)[1], "three.json")
        command = re.search(r"^```sh\n(.*?)^```$", text, re.M | re.S)[1]
        ended = poet(*shlex.split(command)[1:], "--json", cwd=self.folder)
        self.assertEqual(ended.code, 0, ended.err)
        answer = ended.json()
        self.assertEqual((answer["status"], answer["ram_budget_bytes"], answer["overhead_s"]), ("optimal", 2160, 4))


class Refused(GraphFile):
    def refused(self, message, graph):
        self.write(graph)
        self.assert_refused(message, "solve", "--graph-file", "g.json", "--ram-budget", "0.9x")

    def test_files_that_are_no_graph(self):
        self.assert_refused("cannot read 'no.json': No such file or directory", "solve", "--graph-file", "no.json")
        self.refused("g.json:1:15: not valid JSON: it is cut off; expected '}'", '{"name": "cut"')
        self.refused("g.json:1:15: 'name' stands here twice (first in line 1)", '{"name": "a", "name": "b"}')
        self.refused("g.json:1:1: a costed graph must have 'nodes'", '{"name": "a"}')
        self.refused("g.json:1:17: a costed graph has no field 'edge'; did you mean 'edges'?",
                     '{"name": "one", "edge": [], "nodes": 1, "duration": [1], "output_bytes": [1], "edges": []}')

    def refused_at(self, piece, message, graph):
        """At the last place where the piece stands in the file."""
        self.refused(f"g.json:1:{json.dumps(graph).rindex(piece) + 1}: {message}", graph)

    def test_lists_and_numbers(self):
        self.refused_at("[1, 2], \"output", "'duration' must have 7 items, one for each node, found 2", chain(duration=[1, 2]))
        self.refused_at("-2", "'duration' must be a number of at least 0, found -2", chain(duration=[1, -2] + [1] * 5))
        self.refused_at("1e+308", "'duration' must be 0 or from 1e-60 to 1e+60, found 1e+308", chain(duration=[1, 1e308] + [1] * 5))
        self.refused_at(f"[{2**52}", "'output_bytes' adds up to more than 2^53 bytes, above which doubles skip some",
                        chain(output_bytes=[2**52] * 7))

    def test_edges(self):
        edges = chain()["edges"]
        self.refused_at("[3, 2]", "edge [3, 2] leads backwards: a node must stand after those that it reads",
                        chain(edges=[[3, 2]]))
        self.refused_at("[6, 0]", "edge [6, 0] closes a circle: no order computes each node before it is read",
                        chain(edges=edges + [[6, 0]]))
        self.refused_at("[0, 1]", "edge [0, 1] stands here twice", chain(edges=edges + [[0, 1]]))

    def test_two_things_to_plan(self):
        self.write(chain())
        arguments = ["solve", "--graph-file", "g.json", "--ram-budget", "450"]
        self.assert_refused("the network 'bert' and the graph file 'g.json' are two things to plan; name one of them",
                            *arguments, "--model", "bert")
        self.assert_refused("--graph-file and --graph name two graphs; give one of them", *arguments, "--graph", "released")
        self.assert_refused("a graph file has the sizes of one batch size; it cannot be given another",
                            *arguments, "--batch-size", "4")
        self.assert_refused("unknown platform 'm9'; did you mean 'm0'?", *arguments, "--platform", "m9")
        self.assert_refused("the graph file states no energies ('compute_j'), so only time can be made least",
                            *arguments, "--objective", "energy")


class Inspect(GraphFile):
    def test_a_graph(self):
        path = self.write(chain(source="a desk", names=list("abcdefg")))
        facts = poet("inspect", "--graph-file", path, "--json").json()
        self.assertEqual(
            [facts[key] for key in ("model", "graph", "platform", "operation_count", "compute_s", "plain_peak_bytes",
                                    "largest_working_set_bytes", "source", "warnings")],
            ["chain", "file", None, 7, 39, 500, 300, "a desk", []],
        )
        self.assertEqual([row["name"] for row in facts["operations"]], list("abcdefg"))
        self.assertIsNone(facts["operations"][0]["page_in_j"])
        facts = poet("inspect", "--graph-file", path, "--platform", "m4", "--json").json()
        self.assertGreater(facts["operations"][0]["page_in_j"], 0)
        lines = poet("inspect", "--graph-file", path).out.splitlines()
        self.assertEqual(lines[0], "chain, graph from a file")

    def test_an_energy_that_is_not_stated_is_not_0(self):
        path = self.write(chain())
        facts = poet("inspect", "--graph-file", path, "--json").json()
        self.assertIsNone(facts["compute_j"])
        self.assertIsNone(facts["operations"][0]["compute_j"])
        self.assertIn("energies are not known", poet("inspect", "--graph-file", path).out)
        stated = self.write(chain(compute_j=[1] * 7), "stated.json")
        facts = poet("inspect", "--graph-file", stated, "--json").json()
        self.assertEqual([facts["compute_j"], facts["operations"][0]["compute_j"]], [7, 1])
        planned = poet("solve", "--graph-file", path, "--ram-budget", "450", "--out", "plan.json", cwd=self.folder)
        self.assertEqual(planned.code, 0, planned.err)
        extra = poet("inspect", "plan.json", "--json", cwd=self.folder).json()["extra"]
        self.assertTrue(extra)
        self.assertEqual({work["energy_j"] for work in extra}, {None})
        self.assertEqual(poet("compare", "--graph-file", path, "--ram-budget", "450", "--csv", "methods.csv",
                              cwd=self.folder).code, 0)
        with open(self.path("methods.csv"), encoding="utf-8") as file:
            self.assertEqual({method["energy_j"] for method in csv.DictReader(file)}, {""})
        self.assertEqual(poet("solve", "--graph-file", path, "--ram-budget", "450", "--report", "plan.html", cwd=self.folder).code, 0)
        with open(self.path("plan.html"), encoding="utf-8") as file:
            self.assertNotRegex(file.read(), r"\b0 J")
        sweep = ["sweep", "--graph-file", path, "--budgets", "2", "--methods", "poet", "--csv", "points.csv", "--report", "page.html", "--json"]
        answer = poet(*sweep, cwd=self.folder).json()
        points = [point for method in answer["instances"][0]["methods"] for point in method["points"]]
        self.assertEqual([point["energy_j"] for point in points], [None, None])
        with open(self.path("points.csv"), encoding="utf-8") as file:
            for point in csv.DictReader(file):
                self.assertEqual(point["energy_j"], "")
                self.assertGreater(float(point["time_s"]), 0)
        with open(self.path("page.html"), encoding="utf-8") as file:
            self.assertNotIn("0 J", file.read())

    def test_one_thing_at_a_time(self):
        self.write(chain())
        self.assert_refused("--graph-file and 'bert' are two things to inspect; name one of them",
                            "inspect", "bert", "--graph-file", "g.json")
        self.assert_refused("--batch-size does not apply to a graph file",
                            "inspect", "--graph-file", "g.json", "--batch-size", "2")


class Generate(GraphFile):
    def test_writes_the_same_bytes_for_the_same_arguments(self):
        texts = []
        for arguments in ([], [], ["--seed", "2"], ["--platform", "a72"]):
            ended = poet("generate", "unet", "--operations", "200", *arguments, "--out", self.path("u.json"))
            self.assertEqual((ended.code, ended.err), (0, ""))
            with open(self.path("u.json"), encoding="utf-8") as file:
                texts.append(file.read())
        self.assertEqual(texts[0], texts[1])
        self.assertEqual(len(set(texts)), 3)
        self.assertEqual(json.loads(texts[0])["source"], "poet generate unet --operations 200 --seed 1 --platform m4")

    def test_about_as_many_operations_as_asked_for(self):
        kinds = poet("help", "generate").out.split("Usage: poet generate ")[1].split(" ")[0].split("|")
        self.assertEqual(kinds, ["resnet", "transformer", "unet"])
        for kind in kinds:
            for count in (80, 1000, 10000):
                facts = poet("generate", kind, "--operations", str(count), "--out", "g.json", "--json", cwd=self.folder).json()
                self.assertAlmostEqual(facts["operation_count"], count, delta=20)
                self.assertEqual(facts["files"], ["g.json"])
                graph = poet("inspect", "--graph-file", "g.json", "--json", cwd=self.folder).json()
                self.assertEqual((graph["plain_peak_bytes"], graph["warnings"]), (facts["plain_peak_bytes"], []))

    def test_what_it_makes_can_be_planned(self):
        poet("generate", "transformer", "--operations", "43", "--out", "t.json", cwd=self.folder)
        answer = poet("solve", "--graph-file", "t.json", "--ram-budget", "90%", "--gap", "1e-3", "--json", "--out", "plan.json",
                      cwd=self.folder).json()
        self.assertEqual((answer["objective"], answer["io"], answer["paging"]), ("energy", "blocking", True))
        self.assertIn(answer["status"], ("optimal", "feasible"))
        self.assertEqual(poet("verify", "plan.json", cwd=self.folder).code, 0)

    def test_what_is_not_right(self):
        self.assert_refused("poet generate needs a kind of network, such as transformer", "generate")
        self.assert_refused("poet generate needs --out FILE", "generate", "unet")
        self.assert_refused("poet generate takes one kind of network, found 'b' after 'a'", "generate", "a", "b")
        self.assert_refused("unknown kind of network 'unett'; did you mean 'unet'?", "generate", "unett", "--out", "g.json")
        self.assert_refused("--operations: expected a whole number of at least 1, found '1e4'",
                            "generate", "unet", "--operations", "1e4", "--out", "g.json")
        self.assert_refused("the smallest unet of seed 1 has 61 operations, and 12 were asked for",
                            "generate", "unet", "--operations", "12", "--out", "g.json")
        self.assert_refused("--out: cannot write 'no/g.json': the folder 'no' does not exist",
                            "generate", "unet", "--out", "no/g.json")


if __name__ == "__main__":
    program.run_tests()
