"""Temporary files and folders that no kill leaves behind for good: each is noted while it is there, and what a dead process noted is cleared by the next.

A note is a small file in the user's state folder on which its process holds a lock. Whoever makes a note for the first time
clears what notes without a lock name, as far as it is ours: a name that only this program gives, of this user, no link.
"""

from __future__ import annotations

import atexit
import json
import os
import re
import secrets
import shutil
import stat
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

LARGEST_NOTE = 1 << 16
"""Bytes of a note; what is larger is none."""
UNFINISHED_SECONDS = 60.0
"""How old an empty note must be to be from a dead process, not from one that is about to write it."""
_OURS = re.compile(r"\..{1,80}\.[0-9a-f]{16}\.(?:tmp|old)|(?:pymp|stageboard)-[0-9a-z_-]{8,60}", re.DOTALL)
"""Names of what is cleared: what was being written, and folders of processes."""
_LONGEST_STEM = 40
"""Characters of a target in a temporary name, which so never has more bytes than a name may have."""


def folder() -> Path:
    """Where notes are kept."""
    import platformdirs

    return Path(platformdirs.user_state_path("stageboard", appauthor=False)) / "temporary"


def name_beside(target: Path) -> Path:
    """A path for what is written before it takes the place of ``target``; nothing is there yet."""
    return target.parent / f".{target.name[:_LONGEST_STEM]}.{secrets.token_hex(8)}.tmp"


@contextmanager
def noted(path: Path, homes: Mapping[Path, Path] | None = None) -> Iterator[None]:
    """What lies at ``path`` is cleared should this process die in the block.

    ``homes``: where what only steps aside goes back to, should nothing be there then.
    """
    note = _Note({path: None, **(homes or {})})
    try:
        yield
    finally:
        note.forget()


def note_for_life(path: Path) -> None:
    """The same until this process ends; who made it deletes it at a clean end."""
    atexit.register(_Note({path: None}).forget)


@contextmanager
def temporary_folder(purpose: str) -> Iterator[Path]:
    """A folder for ``purpose`` (one word), this user's alone, that goes with the block. Raises OSError where none can be made."""
    place = Path(tempfile.gettempdir()) / f"stageboard-{purpose}-{secrets.token_hex(8)}"
    with noted(place):
        place.mkdir(0o700)
        try:
            yield place
        finally:
            shutil.rmtree(place, ignore_errors=True)


class _Note:
    """Paths, each with its home or None, in a locked file. Where the system has no room for one, what it is about is made all the same."""

    def __init__(self, homes: Mapping[Path, Path | None]) -> None:
        self._path: Path | None = None
        self._handle: int | None = None
        try:
            import fcntl
        except ImportError:  # Windows
            return
        named = {str(path.absolute()): str(home.absolute()) if home else "" for path, home in homes.items()}
        with suppress(OSError, UnicodeEncodeError):
            where = folder()
            where.mkdir(0o700, parents=True, exist_ok=True)
            _clear_once(where)
            path = where / f"{secrets.token_hex(8)}.json"
            self._handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
            self._path = path
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            text = json.dumps(named).encode()
            if os.write(self._handle, text) == len(text):
                return
        self.forget()  # a part of it says nothing

    def forget(self) -> None:
        """What it is about is in its place, or gone."""
        path, self._path = self._path, None
        handle, self._handle = self._handle, None
        if path is not None and handle is not None:
            with suppress(OSError):
                path.unlink()
            os.close(handle)


# ---------------------------------------------------------------------- what dead processes left
_looked: set[Path] = set()
_looking = threading.Lock()


def _clear_once(where: Path) -> None:
    with _looking:
        if where not in _looked:
            _looked.add(where)
            clear(where)


def clear(where: Path | None = None) -> list[Path]:
    """Delete what processes noted that are dead now, and put back what only stepped aside; returns what was there."""
    found = []
    for note in sorted((where or folder()).glob("*.json")):
        for path, home in _left(note).items():
            with suppress(OSError):
                if _is_ours(path):
                    _clear(path, home)
                    found.append(path)
    return found


def _left(note: Path) -> dict[Path, Path | None]:
    """What a note of a dead process names, which then is gone; nothing where its process lives."""
    import fcntl

    with suppress(OSError):
        handle = os.open(note, os.O_RDONLY | os.O_NOFOLLOW)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            status = os.fstat(handle)
            if status.st_uid != os.getuid() or not stat.S_ISREG(status.st_mode):
                return {}
            if not status.st_size and time.time() - status.st_mtime < UNFINISHED_SECONDS:
                return {}
            text = os.read(handle, LARGEST_NOTE)
            note.unlink()
        finally:
            os.close(handle)
        with suppress(ValueError, RecursionError, AttributeError, TypeError):
            named = json.loads(text).items()
            return {
                Path(path): Path(home) if home else None for path, home in named if "\0" not in path + home
            }
    return {}


def _is_ours(path: Path) -> bool:
    """Whether something lies there that this program made for this user."""
    found = path.lstat()
    return (
        path.is_absolute()
        and _OURS.fullmatch(path.name) is not None
        and found.st_uid == os.getuid()
        and (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode))
    )


def _clear(path: Path, home: Path | None) -> None:
    if home is not None and not os.path.lexists(home):
        os.replace(path, home)
    elif path.is_dir():
        shutil.rmtree(path, ignore_errors=True)  # which follows no links
    else:
        path.unlink()
