"""Reference cycles are taken apart in the window's thread, and in no other.

Python looks for them in whichever thread happens to allocate. Beside a window those read models and lay out graphs: a widget that is
in a cycle would be destroyed there, with Qt locking what the window's own thread waits for while it holds the interpreter, so that
neither goes on.

A window that was closed is a cycle, too, of megabytes, and most of what it had lies between what stays: the C library keeps such pages
until it is told to give them back.
"""

from __future__ import annotations

import ctypes
import gc
import sys
import threading
from contextlib import suppress

from PySide6.QtCore import QObject, QTimer

EVERY_MS = 500
GONE_AFTER = 2
"""Looks after which an editor that was closed is no widget any more: it goes some turns of the event loop later."""


class Collecting(QObject):
    """Looks now and then, in the thread that made it, whether a collection is due; :meth:`close` leaves that to Python again.

    What :meth:`keep` finds is not looked through again: modules stay, and there is more of them than of all that comes later.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._before = gc.isenabled()
        self._gone_in = 0
        """Looks until what an editor had can go; 0: none was closed."""
        self._gone = False
        """Whether it has gone, and its memory waits to be given back."""
        self._giving: threading.Thread | None = None
        gc.disable()
        self._timer = QTimer(self, interval=EVERY_MS)
        self._timer.timeout.connect(self.collect)
        self._timer.start()
        _collecting.append(self)

    def keep(self) -> None:
        """Take what is there now for what stays. Call when all is imported, before the first window is made."""
        gc.freeze()

    def collect(self) -> None:
        """Collect the oldest generation that Python would collect by now; all of them, once an editor has gone.

        Its memory is given back at the next look, beside the window: the C library goes through all of its heap.
        """
        if self._giving is not None and not self._giving.is_alive():
            self._wait()  # a thread knows who hears of its errors, and with them what was open
        if self._gone_in:
            self._gone_in -= 1
            if not self._gone_in:
                gc.collect()
                self._gone = True
                return
        if self._gone:
            self._gone = False
            self._wait()
            self._giving = threading.Thread(target=give_back, name="memory", daemon=True)
            self._giving.start()
        counts, limits = gc.get_count(), gc.get_threshold()
        due = [generation for generation in range(3) if counts[generation] > limits[generation]]
        if due:
            gc.collect(due[-1])

    def _wait(self) -> None:
        if self._giving is not None:
            self._giving.join()
            self._giving = None

    def editor_closed(self) -> None:
        """What an editor had goes soon, and its memory back to the system."""
        self._gone_in = GONE_AFTER

    def close(self) -> None:
        """The window goes."""
        self._timer.stop()
        self._wait()
        _collecting.remove(self)
        gc.unfreeze()
        if self._before:
            gc.enable()


_collecting: list[Collecting] = []
"""The program's, while it runs."""


def editor_closed() -> None:
    """An editor was closed, with its document and all that it showed."""
    for one in _collecting:
        one.editor_closed()


def give_back() -> None:
    """Give free pages of the heap back to the system, where the C library can be told to (glibc)."""
    if sys.platform.startswith("linux"):
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).malloc_trim(0)
