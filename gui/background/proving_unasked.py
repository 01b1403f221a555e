"""What is proven of the open problem without anybody asking: beside the window, for a few seconds, whenever the problem changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal

from gui.document.proven_here import PROVEN
from gui.document.values import Message
from gui.widgets.later import Later
from planner.errors import StageboardError
from planner.machines.catalogue import DEFAULT, bound_method
from planner.runs.messages import Compiling, Ended, Failed, Order, Proven
from planner.runs.worker import Worker
from planner.search.search import Shared

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gui.background.job import Job
    from gui.background.jobs import Jobs
    from gui.document.document import PlannedDocument
    from planner.problem.base import PlanningProblem
    from planner.problem.bound import Bound

    AnyDocument = PlannedDocument[Any, Any]

SETTLE = 200
"""Milliseconds for which a problem must rest: several pins are one change."""
UNASKED = 6.0
"""Seconds of processor time that is spent unasked at most: beside a window that is used there is more of it than before a command ends."""
ASKED = 60.0
"""Seconds of processor time that a proof takes at most for which somebody asks."""
PROVING, PREPARING_PROOF = "proving …", "preparing a proof …"
REMEMBERED = 64
"""Problems of which it is remembered that they had their turn."""


class Proof(QObject):
    """The bound method ``auto`` on one problem, in a process of its own: starts once, and tells what it proves until it ends.

    ``proven(Bound)``, ``ended()`` when it comes to its end by itself. Call :meth:`stop` before the window goes.
    """

    proven = Signal(object)
    ended = Signal()
    compiling_changed = Signal()
    POLL_MS = 40

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.problem: PlanningProblem | None = None
        """What is being proven of; None: nothing is."""
        self.compiling = False
        """Whether its process compiles what it needs just now, or waits for another that does."""
        self._worker: Worker | None = None
        self._timer = QTimer(self, interval=self.POLL_MS)
        self._timer.timeout.connect(self._poll)

    @property
    def running(self) -> bool:
        """Whether it has started and not ended."""
        return self._worker is not None

    def start(self, problem: PlanningProblem, bounds: Iterable[Bound], best: Shared | None) -> None:
        """Prove beyond ``bounds``; where ``best``, a valid plan, is proven to be the best there is nothing left to prove."""
        self.stop()
        self.problem = problem
        self._worker = Worker()
        self._worker.start(
            Order(DEFAULT, problem, is_bound=True, options={"seconds": UNASKED}, bounds=list(bounds))
        )
        if best is not None:
            self._worker.tell(best)
        self._timer.start()

    def _poll(self) -> None:
        assert self._worker is not None
        for message in self._worker.poll():
            if isinstance(message, Proven):
                self.proven.emit(message.bound)
            elif isinstance(message, Compiling):
                self.compiling = message.now
                self.compiling_changed.emit()
            elif isinstance(message, (Ended, Failed)):
                if isinstance(message, Ended) and message.result.stop_reason == "finished":
                    assert self.problem is not None, "it runs"
                    PROVEN.exhaust(self.problem)
                self.ended.emit()
                return

    def stop(self) -> None:
        """End it."""
        self._timer.stop()
        if self._worker is not None:
            if not self._worker.finished:
                self._worker.close(grace=0.0)
            self._worker = None
        self.problem, self.compiling = None, False


class Turns:
    """The problems that had their turn: what was proven once, for as long as that took, is not proven again."""

    def __init__(self) -> None:
        self._done: dict[PlanningProblem, None] = {}

    def __contains__(self, problem: object) -> bool:
        return problem in self._done

    def add(self, problem: PlanningProblem) -> None:
        """Remember it, and forget the oldest of many."""
        self._done[problem] = None
        while len(self._done) > REMEMBERED:
            del self._done[next(iter(self._done))]


class ProvingUnasked(QObject):
    """Runs the bound method ``auto`` on each new problem, in a process of its own.

    Nothing happens before :meth:`begin`. Moving ops changes no problem, so it asks for no proof; a plan that is proven already
    needs none. Call :meth:`close` before the window goes.
    """

    changed = Signal()
    """It began, or ended."""

    def __init__(self, document: AnyDocument, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document, self._jobs = document, jobs
        self._begun = False
        self._done = Turns()
        self._settle = Later(self._start, self, SETTLE, about=self._about)
        self._proof = Proof(self)
        self._proof.proven.connect(self._proven)
        self._proof.ended.connect(self._finished)
        self._proof.compiling_changed.connect(self.changed)
        self._asked: Job | None = None
        self._known: Bound | None = None
        for signal in (document.model_changed, document.problem_changed):
            signal.connect(self._problem_changed)
        for signal in (jobs.jobs_changed, jobs.ended):
            signal.connect(self._jobs_changed)
        jobs.ended.connect(self._asked_ended)

    @property
    def begun(self) -> bool:
        """Whether it proves at all."""
        return self._begun

    @property
    def running(self) -> bool:
        """Whether something is being proven of the open problem, unasked or asked for, or about to be."""
        asked = any(job.is_bound and job.problem == self._document.problem for job in self._jobs.running)
        return asked or self._proof.running or self._settle.waiting

    @property
    def words(self) -> str:
        """What is done just now, for the readouts; empty where nothing is."""
        return "" if not self.running else PREPARING_PROOF if self._proof.compiling else PROVING

    def begin(self) -> None:
        """Prove from now on, the open problem first. Call when the window is up."""
        self._begun = True
        self._problem_changed()

    def _jobs_changed(self, *_: object) -> None:
        """A proof that somebody asked for may have begun or ended."""
        self.changed.emit()

    def _about(self) -> PlanningProblem | None:
        return self._document.problem

    def _problem_changed(self) -> None:
        problem = self._document.problem
        if self._proof.running and problem == self._proof.problem:
            return
        self._proof.stop()
        self._settle.stop()
        if self._begun and problem is not None and problem.size and problem not in self._done:
            self._settle.ask()
        self.changed.emit()

    def _start(self) -> None:
        problem, document = self._document.problem, self._document
        if problem is None or document.gap == 0.0 or bound_method(DEFAULT).refusal(problem) is not None:
            self.changed.emit()
            return
        best = _open_plan(document) if document.evaluation.valid else None
        self._proof.start(problem, document.bounds, best)
        self.changed.emit()

    def _proven(self, bound: Bound) -> None:
        self._document.add_bounds([bound])
        self._jobs.hear(bound)

    def _finished(self) -> None:
        if self._proof.problem is not None:
            self._done.add(self._proof.problem)
        self._proof.stop()
        self.changed.emit()
        if PROVEN.exhausted(self._document.problem):
            self._document.readouts_changed.emit()

    def prove_more(self) -> Job | None:
        """Spend up to a minute of processor time on a stronger bound, as a job like any other; None where nothing proves bounds for the problem."""
        document, problem = self._document, self._document.problem
        if problem is None:
            return None
        self.stop()
        order = Order(
            DEFAULT, problem, is_bound=True, options={"seconds": ASKED}, bounds=list(document.bounds)
        )
        try:
            job = self._jobs.start(order, "Proof", follow=False)
        except StageboardError as error:
            document.message.emit(Message("warning", str(error)))
            return None
        self._asked, self._known = job, problem.strongest_bound(document.bounds)
        if document.evaluation.valid:
            self._jobs.tell(job, _open_plan(document))
        return job

    def _asked_ended(self, job: Job) -> None:
        """Say what came of a proof that somebody asked for where it shows nowhere, unless it was stopped or another problem is open."""
        if job is not self._asked:
            return
        document, self._asked = self._document, None
        if job.stop_reason == "finished":
            PROVEN.exhaust(job.problem)
            document.readouts_changed.emit()
        if job.state != "done" or job.problem != document.problem or document.gap == 0.0:
            return
        if job.problem.strongest_bound(document.bounds) != self._known:
            return
        took = f"{job.time_words} of search"
        document.message.emit(
            Message(
                "info",
                f"no stronger bound after {took}: the methods that Prove asks have no more to prove; others stand in Planners"
                if job.stop_reason == "finished"
                else f"no stronger bound after {took}; a bound method of Planners may take longer",
            )
        )

    def stop(self) -> None:
        """Leave the open problem alone: somebody else proves."""
        self._settle.stop()
        self._proof.stop()
        self.changed.emit()

    def close(self) -> None:
        """End it for good."""
        self._begun = False
        self._settle.stop()
        self._proof.stop()


def _open_plan(document: AnyDocument) -> Shared:
    """The plan on the canvas, for whoever proves: proven to be the best, there is nothing left to prove."""
    return Shared(document.device_of.copy(), tuple(document.evaluation.values))
