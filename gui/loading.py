"""Reading a model in another thread, so that the window stays alive; only the latest request counts."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from planner.errors import StageboardError

if TYPE_CHECKING:
    from gui.window import MainWindow


class Loading(QObject):
    """Runs ``prepare`` in a thread, then ``install`` with its result in the window's thread."""

    busy_changed = Signal()
    _finished = Signal(int, object, object)

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._serial = 0
        self._install: Callable[[Any], None] | None = None
        self._thread: threading.Thread | None = None
        self.text = ""
        self._finished.connect(self._done)

    @property
    def busy(self) -> bool:
        """Whether something is being read."""
        return self._install is not None

    def start(self, text: str, prepare: Callable[[], Any], install: Callable[[Any], None]) -> None:
        """Begin. What is being read already is dropped when it is done."""
        self._serial += 1
        serial = self._serial
        self._install, self.text = install, text
        self.busy_changed.emit()

        def work() -> None:
            result, error = None, None
            try:
                result = prepare()
            except Exception as problem:  # told in the window's thread, whatever it is
                error = problem
            try:
                self._finished.emit(serial, result, error)
            except RuntimeError:
                pass  # the window is gone

        self._thread = threading.Thread(target=work, name="stageboard-opening", daemon=True)
        self._thread.start()

    def _done(self, serial: int, result: Any, error: Any) -> None:
        if serial != self._serial or self._install is None:
            return
        install, self._install = self._install, None
        if self._thread is not None:
            self._thread.join(1.0)
            self._thread = None
        self.busy_changed.emit()
        try:
            if isinstance(error, StageboardError):
                raise error
            if error is not None:
                raise StageboardError(
                    f"the model cannot be opened ({type(error).__name__}: {error}); what was open is unchanged"
                ) from error
            install(result)
        except StageboardError as problem:
            self._window.say("error", str(problem))

    def drop(self) -> None:
        """Forget what is being read (the window closes)."""
        self._install = None
        self._serial += 1
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.join(5.0)
