"""Layouts off the GUI thread: small graphs at once, large ones on a thread (the kernels release the GIL)."""

from __future__ import annotations

import threading
from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from gui.widgets.turn import OTHERS
from planner.compiling.kernel import interpret, interprets

AT_ONCE_UP_TO = 500
"""Items that are laid out in ten milliseconds, so that a thread would only add delay."""


class LayoutWorker(QObject):
    """Runs one job at a time; of several requests only the newest is delivered."""

    _done = Signal(int, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._ticket = 0
        self._thread: threading.Thread | None = None
        self._next: tuple[int, Callable[[], object]] | None = None
        self._deliver: Callable[[object], None] | None = None
        self._done.connect(self._finish)

    @property
    def busy(self) -> bool:
        """Whether a layout is being made."""
        return self._thread is not None

    def request(self, count: int, make: Callable[[], object], deliver: Callable[[object], None]) -> None:
        """Call ``deliver(make())``: now for few items, else later on the GUI thread unless a newer request came."""
        self._ticket += 1
        self._deliver = deliver
        if count <= AT_ONCE_UP_TO:
            self._next = None
            deliver(make())
            return
        if self._thread is not None:
            self._next = (self._ticket, make)
            return
        self._start(self._ticket, make)

    def _start(self, ticket: int, make: Callable[[], object]) -> None:
        interpreted = interprets()

        def work() -> None:
            interpret(interpreted)
            try:
                result = make()
            except Exception as error:  # it belongs to whoever handles errors of the GUI thread
                result = error
            self._done.emit(ticket, result)

        self._thread = threading.Thread(target=work, name="layout", daemon=True)
        self._thread.start()

    def _finish(self, ticket: int, result: object) -> None:
        if self._thread is not None:
            self._thread.join()
        self._thread = None
        if self._next is not None:
            (newer, make), self._next = self._next, None
            self._start(newer, make)
        elif ticket == self._ticket and self._deliver is not None and not isinstance(result, Exception):
            with OTHERS.counted():
                self._deliver(result)
        if isinstance(result, Exception):
            raise result

    def close(self) -> None:
        """Wait for a running layout and drop its result."""
        self._ticket += 1
        self._next = None
        if self._thread is not None:
            self._thread.join()
            self._thread = None
