"""Bounds from prices: some block of any plan has an equal share of all prices, and the cheapest such block costs the bound.

The best prices are the duals of a linear program over blocks, made by column generation. ``docs/bounds.md`` has the proof.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from planner.machines.pipeline.blocks.pool import Pool
from planner.machines.pipeline.blocks.pricing import Pricing, cheapest
from planner.methods.random_streams import seeded
from planner.model.graph import Floats

DIVES = 24
"""Blocks that are looked for between two solutions of the linear program."""
RADIUS, GROW, FAR, SHRINK = 0.3, 1.5, 4.0, 0.7
"""How far prices may be from the best ones, as a share of these, at first; what that is multiplied by."""
NULLS = 5
"""Prices in a row that are no better, before better ones are looked for nearer by."""
SERIOUS = 2e-4
"""By so much (relative) prices must be better to take the place of the best ones."""
BEYOND = 1.1
"""Blocks are looked for up to that multiple of the threshold: prices may say more than was asked."""
WORTH = 1e-6
"""By so much the price of a block exceeds 1 that changes the linear program."""


class Relaxation:
    """Thresholds of one pipeline's blocks, in whole numbers: ``proven`` says that every plan has a block of at least that cost.

    ``k`` blocks at most; ``center`` float64[m]: the prices to begin near; ``report`` is told of every rise, ``check`` is called often and may raise.
    """

    def __init__(
        self,
        pricing: Pricing,
        pool: Pool,
        k: int,
        proven: int,
        center: Floats,
        seed: int,
        report: Callable[[int], None],
        check: Callable[[], None],
    ) -> None:
        self.pricing = pricing
        self.pool = pool
        self.proven = proven
        self.rounds = 0
        self._k = k
        self._report = report
        self._check = check
        self._random = seeded(seed)
        self._center = center

    def price(self, prices: Floats, threshold: int, highest: int) -> float:
        """Raise ``proven`` by ``prices`` (float64[m], rounded); returns the best price of a block of cost at most ``threshold``.

        At least an equal share of all prices, or 1, if that is less.
        """
        total = float(prices.sum())
        share = total / self._k
        limit = max(threshold, min(highest, int(threshold * BEYOND)))
        need = min(1.0, share)
        costs, values = self.pricing.run(prices, limit, need, share)
        least = cheapest(costs, values, total, self._k)
        value = limit + 1 if math.isinf(least) else int(least)
        if value > self.proven:
            self.proven = value
            self._report(value)
        return max(self.pricing.best_price(threshold), need)

    def settle(
        self, threshold: int, highest: int, enough: Callable[[Floats], bool] | None = None
    ) -> Floats | None:
        """Generate blocks until ``threshold`` is refuted (None), or the linear program has a solution of k blocks.

        Returns the best prices found (float64[m]), with which no block of cost at most ``threshold`` has a price above 1. ``enough`` is asked
        whether prices are good enough, and it goes on until they are or cannot be better. Prices are looked
        for near the best ones so far (a box), the nearer the less is gained, and anywhere in the end.
        """
        m, k = len(self._center), self._k
        radius, nulls = RADIUS, 0
        best = self.price(self.pricing.rounded(self._center), threshold, highest)
        center = self._center / best
        worth = float(center.sum())
        while self.proven <= threshold:
            self._check()
            self.rounds += 1
            reach = radius * np.maximum(np.abs(center), 0.5 * k / m)
            total, duals, free = self.pool.solve(threshold, center - reach, center + reach)
            met = total <= k + 1e-7
            if met and free and enough is None:
                break
            duals = self.pricing.rounded(duals)
            best = self.price(duals, threshold, highest)
            found = self._dive(threshold, best, duals)
            if best > 0.0 and duals.sum() / best > worth * (1.0 + SERIOUS):
                worth, center = float(duals.sum()) / best, duals / best
                nulls = 0
                if not free:
                    radius *= GROW
                if enough is not None and worth > k - 1 and enough(center):
                    break
            elif not found:
                if free:
                    center = duals / best
                    break
                radius *= FAR
            else:
                nulls += 1
                if met and not free:
                    radius *= GROW
                elif nulls % NULLS == 0:
                    radius *= SHRINK
        self._center = center
        return None if self.proven > threshold else center

    def _dive(self, threshold: int, best: float, duals: Floats) -> int:
        """Add blocks that cover units as evenly as can be; returns how many are new and change the linear program."""
        m = len(duals)
        wanted = np.ones(m, bool)
        added = 0
        for i in range(DIVES):
            need = max(1.0 + WORTH, 1.0 + (best - 1.0) * (0.5 if i % 2 else 0.9))
            block = self.pricing.block(need, threshold, wanted, self._random)
            if block is None:
                continue
            wanted &= ~block
            if not wanted.any():
                wanted[:] = True
            if float(duals[block].sum()) > 1.0 + 0.5 * WORTH:
                added += self.pool.add(block, self.pricing.cost(block))
            self._check()
        return added
