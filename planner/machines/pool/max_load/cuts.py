"""Minimum cuts between units: the set of units that costs least, each with a price, the tensors that it cuts paid once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from planner.methods.max_flow import ENDLESS, push_flow
from planner.methods.units import Units
from planner.model.graph import Bools, Floats, csr

FREE, IN, OUT = 0, 1, 2
"""Units that may be in the set or not, must be, and must not be."""
ROOM = 2.0**50
"""What all costs together are in whole numbers: their sums fit, and what is rounded off is next to nothing."""


class Cuts:
    """The network of :mod:`planner.methods.max_flow` for the units of a pool.

    A tensor is paid where the set holds some of the units that touch it and not all. Of two units that is a pair of arcs; of more, an arc between two
    further nodes: the first follows where any of them is in the set, and the second drags all of them in.
    """

    def __init__(self, units: Units, scale: float) -> None:
        """``scale``: what one of the costs' unit is in whole numbers, at most."""
        m = units.count
        self._units, self._scale = units, scale
        unit_of_entry = np.repeat(np.arange(m), np.diff(units.entry_ptr))
        order = np.argsort(units.entry_tensor, kind="stable")
        tensor, unit = units.entry_tensor[order], unit_of_entry[order]
        # Each tensor once for each unit, however many of its ops take it.
        keys = np.unique(tensor.astype(np.int64) * m + unit)
        self._tensor, self._unit = keys // m, keys % m
        tensors = len(units.tensor_time)
        self._touched = np.bincount(self._tensor, minlength=tensors)
        first = np.concatenate([[0], np.cumsum(self._touched)])
        time = np.floor(units.tensor_time * scale).astype(np.int64)
        two = np.flatnonzero(self._touched == 2)
        more = np.flatnonzero(self._touched > 2)
        at = np.full(tensors, -1, np.int64)
        at[more] = m + 2 * np.arange(len(more))
        some = np.flatnonzero(at[self._tensor] >= 0)
        node = at[self._tensor[some]]
        nodes = m + 2 * len(more) + 2
        every = np.arange(m)
        tails = [self._unit[first[two]], at[more], self._unit[some], node + 1]
        heads = [self._unit[first[two] + 1], at[more] + 1, node, self._unit[some]]
        there = [time[two], time[more], np.full(2 * len(some), ENDLESS)]
        self._prices = sum(map(len, tails))
        tail = np.concatenate([*tails, np.full(m, nodes - 2), every])
        head = np.concatenate([*heads, every, np.full(m, nodes - 1)])
        self._cap = np.zeros(2 * len(tail), np.int64)
        self._cap[0 : 2 * self._prices : 2] = np.concatenate(there)
        self._cap[1 : 2 * len(two) : 2] = time[two]
        self._head = np.stack([head, tail], axis=1).ravel().astype(np.int32)
        tail_of = np.stack([tail, head], axis=1).ravel().astype(np.int32)
        self._ptr, self._arcs = csr(tail_of, np.arange(len(tail_of), dtype=np.int32), nodes)
        self._scratch = tuple(np.empty(nodes, np.int32) for _ in range(4))

    def paid(self, chosen: Bools) -> float:
        """The tensors that a set of units (bool[m]) cuts."""
        inside = np.bincount(self._tensor, weights=chosen[self._unit], minlength=len(self._units.tensor_time))
        return float(self._units.tensor_time[(inside > 0) & (inside < self._touched)].sum())

    def cheapest(self, price: Floats, fixed: NDArray[np.int8]) -> tuple[float, Bools]:
        """(no more than it costs, the set as bool[m]) for ``price`` float64[m], also below zero, and ``fixed`` int8[m]."""
        m = self._units.count
        whole = np.floor(price * self._scale).astype(np.int64)
        cap = self._cap.copy()
        gain, cost = np.maximum(0, -whole), np.maximum(0, whole)
        free = fixed == FREE
        cap[2 * self._prices : 2 * (self._prices + m) : 2] = np.where(
            fixed == IN, ENDLESS, np.where(free, gain, 0)
        )
        cap[2 * (self._prices + m) :: 2] = np.where(fixed == OUT, ENDLESS, np.where(free, cost, 0))
        level, *others = self._scratch
        flow = push_flow(self._head, self._ptr, self._arcs, cap, level, *others)
        value = int(flow) - int(gain[free].sum()) + int(whole[fixed == IN].sum())
        return value / self._scale, level[:m] < 0
