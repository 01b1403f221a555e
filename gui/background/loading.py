"""Reading a model in another thread, so that the window stays alive; only the latest request counts."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from typing import Any, Protocol

from PySide6.QtCore import QObject, Qt, Signal

from gui.document.plan import reading
from gui.widgets.turn import OTHERS
from planner.compiling.kernel import interpret, interprets
from planner.errors import StageboardError


class Window(Protocol):
    """What is asked of the window: to say what went wrong."""

    def say(self, level: str, text: str) -> None:
        """Show a notice."""


class Loading(QObject):
    """Runs ``prepare`` in a thread, then ``install`` with its result in the window's thread.

    What is open stays untouched until ``install``. A :class:`StageboardError` of either is said as it stands.
    """

    busy_changed = Signal()
    _finished = Signal(int, object, object)

    JOIN_SECONDS = 10.0
    """How long :meth:`drop` waits for a thread in the middle of something that cannot be interrupted."""

    def __init__(self, window: Any) -> None:
        super().__init__(window if isinstance(window, QObject) else None)
        self._window: Window = window
        self._serial = 0
        self._install: Callable[[Any], None] | None = None
        self._threads: list[threading.Thread] = []
        self.text = ""
        """What is being read, for a person; empty when nothing is."""
        self.seconds = 0.0
        """About how long that takes; 0 where nobody knows."""
        self._finished.connect(self._done, Qt.ConnectionType.QueuedConnection)

    @property
    def busy(self) -> bool:
        """Whether something is being read."""
        return self._install is not None

    def still_wanted(self) -> Callable[[], bool]:
        """A function, for any thread, that says whether what is started next is still waited for."""
        serial = self._serial + 1
        return lambda: self._serial == serial

    def start(
        self, text: str, prepare: Callable[[], Any], install: Callable[[Any], None], seconds: float = 0.0
    ) -> None:
        """Begin; it takes about so many ``seconds``, if that is known. What is being read already is dropped."""
        self._cancel()
        serial = self._serial
        self._install, self.text, self.seconds = install, text, seconds

        interpreted = interprets()

        def work() -> None:
            interpret(interpreted)  # a small model need not wait for compilers either
            result, error = None, None
            try:
                result = prepare()
            except Exception as problem:  # told in the window's thread, whatever it is
                error = problem
            with contextlib.suppress(RuntimeError):  # the window may be gone
                self._finished.emit(serial, result, error)

        thread = threading.Thread(target=work, name="stageboard-opening", daemon=True)
        self._threads.append(thread)
        thread.start()
        self.busy_changed.emit()

    def _cancel(self) -> None:
        """Nobody waits for the threads at work any more; large files are read no further."""
        self._serial += 1
        self._install, self.text = None, ""
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        for thread in self._threads:
            reading.cancel(thread)

    def _done(self, serial: int, result: Any, error: Any) -> None:
        if serial != self._serial or self._install is None:
            return
        install, self._install, self.text = self._install, None, ""
        self.busy_changed.emit()
        try:
            if isinstance(error, StageboardError):
                raise error
            if error is not None:
                raise StageboardError(
                    f"the model cannot be opened ({type(error).__name__}: {error}); what was open is unchanged"
                ) from error
            with OTHERS.counted():
                install(result)
        except StageboardError as problem:
            self._window.say("error", str(problem))

    def cancel(self) -> None:
        """Forget what is being read."""
        if self.busy:
            self._cancel()
            self.busy_changed.emit()

    def drop(self) -> None:
        """Forget what is being read, and wait until nothing is left of it (the window closes)."""
        self._cancel()
        for thread in self._threads:
            thread.join(self.JOIN_SECONDS)
        self._threads = []
