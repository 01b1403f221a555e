"""Exports of stories beside the window: a process of its own, with progress, that leaves nothing behind when it is cancelled."""

from __future__ import annotations

import contextlib
import multiprocessing
import threading
from collections.abc import Sequence
from multiprocessing.reduction import ForkingPickler
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal

from gui.present.export import Exported, ExportOptions, check_place, fitted
from gui.present.export_process import StoryOrder, serve
from planner.errors import StageboardError
from planner.export.child import Cancelled
from planner.formats.story_json import to_dict
from planner.story import Story

USUAL = ExportOptions()
"""What is usual for the format."""


class StoryExport(QObject):
    """At most one export at a time. All signals come in the window's thread.

    ``progressed(done, of)`` as it goes on; ``done(result, error)`` at the end, with one of the two.
    """

    progressed = Signal(int, int)
    done = Signal(object, object)
    _progress = Signal(int, int)
    _finished = Signal(object, object)

    LOOK_SECONDS = 0.05
    GRACE_SECONDS = 5.0
    """How long a process that was asked to stop may take to tidy up."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()
        self._progress.connect(self.progressed, Qt.ConnectionType.QueuedConnection)
        self._finished.connect(self._end, Qt.ConnectionType.QueuedConnection)

    @property
    def busy(self) -> bool:
        """Whether an export is on its way."""
        return self._thread is not None

    def start(
        self,
        story: Story,
        folder: Path,
        path: Path,
        options: ExportOptions = USUAL,
        given: Sequence[Path] = (),
    ) -> None:
        """Begin to write ``story``, whose models' paths start from ``folder``, to ``path``.

        ``given`` are model files that stand in for those that are not found there. Raises :class:`StageboardError` while another
        export is on its way, and for a place or options that cannot be.
        """
        if self.busy:
            raise StageboardError("another export is still being written; wait for it or cancel it first")
        fitted(check_place(path), options)
        order = StoryOrder(to_dict(story), folder.absolute(), path.absolute(), options, tuple(given))
        self._stop = threading.Event()
        self._thread = threading.Thread(
            # Pickled here: that imports, and PySide's import hook may keep a thread and the window waiting for each other.
            target=self._work,
            args=(bytes(ForkingPickler.dumps(order)), self._stop),
            name="stageboard-story-export",
            daemon=True,
        )
        self._thread.start()

    def _work(self, order: bytes, stop: threading.Event) -> None:
        result: Exported | None = None
        error: StageboardError | None = None
        context = multiprocessing.get_context("spawn")
        pipe, far = context.Pipe()
        process = context.Process(target=serve, args=(far,))  # it has a child itself, so it is no daemon
        started = asked = False
        try:
            process.start()
            started = True
            far.close()
            pipe.send_bytes(order)
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
                    break
                with contextlib.suppress(RuntimeError):  # the window may be gone
                    self._progress.emit(*told)
        except (EOFError, OSError):
            error = (
                Cancelled("the export was cancelled; nothing was written")
                if stop.is_set()
                else StageboardError(
                    "the export ended unexpectedly, perhaps for want of memory; nothing was written, close other programs"
                )
            )
        finally:
            pipe.close()
            far.close()
            if started:
                process.join(self.GRACE_SECONDS)
                if process.is_alive():
                    process.kill()
                    process.join()
            process.close()
        with contextlib.suppress(RuntimeError):
            self._finished.emit(result, error)

    def _end(self, result: object, error: object) -> None:
        if self._thread is not None:
            self._thread.join()
            self._thread = None
            self.done.emit(result, error)

    def cancel(self) -> None:
        """Ask for a stop; ``done`` brings :class:`planner.export.child.Cancelled`."""
        self._stop.set()

    def drop(self) -> None:
        """Stop and wait until nothing is left of it (the window closes)."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
