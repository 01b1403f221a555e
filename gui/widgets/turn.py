"""What long works took of the present turn of the event loop, so that what can wait leaves it to the next one."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QTimer

LONG_SECONDS = 0.01
"""Processor seconds of a turn after which what can wait is left to the next one."""

SOME_SECONDS = 0.002
"""Processor seconds of a turn after which what takes long itself is left to the next one."""


class _End(QObject):
    """Calls ``end`` once what was posted is done, the painting last of all, and with it what timers wanted until then.

    A timer alone may be heard before the picture is painted that was changed by the work that is counted.
    """

    def __init__(self, end: Callable[[], object]) -> None:
        super().__init__()
        self._end = end

    def soon(self) -> None:
        """Wait once more."""
        QCoreApplication.postEvent(
            self, QEvent(QEvent.Type.User), Qt.EventPriority.LowEventPriority.value - 1
        )

    def customEvent(self, _: QEvent) -> None:
        """All that was posted before is done."""
        QTimer.singleShot(0, self._end)


class Turn:
    """``seconds`` are those that were :meth:`counted` in this turn of the event loop."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._counting = False
        self._over: _End | None = None
        self._counted: deque[float] = deque()
        """What the seconds consist of, in the order in which it was done: each part goes after its own turn, whatever is done every turn."""

    @property
    def is_long(self) -> bool:
        """Whether what can wait should."""
        return self.seconds > LONG_SECONDS

    @property
    def has_some(self) -> bool:
        """Whether what takes long itself should have a turn of its own."""
        return self.seconds > SOME_SECONDS

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Count the processor time of what is done in it; once, where one is within another, and nothing where no loop turns."""
        if self._counting or QCoreApplication.instance() is None:
            yield
            return
        began, self._counting = time.thread_time(), True
        try:
            yield
        finally:
            self._counting = False
            self._counted.append(time.thread_time() - began)
            self.seconds += self._counted[-1]
            self._over = self._over or _End(self._end)
            self._over.soon()  # not before: a dialog may have been open in it

    def _end(self) -> None:
        over = self._counted.popleft()
        self.seconds = max(0.0, self.seconds - over) if self._counted else 0.0


PANELS = Turn()
"""Of panels that were built anew."""
OTHERS = Turn()
"""Of actions and edits, of windows that were shown and pictures that were painted anew, and of what came from threads."""
