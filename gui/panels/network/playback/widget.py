"""The clock that plays an order: it moves the document's moment at a speed, or by steps that mean something."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from gui.document.network.memory_history import History, block_starts, history_of, step
from planner.model.graph import Ints

if TYPE_CHECKING:
    from gui.document.network.document import OrderDocument

FRAME_MS = 16
CALM_FRAME_MS = 250
"""Between two frames where motion is reduced: a few pictures a second rather than a movement."""
LONGEST_FRAME = 0.25
"""Seconds that a frame may count for: a window that was held up goes on where it was."""
USUAL_SECONDS = 20.0
"""An order plays for so long at the speed it begins with."""
SLOWEST = 1.0
FASTER = 2.0


class Playback(QObject):
    """Plays the document's order. ``changed``: it began, stopped, or has another speed."""

    changed = Signal()

    def __init__(self, document: OrderDocument, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.document = document
        self.speed = 100.0
        """Connections per second."""
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(FRAME_MS)
        self._timer.timeout.connect(self._frame)
        self._last = 0.0
        self._at = 0.0
        self._history: History | None = None
        self._blocks: tuple[Ints, Ints] | None = None
        """An order and where its blocks begin, for the time before its trace is known."""
        document.model_changed.connect(self._network_changed)
        document.position_changed.connect(self._position_changed)
        self._network_changed()

    @classmethod
    def of(cls, document: OrderDocument) -> Playback:
        """The clock of a document: all editors that show it play with one."""
        return document.findChild(cls) or cls(document, document)

    # ------------------------------------------------------------------ playing
    @property
    def playing(self) -> bool:
        """Whether time goes on by itself."""
        return self._timer.isActive()

    @property
    def length(self) -> int:
        """W."""
        return len(self.document.order)

    @property
    def fastest(self) -> float:
        """The highest speed: the whole order in half a second."""
        return max(2.0 * self.length, 2.0 * SLOWEST)

    def set_reduced_motion(self, reduced: bool) -> None:
        """Show single pictures rather than a movement."""
        self._timer.setInterval(CALM_FRAME_MS if reduced else FRAME_MS)

    def play(self) -> None:
        """Go on from the moment shown, from the beginning where that is the end."""
        if self.playing or not self.length:
            return
        if self.document.position >= self.length:
            self.document.set_position(0)
        self._at, self._last = float(self.document.position), time.perf_counter()
        self._timer.start()
        self.changed.emit()

    def pause(self) -> None:
        """Stay at the moment shown."""
        if self.playing:
            self._timer.stop()
            self.changed.emit()

    def toggle(self) -> None:
        """Play or pause."""
        if self.playing:
            self.pause()
        else:
            self.play()

    def set_speed(self, speed: float) -> None:
        """Connections per second, within limits."""
        speed = min(max(speed, SLOWEST), self.fastest)
        if speed != self.speed:
            self.speed = speed
            self.changed.emit()

    def faster(self) -> None:
        """Twice as fast."""
        self.set_speed(self.speed * FASTER)

    def slower(self) -> None:
        """Half as fast."""
        self.set_speed(self.speed / FASTER)

    def _network_changed(self) -> None:
        self.pause()
        self.set_speed(_round(self.length / USUAL_SECONDS))

    def _frame(self) -> None:
        now = time.perf_counter()
        self.tick(min(now - self._last, LONGEST_FRAME))
        self._last = now

    def tick(self, seconds: float) -> None:
        """Let time go on by so many seconds; stops at the end."""
        self._at += seconds * self.speed
        position = min(int(self._at), self.length)
        self.document.set_position(position)
        if position >= self.length:
            self.pause()

    def _position_changed(self) -> None:
        if self.document.position != int(self._at):
            self._at = float(self.document.position)

    # ------------------------------------------------------------------ steps
    @property
    def history(self) -> History | None:
        """What happens along the order; None until it is known."""
        trace, problem = self.document.trace, self.document.problem
        if trace is None or problem is None:
            self._history = None
        else:
            self._history = history_of(problem.network, self.document.order, trace, problem.evaluator.slots)
        return self._history

    def step_connection(self, direction: int) -> None:
        """One connection on (1) or back (-1)."""
        self._go(self.document.position + direction)

    def step_event(self, direction: int) -> None:
        """To the next moment with an I/O of a neuron's value, or the one before; nothing before the trace is known."""
        if (history := self.history) is not None:
            self._go(history.step_event(self.document.position, direction))

    def step_block(self, direction: int) -> None:
        """To the beginning of the next run of connections into one neuron, or of the one before."""
        if self.length:
            self._go(step(self._block_starts(), self.document.position, direction, self.length))

    def home(self) -> None:
        """To the beginning."""
        self._go(0)

    def end(self) -> None:
        """To the end."""
        self._go(self.length)

    def _block_starts(self) -> Ints:
        order = self.document.order
        if self._blocks is None or self._blocks[0] is not order:
            self._blocks = (order, block_starts(self.document.open_problem.network, order))
        return self._blocks[1]

    def _go(self, position: int) -> None:
        self.pause()
        self.document.set_position(position)


def _round(speed: float) -> float:
    """One or two significant digits: 1, 2, 5, 10, ..."""
    if speed <= SLOWEST:
        return SLOWEST
    power = 10.0 ** math.floor(math.log10(speed))
    return max(step * power for step in (1.0, 2.0, 5.0) if step * power <= speed)
