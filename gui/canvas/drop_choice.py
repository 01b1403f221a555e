"""The question after a drop that would break a rule: take neighbours along, move anyway, or leave it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, Qt, Signal, SignalInstance
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from gui.widgets.numbers import plural


class DropChoice(QFrame):
    """A small panel on the canvas at the place of the drop. Escape or a click elsewhere leaves everything as it was."""

    along_chosen = Signal()
    anyway_chosen = Signal()
    dismissed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("dropChoice")
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setAutoFillBackground(True)
        self.setAccessibleName("What to do with a move that breaks a rule")
        self._sentence = QLabel(self)
        self._sentence.setWordWrap(True)
        self._effect = QLabel(self)
        self._effect.setObjectName("muted")
        self._effect.setWordWrap(True)
        self._along = QPushButton(self)
        self._anyway = QPushButton("Move anyway", self)
        self._cancel = QPushButton("Cancel", self)
        self._along.setObjectName("takeAlong")
        self._anyway.setObjectName("moveAnyway")
        self._along.setDefault(True)
        self._along.clicked.connect(self._choose(self.along_chosen))
        self._anyway.clicked.connect(self._choose(self.anyway_chosen))
        self._cancel.clicked.connect(self.dismiss)
        row = QHBoxLayout()
        for button in (self._along, self._anyway, self._cancel):
            row.addWidget(button)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 10, 12, 10)
        column.addWidget(self._sentence)
        column.addWidget(self._effect)
        column.addLayout(row)
        self.hide()

    def _choose(self, signal: SignalInstance) -> Callable[[], None]:
        def chosen() -> None:
            self.hide()
            signal.emit()

        return chosen

    def ask(self, place: QPoint, sentence: str, count: int, effect: str) -> None:
        """Show the question near ``place`` (parent coordinates). ``count`` neighbours can come along; 0 = none help."""
        self._sentence.setText(sentence)
        self._effect.setText(effect)
        self._effect.setVisible(bool(effect))
        self._along.setText(f"Move {plural(count, 'more op', 'more ops')} along")
        self._along.setVisible(count > 0)
        self.setFixedWidth(400)
        self.adjustSize()
        self.keep_inside(place + QPoint(12, 12))
        self.show()
        self.raise_()
        (self._along if count > 0 else self._cancel).setFocus(Qt.FocusReason.PopupFocusReason)

    def keep_inside(self, place: QPoint | None = None) -> None:
        """Go to ``place`` (where it is, by default), or as near to it as the parent has room."""
        parent = self.parentWidget()
        assert parent is not None
        place = self.pos() if place is None else place
        x = max(6, min(place.x(), parent.width() - self.width() - 6))
        y = max(6, min(place.y(), parent.height() - self.height() - 6))
        self.move(x, y)

    def dismiss(self) -> None:
        """Leave everything as it was."""
        if self.isVisible():
            self.hide()
            self.dismissed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape dismisses, Return presses the focused button."""
        if event.key() == Qt.Key.Key_Escape:
            self.dismiss()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            focused = self.focusWidget()
            if isinstance(focused, QPushButton):
                focused.click()
        else:
            super().keyPressEvent(event)
