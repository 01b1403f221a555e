"""The violations panel: every broken rule as a sentence; a click goes there. After a repair, what it had to move."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from gui.background.repairing import BEING_REPAIRED
from gui.look.numbers import plural
from gui.look.theme import Theme
from gui.panels.base import Panel
from gui.widgets.labels import set_role
from gui.widgets.offering import offer
from gui.widgets.plain import PlainLabel
from planner.machines.evident import conflict_at_once

if TYPE_CHECKING:
    from gui.background.repairing import Report
    from gui.document.plan.document import Document
    from planner.feasibility import Explanation
    from planner.methods.feasibility.conflicts import Conflict
    from planner.problem.problem import Problem

VIOLATION = Qt.ItemDataRole.UserRole + 1
MOST = 500
"""More sentences than anyone reads; the rest is counted."""
SPACING, PADDING = 2, 4
"""Around an item, and left and right in it, as the style sheet has it."""


class WholeSentences(QStyledItemDelegate):
    """Gives a wrapped sentence all its lines: what a list leaves free around and in its items it forgets when it breaks them."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """The size in the width that is there to draw in."""
        narrower = QStyleOptionViewItem(option)
        narrower.rect.setWidth(option.rect.width() - 2 * (SPACING + PADDING))  # type: ignore[attr-defined]
        return super().sizeHint(narrower, index)


class ViolationsPanel(Panel):
    """A list of sentences under a line that says how many there are."""

    id: ClassVar[str] = "violations"
    title: ClassVar[str] = "Violations"

    reveal_requested = Signal(object)
    """Bring these ops (int32 array) into view."""
    repair_requested = Signal()
    why_requested = Signal()
    """Is there a valid plan at all?"""

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(document, theme, parent)
        self.summary = PlainLabel("", self)
        self.summary.setWordWrap(True)
        self.summary.setContentsMargins(4, 0, 8, 0)
        self.list = QListWidget(self)
        self.list.setAccessibleName("Broken rules")
        self.list.setWordWrap(True)
        self.list.setTextElideMode(Qt.TextElideMode.ElideNone)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.list.setResizeMode(QListWidget.ResizeMode.Adjust)
        self.list.setSpacing(SPACING)
        self.list.setItemDelegate(WholeSentences(self.list))
        self.list.setMouseTracking(True)
        self.list.currentItemChanged.connect(lambda item, _: self._point(item))
        self.list.itemEntered.connect(self._point)
        self.list.viewportEntered.connect(lambda: self._point(self.list.currentItem()))
        self.list.itemActivated.connect(self._go)
        self.list.itemClicked.connect(self._go)
        self._seen: tuple[Problem | None, Conflict | None] = (None, None)
        """A problem, and why no plan of it can be valid, where that is seen without a search."""
        self._report: Report | None = None
        self.repair = self._button(
            "Repair", "Find a valid plan near this one (Ctrl+R)", self.repair_requested.emit
        )
        self.why = self._button("Is there a valid plan?", "", self.why_requested.emit)
        self.select_moved = self._button("Select them all", "", self._select_moved)
        self.repair.setObjectName("primary")
        row = QHBoxLayout()
        row.setContentsMargins(4, 0, 8, 0)
        for button in (self.repair, self.why, self.select_moved):
            row.addWidget(button)
        row.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(6, 8, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self.summary)
        layout.addLayout(row)
        layout.addWidget(self.list, 1)
        for signal in (
            document.model_changed,
            document.problem_changed,
            document.decision_changed,
            document.readouts_changed,
        ):
            signal.connect(self.request_refresh)

    def _button(self, text: str, tip: str, run: Callable[[], None]) -> QPushButton:
        button = QPushButton(text, self)
        button.setToolTip(tip)
        button.clicked.connect(lambda _=False: run())
        button.hide()
        return button

    def set_repairing(self, busy: bool) -> None:
        """Whether a repair is being looked for: there is nothing to ask for meanwhile."""
        offer(self.repair, BEING_REPAIRED if busy else "")
        self.repair.setText("Repairing …" if busy else "Repair")

    def show_report(self, report: Report) -> None:
        """List what a repair moved, until the plan is another one."""
        self._report = report
        self.request_refresh()

    def _select_moved(self) -> None:
        if self._report is not None:
            self.document.select(self._report.ops)
            self.reveal_requested.emit(self.document.selection)

    def refresh(self) -> None:
        """List what is broken now; what was looked at and is still broken stays so."""
        was = self.list.currentItem()
        looked_at = "" if was is None else was.text()
        self.list.clear()
        for button in (self.repair, self.why, self.select_moved):
            button.hide()
        if self.document.problem is None:
            self.summary.setText(self.document.nothing("No model is open."))
            set_role(self.summary, "muted")
            return
        violations = self.document.evaluation.violations
        if not violations:
            self.summary.setText("All rules and constraints hold.")
            set_role(self.summary, "good")
            self._list_moved()
            return
        conflict = self._why_never(self.document.problem)
        hopeless = conflict is not None or self.document.board.infeasible
        self.repair.setVisible(not hopeless)
        self.why.setText("What would help?" if hopeless else "Is there a valid plan?")
        self.why.show()
        more = f" The first {MOST:,} are listed." if len(violations) > MOST else ""
        self.summary.setText(f"{plural(len(violations), 'violation')}. Click one to go there.{more}")
        set_role(self.summary, "bad")
        if conflict is not None:
            first = QListWidgetItem(f"No plan can keep all rules: {conflict.sentence.rstrip('.')}.")
            first.setData(Qt.ItemDataRole.UserRole, conflict.ops)
            first.setForeground(QColor(self.theme.bad))
            self.list.addItem(first)
        for violation in violations[:MOST]:
            item = QListWidgetItem(violation.sentence)
            item.setData(Qt.ItemDataRole.UserRole, violation.ops)
            item.setData(VIOLATION, violation)
            item.setToolTip(f"rule: {violation.kind}")
            item.setForeground(QColor(self.theme.text))
            self.list.addItem(item)
            if violation.sentence == looked_at:
                self.list.setCurrentItem(item)

    def _why_never(self, problem: Problem) -> Conflict | Explanation | None:
        """Why no plan can keep all rules, where that is known or seen without a search."""
        if (known := self.document.board.why_none) is not None:
            return known
        if self._seen[0] is not problem:
            self._seen = (problem, conflict_at_once(problem))
        return self._seen[1]

    def _point(self, item: QListWidgetItem | None) -> None:
        """Let the canvas draw the paths of what is looked at."""
        self.document.point_at(None if item is None else item.data(VIOLATION))

    def leaveEvent(self, event: QEvent) -> None:
        """The one that was chosen stays, the one that was pointed at does not."""
        self._point(self.list.currentItem())
        super().leaveEvent(event)

    def _list_moved(self) -> None:
        """What the repair that made this plan had to move."""
        report = self._report
        if report is None or report.serial != self.document.assignment_serial or not len(report.ops):
            self._report = None
            return
        self.summary.setText(f"All rules and constraints hold. {report.text}")
        self.select_moved.show()
        for i in range(min(MOST, len(report.ops))):
            item = QListWidgetItem(report.row(i))
            item.setData(Qt.ItemDataRole.UserRole, (int(report.ops[i]),))
            item.setForeground(QColor(self.theme.text))
            self.list.addItem(item)

    def _go(self, item: QListWidgetItem) -> None:
        ops = item.data(Qt.ItemDataRole.UserRole)
        if ops:
            self.document.select(list(ops))
            self.reveal_requested.emit(self.document.selection)
