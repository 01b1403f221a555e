"""Where an export goes: written beside its place and moved there when it is whole, so that a cancel leaves nothing."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from planner.errors import StageboardError


def check_folder(folder: Path) -> None:
    """Refuse a folder of pictures that holds other things. Raises :class:`StageboardError`."""
    if folder.exists() and not folder.is_dir():
        raise StageboardError(f"{folder} is a file; give the name of a folder for the pictures")
    if folder.is_dir() and any(folder.iterdir()):
        raise StageboardError(f"{folder} is not empty; give the name of a new folder for the pictures")
    if not folder.absolute().parent.is_dir():
        raise StageboardError(
            f"{folder} cannot be made: there is no folder {folder.parent}; make it or choose another place"
        )


@contextmanager
def file_place(path: Path) -> Iterator[Path]:
    """The name of a file to write beside ``path``, moved over it at the end, removed on any failure.

    Raises :class:`StageboardError` where the system refuses.
    """
    # The ending stays: some writers choose the format by it.
    with _refusals(path):
        handle, name = tempfile.mkstemp(
            prefix=f".{path.stem[:80]}.", suffix=f".tmp{path.suffix}", dir=path.parent
        )
        os.close(handle)
    temporary = Path(name)
    try:
        with _refusals(path):
            yield temporary
            mask = os.umask(0o077)
            os.umask(mask)
            os.chmod(temporary, path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~mask)
            os.replace(temporary, path)
    finally:
        with suppress(OSError):
            temporary.unlink()


@contextmanager
def folder_place(folder: Path) -> Iterator[Path]:
    """A folder to fill beside ``folder`` (which is empty or not there), moved to its place at the end.

    Raises :class:`StageboardError` where the system refuses.
    """
    check_folder(folder)
    with _refusals(folder):
        temporary = Path(
            tempfile.mkdtemp(prefix=f".{folder.name[:80]}.", suffix=".tmp", dir=folder.absolute().parent)
        )
    try:
        with _refusals(folder):
            yield temporary
            os.chmod(temporary, 0o755)
            if folder.is_dir():
                folder.rmdir()
            os.replace(temporary, folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


@contextmanager
def _refusals(path: Path) -> Iterator[None]:
    try:
        yield
    except StageboardError:
        raise
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise StageboardError(
            f"{path} cannot be written ({reason}); nothing was changed, choose another place"
        ) from error


def slug(text: str, longest: int = 48) -> str:
    """``text`` as a part of a file name: lower case letters, digits and dashes; may be empty."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:longest].strip("-")
