"""poet.solve() as released clients call it, and as ours do."""

import io
import pickle
import warnings
from contextlib import redirect_stdout

import numpy as np

import poet
from case import LINEAR, Case, run_tests


class ReleasedClients(Case):
    def test_the_example_of_the_released_readme_runs(self):
        from poet import solve

        result = solve(model="resnet18_cifar", platform="a72", ram_budget=3000000, runtime_budget=7.6)
        self.assertTrue(result.feasible)
        self.assertTrue(result.solution.finished)
        # With 3 MB everything fits: each operation once. The released code's figures are in J, and its sum is the graph's.
        self.assertEqual(result.total_power_cost_page, 0)
        self.assertAlmostEqual(result.total_power_cost_cpu, result.unavoidable_j, delta=1e-9)

    def test_every_released_argument_is_taken(self):
        printed = io.StringIO()
        with redirect_stdout(printed):
            result = poet.solve(
                "linear", "m4", 5000, 1.5, 1, 1, mem_power_scale=1.0, batch_size=1, use_actual_gurobi=False, solver="cbc",
                print_power_costs=True, print_graph_info=True, plot_directory=self.folder / "plots", time_limit_s=1e100,
                solve_threads=1)
        self.assertEqual(result.status, "optimal")
        self.assertIn("operations", printed.getvalue())
        self.assertIn("ram_over_actions.svg", {path.name for path in (self.folder / "plots").iterdir()})

    def test_the_released_fields_are_there(self):
        result = poet.solve(**LINEAR)
        self.assertEqual((result.ram_budget, result.paging, result.remat), (5000, True, True))
        self.assertEqual(result["total_power_cost_cpu"], result.total_power_cost_cpu)
        self.assertAlmostEqual(result.runtime_budget_ms, 1.5 * result.unavoidable_s, delta=1e-12)
        self.assertGreaterEqual(result.total_runtime, result.unavoidable_s)
        self.assertGreater(result.solution.solve_time_s, 0)

    def test_the_matrices_have_the_released_shapes(self):
        solution = poet.solve(**LINEAR).solution
        stages, edges = 27, solution.FreeE.shape[1]
        for name in ("R", "SRam", "SSd", "Min", "Mout", "U"):
            self.assertEqual(getattr(solution, name).shape, (stages, stages), name)
        self.assertEqual(solution.FreeE.shape[0], stages)
        self.assertTrue((np.diag(solution.R) == 1).all())
        self.assertTrue((np.triu(solution.R, 1) == 0).all())
        self.assertTrue((np.triu(solution.SRam) == 0).all())
        self.assertLessEqual(solution.U.max(), 5000)
        self.assertEqual(solution.R.dtype, np.int64)
        self.assertGreater(edges, stages - 1)  # a chain, and the loss twice

    def test_the_released_sums_are_those_of_the_matrices(self):
        result = poet.solve(**LINEAR)
        runs = result.solution.R.sum(axis=0)
        self.assertEqual(runs.sum() - 27, result.recomputed_operations)

    def test_released_names_mean_the_released_graph_and_free_transfers(self):
        result = poet.solve(**LINEAR)
        self.assertEqual((result.graph, result.io), ("released", "free"))
        both = poet.solve("resnet18", "a72", ram_budget="100%")
        self.assertEqual((both.graph, both.io), ("released", "free"))

    def test_a_network_that_trains_is_the_real_one(self):
        self.assertEqual(poet.solve("lenet5", "m4", ram_budget="100%").graph, "real")
        self.assertEqual(poet.solve(poet.Model.zoo("resnet18", image_size=32), "a72", ram_budget="100%").graph, "real")
        self.assertEqual(poet.solve("resnet18", "a72", ram_budget="100%", graph="real").graph, "real")

    def test_the_released_formulation_gives_its_own_optimum(self):
        ours = poet.solve(**LINEAR)
        released = poet.solve(**LINEAR, formulation="released")
        self.assertEqual(released.formulation, "released")
        self.assertEqual(released.status, "optimal")
        self.assertLessEqual(ours.energy_j, released.energy_j * (1 + 1e-9))

    def test_no_schedule_is_an_answer(self):
        result = poet.solve(**{**LINEAR, "ram_budget": 3000})
        self.assertFalse(result.feasible)
        self.assertEqual(result.status, "infeasible")
        self.assertTrue(result.solution.finished)
        self.assertIsNone(result.plan)
        self.assertIsNone(result.solution.R)
        self.assertIsNone(result.total_power_cost_cpu)
        self.assertIsNone(result.total_power_cost_page)
        self.assertIn("alone needs", result["infeasible"]["reason"])
        self.assertIn("alone needs", result._repr_html_())

    def test_answers_travel_between_processes(self):
        result = pickle.loads(pickle.dumps(poet.solve(**LINEAR)))
        self.assertEqual(result.solution.R.shape, (27, 27))
        self.assertEqual(result.plan.verify().valid, True)
        self.assertEqual(result.energy_j, poet.solve(**LINEAR).energy_j)


