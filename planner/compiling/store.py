"""Where compiled kernels are kept: one file each in the user's cache folder, shared by all checkouts and installations.

Where that cannot be written to, being on a full or a read-only disk, they are kept among temporary files.

A file's name says what was compiled, for which types, which processor and by which versions (:mod:`planner.compiling.kernel`),
so nothing is ever out of date; it is written whole or not at all, and its checksum is verified before it is believed. What is
in a file is run: only files of the user's own in a folder that nobody else can enter are read.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import sys
import tempfile
import time
from functools import cache
from pathlib import Path

from planner.errors import StageboardError
from planner.files import write_atomically

FOLDER = "STAGEBOARD_KERNELS"
"""The variable of the environment that names the folder."""
MAGIC = b"stageboard kernel 1\n"
DIGEST_SIZE = hashlib.sha256().digest_size
PATIENCE = 20.0
"""Seconds that one process waits for another that compiles the same; it may be held, and then never ends."""
POLL_SECONDS = 0.02
TOUCH_SECONDS = 24 * 3600.0
"""A file that is used is marked so at most this often."""
UNUSED_SECONDS = 90 * 24 * 3600.0
"""Files that nobody used for so long are removed."""
SUFFIX = ".kernel"


def chosen_folder() -> Path:
    """``STAGEBOARD_KERNELS`` of the environment; else a folder in ``NUMBA_CACHE_DIR``; else one in the user's cache folder."""
    if own := os.environ.get(FOLDER):
        return Path(own).absolute()
    if given := os.environ.get("NUMBA_CACHE_DIR"):
        return Path(given).absolute() / "stageboard-kernels"
    from platformdirs import user_cache_path

    return user_cache_path("stageboard", appauthor=False) / "kernels"


def spare_folder() -> Path | None:
    """The user's own among temporary files, for when the chosen one cannot be written to; None where the environment names one."""
    if os.environ.get(FOLDER) or os.environ.get("NUMBA_CACHE_DIR") or not hasattr(os, "geteuid"):
        return None
    return Path(tempfile.gettempdir()) / f"stageboard-kernels-{os.geteuid()}"


def is_own(path: Path | int) -> bool:
    """Whether a folder, or an open file, is the user's own; links are nobody's."""
    if not hasattr(os, "geteuid"):
        return True  # a user's cache folder on Windows is closed to others
    status = os.fstat(path) if isinstance(path, int) else os.lstat(path)
    kept = stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)
    return kept and status.st_uid == os.geteuid()


