"""The guided tour in the window: a bar at its foot says what happens, Space or Enter goes on, Escape ends the tour."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QGraphicsDropShadowEffect, QHBoxLayout, QLabel, QPushButton, QVBoxLayout

from gui.app.tour.tour import STEPS, Step, Tour
from gui.look.theme import Theme, font
from gui.widgets.later import Later
from planner.errors import StageboardError

if TYPE_CHECKING:
    from gui.editors.plan.editor import MainWindow
    from gui.shell.window import EditorWindow

MARGIN = 16
WIDEST = 720
POLL_MS = 50
LEAVES_READABLE = 400
"""Milliseconds between a step's end and its words, so that the movement is seen first."""


class TourBar(QFrame):
    """One step at a time: number, title, words, and the buttons to go on and to end."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.tour = Tour(window.document, window.jobs)
        self.number = -1
        self._colours = window.themes.preference
        """The colours before the tour, which has its own: they come back when it ends."""
        self.setObjectName("tourBar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Guided tour")
        self._count, self._title, self._text = QLabel(), QLabel(), QLabel()
        self._title.setFont(font(11.0, bold=True))
        self._text.setWordWrap(True)
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self.next_button = QPushButton("Next")
        self.next_button.setObjectName("primary")
        self.next_button.setToolTip("Go on (Space or Enter)")
        self.next_button.clicked.connect(self.go_on)
        end = QPushButton("End the tour")
        end.setToolTip("Keep what is open and look around (Esc)")
        end.clicked.connect(self.end)
        head = QHBoxLayout()
        head.addWidget(self._title, 1)
        head.addWidget(self._count)
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(end)
        foot.addWidget(self.next_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 14, 20, 14)
        column.setSpacing(8)
        for layout in (head, foot):
            layout.setSpacing(8)
        column.addLayout(head)
        column.addWidget(self._text)
        column.addLayout(foot)
        shadow = QGraphicsDropShadowEffect(self)
        shadow.setBlurRadius(24)
        shadow.setOffset(0, 4)
        self.setGraphicsEffect(shadow)
        self._timer = QTimer(self)
        self._timer.setInterval(POLL_MS)
        self._timer.timeout.connect(self._poll)
        self._telling = Later(self._tell, self, LEAVES_READABLE)
        self._placing = Later(self.place, self)
        window.installEventFilter(self)
        window.themes.changed.connect(self._set_theme)
        window.ended.connect(self._give_colours_back)
        self._set_theme(window.theme)

    @property
    def step(self) -> Step:
        """The step that is shown."""
        return STEPS[max(self.number, 0)]

    @property
    def text(self) -> str:
        """What is said."""
        return self._text.text()

    @property
    def waiting(self) -> bool:
        """Whether the step is still at work."""
        return self._timer.isActive() or self._telling.waiting

    def _set_theme(self, theme: Theme) -> None:
        self.setStyleSheet(
            f"#tourBar {{ background: {theme.panel}; border: 1px solid {theme.border}; border-radius: 10px; }}"
            f"#tourBar QLabel {{ color: {theme.text}; background: transparent; }}"
        )

    # ------------------------------------------------------------------ going on
    def go_on(self) -> None:
        """The next step; after the last one the tour ends."""
        if self.waiting:
            return
        if self.number + 1 >= len(STEPS):
            self.end()
            return
        self.number += 1
        step = self.step
        self._count.setText(f"{self.number + 1} of {len(STEPS)}")
        self._title.setText(step.title)
        self._text.setText("…")
        self.next_button.setEnabled(False)
        window = self._window
        try:
            window.themes.set_preference(step.theme)
            window.canvas.set_view(step.view)
            step.act(self.tour)
        except StageboardError as error:
            self._failed(str(error))
            return
        self._timer.start()
        self.place()
        self.show()
        self.raise_()

    def _poll(self) -> None:
        if not self.step.over(self.tour):
            return
        self._timer.stop()
        try:
            self.step.finish(self.tour)
        except StageboardError as error:
            self._failed(str(error))
            return
        self._telling.ask()

    def _tell(self) -> None:
        self._text.setText(self.step.text(self.tour))
        last = self.number + 1 >= len(STEPS)
        self.next_button.setText("Finish" if last else "Next")
        self.next_button.setEnabled(True)
        self.next_button.setFocus()
        self.place()

    def _failed(self, sentence: str) -> None:
        self._timer.stop()
        self._window.say("error", sentence)
        self.end()

    def end(self) -> None:
        """Leave everything as it is and go."""
        for work in (self._timer, self._telling, self._placing):
            work.stop()
        self._window.removeEventFilter(self)
        self._give_colours_back()
        self.hide()
        self._window.canvas.setFocus()
        self.deleteLater()

    def _give_colours_back(self) -> None:
        self._window.themes.set_preference(self._colours)

    # ------------------------------------------------------------------ place and keys
    def place(self) -> None:
        """At the foot of the canvas, in its middle."""
        canvas = self._window.canvas
        width = min(WIDEST, max(320, canvas.width() - 2 * MARGIN))
        self.setFixedWidth(width)
        self.adjustSize()
        at = canvas.mapTo(self._window, canvas.rect().bottomLeft())
        self.move(at.x() + (canvas.width() - width) // 2, at.y() - self.height() - MARGIN)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay in place when the window changes its size."""
        if (
            watched is self._window
            and event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest)
            and self.isVisible()
        ):
            self._placing.ask_once()
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Space and Enter go on, Escape ends."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.go_on()
        elif event.key() == Qt.Key.Key_Escape:
            self.end()
        else:
            super().keyPressEvent(event)


def open_tour(beside: EditorWindow) -> TourBar:
    """Begin the tour in a tab of its own beside an editor, which stays as it is. Nothing of it is remembered."""
    from gui.editors.plan.windows import open_graph_window

    parts = open_graph_window([], None, remember=False, beside=beside, themes=beside.themes)
    return begin_tour(parts.window)


def begin_tour(window: MainWindow) -> TourBar:
    """Begin the tour in ``window``."""
    bar = TourBar(window)
    bar.go_on()
    return bar
