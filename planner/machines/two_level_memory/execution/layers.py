"""A network as matrices, one per layer: what libraries for sparse matrices compute with, and what a result is checked against."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from planner.machines.two_level_memory.execution.program import constant_values
from planner.model.network import Codes, Longs, Network, Singles


@dataclass(frozen=True, eq=False)
class Layer:
    """The neurons of one layer, and the weights from all rows ``low`` to ``high`` that any of them reads, by rows (CSR).

    ``offsets`` int32[n + 1], ``columns`` int32 (counted from ``low``, ascending), ``weights`` float32; ``bias`` float32[n],
    ``activation`` uint8[n]. Parallel connections stay apart.
    """

    low: int
    high: int
    offsets: NDArray[np.int32]
    columns: NDArray[np.int32]
    weights: Singles
    bias: Singles
    activation: Codes

    @property
    def size(self) -> int:
        """n, the number of neurons in the layer."""
        return len(self.bias)


@dataclass(frozen=True, eq=False)
class Layers:
    """All layers of a network. Rows: the columns of the batch, constants of the first layer, then neurons layer by layer.

    A constant in a later layer is a neuron there that reads nothing. ``starts``: where the rows of each layer begin, 0 that
    of the batch, and their number. ``constants`` (float32[K]) are the values of the rows behind the batch. ``outputs``: the row of each output (int64[S]).
    """

    network: Network
    starts: tuple[int, ...]
    layers: tuple[Layer, ...]
    constants: Singles
    outputs: Longs

    @property
    def last(self) -> bool:
        """Whether the outputs are the last layer as it stands."""
        begin, end = self.starts[-2:]
        return len(self.outputs) == end - begin and bool((self.outputs == np.arange(begin, end)).all())

    def start(self, batch: Singles) -> Singles:
        """The first rows for a batch (float32[features, B]): itself, where there are no constants beside it."""
        if not len(self.constants):
            return batch
        rows = np.empty((self.starts[1], batch.shape[1]), np.float32)
        rows[: len(batch)] = batch
        rows[len(batch) :] = self.constants[:, None]
        return rows


def layers_of(network: Network) -> Layers:
    """The matrices of a network. A layer that skips some reads all rows of the first to the last layer that it needs."""
    n = network.neuron_count
    fed = network.inputs[network.feature >= 0]
    constants = network.inputs[network.feature < 0]
    beside = network.layer[constants] == 0
    row = np.full(n, -1, np.int64)
    row[fed] = network.feature[: len(fed)]
    row[constants[beside]] = network.features + np.arange(np.count_nonzero(beside))
    first = network.features + int(np.count_nonzero(beside))
    rest = np.flatnonzero(row < 0)
    rest = rest[np.argsort(network.layer[rest], kind="stable")]
    row[rest] = np.arange(first, first + len(rest))
    edges = np.concatenate(([0], np.flatnonzero(np.diff(network.layer[rest])) + 1, [len(rest)]))
    starts = np.concatenate(([0], first + edges))
    into, read = row[network.target], row[network.source]
    ranked = np.lexsort((read, into))
    into, read, weights = into[ranked], read[ranked], network.weight[ranked]
    offsets = np.searchsorted(into, np.arange(first, first + len(rest) + 1))
    layers = []
    for begin, end in pairwise(edges):
        part = offsets[begin : end + 1]
        columns = read[part[0] : part[-1]]
        # Whole layers: the rows of a layer are an array of its own where nothing else is read.
        low = starts[
            np.searchsorted(starts, columns.min(initial=len(columns) and int(starts[-1])), side="right") - 1
        ]
        high = starts[np.searchsorted(starts, columns.max(initial=0) + 1)]
        chosen = rest[begin:end]
        layers.append(
            Layer(
                int(low), int(high), (part - part[0]).astype(np.int32), (columns - low).astype(np.int32),
                weights[part[0] : part[-1]], network.bias[chosen], network.activation[chosen],
            )
        )  # fmt: skip
    return Layers(
        network,
        tuple(int(s) for s in starts),
        tuple(layers),
        constant_values(network)[beside],
        row[network.outputs],
    )
