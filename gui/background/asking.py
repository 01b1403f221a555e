"""One question at a time to a process beside the window, which is looked after by a timer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from planner.processes.question import Aside, Part

LOOK_MS = 80


class Asking(QObject):
    """``answered(Answer)`` comes once for each question that was not dropped. Call :meth:`stop` before the window goes.

    Where the work is a generator, what it yields comes before, as ``told(object)``.
    """

    answered = Signal(object)
    told = Signal(object)
    busy_changed = Signal()
    """A question was asked, or is no longer."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._aside: Aside | None = None
        self._timer = QTimer(self, interval=LOOK_MS)
        self._timer.timeout.connect(self._look)

    @property
    def busy(self) -> bool:
        """Whether an answer is awaited."""
        return self._aside is not None

    def ask(self, work: Callable[..., object], *given: Any, **named: Any) -> None:
        """Let a process do ``work``; what was asked before is dropped."""
        self.stop()
        self._aside = Aside(work, *given, **named)
        self._timer.start()
        self.busy_changed.emit()

    def _look(self) -> None:
        while self._aside is not None and (answer := self._aside.poll()) is not None:
            if isinstance(answer, Part):
                self.told.emit(answer.value)
            else:
                self.stop()
                self.answered.emit(answer)

    def stop(self) -> None:
        """End the process at once, if there is one; nothing is said of it."""
        self._timer.stop()
        if self._aside is not None:
            aside, self._aside = self._aside, None
            aside.close()
            self.busy_changed.emit()
