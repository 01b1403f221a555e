"""A lower bound by shares: some accelerator has an equal share of the ops' prices, and so costs as much as the cheapest set that has it.

The cheapest set of ops with so high a price, its transfers paid, is found by a tree of minimum cuts; devices need not be contiguous.
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
LEAST = 1e-250
"""What costs no more in all is free: whole numbers that tell it apart would be too large."""
LINES = 30
"""Most cuts for one node: the best multiplier is nearly always found before."""


class Block(NamedTuple):
    """A set of units (bool[m]), its price, and what it costs: work and transfers."""

    chosen: Bools
    price: float
    cost: float


class Share:
    """Rising bounds on the cost of every plan that is better than some cost, for pools that add work and transfers.

    Proof: in such a plan CPUs hold no more of the prices than fits into that cost at their speed. Some accelerator has an equal share of the rest at least; it pays its work and, once, each tensor that only some of its
    units touch (received where the producer is elsewhere, sent where a consumer is).

    For a multiplier l >= 0 a set S with a price of at least ``need`` costs l (need - price(S)) + work(S) + transfers(S) at least, and the least of that over all sets is a minimum cut. The best l is where a set with too low a price and
    one with enough cost the same. Where they differ a unit is fixed in one of them, and then in the other.

    ``work`` and ``slow_work`` float64[m]: on accelerators and on CPUs; ``able`` bool[m]: who may be on an accelerator. ``seen``: sets with enough that the tree came by.
    """

    def __init__(self, units: Units) -> None:
        e = units.problem.evaluator
        fast, slow = np.flatnonzero(e.pays), np.flatnonzero(~e.pays)
        self.fast, self.slow = len(fast), len(slow)
        self.serves = (
            len(fast) > 0
            and units.count > 0
            and e.objective_code == kernels.MAX_COST
            and e.communication == kernels.SUM
        )
        if not self.serves:
            return
        self.able = units.allowed[:, fast].any(axis=1)
        self.work: Floats = np.where(self.able, units.work[e.class_of[fast]].sum(axis=2).min(axis=0), 0.0)
        self.slow_work: Floats = (
            units.work[e.class_of[slow]].sum(axis=2).min(axis=0)
            if len(slow)
            else np.full(units.count, np.inf)
        )
        self.seen: list[Block] = []
        self._fixed: NDArray[np.int8] = np.where(self.able, FREE, OUT).astype(np.int8)
        everything = float(self.work.sum() + units.tensor_time.sum())
        self._cuts = Cuts(units, ROOM / everything if everything > LEAST else 1.0)
        self.price, self.need = self.work, 0.0

    def set_prices(self, price: Floats, below: float) -> None:
        """Ask for the cheapest set with an equal share of ``price`` (float64[m] >= 0, 0 where not ``able``), in plans that cost less than ``below``."""
        self.price = price
        self.need = (float(price.sum()) - self.held(price, below)) / self.fast

    def held(self, price: Floats, below: float) -> float:
        """The most of ``price`` (float64[m]) that all CPUs hold in plans that cost less than ``below``, units divided at will."""
        if not self.slow:
            return 0.0
        if not math.isfinite(below):
            return float(price[np.isfinite(self.slow_work)].sum())
        room = below * self.slow * (1 + MARGIN)
        free = self.slow_work <= 0
        rest = np.flatnonzero(~free & np.isfinite(self.slow_work))
        rest = rest[np.argsort(-price[rest] / self.slow_work[rest], kind="stable")]
        time = self.slow_work[rest]
        taken = np.clip(room - (np.cumsum(time) - time), 0.0, time)
        return float(price[free].sum() + (price[rest] * (taken / time)).sum())

    def bounds(self, most: int, goal: float) -> Iterator[float]:
        """What is proven after each node of the tree, of ``most`` at most and up to ``goal``; ends where no more can be."""
        if self.need <= 0.0:
            return
        numbers = count()
        cheapest = goal
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
            unit = apart[np.argmax(self.price[apart])]
            for side in (IN, OUT):
                following = fixed.copy()
                following[unit] = side
                value, low, high = self._node(following)
                if high.price >= self.need:
                    cheapest = min(cheapest, high.cost)
                if value < cheapest:
                    heapq.heappush(open_nodes, (max(bound, value), next(numbers), following, low, high))

    def cost(self, chosen: Bools) -> float:
        """What an accelerator with a set of units (bool[m]) pays."""
        return float(self.work[chosen].sum()) + self._cuts.paid(chosen)

    def _block(self, chosen: Bools) -> Block:
        block = Block(chosen, float(self.price[chosen].sum()), self.cost(chosen))
        if block.price >= self.need:
            self.seen.append(block)
        return block

    def _node(self, fixed: NDArray[np.int8]) -> tuple[float, Block, Block]:
        """(a bound, a set with too low a price, one with enough) where some units are fixed; infinite where no set has enough."""
        low, high = self._block(fixed == IN), self._block(fixed != OUT)
        if high.price < self.need * (1 - MARGIN):
            return math.inf, low, high
        if low.price >= self.need:
            value, chosen = self._cuts.cheapest(self.work, fixed)
            found = self._block(chosen)
            return value, found, found
        best = 0.0
        for _ in range(LINES):
            multiplier = max(0.0, (high.cost - low.cost) / max(high.price - low.price, 1e-300))
            value, chosen = self._cuts.cheapest(self.work - multiplier * self.price, fixed)
            value += multiplier * self.need
            best = max(best, value)
            crossing = low.cost + multiplier * (self.need - low.price)
            found = self._block(chosen)
            if value >= crossing - MARGIN * abs(crossing) or found.price in (low.price, high.price):
                break
            low, high = (low, found) if found.price >= self.need else (found, high)
        return best, low, high
