"""A planner that finds nothing: is there a valid plan at all? Looked into beside it, without being asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from gui.background.infeasible import Checking

if TYPE_CHECKING:
    from gui.background.job import Job
    from gui.document.plan.document import Document
    from planner.feasibility import Explanation
    from planner.methods.feasibility.conflicts import Conflict
    from planner.problem.problem import Problem

PATIENCE = 3.0
"""Seconds that a planner has for its first plan before anybody doubts that there is one."""


class Doubting(QObject):
    """Watches planners on the open problem whose plan on the canvas breaks rules. Call :meth:`stop` before the window goes.

    ``disproved(Job, str)``: no plan is valid, for the reason that the sentence says (perhaps none), and ``Job`` was looking for one.
    """

    disproved = Signal(object, str)

    def __init__(self, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._checking = Checking(document, self)
        self._checking.found.connect(self._found)
        for signal in (document.model_changed, document.problem_changed):
            signal.connect(self._forget)
        self._job: Job | None = None
        self._settled: Problem | None = None
        """The problem that was looked into last: while it is open its answer does not change."""

    @property
    def running(self) -> bool:
        """Whether a proof is being looked for."""
        return self._checking.busy

    def job_changed(self, job: Job) -> None:
        """There is news of a job: begin to doubt it, or stop."""
        hopeless = job.components is None and not job.infeasible and job.state != "cancelled"
        if job is self._job and self.running:
            if not hopeless:
                self.stop()
                self._forget()  # nobody waited for the answer: the next planner may be doubted
        elif (
            hopeless
            and job.alive
            and job.seconds >= PATIENCE
            and not job.order.is_bound
            and not self.running
            and job.problem == self._document.problem
            and job.problem != self._settled
            and not self._document.evaluation.valid
        ):
            self._job, self._settled = job, job.problem
            if self._document.board.infeasible:
                self._disprove(self._document.board.why_none)
            else:
                self._checking.start()

    def stop(self) -> None:
        """Look no further."""
        self._checking.stop()
        self._job = None

    def _forget(self) -> None:
        """Another problem, or no answer for this one: when it is open again it is looked into again."""
        self._settled = None

    def _found(self, problem: Problem, explanation: Explanation) -> None:
        if explanation.status == "infeasible":
            self._disprove(explanation)

    def _disprove(self, why: Conflict | Explanation | None) -> None:
        job, self._job = self._job, None
        if job is not None:
            self.disproved.emit(job, "" if why is None else why.sentence)
