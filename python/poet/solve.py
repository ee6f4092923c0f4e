"""Planning one training step: the function of the released package, and what it answers."""

import json
import os
import warnings as warning_messages
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Tuple, Union

import numpy as np

from poet import _poet, display, files
from poet.answer import Answer
from poet.asking import DeviceLike, ModelLike, question, shown
from poet.plan import MATRICES, Plan
from poet.words import folder_now, with_options

Progress = Callable[[Dict[str, Any]], None]


class Solution:
    """A schedule as the released code has it, made when it is first looked at (docs/formats/released_matrices.md).

    R, SRam, SSd, Min, Mout: (T, T), 0 or 1: what runs in stage t; what is in RAM and in storage when it begins; what is read
    and written in it. FreeE: (T, E). U: (T, T), bytes in RAM while operation k runs in stage t. All None without a schedule.
    finished: the search ended by itself. feasible: there is a schedule. solve_time_s: how long the search took, in seconds.
    """

    def __init__(self, plan: Optional[Plan], finished: bool, solve_time_s: float) -> None:
        self._plan = plan
        self._matrices: Dict[str, np.ndarray] = {}
        self.finished = finished
        self.feasible = plan is not None
        self.solve_time_s = solve_time_s

    def __getattr__(self, name: str) -> Any:
        if name not in MATRICES:
            raise AttributeError(f"a solution has no '{name}'; it has {', '.join(MATRICES)}")
        if self._plan is None:
            return None
        if not self._matrices:
            self._matrices = self._plan.matrices()
        return self._matrices[name]

    def __dir__(self) -> Any:
        return [*super().__dir__(), *MATRICES]

    def __getstate__(self) -> Dict[str, Any]:
        return {**self.__dict__, "_matrices": {}}

    def __setstate__(self, state: Dict[str, Any]) -> None:
        self.__dict__.update(state)


class PlanAnswer(Answer):
    """What poet.solve() answers: the released fields, and ours. Printed, it is the text of `poet solve`.

    Released: ram_budget (as asked), runtime_budget_ms, paging, remat, feasible, solution, total_power_cost_cpu and
    total_power_cost_page (joules), total_runtime. The released code called seconds milliseconds; the numbers are the same.

    Ours: status ('optimal', 'feasible', 'infeasible', 'unknown'); plan (poet.Plan, or None); bound: no schedule of the class
    costs less (J, or s); gap: how far the schedule is from it, as a part; energy_j, time_s, peak_ram_bytes and every other
    field of docs/formats/report-json.md; warnings: sentences.
    """

    def __init__(self, data: Dict[str, Any], text: str, plan: Optional[Plan], page: str, plots: List[Tuple[str, str]]) -> None:
        super().__init__(data, text)
        self.plan = plan
        self._page = page
        self._plots = plots
        self.solution = Solution(plan, data["status"] in ("optimal", "infeasible"), data["solve_s"])

    @property
    def feasible(self) -> bool:
        return self.plan is not None

    @property
    def bound(self) -> Optional[float]:
        return self["lower_bound_j"] if self["objective"] == "energy" else self["lower_bound_s"]

    @property
    def total_power_cost_cpu(self) -> Optional[float]:
        return self["compute_j"]

    @property
    def total_power_cost_page(self) -> Optional[float]:
        return self["page_in_j"] + self["page_out_j"] if self.feasible else None

    @property
    def total_runtime(self) -> Optional[float]:
        return self["compute_s"]

    @property
    def runtime_budget_ms(self) -> Optional[float]:
        return self["deadline_s"]

    def __getitem__(self, name: str) -> Any:
        released = ("solution", "feasible", "total_power_cost_cpu", "total_power_cost_page", "total_runtime",
                    "runtime_budget_ms", "plan", "bound")
        return getattr(self, name) if name in released else super().__getitem__(name)

    def report_html(self, path: Optional[Union[str, "os.PathLike[str]"]] = None) -> str:
        """One page with everything, also when the answer is no; written to `path` if there is one."""
        if path is not None:
            files.write_text(path, self._page)
        return self._page

    def plots(self) -> Dict[str, str]:
        """Each chart as the text of an SVG file, and the graph in the language of Graphviz, by file name."""
        return dict(self._plots)

    def _repr_html_(self) -> str:
        shown = display.charts(self._plots, ["ram_over_actions.svg", "stages.svg", "working_sets.svg"])
        return display.table(display.answer_rows(self)) + shown


