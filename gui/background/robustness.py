"""How sure is the plan on the canvas? Looked for in a process beside the window, told of as it comes."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np
from PySide6.QtCore import QObject, Signal

from gui.background.asking import Asking
from planner.problem.problem import Plan, Problem
from planner.problem.provenance import HAND, Provenance
from planner.processes.question import Answer
from planner.reports.robustness.investigation import Step, investigate
from planner.reports.robustness.report import Robustness, Settings
from planner.reports.robustness.retimed import why_not

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gui.document.plan.document import Document
    from planner.model.graph import Ints
    from planner.problem.bound import Bound

MOST_PLANS = 8
"""Plans of the list that are compared, the one on the canvas among them."""


class RobustnessSearch(QObject):
    """Asks about the plan on the canvas, one at a time. Call :meth:`close` before the window goes.

    ``changed`` says that something became known, or that the search began or ended; ``proven(Bound)`` that more is proven of the problem,
    which the document knows by then; ``failed(str)`` why it could not go on. An edit of the plan
    ends the search, and what is known speaks of the plan before.
    """

    changed = Signal()
    proven = Signal(object)
    failed = Signal(str)

    def __init__(self, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._asking = Asking(self)
        self._asking.told.connect(self._told)
        self._asking.answered.connect(self._answered)
        self.known: Robustness | None = None
        """What is known by now, of the plan that was asked about last."""
        self.words, self.done = "", 0.0
        """What is being done, and how much of it is."""
        self._bounds: list[Bound] = []
        """What the search was told of, or has told."""
        self._about: tuple[Problem, Ints] | None = None
        self._why_not: tuple[Problem, str] | None = None
        document.model_changed.connect(self.forget)
        for signal in (document.problem_changed, document.decision_changed):
            signal.connect(self._plan_changed)

    @property
    def running(self) -> bool:
        """Whether more is about to become known."""
        return self._asking.busy

    @property
    def current(self) -> bool:
        """Whether what is known, or looked for, is about the plan on the canvas."""
        document, about = self._document, self._about
        return (
            about is not None
            and about[0] == document.problem
            and np.array_equal(about[1], document.device_of)
        )

    @property
    def changed_since(self) -> str:
        """What has changed on the canvas since the search was asked for, as the start of a sentence; empty where nothing has."""
        before, now = None if self._about is None else self._about[0], self._document.problem
        if before is None or now is None or self.current:
            return ""
        if before.objective != now.objective:
            return "The objective has changed"
        if before.target != now.target:
            return "The machine has changed"
        if before.constraints != now.constraints:
            return "The constraints have changed"
        return "The plan has changed" if before == now else "The times of ops have changed"

    @property
    def refusal(self) -> str:
        """Why nothing can be said of the plan on the canvas, as a sentence; empty where it can."""
        problem = self._document.problem
        if problem is None:
            return "open a model to see how sure its plan is"
        if not self._document.evaluation.valid:
            return "the plan breaks rules: repair it first (Ctrl+R)"
        if self._why_not is None or self._why_not[0] != problem:
            self._why_not = (problem, why_not(problem))
        return self._why_not[1]

    def start(self, spread: float | None) -> None:
        """Look into the plan on the canvas and those of the list; ``spread`` as in :class:`Settings`. Nothing where it is refused."""
        if self.refusal:
            return
        document = self._document
        problem, device_of = document.open_problem, document.device_of.copy()
        self._about, self.known, self.words, self.done = (problem, device_of), None, "Drawing op times", 0.0
        self._bounds = list(document.bounds)
        self._asking.ask(investigate, self._plans(), tuple(self._bounds), Settings(spread=spread))
        self.changed.emit()

    def _plans(self) -> list[Plan]:
        """The plan on the canvas, then the best others of the list."""
        document, active = self._document, self._document.active
        problem = document.open_problem
        name = "the plan on the canvas" if active is None else active.name
        source = None if active is None else active.source
        plans = [problem.plan(document.device_of, source or Provenance(HAND), name)]
        others = [
            each for each in document.plans if each is not active and each.valid and each.is_of(problem)
        ]
        for entry in sorted(others, key=lambda each: each.components)[: MOST_PLANS - 1]:
            plan = document.plan_of(entry)
            if plan.problem == problem:
                plans.append(plan)
        return plans

    def stop(self) -> None:
        """End the search; what is known stays."""
        if self.running:
            self._asking.stop()
            self.words = ""
            self.changed.emit()

    close = stop

    def forget(self) -> None:
        """Another model: nothing is known of it."""
        self._asking.stop()
        self.known, self._about, self.words = None, None, ""
        self.changed.emit()

    def _plan_changed(self) -> None:
        """A search for a plan that is no longer on the canvas is of no use."""
        if self.running and not self.current:
            self._asking.stop()
            self.words = ""
        self.changed.emit()

    def _told(self, step: object) -> None:
        found = cast(Step, step)
        if found.known is not None:
            self.known = found.known
            self._keep(found.known.bounds)
        self.words, self.done = found.words, found.done
        self.changed.emit()

    def _keep(self, bounds: Sequence[Bound]) -> None:
        """What is proven of the problem as it is holds for every plan of it, whoever asked."""
        new = [bound for bound in bounds if bound not in self._bounds]
        self._bounds += new
        if new:
            self._document.add_bounds(new)
        for bound in new:
            self.proven.emit(bound)

    def _answered(self, answer: Answer) -> None:
        self.words = ""
        if answer.sentence:
            self.failed.emit(f"how sure the plan is was not found out: {answer.sentence}")
        self.changed.emit()
