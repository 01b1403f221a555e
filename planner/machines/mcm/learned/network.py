"""The network of the learned policy, in NumPy: embeddings of ops by GraphSAGE, a head for placements and one for starts.

MCM paper, section 4.1 and 5.1: 8 GraphSAGE layers of width 128 (Hamilton, Ying and Leskovec, 2017; means over what an op reads
from and over what reads from it apart) and two layers of the same width on top. Chips have no weights of their own: the head
gives each op the weights of features of (op, chip) pairs, so that one network serves any count of chips. All float32.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from planner.machines.mcm.learned.features import (
    OP_FEATURES,
    PAIR_FEATURES,
    STATE_FEATURES,
    Features,
    Singles,
)
from planner.machines.mcm.learned.starts import CHOICES

LAYERS, WIDTH = 8, 128
EPSILON = np.float32(1e-6)
KEEP, NEAR, ORDERED = 6.0, 1.0, 3.0
"""First weights of staying on a chip, of going to a near one, and of going where the order of the chips is kept."""

Weights = dict[str, Singles]

SHAPES: dict[str, tuple[int, ...]] = {
    "in.weight": (OP_FEATURES, WIDTH),
    "in.bias": (WIDTH,),
    **{
        f"layer{i}.{part}": shape
        for i in range(LAYERS)
        for part, shape in (
            ("own", (WIDTH, WIDTH)), ("before", (WIDTH, WIDTH)), ("after", (WIDTH, WIDTH)), ("bias", (WIDTH,)),
        )
    },
    "head.embedding": (WIDTH, WIDTH),
    "head.state": (STATE_FEATURES, WIDTH),
    "head.bias": (WIDTH,),
    "head.hidden": (WIDTH, WIDTH),
    "head.hidden_bias": (WIDTH,),
    "head.out": (WIDTH, PAIR_FEATURES),
    "head.out_bias": (PAIR_FEATURES,),
    "start.hidden": (WIDTH, WIDTH),
    "start.bias": (WIDTH,),
    "start.out": (WIDTH, sum(CHOICES)),
    "start.out_bias": (sum(CHOICES),),
}  # fmt: skip
"""The arrays of the network by name."""
HEADS = tuple(name for name in SHAPES if name.startswith(("head.", "start.")))


def random_weights(seed: int) -> Weights:
    """The weights that training and searches from scratch begin with (He, Zhang, Ren and Sun, 2015).

    What is on a chip stays there with high probability at first: a start is a plan already, and independent changes of many ops are not.
    """
    rng = np.random.default_rng(seed)
    found: Weights = {}
    for name, shape in SHAPES.items():
        if len(shape) == 1:
            found[name] = np.zeros(shape, np.float32)
            continue
        scale = math.sqrt(2.0 / shape[0])
        if name.startswith("layer"):
            scale *= 0.5  # three products are added up, and eight layers
        if name.endswith(".out"):
            scale *= 0.1
        found[name] = (scale * rng.standard_normal(shape)).astype(np.float32)
    found["head.out_bias"][[0, 3, 4, 5, 7]] = KEEP, NEAR, ORDERED, ORDERED, ORDERED
    return found


def normalised(x: Singles) -> Singles:
    """Rows (float32[n, d]) scaled to a mean square of 1."""
    found: Singles = x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + EPSILON)
    return found


def embedded(weights: Weights, features: Features) -> Singles:
    """The embedding of each op (float32[n, 128])."""
    w = weights
    h = np.maximum(features.ops @ w["in.weight"] + w["in.bias"], 0)
    for i in range(LAYERS):
        x = normalised(h)
        y = x @ w[f"layer{i}.own"] + w[f"layer{i}.bias"]
        y += (features.before @ x) @ w[f"layer{i}.before"]
        y += (features.after @ x) @ w[f"layer{i}.after"]
        h = h + np.maximum(y, 0)
    return normalised(h)


class Heads:
    """Both heads over given embeddings (float32[n, 128]): scores, and the gradients of a loss by hand.

    ``weights`` are looked at anew by every call, so that they may be changed in between.
    """

    def __init__(self, weights: Weights, embedding: Singles) -> None:
        self.weights, self.embedding = weights, embedding

    # ------------------------------------------------------------------ starts
    def start_scores(self) -> Singles:
        """Scores of all that a start is chosen from, one after another (float32[18])."""
        w = self.weights
        hidden = np.maximum(self.embedding.mean(axis=0) @ w["start.hidden"] + w["start.bias"], 0)
        found: Singles = hidden @ w["start.out"] + w["start.out_bias"]
        return found

    def start_gradients(self, slope: Singles, into: Weights) -> Singles:
        """Add what a loss with ``slope`` (float32[18]) by the scores changes with the weights; by the embedding (float32[n, 128])."""
        w, n = self.weights, len(self.embedding)
        mean = self.embedding.mean(axis=0)
        hidden = np.maximum(mean @ w["start.hidden"] + w["start.bias"], 0)
        into["start.out"] += np.outer(hidden, slope)
        into["start.out_bias"] += slope
        back = (w["start.out"] @ slope) * (hidden > 0)
        into["start.hidden"] += np.outer(mean, back)
        into["start.bias"] += back
        return np.broadcast_to((w["start.hidden"] @ back) / n, self.embedding.shape)

    # ------------------------------------------------------------------ placements
    def common(self) -> Singles:
        """What every placement's scores begin with (float32[n, 128])."""
        w = self.weights
        found: Singles = self.embedding @ w["head.embedding"] + w["head.bias"]
        return found

    def scores(self, common: Singles, state: Singles, pairs: Singles, barred: Singles) -> tuple[Singles, Any]:
        """Scores of chips (float32[.., n, k]) after placements' states (float32[.., n, 10] and [.., n, k, 12]).

        Also what :meth:`gradients` needs.
        """
        w = self.weights
        first = np.maximum(common + state @ w["head.state"], 0)
        second = np.maximum(first @ w["head.hidden"] + w["head.hidden_bias"], 0)
        out = second @ w["head.out"] + w["head.out_bias"]
        scores: Singles = (pairs @ out[..., None])[..., 0] + barred
        return scores, (first, second)

    def gradients(self, slope: Singles, state: Singles, pairs: Singles, kept: Any, into: Weights) -> Singles:
        """Add what a loss with ``slope`` (float32[b, n, k]) by the scores changes with the weights; by the embedding (float32[n, 128])."""
        w = self.weights
        first, second = kept
        out = (slope[..., None, :] @ pairs)[..., 0, :]
        into["head.out"] += _products(second, out)
        into["head.out_bias"] += out.sum(axis=(0, 1))
        back = (out @ w["head.out"].T) * (second > 0)
        into["head.hidden"] += _products(first, back)
        into["head.hidden_bias"] += back.sum(axis=(0, 1))
        back = (back @ w["head.hidden"].T) * (first > 0)
        into["head.state"] += _products(state, back)
        whole = back.sum(axis=0)
        into["head.bias"] += whole.sum(axis=0)
        into["head.embedding"] += self.embedding.T @ whole
        found: Singles = whole @ w["head.embedding"].T
        return found


def _products(left: Singles, right: Singles) -> Singles:
    """Sum of outer products of rows (float32[b, n, x] and [b, n, y] to [x, y])."""
    found: Singles = left.reshape(-1, left.shape[-1]).T @ right.reshape(-1, right.shape[-1])
    return found


def log_softmax(scores: Singles) -> Singles:
    """Logarithms of probabilities along the last axis, of scores float32[.., k]."""
    low = scores - scores.max(axis=-1, keepdims=True)
    found: Singles = low - np.log(np.exp(low).sum(axis=-1, keepdims=True))
    return found
