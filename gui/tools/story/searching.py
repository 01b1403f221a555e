"""Running the search of a plan again, in a process beside the window: the better and better plans it found become keyframes."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from gui.background.asking import Asking
from gui.tools.story.frames import Frame, ModelSource, Shown
from gui.tools.story.recorder import of_search
from planner.machines.two_level_memory.problem import OrderPlan
from planner.problem.bound import Bound
from planner.problem.problem import Plan
from planner.processes.question import Answer


class Searching(Asking):
    """At most one search at a time: ``found`` brings its keyframes, ``failed`` a sentence and its detail."""

    found = Signal(object)
    failed = Signal(str, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._searched: tuple[Plan | OrderPlan, tuple[Bound, ...], ModelSource] | None = None
        self.answered.connect(self._take)

    def begin(self, plan: Plan | OrderPlan, bounds: tuple[Bound, ...], source: ModelSource) -> None:
        """Run the search of ``plan`` again; its keyframes are shown with ``bounds`` and the model's ``source``."""
        from gui.tools.story.search_course import course

        self._searched = (plan, bounds, source)
        self.ask(course, plan)

    def _take(self, answer: Answer) -> None:
        assert self._searched is not None
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
