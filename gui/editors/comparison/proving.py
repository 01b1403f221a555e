"""What is proven of compared plans without anybody asking: one problem after another, beside the window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from gui.background.proving_unasked import SETTLE, Proof, ProvingUnasked, Turns
from gui.widgets.later import Later
from planner.machines.catalogue import DEFAULT, bound_method
from planner.search.search import Shared

if TYPE_CHECKING:
    from gui.editors.comparison.state import CompareState
    from planner.problem.bound import Bound
    from planner.problem.problem import Plan


class ProvingCompared(QObject):
    """Runs the bound method ``auto`` on the problem of each valid plan that is not proven to be the best.

    The open problem is left to the window whose plans are compared. Nothing happens before :meth:`begin`. Call :meth:`close`
    before the window goes.
    """

    changed = Signal()
    """It began, went on to another plan, or ended."""

    def __init__(self, state: CompareState, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._beside: ProvingUnasked | None = None
        self._begun = False
        self._done = Turns()
        self._settle = Later(self._next, self, SETTLE)
        self._proof = Proof(self)
        self._proof.proven.connect(self._proven)
        self._proof.ended.connect(self._finished)
        state.comparison_changed.connect(self._changed)

    def begin(self, beside: ProvingUnasked | None = None) -> None:
        """Prove from now on; ``beside`` proves the open problem in the window whose plans are compared."""
        self._begun, self._beside = True, beside
        if beside is not None:
            beside.changed.connect(self.changed)
        self._changed()

    def busy(self, plan: int) -> bool:
        """Whether something is being proven of one of the plans."""
        problem = self._state.plans[plan].problem
        if problem == self._state.document.problem:
            return self._beside is not None and self._beside.running
        return self._proof.problem == problem

    @property
    def running(self) -> bool:
        """Whether it proves, or is about to."""
        return self._proof.running or self._settle.waiting

    def _wanting(self) -> list[Plan]:
        """The plans of which something is to be proven."""
        state, method = self._state, bound_method(DEFAULT)
        return [
            plan
            for plan in state.plans
            if plan.evaluation.valid
            and plan.problem != state.document.problem
            and plan.problem not in self._done
            and plan.problem.standing(plan.evaluation.values, state.bounds).gap != 0.0
            and method.refusal(plan.problem) is None
        ]

    def _changed(self) -> None:
        if not self._begun:
            return
        if self._proof.running and self._proof.problem not in [plan.problem for plan in self._wanting()]:
            self._proof.stop()
            self.changed.emit()
        if not self._proof.running and self._wanting():
            self._settle.ask()

    def _next(self) -> None:
        wanting = self._wanting()
        if not wanting or self._proof.running:
            return
        plan = wanting[0]
        alike = [other for other in wanting if other.problem == plan.problem]
        best = min(alike, key=lambda other: other.evaluation.values)
        shared = Shared(best.decision.device_of.copy(), tuple(best.evaluation.values))
        self._proof.start(plan.problem, self._state.bounds, shared)
        self.changed.emit()

    def _proven(self, bound: Bound) -> None:
        self._state.document.add_bounds([bound])
        self._state.refresh_soon()  # the document tells nobody of bounds that are not about its problem

    def _finished(self) -> None:
        if self._proof.problem is not None:
            self._done.add(self._proof.problem)
        self._proof.stop()
        self.changed.emit()
        self._changed()

    def close(self) -> None:
        """End it for good."""
        self._begun = False
        self._settle.stop()
        self._proof.stop()
