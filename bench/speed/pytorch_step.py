#!/usr/bin/python3
"""Steps of training with PyTorch (Debian: python3-torch), on random examples, timed; one line of JSON.

    pytorch_step.py resnet18|bert-base --threads N --steps N [--segments N]

The networks, batches and optimisers are those that run.py gives poet, dropout included. With --segments activations are kept
at so many places only and computed again (torch.utils.checkpoint.checkpoint_sequential).
"""
import argparse
import json
import math
import resource
import sys
import time
from pathlib import Path

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint_sequential

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
sys.dont_write_bytecode = True

from network_goldens.convolutional import ResNet18  # noqa: E402
from network_goldens.transformers import Bert, BertLayer, heads_of  # noqa: E402

DROPPED = 0.1


class DroppingLayer(BertLayer):
    """A layer of BERT as it is trained."""

    def forward(self, x):
        query, key, value = [heads_of(layer(x), self.heads) for layer in (self.query, self.key, self.value)]
        scores = torch.softmax(query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1]), -1)
        y = (nn.functional.dropout(scores, DROPPED) @ value).transpose(1, 2).flatten(2)
        x = self.attention_norm(x + nn.functional.dropout(self.project(y), DROPPED))
        y = self.narrow(nn.functional.gelu(self.widen(x)))
        return self.output_norm(x + nn.functional.dropout(y, DROPPED))


class Embeddings(nn.Module):
    def __init__(self, bert):
        super().__init__()
        self.bert = [bert]  # not a part: the parts are the network's

    def forward(self, tokens):
        bert = self.bert[0]
        places = bert.places(bert.position_ids[:, : tokens.shape[1]])
        return nn.functional.dropout(bert.norm(bert.words(tokens) + bert.types(torch.zeros_like(tokens)) + places), DROPPED)


class Head(nn.Module):
    def __init__(self, bert):
        super().__init__()
        self.bert = [bert]

    def forward(self, x):
        pooled = torch.tanh(self.bert[0].pooler(x[:, 0]))
        return self.bert[0].classifier(nn.functional.dropout(pooled, DROPPED))


def bert_base():
    network = Bert(30522, 512, 768, 12, 12, 2)
    network.layers = nn.ModuleList(DroppingLayer(768, 12) for _ in range(12))
    for table in (network.words, network.places, network.types):
        table.weight.requires_grad = False
    parts = [Embeddings(network), *network.layers, Head(network)]
    optimiser = torch.optim.AdamW([p for p in network.parameters() if p.requires_grad], 1e-4)
    return network, parts, optimiser, torch.randint(0, 30522, (8, 128)), torch.randint(0, 2, (8,))


class Pool(nn.Module):
    def forward(self, x):
        return torch.flatten(nn.functional.adaptive_avg_pool2d(x, 1), 1)


def resnet18():
    network = ResNet18("cifar", 10)
    blocks = [block for level in range(1, 5) for block in getattr(network, f"layer{level}")]
    parts = [nn.Sequential(network.conv1, network.bn1, network.relu), *blocks, nn.Sequential(Pool(), network.fc)]
    optimiser = torch.optim.SGD(network.parameters(), 0.01, momentum=0.9)
    return network, parts, optimiser, torch.randn(32, 3, 32, 32), torch.randint(0, 10, (32,))


def output_of(parts, segments, x):
    if segments == 1:
        return nn.Sequential(*parts)(x)
    # What comes first makes activations of the examples: they are what a checkpoint keeps.
    return checkpoint_sequential(parts[1:], segments, parts[0](x), preserve_rng_state=True)


def now_bytes():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("network", choices=["resnet18", "bert-base"])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--segments", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    empty_bytes = now_bytes()
    network, parts, optimiser, x, labels = {"resnet18": resnet18, "bert-base": bert_base}[options.network]()
    network.train()
    seconds = []
    for _ in range(options.steps):
        begin = time.monotonic()
        optimiser.zero_grad()
        nn.functional.cross_entropy(output_of(parts, options.segments, x), labels).backward()
        optimiser.step()
        seconds.append(time.monotonic() - begin)
    peak_bytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({"step_s": seconds, "peak_rss_bytes": peak_bytes, "empty_rss_bytes": empty_bytes}))


if __name__ == "__main__":
    main()
