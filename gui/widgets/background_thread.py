"""Short computations beside the window, on a thread: the latest request counts, an earlier one is told to stop."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal

from gui.widgets.turn import OTHERS

Work = Callable[[Callable[[], bool]], object]
"""``work(stopped)``: asks ``stopped`` now and then, and ends soon once that is true."""


class Background(QObject):
    """Runs one ``work`` at a time and gives ``deliver`` its result in the window's thread.

    For code whose long parts release the interpreter lock. An exception of ``work`` is delivered as its result. Call
    :meth:`close` before the window goes.
    """

    busy_changed = Signal()
    _done = Signal(int, object)

    def __init__(self, name: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._name = name
        self._ticket = 0
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()
        self._next: tuple[Work, Callable[[object], None]] | None = None
        self._deliver: Callable[[object], None] | None = None
        self._done.connect(self._finish, Qt.ConnectionType.QueuedConnection)

    @property
    def busy(self) -> bool:
        """Whether a result is still to come."""
        return self._deliver is not None or self._next is not None

    def run(self, work: Work, deliver: Callable[[object], None]) -> None:
        """Call ``deliver(work(stopped))`` unless another request or :meth:`cancel` comes before its end."""
        self._stop.set()
        self._ticket += 1
        self._deliver = None
        self._next = (work, deliver)
        if self._thread is None:
            self._start()
        self.busy_changed.emit()

    def cancel(self) -> None:
        """Nobody waits for the result any more."""
        was = self.busy
        self._ticket += 1
        self._stop.set()
        self._next = self._deliver = None
        if was:
            self.busy_changed.emit()

    def close(self) -> None:
        """Stop, and wait until the thread is gone."""
        self.cancel()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _start(self) -> None:
        assert self._next is not None
        (work, self._deliver), self._next = self._next, None
        ticket, stop = self._ticket, threading.Event()
        self._stop = stop

        def run() -> None:
            try:
                result = work(stop.is_set)
            except Exception as error:  # whoever asked says it
                result = error
            with contextlib.suppress(RuntimeError):  # the window may be gone
                self._done.emit(ticket, result)

        self._thread = threading.Thread(target=run, name=self._name, daemon=True)
        self._thread.start()

    def _finish(self, ticket: int, result: object) -> None:
        if self._thread is None:
            return
        self._thread.join()
        self._thread = None
        deliver, self._deliver = self._deliver, None
        if self._next is not None:
            self._start()
        elif ticket == self._ticket and deliver is not None:
            self.busy_changed.emit()
            with OTHERS.counted():
                deliver(result)
