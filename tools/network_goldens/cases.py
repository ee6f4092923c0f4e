"""Which networks are exported, how, and what they are fed with."""

from dataclasses import dataclass
from typing import Callable

import torch
from torch import nn
from torch.nn.utils.fusion import fuse_conv_bn_eval

from network_goldens import convolutional, transformers


@dataclass
class Export:
    """How a file is made. `training`: as a network that is trained; `norms_kept`: for inference, but batch norms stay;
    `inference`: as torch.onnx.export() does by itself, which folds batch norms into convolutions and transposed weights
    into constants; `inference_unfolded`: the same without folding."""

    build: Callable[[], nn.Module]
    how: str
    opset: int
    shape: tuple  # of the input
    vocabulary: int = 0  # 0: the input is pictures


@dataclass
class Case:
    """One training step. `batch_norms` is how POET imports them, and PyTorch calculates them."""

    export: str
    labels: tuple
    classes: int
    batch_norms: str = "by_batch"


def folded(network):
    """What an inference export makes of a convolution and its batch norm, as a network."""
    network.eval()
    for parent in network.modules():
        last = None
        for name, child in parent.named_children():
            if isinstance(child, nn.BatchNorm2d) and isinstance(last, nn.Conv2d):
                setattr(parent, last_name, fuse_conv_bn_eval(last, child))
                setattr(parent, name, nn.Identity())
            last, last_name = child, name
    return network


def resnet18_cifar():
    return convolutional.ResNet18("cifar", 10)


def resnet18_imagenet():
    return convolutional.ResNet18("imagenet", 1000)


def mobilenetv2():
    return convolutional.MobileNetV2(1000)


def unet():
    return convolutional.UNet(width=16, levels=4, classes=3)


def bert_tiny():
    return transformers.Bert(vocabulary=30522, positions=512, width=128, layers=2, heads=2, classes=2)


def gpt2_tiny():
    return transformers.Gpt2(vocabulary=50257, positions=64, width=128, layers=2, heads=2)


EXPORTS = {
    "resnet18_cifar_training": Export(resnet18_cifar, "training", 15, (2, 3, 32, 32)),
    "resnet18_cifar_norms_kept": Export(resnet18_cifar, "norms_kept", 13, (2, 3, 32, 32)),
    "resnet18_imagenet_training": Export(resnet18_imagenet, "training", 13, (2, 3, 64, 64)),
    "resnet18_imagenet_inference": Export(lambda: folded(resnet18_imagenet()), "inference", 11, (2, 3, 64, 64)),
    "mobilenetv2_training": Export(mobilenetv2, "training", 14, (6, 3, 64, 64)),
    "mobilenetv2_inference": Export(lambda: folded(mobilenetv2()), "inference", 12, (2, 3, 64, 64)),
    "unet_training": Export(unet, "training", 17, (2, 3, 32, 32)),
    "unet_norms_kept": Export(unet, "norms_kept", 9, (2, 3, 32, 32)),
    "bert_tiny_training": Export(bert_tiny, "training", 14, (2, 16), 30522),
    "bert_tiny_inference": Export(bert_tiny, "inference", 17, (2, 16), 30522),
    "gpt2_tiny_training": Export(gpt2_tiny, "training", 17, (2, 12), 50257),
    "gpt2_tiny_inference": Export(gpt2_tiny, "inference_unfolded", 13, (2, 12), 50257),
}

CASES = {
    "resnet18_cifar_training": Case("resnet18_cifar_training", (2,), 10),
    "resnet18_cifar_norms_kept": Case("resnet18_cifar_norms_kept", (2,), 10),
    "resnet18_cifar_norms_frozen": Case("resnet18_cifar_norms_kept", (2,), 10, "frozen"),
    "resnet18_imagenet_training": Case("resnet18_imagenet_training", (2,), 1000),
    "resnet18_imagenet_inference": Case("resnet18_imagenet_inference", (2,), 1000),
    "mobilenetv2_training": Case("mobilenetv2_training", (6,), 1000),
    "mobilenetv2_inference": Case("mobilenetv2_inference", (2,), 1000),
    "unet_training": Case("unet_training", (2, 32, 32), 3),
    "unet_norms_frozen": Case("unet_norms_kept", (2, 32, 32), 3, "frozen"),
    "bert_tiny_training": Case("bert_tiny_training", (2,), 2),
    "bert_tiny_inference": Case("bert_tiny_inference", (2,), 2),
    "gpt2_tiny_training": Case("gpt2_tiny_training", (2, 12), 50257),
    "gpt2_tiny_inference": Case("gpt2_tiny_inference", (2, 12), 50257),
}
