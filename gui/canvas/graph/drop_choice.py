"""The question after a drop that would break a rule: repair the rest, take neighbours along, move anyway, or leave it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal, SignalInstance
from PySide6.QtGui import QHideEvent, QKeyEvent, QKeySequence, QShowEvent
from PySide6.QtWidgets import (
    QApplication,
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QPushButton,
    QToolTip,
    QVBoxLayout,
    QWidget,
)

from gui.canvas.graph.tooltip import HoverCard
from gui.look.numbers import plural
from gui.widgets.emptying import take_all
from gui.widgets.offering import offer
from gui.widgets.plain import PlainLabel

WIDTH = 400
"""Pixels, where buttons do not need more."""
ANSWERS = {"repair": "and repair", "along": "along", "anyway": "anyway"}
"""What answers are called after the verb, as in *Move and repair*."""
EDGE = 6
"""Pixels between it and the edges of what it lies on."""


class DropChoice(QFrame):
    """A small panel on the canvas at the place of the drop. Escape, Ctrl+Z or a click elsewhere leaves everything as it was.

    While it is open no shortcut of the window works: what is asked is about the plan as it is.
    """

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
        self._anyway = QPushButton(self)
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
        self._verb, self._first = "Move", "along"
        self.hide()

    def _choose(self, signal: SignalInstance) -> Callable[[], None]:
        def chosen() -> None:
            self.hide()
            signal.emit()

        return chosen

    def ask(
        self, place: QPoint, sentence: str, count: int, effects: Mapping[str, str], repairs: bool = False, first: str = "along",
        verb: str = "Move",
    ) -> None:  # fmt: skip
        """Show the question near ``place`` (parent coordinates). ``count`` neighbours can come along; 0 = none help.

        ``repairs``: whether the rest can be repaired; ``first`` names the answer that Return gives where both are there, ``along`` or
        ``repair``. ``effects`` as for :meth:`say`; ``verb`` is what is done with the ops.
        """
        self._place, self._verb, self._first = place, verb, first
        self._sentence.setText(sentence)
        self._along.setText(f"{self._name('along')}: {plural(count, 'more op', 'more ops')}")
        self._along.setVisible(count > 0)
        self._anyway.setText(self._name("anyway"))
        self._repair.setText(f"{self._name('repair')} …")
        offer(self._repair, "")
        self._repair.setVisible(repairs)
        self._arrange()
        self.say(effects)
        self.show()
        self.raise_()
        offered = [button for button in self._ordered() if not button.isHidden()]
        (offered[0] if offered else self._cancel).setFocus(Qt.FocusReason.PopupFocusReason)

    def _name(self, answer: str) -> str:
        """What an answer is called, on its button and in the line that says what it gives."""
        return f"{self._verb} {ANSWERS[answer]}"

    def _ordered(self) -> tuple[QPushButton, QPushButton]:
        """The two ways to keep the rules, the one that Return presses first."""
        return (self._repair, self._along) if self._first == "repair" else (self._along, self._repair)

    def _arrange(self) -> None:
        """What keeps the rules above, what does not below; all in one row where nobody repairs."""
        others = [self._anyway, self._cancel]
        upper, lower = [*self._ordered(), *others], []
        if not self._repair.isHidden():
            upper, lower = list(self._ordered()), others
        for row, buttons in zip(self._rows, (upper, lower), strict=True):
            take_all(row)
            for button in buttons:
                row.addWidget(button)
            row.addStretch(1)

    def _fit(self) -> None:
        """As wide as the buttons need, one below the other where the parent has no room for that; sentences wrap."""
        parent, layout = self.parentWidget(), self.layout()
        assert parent is not None
        assert layout is not None
        self.ensurePolished()
        room = parent.width() - 2 * EDGE
        for direction in (QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom):
            for row in self._rows:
                row.setDirection(direction)
            layout.invalidate()
            layout.activate()
            needed = max(row.minimumSize().width() for row in self._rows)
            margins = layout.contentsMargins()
            needed += margins.left() + margins.right() + 2 * self.frameWidth()
            if needed <= room:
                break
        self.setFixedWidth(max(min(WIDTH, room), needed))
        # Long sentences wrap at the width that is fixed, which adjustSize does not look at.
        self.resize(self.width(), layout.totalHeightForWidth(self.width()))

    def say(self, effects: Mapping[str, str], further: str = "") -> None:
        """What each answer (``repair``, ``along``, ``anyway``) would give, in lines in the order of the buttons; ``further`` comes last."""
        order = ("repair", "along") if self._first == "repair" else ("along", "repair")
        lines = [f"{self._name(one)}: {effects[one]}" for one in (*order, "anyway") if one in effects]
        self._effect.setText("\n".join([*lines, *([further] if further else [])]))
        self._effect.setVisible(bool(lines or further))
        self._fit()
        self.keep_inside(self._place + QPoint(12, 12))

    def show_repair(self, count: int | None) -> None:
        """What repairing the rest takes is known: so many more ops; where no repair is possible (None), another button has the keyboard."""
        possible = count is not None
        more = "" if count is None else f"{self._name('repair')}: {plural(count, 'more op', 'more ops')}"
        self._repair.setText(more or "No repair that keeps the move")
        if not possible and self._repair.hasFocus():
            (self._cancel if self._along.isHidden() else self._along).setFocus(
                Qt.FocusReason.PopupFocusReason
            )
        offer(self._repair, "" if possible else "the rules leave no plan with the move")
        self._fit()
        self.keep_inside()

    def leave_repair_out(self) -> None:
        """What repairs is to move along, which is offered already: one plan has one button."""
        focused = self._repair.hasFocus()
        self._repair.setText(self._name("repair"))
        self._repair.hide()
        self._arrange()
        if focused:
            self._along.setFocus(Qt.FocusReason.PopupFocusReason)
        self._fit()
        self.keep_inside()

    def keep_inside(self, place: QPoint | None = None) -> None:
        """Go to ``place`` (where it is, by default), or as near to it as the parent has room."""
        parent = self.parentWidget()
        assert parent is not None
        place = self.pos() if place is None else place
        x = max(EDGE, min(place.x(), parent.width() - self.width() - EDGE))
        y = max(EDGE, min(place.y(), parent.height() - self.height() - EDGE))
        self.move(x, y)

    def dismiss(self) -> None:
        """Leave everything as it was."""
        if self.isVisible():
            self.hide()
            self.dismissed.emit()

    # ------------------------------------------------------------------ keyboard and pointer
    def showEvent(self, event: QShowEvent) -> None:
        """From now on every key is for the question, and nothing lies upon it."""
        super().showEvent(event)
        QToolTip.hideText()
        parent = self.parentWidget()
        for card in [] if parent is None else parent.findChildren(HoverCard):
            card.hide()
        QApplication.instance().installEventFilter(self)  # type: ignore[union-attr]

    def hideEvent(self, event: QHideEvent) -> None:
        """It is answered, or gone."""
        super().hideEvent(event)
        QApplication.instance().removeEventFilter(self)  # type: ignore[union-attr]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """No shortcut of its window works meanwhile; a click beside the canvas leaves everything as it was."""
        if not isinstance(watched, QWidget):
            return False
        top, above = self.window(), watched.window().parentWidget()
        if watched.window() is not top and (
            above is None or above.window() is not top
        ):  # neither in it nor floating
            return False
        if event.type() == QEvent.Type.ToolTip and watched is not self and not self.isAncestorOf(watched):
            return True  # what is said of things behind it would lie upon it
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        if event.type() == QEvent.Type.MouseButtonPress:
            canvas = self.parentWidget()
            if canvas is not None and watched is not canvas and not canvas.isAncestorOf(watched):
                self.dismiss()
        return False

    def focusNextPrevChild(self, forwards: bool) -> bool:
        """Tab goes around the buttons."""
        buttons = [b for b in self.findChildren(QPushButton) if b.isVisible() and b.isEnabled()]
        buttons.sort(key=lambda button: (button.y(), button.x()))
        focused = self.focusWidget()
        if focused in buttons:
            step = 1 if forwards else -1
            buttons[(buttons.index(focused) + step) % len(buttons)].setFocus(Qt.FocusReason.TabFocusReason)
        return True

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape and the keys of undo and redo dismiss, Return presses the focused button; no other does anything."""
        leaves = (QKeySequence.StandardKey.Undo, QKeySequence.StandardKey.Redo)
        if (
            event.key() == Qt.Key.Key_Escape
            or any(event.matches(key) for key in leaves)
            or (event.key() == Qt.Key.Key_Y and event.modifiers() == Qt.KeyboardModifier.ControlModifier)
        ):
            self.dismiss()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            focused = self.focusWidget()
            if isinstance(focused, QPushButton):
                focused.click()
        event.accept()
