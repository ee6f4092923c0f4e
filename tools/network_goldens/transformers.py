"""Transformers in the manner of the published ones, of plain operations: BERT (Devlin et al., NAACL 2019; the tiny size
of Turc et al., 2019) and GPT-2 (Radford et al., 2019). Without dropout: its masks are random, and differ."""

import math

import torch
from torch import nn


def heads_of(x, heads):
    batch, length, width = x.shape
    return x.view(batch, length, heads, width // heads).transpose(1, 2)


def attention(query, key, value, mask=None):
    """Over (N, heads, T, width of a head); positions where `mask` is False are not looked at."""
    scores = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = torch.where(mask, scores, torch.tensor(-1e4, dtype=scores.dtype))
    y = torch.softmax(scores, -1) @ value
    return y.transpose(1, 2).flatten(2)


def gelu_tanh(x):
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * torch.pow(x, 3))))


class BertLayer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.project = nn.Linear(width, width)
        self.attention_norm = nn.LayerNorm(width, eps=1e-12)
        self.widen = nn.Linear(width, 4 * width)
        self.narrow = nn.Linear(4 * width, width)
        self.output_norm = nn.LayerNorm(width, eps=1e-12)

    def forward(self, x):
        parts = [heads_of(layer(x), self.heads) for layer in (self.query, self.key, self.value)]
        x = self.attention_norm(x + self.project(attention(*parts)))
        return self.output_norm(x + self.narrow(nn.functional.gelu(self.widen(x))))


class Bert(nn.Module):
    """An encoder with a pooler and a classifier; every token is of type 0."""

    def __init__(self, vocabulary, positions, width, layers, heads, classes):
        super().__init__()
        self.words = nn.Embedding(vocabulary, width)
        self.places = nn.Embedding(positions, width)
        self.types = nn.Embedding(2, width)
        self.norm = nn.LayerNorm(width, eps=1e-12)
        self.layers = nn.ModuleList(BertLayer(width, heads) for _ in range(layers))
        self.pooler = nn.Linear(width, width)
        self.classifier = nn.Linear(width, classes)
        self.register_buffer("position_ids", torch.arange(positions).unsqueeze(0), persistent=False)

    def forward(self, tokens):
        places = self.position_ids[:, : tokens.shape[1]]
        x = self.norm(self.words(tokens) + self.types(torch.zeros_like(tokens)) + self.places(places))
        for layer in self.layers:
            x = layer(x)
        return self.classifier(torch.tanh(self.pooler(x[:, 0])))


class Gpt2Block(nn.Module):
    def __init__(self, width, heads, positions):
        super().__init__()
        self.heads = heads
        self.ln_1 = nn.LayerNorm(width)
        self.attn = nn.Linear(width, 3 * width)
        self.proj = nn.Linear(width, width)
        self.ln_2 = nn.LayerNorm(width)
        self.fc = nn.Linear(width, 4 * width)
        self.out = nn.Linear(4 * width, width)
        causal = torch.ones(positions, positions, dtype=torch.bool).tril().view(1, 1, positions, positions)
        self.register_buffer("causal", causal, persistent=False)

    def forward(self, x):
        length = x.shape[1]
        parts = [heads_of(part, self.heads) for part in self.attn(self.ln_1(x)).split(x.shape[2], 2)]
        x = x + self.proj(attention(*parts, mask=self.causal[:, :, :length, :length]))
        return x + self.out(gelu_tanh(self.fc(self.ln_2(x))))


class Gpt2(nn.Module):
    """A decoder; the table of words is the last layer's weight, too."""

    def __init__(self, vocabulary, positions, width, layers, heads):
        super().__init__()
        self.wte = nn.Embedding(vocabulary, width)
        self.wpe = nn.Embedding(positions, width)
        self.h = nn.ModuleList(Gpt2Block(width, heads, positions) for _ in range(layers))
        self.ln_f = nn.LayerNorm(width)

    def forward(self, tokens):
        x = self.wte(tokens) + self.wpe(torch.arange(tokens.shape[1]))
        for block in self.h:
            x = block(x)
        return nn.functional.linear(self.ln_f(x), self.wte.weight)
