"""The transformers behind two ONNX files of `sample_models/`; see `make_torch_models.py`.

Each follows the shape of a well-known network (sizes are in the class docstrings) and is written for export:
every size except the batch is a plain number, so that the exported graph holds operators and no shape arithmetic.
They are never trained: only names, sizes and topology reach the files.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional


def merge_heads(values: Tensor, length: int, width: int) -> Tensor:
    """(batch, heads, length, width / heads) -> (batch, length, width)."""
    return values.permute(0, 2, 1, 3).reshape(-1, length, width)


class SelfAttention(nn.Module):
    """Separate query, key and value projections; the additive mask comes from outside."""

    def __init__(self, width: int, heads: int, length: int) -> None:
        super().__init__()
        self.width, self.heads, self.length = width, heads, length
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.output = nn.Linear(width, width)

    def forward(self, hidden: Tensor, mask: Tensor) -> Tensor:
        query = self.query(hidden).reshape(-1, self.length, self.heads, self.width // self.heads)
        key = self.key(hidden).reshape(-1, self.length, self.heads, self.width // self.heads)
        value = self.value(hidden).reshape(-1, self.length, self.heads, self.width // self.heads)
        scores = torch.matmul(query.permute(0, 2, 1, 3), key.permute(0, 2, 3, 1))
        scores = scores / math.sqrt(self.width // self.heads) + mask
        mixed = torch.matmul(torch.softmax(scores, dim=-1), value.permute(0, 2, 1, 3))
        return self.output(merge_heads(mixed, self.length, self.width))


class EncoderLayer(nn.Module):
    """Attention and feed-forward, each followed by residual addition and normalisation."""

    def __init__(self, width: int, heads: int, inner: int, length: int) -> None:
        super().__init__()
        self.attention = SelfAttention(width, heads, length)
        self.attention_norm = nn.LayerNorm(width, eps=1e-12)
        self.intermediate = nn.Linear(width, inner)
        self.output = nn.Linear(inner, width)
        self.output_norm = nn.LayerNorm(width, eps=1e-12)

    def forward(self, hidden: Tensor, mask: Tensor) -> Tensor:
        hidden = self.attention_norm(hidden + self.attention(hidden, mask))
        return self.output_norm(hidden + self.output(functional.gelu(self.intermediate(hidden))))


class Embeddings(nn.Module):
    """Sum of word, position and segment embeddings, normalised."""

    def __init__(self, words: int, positions: int, width: int, length: int) -> None:
        super().__init__()
        self.length = length
        self.word = nn.Embedding(words, width)
        self.position = nn.Embedding(positions, width)
        self.token_type = nn.Embedding(2, width)
        self.norm = nn.LayerNorm(width, eps=1e-12)

    def forward(self, input_ids: Tensor, token_type_ids: Tensor) -> Tensor:
        positions = self.position(torch.arange(self.length))
        return self.norm(self.word(input_ids) + self.token_type(token_type_ids) + positions)


class EncoderStack(nn.Module):
    """The layers, one after the other, under the scope `/encoder/layer.N`."""

    def __init__(self, layers: int, width: int, heads: int, inner: int, length: int) -> None:
        super().__init__()
        self.layer = nn.ModuleList([EncoderLayer(width, heads, inner, length) for _ in range(layers)])

    def forward(self, hidden: Tensor, mask: Tensor) -> Tensor:
        for layer in self.layer:
            hidden = layer(hidden, mask)
        return hidden


class TransformerEncoder(nn.Module):
    """A transformer encoder of BERT-base's size: 12 layers, width 768, 12 heads, 30,522 words."""

    def __init__(self, length: int = 128, layers: int = 12, width: int = 768, heads: int = 12) -> None:
        super().__init__()
        self.embeddings = Embeddings(30_522, 512, width, length)
        self.encoder = EncoderStack(layers, width, heads, 4 * width, length)
        self.pooler = nn.Linear(width, width)

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor
    ) -> tuple[Tensor, Tensor]:
        # One tensor feeds every layer: hidden positions get a large negative score.
        mask = (1.0 - attention_mask.float())[:, None, None, :] * -10_000.0
        hidden = self.encoder(self.embeddings(input_ids, token_type_ids), mask)
        return hidden, torch.tanh(self.pooler(hidden[:, 0]))


class Projection(nn.Module):
    """A linear map whose weight is stored (in, out), so that no transposition is exported."""

    def __init__(self, width_in: int, width_out: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(width_in, width_out))
        self.bias = nn.Parameter(torch.zeros(width_out))

    def forward(self, values: Tensor) -> Tensor:
        return torch.matmul(values, self.weight) + self.bias


class CausalAttention(nn.Module):
    """One projection gives query, key and value, told apart by a Split; `visible` comes from outside."""

    def __init__(self, width: int, heads: int, length: int) -> None:
        super().__init__()
        self.width, self.heads, self.length = width, heads, length
        self.c_attn = Projection(width, 3 * width)
        self.c_proj = Projection(width, width)

    def forward(self, hidden: Tensor, visible: Tensor) -> Tensor:
        shape = (-1, self.length, self.heads, self.width // self.heads)
        query, key, value = self.c_attn(hidden).split([self.width] * 3, dim=2)
        query = query.reshape(shape).permute(0, 2, 1, 3)
        key = key.reshape(shape).permute(0, 2, 3, 1)
        value = value.reshape(shape).permute(0, 2, 1, 3)
        scores = torch.matmul(query, key) / math.sqrt(self.width // self.heads)
        scores = torch.where(visible, scores, torch.tensor(-1e9))
        mixed = torch.matmul(torch.softmax(scores, dim=-1), value)
        return self.c_proj(merge_heads(mixed, self.length, self.width))


class FeedForward(nn.Module):
    """Two projections with a GELU (tanh form) between them."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.c_fc = Projection(width, 4 * width)
        self.c_proj = Projection(4 * width, width)

    def forward(self, hidden: Tensor) -> Tensor:
        return self.c_proj(functional.gelu(self.c_fc(hidden), approximate="tanh"))


class DecoderLayer(nn.Module):
    """Normalisation comes before attention and feed-forward."""

    def __init__(self, width: int, heads: int, length: int) -> None:
        super().__init__()
        self.ln_1 = nn.LayerNorm(width)
        self.attn = CausalAttention(width, heads, length)
        self.ln_2 = nn.LayerNorm(width)
        self.mlp = FeedForward(width)

    def forward(self, hidden: Tensor, visible: Tensor) -> Tensor:
        hidden = hidden + self.attn(self.ln_1(hidden), visible)
        return hidden + self.mlp(self.ln_2(hidden))


class TransformerDecoder(nn.Module):
    """A decoder of GPT-2-small's size: 12 layers, width 768, 50,257 tokens, head tied to the embedding."""

    def __init__(self, length: int = 256, layers: int = 12, width: int = 768, heads: int = 12) -> None:
        super().__init__()
        self.length = length
        self.wte = nn.Embedding(50_257, width)
        self.wpe = nn.Embedding(1024, width)
        self.register_buffer("position", torch.arange(length))
        self.h = nn.ModuleList([DecoderLayer(width, heads, length) for _ in range(layers)])
        self.ln_f = nn.LayerNorm(width)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        causal = self.position[None, :] <= self.position[:, None]  # a constant, which a reader may fold
        visible = torch.logical_and(causal[None, None, :, :], attention_mask[:, None, None, :].bool())
        hidden = self.wte(input_ids) + self.wpe(self.position)
        for layer in self.h:
            hidden = layer(hidden, visible)
        return torch.matmul(self.ln_f(hidden), self.wte.weight.t())
