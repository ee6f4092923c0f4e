"""Plans: saved, read, verified, packed, explained, drawn; and what is made of them outlives them."""

import copy
import gc
import json
import pickle

import numpy as np

import poet
from case import LINEAR, Case, run_tests


class APlan(Case):
    def setUp(self):
        super().setUp()
        self.answer = poet.solve(**LINEAR)
        self.plan = self.answer.plan

    def test_is_read_back_as_it_was_saved(self):
        self.plan.save(self.folder / "plan.json")
        again = poet.Plan.load(self.folder / "plan.json")
        self.assertEqual(again, self.plan)
        self.assertEqual(again.to_json(), self.plan.to_json())

    def test_is_not_made_of_a_path(self):
        with self.assertRaisesRegex(TypeError, r"poet\.Plan\.load\(path\)"):
            poet.Plan("plan.json")

    def test_is_pickled_by_its_json(self):
        self.assertEqual(pickle.loads(pickle.dumps(self.plan)), self.plan)
        self.assertEqual(copy.deepcopy(self.plan), self.plan)

    def test_says_what_was_asked(self):
        self.assertEqual((self.plan.model, self.plan.platform, self.plan.graph), ("linear", "m4", "released"))
        self.assertEqual(self.plan.command,
                         "poet solve --model linear --graph released --platform m4 --ram-budget 5000 --runtime-budget 1.5")

    def test_is_verified(self):
        check = self.plan.verify()
        self.assertTrue(check)
        self.assertEqual((check.energy_j, check.peak_ram_bytes), (self.answer.energy_j, self.answer.peak_ram_bytes))

    def test_that_breaks_a_rule_is_found_out(self):
        data = json.loads(self.plan.to_json())
        data["problem"]["ram_budget_bytes"] = self.answer.peak_ram_bytes - 1
        broken = poet.Plan.from_json(json.dumps(data))
        check = broken.verify()
        self.assertFalse(check)
        self.assertIn("RAM", check.findings[0]["message"])
        with self.assertRaisesRegex(poet.Error, "^the plan has no matrices, because it breaks a rule: "):
            broken.matrices()
        with self.assertRaisesRegex(poet.Error, "^the plan has no a report|^the plan has no report"):
            broken.report_html()

    def test_that_is_no_plan_is_refused(self):
        with self.assertRaises(poet.Error):
            poet.Plan.from_json("{}")

    def test_has_actions_and_the_ram_that_they_need(self):
        self.assertEqual(self.plan.actions[0][0], "compute")
        ram = self.plan.ram_bytes
        self.assertEqual(ram.shape, (len(self.plan.actions),))
        self.assertEqual(ram.max(), self.answer.peak_ram_bytes)

    def test_is_laid_out_in_an_arena(self):
        layout = self.plan.layout(alignment=4)
        self.assertGreaterEqual(layout.arena_bytes, self.answer.peak_ram_bytes)
        layout.save(self.folder / "laid_out.json")
        self.assertEqual(poet.Plan.load(self.folder / "laid_out.json"), self.plan)
        with self.assertRaisesRegex(poet.Error, "power of two"):
            self.plan.layout(alignment=3)

    def test_is_explained(self):
        explained = self.plan.explain(quick=True)
        self.assertEqual(explained.unit, "J")
        self.assertIn("overhead", str(explained))
        with self.assertRaisesRegex(poet.Error, "no tensor or operation 'nothing'"):
            poet.explain(self.plan, "nothing", quick=True)

    def test_has_a_page_and_pictures_also_when_it_was_read(self):
        again = pickle.loads(pickle.dumps(self.plan))
        page = again.report_html(self.folder / "plan.html")
        self.assertEqual((self.folder / "plan.html").read_text(), page)
        self.assertIn("<svg", page)
        self.assertIn("ram_over_actions.svg", again.plots())
        self.assertIn("data:image/svg+xml", again._repr_html_())

    def test_has_a_trace(self):
        self.plan.write_trace(self.folder / "plan.trace.json")
        events = json.loads((self.folder / "plan.trace.json").read_text())["traceEvents"]
        slices = [event for event in events if event["ph"] == "X" and event.get("cat") != "step"]
        self.assertGreaterEqual(len(slices), len([action for action in self.plan.actions if action[0] != "drop"]) - 1)

    def test_of_the_released_graph_does_not_train(self):
        self.assert_refused("a plan of the released graph cannot be trained; plan with graph='real'", self.plan.train)

    def test_arrays_and_views_outlive_their_owner(self):
        rows = memoryview(self.answer.solution.R)
        expected = np.asarray(rows).copy()
        ram = memoryview(self.plan.ram_bytes)
        largest = max(ram)
        del self.answer, self.plan
        gc.collect()
        churn = [np.ones((27, 27), np.int64) for _ in range(100)]
        self.assertTrue((np.asarray(rows) == expected).all())
        self.assertEqual(max(ram), largest)
        del churn

    def test_an_array_is_the_users_own(self):
        matrices = self.plan.matrices()
        matrices["R"][:] = 9
        self.assertTrue((np.diag(self.plan.matrices()["R"]) == 1).all())


