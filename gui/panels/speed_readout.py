"""How many inferences a second a plan makes, and the way to more where memory is not what is short."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal

from gui.look.theme import Theme
from gui.panels.readout_figures import figures_tip, speed_shown
from gui.widgets.labels import capital
from gui.widgets.plain import plain_tip
from gui.widgets.readout import Readout
from gui.words.objectives import objective_title

if TYPE_CHECKING:
    from planner.problem.decision import Evaluation
    from planner.problem.problem import Problem


class SpeedReadout(Readout):
    """Throughput of a plan whose objective is about memory. ``suggestion_taken``: plan for the objective that suits it better."""

    suggestion_taken = Signal()
    keyboard_left = Signal()
    """The link that had the keyboard goes."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "Inferences per second")
        self.faster = self.add_link("plan for speed", "")
        self.faster.clicked.connect(lambda _=False: self.suggestion_taken.emit())
        self.faster.hide()

    def show_speed(self, problem: Problem, evaluation: Evaluation, instead: str, why: str) -> None:
        """Show the plan's throughput; ``instead`` is an objective that suits it better (empty: none does), and ``why``."""
        tip = figures_tip(problem, evaluation)
        self.show_value(*speed_shown(problem, evaluation, brief=bool(instead)), tip=tip)
        if instead:
            title = objective_title(instead)
            said = f"{capital(why)}: plan for {title} instead, which Undo takes back"
            self.faster.setToolTip(plain_tip(said))
            self.faster.setAccessibleName(f"Plan for {title}")
        elif self.faster.hasFocus():
            self.keyboard_left.emit()
        self.faster.setVisible(bool(instead))
