"""Training from Python: data from arrays, what was learnt as arrays, and the same bits whatever the budget."""

import json
import os

import numpy as np

import poet
from case import Case, run_tests


def digits(count, seed=1):
    """Pictures of which the brightest quarter says the class."""
    draws = np.random.default_rng(seed)
    labels = draws.integers(0, 4, count)
    pictures = draws.normal(0, 0.1, (count, 1, 8, 8))
    for picture, label in zip(pictures, labels):
        row, column = divmod(label, 2)
        picture[0, 4 * row:4 * row + 4, 4 * column:4 * column + 4] += 1
    return pictures, labels


class Training(Case):
    def train(self, model="digits-cnn", **options):
        settled = {"batch_size": 16, "steps": 5, "ram_budget": "100%", "storage": self.folder, "keep_plans": False, **options}
        return poet.train(model, **settled)

    def test_learns_from_arrays(self):
        told = []
        trained = self.train(data=digits(160), test_data=digits(40, 2), steps=60, on_step=told.append)
        self.assertTrue(trained.feasible)
        self.assertEqual(trained.losses.shape, (60,))
        self.assertLess(trained.losses[-5:].mean(), 0.5 * trained.losses[:5].mean())
        self.assertEqual([news["step"] for news in told], list(range(1, 61)))
        self.assertEqual(np.float32(told[-1]["loss"]), trained.losses[-1])
        self.assertGreater(trained.evaluation["accuracy"], 0.8)
        scores = trained.predict(digits(40, 2)[0])
        self.assertEqual(scores.shape, (40, 10))
        self.assertGreater((scores.argmax(axis=1) == digits(40, 2)[1]).mean(), 0.8)

    def test_is_the_same_in_less_ram(self):
        ample = self.train(data=digits(32))
        scarce = self.train(data=digits(32), ram_budget="90%")
        self.assertLess(scarce.arena_bytes, ample.arena_bytes)
        self.assertGreater(scarce.paged_out_bytes + scarce.paged_in_bytes, 0)
        self.assertEqual(ample.parameters_sha256, scarce.parameters_sha256)
        for name, values in ample.parameters.items():
            self.assertTrue((values == scarce.parameters[name]).all(), name)

    def test_takes_arrays_of_any_layout(self):
        pictures, labels = digits(32)
        plain = self.train(data=(pictures, labels))
        turned = np.asfortranarray(pictures)
        strided = np.repeat(turned, 2, axis=0)[::2]
        self.assertFalse(strided.flags.c_contiguous and strided.flags.owndata)
        self.assertEqual(self.train(data=(strided, labels.astype(np.uint16))).parameters_sha256, plain.parameters_sha256)

    def test_takes_files(self):
        pictures, labels = digits(32)
        np.save(self.folder / "x.npy", pictures.astype(np.float32))
        np.save(self.folder / "y.npy", labels)
        from_files = self.train(data=[self.folder / "x.npy", self.folder / "y.npy"], test_examples=0)
        self.assertEqual(from_files.parameters_sha256, self.train(data=(pictures, labels)).parameters_sha256)

    def test_goes_on_from_a_checkpoint(self):
        whole = self.train(data=digits(64), steps=4)
        self.train(data=digits(64), steps=2, checkpoint=self.folder / "half")
        rest = self.train(data=digits(64), steps=4, checkpoint=self.folder / "half", resume=True)
        self.assertEqual((rest.first_step, rest.steps), (3, 2))
        self.assertEqual(rest.parameters_sha256, whole.parameters_sha256)

    def test_files_stay_where_they_were_named(self):
        # A callback may go elsewhere.
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        trained = self.train(data=digits(32), steps=400, storage=".", checkpoint="kept", best_checkpoint="best",
                             test_data=digits(16, 2), evaluate_every=200, on_step=lambda news: os.chdir(elsewhere))
        self.assertEqual(os.listdir(elsewhere), [])
        self.assertEqual(sorted(os.listdir(self.folder)), ["best", "elsewhere", "kept"])
        self.assertTrue(trained.parameters)
        os.chdir(self.folder)
        poet.Model("digits-mlp", {"batch_size": 16}).save("net.onnx")
        of_file = self.train("net.onnx", data=digits(32), on_step=lambda news: os.chdir(elsewhere))
        os.chdir(elsewhere)
        self.assertEqual(of_file.predict(digits(16, 2)[0]).shape, (16, 10))
        of_file.export_onnx(self.folder / "trained.onnx")
        poet.solve("linear", "m4", ram_budget="20%way", certificate="here.json", progress=lambda news: os.chdir(self.folder))
        self.assertEqual(os.listdir(elsewhere), ["here.json"])

    def test_a_plan_trains_the_file_that_it_was_made_of(self):
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        poet.Model("digits-mlp", {"batch_size": 16}).save("net.onnx")
        plan = poet.solve("net.onnx", "laptop", ram_budget="100%", graph="real", batch_size=16,
                          progress=lambda news: os.chdir(elsewhere)).plan
        os.chdir(elsewhere)
        there = plan.train(data=digits(32), steps=2, keep_plans=False)
        os.chdir(self.folder)
        here = self.train("net.onnx", data=digits(32), steps=2)
        self.assertEqual(there.parameters_sha256, here.parameters_sha256)

    def test_keeps_what_was_learnt_in_files(self):
        trained = self.train(optimiser="adam")
        trained.save_checkpoint(self.folder / "kept")
        roles = {role for role, _array in poet.read_checkpoint(self.folder / "kept").values()}
        self.assertLessEqual({"parameter", "optimiser state"}, roles)
        trained.export_onnx(self.folder / "trained.onnx")
        self.assertEqual(poet.Model.load(self.folder / "trained.onnx", batch_size=16).parameters,
                         sum(array.size for array in trained.parameters.values()))
        trained.export_safetensors(self.folder / "trained.safetensors")
        again = self.train(weights=self.folder / "trained.safetensors", steps=1, learning_rate=0.0)
        self.assertEqual(again.parameters_sha256, trained.parameters_sha256)
        trained.write_trace(self.folder / "trained.trace.json")
        events = json.loads((self.folder / "trained.trace.json").read_text())["traceEvents"]
        self.assertTrue(any(event["name"] == "step 1" for event in events))
        trained.report_html(self.folder / "trained.html")
        self.assertIn("<svg", (self.folder / "trained.html").read_text())

    def test_what_is_not_finite_and_stays_goes_into_files_too(self):
        """A channel that is shut off by an infinite bias: the loss is finite, and the bias is not trained."""
        self.train(steps=1).export_safetensors(self.folder / "some.safetensors")
        self.shut_off(self.folder / "some.safetensors", "conv1.bias")
        asked = {"weights": self.folder / "some.safetensors", "steps": 1, "train": "last:1"}
        with self.assertRaisesRegex(poet.Error, r"'conv1.bias' holds -inf at \(0\), .*: allow_non_finite goes on with it"):
            self.train(**asked)
        trained = self.train(**asked, allow_non_finite=True)
        self.assertTrue(np.isfinite(trained.losses).all())
        trained.export_onnx(self.folder / "again.onnx")
        trained.export_safetensors(self.folder / "again.safetensors")
        with self.assertRaisesRegex(poet.Error, r"again.safetensors: 'conv1.bias' holds -inf at \(0\)"):
            self.train(**{**asked, "weights": self.folder / "again.safetensors"})

    def shut_off(self, path, name):
        """Writes -inf over the first value of a tensor in a safetensors file."""
        data = bytearray(path.read_bytes())
        length = int.from_bytes(data[:8], "little")
        begin = 8 + length + json.loads(data[8:8 + length])[name]["data_offsets"][0]
        data[begin:begin + 4] = np.float32(-np.inf).tobytes()
        path.write_bytes(data)

    def test_trains_adapters_alone_and_merges_them(self):
        pictures, labels = digits(32)
        trained = self.train(data=(pictures, labels), adapter="lora:rank=2,targets=all", seed=5)
        self.assertEqual({name: array.shape for name, array in trained.parameters.items()},
                         {"fc.lora_A.weight": (2, 64), "fc.lora_B.weight": (10, 2)})
        ours = trained.predict(pictures)
        for merge in (False, True):
            trained.export_onnx(self.folder / "tuned.onnx", merge=merge)
            tuned = poet.train(self.folder / "tuned.onnx", data=(pictures, labels), batch_size=16, steps=1, learning_rate=0,
                               storage=self.folder, keep_plans=False)
            np.testing.assert_allclose(tuned.predict(pictures), ours, atol=1e-5)

    def test_that_does_not_fit_is_an_answer(self):
        trained = self.train(ram_budget=1000, parts="whole")
        self.assertFalse(trained.feasible)
        with self.assertRaisesRegex(poet.Error, "^nothing was trained: "):
            trained.parameters

    def test_a_plan_trains_with_what_it_was_asked_with(self):
        plan = poet.solve("digits-cnn", "m4", ram_budget="80%", batch_size=16, optimiser="momentum", objective="energy").plan
        trained = plan.train(digits(32), steps=3, storage=self.folder, keep_plans=False)
        self.assertEqual(trained.losses.shape, (3,))
        again = poet.Plan.from_json(plan.to_json()).train(digits(32), steps=3, storage=self.folder, keep_plans=False)
        self.assertEqual(again.parameters_sha256, trained.parameters_sha256)
        self.assertEqual(trained.parameters_sha256,
                         self.train(data=digits(32), steps=3, optimiser="momentum").parameters_sha256)

    def test_a_network_that_was_built_trains(self):
        net = poet.NetworkBuilder(seed=2)
        x = net.input("x", (16, 1, 8, 8))
        net.output(net.linear(net.tanh(net.linear(net.flatten(x), 12)), 4))
        trained = self.train(net.build("own"), data=digits(64), steps=30, batch_size=None)
        self.assertLess(trained.losses[-1], trained.losses[0])
        self.assertEqual(trained.predict(digits(16)[0]).shape, (16, 4))


if __name__ == "__main__":
    run_tests()