def _answer(report: _poet.Report, asked: Dict[str, Any], model: Any, keep: Any, folder: str) -> PlanAnswer:
    core = report.plan()
    plan = None if core is None else Plan(core, folder)
    if plan is not None:
        plan._keep = keep
    data = json.loads(shown(report.json(), model))
    plots = [(name, shown(text, model)) for name, text in report.plots()]
    return PlanAnswer({**data, **asked}, shown(report.text(), model), plan, shown(report.page(), model), plots)


def _write_plots(answer: PlanAnswer, folder: Union[str, "os.PathLike[str]"]) -> None:
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name, text in answer.plots().items():
        files.write_text(Path(folder) / name, text)


def unless(default: Any, value: Any) -> Any:
    """None, which is not said, for what is so anyway; True is not 1 to those who look at types."""
    return None if type(value) is type(default) and value == default else value


@with_options("solve")
def solve(
    model: Optional[ModelLike] = None,
    platform: Optional[DeviceLike] = None,
    ram_budget: Union[int, float, str, None] = None,
    runtime_budget: Union[float, str, None] = None,
    paging: Union[bool, int] = True,
    remat: Union[bool, int] = True,
    mem_power_scale: float = 1.0,
    batch_size: Optional[int] = None,
    use_actual_gurobi: Optional[bool] = None,
    solver: Optional[str] = None,
    print_power_costs: bool = False,
    print_graph_info: bool = False,
    plot_directory: Union[str, "os.PathLike[str]", None] = None,
    time_limit_s: float = 60,
    solve_threads: Optional[int] = None,
    *,
    progress: Optional[Progress] = None,
    **options: Any,
) -> PlanAnswer:
    """Plans one training step in a RAM budget and a deadline, with the least energy, and proves how good the plan is.

    model: a name of poet.models() or of the released code, the path of an ONNX file, or a poet.Model. As in the released
        function, the names linear, vgg16, vgg16_cifar, resnet18, resnet50, resnet18_cifar, bert and transformer mean the
        released code's graphs, with transfers that take no time; graph='real' or a poet.Model mean true training steps.
    platform: a name of poet.devices(), the path of a TOML file, or a poet.Device.
    ram_budget: bytes, or a text: '720KiB', '60%' of the plain peak, '30%way' from the least to it. None: the device's RAM.
    runtime_budget: a ratio of the time of computing everything once, or a text such as '200ms'. None: no deadline.
    paging, remat: whether tensors may be moved to storage, and computed again.
    mem_power_scale: factor on the energy of transfers. batch_size: examples in a step; None: 1, or the poet.Model's own.
    solver: 'cbc', or 'gurobi' and 'highs' where they are installed. solve_threads: its threads.
    time_limit_s: when to stop with the best so far, in seconds; 1e100 for never.
    plot_directory: a folder for every chart. print_graph_info, print_power_costs: print what the step consists of and costs.
    progress: called with a dict (phase, incumbent, bound, events, nodes, elapsed_s) at each news of the search.

    Ctrl-C ends the search with the best schedule so far. Other threads of Python run meanwhile. What cannot be asked raises
    poet.Error; that no schedule exists is an answer.
    """
    asked = {"ram_budget": ram_budget, "paging": paging, "remat": remat}
    folder = folder_now()
    words, keep = question("solve", model, platform, {
        "ram_budget": ram_budget, "runtime_budget": runtime_budget, "paging": unless(True, paging),
        "remat": unless(True, remat), "mem_power_scale": unless(1.0, mem_power_scale), "batch_size": batch_size,
        "use_actual_gurobi": use_actual_gurobi, "solver": solver, "time_limit_s": unless(60, time_limit_s),
        "solve_threads": solve_threads, **options,
    })
    report = _poet.solve(words, progress)
    answer = _answer(report, asked, model, (model, platform, keep), folder)
    for sentence in answer["warnings"]:
        warning_messages.warn(sentence, stacklevel=2)
    if print_graph_info:
        print(report.graph_text())
    if print_power_costs:
        print(report.costs_text())
    if plot_directory is not None:
        _write_plots(answer, plot_directory)
    return answer
