"""The best valid plan so far, and small steps that make it better without moving more."""

from __future__ import annotations

import numpy as np

from planner.methods.repair.measure import Clock, Measure, moved_units
from planner.model.graph import Ints
from planner.problem.bound import better


class Best:
    """The valid plan found nearest to the given one: by its price, then by its objective.

    ``device_of`` int32[n] or None; ``proven``: the most that is proven of any valid plan's price; ``impossible``: it is
    proven that there is no valid plan.
    """

    def __init__(self, measure: Measure) -> None:
        self.measure = measure
        self.device_of: Ints | None = None
        self.price = 0
        self.components: tuple[float, ...] = ()
        self.proven = 0
        self.impossible = False

    def offer(self, device_of: Ints | None) -> bool:
        """Take a plan (int32[n]) if it is valid and better; whether it was."""
        if device_of is None:
            return False
        e = self.measure.problem.evaluator
        price = self.measure.price(device_of)
        if self.device_of is not None and price > self.price:
            return False
        if e.violations(device_of):
            return False
        components = e.components(device_of)
        if self.device_of is not None and price == self.price and not better(components, self.components):
            return False
        self.device_of, self.price, self.components = device_of.astype(np.int32), price, components
        return True

    def prove(self, price: int) -> None:
        """No valid plan has a price below this one."""
        self.proven = max(self.proven, price)

    @property
    def fewest(self) -> bool:
        """Whether it is proven that no valid plan moves fewer ops, where those to be kept count before all others."""
        if self.device_of is None:
            return False
        return self.measure.at_least(self.proven) == self.measure.at_least(self.price)


def polish(best: Best, clock: Clock) -> None:
    """Move groups that have moved already to where they are nearer or cost less, one at a time, while that helps."""
    measure = best.measure
    if best.device_of is None:
        return
    live = measure.problem.live(best.device_of)
    again = True
    while again and not clock.out():
        again = False
        for ops in moved_units(measure, live.device_of):
            if clock.out():
                return
            prices = measure.costs[ops].sum(axis=0)
            worth = prices <= measure.costs[ops, live.device_of[ops]].sum()
            worth[live.device_of[ops[0]]] = False
            if not worth.any():
                continue
            worth &= live.check(ops).legal
            components = live.delta(ops).components if worth.any() else np.empty((0, len(worth)))
            for d in sorted(np.flatnonzero(worth).tolist(), key=lambda d: (prices[d], *components[:, d])):
                after = live.device_of.copy()
                after[ops] = d
                if best.offer(after):
                    live.apply(ops, d)
                    again = True
                    break
