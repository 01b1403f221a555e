"""The fast memory as a control in the header: how many values it holds, and which of them makes room."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from gui.document.values import Message
from gui.panels.network.base import POLICY_WORDS
from gui.widgets.drop_down import DropDown
from gui.widgets.labels import set_role
from gui.widgets.number_boxes import WholeNumberBox
from planner.errors import StageboardError

if TYPE_CHECKING:
    from gui.document.network.document import OrderDocument

MOST = 10_000_000


class MemoryControl(QWidget):
    """A spin box for M and a choice of the eviction policy; each change is one undo step."""

    def __init__(self, document: OrderDocument, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        words = QLabel("Fast memory", self)
        set_role(words, "muted")
        self.size_box = WholeNumberBox(self)
        self.size_box.setRange(3, MOST)
        self.size_box.setKeyboardTracking(False)
        self.size_box.setGroupSeparatorShown(True)
        self.size_box.setSuffix(" values")
        self.size_box.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.size_box.setFixedWidth(118)
        self.size_box.setAccessibleName("Size of the fast memory in values")
        self.size_box.setToolTip(
            "M: values that fast memory holds: M - 1 of neurons, and the weight of the connection in use (Ctrl+T)"
        )
        self.size_box.valueChanged.connect(self._changed)
        words.setBuddy(self.size_box)
        self.policy_box = DropDown(self)
        for policy, (title, tip) in POLICY_WORDS.items():
            self.policy_box.addItem(title, policy)
            self.policy_box.setItemData(self.policy_box.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)
        self.policy_box.setAccessibleName("Eviction policy")
        self.policy_box.activated.connect(self._changed)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        for widget in (words, self.size_box, self.policy_box):
            row.addWidget(widget)
        for signal in (document.model_changed, document.problem_changed):
            signal.connect(self.refresh)
        self.refresh()

    def take_focus(self) -> None:
        """The size has the keyboard, ready to be typed over."""
        self.size_box.setFocus()
        self.size_box.selectAll()

    def refresh(self) -> None:
        """Show the target."""
        problem = self._document.problem
        self.setVisible(problem is not None)
        if problem is None:
            return
        self.size_box.blockSignals(True)
        self.size_box.setValue(problem.target.size)
        self.size_box.blockSignals(False)
        self.policy_box.setCurrentIndex(self.policy_box.findData(problem.target.policy))
        self.policy_box.setToolTip(f"Which value makes room: {POLICY_WORDS[problem.target.policy][1]}")

    def _changed(self, *_: object) -> None:
        problem = self._document.problem
        if problem is None:
            return
        try:
            self._document.set_target(
                replace(problem.target, size=self.size_box.value(), policy=self.policy_box.currentData())
            )
        except StageboardError as error:
            self._document.message.emit(Message("error", str(error)))
            self.refresh()
