"""What `poet solve` answers."""

import json
import os
import re
import unittest

import program
from program import LINEAR, poet

FIELDS = (
    "format version status energy_j compute_j page_in_j page_out_j idle_j lower_bound_j gap overhead_j overhead_gap time_s "
    "stall_s deadline_s peak_ram_bytes ram_budget_bytes storage_bytes written_bytes recomputed_operations paged_tensors "
    "events columns rows nodes solve_s solver formulation io graph model platform unavoidable_j timing warnings"
).split()


def without_clock(answer):
    return {key: value for key, value in answer.items() if key not in ("solve_s", "timing")}


class RealNetworks(program.InAFolder):
    def test_a_step_is_planned_and_verified(self):
        answer = poet("solve", "--model", "mlp", "--batch-size", "64", "--platform", "m4", "--parameters", "resident",
                      "--ram-budget", "50%way", "--out", "plan.json", "--json", cwd=self.folder).json()
        self.assertEqual((answer["graph"], answer["io"]), ("real", "blocking"))
        self.assertIn(answer["status"], ("optimal", "feasible"))
        self.assertLessEqual(answer["peak_ram_bytes"], answer["ram_budget_bytes"])
        self.assertEqual(poet("verify", "plan.json", cwd=self.folder).code, 0)

    def test_less_than_the_working_set_is_infeasible(self):
        lenet = ["solve", "--model", "lenet5", "--platform", "m4", "--ram-budget"]
        least = poet("inspect", "lenet5", "--json").json()["largest_working_set_bytes"]
        ended = poet(*lenet, str(least - 1), "--updates", "separate", "--parts", "whole", "--json")
        self.assertEqual((ended.code, ended.json()["status"]), (1, "infeasible"))
        self.assertEqual(poet(*lenet, str(least), "--updates", "separate").code, 0)
        # By default, an update that does not fit is made by slices.
        self.assertEqual(poet(*lenet, str(least - 1)).code, 0)


