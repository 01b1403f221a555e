"""Annealing on valid placements of units on chips: the state that the kernels keep up to date."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from planner.machines.mcm.search import moves_kernels as kernels
from planner.machines.mcm.search.units import McmUnits
from planner.methods.random_streams import seeded
from planner.model.graph import Floats, Ints

if TYPE_CHECKING:
    from planner.machines.mcm.evaluator import McmEvaluator

STEPS_PER_SLICE = 2_000
"""Steps between two looks at the stop criteria: some ten milliseconds at most."""


class McmMoves:
    """Anneals placements that keep every static rule: :meth:`begin`, then :meth:`run`.

    ``place`` int32[m] is the placement as it is now. ``room`` float64[k] bounds the parameters of each chip; what the
    activations take away from it is for the caller to say, who knows their peaks.
    """

    def __init__(self, units: McmUnits, seed: int) -> None:
        e = cast("McmEvaluator", units.problem.evaluator)
        t, k, m = len(units.producer), e.k, units.count
        self.units = units
        self.room: Floats = e.capacity.copy()
        self.place: Ints = np.zeros(m, np.int32)
        self._rules = kernels.Rules(
            e.target.triangle, e.target.no_skip, e.target.every_chip, e.single_sample, e.hop
        )
        self._random = seeded(seed)
        self._goal = np.full(m, -1, np.int32)
        self._fixed = kernels.fixed_of(units)
        self._sums = kernels.sums_of(t, k)

    @property
    def costs(self) -> Floats:
        """What each chip costs now (float64[k])."""
        return self._sums.cost

    @property
    def objective(self) -> float:
        """The objective of the placement as it is now."""
        rules, sums = self._rules, self._sums
        return float(kernels.value_of(sums.cost, sums.arcs, rules.hop, rules.single, 1.0)[1])

    def begin(self, place: Ints) -> None:
        """Start from a placement (int32[m]); sums are taken afresh."""
        self.place[:] = place
        kernels.load(self.place, self._fixed, self._sums)

    def run(
        self, steps: int, samples: int, hot: float, cold: float, unit: float, goal: float
    ) -> tuple[int, int]:
        """Steps tried and placements evaluated: at most so many, fewer when one costs less than ``goal``.

        The temperature falls from ``hot`` to ``cold``, both shares of ``unit``.
        """
        made, evaluated = kernels.anneal(
            steps, samples, self._random, hot, cold, unit, goal, self._rules, self.room, self.place, self._goal, self._fixed,
            self._sums,
        )  # fmt: skip
        return int(made), int(evaluated)
