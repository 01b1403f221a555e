"""The notice: says what happened, what was kept and what to do; it lies over the canvas and moves nothing."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPoint, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QToolButton,
    QWidget,
)
from shiboken6 import isValid

from gui.look.theme import Theme
from gui.widgets.later import Later
from gui.widgets.plain import plain

_WORDS = {"info": "Note", "warning": "Warning", "error": "Problem"}
INFO_SECONDS = 12.0
"""Informative notices go by themselves, unless pointer or keyboard are on them; warnings and errors stay until they are
dismissed."""
ASIDE_FOR = (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton)
"""The buttons that drag. The right one opens a menu, which gets its release."""


MARGIN = 12
"""Pixels between the notice and the end of what it lies over."""
MOST_WIDTH, LEAST_WIDTH = 820, 260
ROUND = 7.0


class NoticeBar(QWidget):
    """One message at a time over the foot of the canvas; the latest replaces the one before.

    It steps aside while a mouse button is held there, and while it is told to: ops are dropped on what may be below it, and
    the question after a drop lies there.
    """

    dismissed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.level = "info"
        self._detail = ""
        self._text = QLabel(self)
        self._text.setWordWrap(True)
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._text.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._more = QPushButton("Details", self)
        self._more.setObjectName("link")
        self._more.setCheckable(True)
        self._more.toggled.connect(self._show_detail)
        self._action = QPushButton(self)
        self._action.setObjectName("link")
        self._other = QPushButton(self)
        self._other.setObjectName("link")
        self._run: object = None
        self._run_other: object = None
        self._closed: object = None
        self._until_change = self._until_problem = False
        self._area: Callable[[], QWidget] | None = None
        self._beside: Callable[[], QWidget | None] = lambda: None
        self._above: Callable[[], float] = lambda: 0.0
        self._under: QWidget | None = None
        self._watched: list[QWidget] = []
        self._held = self._told_aside = False
        self._action.clicked.connect(self._act)
        self._other.clicked.connect(self._act_otherwise)
        close = QToolButton(self)
        close.setText("\N{MULTIPLICATION SIGN}")
        close.setAccessibleName("Dismiss this message")
        close.setToolTip("Dismiss (Esc)")
        close.clicked.connect(self._close_by_hand)
        self._close = close
        layout = QHBoxLayout(self)
        layout.setContentsMargins(16, 6, 8, 6)
        layout.setSpacing(8)
        layout.addWidget(self._text, 1)
        layout.addWidget(self._action)
        layout.addWidget(self._other)
        layout.addWidget(self._more)
        layout.addWidget(close, 0, Qt.AlignmentFlag.AlignTop)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        self._more.hide()
        self._action.hide()
        self._other.hide()
        self._later = Later(self._go_unless_used, self, int(1000 * INFO_SECONDS))
        self.hide()

    @property
    def text(self) -> str:
        """What is shown."""
        return self._text.text()

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self._theme = theme
        self.update()

    def show_message(
        self,
        level: str,
        text: str,
        detail: str = "",
        action: str = "",
        run: object = None,
        until_change: bool = False,
        other: str = "",
        run_other: object = None,
        closed: object = None,
        until_problem: bool = False,
        stays: bool = False,
    ) -> None:
        """Show a message. ``level`` is info, warning or error; ``action`` and ``run`` offer one thing to do about it,
        ``other`` and ``run_other`` a second one. ``closed`` is called when a person takes the message away.

        One of level info goes after :data:`INFO_SECONDS`, unless it ``stays``: what it is about goes on, and can be ended here.
        With ``until_change`` it goes as soon as :meth:`plan_changed` is called: what it says is about the plan as it is.
        With ``until_problem`` it outlives that, but not another problem (:meth:`problem_changed`).
        """
        self._until_change, self._until_problem = until_change, until_problem
        self.level = level if level in _WORDS else "info"
        self._detail = plain(detail)
        text = self._message = plain(text)
        self._text.setText(text)
        self._more.setChecked(False)
        self._more.setVisible(bool(detail))
        self._run, self._run_other, self._closed = run, run_other, closed
        for button, words in ((self._action, action), (self._other, other)):
            button.setText(words)
            button.setVisible(bool(words))
        self.setAccessibleName(f"{_WORDS[self.level]}: {text}")
        self._later.stop()
        if self.level == "info" and not stays:
            self._later.ask()
        self._held = self._held and QApplication.mouseButtons() != Qt.MouseButton.NoButton
        if self._area is not None:
            self._watch(self._area())
        self._place()
        self.show()
        self.update()

    def show_before(self, text: str, action: str, run: object) -> None:
        """Say something before the message that is shown, if any, beside whose action stands ``action``.

        It stays until the plan changes.
        """
        if self.isHidden():
            self.show_message("info", text, action=action, run=run, until_change=True, stays=True)
            return
        first = "" if self._action.isHidden() else self._action.text()
        self.show_message(
            self.level, f"{text} {self._message}", self._detail, action=action, run=run, until_change=True,
            other=first, run_other=self._run, closed=self._closed, stays=True,
        )  # fmt: skip

    # ------------------------------------------------------------------ where it lies
    def lie_over(
        self,
        host: QWidget,
        area: Callable[[], QWidget],
        beside: Callable[[], QWidget | None] = lambda: None,
        above: Callable[[], float] = lambda: 0.0,
    ) -> None:
        """Lie in ``host``, over the foot of the widget that ``area`` names whenever there is something to say.

        What ``beside`` names, at the right end of that foot, is left in sight, and ``above`` says how many pixels of the foot are.
        """
        self._area, self._beside, self._above = area, beside, above
        self.setParent(host)
        host.installEventFilter(self)

    def lie_anew(self) -> None:
        """What is to be left in sight has changed."""
        if not self.isHidden():
            self._place()

    def step_aside(self, aside: bool) -> None:
        """Lie below what is on the canvas, or come back."""
        if aside != self._told_aside:
            self._told_aside = aside
            self._order()

    @property
    def aside(self) -> bool:
        """Whether it is out of the way of what is going on below it."""
        return self._held or self._told_aside

    def _order(self) -> None:
        """Above what it lies over, or below it."""
        if self.aside:
            self.lower()
        else:
            self.raise_()

    def _watch(self, under: QWidget) -> None:
        """Follow ``under``, and presses on everything in it: what takes a press does not pass it on."""
        for widget in self._watched:
            if isValid(widget):
                widget.removeEventFilter(self)
        self._under = under
        self._watched = [under, *under.findChildren(QWidget)]
        for widget in self._watched:
            widget.installEventFilter(self)

    def _place(self) -> None:
        host = self.parentWidget()
        if self._area is None or host is None:
            return
        under = self._area()
        beside = self._beside()
        end = under.width() - MARGIN
        if beside is not None and beside.isVisible():
            end = beside.mapTo(host, QPoint()).x() - under.mapTo(host, QPoint()).x() - MARGIN
        room = end - MARGIN
        lines = self._text.text().split("\n")
        words = max(self._text.fontMetrics().horizontalAdvance(line) for line in lines) + 8
        others = (self._action, self._other, self._more, self._close)
        inside = sum(one.sizeHint().width() + 8 for one in others if not one.isHidden())
        width = max(min(room, MOST_WIDTH, words + inside + 32), min(room, LEAST_WIDTH))
        layout = self.layout()
        assert layout is not None
        layout.activate()
        height = layout.heightForWidth(width) if layout.hasHeightForWidth() else self.sizeHint().height()
        left = MARGIN + (room - width) // 2
        foot = under.height() - MARGIN - int(self._above())
        corner = under.mapTo(host, QPoint(left, foot - height))
        self.setGeometry(corner.x(), max(0, corner.y()), width, height)
        self._order()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the size of what is below; step aside while a button is held there."""
        if self.isHidden():
            return False
        match event.type():
            case QEvent.Type.Resize | QEvent.Type.Show | QEvent.Type.Move | QEvent.Type.Hide if watched in (
                self.parentWidget(),
                self._under,
                self._beside(),
            ):
                self._place()
            case QEvent.Type.MouseButtonPress if (
                isinstance(event, QMouseEvent)
                and event.button() in ASIDE_FOR
                and watched is not self.parentWidget()
            ):
                self._held = True
                self._order()
            case QEvent.Type.MouseButtonRelease if self._held:
                self._held = False
                self._order()
        return False

    def plan_changed(self, *_: object) -> None:
        """The plan is another one now."""
        if self._until_change:
            self.dismiss()

    def problem_changed(self) -> None:
        """The problem is another one now, so what was said of a plan of the one before is stale, too."""
        if self._until_change or self._until_problem:
            self.dismiss()

    def _go_unless_used(self) -> None:
        """Its time is over: it goes, unless someone is about to use it, reads on, or could not see it."""
        focused = QApplication.focusWidget()
        used = self.underMouse() or (focused is not None and self.isAncestorOf(focused))
        if used or self.aside or self._more.isChecked():
            self._later.ask()
        else:
            self.dismiss()

    def dismiss(self) -> None:
        """Take the message away."""
        self._later.stop()
        if not self.isHidden():
            focused = QApplication.focusWidget()
            if focused is not None and self.isAncestorOf(focused):
                self._give_keyboard_back()  # before: whatever comes next in the tab order would get it
            self.hide()
            self.dismissed.emit()

    def _give_keyboard_back(self) -> None:
        """To what lies below: whoever pressed a button here goes on there."""
        under = None if self._area is None else self._area()
        if isinstance(under, QStackedWidget):
            under = under.currentWidget()
        if under is None:
            return
        takers = (
            one
            for one in (under, *under.findChildren(QWidget))
            if one.isVisible() and one.focusPolicy() & Qt.FocusPolicy.TabFocus
        )
        taker = next(takers, None)
        if taker is not None:
            taker.setFocus()

    def _act(self) -> None:
        self._dismiss_and(self._run)

    def _act_otherwise(self) -> None:
        self._dismiss_and(self._run_other)

    def _close_by_hand(self) -> None:
        self._dismiss_and(self._closed)

    def _dismiss_and(self, run: object) -> None:
        self.dismiss()
        if callable(run):
            run()

    def _show_detail(self, shown: bool) -> None:
        self._text.setText(f"{self._message}\n{self._detail}" if shown else self._message)
        self._place()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape dismisses."""
        if event.key() == Qt.Key.Key_Escape:
            self._close_by_hand()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """A card on a soft ground, with a bar of the level's colour at the left."""
        t = self._theme
        ground, mark = {
            "info": (t.selection, t.accent), "warning": (t.warning_soft, t.warning), "error": (t.bad_soft, t.bad),
        }[self.level]  # fmt: skip
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        card = QPainterPath()
        card.addRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), ROUND, ROUND)
        painter.fillPath(card, QColor(ground))
        painter.setClipPath(card)
        painter.fillRect(0, 0, 4, self.height(), QColor(mark))
        painter.setClipping(False)
        painter.setPen(QPen(QColor(mark), 1.0))
        painter.drawPath(card)