class OwnWords(Case):
    def test_numbers_of_numpy_are_numbers(self):
        result = poet.solve("linear", "m4", ram_budget=np.float64(5000.75), runtime_budget=np.float32(1.5))
        self.assertEqual(result.ram_budget_bytes, 5000)

    def test_a_technique_can_be_switched_off(self):
        result = poet.solve(**LINEAR, paging=False)
        self.assertEqual((result["paging"], result.paged_tensors), (False, 0))

    def test_options_of_the_command_line_are_arguments(self):
        result = poet.solve(**LINEAR, gap=0, io="blocking", without=["windows", "dives"], seed=7)
        self.assertEqual((result.io, result.seed, result.gap_ratio), ("blocking", 7, 0))

    def test_news_come_while_it_searches(self):
        news = []
        poet.solve("vgg16_cifar", "a72", ram_budget="30%way", runtime_budget=1.5, progress=news.append)
        self.assertTrue(news)
        self.assertEqual(set(news[0]), {"phase", "incumbent", "bound", "events", "nodes", "elapsed_s"})

    def test_an_exception_in_a_callback_ends_the_search(self):
        def fail(_news):
            raise LookupError("mine")

        with self.assertRaisesRegex(LookupError, "mine"):
            poet.solve("vgg16_cifar", "a72", ram_budget="30%way", runtime_budget=1.5, progress=fail)

    def test_what_the_user_should_know_is_a_warning(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            poet.solve("resnet18_cifar", "m4", ram_budget="100%")
        self.assertIn("more than the 262,144 bytes that m4 has", str(caught[0].message))
        self.assertEqual(caught[0].filename, __file__)

    def test_a_notebook_shows_charts(self):
        page = poet.solve(**LINEAR)._repr_html_()
        self.assertIn("<table>", page)
        self.assertEqual(page.count("data:image/svg+xml;base64,"), 2)
        self.assertNotIn("<script", page)

    def test_a_certificate_is_written_and_checked(self):
        proof = self.folder / "proof.json"
        plan = poet.solve(**LINEAR, certificate=proof).plan
        self.assertTrue(plan.verify(certificate=proof)["certificate"]["holds"])

    def test_so_is_one_that_no_smaller_budget_works(self):
        proof = self.folder / "proof.json"
        least = poet.minimum("linear", "m4", io="blocking", runtime_budget=1, certificate=proof)
        self.assertEqual((least.found_bytes, least.proof), (4280, "exact"))
        checked = least.plan.verify(certificate=proof)["certificate"]
        self.assertEqual((checked["claim"], checked["claimed_bytes"], checked["covers_claim"]), ("least-ram", 4280, True))

    def test_a_graph_with_costs_of_ones_own(self):
        graph = {"name": "three", "nodes": 3, "edges": [[0, 1], [1, 2]], "duration": [4, 1, 1], "output_bytes": [60, 60, 4]}
        result = poet.solve(graph_file=graph, ram_budget="1x")
        self.assertEqual((result.graph, result.objective, result.time_s), ("file", "time", 6))

    def test_help_names_every_option(self):
        for name in ("ram_budget", "objective", "write_budget", "optimiser", "max_nodes"):
            self.assertRegex(poet.solve.__doc__, rf"\n    {name}: ")


if __name__ == "__main__":
    run_tests()
