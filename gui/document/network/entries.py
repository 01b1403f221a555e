"""What the plan list of a network holds: orders of its connections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from gui.document.plan_list import PlanEntry
from planner.model.graph import Ints

if TYPE_CHECKING:
    from planner.machines.two_level_memory.order import OrderEvaluation
    from planner.problem.base import PlanningProblem
    from planner.problem.bound import Bound
    from planner.problem.decision import Evaluated

EMPTY: Ints = np.empty(0, np.int32)
EMPTY.setflags(write=False)


def frozen(order: Ints) -> Ints:
    """An order as a read-only int32 array of its own, so that views may keep it."""
    if order.dtype == np.int32 and order.base is None and not order.flags.writeable:
        return order
    own = np.array(order, np.int32)
    own.setflags(write=False)
    return own


@dataclass(eq=False)
class OrderEntry(PlanEntry):
    """One order of the list, with its figures under the current problem.

    What holds the devices of an assignment in other entries, ``device_of``, holds the order here (int32[W]).
    """

    evaluation: OrderEvaluation | None = None

    def set_figures(self, problem: PlanningProblem, evaluation: Evaluated, bounds: Sequence[Bound]) -> None:
        """Also keeps the evaluation: counting a large network's takes a while."""
        super().set_figures(problem, evaluation, bounds)
        self.evaluation = cast("OrderEvaluation", evaluation)

    def forget_figures(self) -> None:
        """Also the evaluation."""
        super().forget_figures()
        self.evaluation = None

    @property
    def order(self) -> Ints:
        """The connection ids in the order of use (int32[W])."""
        return self.device_of

    @property
    def reads(self) -> int:
        """How many reads the order needs; 0 before it was evaluated."""
        return 0 if self.evaluation is None else int(self.evaluation.reads)

    @property
    def writes(self) -> int:
        """How many writes it needs."""
        return 0 if self.evaluation is None else int(self.evaluation.writes)
