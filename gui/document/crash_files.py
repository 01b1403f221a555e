"""Files beside a running process that outlive its crash: where they are, made with a lock, and told from those of the living.

A process holds a lock on what it writes, from before the file has its name until its clean exit deletes it, so a file without a lock
was left behind by a crash. What cannot be read is kept beside, as ``NAME.damaged``.
"""

from __future__ import annotations

import contextlib
import errno
import os
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import IO, Protocol, TypeVar

from planner.temporary import name_beside, noted

DAMAGED = ".damaged"
"""What the names of files end in that could not be read."""


class Damaged(ValueError):
    """A file cannot be read, and may hold what somebody misses."""


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


_unused: Counter[Path] = Counter()
"""The number of the next file of a folder and kind. None is used twice: another process that just looks whether nobody holds the
file that was there would delete the one that is there by then."""


def create(where: Path, kind: str = "journal") -> tuple[IO[str], Path]:
    """A new, locked file of this process. A file of the same name may be left from a dead process with our id."""
    fcntl = _locks()
    where.mkdir(parents=True, exist_ok=True)
    unnamed = name_beside(where / kind)
    with noted(unnamed):
        handle = os.open(unnamed, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_APPEND, 0o600)
        try:
            # Before it has its name: another process that starts just now would take it for a dead one's.
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            for i in range(first := _unused[where / kind], first + 1000):
                path = where / (
                    f"{kind}-{os.getpid()}.jsonl" if i == 0 else f"{kind}-{os.getpid()}-{i}.jsonl"
                )
                with contextlib.suppress(FileExistsError):
                    os.link(unnamed, path)
                    _unused[where / kind] = i + 1
                    return os.fdopen(handle, "w", encoding="utf-8"), path
            raise OSError("too many journals were left behind")
        except OSError:
            os.close(handle)
            raise
        finally:
            discard(unnamed)


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


def left_behind(
    kind: str, read: Callable[[Path], L | None], where: Path | None = None, damaged: list[Path] | None = None
) -> list[L]:
    """What ``read`` finds in the files of a kind that no running process holds, the latest first.

    Where it finds nothing worth keeping, they are deleted on the way. Where it raises :class:`Damaged` they are kept under another name,
    which is added to ``damaged``, and not looked at again.
    """
    where = where or folder()
    found: list[L] = []
    for path in sorted(where.glob(f"{kind}-*.jsonl")) if where.is_dir() else []:
        if locked(path):
            continue
        try:
            left = read(path) if _begun(path) else None
        except Damaged:
            kept = keep_damaged(path)
            if kept is not None and damaged is not None:
                damaged.append(kept)
            continue
        if left is None:
            remove(path)
        else:
            found.append(left)
    return sorted(found, key=lambda left: -left.time)


def keep_damaged(path: Path) -> Path | None:
    """Give a file another name, under which it is not looked for any more; None where the system refuses."""
    kept = path.with_name(f"{path.name}{DAMAGED}")
    number = 1
    while kept.exists():
        number += 1
        kept = path.with_name(f"{path.name}-{number}{DAMAGED}")
    try:
        os.replace(path, kept)
    except OSError:
        return None
    return kept


def _begun(path: Path) -> bool:
    """Whether more is there than a part of the first line, in whose middle the crash came then."""
    try:
        with path.open("rb") as file:
            first = file.readline()
            return first.endswith(b"\n") or first[:1] not in (b"", b"{")
    except OSError:
        return True


def ended(when: float, name: str) -> str:
    """The beginning of the sentence that offers what is left: ``when`` (seconds since the epoch) the last of it was written."""
    moment = time.strftime("%d %B, %H:%M", time.localtime(when))
    return f"Stageboard ended unexpectedly while {name} was open ({moment})"
