"""The notice bar: says what happened, what was kept and what to do, and never stands in the way."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QToolButton, QWidget

from gui.later import Later
from gui.theme import Theme

_WORDS = {"info": "Note", "warning": "Warning", "error": "Problem"}
INFO_SECONDS = 6.0
"""Informative notices go by themselves; warnings and errors stay until they are dismissed."""


class NoticeBar(QWidget):
    """One message at a time on top of the canvas; the latest replaces the one before."""

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
        self._run: object = None
        self._until_change = False
        self._action.clicked.connect(self._act)
        close = QToolButton(self)
        close.setText("\N{MULTIPLICATION SIGN}")
        close.setAccessibleName("Dismiss this message")
        close.setToolTip("Dismiss (Esc)")
        close.clicked.connect(self.dismiss)
        self._close = close
        layout = QHBoxLayout(self)
        layout.setContentsMargins(16, 6, 8, 6)
        layout.setSpacing(8)
        layout.addWidget(self._text, 1)
        layout.addWidget(self._action)
        layout.addWidget(self._more)
        layout.addWidget(close, 0, Qt.AlignmentFlag.AlignTop)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        self._more.hide()
        self._action.hide()
        self._later = Later(self.dismiss, self, int(1000 * INFO_SECONDS))
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
    ) -> None:
        """Show a message. ``level`` is info, warning or error; ``action`` and ``run`` offer one thing to do about it.

        With ``until_change`` it goes as soon as :meth:`plan_changed` is called: what it says is about the plan as it is.
        """
        self._until_change = until_change
        self.level = level if level in _WORDS else "info"
        self._detail = detail
        self._message = text
        self._text.setText(text)
        self._more.setChecked(False)
        self._more.setVisible(bool(detail))
        self._run = run
        self._action.setText(action)
        self._action.setVisible(bool(action))
        self.setAccessibleName(f"{_WORDS[self.level]}: {text}")
        self._later.stop()
        if self.level == "info" and not action:
            self._later.ask()
        self.show()
        self.update()

    def plan_changed(self, *_: object) -> None:
        """The plan is another one now."""
        if self._until_change:
            self.dismiss()

    def dismiss(self) -> None:
        """Take the message away."""
        self._later.stop()
        if not self.isHidden():
            self.hide()
            self.dismissed.emit()

    def _act(self) -> None:
        run = self._run
        self.dismiss()
        if callable(run):
            run()

    def _show_detail(self, shown: bool) -> None:
        self._text.setText(f"{self._message}\n{self._detail}" if shown else self._message)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape dismisses."""
        if event.key() == Qt.Key.Key_Escape:
            self.dismiss()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """A soft ground and a bar of the level's colour at the left."""
        t = self._theme
        ground, mark = {
            "info": (t.selection, t.accent), "warning": (t.warning_soft, t.warning), "error": (t.bad_soft, t.bad),
        }[self.level]  # fmt: skip
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(ground))
        painter.fillRect(0, 0, 4, self.height(), QColor(mark))
