"""Reference cycles are taken apart in the window's thread, and in no other.

Python looks for them in whichever thread happens to allocate. Beside a window those read models and lay out graphs: a widget that is
in a cycle would be destroyed there, with Qt locking what the window's own thread waits for while it holds the interpreter, so that
neither goes on.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

EVERY_MS = 500


class Collecting(QObject):
    """Looks now and then, in the thread that made it, whether a collection is due; :meth:`close` leaves that to Python again.

    What :meth:`keep` finds is not looked through again: modules stay, and there is more of them than of all that comes later.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._before = gc.isenabled()
        gc.disable()
        self._timer = QTimer(self, interval=EVERY_MS)
        self._timer.timeout.connect(self.collect)
        self._timer.start()

    def keep(self) -> None:
        """Take what is there now for what stays. Call when all is imported, before the first window is made."""
        gc.freeze()

    def collect(self) -> None:
        """Collect the oldest generation that Python would collect by now."""
        counts, limits = gc.get_count(), gc.get_threshold()
        due = [generation for generation in range(3) if counts[generation] > limits[generation]]
        if due:
            gc.collect(due[-1])

    def close(self) -> None:
        """The window goes."""
        self._timer.stop()
        gc.unfreeze()
        if self._before:
            gc.enable()
