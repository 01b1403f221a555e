"""Random sparse multilayer perceptrons, as appendix A-A of the paper on I/O-efficient sparse inference makes them.

``depth`` layers of ``width`` neurons, the first of which takes the inputs, then the outputs. Each neuron that is no output draws how many
connections leave it, uniform in 1..max(1, ceil(2 p n - 1)) with p the density and n the size of the next layer, and
connects to that many different neurons there. So a share of p of the possible connections is expected, and with
one output it reads the whole last layer. Above a density of one half a draw may exceed n; it then counts as n. A
hidden neuron that nothing connects to is a constant. Connections are ordered by the neuron they lead into, as in the proof of
Theorem 1. The paper gives no weights: ours are N(0, 2 / in-degree), biases N(0, 0.01).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from planner.generate.sizes import check_size
from planner.generate.weights import drawn
from planner.model.network_building import network_of
from planner.options import Option, parse_options

if TYPE_CHECKING:
    from planner.model.network import Network

NAME = "mlp"
WHAT = "a random sparse multilayer perceptron (appendix A-A)"
OPTIONS: tuple[Option, ...] = (
    Option("width", 500, "neurons per layer", low=1, high=100_000),
    Option("depth", 4, "layers before the outputs", low=1, high=1_000),
    Option("density", 0.1, "share of the possible connections that is expected", low=1e-6, high=1.0),
    Option("outputs", 1, "output neurons", low=1, high=100_000),
)


def generate(seed: int, settings: Mapping[str, Any] | None = None) -> Network:
    """The network of a seed (>= 0). Raises :class:`planner.errors.PlannerRefusal` on unknown or bad settings."""
    values = parse_options(OPTIONS, settings or {}, NAME)
    width, depth, p = values["width"], values["depth"], values["density"]
    rng = np.random.default_rng(seed)
    sizes = [width] * depth + [values["outputs"]]
    check_size(
        NAME, sum(n * _mean(following, p) for n, following in pairwise(sizes)), "width, depth or density"
    )
    starts = np.concatenate([[0], np.cumsum(sizes)])
    sources, targets = [], []
    for i in range(depth):
        rows, columns = _between(sizes[i], sizes[i + 1], p, rng)
        sources.append(rows + starts[i])
        targets.append(columns + starts[i + 1])
    source, target = np.concatenate(sources), np.concatenate(targets)
    weight, bias = drawn(target, int(starts[-1]), width, rng)
    outputs = np.arange(starts[-2], starts[-1])
    activation = np.where(np.arange(starts[-1]) < starts[-2], "relu", "identity")
    return network_of(
        f"{NAME} {width} x {depth}, {100 * p:g} %, seed {seed}",
        source,
        target,
        weight,
        bias,
        activation=activation,
        inputs=np.arange(width),
        outputs=outputs,
        layer=np.repeat(np.arange(depth + 1), sizes),
    )


def _between(
    n: int, following: int, p: float, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(sources, targets) of the connections from a layer to the next, by target, then source."""
    counts = np.minimum(rng.integers(1, _most(following, p), n, endpoint=True), following)
    columns = np.concatenate([rng.choice(following, int(k), replace=False, shuffle=False) for k in counts])
    rows = np.repeat(np.arange(n), counts)
    order = np.lexsort((rows, columns))
    return rows[order], columns[order]


def _most(following: int, p: float) -> int:
    """The most connections that a neuron draws to the next layer of ``following`` neurons."""
    # 2 * p * n is meant exactly: 0.1 is a little more than a tenth, which must not round up to one more.
    return max(1, math.ceil(round(2 * p * following, 6) - 1))


def _mean(following: int, p: float) -> float:
    """How many connections a neuron has to the next layer on average, about."""
    return min((1 + _most(following, p)) / 2, following)
