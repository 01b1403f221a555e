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
    written to a socket by the signal wakes both. Before the loop has begun, while models are read and kernels are compiled for it,
    there is nothing to end but that: :class:`SystemExit` is raised. Whatever takes that for its own and begins a loop all the same is
    asked until it ends.
    """

    def __init__(self, app: QApplication) -> None:
        self._app = app
        self._before: dict[int, object] = {}
        self._notifier: QSocketNotifier | None = None
        self._again: QTimer | None = None
        self._first: QTimer | None = None

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
        self._first = QTimer(interval=0, singleShot=True)  # is over as soon as a loop runs
        self._first.start()
        for number in (signal.SIGINT, signal.SIGTERM):
            self._before[number] = signal.signal(number, self._asked)

    def _asked(self, number: int, frame: object) -> None:
        asked_before = self._again is None or self._again.isActive()
        if self._again is not None and not asked_before:
            self._again.timeout.connect(lambda: self._app.exit(128 + number))
            self._again.start()
        self._app.exit(128 + number)
        begun = self._first is None or not self._first.isActive() or self._app.thread().loopLevel() > 0
        if not begun and not asked_before:
            raise SystemExit(128 + number)

    def _woken(self, *_: object) -> None:
        self._read.recv(64)

    def __exit__(self, *_: object) -> None:
        if self._notifier is None:
            return
        for timer in (self._again, self._first):
            if timer is not None:
                timer.stop()
                timer.deleteLater()
        self._notifier.setEnabled(False)
        self._notifier.deleteLater()
        signal.set_wakeup_fd(self._wakeup)
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]
        self._read.close()
        self._write.close()
