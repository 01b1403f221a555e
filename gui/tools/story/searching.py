"""Running the search of a plan again, in a process beside the window: the better and better plans it found become keyframes."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from gui.tools.story.draft import Frame, ModelSource, Shown
from gui.tools.story.recorder import of_search
from planner.machines.two_level_memory.problem import OrderPlan
from planner.problem.bound import Bound
from planner.problem.problem import Plan
from planner.processes.question import Aside

LOOK_MS = 80


class Searching(QObject):
    """At most one search at a time: ``found`` brings its keyframes, ``failed`` a sentence and its detail.

    Call :meth:`cancel` before the window goes.
    """

    found = Signal(object)
    failed = Signal(str, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._aside: Aside | None = None
        self._searched: tuple[Plan | OrderPlan, tuple[Bound, ...], ModelSource] | None = None
        self._timer = QTimer(self, interval=LOOK_MS)
        self._timer.timeout.connect(self._look)

    @property
    def busy(self) -> bool:
        """Whether a search is being run again."""
        return self._aside is not None

    def begin(self, plan: Plan | OrderPlan, bounds: tuple[Bound, ...], source: ModelSource) -> None:
        """Run the search of ``plan`` again; its keyframes are shown with ``bounds`` and the model's ``source``."""
        from gui.tools.story.search_course import course

        self._aside = Aside(course, plan)
        self._searched = (plan, bounds, source)
        self._timer.start()

    def _look(self) -> None:
        answer = None if self._aside is None else self._aside.poll()
        if answer is None or self._searched is None:
            return
        self.cancel()
        if answer.sentence:
            self.failed.emit(answer.sentence, answer.detail)
            return
        plan, bounds, source = self._searched
        frames: list[Frame] = []
        before: Plan | OrderPlan | None = None
        for decision in answer.value:
            step = plan.problem.plan(decision, plan.provenance, plan.name)
            frames.append(Frame(of_search(step, bounds, before), Shown(step, bounds, source)))
            before = step
        self.found.emit(frames)

    def cancel(self) -> None:
        """End the process, if there is one."""
        self._timer.stop()
        if self._aside is not None:
            self._aside.close()
            self._aside = None
