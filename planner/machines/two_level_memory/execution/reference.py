"""What must come out: the network in double precision, and how far 32-bit sums in any order can be from it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.machines.two_level_memory.execution.layers import Layers, layers_of
from planner.model.graph import Floats
from planner.model.network import ACTIVATIONS, Network, Singles

UNIT = 2.0**-24
"""Half the distance of 1 to the next 32-bit number: the relative error of one rounding."""
SLOPE = {"identity": 1.0, "relu": 1.0, "tanh": 1.0, "sigmoid": 0.25, "gelu": 1.13}
"""The most that each activation changes per change of its argument."""
ROUNDINGS = 8.0
"""Roundings within an activation, each relative to the larger of its argument and 1."""


@dataclass(frozen=True, eq=False)
class Reference:
    """Outputs (float64[S, B]) and the error that 32-bit arithmetic may have at each (float64[S, B])."""

    values: Floats
    tolerance: Floats

    def excess(self, outputs: Singles) -> float:
        """The largest error of outputs (float32[S, B]) over what it may be; above 1 they are wrong. NaN counts as wrong."""
        error = np.abs(outputs - self.values)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(error == 0, 0.0, error / self.tolerance)
        return float(np.where(np.isnan(share), np.inf, share).max(initial=0.0))


def reference(network: Network, batch: Singles, layers: Layers | None = None) -> Reference:
    """The outputs for a batch (float32[features, B]), by scipy's sparse matrices in double precision.

    The tolerance is a running error bound: a sum of k products, in any order and with or without fused operations, is within
    (k + 1) u / (1 - (k + 1) u) of the sum of their magnitudes, u = 2^-24 (Higham, Accuracy and Stability of Numerical
    Algorithms, section 3.1); errors of what is read come in by the magnitudes of weights, and activations scale them by their slope.
    """
    from scipy.sparse import csr_array

    layers = layers or layers_of(network)
    given = layers.start(batch).astype(np.float64)
    values = np.empty((layers.starts[-1], batch.shape[1]))
    errors = np.zeros_like(values)
    values[: len(given)] = given
    # Constants went through an activation in 32 bits, the reference's own included.
    errors[len(batch) : len(given)] = ROUNDINGS * UNIT * np.maximum(np.abs(given[len(batch) :]), 1.0)
    for layer, begin, end in zip(layers.layers, layers.starts[1:-1], layers.starts[2:], strict=True):
        shape = (layer.size, layer.high - layer.low)
        weights = layer.weights.astype(np.float64)
        matrix = csr_array((weights, layer.columns, layer.offsets), shape)
        sizes = csr_array((np.abs(weights), layer.columns, layer.offsets), shape)
        read, wrong = values[layer.low : layer.high], errors[layer.low : layer.high]
        bias = layer.bias.astype(np.float64)[:, None]
        sums = matrix @ read + bias
        most = sizes @ (np.abs(read) + wrong) + np.abs(bias)
        terms = (np.diff(layer.offsets) + 2.0)[:, None] * UNIT
        error = sizes @ wrong + terms / (1.0 - terms) * most
        for code in np.unique(layer.activation):
            rows = layer.activation == code
            name = ACTIVATIONS[code]
            values[begin:end][rows] = _activated(sums[rows], name)
            rounding = (
                0.0
                if name in ("identity", "relu")
                else ROUNDINGS * UNIT * np.maximum(np.abs(sums[rows]), 1.0)
            )
            errors[begin:end][rows] = SLOPE[name] * error[rows] + rounding
    rows = layers.outputs
    # Denormal results are flushed by some arithmetic units.
    return Reference(values[rows], errors[rows] + np.finfo(np.float32).tiny)


def _activated(sums: Floats, name: str) -> Floats:
    from scipy.special import erf, expit

    if name == "relu":
        return np.maximum(sums, 0.0)
    if name == "tanh":
        return np.tanh(sums)
    if name == "sigmoid":
        return np.asarray(expit(sums))
    if name == "gelu":
        return np.asarray(0.5 * sums * (1.0 + erf(sums * np.sqrt(0.5))))
    return sums
