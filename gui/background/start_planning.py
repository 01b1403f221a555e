"""Making a start plan beside the window: on a thread; where its planner is not compiled yet, in a process, for a compiler holds up all threads."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from gui.background.asking import Asking
from gui.widgets.background_thread import Background
from planner.compiling.kernel import interpret, interprets
from planner.errors import StageboardError
from planner.problem.problem import Problem
from planner.processes.question import Answer
from planner.runs.start_plan import StartPlan, first_plan_or_conflict, plan_or_conflict, to_compile


class StartPlanning(QObject):
    """Makes at most one start plan at a time; the latest request counts. Call :meth:`close` before the window goes."""

    busy_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._thread = Background("stageboard-start-plan", self)
        self._process = Asking(self)
        self._asked: tuple[Problem, Callable[[object], None]] | None = None
        """What the process plans for, and who is to hear of it."""
        self._thread.busy_changed.connect(self.busy_changed)
        self._process.busy_changed.connect(self.busy_changed)
        self._process.answered.connect(self._answered)

    @property
    def busy(self) -> bool:
        """Whether a plan is being made, or :meth:`run` does something."""
        return self._thread.busy or self._process.busy

    def run(self, work: Callable[[], object], deliver: Callable[[object], None]) -> None:
        """Instead of making a plan do ``work`` on the thread, and give ``deliver`` what comes of it, an exception too."""
        self.cancel()
        self._thread.run(lambda _stopped: work(), deliver)

    def make(self, problem: Problem, doubtful: bool, deliver: Callable[[object], None]) -> None:
        """Give ``deliver`` what :func:`planner.runs.start_plan.plan_or_conflict` returns, or raises."""
        self.cancel()
        interpreted = interprets()

        def work(stopped: Callable[[], bool]) -> object:
            if interpreted and to_compile(problem):
                return None
            return _evaluated(problem, plan_or_conflict(problem, doubtful, stopped))

        def made(found: object) -> None:
            if found is not None:
                deliver(found)
                return
            self._asked = problem, deliver
            self._process.ask(first_plan_or_conflict, problem, doubtful)

        self._thread.run(work, made)

    def _answered(self, answer: Answer) -> None:
        assert self._asked is not None
        (problem, deliver), self._asked = self._asked, None
        if answer.sentence:
            deliver(StageboardError(answer.sentence))
            return

        def work(_stopped: Callable[[], bool]) -> object:
            interpret(True)
            return _evaluated(problem, answer.value)

        self._thread.run(work, deliver)

    def cancel(self) -> None:
        """Nobody waits any more."""
        self._process.stop()
        self._thread.cancel()

    def close(self) -> None:
        """End the process and the thread."""
        self._process.stop()
        self._thread.close()


def _evaluated(problem: Problem, found: object) -> object:
    """The same, after the list of plans will not have to wait for its evaluation."""
    if isinstance(found, StartPlan):
        problem.evaluate(found.device_of)
    return found
