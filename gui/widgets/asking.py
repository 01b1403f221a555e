"""A dialog that asks for one thing: what it is about from top to bottom, then *Cancel* and the button that does it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLayout, QPushButton, QVBoxLayout, QWidget

from gui.look.theme import font


class AskingDialog(QDialog):
    """Deletes itself once it is closed; ``go`` is the button that does what is asked for."""

    def __init__(self, title: str, go: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        self.setFont(font(9.0))
        self.go = QPushButton(go, self)
        self.go.setObjectName("primary")
        self.go.setDefault(True)

    def arrange(self, *parts: QWidget | QLayout, width: int) -> None:
        """Stack ``parts`` above the buttons, ``width`` pixels wide at least."""
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, self)
        buttons.addButton(self.go, QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 14, 16, 12)
        column.setSpacing(10)
        for part in parts:
            if isinstance(part, QLayout):
                column.addLayout(part)
            else:
                column.addWidget(part)
        column.addStretch(1)
        column.addWidget(buttons)
        self.setMinimumWidth(width)
