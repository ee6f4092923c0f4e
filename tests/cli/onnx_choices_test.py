"""Choices that a network makes while it runs, of which values are largest and where others stand: PyTorch's losses, and the bits of a
project in C."""

import shutil
import subprocess
import unittest

import onnx_trained
import program
from onnx_trained import node
from program import ANY_PLAN, poet

try:
    import numpy
    import torch
except ImportError:
    torch = None


@unittest.skipIf(torch is None, "python3-torch and python3-onnx are not installed")
class Choices(onnx_trained.Trained):
    def product(self):
        return [node("MatMul", "x w", "y")]

    # --- The largest values

    def test_the_largest_values_and_what_stands_there(self):
        def forward(x, w):
            values, places = (x @ w["w"]).topk(3, 1)
            return torch.cat([values, (x @ w["v"]).gather(1, places)], 2)

        picked = [node("MatMul", "x v", "z"), node("GatherElements", "z places", "picked", axis=1),
                  node("Concat", "values picked", "h", axis=2)]
        for opset, words in ((11, {}), (11, {"sorted": 0}), (18, {"largest": 1}), (22, {})):
            with self.subTest(opset=opset, **words):
                self.compare(opset, [*self.product(), node("TopK", "y three", "values places", axis=1, **words), *picked],
                             self.projected("w", "v"), forward, known=[("three", [3])])

    def test_the_largest_values_in_old_files(self):
        for opset, made, known in ((6, node("TopK", "y", "h places", axis=-1, k=2), []),
                                   (10, node("TopK", "y two", "h places"), [("two", [2])])):
            with self.subTest(opset):
                self.compare(opset, [*self.product(), made], self.projected("w"), lambda x, w: (x @ w["w"]).topk(2, 2)[0], known=known)

    def test_the_smallest_values(self):
        self.compare(17, [*self.product(), node("TopK", "y two", "h places", axis=1, largest=0)], self.projected("w"),
                     lambda x, w: (x @ w["w"]).topk(2, 1, largest=False)[0], known=[("two", [2])])

    def test_experts_that_are_chosen(self):
        """Each place is passed through the two of four maps with the highest scores, as mixtures of experts are."""
        def forward(x, w):
            scores, places = (x @ w["gate"][:, :4]).topk(2, 2)
            hot = torch.nn.functional.one_hot(places, 4).float()
            gates = (torch.softmax(scores, 2).unsqueeze(3) * hot).sum(2)
            return torch.einsum("bte,btf,ef->btf", gates, x @ w["w"], w["scales"])

        nodes = [node("MatMul", "x gate", "all"), node("Slice", "all zero four two", "gated"),
                 node("TopK", "gated k", "best places", axis=2), node("OneHot", "places depth values", "hot", axis=-1),
                 node("Softmax", "best", "weights", axis=2), node("Unsqueeze", "weights three", "column"),
                 node("Mul", "column hot", "spread"), node("ReduceSum", "spread two", "gates", keepdims=0),
                 node("MatMul", "x w", "y"), node("MatMul", "gates scales", "factors"), node("Mul", "y factors", "h")]
        for values in (numpy.array([0, 1], numpy.float32), numpy.array([0, 1])):
            cast = [] if values.dtype == numpy.float32 else [node("Cast", "hot", "hot32", to=1)]
            used = [one if "hot" not in one.input else node("Mul", "column hot32", "spread") for one in nodes] if cast else nodes
            at = next(i for i, one in enumerate(used) if one.op_type == "OneHot") + 1
            with self.subTest(values.dtype.name):
                self.compare(17, [*used[:at], *cast, *used[at:]],
                             {**self.projected("gate", "w"), "scales": torch.randn(4, 8)}, forward,
                             known=[("zero", [0]), ("four", [4]), ("two", [2]), ("three", [3]), ("k", [2]), ("depth", numpy.array(4)),
                                    ("values", values)])

    # --- Where they stand

    def test_an_embedding_of_the_largest(self):
        for opset, op_type, choose, words in ((11, "ArgMax", torch.argmax, {}), (13, "ArgMin", torch.argmin, {"select_last_index": 0})):
            def forward(x, w, choose=choose):
                y = x @ w["w"]
                return torch.cat([w["table"][choose(y, 2)], y], 2)

            with self.subTest(op_type):
                self.compare(opset, [*self.product(), node(op_type, "y", "places", axis=-1, keepdims=0, **words),
                                     node("Gather", "table places", "found"), node("Concat", "found y", "h", axis=2)],
                             {**self.projected("w"), "table": torch.randn(8, 3)}, forward)

    def test_the_row_of_each_example_that_is_largest(self):
        """By coordinates, and by one coordinate in each of a batch."""
        def forward(x, w):
            y = x @ w["w"]
            return y[torch.arange(4), y[:, :, 0].argmax(1)]

        first = [*self.product(), node("Gather", "y zero", "column", axis=2), node("ArgMax", "column", "places", axis=1)]
        batch = numpy.arange(4).reshape(4, 1)
        self.compare(12, [*first, node("Concat", "batch places", "both", axis=1), node("GatherND", "y both", "h")],
                     self.projected("w"), forward, known=[("zero", numpy.array(0)), ("batch", batch)])
        self.compare(12, [*first, node("GatherND", "y places", "h", batch_dims=1)], self.projected("w"), forward,
                     known=[("zero", numpy.array(0))])

    def test_places_that_are_calculated_with(self):
        """Rows of all examples one below the other, as exporters put an index of two tensors; of the row behind the largest."""
        def forward(x, w):
            y = x @ w["w"]
            return y[torch.arange(4), y[:, :5, 0].argmax(1) + 1]

        self.compare(13, [*self.product(), node("Slice", "y zeros ends axes", "first"), node("ArgMax", "first", "best", axis=1, keepdims=0),
                          node("Reshape", "best four", "places"), node("Add", "places one", "behind"), node("Mul", "six batch", "before"),
                          node("Add", "before behind", "rows"), node("Reshape", "y joined", "all"), node("Gather", "all rows", "h")],
                     self.projected("w"), forward,
                     known=[("zeros", [0, 0]), ("ends", [5, 1]), ("axes", [1, 2]), ("four", [4]), ("one", numpy.array(1)),
                            ("six", numpy.array(6)), ("batch", numpy.arange(4)), ("joined", [24, 8])])

    def test_rows_by_a_list_of_one_coordinate(self):
        def forward(x, w):
            y = x @ w["w"]
            return y[y[:, 0].argmax(0)]

        self.compare(11, [*self.product(), node("Gather", "y zero", "row", axis=1), node("ArgMax", "row", "best", axis=0, keepdims=0),
                          node("Unsqueeze", "best", "places", axes=[1]), node("GatherND", "y places", "picked"),
                          node("Expand", "picked shape", "h")],
                     self.projected("w"), lambda x, w: forward(x, w).expand(4, 8, 6, 8), known=[("zero", numpy.array(0)),
                                                                                            ("shape", [4, 8, 6, 8])])

    def test_elements_of_a_part(self):
        """Indices with smaller extents look at as many of the values."""
        def forward(x, w):
            y = x @ w["w"]
            return y.gather(1, y[:, :, :5].topk(2, 1)[1])

        self.compare(13, [*self.product(), node("Slice", "y zero five two", "some"), node("TopK", "some two", "best places", axis=1),
                          node("GatherElements", "y places", "h", axis=1)], self.projected("w"), forward,
                     known=[("zero", [0]), ("five", [5]), ("two", [2])])

    # --- Scattered

    def test_values_that_are_put_and_added(self):
        for opset, words, scatter in ((11, {}, torch.Tensor.scatter), (16, {"reduction": "none"}, torch.Tensor.scatter),
                                      (16, {"reduction": "add"}, torch.Tensor.scatter_add), (18, {"reduction": "add"},
                                                                                            torch.Tensor.scatter_add)):
            def forward(x, w, scatter=scatter):
                y = x @ w["w"]
                values, places = y.topk(3, 1)
                return scatter(x @ w["v"], 1, places, values * values)

            with self.subTest(opset=opset, **words):
                self.compare(opset, [*self.product(), node("TopK", "y three", "values places", axis=1), node("Mul", "values values", "squares"),
                                     node("MatMul", "x v", "z"), node("ScatterElements", "z places squares", "h", axis=1, **words)],
                             self.projected("w", "v"), forward, known=[("three", [3])])

    def test_a_row_that_is_put(self):
        def forward(x, w):
            y = x @ w["w"]
            place = y.sum((1, 2)).argmax(0).reshape(1)
            return y.index_put((place,), w["row"])

        self.compare(18, [*self.product(), node("ReduceSum", "y both", "sums", keepdims=0), node("ArgMax", "sums", "best", axis=0),
                          node("Reshape", "best column", "places"), node("ScatterND", "y places row", "h")],
                     {**self.projected("w"), "row": torch.randn(1, 6, 8)}, forward, known=[("both", [1, 2]), ("column", [1, 1])])

    def test_a_network_that_loses_its_examples_is_refused(self):
        last = torch.nn.Linear(48, 5)
        for chosen in ([node("ArgMax", "x", "places", axis=0), node("GatherElements", "x places", "h")],
                       [node("Slice", "x begin end", "h")]):
            with self.subTest(chosen[0].op_type):
                self.write(13, chosen, {"last.weight": last.weight, "last.bias": last.bias}, known=[("begin", [0]), ("end", [1])])
                ended = self.train()
                self.assertEqual(ended.code, 2, ended.err)
                self.assertIn("has the shape (1), and not one row for each of the 4 examples of a batch", ended.err)

    def test_a_depth_that_is_no_number_of_rows_is_refused(self):
        last = torch.nn.Linear(6, 5)
        for depth in (1.5, float("nan"), 1e30):
            with self.subTest(depth):
                self.write(13, [node("ArgMax", "x", "places", axis=2, keepdims=0), node("OneHot", "places depth values", "hot"),
                                node("ReduceMean", "hot", "h", axes=[2], keepdims=0)],
                           {"last.weight": last.weight, "last.bias": last.bias},
                           known=[("depth", numpy.float32(depth)), ("values", numpy.float32([0, 1]))])
                ended = self.train()
                self.assertEqual(ended.code, 2, ended.err)
                self.assertIn("its depth must be a whole number, 1 to ", ended.err)

    def test_ways_of_putting_together_that_are_refused(self):
        last = torch.nn.Linear(48, 5)
        self.write(18, [node("ArgMax", "x", "places", axis=1), node("Slice", "x zero one one", "updates"),
                        node("ScatterElements", "x places updates", "h", axis=1, reduction="max")],
                   {"last.weight": last.weight, "last.bias": last.bias}, known=[("zero", [0]), ("one", [1])])
        ended = self.train()
        self.assertEqual(ended.code, 2)
        self.assertEqual(ended.err, "poet: net.onnx: ScatterElements that makes 'h': POET has this operator only where its inputs are known "
                                    "before the network runs, but for the values, or reduction is none or add, not max\n")

    # --- Steps

    def test_steps_pass_no_gradient(self):
        for opset, op_type, of_torch in ((11, "Round", torch.round), (6, "Floor", torch.floor), (13, "Ceil", torch.ceil),
                                         (9, "Sign", torch.sign)):
            with self.subTest(op_type):
                self.compare(opset, [*self.product(), node("Mul", "y y", "squares"), node(op_type, "squares", "steps"),
                                     node("Mul", "y steps", "h")],
                             self.projected("w"), lambda x, w, f=of_torch: (x @ w["w"]) * f((x @ w["w"]) ** 2))

    # --- In C

    def test_a_project_has_the_same_bits(self):
        """All of these operators in one network, in a budget in which it pages."""
        self.everything()
        asked = ["--model", "net.onnx", "--batch-size", "4", "--steps", "3", "--examples", "16", "--quiet", "--json"]
        trained = poet("train", *asked, "--test-examples", "0", "--no-keep-plans", cwd=self.folder)
        self.assertEqual(trained.code, 0, trained.err)
        for budget in ("100%", "0%way"):
            shutil.rmtree(self.path("project"), ignore_errors=True)
            exported = poet("export", "c", *asked, "--platform", "laptop", "--ram-budget", budget, "--cache", "plans", "--out", "project",
                            *ANY_PLAN, cwd=self.folder)
            self.assertEqual(exported.code, 0, exported.err)
            for command in (["make", "host", "OPTIMISE=-O1", "WARNINGS=-Wall -Wextra -Wconversion -Wshadow -pedantic -Werror"],
                            ["./host", "--steps", "3"]):
                ended = subprocess.run(command, cwd=self.path("project"), capture_output=True, text=True, check=False)
                self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
            lines = [line.split() for line in ended.stdout.splitlines()]
            self.assertEqual([float.fromhex(line[4]) for line in lines[:-1]], trained.json()["losses"])
            self.assertEqual(lines[-1][1], trained.json()["parameters_sha256"])

    def test_what_was_trained_is_written_and_read_again(self):
        self.everything()
        asked = ["--data", "data.npz", "--batch-size", "4", "--no-keep-plans", "--quiet"]
        self.assertEqual(poet("train", "--model", "net.onnx", *asked, "--steps", "2", "--test-examples", "0", "--checkpoint", "kept",
                              cwd=self.folder).code, 0)
        ended = poet("export", "onnx", "--model", "net.onnx", "--batch-size", "4", "--checkpoint", "kept", "--out", "again.onnx",
                     cwd=self.folder)
        self.assertEqual(ended.code, 0, ended.err)
        scores = [poet("predict", *words, *asked, "--out", out, cwd=self.folder)
                  for words, out in ((["--model", "net.onnx", "--checkpoint", "kept"], "a.npy"), (["--model", "again.onnx"], "b.npy"))]
        self.assertEqual([ended.code for ended in scores], [0, 0], scores[1].err)
        numpy.testing.assert_array_equal(numpy.load(self.path("a.npy")), numpy.load(self.path("b.npy")))

    def everything(self):
        last = torch.nn.Linear(16, 5)
        self.write(17, [*self.product(), node("TopK", "y three", "values places", axis=1), node("MatMul", "x v", "z"),
                        node("GatherElements", "z places", "picked", axis=1), node("Round", "picked", "round"),
                        node("Floor", "values", "floor"), node("Ceil", "picked", "ceil"), node("Sign", "values", "sign"),
                        node("Sum", "picked round floor ceil sign", "steps"),
                        node("ScatterElements", "z places steps", "put", axis=1),
                        node("ScatterElements", "put places values", "added", axis=1, reduction="add"),
                        node("ReduceMean", "added", "means", axes=[2], keepdims=0), node("ArgMax", "means", "best", axis=1),
                        node("ArgMin", "means", "worst", axis=1, select_last_index=1),
                        node("GatherND", "added best", "top", batch_dims=1), node("Concat", "batch worst", "both", axis=1),
                        node("GatherND", "added both", "low"), node("Concat", "top low", "h", axis=1)],
                   {**self.projected("w", "v"), "last.weight": last.weight, "last.bias": last.bias},
                   known=[("three", [3]), ("batch", numpy.arange(4).reshape(4, 1))])


if __name__ == "__main__":
    program.run_tests()
