"""The scrubber: the time axis of an order with its counters, buttons to play it and step through it, and the speed."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QSlider, QVBoxLayout, QWidget

from gui.look.theme import Theme
from gui.panels.network.scrubber.buttons import StepButton
from gui.panels.network.scrubber.chart import Timeline
from gui.panels.network.scrubber.counters import CounterRow, Least
from gui.widgets.labels import set_role
from gui.widgets.later import Later
from gui.widgets.offering import offer

if TYPE_CHECKING:
    from gui.document.network.document import OrderDocument
    from gui.panels.network.playback.widget import Playback

SPEED_STEPS = 60
WIDE = 1060
"""Logical pixels from which on buttons and counters have room beside each other."""
KEYS = (
    "Space plays and pauses; Left and Right step one connection, with Ctrl to the next I/O of a value, with Shift to the"
    " next block; Page Up and Page Down go farther; Home and End; plus and minus change the speed"
)
_SAID_AFTER_MS = 400
"""A screen reader hears figures once they rest."""


class Scrubber(QWidget):
    """Follows the document's moment, and moves it. The clock belongs to the window."""

    def __init__(
        self, document: OrderDocument, playback: Playback, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.document, self.playback, self.theme = document, playback, theme
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setObjectName("header")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.timeline = Timeline(document, theme, self)
        self.timeline.setAccessibleDescription(KEYS)
        self.counters = CounterRow(theme, self)
        self._buttons: list[StepButton] = []
        self.play_button = self._button("play", False, "Play (Space)", playback.toggle)
        row = QHBoxLayout()
        row.setContentsMargins(6, 0, 8, 0)
        row.setSpacing(1)
        in_a_row = [*self._steps(-1)[::-1], self.play_button, *self._steps(1)]
        for button in in_a_row:
            row.addWidget(button)
        for button, after in pairwise(in_a_row):
            QWidget.setTabOrder(button, after)
        self.speed = QSlider(Qt.Orientation.Horizontal, self)
        self.speed.setRange(0, SPEED_STEPS)
        self.speed.setFixedWidth(84)
        self.speed.setAccessibleName("Speed")
        self.speed.setToolTip("Connections per second (+ and \N{MINUS SIGN})")
        self.speed_words = QLabel(self)
        set_role(self.speed_words, "muted")
        self.speed_words.setMinimumWidth(self.speed_words.fontMetrics().horizontalAdvance("000,000 per s"))
        row.addSpacing(6)
        row.addWidget(self.speed)
        row.addSpacing(4)
        row.addWidget(self.speed_words)
        self._row, self._column = row, QVBoxLayout(self)
        self._column.setContentsMargins(0, 4, 0, 4)
        self._column.setSpacing(2)
        self._column.addLayout(row)
        self._column.addWidget(self.timeline)
        self._narrow = True
        row.addStretch(1)
        self._column.addWidget(self.counters)
        self.setFocusProxy(self.timeline)
        self.timeline.installEventFilter(self)
        self._say = Later(self._speak, self, _SAID_AFTER_MS)
        self.speed.valueChanged.connect(lambda step: playback.set_speed(self._speed_at(step)))
        playback.changed.connect(self._show_playing)
        for signal in (document.model_changed, document.trace_changed, document.decision_changed):
            signal.connect(self._renew)
        document.position_changed.connect(self._moved)
        self._renew()
        self._show_playing()

    # ------------------------------------------------------------------ parts
    def _button(self, sign: str, back: bool, name: str, run: object) -> StepButton:
        button = StepButton(self.theme, sign, back, name, self)
        button.clicked.connect(run)
        self._buttons.append(button)
        return button

    def _steps(self, direction: int) -> list[StepButton]:
        """The buttons on one side of the play button, from it outwards."""
        play, back = self.playback, direction < 0
        where = "back" if back else "on"
        end, key = ("the beginning", "Home") if back else ("the end", "End")
        arrow = "Left" if back else "Right"
        which = "Previous" if back else "Next"
        return [
            self._button("connection", back, f"One connection {where} ({arrow})", lambda: play.step_connection(direction)),
            self._button("event", back, f"{which} I/O of a value (Ctrl+{arrow})", lambda: play.step_event(direction)),
            self._button("block", back, f"{which} block: another neuron is summed (Shift+{arrow})", lambda: play.step_block(direction)),
            self._button("end", back, f"To {end} ({key})", play.home if back else play.end),
        ]  # fmt: skip

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The counters stand beside the buttons where there is room, else below the time axis."""
        super().resizeEvent(event)
        narrow = self.width() < WIDE
        if narrow == self._narrow:
            return
        self._narrow = narrow
        if narrow:
            self._row.removeWidget(self.counters)
            self._column.addWidget(self.counters)
        else:
            self._column.removeWidget(self.counters)
            self._row.addWidget(self.counters, 100)
        self.updateGeometry()

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self.theme = theme
        self.timeline.set_theme(theme)
        self.counters.set_theme(theme)
        for button in self._buttons:
            button.set_theme(theme)

    def set_reduced_motion(self, reduced: bool) -> None:
        """Play in single pictures."""
        self.playback.set_reduced_motion(reduced)

    # ------------------------------------------------------------------ what is shown
    def _renew(self) -> None:
        """Another order, or what happens along it is known."""
        self.timeline.show_history(self.playback.history, len(self.document.order))
        for button in self._buttons:
            offer(button, "" if len(self.document.order) else "there is no order to go through")
        self._moved()
        self._show_playing()

    def _moved(self) -> None:
        document, history = self.document, self.playback.history
        network = document.network
        least = Least(0, 0)
        if network is not None:
            least = Least(network.connection_count + network.neuron_count, len(network.outputs))
        position = min(document.position, len(document.order))
        known = None if history is None else history.counters(position)
        length = len(document.order)
        whole = None if history is None else history.counters(length)
        self.counters.show_counters(known, least, position, length, whole)
        self.timeline.follow()
        self._say.ask()

    def _speak(self) -> None:
        self.counters.setAccessibleDescription(self.counters.words())

    def _show_playing(self) -> None:
        playing = self.playback.playing
        self.play_button.set_sign("pause" if playing else "play")
        self.play_button.set_name("Pause (Space)" if playing else "Play (Space)")
        self.speed_words.setText(f"{round(self.playback.speed):,} per s")
        self.speed.blockSignals(True)
        self.speed.setValue(self._step_of(self.playback.speed))
        self.speed.blockSignals(False)

    def _speed_at(self, step: int) -> float:
        """Speeds grow by equal factors along the slider."""
        return math.exp(math.log(self.playback.fastest) * step / SPEED_STEPS)

    def _step_of(self, speed: float) -> int:
        return round(SPEED_STEPS * math.log(speed) / math.log(self.playback.fastest))

    # ------------------------------------------------------------------ keys
    def eventFilter(self, watched: object, event: object) -> bool:
        """Keys on the time axis that a slider does not know."""
        if (
            watched is self.timeline
            and isinstance(event, QKeyEvent)
            and event.type() == QKeyEvent.Type.KeyPress
        ):
            return self._key(event)
        return False

    def _key(self, event: QKeyEvent) -> bool:
        """See :data:`KEYS`."""
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            direction = 1 if event.key() == Qt.Key.Key_Right else -1
            step = (
                self.playback.step_event if control else self.playback.step_block if shift
                else self.playback.step_connection
            )  # fmt: skip
            step(direction)
            return True
        keys = {
            Qt.Key.Key_Space: self.playback.toggle,
            Qt.Key.Key_Plus: self.playback.faster,
            Qt.Key.Key_Equal: self.playback.faster,
            Qt.Key.Key_Minus: self.playback.slower,
            Qt.Key.Key_Home: self.playback.home,
            Qt.Key.Key_End: self.playback.end,
        }
        run = keys.get(Qt.Key(event.key()))
        if run is None or control:
            return False
        run()
        return True
