"""Five steps of each optimiser, with the parameters after every step and the states after the last."""

import torch

CASES = (
    ("sgd", torch.optim.SGD, {"lr": 0.1, "weight_decay": 0}),
    ("sgd_decay", torch.optim.SGD, {"lr": 0.1, "weight_decay": 0.01}),
    ("momentum", torch.optim.SGD, {"lr": 0.1, "weight_decay": 0, "momentum": 0.9}),
    ("momentum_dampened", torch.optim.SGD, {"lr": 0.1, "weight_decay": 0.01, "momentum": 0.9, "dampening": 0.3}),
    ("momentum_nesterov", torch.optim.SGD, {"lr": 0.05, "weight_decay": 0.01, "momentum": 0.8, "nesterov": True}),
    ("adam", torch.optim.Adam, {"lr": 0.001, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0}),
    ("adam_decay", torch.optim.Adam, {"lr": 0.1, "betas": (0.8, 0.99), "eps": 1e-3, "weight_decay": 0.01}),
    ("adamw", torch.optim.AdamW, {"lr": 0.001, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0.01}),
    ("adamw_plain", torch.optim.AdamW, {"lr": 0.1, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0}),
    ("adamw_decay", torch.optim.AdamW, {"lr": 0.1, "betas": (0.8, 0.99), "eps": 1e-3, "weight_decay": 0.1}),
)


def write_options(golden, name, options):
    golden.real("learning_rate", options["lr"])
    golden.real("weight_decay", options["weight_decay"])
    if "betas" in options:
        golden.real("betas", *options["betas"])
        golden.real("epsilon", options["eps"])
    elif name.startswith("momentum"):
        golden.real("momentum", options["momentum"])
        golden.real("dampening", options.get("dampening", 0))
        golden.whole("nesterov", options.get("nesterov", False))


def write(golden):
    for name, optimiser, options in CASES:
        parameter = golden.random(9)
        golden.case(name)
        write_options(golden, name, options)
        golden.tensor("parameter", parameter)
        stepper = optimiser([parameter], **options)
        for step in range(1, 6):
            parameter.grad = golden.random(9).detach()
            golden.tensor(f"gradient{step}", parameter.grad)
            stepper.step()
            golden.tensor(f"parameter{step}", parameter)
        state = stepper.state[parameter]
        for key, names in (("first", ("momentum_buffer", "exp_avg")), ("second", ("exp_avg_sq",))):
            for found in names:
                if state.get(found) is not None:
                    golden.tensor(key, state[found])
