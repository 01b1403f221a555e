"""How often the values of a component must come to fast memory at least, by stretches of an order (Hong and Kung's argument).

A *stay* of a source or of a target lasts from the connection that needs it there to where it leaves memory; its first connection is its *arrival*. A connection belongs to the
later one of the two arrivals of its ends' stays. During B arrivals at most C + B values are in memory at all, C of them from before, so at most as many connections belong to
these arrivals as so many values can have among them; and each arrival meets C - 1 values at most.
"""

from __future__ import annotations

import numpy as np

from planner.machines.two_level_memory.partition.densest import MARGIN, Densest
from planner.machines.two_level_memory.partition.halves import Floats
from planner.model.network import Longs

LENGTHS = 300
"""How many lengths of stretches are tried."""


class Stays:
    """Lower bounds on the number of stays, for the weight of the connections that they serve.

    ``lengths`` int64[b]: lengths B of stretches, ascending. ``served`` float64[b]: the most weight that belongs to B arrivals;
    ``begun`` float64[b]: the most that belongs to the first C + B arrivals of all.
    """

    def __init__(self, densest: Densest, weights: Floats, places: int) -> None:
        """``places``: C, the values of neurons that memory holds; ``weights`` float64[n, m]: the matrix of ``densest``."""
        n, m = weights.shape
        self.places = places
        most = max(1, n + m - places)
        self.lengths: Longs = np.unique(np.rint(np.geomspace(1, most, LENGTHS)).astype(np.int64))
        touched = np.array([_most_among(densest, places + int(b)) for b in (0, *self.lengths)])
        each = _most_met(weights, places - 1)
        # A stretch serves no more than a longer one can.
        touched = np.minimum.accumulate(touched[::-1])[::-1]
        self.served: Floats = np.minimum(touched[1:], each * self.lengths)
        self.begun: Floats = np.minimum(touched[1:], touched[0] + each * self.lengths)

    def least(self, weight: Floats) -> Longs:
        """The fewest stays with which connections of a total ``weight`` (float64[k]) can be served, int64[k]."""
        weight = weight[:, None] * (1 - MARGIN)
        plain = self._after(weight)
        rest = weight - self.begun
        begun = np.where(rest > 0, self.places + self.lengths + self._after(np.maximum(rest, 0.0)), 0)
        return np.asarray(np.maximum(plain, begun).max(axis=1))

    def _after(self, weight: Floats) -> Longs:
        """Arrivals for ``weight`` (float64[k, 1] or [k, b]) in stretches of each length and a last one that may be shorter, int64[k, b]."""
        full = np.maximum(np.ceil(weight / self.served) - 1, 0)
        rest = weight - full * self.served
        # As long as the longest that is known to serve less, and one more.
        shorter = np.searchsorted(self.served, rest)
        last = np.where(rest > 0, np.concatenate([[0], self.lengths])[shorter] + 1, 0)
        return (full * self.lengths + last).astype(np.int64)


def _most_among(densest: Densest, values: int) -> float:
    """The most weight among ``values`` sources and targets together."""
    y = np.arange(min(densest.m, values) + 1)
    return float(densest.among(np.minimum(densest.n, values - y), y).max())


def _most_met(weights: Floats, others: int) -> float:
    """The most weight that one source or target has with ``others`` on the other side."""
    found = 0.0
    for side in (weights, np.ascontiguousarray(weights.T)):
        first = max(0, side.shape[1] - others)
        found = max(found, float(np.partition(side, first, axis=1)[:, first:].sum(axis=1).max()))
    return found
