"""Where the neurons and connections of a network are drawn: the places of neurons in their layers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.model.graph import Ints
from planner.model.network import Network

Rect = tuple[float, float, float, float]
"""Left, top, width, height."""


@dataclass(frozen=True, eq=False)
class Arrangement:
    """The neurons in groups (layers, or all in one), each group in a row.

    ``group`` and ``place`` (int32[N]) say where each neuron is; ``members`` (int32[N]) lists the neurons group by group in
    their places, ``starts`` (int64[G + 1]) where each group begins in it.
    """

    group: Ints
    place: Ints
    members: Ints
    starts: np.ndarray

    @property
    def groups(self) -> int:
        """G."""
        return len(self.starts) - 1

    def size(self, group: int) -> int:
        """Neurons in a group."""
        return int(self.starts[group + 1] - self.starts[group])

    def neurons(self, group: int) -> Ints:
        """The neurons of a group in their places."""
        return self.members[self.starts[group] : self.starts[group + 1]]


def arrangement(network: Network, first: Ints | None = None, *, whole: bool = False) -> Arrangement:
    """Places by layer and number; with ``first`` (int32[N]) by first use within each layer.

    ``whole`` makes one group of all neurons: by layer, or, with ``first``, by first use alone.
    """
    neurons = network.neuron_count
    layer = _dense(network.layer)
    group = np.zeros(neurons, np.int32) if whole else layer
    number = np.arange(neurons)
    if first is None:
        members = np.lexsort((number, layer))
    elif whole:
        members = np.lexsort((number, layer, first))
    else:
        members = np.lexsort((number, first, layer))
    starts = np.zeros(int(group.max()) + 2, np.int64)
    starts[1:] = np.cumsum(np.bincount(group))
    place = np.empty(neurons, np.int32)
    place[members] = np.arange(neurons, dtype=np.int32)
    place -= starts[group].astype(np.int32)
    return Arrangement(group, place, members.astype(np.int32), starts)


def _dense(layer: Ints) -> Ints:
    """Layers numbered without gaps."""
    used = np.bincount(layer) > 0
    return (np.cumsum(used) - 1)[layer].astype(np.int32)


def first_use(network: Network, order: Ints) -> Ints:
    """The position at which each neuron is first an end of a connection: int32[N]."""
    first = np.full(network.neuron_count, len(order), np.int32)
    backwards = order[::-1]
    when = np.arange(len(order) - 1, -1, -1, dtype=np.int32)
    # Of repeated neurons the last assignment counts, which is that of the smallest position.
    first[network.source[backwards]] = when
    into = np.full(network.neuron_count, len(order), np.int32)
    into[network.target[backwards]] = when
    return np.minimum(first, into)
