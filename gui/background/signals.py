"""Ctrl-C and SIGTERM while Qt's event loop has the interpreter."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
import threading
from pathlib import PurePath
from types import FrameType

from PySide6.QtCore import QSocketNotifier, QTimer
from PySide6.QtWidgets import QApplication

AGAIN_MS = 50
"""How soon a loop that has not ended is asked once more."""
AGAIN_S = 0.02
"""How soon a start is ended that was not to be interrupted where it was."""
BINDINGS = ("PySide6", "shiboken", "enum.py")
"""Names in the paths of files that Qt's bindings run while they make one of their classes: what is raised there is lost, and leaves the
class half made."""
WITHOUT_QT = ("gui.app", "gui.present.launch", "gui.raster", "gui.layout")
"""Packages of the window that Qt calls nothing in: what is raised where it calls something ends the process in the midst of its code."""


class quit_on_signals:  # noqa: N801 - used like a function, in a with statement
    """Ctrl-C in the terminal and SIGTERM end the event loop; the journal then keeps what was not saved.

    Python runs its signal handlers only when it gets the interpreter, which the event loop does not give it; a byte
    written to a socket by the signal wakes both. The handler itself touches nothing of Qt, for it may come while Qt's bindings are at
    work; what the byte wakes ends the loop. Before the loop has begun, while models are read and kernels are compiled for it,
    there is nothing to end but that: :class:`SystemExit` is raised, as soon as no part of the window is at work that Qt may have called.
    Whatever takes that for its own and begins a loop all the same is asked until it ends.
    """

    def __init__(self, app: QApplication) -> None:
        self._app = app
        self._before: dict[int, object] = {}
        self._notifier: QSocketNotifier | None = None
        self._again: QTimer | None = None
        self._first: QTimer | None = None
        self._later: threading.Timer | None = None
        self._number = 0
        """The signal that asked; 0: none did."""
        self._begun = False

    def __enter__(self) -> None:
        if threading.current_thread() is not threading.main_thread() or sys.platform == "win32":
            return
        self._begun = self._app.thread().loopLevel() > 0
        self._read, self._write = socket.socketpair()
        for end in (self._read, self._write):
            end.setblocking(False)
        self._wakeup = signal.set_wakeup_fd(self._write.fileno(), warn_on_full_buffer=False)
        self._notifier = QSocketNotifier(self._read.fileno(), QSocketNotifier.Type.Read)
        self._notifier.activated.connect(self._woken)
        self._again = QTimer(interval=AGAIN_MS)
        self._again.timeout.connect(self._end)
        self._first = QTimer(interval=0, singleShot=True)  # is over as soon as a loop runs
        self._first.timeout.connect(self._loop_runs)
        self._first.start()
        for number in (signal.SIGINT, signal.SIGTERM):
            self._before[number] = signal.signal(number, self._asked)

    def _asked(self, number: int, frame: FrameType | None) -> None:
        """The handler: in the midst of anything."""
        asked_before, waiting = bool(self._number), self._later is not None
        self._number = self._number or number
        with contextlib.suppress(OSError):  # it is full of bytes, each of which wakes
            self._write.send(b"\0")  # that of the signal itself may have been read before this was known
        if self._begun or (asked_before and not waiting):
            return
        if within_qt(frame):
            self._later = threading.Timer(AGAIN_S, os.kill, (os.getpid(), number))
            self._later.daemon = True
            self._later.start()
            return
        self._later = None
        if self._app.thread().loopLevel() > 0:
            return  # it has begun a moment ago, and is woken
        raise SystemExit(128 + self._number)

    def _loop_runs(self) -> None:
        self._begun = True

    def _woken(self, *_: object) -> None:
        self._read.recv(64)
        if self._number and self._again is not None:
            self._begun = True
            self._again.start()
            self._end()

    def _end(self) -> None:
        self._app.exit(128 + self._number)

    def __exit__(self, *_: object) -> None:
        if self._notifier is None:
            return
        if self._later is not None:
            self._later.cancel()
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


def within_qt(frame: FrameType | None) -> bool:
    """Whether a frame may be one that Qt or its bindings called, directly or by others: some part of the window is at work, or a file
    that only the bindings run."""
    inside = True
    while frame is not None:
        module, path = str(frame.f_globals.get("__name__", "")), frame.f_code.co_filename
        inside = inside and module.partition(".")[0] not in ("gui", "planner", "stageboard")
        if inside and any(name in part for part in PurePath(path).parts for name in BINDINGS):
            return True
        window = module.startswith("gui.") and frame.f_code.co_name != "<module>"
        if window and not any(module == known or module.startswith(f"{known}.") for known in WITHOUT_QT):
            return True
        frame = frame.f_back
    return False
