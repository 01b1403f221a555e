"""The colours that devices have in a window while it shows a plan as a story does: those of the slides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:
    from gui.document.plan.document import Document
    from planner.problem.problem import Plan


class StoryColours(QObject):
    """Which of the colours of devices each device has, from when a keyframe is shown for as long as most ops stay where its plan has them.

    As long, that is, as a story would go on in these colours (:mod:`planner.story.matching`); then devices have their own again.
    """

    changed = Signal()

    def __init__(self, document: Document) -> None:
        super().__init__(document)
        self.numbers: tuple[int, ...] = ()
        """None where each device has its own."""
        self._document = document
        self._shown: tuple[Plan, tuple[int, ...]] | None = None
        for signal in (document.decision_changed, document.problem_changed, document.model_changed):
            signal.connect(self._follow)

    def show(self, plan: Plan, numbers: Sequence[int]) -> None:
        """A keyframe with this plan is shown, whose devices have these numbers in its story; none where each has its own."""
        self._shown = (plan, tuple(numbers)) if numbers else None
        self._follow()

    def _follow(self, *_: object) -> None:
        numbers = self._shown[1] if self._shown is not None and self._stays(self._shown[0]) else ()
        if numbers != self.numbers:
            self.numbers = numbers
            self.changed.emit()

    def _stays(self, plan: Plan) -> bool:
        """Whether the plan on the canvas has most ops where this one has them."""
        problem, there = self._document.problem, plan.problem
        if problem is None or problem.graph.fingerprint != there.graph.fingerprint:
            return False
        if [device.name for device in problem.devices] != [device.name for device in there.devices]:
            return False
        alike = np.count_nonzero(self._document.device_of == plan.decision.device_of)
        return bool(2 * alike > problem.graph.n)
