"""What goes wrong unexpectedly in the window is written down and said, not lost and not fatal."""

from __future__ import annotations

import datetime
import faulthandler
import os
import platform
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO

from planner import __version__

KEPT = 20
"""How many logs are kept; older ones are removed."""


def log_folder() -> Path:
    """Where logs go (platformdirs' ``user_log_path``)."""
    import platformdirs

    return platformdirs.user_log_path("stageboard", appauthor=False)


class CrashLog:
    """Writes unexpected exceptions of every thread to one file per process and tells ``notice(sentence, detail)``.

    ``notice`` may be called from any thread. The file is made when there is something to write; a crash of the process
    itself (a signal) leaves a trace of all threads in it.
    """

    def __init__(self, notice: Callable[[str, str], None], folder: Path | None = None) -> None:
        self._notice = notice
        self._folder = folder
        self._path: Path | None = None
        self._faults: IO[str] | None = None
        self._before = (sys.excepthook, threading.excepthook)

    @property
    def path(self) -> Path:
        """The file of this process."""
        if self._path is None:
            stamp = datetime.datetime.now().strftime("%Y%m%d-%H%M%S")
            self._path = (self._folder or log_folder()) / f"{stamp}-{os.getpid()}.log"
        return self._path

    def install(self) -> None:
        """Catch from now on."""
        sys.excepthook = self._main
        threading.excepthook = self._thread
        with suppress(OSError):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            _remove_old(self.path.parent)
            self._faults = open(self.path, "a", encoding="utf-8")  # noqa: SIM115 - open as long as the window is
            faulthandler.enable(self._faults)

    def uninstall(self) -> None:
        """Catch no longer; an empty log is removed."""
        sys.excepthook, threading.excepthook = self._before
        if self._faults is not None:
            faulthandler.disable()
            self._faults.close()
            self._faults = None
            with suppress(OSError):
                if self.path.stat().st_size == 0:
                    self.path.unlink()

    def _main(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            self._before[0](kind, error, trace)
            return
        self.write(error)

    def _thread(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None and not issubclass(args.exc_type, SystemExit):
            self.write(args.exc_value)

    def write(self, error: BaseException) -> None:
        """Add an exception to the log and tell."""
        detail = "".join(traceback.format_exception(error))
        now = datetime.datetime.now().astimezone().isoformat(timespec="seconds")
        head = f"{now} Stageboard {__version__}, Python {platform.python_version()}, {platform.platform()}\n"
        where = f"the details are in {self.path}"
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with open(self.path, "a", encoding="utf-8") as file:
                file.write(f"{head}{detail}\n")
        except OSError:
            where = "the details could not be written to a log"
            print(detail, file=sys.stderr)
        self._notice(
            f"Something unexpected happened ({type(error).__name__}); your plan is kept, and {where}", detail
        )


def _remove_old(folder: Path) -> None:
    logs = sorted(folder.glob("*.log"))
    for old in logs[: max(0, len(logs) - KEPT + 1)]:
        with suppress(OSError):
            old.unlink()
