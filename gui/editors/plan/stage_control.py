"""How many stages the machine has, as a control in the header: − 4 TPUs +."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QSpinBox, QToolButton, QWidget

from gui.document.plan.document import Document
from gui.document.values import Message
from gui.look.numbers import MINUS
from planner.errors import StageboardError
from planner.runs.stage_counts import MOST_STAGES, has_stages, with_stages


def set_stages(document: Document, count: int) -> bool:
    """Plan for another number of stages: one undo step, as any change of the target. Raises :class:`StageboardError`."""
    problem = document.board.open_problem
    if not has_stages(problem):
        raise StageboardError(
            f"{problem.target.in_words} has no row of stages; choose a pipeline as the target (Ctrl+T)"
        )
    if not 1 <= count <= MOST_STAGES:
        raise StageboardError(
            f"{count} stages are not offered here; from 1 to {MOST_STAGES} (more in Target, Ctrl+T)"
        )
    # Without constraints: those that make no sense on fewer stages are dropped with a word by the edit itself.
    target = with_stages(problem.with_constraints(()), count).target
    return document.set_problem(target, problem.objective)


class StageControl(QWidget):
    """A spin box with two buttons, there for targets that are a row of stages."""

    def __init__(self, document: Document, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self.spin = QSpinBox(self)
        self.spin.setRange(1, MOST_STAGES)
        self.spin.setKeyboardTracking(False)
        self.spin.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.spin.setAccessibleName("Number of stages")
        self.spin.setFixedWidth(74)
        self.spin.valueChanged.connect(self._changed)
        self.fewer = self._button(MINUS, "One stage fewer (<)", -1)
        self.more = self._button("+", "One stage more (>)", 1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        for widget in (self.fewer, self.spin, self.more):
            row.addWidget(widget)
        for signal in (document.model_changed, document.problem_changed):
            signal.connect(self.refresh)
        self.refresh()

    def _button(self, text: str, tip: str, by: int) -> QToolButton:
        button = QToolButton(self)
        button.setText(text)
        button.setToolTip(tip)
        button.setAccessibleName(tip.partition(" (")[0])
        button.setFixedSize(22, 24)
        button.clicked.connect(lambda _=False: self.spin.setValue(self.spin.value() + by))
        return button

    def refresh(self) -> None:
        """Show the target's count; nothing where it has none, or more than the control offers."""
        problem = self._document.problem
        count = getattr(problem.target, "count", 0) if problem is not None and has_stages(problem) else 0
        offered = problem is not None and 1 <= count <= MOST_STAGES
        self.setVisible(offered)
        if problem is None or not offered:
            return
        one, many = problem.target.words.counted
        self.spin.blockSignals(True)
        self.spin.setSuffix(f" {one if count == 1 else many}")
        self.spin.setValue(count)
        self.spin.blockSignals(False)
        self.spin.setToolTip(
            "Number of stages: planned anew for each. The plan for those of now stays in Plans; undo takes it back"
        )
        self.fewer.setEnabled(count > 1)
        self.more.setEnabled(count < MOST_STAGES)

    def _changed(self, count: int) -> None:
        try:
            set_stages(self._document, count)
        except StageboardError as error:
            self._document.message.emit(Message("error", str(error)))
            self.refresh()
