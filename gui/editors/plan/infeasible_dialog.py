"""The dialog that says whether there is a valid plan, what stands in the way, and what would help, one click each."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from gui.background.infeasible import rule_text, status_text
from gui.look.numbers import plural
from gui.look.theme import font
from gui.widgets.emptying import clear
from gui.widgets.labels import capital, set_role
from gui.widgets.later import soon
from gui.widgets.plain import PlainLabel
from gui.words.objectives import components_shortly

if TYPE_CHECKING:
    from planner.feasibility import Explanation, Remedy
    from planner.methods.feasibility.conflicts import Conflict
    from planner.model.graph import Ints
    from planner.problem.problem import Problem

MOST_OPS = 500
"""More ops than anyone reads; the rest is counted."""
MOST_HEIGHT = 120
"""Pixels of their list."""


def _cost_words(problem: Problem, device_of: Ints) -> str:
    """What the plan that was found (int32[n]) costs: it shows that there is one, and need not be a good one."""
    return f"The plan found has {components_shortly(problem, problem.evaluate(device_of).values)}; a planner may find a better one."


class FeasibilityDialog(QDialog):
    """Beside the window, not in its way. What is chosen here is done by whoever listens."""

    ops_chosen = Signal(object)
    """Select these ops (int32 array) and show them."""
    remedy_chosen = Signal(object)
    plan_chosen = Signal(object)
    """Put this plan (int32[n]) on the canvas."""
    repair_requested = Signal()
    planner_requested = Signal()
    again_requested = Signal()
    cancelled = Signal()
    """Look no further."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Is there a valid plan?")
        self.setFont(font(9.0))
        self.resize(560, 480)
        self.heading = self._label("heading")
        self.sentence = self._label("")
        self.sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.busy = QProgressBar(self)
        self.busy.setRange(0, 0)
        self.busy.setAccessibleName("Looking for an explanation")
        self.rules = self._label("muted")
        self.ops_title = self._label("heading")
        self.ops = QListWidget(self)
        self.ops.setAccessibleName("Ops responsible")
        self.ops.itemClicked.connect(self._go)
        self.ops.itemActivated.connect(self._go)
        self.all_ops = self._button("Select them all", self._select_all, "link")
        self.remedies_title = self._label("heading")
        self._remedies = QVBoxLayout()
        self._remedies.setSpacing(8)
        self._inside = inside = QWidget()
        inside.setObjectName("scrolled")
        column = QVBoxLayout(inside)
        column.setContentsMargins(12, 10, 12, 10)
        column.setSpacing(6)
        ops_row = QHBoxLayout()
        ops_row.addWidget(self.ops_title, 1)
        ops_row.addWidget(self.all_ops)
        for widget in (self.heading, self.sentence, self.busy, self.rules):
            column.addWidget(widget)
        column.addLayout(ops_row)
        column.addWidget(self.ops)
        column.addWidget(self.remedies_title)
        column.addLayout(self._remedies)
        column.addStretch(1)
        self._area = area = QScrollArea(self)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(inside)
        self.repair = self._button("Repair the plan", self.repair_requested.emit)
        self.show_plan = self._button("Show the plan found", self._show_plan)
        self.planner = self._button("Start a planner", self.planner_requested.emit, "primary")
        self.again = self._button("Check again", self.again_requested.emit)
        self.stop = self._button("Cancel", self.cancelled.emit)
        self.done_button = self._button("Close", self.close)
        buttons = QHBoxLayout()
        for button in (self.planner, self.repair, self.show_plan, self.again):
            buttons.addWidget(button)
        buttons.addStretch(1)
        buttons.addWidget(self.stop)
        buttons.addWidget(self.done_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 14, 16, 12)
        layout.addWidget(area, 1)
        layout.addLayout(buttons)
        self._ops: tuple[int, ...] = ()
        self._plan: np.ndarray | None = None
        self.applied: Remedy | None = None
        """The remedy that was applied, while that is what it shows."""
        self.show_search()

    def _label(self, role: str) -> QLabel:
        label = PlainLabel("", self)
        label.setWordWrap(True)
        label.setTextFormat(Qt.TextFormat.PlainText)
        set_role(label, role)
        return label

    def _button(self, text: str, run: Callable[[], object], name: str = "") -> QPushButton:
        button = QPushButton(text, self)
        button.setAutoDefault(False)
        if name:
            button.setObjectName(name)
        button.clicked.connect(lambda _=False: run())
        return button

    # ------------------------------------------------------------------ what it says
    def _say(self, heading: str, sentence: str, role: str = "heading") -> None:
        self.heading.setText(heading)
        set_role(self.heading, role)
        self.sentence.setText(sentence)
        self.setAccessibleDescription(f"{heading}. {sentence}")

    def _clear(self) -> None:
        self._ops, self._plan, self.applied = (), None, None
        self.ops.clear()
        clear(self._remedies)
        for widget in (
            self.busy, self.rules, self.ops_title, self.ops, self.all_ops, self.remedies_title, self.repair,
            self.show_plan, self.planner, self.again, self.stop,
        ):  # fmt: skip
            widget.hide()

    def show_search(self) -> None:
        """It is being looked for."""
        self._clear()
        self._say(
            "Looking for a valid plan, or why there is none …",
            "Rules and constraints are checked in the background.",
        )
        self.busy.show()
        self.stop.show()

    def show_proof(self, problem: Problem, conflict: Conflict) -> None:
        """That there is no valid plan is seen without a search; what would help is being looked for."""
        self._clear()
        self._say(status_text("infeasible"), capital(conflict.sentence), "bad")
        self._show_ops(problem, conflict.ops, "responsible")
        self.remedies_title.setText("Trying out what would help …")
        self.remedies_title.show()
        self.busy.show()
        self.stop.show()

    def show_failure(self, sentence: str) -> None:
        """Nothing was found out."""
        self._clear()
        self._say("No answer", capital(sentence), "warning")
        self.again.show()

    def show_stale(self) -> None:
        """The problem is another one now."""
        self._clear()
        self._say("The problem has changed", "What was said here was about the one before.")
        self.again.show()

    def show_explanation(self, problem: Problem, explanation: Explanation, valid: bool) -> None:
        """What was found out about ``problem``; ``valid``: the plan on the canvas keeps all rules."""
        self._clear()
        role = {"feasible": "good", "infeasible": "bad"}.get(explanation.status, "warning")
        proven = explanation.status == "infeasible"
        said = capital(explanation.sentence)
        if explanation.device_of is not None and not proven:
            said = f"{said.rstrip('.')}. {_cost_words(problem, explanation.device_of)}".removeprefix(". ")
        self._say(status_text(explanation.status), said, role)
        if explanation.rules:
            told = "\n".join(f"•  {rule_text(problem, rule)}" for rule in explanation.rules)
            together = ", taken together" if len(explanation.rules) > 1 else ""
            what = f"What rules every plan out{together}" if proven else "What holds plans back"
            self.rules.setText(f"{what}:\n{told}")
            self.rules.show()
        if explanation.ops:
            self._show_ops(problem, explanation.ops, "responsible" if proven else "involved")
        if explanation.remedies:
            self.remedies_title.setText("What would help (each is one step, which Undo takes back)")
            self.remedies_title.show()
            for remedy in explanation.remedies:
                self._remedies.addWidget(self._remedy(remedy))
        self._plan = explanation.device_of
        feasible = explanation.status == "feasible"
        self.repair.setVisible(feasible and not valid)
        self.show_plan.setVisible(self._plan is not None and not valid)
        self.planner.setVisible(not proven)
        self._stress()

    def _show_ops(self, problem: Problem, ops: tuple[int, ...], part: str) -> None:
        self._ops = ops
        more = f" (the first {MOST_OPS} are listed)" if len(ops) > MOST_OPS else ""
        self.ops_title.setText(
            f"{plural(len(ops), 'op')} {part}; click {'one' if len(ops) > 1 else 'it'} to go there{more}"
        )
        for op in ops[:MOST_OPS]:
            item = QListWidgetItem(problem.graph.op_names[op])
            item.setData(Qt.ItemDataRole.UserRole, op)
            self.ops.addItem(item)
        self.ops.setFixedHeight(min(MOST_HEIGHT, len(ops) * (self.ops.sizeHintForRow(0) + 2) + 8))
        self.ops_title.show()
        self.ops.show()
        self.all_ops.setVisible(len(ops) > 1)

    def _remedy(self, remedy: Remedy) -> QWidget:
        row = QWidget(self)
        button = self._button(remedy.title, lambda: self.remedy_chosen.emit(remedy))
        button.setAccessibleDescription(remedy.sentence)
        sentence = self._label("muted")
        checked = "" if remedy.verified else " Whether that is enough was not settled in the time given."
        sentence.setText(f"{capital(remedy.sentence).rstrip('.')}.{checked}")
        line = QVBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(2)
        line.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        line.addWidget(sentence)
        return row

    def show_done(
        self, remedy: Remedy, valid: bool, anew: bool = False, fullest: str = "", stuck: str = ""
    ) -> None:
        """A remedy was applied: what now? ``valid``: the plan on the canvas keeps all rules now, and what its ``fullest``
        device holds; ``anew``: one is being made; ``stuck``: why it does not run all the same."""
        first = self.applied is None
        self._clear()
        self.applied = remedy
        what = f"{capital(remedy.sentence).rstrip('.')}. "
        if anew:
            what += "A plan is made anew; the one before stays in Plans."
        elif valid:
            # The remedy's sentence is about the plan that was found for it: this one may be another.
            what = f"The plan on the canvas is valid now{': in it ' if fullest else ''}{fullest}."
            if stuck:
                what += f" Simulated, it {stuck}. Simulate, in Package, says what to do."
        else:
            what += "The ops stayed where they were; now plan or repair."
        self._say(
            f"Done: {remedy.title}",
            f"{what} Undo takes the step back.",
            "warning" if stuck and valid and not anew else "good",
        )
        self._plan = remedy.device_of
        self.planner.show()
        self.repair.setVisible(not valid and not anew)
        self.show_plan.setVisible(self._plan is not None and not valid and not anew)
        stressed = self._stress()
        if first:
            stressed.setFocus()
        # What is left to say is little: the canvas behind it shows what was done.
        soon(self, self._fit)

    def _fit(self) -> None:
        """As high as what it says of a remedy that was applied."""
        if self.applied is not None:
            room = self._area.viewport().size()
            beyond = room.height() - self._inside.heightForWidth(room.width())
            self.resize(self.width(), self.height() - beyond)

    def _stress(self) -> QPushButton:
        """A valid plan that is at hand is what to show first; else a planner is started. Returns the button that says so."""
        first = self.planner if self.show_plan.isHidden() else self.show_plan
        for button in (self.planner, self.show_plan):
            name = "primary" if button is first else ""
            if button.objectName() != name:
                button.setObjectName(name)
                button.style().unpolish(button)
                button.style().polish(button)
        return first

    # ------------------------------------------------------------------ what is chosen
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return presses the button that has the keyboard; no button is pressed without having it."""
        pressed = self.focusWidget()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and isinstance(pressed, QPushButton):
            pressed.click()
        else:
            super().keyPressEvent(event)

    def _go(self, item: QListWidgetItem) -> None:
        self.ops_chosen.emit(np.array([item.data(Qt.ItemDataRole.UserRole)], np.int32))

    def _select_all(self) -> None:
        self.ops_chosen.emit(np.array(self._ops, np.int32))

    def _show_plan(self) -> None:
        if self._plan is not None:
            self.plan_chosen.emit(self._plan)
