"""Files beside a running process that outlive its crash: where they are, made with a lock, and told from those of the living.

A process holds a lock on what it writes until its clean exit deletes it, so a file without a lock was left behind by a crash.
"""

from __future__ import annotations

import contextlib
import errno
import os
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import IO, Protocol, TypeVar


def folder() -> Path:
    """Where journals are kept."""
    import platformdirs

    return Path(platformdirs.user_state_path("stageboard", appauthor=False))


def _locks() -> ModuleType:
    """The system's file locks. Raises :class:`OSError` where it has none (Windows): then nothing is kept beside the process."""
    try:
        import fcntl
    except ImportError:
        raise OSError(errno.ENOTSUP, "Stageboard knows no file locks of this system") from None
    return fcntl


def create(where: Path, kind: str = "journal") -> tuple[IO[str], Path]:
    """A new, locked file of this process. A file of the same name may be left from a dead process with our id."""
    fcntl = _locks()
    where.mkdir(parents=True, exist_ok=True)
    for i in range(1000):
        path = where / (f"{kind}-{os.getpid()}.jsonl" if i == 0 else f"{kind}-{os.getpid()}-{i}.jsonl")
        try:
            handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_APPEND, 0o600)
        except FileExistsError:
            continue
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return os.fdopen(handle, "w", encoding="utf-8"), path
    raise OSError("too many journals were left behind")


def locked(path: Path) -> bool:
    """Whether a running process (this one included) still holds a file."""
    try:
        fcntl = _locks()
        with path.open("rb") as file:
            fcntl.flock(file.fileno(), fcntl.LOCK_SH | fcntl.LOCK_NB)
            fcntl.flock(file.fileno(), fcntl.LOCK_UN)
    except BlockingIOError:
        return True
    except OSError:
        return True  # not ours to read
    return False


def discard(path: Path) -> None:
    """Forget a file that is needed no more."""
    with contextlib.suppress(OSError):
        path.unlink()


def remove(path: Path) -> None:
    """Delete a file and all that lies beside it under the same name, whatever it ends in."""
    for beside in path.parent.glob(f"{path.stem}.*"):
        discard(beside)


class Left(Protocol):
    """Something that a crash left behind."""

    @property
    def time(self) -> float:
        """When it was written last, in seconds since the epoch."""


L = TypeVar("L", bound=Left)


def left_behind(kind: str, read: Callable[[Path], L | None], where: Path | None = None) -> list[L]:
    """What ``read`` finds in the files of a kind that no running process holds, the latest first.

    Where it finds nothing worth keeping, they are deleted on the way.
    """
    where = where or folder()
    found: list[L] = []
    for path in sorted(where.glob(f"{kind}-*.jsonl")) if where.is_dir() else []:
        if locked(path):
            continue
        left = read(path)
        if left is None:
            remove(path)
        else:
            found.append(left)
    return sorted(found, key=lambda left: -left.time)


def ended(when: float, name: str) -> str:
    """The beginning of the sentence that offers what is left: ``when`` (seconds since the epoch) the last of it was written."""
    moment = time.strftime("%d %B, %H:%M", time.localtime(when))
    return f"Stageboard ended unexpectedly while {name} was open ({moment})"
