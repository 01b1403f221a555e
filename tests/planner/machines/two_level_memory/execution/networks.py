"""Networks and orders drawn by hypothesis, and the slowest way to run them."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from planner.model.network import ACTIVATIONS, Network
from planner.model.network_building import network_of


@st.composite
def networks(draw: st.DrawFn) -> Network:
    """DAGs with connections that skip layers, parallel ones, constants, outputs that are read, every activation."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    count = draw(st.integers(2, 24))
    pairs = [(a, b) for b in range(1, count) for a in range(b)]
    chosen = rng.choice(len(pairs), int(rng.integers(1, 1 + min(len(pairs), 4 * count))))
    source, target = np.array(pairs)[chosen].T
    connected, computed = np.unique(np.concatenate([source, target])), np.unique(target)
    inputs = np.setdiff1d(connected, computed)
    fed = inputs[rng.random(len(inputs)) < 0.8]
    results = computed[(rng.random(len(computed)) < 0.3) | ~np.isin(computed, source)]
    return network_of(
        "drawn",
        source,
        target,
        rng.normal(size=len(source)),
        rng.normal(size=count),
        activation=rng.integers(0, len(ACTIVATIONS), count),
        inputs=fed,
        feature=rng.integers(0, len(fed) + 2, len(fed)),
        features=len(fed) + 2,
        outputs=rng.permutation(results),
    )


def some_order(network: Network, seed: int) -> NDArray[np.int32]:
    """An order in which every neuron is complete before it is read, at random."""
    rng = np.random.default_rng(seed)
    missing = network.in_degree.copy()
    left = list(range(network.connection_count))
    order = []
    while left:
        ready = [e for e in left if missing[network.source[e]] == 0]
        e = ready[int(rng.integers(len(ready)))]
        order.append(e)
        left.remove(e)
        missing[network.target[e]] -= 1
    return np.array(order, np.int32)


def activated(value: float, name: str) -> float:
    """An activation of one number, by the book."""
    return {
        "identity": lambda x: x,
        "relu": lambda x: max(x, 0.0),
        "tanh": math.tanh,
        "sigmoid": lambda x: 1.0 / (1.0 + math.exp(-x)),
        "gelu": lambda x: 0.5 * x * (1.0 + math.erf(x / math.sqrt(2.0))),
    }[name](value)


def by_hand(network: Network, batch: NDArray[np.float32]) -> NDArray[np.float64]:
    """The outputs (float64[S, B]), one connection of one sample at a time."""
    columns = dict(zip(network.inputs.tolist(), network.feature.tolist(), strict=True))
    out = np.empty((len(network.outputs), batch.shape[1]))
    for sample in range(batch.shape[1]):
        value: dict[int, float] = {}
        for neuron in np.argsort(network.rank).tolist():
            if columns.get(neuron, -1) >= 0:
                value[neuron] = float(batch[columns[neuron], sample])
                continue
            total = float(network.bias[neuron])
            for e in np.flatnonzero(network.target == neuron):
                total += float(network.weight[e]) * value[int(network.source[e])]
            value[neuron] = activated(total, ACTIVATIONS[network.activation[neuron]])
        out[:, sample] = [value[neuron] for neuron in network.outputs.tolist()]
    return out
