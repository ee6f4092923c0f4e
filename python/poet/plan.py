"""Plans: schedules of one training step, ready to be checked, drawn, laid out, explained and run."""

import json
import os
import shlex
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional, Tuple, Union

import numpy as np

from poet import _poet, display, files
from poet.answer import Answer
from poet.scratch import Scratch
from poet.words import folder_now, in_place, options_in, refuse, words_of

if TYPE_CHECKING:
    from poet.training import Training

PathText = Union[str, "os.PathLike[str]"]
Progress = Callable[[Dict[str, Any]], None]

MATRICES = ("R", "SRam", "SSd", "Min", "Mout", "FreeE", "U")


class Verification(Answer):
    """What the verifier says, which shares no code with the solvers: its figures are derived again from the plan's problem.

    valid: whether every rule is kept. findings, complaints: what is wrong, a sentence each.
    energy_j, time_s, peak_ram_bytes, ...: the fields of docs/formats/report-json.md.
    """

    def __bool__(self) -> bool:
        return bool(self["valid"])


class Layout(Answer):
    """An address for every buffer of a plan in one arena, and a slot in storage for what is paged (docs/formats/plan.md)."""

    def __init__(self, data: Mapping[str, Any], laid_out_plan: str) -> None:
        super().__init__(data, json.dumps(data, indent=1))
        self._laid_out_plan = laid_out_plan

    def save(self, path: PathText) -> None:
        """Writes the plan with this layout in it, as `poet pack PLAN --out FILE` does."""
        files.write_text(path, self._laid_out_plan)


class Plan:
    """What to compute, recompute, write, read and drop in one training step, action by action, with the problem it solves.

    model, platform, graph, command: what was asked. status: 'optimal' (proved) or 'feasible'.
    """

    def __init__(self, core: _poet.Plan, folder: Optional[str] = None) -> None:
        if not isinstance(core, _poet.Plan):
            raise TypeError("a poet.Plan comes from poet.solve(...).plan, poet.Plan.load(path) or poet.Plan.from_json(text)")
        self._core = core
        # Of which relative paths of its command speak: where the process was when it was asked for.
        self._folder = folder_now() if folder is None else folder
        self._keep: Any = None  # a network in a file of its own goes when nobody needs it any more

    @classmethod
    def load(cls, path: PathText) -> "Plan":
        """Reads a plan file (docs/formats/plan.md). Whether it keeps the rules is for verify() to say."""
        return cls(_poet.load_plan(os.fsdecode(path)))

    @classmethod
    def from_json(cls, text: str) -> "Plan":
        return cls(_poet.read_plan(text, ""))

    def to_json(self) -> str:
        return self._core.text()

    def save(self, path: PathText) -> None:
        """Writes the plan, for load() and for `poet verify`, `explain`, `pack` and `inspect`."""
        files.write_text(path, self.to_json())

    def __reduce__(self) -> Tuple[Any, ...]:
        return (Plan.from_json, (self.to_json(),))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Plan) and self._core == other._core

    __hash__ = None  # type: ignore[assignment]

    @property
    def model(self) -> str:
        return self._core.model

    @property
    def platform(self) -> str:
        return self._core.platform

    @property
    def graph(self) -> str:
        """'real', 'released', or 'file'."""
        return self._core.graph

    @property
    def status(self) -> str:
        return self._core.status

    @property
    def command(self) -> str:
        """The command line that asks the same."""
        return self._core.command

    @property
    def actions(self) -> List[Tuple[str, int, str]]:
        """(what, number, name): 'compute' of an operation; 'page_out', 'page_in' and 'drop' of a tensor."""
        return self._core.actions()

    @property
    def ram_bytes(self) -> np.ndarray:
        """RAM in use while each action runs: (actions,), int64, in bytes, by the verifier."""
        return self._core.ram_bytes()

    def matrices(self) -> Dict[str, np.ndarray]:
        """R, SRam, SSd, Min, Mout (T, T), FreeE (T, E), U (T, T, bytes), and edges (E, 2): the form of the released code
        (docs/formats/released_matrices.md). T operations, E edges; rows are stages."""
        return self._core.matrices()

    def verify(self, certificate: Optional[PathText] = None) -> Verification:
        """Replays the plan. `certificate`: the file of a proof of its bound, which is checked as well."""
        path = None if certificate is None else os.fsdecode(certificate)
        return Verification(json.loads(self._core.check_json(path)), self._core.describe())

    def layout(self, alignment: int = 64) -> Layout:
        """Gives every buffer an address, as low as it is found; `alignment` in bytes, a power of two."""
        return Layout(*self._laid_out(alignment))

    def _laid_out(self, alignment: int) -> Tuple[Mapping[str, Any], str]:
        text, plan = self._core.lay_out(alignment)
        return json.loads(text), plan

    def explain(self, *names: str, progress: Optional[Progress] = None, **options: Any) -> Answer:
        """Why tensors are absent for a while, what their return costs, and what more RAM or time would save.

        names: tensors or operations; none: all. options: those of `poet explain`, such as quick=True.
        The answer has the fields of docs/formats/report-json.md.
        """
        scratch = Scratch()
        path = scratch.path("plan.json")
        self.save(path)
        answer = _poet.explain([str(path), *names, *words_of("explain", options)], progress)
        return Answer(json.loads(answer["json"]), answer["text"])

    def report_html(self, path: Optional[PathText] = None) -> str:
        """One page with everything about the plan; written to `path` if there is one."""
        self._refuse_invalid("a report")
        page = self._core.page()
        if path is not None:
            files.write_text(path, page)
        return page

    def write_trace(self, path: PathText) -> None:
        """The step as the plan predicts it, action by action with the RAM in use, for Perfetto (docs/formats/trace.md)."""
        self._refuse_invalid("a trace")
        self._core.write_trace(os.fsdecode(path))

    def plots(self) -> Dict[str, str]:
        """Each chart as the text of an SVG file, and the graph in the language of Graphviz, by file name."""
        self._refuse_invalid("pictures")
        return dict(self._core.plots())

    def _refuse_invalid(self, what: str) -> None:
        check = self.verify()
        if check["findings"]:
            raise refuse(f"the plan has no {what}, because it breaks a rule: {check['findings'][0]['message']}")

    def train(self, data: Any = None, **options: Any) -> "Training":
        """Trains with the plan's network, device, budget and deadline: poet.train() with what the plan was asked with.

        Sizes are then rounded up to whole lines of memory, as they lie in the arena, and the step is planned again with
        them. `options` overrule and add. A network that was never in a file of the user's is known only to the object that
        poet.solve() gave, not to one that was loaded.
        """
        from poet.training import train

        if self.graph != "real":
            raise refuse(f"a plan of the {self.graph} graph cannot be trained; plan with graph='real'")
        asked = options_in(in_place(shlex.split(self.command)[2:], self._folder), "train")
        return train(data=data, **{**asked, **options})

    def __str__(self) -> str:
        return self._core.describe()

    def __repr__(self) -> str:
        return f"<poet.Plan of {os.path.basename(self.model)}: {self.status}, {len(self.actions)} actions>"

    def _repr_html_(self) -> str:
        check = self.verify()
        rows = [("status", self.status), ("valid", "yes" if check else "no"), ("energy", f"{check['energy_j']:.6g} J"),
                ("time of a step", f"{check['time_s']:.6g} s"), ("peak RAM", display.size_text(check["peak_ram_bytes"]))]
        shown = display.charts(self.plots().items(), ["ram_over_actions.svg"]) if check else ""
        return display.table(rows) + shown
