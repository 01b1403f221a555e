"""The two lives of a neuron: as a target while its sum grows, then as a source. Networks fall into components of such halves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.model.graph import Bools, Ints
from planner.model.network import Longs, Network

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Component:
    """Sources and targets that connections join, apart from all others: n of them as sources, m as targets.

    ``source`` and ``target`` int32[w]: the ends of each connection, as numbers of sources and of targets. ``twice`` bool[n]: sources that are
    computed and are no outputs, so that whoever reads them again must have written them.
    """

    source: Ints
    target: Ints
    twice: Bools

    @property
    def sources(self) -> int:
        """n, how many neurons are read."""
        return len(self.twice)

    @property
    def targets(self) -> int:
        """m, how many sums are computed."""
        return int(self.target.max()) + 1

    def matrix(self) -> Floats:
        """How many connections join each source with each target, float64[n, m]."""
        counts = np.zeros((self.sources, self.targets))
        np.add.at(counts, (self.source, self.target), 1.0)
        return counts


def components(network: Network) -> Iterator[Component]:
    """All components of a network, each connection in one of them; in layered networks one or more for each two layers that follow each other."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = network.neuron_count
    ends = network.source, network.target + n
    links = coo_array((np.ones(network.connection_count, np.int8), ends), shape=(2 * n, 2 * n))
    _, label = connected_components(links, directed=False)
    of = label[network.source]
    order = np.argsort(of, kind="stable")
    twice = ~network.is_input & ~network.is_output
    for some in np.split(order, np.flatnonzero(np.diff(of[order])) + 1):
        who, source = np.unique(network.source[some], return_inverse=True)
        _, target = np.unique(network.target[some], return_inverse=True)
        yield Component(source.astype(np.int32), target.astype(np.int32), twice[who])


def degrees(ends: Ints, count: int) -> Longs:
    """How many connections (``ends`` int32[w], numbers below ``count``) have each end, int64[count]."""
    return np.bincount(ends, minlength=count)
