"""Ctrl-C and SIGTERM while Qt's event loop has the interpreter."""

from __future__ import annotations

import signal
import socket
import sys
import threading

from PySide6.QtCore import QSocketNotifier, QTimer
from PySide6.QtWidgets import QApplication

AGAIN_MS = 50
"""How soon a loop that has not ended is asked once more."""


class quit_on_signals:  # noqa: N801 - used like a function, in a with statement
    """Ctrl-C in the terminal and SIGTERM end the event loop; the journal then keeps what was not saved.

    Python runs its signal handlers only when it gets the interpreter, which the event loop does not give it; a byte
    written to a socket by the signal wakes both. A loop that has not begun yet knows
    nothing of what was asked before, so it is asked until it ends.
    """

    def __init__(self, app: QApplication) -> None:
        self._app = app
        self._before: dict[int, object] = {}
        self._notifier: QSocketNotifier | None = None
        self._again: QTimer | None = None

    def __enter__(self) -> None:
        if threading.current_thread() is not threading.main_thread() or sys.platform == "win32":
            return
        self._read, self._write = socket.socketpair()
        for end in (self._read, self._write):
            end.setblocking(False)
        self._wakeup = signal.set_wakeup_fd(self._write.fileno(), warn_on_full_buffer=False)
        self._notifier = QSocketNotifier(self._read.fileno(), QSocketNotifier.Type.Read)
        self._notifier.activated.connect(self._woken)
        self._again = QTimer(interval=AGAIN_MS)
        for number in (signal.SIGINT, signal.SIGTERM):
            self._before[number] = signal.signal(number, self._asked)

    def _asked(self, number: int, frame: object) -> None:
        if self._again is not None and not self._again.isActive():
            self._again.timeout.connect(lambda: self._app.exit(128 + number))
            self._again.start()
        self._app.exit(128 + number)

    def _woken(self, *_: object) -> None:
        self._read.recv(64)

    def __exit__(self, *_: object) -> None:
        if self._notifier is None:
            return
        if self._again is not None:
            self._again.stop()
            self._again.deleteLater()
        self._notifier.setEnabled(False)
        self._notifier.deleteLater()
        signal.set_wakeup_fd(self._wakeup)
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]
        self._read.close()
        self._write.close()
