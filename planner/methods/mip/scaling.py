"""Costs as integers for CP-SAT, so that what it proves is never overstated."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.model.graph import Floats

Integers = NDArray[np.int64]

EXACT_SCALES = tuple(2**i * 10**j for j in range(7) for i in (0, 1, 2, 3))
RESOLUTION = 10**6
LARGEST = 10**13
"""No value grows beyond it: sums of thousands stay far from the 2**63 of the solver."""


@dataclass(frozen=True)
class Scale:
    """``factor`` integer units per unit of cost; ``exact`` says that every cost becomes a whole number."""

    factor: float
    exact: bool

    def down(self, costs: Floats | float) -> Integers:
        """Costs (float64 of any shape) as integers that never exceed them (int64): a sum of these is a lower bound on the scaled sum.

        So the optimum over such costs, unscaled, is at most the true optimum.
        """
        scaled = np.asarray(costs, np.float64) * self.factor
        near = np.rint(scaled)
        # A product that is whole but for rounding is meant to be whole.
        whole = np.abs(scaled - near) <= 1e-9 * np.maximum(1.0, np.abs(near)) if self.exact else False
        return np.where(whole, near, np.floor(scaled)).astype(np.int64)

    def up(self, costs: Floats | float) -> Integers:
        """Costs (float64 of any shape) as integers that are never below them (int64): for capacities of a relaxation."""
        return -self.down(-np.asarray(costs, np.float64))

    def bound(self, value: float) -> float:
        """A lower bound on the true objective from one on the integer objective whose costs came from :meth:`down`."""
        if math.isinf(value):
            return value
        whole = math.ceil(value - 1e-6)  # the integer objective takes whole values only
        return whole / self.factor

    def cost(self, value: float) -> float:
        """An integer objective as a cost."""
        return value / self.factor


def scale_for(costs: Iterable[Floats], objective: float, resolution: int = RESOLUTION) -> Scale:
    """The scale for ``costs`` (float64[costs] each, finite, >= 0) whose objective lies around ``objective``.

    A small scale under which every cost is whole, if there is one; else one that resolves the objective to one part in
    ``resolution``.
    """
    flat = np.concatenate([np.asarray(c, np.float64).reshape(-1) for c in costs] or [np.zeros(0)])
    largest = float(flat.max(initial=0.0))
    for factor in EXACT_SCALES:
        if largest * factor > LARGEST or (objective > 0 and objective * factor > 100 * resolution):
            break
        scaled = flat * factor
        # Relative to the cost itself: one much smaller than the others is not nothing.
        if np.all(np.abs(scaled - np.rint(scaled)) <= 1e-9 * scaled):
            return Scale(float(factor), True)
    if not 0 < objective < math.inf:
        objective = largest if largest > 0 else 1.0
    return Scale(min(resolution / objective, LARGEST / max(largest, objective)), False)
