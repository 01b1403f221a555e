"""How far a plan is from the one that a person made, and for how long a better one is looked for."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from planner.evaluation import kernels
from planner.methods.repair.labelling import Longs
from planner.model.graph import Bools, Ints
from planner.problem.problem import Problem


class Distance(NamedTuple):
    """From the given plan: how many ops moved that should stay above all, how many in all, and how far together."""

    kept: int
    moved: int
    steps: int


class Measure:
    """Distances from one plan.

    ``given`` int32[n] is that plan, ``keep`` bool[n] marks the ops that should stay above all. ``steps`` int64[k, k]: how far
    apart devices are; places apart in a row, elsewhere 1 between devices of different kinds and 0 between alike ones.
    ``costs`` int64[n, k]: each op's price of each device; sums of prices compare as distances do.
    """

    def __init__(self, problem: Problem, given: Ints, keep: Ints | None) -> None:
        e = problem.evaluator
        self.problem = problem
        self.given = given
        self.keep = np.zeros(e.n, bool)
        if keep is not None:
            self.keep[keep] = True
        place = np.arange(e.k)
        if in_a_row(problem):
            self.steps = np.abs(place[:, None] - place[None, :])
        else:
            self.steps = (e.class_of[:, None] != e.class_of[None, :]).astype(np.int64)
        self.unit = e.n * int(self.steps.max(initial=0)) + 1
        """The price of moving one op at all: more than all steps together."""
        self.first = self.unit * (e.n - int(self.keep.sum()) + 1)
        """The price of moving an op of ``keep``: more than moving all others."""
        price = np.where(self.keep, self.first, self.unit)
        self.costs: Longs = self.steps[given] + np.where(place[None, :] != given[:, None], price[:, None], 0)

    def distance(self, device_of: Ints) -> Distance:
        """The distance of a plan (int32[n])."""
        moved = device_of != self.given
        steps = int(self.steps[self.given, device_of].sum())
        return Distance(int((moved & self.keep).sum()), int(moved.sum()), steps)

    def price(self, device_of: Ints) -> int:
        """The sum of the prices of a plan (int32[n])."""
        return int(self.costs[np.arange(len(device_of)), device_of].sum())

    def at_least(self, price: int) -> tuple[int, int]:
        """``(kept, moved)`` of :class:`Distance` that a plan of at least this price has at least."""
        kept, rest = divmod(price, self.first)
        # The first price of a kept op stands for its move, too.
        return kept, kept + rest // self.unit


def in_a_row(problem: Problem) -> bool:
    """Whether the devices follow one another by their numbers."""
    return any(rule.code == kernels.RULE_ORDER for rule in problem.evaluator.rules)


LAST_SECONDS = 0.2
"""How long over time a step may take that is the last chance to find a plan at all."""


class Clock:
    """When to stop: after so many seconds, or when somebody says so."""

    def __init__(self, seconds: float, stopped: Callable[[], bool] | None = None) -> None:
        self._end = time.perf_counter() + seconds
        self._stopped = stopped

    def out(self) -> bool:
        """Whether the time is over."""
        return self._over(0.0)

    def late(self) -> bool:
        """Whether not even a last step should go on."""
        return self._over(LAST_SECONDS)

    def _over(self, extra: float) -> bool:
        return time.perf_counter() >= self._end + extra or (self._stopped is not None and self._stopped())


def moved_units(measure: Measure, device_of: Ints) -> list[Ints]:
    """The ops (int32[g]) of each group of which some are not where they were given; the plan is ``device_of`` (int32[n])."""
    groups = measure.problem.groups
    moved: Bools = device_of != measure.given
    return [groups.ops(g) for g in np.unique(groups.group_of[moved]).tolist()]
