"""The page that stands in for the canvas while a model is read: what, for how long, and a button that stops it."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QProgressBar, QPushButton, QVBoxLayout, QWidget

from gui.look.theme import font
from gui.widgets.labels import set_role
from gui.widgets.plain import PlainLabel

WIDTH = 280
"""Pixels of the bar."""


class WaitingPage(QWidget):
    """Nothing moves on it while it is not seen."""

    cancelled = Signal()
    """A person does not want to wait."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._seconds = 0
        self._about = ""
        self.words = PlainLabel()
        self.words.setFont(font(10.0, bold=True))
        self.words.setWordWrap(True)
        self.words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.bar = QProgressBar()
        self.bar.setFixedWidth(WIDTH)
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName("Opening")
        self.time = PlainLabel()
        set_role(self.time, "muted")
        self.cancel = QPushButton("Cancel")
        self.cancel.setToolTip("Stop; what was open stays as it is")
        self.cancel.clicked.connect(lambda _=False: self.cancelled.emit())
        column = QVBoxLayout(self)
        column.setSpacing(12)
        column.addStretch(1)
        column.addWidget(self.words)
        for widget in (self.bar, self.time, self.cancel):
            column.addWidget(widget, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(1)
        self._timer = QTimer(self, interval=1000)
        self._timer.timeout.connect(self._tick)

    def wait_for(self, words: str, about: float = 0.0) -> None:
        """Say what is waited for, and ``about`` how many seconds that takes where it is known."""
        self.words.setText(words)
        self._seconds = 0
        self._about = f"about {about:.0f} s" if about else ""
        self.time.setText(self._about)
        self.bar.setRange(0, 0)
        self._timer.start()

    def _tick(self) -> None:
        self._seconds += 1
        self.time.setText(f"{self._seconds} s of {self._about}" if self._about else f"{self._seconds} s")

    def hideEvent(self, event: QHideEvent) -> None:
        """It is over."""
        super().hideEvent(event)
        self._timer.stop()
        self.bar.setRange(0, 1)  # a bar without an end keeps moving even where nobody sees it
