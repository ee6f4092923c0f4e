"""What else can be asked: how little is enough, what other methods do, and the whole curve."""

import json
import os
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from poet import _poet, display, files
from poet.answer import Answer
from poet.asking import DeviceLike, ModelLike, question, shown
from poet.device import Device
from poet.plan import Plan
from poet.words import folder_now, with_options, words_of

Progress = Callable[[Dict[str, Any]], None]
PathText = Union[str, "os.PathLike[str]"]


class Least(Answer):
    """What poet.minimum() answers: the fields of docs/formats/report-json.md, and `plan`, which attains it, or None."""

    def __init__(self, data: Mapping[str, Any], text: str, plan: Optional[Plan]) -> None:
        super().__init__(data, text)
        self.plan = plan


class Comparison(Answer):
    """What poet.compare() answers: the fields of docs/formats/compare.md; csv, and chart_svg."""

    def __init__(self, data: Mapping[str, Any], text: str, csv: str, chart_svg: str) -> None:
        super().__init__(data, text)
        self.csv = csv
        self.chart_svg = chart_svg

    def _repr_html_(self) -> str:
        return display.preformatted(str(self)) + display.picture(self.chart_svg, "overhead of each method")


class Sweep(Answer):
    """What poet.sweep() answers: the fields of docs/formats/sweep.md; csv, and plots (SVG files by name)."""

    def __init__(self, data: Mapping[str, Any], text: str, csv: str, page: str, plots: Sequence[Tuple[str, str]]) -> None:
        super().__init__(data, text)
        self.csv = csv
        self.plots = dict(plots)
        self._page = page

    def report_html(self, path: Optional[PathText] = None) -> str:
        """One page on which points can be pointed at and methods hidden; written to `path` if there is one."""
        if path is not None:
            files.write_text(path, self._page)
        return self._page

    def _repr_html_(self) -> str:
        return display.preformatted(str(self)) + display.charts(self.plots.items(), self.plots)


@with_options("minimum")
def minimum(model: Optional[ModelLike] = None, platform: Optional[DeviceLike] = None, *,
            progress: Optional[Progress] = None, **options: Any) -> Least:
    """The smallest RAM budget for runtime_budget=, or the shortest deadline in ram_budget=, with a proof that less does not do.

    model, platform, progress, Ctrl-C and errors: as in poet.solve(). asked, status, found_bytes or found_s, and proved_bytes
    or proved_s (nothing less works) are the answer.
    """
    folder = folder_now()
    words, keep = question("minimum", model, platform, options)
    answer = _poet.minimum(words, progress)
    plan = None if answer["plan"] is None else Plan(answer["plan"], folder)
    if plan is not None:
        plan._keep = (model, platform, keep)
    return Least(json.loads(shown(answer["json"], model)), shown(answer["text"], model), plan)


@with_options("compare")
def compare(model: Optional[ModelLike] = None, platform: Optional[DeviceLike] = None, *,
            methods: Union[str, Sequence[str], None] = None, progress: Optional[Progress] = None,
            **options: Any) -> Comparison:
    """Plans the same step with the published methods, and judges all by the same replay; POET is never above them.

    methods: their names; None: all. time_limit_s is for each method. `methods` of the answer has one entry each.
    """
    words, _keep = question("compare", model, platform, {"methods": methods, **options})
    answer = _poet.compare(words, progress)
    return Comparison(json.loads(shown(answer["json"], model)), shown(answer["text"], model), answer["csv"], answer["chart"])


def _names(one_or_many: Any) -> Optional[List[str]]:
    if one_or_many is None:
        return None
    many = [one_or_many] if isinstance(one_or_many, (str, os.PathLike, Device)) else list(one_or_many)
    return [os.fspath(one) for one in many]


@with_options("sweep")
def sweep(model: Union[str, Sequence[str], None] = None, platform: Union[DeviceLike, Sequence[DeviceLike], None] = None, *,
          methods: Union[str, Sequence[str], None] = None, budgets: Optional[int] = None,
          progress: Optional[Progress] = None, **options: Any) -> Sweep:
    """Plans at many RAM budgets, with one or several methods, for one or several networks (names), devices and deadlines.

    budgets: how many, evenly up to the plain peak; or ram_budget=['720KiB', '60%'] says which. results: a file in which
    finished points are kept; the same sweep goes on from it. progress: called with a dict (done, all).
    """
    models = _names(model)
    asked: Dict[str, Any] = {"model": models, "platform": _names(platform), "methods": methods, "budgets": budgets, **options}
    released = _poet.released_networks()
    if models and "graph" not in options and all(name in released for name in models):
        asked["graph"] = "released"
    answer = _poet.sweep(words_of("sweep", asked), progress)
    return Sweep(json.loads(answer["json"]), answer["text"], answer["csv"], answer["page"], answer["plots"])


def explain(plan: Union[Plan, PathText], *names: str, **options: Any) -> Answer:
    """plan.explain(*names, **options), of a plan or of one in a file."""
    return (plan if isinstance(plan, Plan) else Plan.load(plan)).explain(*names, **options)
