"""The nearest plan that cuts one order of a multi-chip module into chips that fit their memory.

The first orders follow the given plan chip by chip. A dynamic program cuts one so that the fewest ops are elsewhere than they were, where
each chip holds what it runs and no dependency jumps over a chip, which keeps the triangle rule; it is exact for the
order under that condition. Memory is that of running the units in the order; the chips' own schedule may need more.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import numpy as np

from planner.compiling.kernel import njit
from planner.machines.mcm.evaluator import McmEvaluator
from planner.machines.mcm.search.orders import McmOrders
from planner.machines.mcm.search.units import McmUnits, mcm_units
from planner.methods.repair.labelling import FORBIDDEN, Longs
from planner.methods.repair.measure import Measure
from planner.model.graph import Floats, Ints

MOST_STEPS = 20_000_000
"""Larger programs are left out: some 20 ms."""


class McmSlices:
    """Cuts orders, at the prices of ``measure``."""

    def __init__(self, measure: Measure) -> None:
        self._units: McmUnits = mcm_units(measure.problem)
        self._evaluator = cast(McmEvaluator, measure.problem.evaluator)
        u, e = self._units, self._evaluator
        self._costs: Longs = np.zeros((u.count, e.k), np.int64)
        np.add.at(self._costs, u.unit_of, np.where(e.allowed, measure.costs, FORBIDDEN))
        self._orders = McmOrders(u)
        self._given = measure.given

    def orders(self, wanted: Ints) -> Iterator[Ints]:
        """Topological orders of the units (int32[m]): by the chips of ``wanted`` (int32[n]), by those given, and by rule."""
        u = self._units
        for device_of in (wanted, self._given):
            keys = np.zeros(u.count)
            keys[u.unit_of] = device_of
            yield self._orders.order(keys + np.arange(u.count) / (2.0 * max(u.count, 1)))
        yield from self._orders.by_rule()

    def nearest(self, order: Ints, room: float) -> Ints | None:
        """The device of each op (int32[n]) with at most ``room`` bytes on a chip, or None where no cut of the order fits."""
        u, target = self._units, self._evaluator.target
        if u.count**2 > MOST_STEPS:
            return None
        place = np.empty(u.count, np.int32)
        place[order] = np.arange(u.count, dtype=np.int32)
        first, last = extents(
            order, place, room, not target.triangle, u.params, u.size, u.carried, u.producer, u.reader_ptr, u.reader_idx,
            u.out_ptr, u.out_idx, u.in_ptr, u.in_idx, u.succ_ptr, u.succ_idx,
        )  # fmt: skip
        if int((last - first + 1).clip(0).sum()) * self._evaluator.k > MOST_STEPS:
            return None
        prices = np.zeros((u.count + 1, self._evaluator.k), np.int64)
        np.cumsum(np.minimum(self._costs[order], FORBIDDEN), axis=0, out=prices[1:])
        chip = slices(prices, first, last, not target.no_skip and not target.every_chip, target.every_chip)
        if chip[0] < 0:
            return None
        found = np.empty(u.count, np.int32)
        found[order] = chip
        return u.spread(found)


@njit(cache=True, nogil=True)
def extents(
    order, place, room, jumps, params, size, carried, producer, reader_ptr, reader_idx, out_ptr, out_idx, in_ptr, in_idx,
    succ_ptr, succ_idx,
):  # fmt: skip
    """First and last unit that a chip may end with which begins with each unit of the order (int32[m] each).

    Last: before it holds more than ``room``. First: not before all that depends on what came earlier, unless dependencies
    may jump over a chip (``jumps``).
    """
    m = len(order)
    first = np.empty(m, np.int32)
    last = np.empty(m, np.int32)
    reader = np.full(len(producer), -1, np.int32)
    for i in range(len(producer)):
        for e in range(reader_ptr[i], reader_ptr[i + 1]):
            reader[i] = max(reader[i], place[reader_idx[e]])
    stamp = np.full(len(producer), -1, np.int32)
    reach = -1
    for s in range(m):
        first[s] = s if jumps else max(s, reach)
        u = order[s]
        for e in range(succ_ptr[u], succ_ptr[u + 1]):
            reach = max(reach, place[succ_idx[e]])
        held = 0.0
        live = 0.0
        peak = 0.0
        last[s] = s - 1
        for q in range(s, m):
            u = order[q]
            held += params[u]
            for e in range(in_ptr[u], in_ptr[u + 1]):
                i = in_idx[e]
                if place[producer[i]] < s and stamp[i] != s:
                    stamp[i] = s
                    held += size[i] + carried[i]
            for e in range(out_ptr[u], out_ptr[u + 1]):
                live += size[out_idx[e]]
            peak = max(peak, live)
            if held + peak > room:
                break
            last[s] = q
            for e in range(in_ptr[u], in_ptr[u + 1]):
                i = in_idx[e]
                if reader[i] == q and place[producer[i]] >= s:
                    live -= size[i]
    return first, last


@njit(cache=True, nogil=True)
def slices(prices, first, last, skips, every):
    """The chip of each place of the order (int32[m]; -1 throughout: no cut fits) for the least sum of prices.

    ``prices`` int64[m + 1, k]: summed over the places before; a chip that begins at place s ends between ``first[s]`` and
    ``last[s]``, or with the order. ``skips``: chips may stay empty in front of others; ``every``: none may at all.
    """
    m, k = prices.shape[0] - 1, prices.shape[1]
    least = np.full((m + 1, k + 1), np.int64(1) << 60)
    back = np.full((m + 1, k + 1), -1, np.int32)
    least[0, 0] = 0
    limit = np.int64(1) << 50
    for s in range(m):
        for c in range(k):
            if skips and least[s, c] < least[s, c + 1]:
                least[s, c + 1] = least[s, c]
                back[s, c + 1] = s
            now = least[s, c]
            if now >= limit:
                continue
            for q in range(s, last[s] + 1):
                if q < first[s] and q < m - 1:
                    continue
                total = now + prices[q + 1, c] - prices[s, c]
                if total < least[q + 1, c + 1]:
                    least[q + 1, c + 1] = total
                    back[q + 1, c + 1] = s
    chip = np.full(m, -1, np.int32)
    used = k
    if not every:
        for c in range(k + 1):
            if least[m, c] < least[m, used]:
                used = c
    if least[m, used] >= limit:
        return chip
    end, c = m, used
    while c > 0:
        begin = back[end, c]
        chip[begin:end] = c - 1
        end, c = begin, c - 1
    return chip


def rooms(capacity: Floats) -> list[float]:
    """The least ``capacity`` of a chip (float64[k], bytes), and shares of it that leave the chips' own schedule some slack."""
    least = float(capacity.min(initial=np.inf))
    return [least * share for share in (1.0, 0.97, 0.92, 0.85, 0.75)]
