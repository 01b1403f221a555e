"""What the plan list of a network holds: orders of its connections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gui.document.plan_list import PlanEntry
from planner.errors import StageboardError
from planner.model.graph import Ints

if TYPE_CHECKING:
    from planner.machines.two_level_memory.order import OrderEvaluation
    from planner.machines.two_level_memory.problem import NetworkProblem
    from planner.problem.bound import Bound

EMPTY: Ints = np.empty(0, np.int32)
EMPTY.setflags(write=False)


def frozen(order: Ints) -> Ints:
    """An order as a read-only int32 array of its own, so that views may keep it."""
    own = np.array(order, np.int32)
    own.setflags(write=False)
    return own


@dataclass(eq=False)
class OrderEntry(PlanEntry):
    """One order of the list, with its figures under the current problem.

    What holds the devices of an assignment in other entries, ``device_of``, holds the order here (int32[W]).
    """

    evaluation: OrderEvaluation | None = None

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


def forget_figures(entry: PlanEntry) -> None:
    """There are no figures of an entry: it is being counted, or its order is none of this network's."""
    entry.components, entry.valid, entry.standing, entry.broken = (), False, None, 0
    if isinstance(entry, OrderEntry):
        entry.evaluation = None


def fill_figures(entry: PlanEntry, problem: NetworkProblem, bounds: Sequence[Bound]) -> None:
    """Evaluate an entry under ``problem``; it has no figures where its order is none of this network's."""
    try:
        evaluation = problem.evaluate(entry.device_of)
    except StageboardError:
        forget_figures(entry)
        return
    set_figures(entry, problem, evaluation, bounds)


def set_figures(
    entry: PlanEntry, problem: NetworkProblem, evaluation: OrderEvaluation, bounds: Sequence[Bound]
) -> None:
    """Set an entry's figures where they are known already."""
    if isinstance(entry, OrderEntry):
        entry.evaluation = evaluation
    entry.components, entry.broken = tuple(evaluation.values), len(evaluation.violations)
    entry.valid = evaluation.valid
    entry.standing = problem.standing(entry.components, bounds)
