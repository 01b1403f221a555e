"""Annealing on valid placements of units on chips: the state that the kernels keep up to date."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from planner.machines.mcm.search import moves_kernels as kernels
from planner.machines.mcm.search.units import ChipUnits
from planner.model.graph import Floats, Ints

if TYPE_CHECKING:
    from planner.machines.mcm.evaluator import McmEvaluator

STEPS_PER_SLICE = 2_000
"""Steps between two looks at the stop criteria: some ten milliseconds at most."""


class ChipMoves:
    """Anneals placements that keep every static rule: :meth:`begin`, then :meth:`run`.

    ``place`` int32[m] is the placement as it is now. ``room`` float64[k] bounds the parameters of each chip; what the
    activations take away from it is for the caller to say, who knows their peaks.
    """

    def __init__(self, units: ChipUnits, seed: int) -> None:
        e = cast("McmEvaluator", units.problem.evaluator)
        t, k, m = len(units.producer), e.k, units.count
        self.units = units
        self.room: Floats = e.capacity.copy()
        self.place: Ints = np.zeros(m, np.int32)
        self._rules = (e.target.triangle, e.target.no_skip, e.target.every_chip, e.single_sample, e.hop)
        self._random = np.array([(seed * 0x9E3779B97F4A7C15 + 0x1234567) % 2**64 | 1], np.uint64)
        self._goal = np.full(m, -1, np.int32)
        self._state = (
            np.zeros((t, k), np.int32), np.zeros(t, np.int32), np.zeros(k), np.zeros(k), np.zeros(k, np.int32),
            np.zeros((k, k), np.int32), np.zeros(k, np.uint64),
        )  # fmt: skip

    @property
    def costs(self) -> Floats:
        """What each chip costs now (float64[k])."""
        return self._state[2]

    @property
    def objective(self) -> float:
        """The objective of the placement as it is now."""
        *_, single, hop = self._rules
        return float(kernels.value_of(self._state[2], self._state[6], hop, single, 1.0)[1])

    def begin(self, place: Ints) -> None:
        """Start from a placement (int32[m]); sums are taken afresh."""
        u = self.units
        self.place[:] = place
        kernels.load(
            self.place, len(self.room), u.work, u.params, u.succ_ptr, u.succ_idx, u.receive, u.send, u.carried, u.producer,
            u.reader_ptr, u.reader_idx, *self._state,
        )  # fmt: skip

    def run(
        self, steps: int, samples: int, hot: float, cold: float, unit: float, goal: float
    ) -> tuple[int, int]:
        """Steps tried and placements evaluated: at most so many, fewer when one costs less than ``goal``.

        The temperature falls from ``hot`` to ``cold``, both shares of ``unit``.
        """
        u = self.units
        made, evaluated = kernels.anneal(
            steps, samples, self._random, hot, cold, unit, goal, *self._rules, self.room, self.place, self._goal, u.work,
            u.params, u.allowed, u.succ_ptr, u.succ_idx, u.pred_ptr, u.pred_idx, u.receive, u.send, u.carried, u.producer,
            u.out_ptr, u.out_idx, u.in_ptr, u.in_idx, *self._state,
        )  # fmt: skip
        return int(made), int(evaluated)
