"""A lower bound by shares: some accelerator has an equal share of the work, and so costs as much as the cheapest set that has it.

The cheapest set of ops with so much work, its transfers paid, is found by a tree of minimum cuts; devices need not be contiguous.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator
from itertools import count
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planner.evaluation import kernels
from planner.machines.pool.max_load.cuts import FREE, IN, OUT, ROOM, Cuts
from planner.methods.units import Units
from planner.model.graph import Bools, Floats

MARGIN = 1e-9
"""The share of a bound that rounding may have added."""
LINES = 30
"""Most cuts for one node: the best multiplier is nearly always found before."""


class Block(NamedTuple):
    """A set of units (bool[m]), its work, and what it costs: work and transfers."""

    chosen: Bools
    work: float
    cost: float


class Share:
    """Rising bounds on the cost of every plan that is better than ``objective``, for pools that add work and transfers.

    Proof: in such a plan CPUs do no more of the work than fits into ``objective`` at their speed. Some accelerator does an equal share of the rest at least; it pays its work and, once, each tensor that only some of its
    units touch (received where the producer is elsewhere, sent where a consumer is).

    For a multiplier l >= 0 a set S with work of at least ``need`` costs l (need - work(S)) + work(S) + transfers(S) at least, and the least of that over all sets is a minimum cut. The best l is where a set with too little work and
    one with enough cost the same. Where they differ a unit is fixed in one of them, and then in the other.
    """

    def __init__(self, units: Units, objective: float) -> None:
        e = units.problem.evaluator
        fast, slow = np.flatnonzero(e.pays), np.flatnonzero(~e.pays)
        self.goal = objective
        self.need = 0.0
        serves = (
            len(fast) > 0 and e.objective_code == kernels.MAX_COST and e.communication == kernels.SUM
        ) and (math.isfinite(objective) or not len(slow))
        if not serves:
            return
        able = units.allowed[:, fast].any(axis=1)
        self.work: Floats = np.where(able, units.work[e.class_of[fast]].sum(axis=2).min(axis=0), 0.0)
        held = (
            _held(self.work, units.work[e.class_of[slow]].sum(axis=2).min(axis=0), objective * len(slow))
            if len(slow)
            else 0.0
        )
        self.need = (float(self.work.sum()) - held) / len(fast)
        self._fixed: NDArray[np.int8] = np.where(able, FREE, OUT).astype(np.int8)
        everything = float(self.work.sum() + units.tensor_time.sum())
        self._cuts = Cuts(units, ROOM / everything) if everything > 0 else None

    def bounds(self, most: int) -> Iterator[float]:
        """What is proven after each node of the tree, of ``most`` at most; ends where no more can be."""
        if self.need <= 0.0 or self._cuts is None:
            return
        numbers = count()
        cheapest = self.goal
        bound, low, high = self._node(self._fixed)
        open_nodes = [(bound, next(numbers), self._fixed, low, high)]
        for _ in range(most):
            if not open_nodes or open_nodes[0][0] >= cheapest:
                yield cheapest * (1 - MARGIN)
                return
            bound, _, fixed, low, high = heapq.heappop(open_nodes)
            yield bound * (1 - MARGIN)
            apart = np.flatnonzero((fixed == FREE) & (low.chosen != high.chosen))
            if not len(apart):
                # All units are fixed, or those that are not change nothing: no set costs less than this one.
                cheapest = min(cheapest, high.cost)
                continue
            unit = apart[np.argmax(self.work[apart])]
            for side in (IN, OUT):
                following = fixed.copy()
                following[unit] = side
                value, low, high = self._node(following)
                if high.work >= self.need:
                    cheapest = min(cheapest, high.cost)
                if value < cheapest:
                    heapq.heappush(open_nodes, (max(bound, value), next(numbers), following, low, high))

    def cost(self, chosen: Bools) -> float:
        """What an accelerator with a set of units (bool[m]) pays."""
        paid = 0.0 if self._cuts is None else self._cuts.paid(chosen)
        return float(self.work[chosen].sum()) + paid

    def _block(self, chosen: Bools) -> Block:
        return Block(chosen, float(self.work[chosen].sum()), self.cost(chosen))

    def _node(self, fixed: NDArray[np.int8]) -> tuple[float, Block, Block]:
        """(a bound, a set with too little work, one with enough) where some units are fixed; infinite where no set has enough."""
        assert self._cuts is not None
        low, high = self._block(fixed == IN), self._block(fixed != OUT)
        if high.work < self.need * (1 - MARGIN):
            return math.inf, low, high
        if low.work >= self.need:
            value, chosen = self._cuts.cheapest(self.work, fixed)
            found = self._block(chosen)
            return value, found, found
        best = 0.0
        for _ in range(LINES):
            multiplier = max(0.0, (high.cost - low.cost) / (high.work - low.work))
            value, chosen = self._cuts.cheapest((1.0 - multiplier) * self.work, fixed)
            best = max(best, value + multiplier * self.need)
            crossing = low.cost + multiplier * (self.need - low.work)
            found = self._block(chosen)
            if value + multiplier * self.need >= crossing - MARGIN * abs(crossing) or found.work in (
                low.work,
                high.work,
            ):
                break
            low, high = (low, found) if found.work >= self.need else (found, high)
        return best, low, high


def _held(work: Floats, slow_work: Floats, room: float) -> float:
    """The most of ``work`` (float64[m]) that CPUs hold within ``room``, at ``slow_work`` (float64[m]), units divided at will."""
    free = slow_work <= 0
    held = float(work[free].sum())
    rest = np.flatnonzero(~free & np.isfinite(slow_work))
    rest = rest[np.argsort(-work[rest] / slow_work[rest], kind="stable")]
    taken = np.minimum(
        slow_work[rest], np.maximum(0.0, room * (1 + MARGIN) - np.cumsum(slow_work[rest]) + slow_work[rest])
    )
    return held + float((work[rest] * (taken / slow_work[rest])).sum())