class Store:
    """Files in one folder. Where that cannot be had or trusted (``folder`` None) nothing is kept and nothing is read.

    What cannot be written there goes to the folder ``spare``, which is made when it is first needed.
    """

    def __init__(self, folder: Path, spare: Path | None = None) -> None:
        self.folder: Path | None = folder
        self._spare_at = spare
        self._spare: Store | None = None
        self._turns: int | None = None
        self._process = 0
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not is_own(folder):
                self.folder = None
            elif stat.S_IMODE(folder.stat().st_mode) != 0o700:
                folder.chmod(0o700)
        except OSError:
            self.folder = None

    def has(self, name: str) -> bool:
        """Whether there is a file of that name; what is in it is another question."""
        here = self.folder is not None and (self.folder / (name + SUFFIX)).exists()
        return here or ((spare := self._found_spare()) is not None and spare.has(name))

    def count(self) -> int:
        """How many files there are."""
        here = 0
        if self.folder is not None:
            with contextlib.suppress(OSError), os.scandir(self.folder) as entries:
                here = sum(entry.name.endswith(SUFFIX) for entry in entries)
        return here + (0 if (spare := self._found_spare()) is None else spare.count())

    def load(self, name: str) -> bytes | None:
        """What was saved; None where there is nothing, or nothing to be believed: that is removed."""
        if (found := self._load(name)) is None and (spare := self._found_spare()) is not None:
            return spare.load(name)
        return found

    def _load(self, name: str) -> bytes | None:
        if self.folder is None:
            return None
        path = self.folder / (name + SUFFIX)
        try:
            with open(os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)), "rb") as file:
                status = os.fstat(file.fileno())
                content = file.read() if is_own(file.fileno()) else b""
        except FileNotFoundError:
            return None
        except OSError:
            content = b""
        payload = content[len(MAGIC) + DIGEST_SIZE :]
        if content[: len(MAGIC) + DIGEST_SIZE] != MAGIC + hashlib.sha256(payload).digest():
            self.remove(name)
            return None
        if time.time() - status.st_mtime > TOUCH_SECONDS:
            with contextlib.suppress(OSError):
                os.utime(path)
        return payload

    def save(self, name: str, payload: bytes) -> None:
        """Keep it, whole or not at all: where no disk has room for it, it is compiled again."""
        with contextlib.suppress(StageboardError):
            if self.folder is not None:
                content = MAGIC + hashlib.sha256(payload).digest() + payload
                write_atomically(self.folder / (name + SUFFIX), content)
                return
        if (spare := self._made_spare()) is not None:
            spare.save(name, payload)

    def remove(self, name: str) -> None:
        """Remove a file that cannot be believed."""
        if self.folder is not None:
            with contextlib.suppress(OSError):
                os.unlink(self.folder / (name + SUFFIX))
        if (spare := self._found_spare()) is not None:
            spare.remove(name)

    def prune(self) -> None:
        """Remove what nobody used for a long time, and what killed processes left half written."""
        if (spare := self._found_spare()) is not None:
            spare.prune()
        if self.folder is None:
            return
        now = time.time()
        with contextlib.suppress(OSError):
            for entry in os.scandir(self.folder):
                limit = UNUSED_SECONDS if entry.name.endswith(SUFFIX) else TOUCH_SECONDS
                if entry.name != TURNS and now - entry.stat(follow_symlinks=False).st_mtime > limit:
                    with contextlib.suppress(OSError):
                        os.unlink(entry.path)

    # ------------------------------------------------------------------ one process at a time
    def take(self, name: str, patience: float = PATIENCE) -> bool:
        """Take a turn: whether it is this process's now, after at most ``patience`` seconds. Only one process at a time has a turn.

        Threads of one process are not kept apart: what compiles has a lock for that. A turn ends with its process.
        """
        until = time.monotonic() + patience
        try:
            import fcntl

            while True:
                try:
                    fcntl.lockf(self._file(), fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _place(name))
                    return True
                except (BlockingIOError, PermissionError):
                    if time.monotonic() >= until:
                        return False
                    time.sleep(POLL_SECONDS)
        except ImportError:
            return False  # no such locks here
        except OSError:
            spare = self._made_spare()
            return spare is not None and spare.take(name, patience)

    def give(self, name: str) -> None:
        """End a turn."""
        if (spare := self._found_spare()) is not None:
            spare.give(name)
        with contextlib.suppress(ImportError, OSError):
            import fcntl

            fcntl.lockf(self._file(), fcntl.LOCK_UN, 1, _place(name))

    def _file(self) -> int:
        """The file whose bytes are locked. Never closed: that would end all turns of this process."""
        if self.folder is None:
            raise OSError("there is no folder")
        if self._turns is None or self._process != os.getpid():
            flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
            self._turns, self._process = os.open(self.folder / TURNS, flags, 0o600), os.getpid()
        return self._turns

    # ------------------------------------------------------------------ where this folder cannot be written to
    def _found_spare(self) -> Store | None:
        """The spare folder, where somebody has made it."""
        made = self._spare is not None or (self._spare_at is not None and self._spare_at.is_dir())
        return self._made_spare() if made else None

    def _made_spare(self) -> Store | None:
        """The spare folder, made now where there is none."""
        if self._spare is None and self._spare_at is not None:
            self._spare = Store(self._spare_at)
        return self._spare


TURNS = "turns"


def _place(name: str) -> int:
    """The byte of the file of turns that stands for a name."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:7], "big") >> 1


@cache
def store() -> Store:
    """The store of this process, its folder chosen when it is first asked for."""
    return Store(chosen_folder(), spare_folder())


@cache
def platform() -> str:
    """What compiled code depends on beside its source: interpreter, compiler and processor."""
    import llvmlite.binding
    import numba

    return (
        f"{sys.implementation.cache_tag}{getattr(sys, 'abiflags', '')} numba {numba.__version__}"
        f" llvmlite {llvmlite.__version__} {llvmlite.binding.get_host_cpu_name()}"
    )
