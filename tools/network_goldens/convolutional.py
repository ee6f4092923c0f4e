"""Convolutional networks in the manner of the published ones: ResNet-18 (He et al., CVPR 2016), MobileNetV2 (Sandler et
al., CVPR 2018) and U-Net (Ronneberger et al., MICCAI 2015)."""

import torch
from torch import nn


def convolution(inputs, outputs, kernel, stride=1, groups=1):
    return nn.Conv2d(inputs, outputs, kernel, stride, padding=kernel // 2, groups=groups, bias=False)


class ResidualBlock(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1 = convolution(inputs, outputs, 3, stride)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = convolution(outputs, outputs, 3)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.relu1 = nn.ReLU()
        self.relu2 = nn.ReLU()
        self.downsample = None
        if stride != 1 or inputs != outputs:
            self.downsample = nn.Sequential(convolution(inputs, outputs, 1, stride), nn.BatchNorm2d(outputs))

    def forward(self, x):
        y = self.relu1(self.bn1(self.conv1(x)))
        y = self.bn2(self.conv2(y))
        return self.relu2(y + (x if self.downsample is None else self.downsample(x)))


class ResNet18(nn.Module):
    """`stem` is "imagenet" (7 x 7 with stride 2 and a pool) or "cifar" (3 x 3)."""

    def __init__(self, stem, classes):
        super().__init__()
        self.conv1 = convolution(3, 64, 7, 2) if stem == "imagenet" else convolution(3, 64, 3)
        self.bn1 = nn.BatchNorm2d(64)
        self.relu = nn.ReLU()
        self.pool = nn.MaxPool2d(3, 2, padding=1) if stem == "imagenet" else None
        widths = (64, 64, 128, 256, 512)
        for level in range(1, 5):
            blocks = [ResidualBlock(widths[level - 1], widths[level], 1 if level == 1 else 2),
                      ResidualBlock(widths[level], widths[level], 1)]
            setattr(self, f"layer{level}", nn.Sequential(*blocks))
        self.fc = nn.Linear(512, classes)

    def forward(self, x):
        x = self.relu(self.bn1(self.conv1(x)))
        if self.pool is not None:
            x = self.pool(x)
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(torch.flatten(nn.functional.adaptive_avg_pool2d(x, 1), 1))


def norm_and_clip(inputs, outputs, kernel, stride=1, groups=1):
    return [convolution(inputs, outputs, kernel, stride, groups), nn.BatchNorm2d(outputs), nn.ReLU6()]


class InvertedResidual(nn.Module):
    def __init__(self, inputs, outputs, stride, factor):
        super().__init__()
        hidden = inputs * factor
        widen = norm_and_clip(inputs, hidden, 1) if factor != 1 else []
        self.conv = nn.Sequential(*widen, *norm_and_clip(hidden, hidden, 3, stride, groups=hidden),
                                  convolution(hidden, outputs, 1), nn.BatchNorm2d(outputs))
        self.adds = stride == 1 and inputs == outputs

    def forward(self, x):
        return x + self.conv(x) if self.adds else self.conv(x)


class MobileNetV2(nn.Module):
    # factor, channels, blocks, stride of the first: table 2 of the paper
    ROWS = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1))

    def __init__(self, classes):
        super().__init__()
        layers, channels = norm_and_clip(3, 32, 3, 2), 32
        for factor, outputs, blocks, stride in self.ROWS:
            for block in range(blocks):
                layers.append(InvertedResidual(channels, outputs, stride if block == 0 else 1, factor))
                channels = outputs
        self.features = nn.Sequential(*layers, *norm_and_clip(channels, 1280, 1))
        self.classifier = nn.Linear(1280, classes)

    def forward(self, x):
        return self.classifier(self.features(x).mean([2, 3]))


class TwoConvolutions(nn.Sequential):
    def __init__(self, inputs, outputs):
        super().__init__(convolution(inputs, outputs, 3), nn.BatchNorm2d(outputs), nn.ReLU(),
                         convolution(outputs, outputs, 3), nn.BatchNorm2d(outputs), nn.ReLU())


class UNet(nn.Module):
    """`levels` down and up again, beginning with `width` channels; padded convolutions, so that sizes agree, and batch
    norms, as today's versions have them. The paper has 4 levels and 64 channels."""

    def __init__(self, width, levels, classes):
        super().__init__()
        widths = [width << level for level in range(levels + 1)]
        self.first = TwoConvolutions(3, width)
        self.down = nn.ModuleList(TwoConvolutions(widths[k], widths[k + 1]) for k in range(levels))
        self.up = nn.ModuleList(nn.ConvTranspose2d(widths[k + 1], widths[k], 2, 2) for k in reversed(range(levels)))
        self.join = nn.ModuleList(TwoConvolutions(2 * widths[k], widths[k]) for k in reversed(range(levels)))
        self.last = nn.Conv2d(width, classes, 1)

    def forward(self, x):
        kept = [self.first(x)]
        for down in self.down:
            kept.append(down(nn.functional.max_pool2d(kept[-1], 2)))
        x = kept.pop()
        for up, join in zip(self.up, self.join):
            x = join(torch.cat([kept.pop(), up(x)], 1))
        return self.last(x)
