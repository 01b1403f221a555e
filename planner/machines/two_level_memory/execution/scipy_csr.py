"""Layer by layer with scipy's sparse matrices (CSR), in 32 bits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from planner.machines.two_level_memory.execution.activations import finish
from planner.machines.two_level_memory.execution.layers import Layers
from planner.model.network import Singles


class ScipyCsr:
    """One product of a sparse matrix and a dense one per layer, by one thread, then biases and activations in place."""

    def __init__(self, layers: Layers) -> None:
        from scipy.sparse import csr_array

        self._layers = layers
        self._matrices = [
            csr_array((one.weights, one.columns, one.offsets), (one.size, one.high - one.low))
            for one in layers.layers
        ]
        self._last = layers.last

    def run(self, batch: Singles) -> Singles:
        """The outputs (float32[S, B]) for a batch (float32[features, B])."""
        parts = [self._layers.start(batch)]
        for layer, matrix in zip(self._layers.layers, self._matrices, strict=True):
            rows = matrix @ _rows(parts, self._layers.starts, layer.low, layer.high)
            finish(rows, layer.bias, layer.activation)
            parts.append(rows)
        if self._last:
            return parts[-1]
        return np.asarray(np.concatenate(parts)[self._layers.outputs])


def _rows(parts: Sequence[Singles], starts: Sequence[int], low: int, high: int) -> Singles:
    """Rows of consecutive layers; no copy where they are those of one."""
    chosen = [
        part for part, begin, end in zip(parts, starts, starts[1:], strict=False) if begin >= low and end <= high
    ]  # fmt: skip
    return chosen[0] if len(chosen) == 1 else np.concatenate(chosen)
