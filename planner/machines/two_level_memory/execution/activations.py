"""Activations as numba applies them to rows of floats in place."""

from __future__ import annotations

import math

import numpy as np

from planner.compiling.kernel import njit
from planner.model.network import ACTIVATIONS

IDENTITY, RELU, TANH, SIGMOID, GELU = (
    ACTIVATIONS.index(name) for name in ("identity", "relu", "tanh", "sigmoid", "gelu")
)
_ZERO, _HALF, _ONE, _ROOT = np.float32(0.0), np.float32(0.5), np.float32(1.0), np.float32(math.sqrt(0.5))


@njit(cache=True, nogil=True)
def activate(row, code):
    """Apply an activation to a row (float32[B]) in place."""
    if code == RELU:
        for i in range(len(row)):
            row[i] = _ZERO if row[i] < _ZERO else row[i]  # what is not a number stays so
    elif code == TANH:
        for i in range(len(row)):
            row[i] = math.tanh(row[i])
    elif code == SIGMOID:
        for i in range(len(row)):
            # exp of what is not positive: nothing overflows.
            e = np.float32(math.exp(-abs(row[i])))
            row[i] = _ONE / (_ONE + e) if row[i] >= 0 else e / (_ONE + e)
    elif code == GELU:
        for i in range(len(row)):
            row[i] = _HALF * row[i] * (_ONE + np.float32(math.erf(row[i] * _ROOT)))


@njit(cache=True, nogil=True)
def finish(rows, bias, activation):
    """Add biases (float32[n]) to rows (float32[n, B]) and apply their activations (uint8[n]), in place."""
    for r in range(len(rows)):
        row, code, b = rows[r], activation[r], bias[r]
        if code == RELU:
            for i in range(len(row)):
                value = row[i] + b
                row[i] = _ZERO if value < _ZERO else value  # what is not a number stays so
        else:
            for i in range(len(row)):
                row[i] += b
            activate(row, code)