class Answers(program.InAFolder):
    def test_json_has_every_field(self):
        ended = poet(*LINEAR, "--json")
        self.assertEqual(ended.code, 0, ended.err)
        answer = ended.json()
        for field in FIELDS:
            self.assertIn(field, answer)
        self.assertEqual(
            [answer[key] for key in ("format", "version", "status", "model", "platform", "graph", "io", "solver", "formulation")],
            ["poet-report", 1, "optimal", "linear", "m4", "released", "free", "cbc", "event"],
        )

    def test_figures_fit_together(self):
        answer = poet(*LINEAR, "--json").json()
        parts = sum(answer[key] for key in ("compute_j", "page_in_j", "page_out_j", "idle_j"))
        self.assertAlmostEqual(answer["energy_j"], parts, delta=1e-12)
        self.assertAlmostEqual(answer["overhead_j"], answer["energy_j"] - answer["unavoidable_j"], delta=1e-12)
        self.assertLessEqual(answer["lower_bound_j"], answer["energy_j"] * (1 + 1e-9))
        self.assertLessEqual(answer["gap"], 1e-4)
        self.assertLessEqual(answer["peak_ram_bytes"], 5000)
        self.assertEqual(answer["ram_budget_bytes"], 5000)
        self.assertLessEqual(answer["time_s"], answer["deadline_s"] * (1 + 1e-9))

    def test_the_same_request_gives_the_same_bytes(self):
        first, second = (poet(*LINEAR, "--json").json() for _ in range(2))
        self.assertEqual(json.dumps(without_clock(first)), json.dumps(without_clock(second)))

    def test_a_better_answer_than_the_released_code_calls_optimal(self):
        answer = poet("solve", "--model", "linear", "--platform", "m0", "--ram-budget", "5000", "--runtime-budget", "1.5",
                      "--gap", "0", "--json").json()
        self.assertEqual(answer["status"], "optimal")
        self.assertLessEqual(answer["energy_j"], 0.10467865)

    def test_text_says_the_same(self):
        ended = poet(*LINEAR)
        self.assertEqual((ended.code, ended.err), (0, ""))
        lines = ended.out.splitlines()
        self.assertEqual(lines[0], "linear on m4, released graph, free transfers")
        self.assertRegex(lines[1], r"^optimal schedule, proved in exact arithmetic after .+ \(cbc \S+, event formulation\)$")
        self.assertRegex(ended.out, r"\n  energy +[\d.e-]+ J +compute ")
        self.assertRegex(ended.out, r"\n  peak RAM +[\d,]+ B +[\d.]+ % of the budget of 5,000 B; keeping everything needs 7,416 B\n")

    def test_both_forms_of_a_switch(self):
        answer = poet(*LINEAR, "--no-paging", "--json").json()
        self.assertEqual((answer["paging"], answer["remat"]), (False, True))
        self.assertEqual((answer["paged_tensors"], answer["written_bytes"]), (0, 0))
        answer = poet(*LINEAR, "--no-remat", "--json").json()
        self.assertEqual(answer["recomputed_operations"], 0)
        answer = poet(*LINEAR, "--no-paging", "--paging", "--json").json()
        self.assertTrue(answer["paging"])

    def test_alias_and_objective_and_time_mode(self):
        answer = poet("solve", "--model", "linear", "--platform", "m4", "--ram-budget", "60%", "--deadline", "5s",
                      "--io", "blocking", "--objective", "time", "--json").json()
        self.assertEqual((answer["deadline_s"], answer["io"], answer["objective"]), (5, "blocking", "time"))
        self.assertEqual(answer["ram_budget_bytes"], 4449)
        self.assertIsNone(answer["lower_bound_j"])
        self.assertLessEqual(answer["lower_bound_s"], answer["time_s"] * (1 + 1e-9))

    def test_begins_with_a_plan_of_other_limits(self):
        small, again = self.path("small.json"), self.path("again.json")
        self.assertEqual(poet("minimum", "--model", "linear", "--platform", "m4", "--out", small).code, 0)
        ended = poet(*LINEAR, "--start", small, "--out", again, "--json")
        self.assertEqual((ended.code, ended.err), (0, ""))
        self.assertEqual(ended.json()["status"], "optimal")
        # No search at all: it has nothing worse than what it begins with.
        few = poet("solve", "--model", "linear", "--platform", "m4", "--ram-budget", "3256", "--no-remat", "--start", small,
                   "--time-limit-s", "1e-9", "--json")
        self.assertEqual(few.code, 0, few.err)
        self.assertLessEqual(few.json()["energy_j"], poet("verify", small, "--json").json()["energy_j"])

    def test_leaves_out_a_start_that_breaks_a_limit(self):
        plan = self.path("plan.json")
        self.assertEqual(poet(*LINEAR, "--out", plan).code, 0)
        ended = poet("solve", "--model", "linear", "--platform", "m4", "--ram-budget", "3256", "--start", plan, "--quiet")
        self.assertEqual(ended.code, 0)
        self.assertRegex(ended.err, r"^poet: warning: the search begins without the schedule of '.*plan\.json': .*RAM")

    def test_says_that_a_start_is_outside_of_what_is_searched(self):
        """An operation that is executed three times in one stage: valid, and not of the class."""
        plan = self.path("plan.json")
        self.assertEqual(poet(*LINEAR, "--out", plan).code, 0)
        with open(plan, encoding="utf-8") as file:
            edited = json.load(file)
        actions = edited["schedule"]["actions"]
        self.assertEqual(actions[0], ["compute", 0])
        edited["schedule"]["actions"] = [["compute", 0], ["drop", 0]] * 2 + actions
        for buffer in edited["buffers"]:
            buffer["begin_action"] += 4
            buffer["end_action"] += 4
        edited["buffers"][:0] = [{**edited["buffers"][0], "begin_action": begin, "end_action": begin + 2} for begin in (0, 2)]
        with open(plan, "w", encoding="utf-8") as file:
            json.dump(edited, file)
        ended = poet(*LINEAR, "--start", plan, "--quiet")
        self.assertEqual(ended.code, 0)
        self.assertRegex(ended.err, r"^poet: warning: the search begins without the schedule of '.*plan\.json': it is valid, and outside")

    def test_refuses_a_start_of_another_graph(self):
        plan = self.path("plan.json")
        self.assertEqual(poet(*LINEAR, "--out", plan).code, 0)
        self.assert_refused(f"--start: '{plan}' is a plan of another training step than the one that is asked about",
                            "solve", "--model", "transformer", "--platform", "m4", "--ram-budget", "60%", "--start", plan)

    def test_tables_on_request(self):
        ended = poet(*LINEAR, "--print-graph-info", "--print-power-costs")
        self.assertIn("\n  plain peak ", "\n" + ended.out)
        self.assertIn("page-out J", ended.out)
        answer = poet(*LINEAR, "--print-graph-info", "--print-power-costs", "--json").json()
        self.assertEqual(answer["graph_info"]["plain_peak_bytes"], 7416)
        self.assertEqual(len(answer["power_costs"]), 27)


