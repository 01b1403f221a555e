"""Exports, and other work that takes long, in a process of their own: the window stays alive, and closing it leaves nothing half written.

Cutting a model, or painting a film, holds Python's interpreter lock for long stretches, so a thread would not do. The
process stops where it is asked to, and also when the window's own process is gone.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from multiprocessing.reduction import ForkingPickler
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal

from planner.errors import StageboardError
from planner.export.stages.child import Cancelled
from planner.export.stages.serving import Write, serve
from planner.temporary import clear


def _spawn(target: Callable[..., object], *arguments: Any) -> BaseProcess:
    """A started process of its own, which may have children: so it is no daemon."""
    process = multiprocessing.get_context("spawn").Process(target=target, args=arguments)
    process.start()
    return process


class Exporting(QObject):
    """At most one export at a time, by ``write`` (a function of a module); ``what`` is what sentences call it, ``start`` starts its process.

    All signals come in the window's thread.

    ``progressed(done, of)`` as it goes on, where ``write`` says so; ``done(result, error)`` at the end, with one of the two.
    """

    progressed = Signal(int, int)
    done = Signal(object, object)
    _progress = Signal(int, int)
    _finished = Signal(object, object)

    LOOK_SECONDS = 0.05
    GRACE_SECONDS = 5.0
    """How long a process that was asked to stop may take to tidy up."""

    def __init__(
        self, write: Write, parent: QObject | None = None, what: str = "export",
        start: Callable[..., BaseProcess] = _spawn,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self._write, self._what, self._begin = write, what, start
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()
        self._progress.connect(self.progressed, Qt.ConnectionType.QueuedConnection)
        self._finished.connect(self._end, Qt.ConnectionType.QueuedConnection)

    @property
    def busy(self) -> bool:
        """Whether an export is on its way."""
        return self._thread is not None

    def check_free(self) -> None:
        """Raises :class:`StageboardError` while an export is on its way."""
        if self.busy:
            raise StageboardError(f"another {self._what} is still under way; wait for it or cancel it first")

    def start(self, order: object) -> None:
        """Begin what ``order`` says, which can be pickled. Raises :class:`StageboardError` while another is on its way."""
        self.check_free()
        self._stop = threading.Event()
        self._thread = threading.Thread(
            # Pickled here: that imports, and PySide's import hook may keep a thread and the window waiting for each other.
            target=self._work,
            args=(ForkingPickler.dumps(order), self._stop),
            name="stageboard-export",
            daemon=True,
        )
        self._thread.start()

    def _work(self, order: memoryview, stop: threading.Event) -> None:
        result: object = None
        error: StageboardError | None = None
        pipe, far = multiprocessing.Pipe()
        process: BaseProcess | None = None
        lost = False
        try:
            process = self._begin(serve, far, self._write, self._what)
            far.close()
            pipe.send_bytes(order)
            result, error = self._answer(pipe, stop)
        except (EOFError, OSError):
            lost = True
            error = (
                Cancelled(f"the {self._what} was cancelled; nothing was written")
                if stop.is_set()
                else StageboardError(
                    f"the {self._what} ended unexpectedly, perhaps for want of memory; nothing was written, close other programs"
                )
            )
        finally:
            pipe.close()
            far.close()
            if process is not None:
                process.join(self.GRACE_SECONDS)
                if process.is_alive():
                    process.kill()
                    process.join()
                process.close()
            if lost:
                clear()  # what it could not
        with contextlib.suppress(RuntimeError):  # the window may be gone
            self._finished.emit(result, error)

    def _answer(self, pipe: Connection, stop: threading.Event) -> tuple[object, StageboardError | None]:
        """Wait for the end. Raises EOFError where the process does not tidy up in time after it was asked to stop."""
        asked = False
        while True:
            if stop.is_set() and not asked:
                asked = True
                with contextlib.suppress(OSError):  # it may have answered and gone just now
                    pipe.send("stop")
            if not pipe.poll(self.GRACE_SECONDS if asked else self.LOOK_SECONDS):
                if asked:
                    raise EOFError
                continue
            kind, *told = pipe.recv()
            if kind == "done":
                result, error = told
                return result, error
            with contextlib.suppress(RuntimeError):  # the window may be gone
                self._progress.emit(*told)

    def _end(self, result: object, error: object) -> None:
        if self._thread is not None:
            self._thread.join()
            self._thread = None
            self.done.emit(result, error)

    def cancel(self) -> None:
        """Ask for a stop; ``done`` brings :class:`planner.export.stages.child.Cancelled`."""
        self._stop.set()

    def drop(self) -> None:
        """Stop and wait until nothing is left of it (the window closes)."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
