"""Below the menus: in how many ops two plans differ, a way through them, the two ways to look, the find box."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QWidget

from gui.shell.actions import ActionSet
from gui.widgets.labels import ElidedLabel, set_role
from gui.widgets.offering import offer


class CompareStrip(QWidget):
    """Its buttons are actions of the window."""

    def __init__(self, actions: ActionSet, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("readouts")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._actions = actions
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 5, 12, 5)
        row.setSpacing(8)
        self.count = ElidedLabel("", self)
        set_role(self.count, "heading")
        # Before the words, whose length changes: buttons stay under the pointer.
        for id, text in (("previous", "\N{LEFTWARDS ARROW}"), ("next", "\N{RIGHTWARDS ARROW}")):
            row.addWidget(self._button(f"compare.{id}", text))
        row.addWidget(self.count)
        row.addStretch(1)
        self.find_box = QLineEdit(self)
        self.find_box.setPlaceholderText("Find ops")
        self.find_box.setAccessibleName("Find ops in all plans")
        self.find_box.setToolTip(
            "Words match names; also kind:Conv*, shape:..64, /regular expression/, A -> B (Ctrl+F)"
        )
        self.find_box.setClearButtonEnabled(True)
        self.find_box.setMaximumWidth(240)
        row.addWidget(self.find_box, 1)
        row.addSpacing(8)
        self._modes: dict[str, QPushButton] = {}
        for mode, text in (("side", "Side by side"), ("over", "Overlaid")):
            button = self._modes[mode] = self._button(f"view.{mode}", text)
            button.setObjectName("segment")
            button.setCheckable(True)
            button.setStyleSheet("min-width: 84px")
            row.addWidget(button)

    def _button(self, id: str, text: str) -> QPushButton:
        action = self._actions[id]
        button = QPushButton(text, self)
        tip = f"{action.toolTip()} ({action.shortcut().toString()})"
        button.setAccessibleName(action.text())
        button.clicked.connect(lambda _=False: action.trigger())

        def follow() -> None:
            offer(button, "" if action.isEnabled() else action.toolTip(), tip)

        action.changed.connect(follow)
        follow()
        return button

    def show_mode(self, mode: str) -> None:
        """Mark the way that is chosen."""
        for name, button in self._modes.items():
            button.setChecked(name == mode)
