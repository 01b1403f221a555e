"""Zip archives that models come in, read without trusting them: single members of limited size, none of them unpacked to disk."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path
from typing import NoReturn

from planner.errors import ModelError
from planner.files import MEBIBYTE
from planner.printable import clean

MOST_MEMBERS = 200_000
_ENCRYPTED = 0x1
_PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


class Archive:
    """An open archive: the names of its members, and the content of those that are asked for. It closes as a context."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Read the directory of the file. Raises :class:`ModelError`."""
        self.file = Path(path).name
        try:
            self._zip = zipfile.ZipFile(path)
            self._members = {info.filename: info for info in self._zip.infolist()}
        except OSError:
            raise
        except Exception as error:  # zipfile fails in many ways on a damaged directory
            raise ModelError(
                f"{self.file} is not a complete archive ({_reason(error)}); save or download it again"
            ) from error
        if len(self._members) > MOST_MEMBERS:
            self._zip.close()
            raise ModelError(
                f"{self.file} has {len(self._members):,} members; at most {MOST_MEMBERS:,} are read, so save the model again"
            )

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all members."""
        return tuple(self._members)

    def size(self, name: str) -> int:
        """How many bytes a member claims to hold."""
        return self._members[name].file_size

    def read(self, name: str, limit: int) -> bytes:
        """The content of a member of at most ``limit`` bytes. Raises :class:`ModelError`."""
        info = self._members[name]
        if info.flag_bits & _ENCRYPTED or info.compress_type not in _PACKINGS:
            self._fail(name, "is encrypted or packed in an unusual way")
        if info.file_size > limit:
            self._too_large(name, info.file_size, limit)
        try:
            with self._zip.open(info) as stream:
                data = stream.read(limit + 1)
        except Exception as error:  # a wrong checksum, a broken stream, a member that ends early
            raise ModelError(
                f"{self.file}: its part '{clean(name)[:80]}' is damaged ({_reason(error)}); save or download it again"
            ) from error
        if len(data) > limit:
            self._too_large(name, len(data), limit)
        return data

    def text(self, name: str, limit: int) -> str:
        """As :meth:`read`, decoded as UTF-8."""
        try:
            return self.read(name, limit).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            self._fail(name, f"is not UTF-8 text (byte {error.start})")

    def _too_large(self, name: str, size: int, limit: int) -> NoReturn:
        raise ModelError(
            f"{self.file}: its part '{clean(name)[:80]}' unpacks to {size / MEBIBYTE:,.0f} MiB, more than the"
            f" {limit / MEBIBYTE:,.0f} MiB that are read of it; split the model"
        )

    def _fail(self, name: str, what: str) -> NoReturn:
        raise ModelError(f"{self.file}: its part '{clean(name)[:80]}' {what}; save or download it again")


def names_in(path: str | os.PathLike[str]) -> tuple[str, ...]:
    """The names of a file's members, none where it is no archive; only its directory is read."""
    try:
        with zipfile.ZipFile(path) as archive:
            return tuple(archive.namelist())
    except Exception:  # not an archive, or a damaged one; who opens it is told why
        return ()


def _reason(error: Exception) -> str:
    return clean(" ".join(str(error).split()))[:100] or type(error).__name__