class OtherQuestions(Case):
    def test_the_smallest_budget(self):
        least = poet.minimum("linear", "m4", runtime_budget=1.5)
        self.assertEqual((least.status, least.found_bytes), ("optimal", least.proved_bytes))
        self.assertTrue(least.plan.verify())
        self.assertFalse(poet.solve("linear", "m4", ram_budget=least.found_bytes - 1, runtime_budget=1.5).feasible)

    def test_the_other_methods(self):
        compared = poet.compare(**LINEAR, methods=["keep-all", "dtr"])
        self.assertEqual([run["method"] for run in compared.methods], ["keep-all", "dtr", "poet"])
        self.assertIn("method", compared.csv)
        self.assertIn("data:image/svg+xml", compared._repr_html_())

    def test_an_unknown_method(self):
        with self.assertRaisesRegex(poet.Error, "'dtt'.*did you mean 'dtr'"):
            poet.compare(**LINEAR, methods="dtt")

    def test_the_whole_curve(self):
        news = []
        curves = poet.sweep("linear", ["m4", "a72"], runtime_budget=1.5, budgets=3, methods=["dtr"], progress=news.append)
        self.assertEqual(len(curves["instances"]), 2)
        self.assertEqual(news[-1]["done"], news[-1]["all"])
        self.assertIn("<html", curves.report_html())
        self.assertTrue(any(name.endswith(".svg") for name in curves.plots))

    def test_a_sweep_goes_on_from_its_file(self):
        asked = {"model": "linear", "platform": "m4", "budgets": 3, "methods": ["dtr"], "results": self.folder / "points"}
        first = poet.sweep(**asked)
        again = poet.sweep(**asked)
        self.assertEqual(first.csv, again.csv)


class Networks(Case):
    def test_of_the_zoo(self):
        model = poet.Model.zoo("lenet5", batch_size=4, image_size=16)
        self.assertEqual(model.inputs[0].shape, (4, 1, 16, 16))
        self.assertEqual(model.outputs[0].shape, (4, 10))
        self.assertIn("parameters", model.inspect())

    def test_survive_a_file(self):
        poet.Model.zoo("digits-cnn", batch_size=2).save(self.folder / "digits.onnx")
        loaded = poet.Model.load(self.folder / "digits.onnx", batch_size=2)
        self.assertEqual(loaded.parameters, poet.Model.zoo("digits-cnn").parameters)
        again = poet.Model.from_onnx((self.folder / "digits.onnx").read_bytes(), name="digits", batch_size=2)
        self.assertEqual(again.outputs, loaded.outputs)
        self.assertTrue(poet.solve(again, "m4", ram_budget="100%").feasible)

    def test_of_another_batch_size_are_refused(self):
        poet.Model.zoo("digits-cnn", batch_size=2).save(self.folder / "digits.onnx")
        with self.assertRaises(poet.Error):
            poet.Model.load(self.folder / "digits.onnx", batch_size=3)

    def test_are_built_layer_by_layer(self):
        net = poet.NetworkBuilder(seed=3)
        x = net.input("image", (8, 1, 16, 16))
        x = net.max_pool2d(net.relu(net.batch_norm(net.conv2d(x, 8))))
        y = net.conv2d(x, 8, name="around")
        x = net.global_average_pool(net.add(x, y))
        net.output(net.linear(x, 10))
        model = net.build("small")
        self.assertEqual((model.batch_size, model.outputs[0].shape), (8, (8, 10)))
        answer = poet.solve(model, "m4", ram_budget="80%", optimiser="adam", gap="50%")
        self.assertEqual((answer.graph, answer.feasible), ("real", True))

    def test_a_layer_that_does_not_fit_leaves_nothing_behind(self):
        net = poet.NetworkBuilder()
        image = net.input("image", (2, 3, 8, 8))
        flat = net.flatten(image)
        self.assert_refused("'conv1' reads a tensor of shape (2, 192), and needs one of the form (N, C, H, W)", net.conv2d,
                            flat, 4)
        self.assert_refused("'c': groups is 0; it must be from 1 to 1,000,000", net.conv2d, image, 4, groups=0, name="c")
        self.assert_refused("'c': padding is 5; it must be at least 0 and less than the kernel's 3", net.conv2d, image, 4,
                            padding=5, name="c")
        with self.assertRaises(poet.Error):
            net.conv2d(image, 4, groups=2, name="c")
        with self.assertRaises(poet.Error):
            net.add(image, flat, name="sum")
        net.output(net.linear(net.relu(net.conv2d(image, 4, name="c")), 5))
        self.assertEqual(net.build().outputs[0].shape, (2, 4, 8, 5))

    def test_names_of_layers_are_their_own(self):
        net = poet.NetworkBuilder()
        x = net.input("x", (2, 4))
        net.linear(x, 3, name="a")
        for name in ("a", "a.weight", "x"):
            self.assert_refused(f"there is a layer '{name}' already; give this one another name", net.relu, x, name)

    def test_tensors_of_another_builder_are_refused(self):
        stale = poet.NetworkBuilder().input("x", (2, 4))
        gc.collect()
        self.assert_refused("a layer reads a tensor of another builder; use those that this one made",
                            poet.NetworkBuilder().relu, stale)

    def test_without_output_is_none(self):
        net = poet.NetworkBuilder()
        net.input("x", (2, 4))
        self.assert_refused("the network has no output; name one with output()", net.build)


class Devices(Case):
    def test_have_figures_with_sources(self):
        m4 = poet.Device("m4")
        self.assertEqual((m4.ram_bytes, m4.time_mode), (262144, "blocking"))
        self.assertIn("ram.size", [key for key, _text, _source in m4.figures])
        self.assertIn("nRF52840", repr(m4))
        self.assertIn("m4", poet.devices())

    def test_can_be_given_in_place_of_names(self):
        self.assertEqual(poet.solve("linear", poet.Device("m4"), 5000, 1.5).energy_j, poet.solve(**LINEAR).energy_j)


if __name__ == "__main__":
    run_tests()