class Warnings(unittest.TestCase):
    def test_a_budget_above_the_devices_ram(self):
        ended = poet("solve", "--model", "linear", "--platform", "m4", "--ram-budget", "3MB", "--json")
        message = "the RAM budget of 3,000,000 bytes is more than the 262,144 bytes that m4 has"
        self.assertEqual(ended.code, 0)
        self.assertEqual(ended.err, f"poet: warning: {message}\n")
        self.assertEqual(ended.json()["warnings"], [message])

    def test_gurobipy_without_gurobi_falls_back_to_cbc(self):
        if "not available" not in poet("--version").out.splitlines()[3]:
            self.skipTest("Gurobi is installed here")
        for name in ("gurobipy", "gurobi", "pulp-gurobi"):
            ended = poet(*LINEAR, "--solver", name, "--json")
            self.assertEqual(ended.code, 0)
            self.assertEqual(ended.json()["solver"], "cbc")
            begin = f"the solver '{name}' is not available, cbc is used: "
            self.assertTrue(ended.json()["warnings"][0].startswith(begin), ended.json()["warnings"])
            self.assertIn("poet: warning: " + begin, ended.err)


class Limits(unittest.TestCase):
    def test_a_time_limit_that_was_hit_says_how_to_go_on(self):
        ended = poet("solve", "--model", "bert", "--platform", "m4", "--ram-budget", "30%way", "--time-limit-s", "1e-6", "--json")
        answer = ended.json()
        self.assertIn(answer["status"], ("feasible", "unknown"))
        self.assertEqual(ended.code, 0 if answer["status"] == "feasible" else 1)
        self.assertIn(
            "the time limit of 1e-06 s ended the search before it was complete; a larger --time-limit-s goes further",
            answer["warnings"],
        )


class No(program.InAFolder):
    def test_names_the_operation_and_the_smallest_budget(self):
        bert = ["solve", "--model", "bert", "--platform", "m4", "--graph", "released", "--ram-budget", "30000000",
                "--runtime-budget", "1.5"]
        ended = poet(*bert)
        self.assertEqual(ended.code, 1)
        self.assertIn("31,457,280", ended.out)
        why = poet(*bert, "--json").json()["infeasible"]
        self.assertEqual((why["kind"], why["working_set_bytes"], why["least_budget_bytes"]),
                         ("ram_budget", 31457280, 31457280))
        self.assertTrue(why["operation"])

    def test_a_deadline_that_is_too_short_names_the_least_time(self):
        ended = poet("solve", "--model", "linear", "--platform", "m4", "--deadline", "0.5", "--json")
        self.assertEqual(ended.code, 1)
        answer = ended.json()
        self.assertEqual((answer["status"], answer["infeasible"]["kind"]), ("infeasible", "deadline"))
        self.assertAlmostEqual(answer["infeasible"]["least_time_s"], 2 * answer["deadline_s"], delta=1e-9)

    def test_both_limits_that_are_impossible(self):
        ended = poet("solve", "--model", "linear", "--platform", "m4", "--ram-budget", "41%", "--deadline", "41.49ms", "--json")
        why = ended.json()["infeasible"]
        self.assertEqual((why["kind"], why["least_budget_bytes"], why["working_budget_bytes"]), ("combined", 3256, None))
        self.assertAlmostEqual(why["least_time_s"], 0.0414982, delta=1e-7)
        self.assertIsNone(why["working_time_s"])  # neither limit alone is enough to give way
        self.assertIn("the budget is 3,040 bytes; no budget below 3,256 bytes works; besides, one execution", why["reason"])
        self.assertIn("no deadline below 0.0414982", why["reason"])
        together = re.search(r"; ([0-9,]+) bytes of RAM and ([0-9.]+) s work together$", why["reason"])
        self.assertTrue(together, why["reason"])
        ended = poet("solve", "--model", "linear", "--platform", "m4", "--ram-budget", together[1].replace(",", ""),
                     "--deadline", f"{together[2]}s")
        self.assertEqual(ended.code, 0, ended.out)

    def test_a_budget_that_works_is_always_known(self):
        ended = poet("solve", "--model", "bert", "--platform", "m4", "--ram-budget", "30000000", "--runtime-budget", "1.0", "--io",
                     "blocking", "--json")
        why = ended.json()["infeasible"]
        self.assertGreaterEqual(why["least_budget_bytes"], 31457280)
        self.assertLessEqual(why["least_budget_bytes"], why["working_budget_bytes"])
        self.assertLessEqual(why["working_budget_bytes"], 383778816)

    def test_says_which_schedules_it_speaks_of(self):
        no = ["solve", "--model", "linear", "--platform", "m4", "--no-paging"]
        # What one operation needs alone is so of all schedules.
        self.assertNotIn("\n  class ", poet(*no, "--ram-budget", "1000").out)
        ended = poet(*no, "--ram-budget", "3500", "--runtime-budget", "1.0001")
        self.assertIn("\n  class       first executions in the given order; ", ended.out)

    def test_no_plan_is_written(self):
        ended = poet("solve", "--model", "linear", "--platform", "m4", "--ram-budget", "1000", "--out", "plan.json",
                     "--report", "plan.html", cwd=self.folder)
        self.assertEqual(ended.code, 1)
        self.assertIn("poet: warning: there is no schedule, so 'plan.json' was not written\n", ended.err)
        self.assertEqual(os.listdir(self.folder), ["plan.html"])


