"""What long works took of the present turn of the event loop, so that what can wait leaves it to the next one."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QTimer

LONG_SECONDS = 0.01
"""Processor seconds of a turn after which what can wait is left to the next one."""


class Turn:
    """``seconds`` are those that were :meth:`counted` in this turn of the event loop."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._counting = False

    @property
    def is_long(self) -> bool:
        """Whether what can wait should."""
        return self.seconds > LONG_SECONDS

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Count the processor time of what is done in it; once, where one is within another."""
        if self._counting:
            yield
            return
        if not self.seconds:
            QTimer.singleShot(0, self._end)
        began, self._counting = time.thread_time(), True
        try:
            yield
        finally:
            self._counting = False
            self.seconds += time.thread_time() - began

    def _end(self) -> None:
        self.seconds = 0.0


PANELS = Turn()
"""Of panels that were built anew."""
OTHERS = Turn()
"""Of edits, of pictures that were painted anew, and of what came from threads."""
