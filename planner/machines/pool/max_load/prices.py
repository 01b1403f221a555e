"""Bounds by the best prices of ops: column generation over the sets that one accelerator can have."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from planner.machines.pool.max_load.share import MARGIN, Share
from planner.model.graph import Bools, Floats

FIRST_NODES, NODES = 20_000, 4_000
"""Most nodes of the tree for work as the price, and for other prices: some 2 ms each for 400 units."""
PER_UNIT = 20
"""As many for each unit: a small program is soon solved by others."""
MANY, AT_FIRST = 8, 300
"""A tree that came by so many sets below the threshold is left; of the first tree so many sets are kept."""
CENTRED = 0.7
"""How much of the last prices that were asked for stays in those that are asked for next."""
STEP, LEAST_STEP = 0.04, 0.002
"""The threshold is so much above what is proven, and half of that after it was not reached."""
NEAR = 1e-4
"""How near to the plan in hand thresholds are."""


def work_bounds(share: Share, objective: float) -> Iterator[float]:
    """Rising bounds on all plans better than ``objective``, the cost of a plan in hand or infinite, with the work as prices."""
    if not share.serves:
        return
    share.set_prices(share.work, objective)
    yield from share.bounds(min(FIRST_NODES, PER_UNIT * len(share.work)), objective)


def price_bounds(share: Share, objective: float, proven: float) -> Iterator[float]:
    """Rising bounds, the last value again where nothing is new, on all plans better than ``objective``, the cost of a plan in hand; for the caller to look at what else there is.

    ``proven`` is what :func:`work_bounds` came to. For thresholds z: sets that cost less than z, with prices of which each such set has one at most. Where the prices are more in sum than accelerators and CPUs can have of such sets, no plan costs less than z, if no
    other set that costs less has a greater share: the tree says so, or finds one.
    """
    if not share.serves or not np.isfinite(objective) or proven <= 0.0:
        return
    pool = Pool(share)
    share.seen.sort(key=lambda block: block.cost)
    pool.take(objective, AT_FIRST)
    most, step = objective * (1 - NEAR), STEP
    while proven < most * (1 - MARGIN) and step >= LEAST_STEP:
        threshold = min(proven * (1 + step), most)
        reached = False
        for known in pool.attempt(threshold):
            reached = known
            yield proven
        if reached:
            proven = threshold * (1 - MARGIN)
            yield proven
        else:
            step /= 2


class Pool:
    """Sets of units that were found, and prices that suit them."""

    def __init__(self, share: Share) -> None:
        self._share = share
        self._sets: dict[bytes, tuple[Bools, float]] = {}
        self._centre = share.work

    def take(self, below: float, most: int) -> int:
        """Keep what the share's tree came by that costs less than ``below``, up to ``most`` sets; returns how many are new."""
        before = len(self._sets)
        for block in self._share.seen:
            if block.cost < below and len(self._sets) < before + most:
                self._sets.setdefault(block.chosen.tobytes(), (block.chosen, block.cost))
        self._share.seen.clear()
        return len(self._sets) - before

    def attempt(self, threshold: float) -> Iterator[bool]:
        """Whether it is proven, at the end, that no plan costs less than ``threshold``; False now and then until it is known."""
        share = self._share
        nodes = min(NODES, PER_UNIT * len(share.work))
        while True:
            sets = [chosen for chosen, cost in self._sets.values() if cost < threshold]
            value, best = _best_prices(share, sets, threshold)
            yield False
            if value <= share.fast * (1 + MARGIN):
                return
            centred = self._centre * (value / max(float(self._centre.sum()), 1e-300))
            for weight in (CENTRED, 0.0):
                price = weight * centred + (1 - weight) * best
                share.set_prices(price, threshold)
                share.seen.clear()
                reached, found = 0.0, 0
                for bound in share.bounds(nodes, threshold):
                    reached = bound
                    found += self.take(threshold, MANY)
                    yield False
                    if found >= MANY:
                        break
                found += self.take(threshold, MANY)
                self._centre = price
                if found:
                    break
                if reached >= threshold * (1 - 2 * MARGIN):
                    yield True
                    return
            else:
                return


def _best_prices(share: Share, sets: list[Bools], threshold: float) -> tuple[float, Floats]:
    """(what the prices exceed the CPUs' part by, prices float64[m]) at best, where each of ``sets`` (bool[m]) has a price of one at most."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, diags_array, hstack, vstack

    m = len(share.work)
    slow = np.flatnonzero(np.isfinite(share.slow_work))
    # What CPUs have at most, by duality: the time of each at one rate, and what ops are worth beyond it.
    costs = np.concatenate([-np.ones(m), [threshold * share.slow], np.ones(len(slow))])
    rows = csr_array(np.array(sets, float).reshape(len(sets), m))
    own = diags_array(np.ones(m)).tocsr()[slow]
    parts = hstack([own, csr_array(-share.slow_work[slow][:, None]), -diags_array(np.ones(len(slow)))])
    padded = hstack([rows, csr_array((len(sets), 1 + len(slow)))])
    limits = np.concatenate([np.ones(len(sets)), np.zeros(len(slow))])
    most = np.where(share.able, 1.0, 0.0)
    result = linprog(
        costs,
        A_ub=vstack([padded, parts]).tocsr(),
        b_ub=limits,
        bounds=[*((0.0, float(x)) for x in most), *[(0.0, None)] * (1 + len(slow))],
        method="highs",
    )
    if result.x is None:
        return 0.0, np.zeros(m)
    return float(-result.fun), np.maximum(0.0, result.x[:m])
