"""Writing files that take long beside the window: in a process that has what is written ready in memory, and ends at once where it is told to."""

from __future__ import annotations

import _thread
import contextlib
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from gui.background.exporting import Exporting
from planner.errors import StageboardError
from planner.export.stages.child import Cancelled
from planner.export.stages.serving import Progress
from planner.processes.start import start_process

if TYPE_CHECKING:
    from gui.look.drawn import Drawing

LOOK_SECONDS = 0.05
"""How often it is asked whether to stop."""


@dataclass(frozen=True, eq=False)
class FilesOrder:
    """Files to be written: a call of a module's function that writes them, or makes one and returns it, and whether it draws."""

    write: Callable[[], object]
    draws: bool = False


class Writing(Exporting):
    """At most one at a time. A process of the server's: it is there at once, with all that models need."""

    GRACE_SECONDS = 1.0

    def __init__(self, parent: QObject | None = None, what: str = "export") -> None:
        super().__init__(write_files, parent, what, start=start_process)


def small_picture(draw: Callable[[], Drawing], width: int, height: int) -> bytes:
    """What ``draw`` makes, in at most so many pixels, as a PNG. Raises :class:`StageboardError`."""
    from gui.look.drawn import encoded

    return encoded(draw().image(width, height))


def save_drawing(draw: Callable[[], Drawing], path: Path) -> None:
    """Write what ``draw`` makes. Raises :class:`StageboardError`."""
    draw().save(path)


class _Stop(BaseException):
    """No :class:`Exception`, so that nobody takes it for a failure of theirs."""


def write_files(order: FilesOrder, _progress: Progress, stopped: Callable[[], bool]) -> object:
    """Write them and return what that gives; how far it is nobody can say. Raises :class:`StageboardError`, and :class:`Cancelled` where it was told to stop."""
    try:
        with _interrupted(stopped):
            if order.draws:
                _prepare_drawing()
            return order.write()
    except _Stop:
        raise Cancelled("the export was cancelled; nothing was written") from None
    except MemoryError:
        raise StageboardError(
            "the export needs more memory than there is; nothing was written, close other programs"
        ) from None


def _prepare_drawing() -> None:
    from gui.look.display import application, check_qt, offscreen

    check_qt()
    offscreen()
    application()


@contextlib.contextmanager
def _interrupted(stopped: Callable[[], bool]) -> Iterator[None]:
    """:class:`_Stop` is raised in the block, which is in the main thread, soon after ``stopped`` says so: again where it came while a
    library had called back, or something was collected, whence no exception comes through."""
    over, asked = threading.Event(), threading.Event()

    def interrupt(*_: object) -> None:
        if (
            stopped() and not over.is_set()
        ):  # what else interrupts is a key in a terminal, and not meant for this process
            raise _Stop

    def watch() -> None:
        while not over.wait(LOOK_SECONDS):
            if stopped() and not asked.is_set():  # once: what tidies up is not to be interrupted, too
                asked.set()
                _thread.interrupt_main()

    def lost(unraisable: sys.UnraisableHookArgs) -> None:
        if issubclass(unraisable.exc_type, _Stop):
            asked.clear()
        else:
            told(unraisable)

    before, told = signal.signal(signal.SIGINT, interrupt), sys.unraisablehook
    sys.unraisablehook = lost
    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        if stopped():  # before it began
            raise _Stop
        yield
    finally:
        over.set()
        watcher.join()
        signal.signal(signal.SIGINT, before)
        sys.unraisablehook = told
