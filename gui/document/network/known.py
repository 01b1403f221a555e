"""The last evaluations of a document's orders, so that undo, saving and opening count nothing twice."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import numpy as np

from planner.model.graph import Ints

if TYPE_CHECKING:
    from planner.machines.two_level_memory.order import OrderEvaluation
    from planner.machines.two_level_memory.problem import NetworkProblem

KEPT = 6
"""How many are kept: comparing as many orders of a million connections takes a few milliseconds, counting one 100."""


class Known:
    """Evaluations by problem and order."""

    def __init__(self) -> None:
        self._kept: deque[tuple[NetworkProblem, Ints, OrderEvaluation]] = deque(maxlen=KEPT)

    def remember(self, problem: NetworkProblem, order: Ints, evaluation: OrderEvaluation) -> None:
        """Keep what was found of an order (int32[W], which must not change any more)."""
        if not any(known[1] is order and known[2] is evaluation for known in self._kept):
            self._kept.append((problem, order, evaluation))

    def evaluate(self, problem: NetworkProblem, order: Ints) -> OrderEvaluation:
        """The evaluation of an order: one that is known, else counted now. Raises :class:`planner.errors.PlanError`."""
        for known, other, evaluation in self._kept:
            if known == problem and (other is order or np.array_equal(other, order)):
                return evaluation
        evaluation = problem.evaluate(order)
        self.remember(problem, order, evaluation)
        return evaluation

    def forget(self) -> None:
        """Another network is open."""
        self._kept.clear()
