"""One choice of the learned policy's weights for a window's training panel, its planners, and all windows from now on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from gui.panels.mcm.state import is_package
from gui.panels.mcm.training.chosen import OPTION, PLANNERS

if TYPE_CHECKING:
    from gui.editors.plan.body import GraphBody

KEY = "policy weights"
"""What the session keeps the path under."""


class PolicyWeights(QObject):
    """Hands the choice on, whoever makes it; where its file is gone, that is said once and the shipped weights plan."""

    def __init__(self, window: GraphBody) -> None:
        super().__init__(window)
        self._window, self._chosen = window, window.training.chosen
        self._chosen.changed.connect(self._hand_on)
        self._chosen.choose(window.memory.kept(KEY))
        window.planners.given_changed.connect(self._hear_planner)
        if window.session is not None:
            window.session.value_changed.connect(self._hear_window)
        for signal in (window.document.model_changed, window.document.problem_changed):
            signal.connect(self._tell_gone)
        self._tell_gone()

    def _hand_on(self) -> None:
        path = self._chosen.path
        for planner in PLANNERS:
            self._window.planners.keep(planner, {OPTION: path})
        self._window.memory.keep(KEY, path)

    def _hear_planner(self, name: str) -> None:
        """Another path, or none, was typed where a planner's options are."""
        if name in PLANNERS:
            self._chosen.choose(str(self._window.planners.given[name][OPTION]))

    def _hear_window(self, key: str) -> None:
        """Another window chose."""
        if key == KEY:
            self._chosen.choose(self._window.memory.kept(KEY))

    def _tell_gone(self) -> None:
        """Packages alone are planned with weights: before one is open their file is nobody's business."""
        window = self._window
        if is_package(window.document.problem) and self._chosen.is_gone:
            words = f"The weights that Learned policy was to plan with are gone ({self._chosen.path}): it plans with those that come with Stageboard."
            self._chosen.choose("")
            window.notice.show_message(
                "warning", words, action="Choose Others", run=lambda: window.focus_panel("training")
            )