class Files(program.InAFolder):
    def test_writes_what_was_asked_for(self):
        ended = poet(*LINEAR, "--out", "plan.json", "--report", "plan.html", "--plot-directory", "plots", "--json", cwd=self.folder)
        self.assertEqual(ended.code, 0, ended.err)
        self.assertEqual(sorted(os.listdir(self.folder)), ["plan.html", "plan.json", "plots"])
        plots = os.listdir(self.path("plots"))
        self.assertIn("graph.dot", plots)
        self.assertTrue(any(name.endswith(".svg") for name in plots), plots)
        written = ended.json()["files"]
        self.assertEqual(sorted(written), sorted(["plan.html", "plan.json"] + [f"plots/{name}" for name in plots]))
        with open(self.path("plan.html"), encoding="utf-8") as page:
            text = page.read()
        self.assertTrue(text.startswith("<!DOCTYPE html>"))
        self.assertTrue("<span>--ram-budget</span> <span>5000</span>" in text, "the page does not show its command")

    def test_leaves_no_charts_of_an_earlier_answer(self):
        poet(*LINEAR, "--plot-directory", "plots", cwd=self.folder)
        with open(self.path("plots/mine.svg"), "w") as file:
            file.write("mine")
        ended = poet("solve", "--model", "linear", "--platform", "m4", "--ram-budget", "1000", "--plot-directory", "plots",
                     "--json", cwd=self.folder)
        self.assertEqual(ended.code, 1)
        written = {os.path.basename(path) for path in ended.json()["files"]}
        self.assertEqual(set(os.listdir(self.path("plots"))), written | {"mine.svg"})
        self.assertIn("working_sets.svg", written)

    def test_replaces_a_file_as_a_whole(self):
        with open(self.path("plan.json"), "w") as file:
            file.write("x" * 1_000_000)
        poet(*LINEAR, "--out", "plan.json", cwd=self.folder)
        with open(self.path("plan.json")) as file:
            self.assertEqual(json.load(file)["format"], "poet-plan")


class UsersOwnDevice(program.InAFolder):
    def test_a_file_works_as_a_platform(self):
        source = os.path.join(os.path.dirname(__file__), "..", "..", "poet", "device", "boards", "m4.toml")
        with open(source) as file:
            text = file.read()
        with open(self.path("mine.toml"), "w") as file:
            file.write(text)
        own = poet(*[self.path("mine.toml") if word == "m4" else word for word in LINEAR], "--json").json()
        self.assertEqual(own["energy_j"], poet(*LINEAR, "--json").json()["energy_j"])


if __name__ == "__main__":
    program.run_tests()
