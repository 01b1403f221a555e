"""The question after a drop that would break a rule: repair the rest, take neighbours along, move anyway, or leave it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, Qt, Signal, SignalInstance
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from gui.widgets.numbers import plural
from gui.widgets.plain import PlainLabel


class DropChoice(QFrame):
    """A small panel on the canvas at the place of the drop. Escape or a click elsewhere leaves everything as it was."""

    repair_chosen = Signal()
    along_chosen = Signal()
    anyway_chosen = Signal()
    dismissed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("dropChoice")
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setAutoFillBackground(True)
        self.setAccessibleName("What to do with a move that breaks a rule")
        self._sentence = PlainLabel("", self)
        self._sentence.setWordWrap(True)
        self._effect = PlainLabel("", self)
        self._effect.setObjectName("muted")
        self._effect.setWordWrap(True)
        self._repair = QPushButton(self)
        self._along = QPushButton(self)
        self._anyway = QPushButton("Move anyway", self)
        self._cancel = QPushButton("Cancel", self)
        self._repair.setObjectName("moveAndRepair")
        self._along.setObjectName("takeAlong")
        self._anyway.setObjectName("moveAnyway")
        self._repair.clicked.connect(self._choose(self.repair_chosen))
        self._along.clicked.connect(self._choose(self.along_chosen))
        self._anyway.clicked.connect(self._choose(self.anyway_chosen))
        self._cancel.clicked.connect(self.dismiss)
        self._rows = QHBoxLayout(), QHBoxLayout()
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 10, 12, 10)
        column.addWidget(self._sentence)
        column.addWidget(self._effect)
        for row in self._rows:
            column.addLayout(row)
        self._place = QPoint()
        self.hide()

    def _choose(self, signal: SignalInstance) -> Callable[[], None]:
        def chosen() -> None:
            self.hide()
            signal.emit()

        return chosen

    def ask(
        self, place: QPoint, sentence: str, count: int, effect: str, repair: str = "", first: str = "along"
    ) -> None:
        """Show the question near ``place`` (parent coordinates). ``count`` neighbours can come along; 0 = none help.

        ``repair`` is what the button says that repairs the rest, empty for none; ``first`` names the button that Return
        presses where both are there, ``along`` or ``repair``.
        """
        self._place = place
        self._sentence.setText(sentence)
        self._along.setText(f"Move {plural(count, 'more op', 'more ops')} along")
        self._along.setVisible(count > 0)
        self._repair.setText(repair)
        self._repair.setEnabled(True)
        self._repair.setVisible(bool(repair))
        self._arrange(first)
        self.setFixedWidth(400)
        self.say(effect)
        self.show()
        self.raise_()
        offered = [button for button in self._ordered(first) if not button.isHidden()]
        (offered[0] if offered else self._cancel).setFocus(Qt.FocusReason.PopupFocusReason)

    def _ordered(self, first: str) -> tuple[QPushButton, QPushButton]:
        """The two ways to keep the rules, the one that Return presses first."""
        return (self._repair, self._along) if first == "repair" else (self._along, self._repair)

    def _arrange(self, first: str) -> None:
        """What keeps the rules above, what does not below; all in one row where nobody repairs."""
        others = [self._anyway, self._cancel]
        upper, lower = [*self._ordered(first), *others], []
        if not self._repair.isHidden():
            upper, lower = list(self._ordered(first)), others
        for row, buttons in zip(self._rows, (upper, lower), strict=True):
            while row.takeAt(0) is not None:
                pass
            for button in buttons:
                row.addWidget(button)
            row.addStretch(1)

    def say(self, effect: str) -> None:
        """What the answers would give, in lines."""
        self._effect.setText(effect)
        self._effect.setVisible(bool(effect))
        self.adjustSize()
        layout = self.layout()
        if layout is not None:
            # Long sentences wrap at the width that is fixed, which adjustSize does not look at.
            self.resize(self.width(), layout.totalHeightForWidth(self.width()))
        self.keep_inside(self._place + QPoint(12, 12))

    def show_repair(self, words: str, possible: bool) -> None:
        """What repairing the rest would take is known now; where it is not possible, another button has the keyboard."""
        self._repair.setText(words)
        if not possible and self._repair.hasFocus():
            (self._cancel if self._along.isHidden() else self._along).setFocus(
                Qt.FocusReason.PopupFocusReason
            )
        self._repair.setEnabled(possible)

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
