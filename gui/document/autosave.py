"""What a crash would lose and no journal records: written beside the journals now and then, and offered at the next start.

A window holds a lock on a small file, the head, whose last whole line says what is kept; that lies beside it under the same
name. Whoever is killed in the middle of writing leaves what was written before. A clean exit deletes all of it; what is left
without a lock is from a crash.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, ClassVar

from PySide6.QtCore import QObject, QTimer, Signal

from gui.document.crash_files import create, ended, folder, remove
from gui.document.values import Message
from gui.widgets.background_thread import Background
from gui.widgets.later import Later
from planner.errors import StageboardError

EVERY_MS = 20_000
SOON_MS = 1000
LARGEST_HEAD = 2**20
COMPACT_ABOVE = LARGEST_HEAD // 4
"""A head of more bytes begins anew."""


class Autosave(QObject):
    """Keeps what is not saved, on a thread. An error of the disk is told once and ends it. Subclasses say what is kept."""

    message = Signal(object)

    kind: ClassVar[str]
    """What its files are called."""
    refused: ClassVar[str]
    """What is said where the disk refuses, with a place for why."""

    def __init__(self, parent: QObject, where: Path | None = None) -> None:
        super().__init__(parent)
        self._where = where
        self._lock: IO[str] | None = None
        self.path: Path | None = None
        """The locked head; None while nothing is kept."""
        self.former: Path | None = None
        """What a dead process left of the same: there until it is written again, or not needed."""
        self._written: object = None
        """What was written last."""
        self._closed = False
        self._background = Background("autosave", self)
        self._soon = Later(self.write, self, SOON_MS)
        self._timer = QTimer(self, interval=EVERY_MS)
        self._timer.timeout.connect(self.write)
        self._timer.start()

    # ------------------------------------------------------------------ what a subclass says
    def _moment(self) -> object:
        """What is to be kept, to be told from what was written before by ``==``; None where nothing would be lost."""
        raise NotImplementedError

    def _writer(self) -> Callable[[Path], Mapping[str, Any]]:
        """Writes the present moment beside a head, on a thread, and returns what the head says of it."""
        raise NotImplementedError

    # ------------------------------------------------------------------ writing
    @property
    def busy(self) -> bool:
        """Whether it writes, or is about to."""
        return self._background.busy or self._soon.waiting

    def soon(self) -> None:
        """Write in a moment: something changed."""
        self._soon.ask_once()

    def write(self) -> None:
        """Write what is not saved, on a thread, unless it is written already."""
        now = self._moment()
        if self._closed:
            return
        if now is None:
            self.discard()
        elif self._background.busy:
            self.soon()
        elif self._written != now:
            self._written = now
            self._background.run(self._work(), self._told)

    def _work(self) -> Callable[[Callable[[], bool]], object]:
        """What writes this moment."""
        writer, where = self._writer(), self._where or folder()

        def work(stopped: Callable[[], bool]) -> None:
            if self._lock is None:
                self._lock, self.path = create(where, self.kind)
            assert self.path is not None
            line = json.dumps({**writer(self.path), "time": time.time()})
            if os.fstat(self._lock.fileno()).st_size > COMPACT_ABOVE:
                self._lock.truncate(0)
            self._lock.write(line + "\n")
            self._lock.flush()

        return work

    def _told(self, result: object) -> None:
        if isinstance(result, (OSError, StageboardError)):
            self._timer.stop()
            self.message.emit(Message("warning", self.refused.format(result)))
        elif isinstance(result, Exception):
            raise result
        else:
            self._forget_former()

    def _forget_former(self) -> None:
        if self.former is not None:
            remove(self.former)
            self.former = None

    # ------------------------------------------------------------------ the end
    def discard(self) -> None:
        """There is nothing to lose: it is saved, or something else is open."""
        self._release(True)

    def _release(self, forget: bool) -> None:
        self._soon.stop()
        self._background.close()
        self._written = None
        path, self.path = self.path, None
        lock, self._lock = self._lock, None
        if forget:
            self._forget_former()
            if path is not None:
                remove(path)
        if lock is not None:
            with contextlib.suppress(OSError):
                lock.close()

    def close(self, *, keep: bool = False) -> None:
        """The window goes. With ``keep`` it was not asked whether to save: what is not saved stays for the next start."""
        keep = keep and not self._closed and self._moment() is not None
        self._closed = True
        self._timer.stop()
        if keep:
            self._background.close()
            with contextlib.suppress(OSError, StageboardError):
                self._work()(lambda: False)
                self._forget_former()
        self._release(not keep)


@dataclass(frozen=True)
class Lost:
    """What a process left behind that ended without closing its window."""

    path: Path
    """Its head."""
    name: str
    models: tuple[Path, ...]
    """The files that are read again."""
    saved: Path | None
    """The file that it would have been saved to."""
    time: float
    """When it was written last, in seconds since the epoch."""

    @property
    def contents(self) -> str:
        """What was not saved, in words."""
        raise NotImplementedError

    @property
    def sentence(self) -> str:
        """What a person is asked."""
        return f"{ended(self.time, self.name)}; {self.recoverable} can be recovered"

    @property
    def recoverable(self) -> str:
        """What can be recovered, in words."""
        return self.contents


def read_head(path: Path, key: str, version: int) -> dict[str, Any]:
    """The last whole line of a head, whose ``key`` is to be ``version``. Raises ValueError and what reading raises."""
    if path.stat().st_size > LARGEST_HEAD:
        raise ValueError("too large")
    whole, _, _ = path.read_text(encoding="utf-8").rpartition("\n")
    head = json.loads(whole.rpartition("\n")[2])
    if not isinstance(head, dict) or head.get(key) != version:
        raise ValueError("another version")
    time.localtime(float(head["time"]))  # no moment that a sentence could name is damage, too
    return head
