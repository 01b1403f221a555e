"""Arrays in an ``.npz`` file, read without trusting it.

numpy's own reader sets aside whatever a header claims and can unpickle objects. Here a header is believed only where it
agrees with the size of its member, objects are refused, and nothing is set aside before all that was claimed is added up.
"""

from __future__ import annotations

import io
import math
import os
import warnings
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from planner.errors import NetworkError
from planner.files import MEBIBYTE, read_bytes
from planner.formats.checks import shown
from planner.printable import clean

FILE_LIMIT = 1024 * MEBIBYTE
"""Files above this size (bytes) are refused before they are read."""
CONTENT_LIMIT = 1024 * MEBIBYTE
"""At most so many bytes of arrays are unpacked from one file."""
MOST_MEMBERS = 10_000
_HEADER_LIMIT = 10_000  # bytes
_ENCRYPTED = 0x1


@dataclass(frozen=True)
class Header:
    """What a member claims to hold, found to agree with its size."""

    member: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    start: int
    """Where its elements begin, in bytes."""
    fortran: bool

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)


class ArrayFile:
    """An ``.npz`` file: the headers of its arrays by name, and the arrays once they are asked for."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Read the file and its headers. Raises :class:`NetworkError`."""
        self.file = Path(path).name
        data = read_bytes(path, FILE_LIMIT, remedy="prune the network before it is saved", error=NetworkError)
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
            members = self._zip.infolist()
        except Exception as error:  # zipfile fails in many ways on a damaged directory
            raise NetworkError(
                f"{self.file} is not a complete .npz file ({_reason(error)}); save or download it again"
            ) from error
        if len(members) > MOST_MEMBERS:
            raise NetworkError(
                f"{self.file} has {len(members)} members; at most {MOST_MEMBERS} arrays are read from one file"
            )
        self.headers: dict[str, Header] = {}
        for info in members:
            name = clean(info.filename.removesuffix(".npy"))
            if not info.filename.endswith(".npy") or name in self.headers:
                self._fail(
                    f"holds the member '{clean(info.filename)[:80]}', which is no array of its own name",
                    "save it with numpy.savez",
                )
            self.headers[name] = self._header(info, name)

    def __contains__(self, name: str) -> bool:
        return name in self.headers

    def read(self, names: Iterable[str]) -> dict[str, NDArray[Any]]:
        """Those of the named arrays that are there, of the dtype and shape in :attr:`headers`. Raises :class:`NetworkError`."""
        wanted = [name for name in dict.fromkeys(names) if name in self.headers]
        total = sum(self.headers[n].size * self.headers[n].dtype.itemsize for n in wanted)
        if total > CONTENT_LIMIT:
            raise NetworkError(
                f"{self.file} holds arrays of {total / MEBIBYTE:,.0f} MiB, more than the {CONTENT_LIMIT / MEBIBYTE:,.0f}"
                " MiB that are unpacked; prune the network before it is saved"
            )
        return {name: self._read(name) for name in wanted}

    def _header(self, info: zipfile.ZipInfo, name: str) -> Header:
        if info.flag_bits & _ENCRYPTED or info.compress_type not in (
            zipfile.ZIP_STORED,
            zipfile.ZIP_DEFLATED,
        ):
            self._fail(
                f"holds the array '{name}' encrypted or packed in an unusual way", "save it with numpy.savez"
            )
        try:
            with self._zip.open(info) as stream, warnings.catch_warnings():
                warnings.simplefilter("ignore")  # numpy complains of headers as Python 2 wrote them
                version = np.lib.format.read_magic(stream)
                read = {
                    (1, 0): np.lib.format.read_array_header_1_0,
                    (2, 0): np.lib.format.read_array_header_2_0,
                }[version]
                shape, fortran, dtype = read(stream, max_header_size=_HEADER_LIMIT)
                start = stream.tell()
        except Exception as error:  # whatever a damaged header provokes
            raise NetworkError(
                f"{self.file}: the header of its array '{name}' is damaged ({_reason(error)}); save or download it again"
            ) from error
        if dtype.hasobject or dtype.kind not in "biufUS" or dtype.itemsize == 0:
            self._fail(
                f"holds the array '{name}' of type {shown(dtype)}",
                "numbers and texts are read, Python objects never; save it again",
            )
        if len(shape) > 8 or any(not isinstance(d, int) or d < 0 for d in shape):
            self._fail(f"holds the array '{name}' of the impossible shape {shown(shape)}", "save it again")
        if math.prod(shape) * dtype.itemsize != info.file_size - start:
            self._fail(
                f"holds the array '{name}', which claims {math.prod(shape)} elements of {dtype.itemsize} bytes in"
                f" {info.file_size - start} bytes",
                "save or download it again",
            )
        return Header(info.filename, tuple(shape), dtype, start, bool(fortran))

    def _read(self, name: str) -> NDArray[Any]:
        header = self.headers[name]
        try:
            with self._zip.open(header.member) as stream:
                data = stream.read()
        except Exception as error:  # a wrong checksum, a broken stream, an entry that ends early
            raise NetworkError(
                f"{self.file}: its array '{name}' is damaged ({_reason(error)}); save or download it again"
            ) from error
        if len(data) != header.start + header.size * header.dtype.itemsize:
            self._fail(f"ends within the array '{name}'", "save or download it again")
        array = np.frombuffer(data, header.dtype, header.size, header.start)
        array = array.reshape(header.shape, order="F" if header.fortran else "C")
        return array.astype(header.dtype.newbyteorder("="), copy=False)

    def _fail(self, what: str, remedy: str) -> NoReturn:
        raise NetworkError(f"{self.file} {what}; {remedy}")


def names_of(path: str | os.PathLike[str]) -> frozenset[str]:
    """The names of a file's arrays, empty where it is no ``.npz`` file; only its directory is read."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except Exception:  # not a zip file, or a damaged one; who opens it is told why
        return frozenset()
    return frozenset(n.removesuffix(".npy") for n in names if n.endswith(".npy"))


def _reason(error: Exception) -> str:
    return clean(" ".join(str(error).split()))[:100] or type(error).__name__
