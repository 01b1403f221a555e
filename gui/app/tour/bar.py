"""The guided tour in the window: a bar below the canvas says what happens, Space or Enter goes on, Escape ends the tour."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout

from gui.app.tour.tour import STEPS, Step, Tour
from gui.look.theme import Theme, font
from gui.widgets.later import Later
from planner.errors import StageboardError

if TYPE_CHECKING:
    from gui.editors.plan.editor import MainWindow
    from gui.shell.window import EditorWindow

LINES = 4
"""Lines of words that have room, so that the canvas keeps its size from step to step."""
POLL_MS = 50
LEAVES_READABLE = 400
"""Milliseconds between a step's end and its words, so that the movement is seen first."""


class TourBar(QFrame):
    """One step at a time: number, title, words, and the buttons to go on and to end. It covers nothing: the canvas makes room."""

    def __init__(self, window: MainWindow) -> None:
        middle = window.centralWidget()
        assert middle is not None
        super().__init__(middle)
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
        self._text.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._text.setMinimumHeight(LINES * self._text.fontMetrics().lineSpacing())
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
        self._timer = QTimer(self)
        self._timer.setInterval(POLL_MS)
        self._timer.timeout.connect(self._poll)
        self._telling = Later(self._tell, self, LEAVES_READABLE)
        below = None if middle is None else middle.layout()
        assert below is not None
        below.addWidget(self)
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
            f"#tourBar {{ background: {theme.panel}; border: none; border-top: 2px solid {theme.accent}; }}"
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
            with window.document.history.showing():
                step.act(self.tour)
        except StageboardError as error:
            self._failed(str(error))
            return
        self._timer.start()
        self.show()

    def _poll(self) -> None:
        if not self.step.over(self.tour):
            return
        self._timer.stop()
        try:
            with self._window.document.history.showing():
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

    def _failed(self, sentence: str) -> None:
        self._timer.stop()
        self._window.say("error", sentence)
        self.end()

    def end(self) -> None:
        """Leave everything as it is and go."""
        self._timer.stop()
        self._telling.stop()
        self._give_colours_back()
        self.hide()
        self._window.canvas.setFocus()
        self.deleteLater()

    def _give_colours_back(self) -> None:
        self._window.themes.set_preference(self._colours)

    # ------------------------------------------------------------------ keys
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
