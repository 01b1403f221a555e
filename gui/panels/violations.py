"""The violations panel: every broken rule as a sentence; a click goes there."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QAbstractItemView, QLabel, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from gui.panels.base import Panel
from gui.theme import Theme
from gui.widgets.labels import set_role
from gui.widgets.numbers import plural

if TYPE_CHECKING:
    from gui.document import Document

MOST = 500
"""More sentences than anyone reads; the rest is counted."""


class ViolationsPanel(Panel):
    """A list of sentences under a line that says how many there are."""

    id: ClassVar[str] = "violations"
    title: ClassVar[str] = "Violations"

    reveal_requested = Signal(object)
    """Bring these ops (int32 array) into view."""

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(document, theme, parent)
        self.summary = QLabel("", self)
        self.summary.setWordWrap(True)
        self.summary.setContentsMargins(4, 0, 8, 0)
        self.list = QListWidget(self)
        self.list.setAccessibleName("Broken rules")
        self.list.setWordWrap(True)
        self.list.setTextElideMode(Qt.TextElideMode.ElideNone)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.list.setResizeMode(QListWidget.ResizeMode.Adjust)
        self.list.setSpacing(2)
        self.list.itemActivated.connect(self._go)
        self.list.itemClicked.connect(self._go)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(6, 8, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self.summary)
        layout.addWidget(self.list, 1)
        for signal in (
            document.graph_changed,
            document.problem_changed,
            document.assignment_changed,
            document.readouts_changed,
        ):
            signal.connect(self.request_refresh)

    def refresh(self) -> None:
        """List what is broken now."""
        self.list.clear()
        if self.document.problem is None:
            self.summary.setText("No model is open.")
            set_role(self.summary, "muted")
            return
        violations = self.document.evaluation.violations
        if not violations:
            self.summary.setText("All rules and constraints hold.")
            set_role(self.summary, "good")
            return
        more = f" The first {MOST:,} are listed." if len(violations) > MOST else ""
        self.summary.setText(f"{plural(len(violations), 'rule')} broken. Click one to go there.{more}")
        set_role(self.summary, "bad")
        for violation in violations[:MOST]:
            item = QListWidgetItem(violation.sentence)
            item.setData(Qt.ItemDataRole.UserRole, violation.ops)
            item.setToolTip(f"rule: {violation.kind}")
            item.setForeground(QColor(self.theme.text))
            self.list.addItem(item)

    def _go(self, item: QListWidgetItem) -> None:
        ops = item.data(Qt.ItemDataRole.UserRole)
        if ops:
            self.document.select(list(ops))
            self.reveal_requested.emit(self.document.selection)
