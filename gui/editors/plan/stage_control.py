"""How many stages, chips or accelerators the machine has, as a control in the header: − 4 TPUs +."""

from __future__ import annotations

import math

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QToolButton, QWidget

from gui.document.plan.document import Document
from gui.document.values import Message
from gui.look.numbers import MINUS
from gui.widgets.later import Later
from gui.widgets.number_boxes import WholeNumberBox
from gui.widgets.offering import offer
from planner.errors import StageboardError
from planner.problem.problem import Problem
from planner.runs.stage_counts import MOST, count_of, one_on_chip, throughput, with_count

TOLD = 1.05
"""From which factor on the speed of one stage is worth a word."""


LEAST_WIDTH, BESIDE_COUNT = 74, 24
"""Of the box, and what it needs beside its words."""


def factor_text(factor: float) -> str:
    """``3.1×``."""
    return f"{factor:.1f}×" if factor < 100 else f"{factor:.0f}×"


def set_count(document: Document, count: int) -> bool:
    """Plan for another number of stages, chips or accelerators: one undo step, as any change of the target. Raises :class:`StageboardError`."""
    problem = document.board.open_problem
    counted = problem.target.counted
    if counted is not None and not 1 <= count <= MOST:
        raise StageboardError(
            f"{count} {counted.many} are not offered here; from 1 to {MOST} (more in Target, Ctrl+T)"
        )
    # Without constraints: those that make no sense on fewer devices are dropped with a word by the edit itself.
    target = with_count(problem.with_constraints(()), count).target
    return document.set_problem(target, problem.objective)


class StageControl(QWidget):
    """A spin box with two buttons, there for targets that have a number of something."""

    def __init__(self, document: Document, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self.spin = WholeNumberBox(self)
        self.spin.setRange(1, MOST)
        self.spin.setKeyboardTracking(False)
        self.spin.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.spin.valueChanged.connect(self._changed)
        self.fewer = self._button(MINUS, -1)
        self.more = self._button("+", 1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        self.one = QPushButton("", self)
        self.one.setObjectName("link")
        self.one.clicked.connect(lambda _=False: self.spin.setValue(1))
        self._alone: tuple[Problem, float] | None = None
        """A problem, and the throughput of one stage that holds everything on chip; NaN where none does."""
        self._compare_later = Later(self._compare, self)
        for widget in (self.one, self.fewer, self.spin, self.more):
            row.addWidget(widget)
        for signal in (document.model_changed, document.problem_changed):
            signal.connect(self.refresh)
        document.decision_changed.connect(self._compare_later.ask)
        self.refresh()

    def _button(self, text: str, by: int) -> QToolButton:
        button = QToolButton(self)
        button.setText(text)
        button.setFixedSize(22, 24)
        button.clicked.connect(lambda _=False: self.spin.setValue(self.spin.value() + by))
        return button

    def refresh(self) -> None:
        """Show the target's count; nothing where it has none, or more than the control offers."""
        problem = self._document.problem
        count = 0 if problem is None else count_of(problem)
        counted = None if problem is None else problem.target.counted
        offered = 1 <= count <= MOST
        self.setVisible(offered)
        self._compare_later.ask()
        if counted is None or not offered:
            return
        one, many = counted.one, counted.many
        self.spin.blockSignals(True)
        self.spin.setSuffix(f" {one if count == 1 else many}")
        self.spin.setValue(count)
        self.spin.blockSignals(False)
        width = self.spin.fontMetrics().horizontalAdvance(f"{MOST} {many}") + BESIDE_COUNT
        self.spin.setFixedWidth(max(LEAST_WIDTH, width))
        self.spin.setAccessibleName(f"Number of {many}")
        for button, more, key in ((self.fewer, "fewer", "<"), (self.more, "more", ">")):
            limit = count > 1 if more == "fewer" else count < MOST
            lacking = (
                ""
                if limit
                else f"there is one {one} only"
                if more == "fewer"
                else f"there are at most {MOST} {many}"
            )
            offer(button, lacking, f"One {one} {more} ({key})")
            button.setAccessibleName(f"One {one} {more}")
        self.spin.setToolTip(
            f"Number of {many}: planned anew for each. The plan for those of now stays in Plans; undo takes it back"
        )

    def _compare(self) -> None:
        """How the plan goes beside one stage that holds all parameters on chip: the way there, where that is faster."""
        problem, factor = self._document.problem, math.nan
        evaluation = None if problem is None else self._document.evaluation
        if (
            problem is not None
            and evaluation is not None
            and evaluation.valid
            and "dram" in evaluation.details
        ):
            if self._alone is None or self._alone[0] is not problem:
                alone = one_on_chip(problem)
                self._alone = problem, math.nan if alone is None else throughput(alone)
            factor = self._alone[1] / throughput(evaluation)
        told = factor > 0 and math.isfinite(factor) and max(factor, 1 / factor) >= TOLD
        self.one.setVisible(told)
        if problem is None or not told:
            return
        one, many = problem.target.words.counted
        count = f"{len(problem.devices)} {many}"
        faster = factor > 1
        self.one.setText(
            f"{factor_text(factor)} faster on one {one}"
            if faster
            else f"{factor_text(1 / factor)} as fast as one {one}"
        )
        tip = (
            f"One {one} holds all parameters on chip and makes {factor_text(factor)} the inferences per second of this plan (estimated)."
            " Click to plan for it; Undo comes back"
            if faster
            else f"This plan on {count} makes {factor_text(1 / factor)} the inferences per second of one {one}, which holds all parameters"
            " on chip (estimated)"
        )
        offer(self.one, "" if faster else tip, tip)

    def _changed(self, count: int) -> None:
        try:
            set_count(self._document, count)
        except StageboardError as error:
            self._document.message.emit(Message("error", str(error)))
            self.refresh()
