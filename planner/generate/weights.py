"""Weights and biases for networks that are made up: the structure is what they are about, but they can be run."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def drawn(
    target: NDArray[np.integer], neurons: int, inputs: int, rng: np.random.Generator
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """(weights float32[W], biases float32[neurons]) that neither blow values up nor let them vanish.

    Weights are N(0, 2 / in-degree), biases N(0, 0.01); the first ``inputs`` neurons, which are fed, have none.
    """
    in_degree = np.bincount(target, minlength=neurons)
    weight = rng.standard_normal(len(target)) * np.sqrt(2.0 / in_degree[target])
    bias = 0.1 * rng.standard_normal(neurons)
    bias[:inputs] = 0.0
    return weight.astype(np.float32), bias.astype(np.float32)
