"""Plans and trains PyTorch modules: `import poet.torch` needs PyTorch, and nothing else of this package does.

    plan = poet.torch.plan(module, x, torch.nn.CrossEntropyLoss(), ram_budget="60%")
    plan.train(x, y, learning_rate=0.1)     # takes steps in that RAM; the module then has the trained values
"""

import copy
import io
import warnings
from typing import Any, Callable, Dict, Optional, Sequence, Tuple, Union

import numpy as np
import torch

from poet.asking import DeviceLike
from poet.model import Model
from poet.plan import Plan
from poet.solve import PlanAnswer, solve
from poet.training import Training, train
from poet.words import refuse

Inputs = Union[torch.Tensor, Sequence[torch.Tensor]]
Loss = Union[str, torch.nn.Module, Callable[..., torch.Tensor], None]

OPSET = 14

# What each loss of PyTorch is called here, and what of it must be as it is unless said.
LOSSES = {
    torch.nn.CrossEntropyLoss: ("cross-entropy", {"weight": None, "ignore_index": -100, "label_smoothing": 0.0}),
    torch.nn.MSELoss: ("mean-squared-error", {}),
    torch.nn.BCEWithLogitsLoss: ("binary-cross-entropy", {"weight": None, "pos_weight": None}),
}
FUNCTIONS = {
    torch.nn.functional.cross_entropy: "cross-entropy",
    torch.nn.functional.mse_loss: "mean-squared-error",
    torch.nn.functional.binary_cross_entropy_with_logits: "binary-cross-entropy",
}


def loss_name(loss: Loss) -> str:
    """The name of a loss in POET; poet.Error for one that it does not have."""
    if loss is None:
        return "none"
    if isinstance(loss, str):
        return loss
    if not isinstance(loss, torch.nn.Module) and loss in FUNCTIONS:
        return FUNCTIONS[loss]
    if type(loss) not in LOSSES:
        known = ", ".join(kind.__name__ for kind in LOSSES)
        raise refuse(f"loss: POET has no {type(loss).__name__}; it has {known}, their functions, or None for a module whose "
                     "output is the loss")
    name, settings = LOSSES[type(loss)]
    for setting, value in {"reduction": "mean", **settings}.items():
        if getattr(loss, setting) != value:
            raise refuse(f"loss: {type(loss).__name__} is planned with {setting}={value!r}, and this one has another")
    return name


def _inputs(example_inputs: Inputs) -> Tuple[torch.Tensor, ...]:
    given = (example_inputs,) if isinstance(example_inputs, torch.Tensor) else tuple(example_inputs)
    if not given or not all(isinstance(one, torch.Tensor) and one.dim() > 0 for one in given):
        raise refuse("example_inputs: expected a tensor, or several, each with the examples of a batch as its rows")
    return given


def _to_export(module: torch.nn.Module) -> torch.nn.Module:
    """A copy as it trains, but for its batch norms: exporting runs it, which would move their running statistics. POET trains
    them by the statistics of the batch whichever way they are exported."""
    exported = copy.deepcopy(module).train()
    for part in exported.modules():
        if isinstance(part, torch.nn.modules.batchnorm._BatchNorm):
            part.eval()
    return exported


def to_model(module: torch.nn.Module, example_inputs: Inputs, name: Optional[str] = None) -> Model:
    """The module as a poet.Model: exported to ONNX as it trains, with the sizes of the example inputs."""
    given = _inputs(example_inputs)
    exported = _to_export(module)
    file = io.BytesIO()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.onnx.export(
                exported, given, file, opset_version=OPSET, training=torch.onnx.TrainingMode.PRESERVE,
                do_constant_folding=False, input_names=[f"input{number}" for number in range(len(given))],
                output_names=["output"])
    except (RuntimeError, torch.onnx.errors.OnnxExporterError) as error:
        raise refuse(f"the module cannot be exported to ONNX: {str(error).splitlines()[0]}", "unsupported") from error
    return Model.from_onnx(file.getvalue(), name=name or type(module).__name__, batch_size=given[0].shape[0])


class TorchPlan:
    """A plan of a module's training step.

    answer: what poet.solve() said. plan: the poet.Plan, or None. model: the module as it was exported.
    """

    def __init__(self, module: torch.nn.Module, model: Model, answer: PlanAnswer, asked: Dict[str, Any]) -> None:
        self.module = module
        self.model = model
        self.answer = answer
        self._asked = asked

    @property
    def plan(self) -> Optional[Plan]:
        return self.answer.plan

    def train(self, x: Inputs, y: Optional[torch.Tensor] = None, *, steps: int = 1, **options: Any) -> Training:
        """Takes steps on the examples x, y in the plan's RAM, from the module's present parameters; the module then has the new
        ones. options: those of poet.train(), such as optimiser= and learning_rate=."""
        given = _inputs(x)
        data = [one.detach().cpu().numpy() for one in given]
        if y is not None:
            data.append(y.detach().cpu().numpy())
        present = to_model(self.module, [one[: self.model.batch_size] for one in given])
        trained = train(present, data=data, steps=steps, **{**self._asked, **options})
        if trained.feasible:
            _take(self.module, trained.parameters)
        return trained

    def __str__(self) -> str:
        return str(self.answer)

    def __repr__(self) -> str:
        return repr(self.answer)

    def _repr_html_(self) -> str:
        return self.answer._repr_html_()


def _take(module: torch.nn.Module, values: Dict[str, np.ndarray]) -> None:
    """Puts trained values into the module's parameters and buffers of the same name."""
    with torch.no_grad():
        for name, tensor in module.state_dict(keep_vars=True).items():
            if name in values:
                tensor.copy_(torch.from_numpy(values[name]).reshape(tensor.shape))


def plan(module: torch.nn.Module, example_inputs: Inputs, loss: Loss = "cross-entropy", *,
         ram_budget: Union[int, float, str, None] = None, platform: DeviceLike = "laptop", **options: Any) -> TorchPlan:
    """Plans a training step of a module: forward pass, loss, every gradient, and the updates.

    example_inputs: a tensor (N, ...), or one for each argument of forward(): their sizes are those that are planned for.
    loss: torch.nn.CrossEntropyLoss(), MSELoss() or BCEWithLogitsLoss() with their defaults, or their names; None: the module's
        output is the loss.
    ram_budget, platform and options: as in poet.solve(); ram_budget None is the device's RAM.
    """
    model = to_model(module, example_inputs)
    asked = {"loss": loss_name(loss), "ram_budget": ram_budget, "platform": platform, **options}
    return TorchPlan(module, model, solve(model, **asked), asked)
