"""Branch and bound over rows of devices: rising bounds on what the dearest device of any chain of ideals costs."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Sequence
from itertools import count

import numpy as np
from numpy.typing import NDArray

from planner.methods.nested_cuts.kernels import (
    Scratch,
    candidates,
    dual,
    keep_order,
    reachable,
    too_much,
)
from planner.methods.nested_cuts.network import Network, Row, network_of, row_of
from planner.methods.units import Units
from planner.model.graph import Bools, Floats

FIRST_ROUNDS, ROUNDS = 12, 4
"""Most cuts of a row as a whole, and of a part of it."""
TRIES = 3
"""Units that are tried before one is branched on."""
CLOSE = 1e-4
"""Prices are not looked for any further where less than this share is open."""
MARGIN = 1e-11
"""The share of a bound that rounding may have added."""
Places = NDArray[np.int8]
Part = tuple[float, Places, Places, Floats, Places]
"""A bound; the first and the last device of each unit (int8[m] each); prices of devices (float64[g]); chains (int8[c, m])."""


class Tree:
    """Bounds on all plans over ``units`` that cost less than ``most`` (a plan in hand, or infinity); :attr:`bound` holds at any time.

    ``rows`` int[r, g]: the orders in which devices may stand, by the class of each. ``times`` float64[c, m]: what units take on a device of each class, infinite where they
    may not be; ``pays`` bool[c]: who pays for tensors; ``bases`` float64[c]: what a device pays without units; ``first`` and ``last`` int8[m]: the devices that pins leave.
    """

    def __init__(
        self,
        units: Units,
        rows: Sequence[Sequence[int]],
        times: Floats,
        pays: Bools,
        bases: Floats,
        first: Places,
        last: Places,
        most: float,
        check: Callable[[], None],
    ) -> None:
        m = units.count
        self._units, self._most, self._check = units, most, check
        self._reach = np.zeros((m, m), np.bool_)
        reachable(*units.succs, self._reach)
        check()
        ceiling = float(sum(array[np.isfinite(array)].sum() for array in times))
        ceiling += float(units.tensor_time.sum() + units.send_time.sum())
        self._times, self._pays = np.where(np.isfinite(times), times, ceiling), pays
        self._fast = self._times[np.argmax(pays)] if pays.any() else np.zeros(m)
        self._weight = self._fast / max(float(self._fast.sum()), 1e-300)
        self._bases, self._first, self._last = bases, first, last
        self._networks: list[tuple[Row, Network, Scratch]] = []
        self._heap: list[tuple[float, int, int, Places, Places, Floats, Places]] = []
        self._numbers = count()
        self._rows = rows
        self._next = 0
        self.expanded = 0
        self._cheapest = most

    @property
    def done(self) -> bool:
        """Whether the bound does not rise any more."""
        return self._next == len(self._rows) and (not self._heap or self._heap[0][0] >= self._cheapest)

    @property
    def bound(self) -> float:
        """What every plan costs at least."""
        if self._next < len(self._rows):
            return 0.0
        least = min(self._cheapest, self._heap[0][0]) if self._heap else self._cheapest
        return least if math.isinf(least) else least - MARGIN * abs(least)

    def step(self) -> None:
        """Look at the next row as a whole, then at the part that bounds least."""
        if self._next < len(self._rows):
            self._open(np.array(self._rows[self._next], np.int64))
            self._next += 1
        elif not self.done:
            self._branch()

    # ------------------------------------------------------------------ one row
    def _open(self, classes: NDArray[np.int64]) -> None:
        units = self._units
        row = row_of(
            units, self._times[classes], self._bases[classes], self._pays[classes], units.tensor_time, units.send_time,
            self._most,
        )  # fmt: skip
        low, high = self._windows(row)
        number = len(self._networks)
        network = network_of(units, row, self._reach)
        nodes = len(network.ptr) - 1
        scratch = Scratch(
            np.empty(len(network.head), np.int64), *(np.empty(nodes, np.int32) for _ in range(4))
        )
        self._networks.append((row, network, scratch))
        if (low > high).any():
            return
        # As dear as it is fast, at first.
        quick, total = float(self._fast.sum()), self._times.sum(axis=1)[classes]
        price = np.divide(quick, total, out=np.ones(len(classes)), where=(total > 0.0) & (quick > 0.0))
        bound, price, chains = self._dual(number, low, high, price / price.sum(), 0.0, FIRST_ROUNDS)
        self._keep(number, bound, low, high, price, chains)

    def _windows(self, row: Row) -> tuple[Places, Places]:
        """The first and the last device (int8[m] each) that each unit is on in a plan that costs less than the one in hand."""
        devices = len(row.time)
        low, high = self._first.copy(), np.minimum(self._last, devices - 1).astype(np.int8)
        if np.isfinite(self._most):
            most = self._most - min(0.0, float(self._bases.min()))
            # Each as fast as the fastest of those that pay for tensors, or of those that do not.
            fast, slow = (
                row.time[kind].min(axis=0) if kind.any() else row.time[0] for kind in (row.pays, ~row.pays)
            )
            order = np.argsort(
                np.divide(slow, fast, out=np.full(len(fast), np.inf), where=fast > 0.0), kind="stable"
            )
            found = np.empty(len(fast), np.bool_)
            before = np.ascontiguousarray(self._reach.T)
            for threshold in range(devices - 1):
                for way, part in (
                    (before, row.pays[: threshold + 1]),
                    (self._reach, row.pays[threshold + 1 :]),
                ):
                    paying = int(part.sum())
                    too_much(way, fast, slow, order, paying, len(part) - paying, most, found)
                    if way is before:
                        low[found] = np.maximum(low[found], threshold + 1)
                    else:
                        high[found] = np.minimum(high[found], threshold)
                self._check()
        keep_order(self._reach, low, high)
        return low, high

    def _dual(
        self, number: int, low: Places, high: Places, price: Floats, known: float, rounds: int
    ) -> tuple[float, Floats, Places]:
        """The bound of a part, the prices that show it, and chains that it came by."""
        chains = np.empty((rounds, len(low)), np.int8)
        paid = np.empty((rounds, len(price)))
        price = price.copy()
        bound, made = dual(
            low, high, price, known, self._cheapest, CLOSE, *self._networks[number], chains, paid
        )
        self._check()
        return bound, price, chains[:made]

    def _branch(self) -> None:
        """Put the unit that tells most on one side of a threshold, and then on the other."""
        known, _, number, low, high, price, chains = heapq.heappop(self._heap)
        self.expanded += 1
        unit, threshold = np.empty(TRIES, np.int64), np.empty(TRIES, np.int64)
        score = np.empty(TRIES)
        found = candidates(low, high, chains, self._reach, self._weight, unit, threshold, score)
        if not found:
            free = np.flatnonzero(low < high)
            if not len(free):
                # One chain is left.
                bound, _, _ = self._dual(number, low, high, price, known, FIRST_ROUNDS)
                self._cheapest = min(self._cheapest, bound)
                return
            unit[0] = free[len(free) // 2]
            threshold[0] = low[unit[0]]
            found = 1
        best: list[Part] = []
        worth = -np.inf
        for v, at in zip(unit[:found].tolist(), threshold[:found].tolist(), strict=True):
            parts: list[Part] = []
            for inside in (True, False):
                sides = self._fixed(low, high, v, at, inside)
                bound, better, met = self._dual(number, *sides, price, known, ROUNDS)
                parts.append((bound, *sides, better, met))
            gains = sorted(min(part[0], self._cheapest) for part in parts)
            if 5 * gains[0] + gains[1] > worth:
                worth, best = 5 * gains[0] + gains[1], parts
        for part in best:
            self._keep(number, *part)

    def _keep(
        self, number: int, bound: float, low: Places, high: Places, price: Floats, chains: Places
    ) -> None:
        """Keep a part of a row for branching, unless nothing better is in it."""
        if bound < self._cheapest:
            heapq.heappush(self._heap, (bound, next(self._numbers), number, low, high, price, chains))

    def _fixed(
        self, low: Places, high: Places, unit: int, threshold: int, inside: bool
    ) -> tuple[Places, Places]:
        """Where units may be when one is on a device up to ``threshold``, or behind it: what leads to it is before it, what it leads to after."""
        low, high = low.copy(), high.copy()
        if inside:
            some = self._reach[:, unit].copy()
            some[unit] = True
            high[some] = np.minimum(high[some], threshold)
        else:
            some = self._reach[unit].copy()
            some[unit] = True
            low[some] = np.maximum(low[some], threshold + 1)
        return low, high
