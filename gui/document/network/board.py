"""The order that is being planned: problem, order, what was counted of it and of its predecessors. No Qt."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from gui.document.board import Board
from gui.document.network.entries import EMPTY, OrderEntry, frozen
from gui.document.network.known import Known
from planner.errors import StageboardError
from planner.machines.two_level_memory.order import ConnectionOrder, OrderEvaluation
from planner.machines.two_level_memory.problem import NetworkProblem, OrderPlan

if TYPE_CHECKING:
    from planner.model.graph import Ints
    from planner.problem.bound import Bound
    from planner.problem.provenance import Provenance


class OrderBoard(Board[NetworkProblem, OrderEvaluation]):
    """One problem of a network with the order under edit, another read-only array (int32[W]) after every change."""

    def __init__(self) -> None:
        super().__init__()
        self.order: Ints = EMPTY
        self.known = Known()

    @property
    def open_problem(self) -> NetworkProblem:
        """The problem. Raises :class:`StageboardError` where nothing is open."""
        if self.problem is None:
            raise StageboardError("no network is open; open one first")
        return self.problem

    @property
    def device_of(self) -> Ints:
        """The order."""
        return self.order

    def own(self, device_of: Ints) -> Ints:
        """The same where nobody can change it, else a copy."""
        return frozen(device_of)

    def plan(self, provenance: Provenance, name: str) -> OrderPlan:
        """The order as a plan; it is not counted again."""
        problem, order = self.open_problem, ConnectionOrder(self.order)
        return OrderPlan(problem, order, self.evaluation, provenance, name or provenance.planner)

    def _evaluated(self) -> OrderEvaluation:
        return self.known.evaluate(self.open_problem, self.order)

    def remember(self, entry: OrderEntry) -> None:
        """Take over what was counted of an entry under the present problem."""
        if entry.evaluation is not None:
            self.known.remember(self.open_problem, entry.order, entry.evaluation)

    def reset(self, problem: NetworkProblem, first: OrderEntry, bounds: Iterable[Bound]) -> None:
        """Start over with a problem and an order of it."""
        self.order = first.order
        self.known.forget()
        self._reset(problem, bounds)
        self.remember(first)

    def enter(self, problem: NetworkProblem | None, ops: Ints, devices: Ints) -> None:
        """Take on another problem (None = the same), and the connections ``devices`` at the positions ``ops``."""
        if len(ops):
            order = self.order.copy()
            order[ops] = devices
            order.setflags(write=False)
            self.order = order
        self.problem = problem or self.open_problem
        self._changed()
