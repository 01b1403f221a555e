"""A slow, obvious inference of a sparse network: neuron after neuron, from the definition."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from planner.model.network import ACTIVATIONS, Network

FUNCTIONS = {
    "identity": lambda x: x,
    "relu": lambda x: max(x, 0.0),
    "tanh": math.tanh,
    "sigmoid": lambda x: 1 / (1 + math.exp(-x)),
    "gelu": lambda x: 0.5 * x * (1 + math.erf(x / math.sqrt(2))),
}


def run(network: Network, batch: Any) -> np.ndarray:
    """The outputs (float64[samples, S]) for a batch (samples, features)."""
    incoming: dict[int, list[int]] = {}
    for c, v in enumerate(network.target.tolist()):
        incoming.setdefault(v, []).append(c)
    feature = dict(zip(network.inputs.tolist(), network.feature.tolist(), strict=True))
    rows = []
    for sample in np.asarray(batch, np.float64):
        value: dict[int, float] = {}
        for v in np.argsort(network.rank).tolist():
            if feature.get(v, -1) >= 0:
                value[v] = float(sample[feature[v]])
                continue
            total = float(network.bias[v])
            total += sum(
                float(network.weight[c]) * value[int(network.source[c])] for c in incoming.get(v, [])
            )
            value[v] = FUNCTIONS[ACTIVATIONS[network.activation[v]]](total)
        rows.append([value[v] for v in network.outputs.tolist()])
    return np.array(rows)
