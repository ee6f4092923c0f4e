"""What cannot be asked is refused in one sentence, in the words of Python."""

import os

import numpy as np

import poet
from case import LINEAR, Case, run_tests


class WrongWords(Case):
    def test_an_unknown_network_gets_a_suggestion(self):
        error = self.assert_refused("unknown model 'resnet19'; did you mean 'resnet18'?", poet.solve, "resnet19", "m4")
        self.assertEqual(error.code, "not_found")

    def test_an_unknown_device_gets_a_suggestion(self):
        self.assert_refused("unknown platform 'a27'; did you mean 'a72'?", poet.solve, "linear", "a27")

    def test_an_unknown_argument_gets_a_suggestion(self):
        self.assert_refused("poet.solve() has no option 'ram_bugdet'; did you mean 'ram_budget'?", poet.solve, "linear", "m4",
                            ram_bugdet=5000)

    def test_an_unknown_choice_gets_a_suggestion(self):
        self.assert_refused("solver: unknown value 'cbd'; did you mean 'cbc'?", poet.solve, **LINEAR, solver="cbd")

    def test_an_option_of_terminals_is_refused(self):
        self.assert_refused("poet.solve() has no option 'json': its answer is an object that can be printed and saved",
                            poet.solve, **LINEAR, json=True)

    def test_a_size_in_an_unknown_unit(self):
        with self.assertRaisesRegex(poet.Error, "^ram_budget: .*unit"):
            poet.solve("linear", "m4", ram_budget="5 KB8")

    def test_a_negative_budget(self):
        with self.assertRaisesRegex(poet.Error, "^ram_budget: "):
            poet.solve("linear", "m4", ram_budget=-5)

    def test_a_budget_below_a_byte_that_may_be_meant_as_a_part(self):
        self.assert_refused("ram_budget: 0.5 is less than a byte; a part of the plain peak is written '0.5x' or '50%'",
                            poet.solve, "linear", "m4", ram_budget=0.5)

    def test_a_budget_that_is_no_number(self):
        for nonsense in (float("nan"), float("inf"), [], {}):
            with self.subTest(nonsense), self.assertRaisesRegex(poet.Error, "^ram_budget"):
                poet.solve("linear", "m4", ram_budget=nonsense)

    def test_a_network_of_the_wrong_type(self):
        self.assert_refused("model: expected a name, the path of an ONNX file or a poet.Model, found int", poet.solve, 18, "m4")

    def test_a_value_of_the_wrong_type(self):
        self.assert_refused("seed: expected a text, a number or a path, found object", poet.solve, **LINEAR, seed=object())

    def test_a_switch_that_is_no_switch(self):
        self.assert_refused("paging: expected True or False, found 'yes'", poet.solve, **LINEAR, paging="yes")

    def test_nothing_to_plan(self):
        with self.assertRaisesRegex(poet.Error, r"^poet\.solve\(\) needs model"):
            poet.solve()

    def test_what_is_no_text(self):
        # As os.fsdecode() makes it of a name that is not UTF-8; the second is half a character and of no name.
        for ask in (lambda text: poet.solve("linear", "m4", ram_budget=text), poet.Device, poet.Model.load, poet.Plan.load,
                    lambda text: poet.train(model="lenet5", platform="m4", steps=1, ram_budget=text)):
            for text in ("\udcff", "\ud83d"):
                with self.assertRaises(poet.Error):
                    ask(text)

    def test_a_null_in_a_path(self):
        # The kernel would take what stands before it: another's file.
        mine = self.folder / "mine"
        mine.write_text("precious")
        for ask in (lambda path: poet.train("digits-mlp", batch_size=8, steps=1, storage=path),
                    lambda path: poet.train("digits-mlp", batch_size=8, steps=1, checkpoint=path),
                    lambda path: poet.solve("linear", "m4", certificate=path),
                    lambda path: poet.sweep("linear", "m4", results=path)):
            with self.assertRaisesRegex(poet.Error, "has a character of the code 0 in it"):
                ask(f"{mine}\0x")
        self.assertEqual(mine.read_text(), "precious")

    def test_says_which_text_is_none(self):
        self.assert_refused(r"'m\ud83d' has half of a UTF-16 pair in it, which is no character", poet.Device, "m\ud83d")

    def test_an_error_is_a_value_error(self):
        with self.assertRaises(ValueError):
            poet.solve("nothing", "m4")

    def test_files_that_are_not_there(self):
        with self.assertRaisesRegex(poet.Error, "nowhere.onnx"):
            poet.Model.load(self.folder / "nowhere.onnx")
        with self.assertRaisesRegex(poet.Error, "nowhere.toml"):
            poet.Device(self.folder / "nowhere.toml")
        with self.assertRaisesRegex(poet.Error, "nowhere.json"):
            poet.Plan.load(self.folder / "nowhere.json")

    def test_what_is_no_file(self):
        # A pipe that nobody writes to would hold up whoever reads it, and a device has no end.
        os.mkfifo(self.folder / "pipe")
        for path in (self.folder / "pipe", "/dev/zero", "/dev/full", self.folder):
            with self.subTest(path), self.assertRaisesRegex(poet.Error, "regular file|directory"):
                poet.Plan.load(path)
        pipe = self.folder / "pipe"
        for ask in (lambda: poet.solve("linear", "m4", start=pipe), lambda: poet.solve("linear", "m4", costs=pipe),
                    lambda: poet.solve(graph_file=pipe, ram_budget=100), lambda: poet.solve("linear", pipe),
                    lambda: poet.minimum("linear", pipe), lambda: poet.Device(pipe)):
            self.assert_refused(f"cannot read '{pipe}': it is not a regular file", ask)

    def test_what_is_read_is_not_written(self):
        network = self.folder / "net.onnx"
        poet.Model("digits-mlp", {}).save(network)
        before = network.read_bytes()
        for ask, option in ((lambda: poet.solve(network, "m4", certificate=network), "certificate"),
                            (lambda: poet.minimum(network, "m4", certificate=network), "certificate"),
                            (lambda: poet.sweep(network, "m4", results=network), "results"),
                            (lambda: poet.train(network, steps=1, checkpoint=network), "checkpoint"),
                            (lambda: poet.train(network, steps=1, overwrite_checkpoint=True, checkpoint=network), "checkpoint")):
            self.assert_refused(f"model and {option} name one file, '{network}'; give each its own", ask)
        self.assertEqual(network.read_bytes(), before)

    def test_a_network_is_not_written_over_its_own_data(self):
        adapters = self.folder / "ad"
        network = {"model": "llama-tiny", "sequence_length": 16, "batch_size": 1, "steps": 1}
        poet.train(**network, adapter="lora:rank=2,alpha=4").export_safetensors(adapters)
        before = (adapters / "adapter_model.safetensors").read_bytes()
        trained = poet.train(**network, adapter_weights=adapters)
        for merge in (False, True):
            path = adapters / "adapter_model.safetensors"
            self.assert_refused(f"path and adapter_weights name one file, '{path}'; give each its own",
                                trained.export_safetensors, path, merge=merge)
        self.assertEqual((adapters / "adapter_model.safetensors").read_bytes(), before)

    def test_an_answer_that_cannot_be_written_leaves_what_was_there(self):
        answer = poet.solve(**LINEAR)
        (self.folder / "plan.json").mkdir()
        for write in (answer.plan.save, answer.report_html, poet.Model("digits-mlp", {}).save):
            with self.assertRaisesRegex(poet.Error, "plan.json': it is a (directory|folder)"):
                write(self.folder / "plan.json")
            with self.assertRaisesRegex(poet.Error, "No such file or directory|does not exist"):
                write(self.folder / "none" / "x.onnx")

    def test_a_file_that_is_no_network(self):
        (self.folder / "no.onnx").write_bytes(b"\x00\x01\x02")
        with self.assertRaisesRegex(poet.Error, "no.onnx"):
            poet.Model.load(self.folder / "no.onnx")

    def test_a_device_file_names_its_line(self):
        with self.assertRaises(poet.Error) as refused:
            poet.Device.from_toml('format = "poet-device"\nversion = 1\nnmae = "x"\n')
        self.assertEqual(refused.exception.line, 3)
        self.assertTrue(refused.exception.file.endswith("device.toml"))

    def test_a_device_text_with_half_a_character(self):
        self.assert_refused("text: it has half of a UTF-16 pair in it, which is no character", poet.Device.from_toml, "a = '\ud800'")

    def test_what_cannot_be_called_at_news(self):
        for ask in (poet.solve, poet.minimum, poet.compare, poet.sweep, poet.worth):
            self.assert_refused("progress: expected what can be called with a dict, found int", ask, "linear", "m4", progress=5)
        self.assert_refused("on_step: expected what can be called with a dict, found str", poet.train, "digits-mlp", steps=1, on_step="x")

    def test_a_list_is_no_budget(self):
        self.assert_refused("ram_budget: expected one text or number, found list", poet.solve, "linear", "m4", [5000])

    def test_data_of_different_lengths(self):
        self.assert_refused("data: the arrays have 4 and 3 rows; each needs one for every example", poet.train, "digits-mlp",
                            data=(np.zeros((4, 1, 8, 8)), np.zeros(3, int)))

    def test_data_that_are_no_numbers(self):
        with self.assertRaisesRegex(poet.Error, r"^data\[0\]: expected an array of numbers"):
            poet.train("digits-mlp", data=(np.array(["a"]), np.array([1])))

    def test_matrices_of_a_huge_graph(self):
        nodes = 9000
        graph = {"name": "long", "nodes": nodes, "edges": [[i, i + 1] for i in range(nodes - 1)], "duration": [1] * nodes,
                 "output_bytes": [8] * nodes}
        answer = poet.solve(graph_file=graph, ram_budget="1x")
        self.assertEqual(len([one for one in answer.plan.actions if one[0] == "compute"]), nodes)
        with self.assertRaisesRegex(poet.Error, "matrices of 9,000 operations would not fit into memory"):
            answer.solution.R


if __name__ == "__main__":
    run_tests()
