"""Pricing: of all convex blocks those of much price for little cost, exactly, by one pass over a diagram."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from planner.machines.pipeline.blocks.diagram import Diagram
from planner.machines.pipeline.blocks.pricing_kernels import (
    Walk,
    cost_of,
    dive,
    lists,
    most,
    potentials,
    walk_on,
)
from planner.methods.mip.model import unchecked
from planner.methods.mip.scaling import Scale
from planner.model.graph import Bools, Floats

MULTIPLIERS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5)
"""Prices of cost, as shares of one block's price over its cost: any number is valid, these leave short lists."""
PRICE_UNIT = 2.0**-30
"""Prices are whole multiples of it, so that sums of them are exact."""
BEYOND = 2.0**40
"""Whole costs are cut off there, far beyond any limit."""
MOST_LABELS = 12_000_000
LABELS_AT_FIRST = 1 << 20
STATES_PER_CALL = 2_000
STEPS_PER_CALL = 20_000
"""States and steps between two looks at the stop criteria: some ten milliseconds."""


class TooLong(Exception):
    """The lists of a diagram would be longer than there is room for."""


class Pricing:
    """Convex blocks of one diagram whose costs are whole numbers: those of ``work`` (float64[m]) and tensors, rounded down by ``scale``.

    ``check`` is called every few ten milliseconds and may raise.
    """

    def __init__(
        self, diagram: Diagram, work: Floats, scale: Scale, check: Callable[[], None] = unchecked
    ) -> None:
        self.diagram = diagram
        self._check = check
        unit = np.empty(len(diagram.target), np.int32)
        for layer, v in enumerate(diagram.sequence):
            first, last = (
                diagram.arc_ptr[diagram.layer_ptr[layer]],
                diagram.arc_ptr[diagram.layer_ptr[layer + 1]],
            )
            unit[first:last] = v
        self._unit = unit
        cost = diagram.paid + np.where(diagram.taken, work[unit], 0.0)
        self._arc_cost = scale.down(np.minimum(cost, BEYOND / scale.factor))
        states = len(diagram.arc_ptr) - 1
        self._begin, self._end = np.zeros(states, np.int64), np.full(states, -1, np.int64)
        self._reach = np.empty((len(MULTIPLIERS), states))
        self._costs, self._values = np.empty(LABELS_AT_FIRST, np.int32), np.empty(LABELS_AT_FIRST)
        self._width = int(np.diff(diagram.layer_ptr).max()) + 1
        self._price: Floats = np.zeros(len(work))
        self._limit = 0

    def rounded(self, price: Floats) -> Floats:
        """Prices (float64[m]) as whole multiples of a small unit."""
        return np.rint(price / PRICE_UNIT) * PRICE_UNIT

    def run(
        self, price: Floats, limit: int, need: float, typical: float = 1.0
    ) -> tuple[NDArray[np.int32], Floats]:
        """Costs (int32[f], rising) and prices (float64[f], rising) of blocks of cost at most ``limit`` and price at least ``need``.

        The cheapest block of a price is among them. ``price`` float64[m] must be :meth:`rounded`. Raises :class:`TooLong`.
        """
        d = self.diagram
        self._price, self._limit = price, limit
        gain = np.where(d.taken, price[self._unit], 0.0)
        multipliers = np.array(MULTIPLIERS) * (typical / max(limit, 1))
        potentials(d.arc_ptr, d.target, self._arc_cost, gain, multipliers, self._reach)
        self._end[:] = -1
        states, used = len(self._end), 0
        scratch = np.full(limit + 1, -1e300)
        first = states
        # What is left out for ``need`` is left out with some room for the rounding of sums.
        slack = need - 1e-9 * max(1.0, abs(need))
        while first > 0:
            first = max(0, first - STATES_PER_CALL)
            made = -1
            while made < 0:
                made = lists(
                    d.arc_ptr, d.target, self._arc_cost, gain, multipliers, self._reach, limit, slack, self._begin,
                    self._end, self._costs, self._values, first, used, scratch,
                )  # fmt: skip
                if made < 0:
                    self._grow()
                    # The state that was begun is made again, from nothing.
                    done = np.flatnonzero(self._end < 0)
                    used = int(self._begin[done.max()]) if len(done) else used
                    scratch[:] = -1e300
            used = made
            self._check()
        front = slice(int(self._begin[0]), int(self._end[0]))
        costs, values = self._costs[front].copy(), self._values[front].copy()
        kept = values >= need
        return costs[kept], values[kept]

    def _grow(self) -> None:
        if len(self._costs) >= MOST_LABELS:
            raise TooLong
        longer = min(MOST_LABELS, 2 * len(self._costs))
        self._costs = np.resize(self._costs, longer)
        self._values = np.resize(self._values, longer)

    def block(self, need: float, limit: int, wanted: Bools, random: NDArray[np.uint64]) -> Bools | None:
        """A block (bool[m]) of the last run with at least that price and at most that cost, None without one.

        It holds ``wanted`` units (bool[m]) rather than others.
        """
        d = self.diagram
        block = np.zeros(len(self._price), bool)
        found = dive(
            d.arc_ptr, d.target, d.taken, self._arc_cost, d.sequence, self._price, self._begin, self._end, self._costs,
            self._values, limit, need, wanted, random, self._width, block,
        )  # fmt: skip
        return block if found else None

    def all_blocks(self, need: float, limit: int, room: int, steps: int) -> Bools | None:
        """All blocks (bool[b, m]) of the last run with at least that price and at most that cost.

        None where there are more than ``room``, or more than ``steps`` steps to them.
        """
        d = self.diagram
        m, states = len(self._price), len(self._end)
        blocks = np.zeros((room, m), bool)
        if self.best_price(limit) < need:
            return blocks[:0]
        walk = Walk(
            np.zeros((m + 1, self._width), np.int32),
            np.zeros((m + 1, self._width), np.int64),
            np.zeros(m + 1, np.int64),
            np.zeros(m + 1, np.int8),
            np.zeros(m + 1),
            np.full(states, -1, np.int32),
            np.zeros(m, bool),
            np.zeros(2, np.int64),
        )
        walk.width[0] = 1
        for _ in range(0, steps, STEPS_PER_CALL):
            self._check()
            if not walk_on(
                d.arc_ptr, d.target, d.taken, self._arc_cost, d.sequence, self._price, self._begin, self._end, self._costs,
                self._values, limit, need, blocks, STEPS_PER_CALL, walk,
            ):  # fmt: skip
                found = int(walk.at[1])
                return None if found > room else blocks[:found]
        return None

    def best_price(self, limit: int) -> float:
        """The best price of a block of the last run that costs at most ``limit``; -1e300 where there is none."""
        return float(most(self._begin, self._end, self._costs, self._values, 0, limit))

    def cost(self, block: Bools) -> int:
        """What a block (bool[m]) costs in whole numbers; -1 where it is not convex."""
        d = self.diagram
        return int(cost_of(d.arc_ptr, d.target, d.taken, self._arc_cost, d.sequence, block, self._width))


def cheapest(costs: NDArray[np.int32], prices: Floats, total: float, k: int) -> float:
    """The least cost of a block with an equal share of the price ``total`` of all units; infinity without one.

    ``costs`` int32[f] and ``prices`` float64[f] rise; the k blocks of any plan have ``total`` together, so one has its share.
    """
    at = np.flatnonzero(prices * k >= total)
    return float(costs[at[0]]) if len(at) else math.inf
