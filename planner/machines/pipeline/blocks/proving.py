"""Bounds and plans by prices of blocks: thresholds are refuted by a linear program, then settled by an integer one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from planner.machines.pipeline.blocks.borders import Borders, borders
from planner.machines.pipeline.blocks.costs import LEAST, Costs, costs_of, exact_costs
from planner.machines.pipeline.blocks.diagram import Diagram, fitted
from planner.machines.pipeline.blocks.partition import Columns, Unsettled, fitting, partition
from planner.machines.pipeline.blocks.pool import Pool, blocks_of
from planner.machines.pipeline.blocks.pricing import Pricing, TooLong
from planner.machines.pipeline.blocks.relaxation import Relaxation
from planner.machines.pipeline.exact.model import StageModel
from planner.machines.pipeline.superblocks.opening import report
from planner.methods.mip.growing_lp import LpFailure
from planner.methods.random_streams import seeded
from planner.model.graph import Bools, Floats, Ints
from planner.search.search import Search

MOST_STATES = 200_000
"""States of a diagram as it is made; merging leaves fewer."""
RESOLUTION = 4096
"""Whole numbers that costs up to that of the best plan are counted in."""
COARSEST = 256
FEW_COLUMNS, FEW_STEPS = 3_000, 200_000
MOST_COLUMNS, MOST_STEPS = 40_000, 4_000_000
"""Blocks of an integer program, and steps that are made to find them: soon, and where prices do not become better."""
MOST_NODES = 50_000
STEPS = 256
"""Thresholds rise by at most one part in so many: far above what is proven there are many blocks, and little is known of them."""
TIE = 5e-10
"""What differs by less (relative) is as good."""


@dataclass
class Known:
    """The best plan so far: the stage of each unit (int32[m], or None), and what the largest of its blocks costs.

    ``offer`` is told of a better one; ``look`` brings one that was found elsewhere, and what it costs, or None.
    """

    value: float
    place: Ints | None = None
    offer: Callable[[Ints], None] = field(default=lambda place: None)
    look: Callable[[], tuple[Ints, float] | None] = field(default=lambda: None)


class Proving:
    """One pipeline: raises the bound, and hands plans on as it finds them."""

    def __init__(self, model: StageModel, search: Search, method: str, bound: float, known: Known) -> None:
        self.model, self.search, self.method = model, search, method
        self.bound, self.known = bound, known
        self.sets: Borders = borders(model, search.check)
        self.diagram: Diagram = fitted(self.sets, seeded(search.seed), MOST_STATES, search.check)

    def run(self) -> None:
        """Raise the bound until it meets the best plan, or neither can be made better with the work that is allowed."""
        resolution = RESOLUTION
        while resolution >= COARSEST:
            try:
                self._run(resolution)
                return
            except TooLong:
                resolution //= 2
            except LpFailure:
                self.search.message = (
                    "HiGHS could not solve a linear program, so the search ended with what it had proven"
                )
                return

    # ------------------------------------------------------------------ one resolution
    def _run(self, resolution: int) -> None:
        model, search = self.model, self.search
        costs = costs_of(model, self.sets, self.known.value, resolution)
        pricing = Pricing(self.diagram, costs.work, costs.scale, search.check)
        total = float(costs.work.sum())
        worth = costs.work / total if total > LEAST else np.full(model.count, 1.0 / model.count)
        share: Floats = pricing.rounded(model.k * worth)
        with Pool(model.count, search.check) as pool:
            relaxation = Relaxation(
                pricing,
                pool,
                model.k,
                0,
                share,
                search.seed,
                lambda whole: self._raise(costs, whole),
                search.check,
            )
            for v in range(model.count):
                block = np.arange(model.count) == v
                pool.add(block, pricing.cost(block))
            self._take_in(pool, pricing)
            highest = self._highest(costs)
            relaxation.price(share, highest, highest)
            self._bisect(relaxation, costs)
            self._settle(relaxation, costs)

    def _take_in(self, pool: Pool, pricing: Pricing) -> None:
        if self.known.place is not None:
            for block in blocks_of(self.known.place, self.model.k):
                pool.add(block, pricing.cost(block))

    def _raise(self, costs: Costs, whole: int) -> None:
        value = costs.bound(whole)
        if not costs.scale.exact:
            value -= 1e-12 * (abs(value) + abs(costs.offset))
        self._claim(min(value, self.known.value))

    def _claim(self, value: float) -> None:
        if value > self.bound:
            self.bound = value
            report(self.model, self.search, self.method, value)

    def _highest(self, costs: Costs) -> int:
        """The highest threshold that a better plan could meet."""
        highest = costs.limit(self.known.value)
        whole = costs.scale.exact and not costs.offset and self.model.alike and not self.model.streams
        return highest - 1 if whole else highest

    def _bisect(self, relaxation: Relaxation, costs: Costs) -> None:
        """Refute thresholds by prices alone until the next one cannot be."""
        low, high = max(relaxation.proven, costs.limit(self.bound)), self._highest(costs) + 1
        while low < high:
            if self._adopt(relaxation):
                high = min(high, self._highest(costs) + 1)
                continue
            threshold = (low + high) // 2
            self.search.progress(None, f"{len(relaxation.pool)} blocks, {relaxation.rounds} rounds of prices")
            self.search.iteration()
            if relaxation.settle(threshold, high) is None:
                low = relaxation.proven
            else:
                high = threshold

    def _settle(self, relaxation: Relaxation, costs: Costs) -> None:
        """Settle thresholds by integer programs, from the lowest that is open, in growing steps; the middle one where stages are not alike.

        Prices leave much open then, as they take every stage for the fastest.
        """
        step, unsettled = 1, self._highest(costs) + 1
        while True:
            self.search.check()
            self._adopt(relaxation)
            highest = self._highest(costs)
            low = max(relaxation.proven, costs.limit(self.bound))
            if low > highest:
                self._raise(costs, low)
                return
            if low >= unsettled:
                return
            threshold = min(highest, unsettled - 1)
            threshold = min(low + step - 1, threshold) if self.model.alike else (low + threshold + 1) // 2
            self.search.iteration()
            try:
                place = self._partition(relaxation, costs, threshold, highest)
            except Unsettled:
                unsettled, step = threshold, 1
                continue
            if place is None:
                step = min(2 * step, max(1, highest // STEPS))
                if threshold == highest:
                    self._claim(self.known.value)
                    return
            else:
                step = max(1, step // 2)
                self._found(place, relaxation.pool, relaxation.pricing)

    def _partition(self, relaxation: Relaxation, costs: Costs, threshold: int, highest: int) -> Ints | None:
        """A plan whose blocks cost at most ``threshold`` and that is better than the best; None where there is proven to be none."""
        pricing, model = relaxation.pricing, self.model

        def enough(prices: Floats) -> bool:
            return _listed(pricing, prices, model.k, threshold, FEW_COLUMNS, FEW_STEPS) is not None

        prices = relaxation.settle(threshold, highest, enough)
        if prices is None:
            return None
        blocks = _listed(pricing, prices, model.k, threshold, MOST_COLUMNS, MOST_STEPS)
        if blocks is None:
            raise Unsettled
        ceiling = min(costs.bound(threshold + 1), self.known.value)
        columns = self._columns(blocks, ceiling - TIE * abs(ceiling))
        self.search.progress(None, f"{len(columns.run)} blocks, threshold {costs.bound(threshold):g}")
        place = partition(model, columns, self.search, MOST_NODES)
        if place is None:
            relaxation.proven = max(relaxation.proven, threshold + 1)
            self._raise(costs, relaxation.proven)
        return place

    def _columns(self, blocks: Bools, ceiling: float) -> Columns:
        """Those of ``blocks`` (bool[b, m]) that cost less than ``ceiling``, on each run of alike stages."""
        model = self.model
        run_of = model.run_of
        kept, runs = [], []
        for run in range(int(run_of[-1]) + 1):
            cost = exact_costs(model, self.sets, blocks, int(np.argmax(run_of == run)))
            some = blocks[(cost < ceiling) & fitting(model, blocks, run)]
            kept.append(some)
            runs.append(np.full(len(some), run, np.int32))
        return Columns(np.concatenate(kept), np.concatenate(runs))

    def _adopt(self, relaxation: Relaxation) -> bool:
        """Take over a better plan that was found elsewhere; returns whether there was one."""
        found = self.known.look()
        if found is None or found[1] >= self.known.value:
            return False
        self.known.place, self.known.value = found
        self._take_in(relaxation.pool, relaxation.pricing)
        return True

    def _found(self, place: Ints, pool: Pool, pricing: Pricing) -> None:
        used = [j for j in range(self.model.k) if (place == j).any()]
        costs = (exact_costs(self.model, self.sets, (place == j)[None], j)[0] for j in used)
        value = float(max(*costs, self.model.idle))
        if value < self.known.value:
            self.known.value, self.known.place = value, place
            self.known.offer(place)
            self._take_in(pool, pricing)


def _listed(pricing: Pricing, prices: Floats, k: int, threshold: int, room: int, steps: int) -> Bools | None:
    """All blocks (bool[b, m]) that a plan of at most k blocks of cost at most ``threshold`` can have; None beyond ``room`` or ``steps``.

    The other blocks of a plan have at most k - 1 times the best price, so each has the rest of the ``prices`` (float64[m]) at least.
    """
    prices = pricing.rounded(prices)
    total = float(prices.sum())
    best = 1.0 + 1e-6
    while True:
        need = total - (k - 1) * best
        pricing.run(prices, threshold, need, total / k)
        reached = pricing.best_price(threshold)
        if reached <= best:
            return pricing.all_blocks(need, threshold, room, steps)
        best = reached
