"""What long works took of the present turn of the event loop, so that what can wait leaves it to the next one."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QCoreApplication, QTimer

LONG_SECONDS = 0.01
"""Processor seconds of a turn after which what can wait is left to the next one."""

SOME_SECONDS = 0.002
"""Processor seconds of a turn after which what takes long itself is left to the next one."""


class Turn:
    """``seconds`` are those that were :meth:`counted` in this turn of the event loop."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._counting = self._ending = False

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
            self.seconds += time.thread_time() - began
            if not self._ending:  # not before: a dialog may have been open in it
                self._ending = True
                QTimer.singleShot(0, self._end)

    def _end(self) -> None:
        self.seconds, self._ending = 0.0, False


PANELS = Turn()
"""Of panels that were built anew."""
OTHERS = Turn()
"""Of actions and edits, of windows that were shown and pictures that were painted anew, and of what came from threads."""
