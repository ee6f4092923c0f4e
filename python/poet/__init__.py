"""Training neural networks in the memory that a device has: with the least energy, and with a proof.

    import poet
    answer = poet.solve(model="resnet18_cifar", platform="m4", ram_budget="30%way", runtime_budget=1.5)
    answer.plan.verify()

solve, minimum, compare, sweep, explain, worth ask; Model, NetworkBuilder and Device say about what; Plan is what comes out; train
runs it. poet.torch plans and trains PyTorch modules. Sizes are bytes, times seconds, energies joules.
"""

from poet._poet import Error
from poet._poet import __version__ as __version__
from poet.answer import Answer
from poet.device import Device, devices
from poet.model import Model, NetworkBuilder, models
from poet.plan import Layout, Plan, Verification
from poet.questions import Comparison, Least, Sweep, compare, explain, minimum, sweep
from poet.solve import PlanAnswer, Solution, solve
from poet.training import Training, read_checkpoint, train
from poet.worth import Worth, worth

__all__ = [
    "Answer", "Comparison", "Device", "Error", "Layout", "Least", "Model", "NetworkBuilder", "Plan", "PlanAnswer", "Solution",
    "Sweep", "Training", "Verification", "Worth", "compare", "devices", "explain", "minimum", "models", "read_checkpoint",
    "solve", "sweep", "train", "worth",
]
