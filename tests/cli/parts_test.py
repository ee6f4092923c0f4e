"""Operations in parts: less RAM, the same numbers."""

import program
from program import ANY_PLAN, poet

RESNET = ["--model", "resnet8", "--batch-size", "2"]
STEPS = ["--steps", "3", "--time-limit-s", "2", "--json"]


class InParts(program.InAFolder):
    def test_trains_to_the_same_numbers_in_less_ram_than_an_operation_needs(self):
        whole = poet("train", *RESNET, *STEPS).json()
        least = poet("minimum", *RESNET, "--platform", "m4", "--parts", "whole", "--quiet", "--json").json()["proved_bytes"]
        budget = 120 * 1024
        self.assertLess(budget, least)
        ended = poet("train", *RESNET, *STEPS, "--parts", "48KiB", "--ram-budget", str(budget))
        self.assertEqual(ended.code, 0, ended.err)
        parts = ended.json()
        self.assertLessEqual(parts["arena_bytes"], budget)
        for name in ("losses", "parameters_sha256", "evaluation"):
            self.assertEqual(parts[name], whole[name], name)

    def test_micro_batches_sum_their_gradients_in_pieces(self):
        # Two seconds are enough where nobody else wants the processor; any plan will do.
        lenet = ["--model", "lenet5", "--batch-size", "6", "--micro-batches", "3", "--optimiser", "adam", "--steps", "3",
                 "--time-limit-s", "30", "--gap", "0.5", "--json"]
        whole = poet("train", *lenet).json()
        ended = poet("train", *lenet, "--parts", "16KiB", "--ram-budget", "60KiB")
        self.assertEqual(ended.code, 0, ended.err)
        parts = ended.json()
        self.assertLessEqual(parts["arena_bytes"], 60 * 1024)
        for name in ("losses", "parameters_sha256", "evaluation"):
            self.assertEqual(parts[name], whole[name], name)

    def test_sums_over_micro_batches_are_cut_again_where_forms_cut_them_otherwise(self):
        lenet = ["--model", "lenet5", "--image-size", "16", "--batch-size", "6", "--micro-batches", "3", "--optimiser", "adam", *STEPS]
        whole = poet("train", *lenet).json()
        ended = poet("train", *lenet, "--parts", "4KiB", "--ram-budget", "60%")
        self.assertEqual(ended.code, 0, ended.err)
        for name in ("losses", "parameters_sha256", "evaluation"):
            self.assertEqual(ended.json()[name], whole[name], name)

    def test_labels_come_in_pieces(self):
        mlp = ["--model", "mlp", "--batch-size", "700", "--steps", "1", *ANY_PLAN, "--json"]
        whole = poet("train", *mlp).json()
        ended = poet("train", *mlp, "--parts", "50KiB", "--ram-budget", "300KiB")
        self.assertEqual(ended.code, 0, ended.err)
        for name in ("losses", "parameters_sha256", "evaluation"):
            self.assertEqual(ended.json()[name], whole[name], name)

    def test_of_a_table_only_the_rows_that_occur_are_read_and_written(self):
        bert = ["--model", "bert-tiny", "--sequence-length", "16", "--batch-size", "2", "--steps", "2", "--time-limit-s", "1", "--json"]
        whole = poet("train", *bert).json()
        ended = poet("train", *bert, "--parts", "64KiB", "--ram-budget", "150KiB")
        self.assertEqual(ended.code, 0, ended.err)
        for name in ("losses", "parameters_sha256", "evaluation"):
            self.assertEqual(ended.json()[name], whole[name], name)
        table = 30522 * 128 * 4
        planned = ["solve", *bert[:6], "--platform", "m4", "--ram-budget", "150KiB", "--parts", "64KiB", "--time-limit-s", "1",
                   "--json", "--quiet"]
        by_rows = poet(*planned).json()
        self.assertIn("bert.embeddings.word_embeddings.weight", by_rows["updates"]["sliced"])
        self.assertLess(by_rows["read_bytes"] + by_rows["written_bytes"], table)
        # Momentum changes every row.
        every_row = poet(*planned, "--optimiser", "momentum").json()
        self.assertGreater(every_row["written_bytes"], table)

    def test_inspect_says_what_was_cut_and_why(self):
        asked = ["inspect", "lenet5", "--parts", "16KiB"]
        cuts = poet(*asked, "--json").json()["parts"]
        self.assertEqual(cuts["part_bytes"], 16384)
        names = [cut["name"] for cut in cuts["operations"]]
        self.assertIn("fc1.matmul", names)
        self.assertEqual(cuts["parts"], sum(cut["parts_apart"] * cut["parts_in_each_sum"] for cut in cuts["operations"]))
        for cut in cuts["dimensions"]:
            self.assertLess(cut["block"], cut["extent"])
            self.assertGreater(cut["needed_bytes"], 16384)
            self.assertTrue(cut["because_of"])
        text = poet(*asked).out
        self.assertRegex(text, r"So that no part needs more than 16 KiB, \d+ operations come in [\d,]+ parts")
        self.assertIn("nothing is cut", poet("inspect", "lenet5", "--parts", "8MiB").out)

    def test_a_training_goes_on_under_other_parts_or_none(self):
        def train(steps, *more):
            ended = poet("train", *RESNET, "--steps", str(steps), "--time-limit-s", "1", "--json", *more)
            self.assertEqual(ended.code, 0, ended.err)
            return ended.json()["parameters_sha256"]
        straight = train(3)
        kept = ["--checkpoint", self.path("c.poet")]
        train(1, *kept, "--parts", "64KiB", "--ram-budget", "150KiB")
        train(2, *kept, "--resume", "--parts", "48KiB", "--ram-budget", "150KiB")
        self.assertEqual(train(3, *kept, "--resume"), straight)

    def test_a_plan_is_verified_and_what_was_cut_is_said(self):
        ended = poet("solve", "--model", "bert-tiny", "--sequence-length", "32", "--platform", "m4", "--ram-budget",
                     "131072", "--parts", "64KiB", "--time-limit-s", "1", "--out", self.path("p.json"), "--json",
                     "--quiet")
        self.assertEqual(ended.code, 0, ended.err)
        answer = ended.json()
        self.assertLessEqual(answer["peak_ram_bytes"], 131072)
        self.assertEqual((answer["parts"]["asked"], answer["parts"]["part_bytes"]), ("level", 65536))
        self.assertEqual(poet("verify", self.path("p.json")).code, 0)
        self.assertIn("bert.pooler.dense.weight", answer["updates"]["sliced"])

    def test_no_plan_moves_less_than_any_way_of_cutting_must(self):
        asked = ["solve", "--platform", "m4", *ANY_PLAN, "--json", "--quiet"]
        for network in (["lenet5", "--batch-size", "4"], ["bert-tiny", "--sequence-length", "16"], ["mlp", "--optimiser", "adam"],
                        ["lenet5", "--parameters", "chosen"]):
            for level, budget in (("24KiB", "40KiB"), ("24KiB", "96KiB"), ("48KiB", "160KiB")):
                ended = poet(*asked, "--model", *network, "--parts", level, "--ram-budget", budget)
                self.assertEqual(ended.code, 0, (network, level, budget, ended.err))
                plan = ended.json()
                least = plan["parts"]
                if least["part_bytes"] is None:
                    continue
                self.assertGreaterEqual(plan["read_bytes"], least["least_read_bytes"], (network, level, budget))
                self.assertGreaterEqual(plan["written_bytes"], least["least_written_bytes"], (network, level, budget))
                if "--parameters" not in network:
                    self.assertGreater(least["least_written_bytes"], 0)
        text = poet(*asked[:-2], "--model", "lenet5", "--parts", "24KiB", "--ram-budget", "40KiB").out
        self.assertRegex(text, r"traffic +no way of cutting reads less than [\d,]+ B or writes less than [\d,]+ B")

    def test_whole_is_the_usual_case_where_it_fits(self):
        asked = ["solve", *RESNET, "--platform", "m4", "--ram-budget", "600000", "--time-limit-s", "1", "--quiet", "--json"]
        usual = poet(*asked).json()
        self.assertEqual((usual["parts"]["asked"], usual["parts"]["part_bytes"]), ("auto", None))
        self.assertEqual(usual["parts"]["operations"], poet(*asked, "--parts", "whole").json()["parts"]["operations"])

    def test_a_budget_that_whole_operations_do_not_fit_has_parts(self):
        flags = ["train", *RESNET, *STEPS, "--cache", self.path("plans"), "--quiet"]
        whole = poet(*flags).json()
        refused = poet(*flags, "--ram-budget", "120KiB", "--parts", "whole")
        self.assertEqual(refused.code, 1)
        for _ in ("planned", "from the cache"):
            ended = poet(*flags, "--ram-budget", "120KiB")
            self.assertEqual(ended.code, 0, ended.err)
            parts = ended.json()
            self.assertLessEqual(parts["arena_bytes"], 120 * 1024)
            for name in ("losses", "parameters_sha256", "evaluation"):
                self.assertEqual(parts[name], whole[name], name)

    # Proved of whole operations; that no parts were found says little where there was no time for them.
    def test_more_ram_does_no_worse(self):
        """Where the sizes that are tried first are cut too little or too much, and where a finer cut reads and writes less."""
        mlp = ["--model", "digits-mlp", "--batch-size", "32", "--platform", "m4"]
        for question, budgets in (([*mlp, "--no-paging", "--no-remat"], (5000, 6144, 7232)), ([*mlp, "--write-budget", "6000"], (5860, 6250))):
            least_j = None
            for budget in budgets:
                ended = poet("solve", *question, "--ram-budget", str(budget), "--time-limit-s", "60", "--json", "--quiet")
                self.assertEqual(ended.code, 0, ended.err)
                energy_j = ended.json()["energy_j"]
                self.assertLessEqual(energy_j, least_j or energy_j, (question, budget))
                least_j = energy_j
        # What is searched is counted, so a longer limit only waits for slower machines. In 26,356 bytes there is a plan of 4.4138 mJ.
        finer = poet("solve", "--model", "digits-cnn", "--batch-size", "8", "--platform", "m4", "--deadline", "226ms", "--ram-budget", "28219",
                     "--time-limit-s", "60", "--max-nodes", "1", "--max-iterations", "1", "--json", "--quiet").json()
        self.assertLess(finer["energy_j"], 4.42e-3)

    def test_a_limit_of_time_that_left_no_room_for_parts_is_told(self):
        ended = poet("solve", "--model", "resnet8", "--platform", "m4", "--ram-budget", "4128", "--time-limit-s", "0.1", "--quiet")
        self.assertEqual(ended.code, 1, ended.out)
        self.assertIn("the time limit of 0.1 s ended the search before it was complete", ended.err)

    def test_what_was_planned_in_parts_after_both_orders_is_found_again(self):
        lenet = ["train", "--model", "lenet5", "--batch-size", "4", "--steps", "2", "--cache", self.path("plans"), "--quiet", "--json"]
        whole = poet(*lenet)
        parts = poet(*lenet, "--ram-budget", "98304")
        self.assertEqual(parts.code, 0, parts.err)
        self.assertLessEqual(parts.json()["arena_bytes"], 98304)
        self.assertEqual(parts.json()["parameters_sha256"], whole.json()["parameters_sha256"])

    # oneDNN's sums depend on how they are cut: on the size that the user named, and on nothing else.
    def test_onednn_gives_the_same_bits_in_every_budget(self):
        train = ["train", "--model", "bert-tiny", "--sequence-length", "16", "--batch-size", "2", "--optimiser", "adamw", "--kernels",
                 "onednn", "--parts", "128KiB", "--steps", "2", *ANY_PLAN, "--json"]
        answers = [poet(*train, "--ram-budget", budget) for budget in ("600KiB", "1MiB", "100%")]
        if "without oneDNN" in answers[0].err:
            self.skipTest("built without oneDNN")
        for ended in answers:
            self.assertEqual(ended.code, 0, ended.err)
        for name in ("losses", "parameters_sha256", "evaluation"):
            self.assertEqual(len({str(ended.json()[name]) for ended in answers}), 1, name)
        whole = poet(*("whole" if word == "128KiB" else word for word in train)).json()
        for part, loss in zip(answers[0].json()["losses"], whole["losses"]):
            self.assertAlmostEqual(part, loss, delta=1e-4)

    def test_the_least_is_less_in_parts_than_whole(self):
        asked = ["minimum", "--model", "lenet5", "--batch-size", "2", "--platform", "m4", "--quiet", "--json"]
        parts, whole = poet(*asked).json(), poet(*asked, "--parts", "whole").json()
        self.assertLess(parts["found_bytes"], whole["found_bytes"])
        self.assertEqual(whole["parts"]["asked"], "whole")
        self.assertGreaterEqual(parts["found_bytes"], parts["proved_bytes"])
        self.assertEqual(parts["parts"]["asked"], "auto")

    def test_refusals(self):
        for arguments, words in (
                (["solve", "--model", "bert-base", "--platform", "m4", "--parts", "16KiB", "--quiet"],
                 r"poet: parts of 16,384 bytes would be more than 400,000 operations, and '.+' would still need "
                 r"[\d,]+ bytes: allow them more\n$"),
                (["solve", "--model", "mlp", "--largest-gradient-norm", "1", "--platform", "m4", "--parts", "64KiB"],
                 r"^poet: operation 'fc1\..+' cannot be cut into parts of 65,536 bytes: it needs [\d,]+ at once\n$"),
                (["solve", "--model", "resnet8", "--platform", "m4", "--parts", "much"], r"^poet: .*--parts.*\n$"),
                (["solve", "--model", "linear", "--platform", "m4", "--graph", "released", "--parts", "64KiB"],
                 r"^poet: --parts is for real networks, and this is a released graph\n$"),
                (["export", "c", "--model", "lenet5", "--batch-size", "2", "--steps", "1", "--platform", "m4",
                  "--parts", "200", "--out", self.path("project")],
                 r"^poet: operation '.+' cannot be cut into parts of 200 bytes: it needs [\d,]+ at once\n$")):
            ended = poet(*arguments)
            self.assertEqual((ended.code, ended.out), (2, ""), arguments)
            self.assertRegex(ended.err, words)


if __name__ == "__main__":
    program.run_tests()
