"""Matrix Market files (``.mtx``, ``.mtx.gz``): one matrix of weights each.

What the header claims is compared with the length of the file before anything is set aside.
"""

from __future__ import annotations

import gzip
import io
import os
import warnings
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planner.errors import NetworkError
from planner.files import GZIP, MEBIBYTE, read_bytes
from planner.formats.checks import INT32
from planner.formats.networks.layers import MOST_WEIGHTS
from planner.formats.networks.npz import MOST_CONNECTIONS
from planner.formats.networks.weights import Entries, Weights, check_entries, check_places, joined, summed
from planner.printable import clean

BANNER = b"%%MatrixMarket"
LIMIT = 1024 * MEBIBYTE
"""Files above this size (bytes, unpacked) are refused."""
_STEP = 4 * MEBIBYTE
"""Bytes of text that are taken apart at a time, at least."""
_WAITING = 4_000_000
"""Entries that are collected before those of one place are added up."""
_FIELDS = ("real", "double", "integer", "pattern")
_SYMMETRIES = ("general", "symmetric", "skew-symmetric")


def is_matrix_market(path: str | os.PathLike[str]) -> bool:
    """Whether a file begins like a Matrix Market file, packed or not."""
    try:
        with Path(path).open("rb") as stream:
            start = stream.read(512)
        return _unpacked_start(start).lower().startswith(BANNER.lower())
    except OSError:
        return False


@dataclass(frozen=True)
class _Header:
    """What the first lines of a file say: its kind, its sizes, how many entries follow from which byte on."""

    dense: bool
    pattern: bool
    symmetry: str
    rows: int
    columns: int
    entries: int
    start: int


def read_matrix(path: str | os.PathLike[str]) -> Weights:
    """The matrix in a file; entries without values (``pattern``) have the weight 1, entries of one place are added up.

    Raises :class:`NetworkError`.
    """
    file = Path(path).name
    data = _unpacked(read_bytes(path, LIMIT, remedy="split the network", error=NetworkError), file)
    header = _header(data, file)
    name = file.removesuffix(".gz").removesuffix(".mtx")
    if header.dense:
        values = np.concatenate([np.empty(0), *(part["value"] for part in _body(data, header, file))])
        return Weights(_dense(values, header), None, name)
    entries, repeated = _sparse(data, header, file)
    check_entries(entries, file)
    if header.symmetry != "general":
        rows, columns, values = entries.rows, entries.columns, entries.values
        beside = rows != columns
        sign = -1.0 if header.symmetry == "skew-symmetric" else 1.0
        entries = Entries(
            np.concatenate([rows, columns[beside]]),
            np.concatenate([columns, rows[beside]]),
            np.concatenate([values, sign * values[beside]]),
            entries.shape,
        )
    return Weights(entries, None, name, repeated)


def _sparse(data: bytes, header: _Header, file: str) -> tuple[Entries, int]:
    """The entries, of a symmetric matrix below its diagonal, and how many repeated others.

    Repeated entries are added up every few million, so that they take no memory, however many they are.
    """
    shape = (header.rows, header.columns)
    parts: list[Entries] = []
    waiting = settled = repeated = 0
    for part in _body(data, header, file):
        rows, columns = part["row"] - 1, part["column"] - 1
        values = np.ones(len(part)) if header.pattern else part["value"]
        check_places(rows, columns, shape, file)
        if header.symmetry != "general":
            above = columns > rows
            if header.symmetry == "skew-symmetric":
                values = np.where(above, -values, values)
            rows, columns = np.where(above, columns, rows), np.where(above, rows, columns)
        parts.append(Entries(rows.astype(np.int32), columns.astype(np.int32), values, shape))
        waiting += len(part)
        if waiting > settled + _WAITING:
            together, count = summed(joined(parts, shape))
            parts, repeated = [together], repeated + count
            waiting = 0
            settled = len(together.rows)
    together, count = summed(joined(parts, shape))
    return together, repeated + count


def _body(data: bytes, header: _Header, file: str) -> Iterator[NDArray[Any]]:
    """The lines of entries as tables, some hundred thousand lines each."""
    fields: list[tuple[str, type]] = [("row", np.int64), ("column", np.int64)] if not header.dense else []
    if not header.pattern:
        fields.append(("value", np.float64))
    at, found = header.start, 0
    while at < len(data):
        end = data.find(b"\n", at + _STEP)
        end = end + 1 if end >= 0 else len(data)
        lines, at = data[at:end], end
        if not lines.strip():
            continue
        table = _places(lines, fields) if header.pattern else None
        if table is None:
            table = _table(lines, fields, found, file)
        found += len(table)
        yield table
    if found != header.entries:
        raise NetworkError(
            f"{file} claims {header.entries:,} entries but has {found:,}; save or download it again"
        )


def _places(lines: bytes, fields: list[tuple[str, type]]) -> NDArray[Any] | None:
    """Lines of two whole numbers each as a table, quickly; None where they hold anything else."""
    if lines.translate(None, b"0123456789 \n"):
        return None
    text = np.frombuffer(lines, np.uint8)
    digit = text > ord(" ")
    begins = np.flatnonzero(digit & ~np.concatenate([[False], digit[:-1]]))
    ends = np.flatnonzero(text == ord("\n"))
    counts = np.diff(np.searchsorted(begins, ends), prepend=0, append=len(begins))  # numbers of each line
    if not ((counts == 0) | (counts == 2)).all():
        return None
    return np.fromstring(lines.decode("ascii"), np.int64, sep=" ").view(fields)


def _table(lines: bytes, fields: list[tuple[str, type]], before: int, file: str) -> NDArray[Any]:
    """Any lines as a table, read by numpy.

    ``scipy.io.mmread`` (1.17) takes a quarter of the time, but not the files of strangers: behind a last line with a word
    too many it reads on past the end of the text, which ends the process, and what follows a number it passes over, so
    that ``1D2`` is 1 and a line of four words is an entry. To look for all that first takes two thirds of what it saves.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # nothing but comments
            return np.loadtxt(io.BytesIO(lines), fields, comments="%", ndmin=1, encoding="latin-1")
    except Exception as error:  # a word that is no number, a line of another length
        reason = clean(" ".join(str(error).split()))[:120]
        where = f" behind the first {before:,}" if before else ""
        raise NetworkError(f"{file} holds a damaged entry{where} ({reason}); save it again") from error


def _dense(values: NDArray[Any], header: _Header) -> NDArray[np.float64]:
    """The matrix whose entries are listed column by column, below the diagonal only where it is symmetric."""
    if header.symmetry == "general":
        return values.reshape(header.columns, header.rows).T
    below = header.symmetry == "skew-symmetric"
    columns, rows = np.triu_indices(header.rows, int(below))
    matrix = np.zeros((header.rows, header.rows))
    matrix[rows, columns] = values
    return matrix - matrix.T if below else matrix + matrix.T - np.diag(np.diag(matrix))


def _header(data: bytes, file: str) -> _Header:
    """The banner and the line of sizes, against what is known here and the length of the file."""
    at = data.find(b"\n")
    words = data[: at if at >= 0 else len(data)][:200].decode("ascii", "replace").lower().split()
    if len(words) != 5 or words[0] != BANNER.decode().lower() or words[1] != "matrix":
        raise NetworkError(f"{file} does not begin like a Matrix Market file of a matrix; save it again")
    form, kind, symmetry = words[2:]
    known = form in ("coordinate", "array") and kind in _FIELDS and symmetry in _SYMMETRIES
    if not known or (form, kind) == ("array", "pattern"):
        raise NetworkError(
            f"{file} holds a matrix that is '{clean(' '.join(words[2:]))[:60]}'; weights are real, integer or pattern numbers"
        )
    line = b""
    while 0 <= at < len(data):
        end = data.find(b"\n", at + 1)
        end = end if end >= 0 else len(data)
        line = data[at + 1 : end].strip()
        at = end
        if line and not line.startswith(b"%"):
            break
    dense = form == "array"
    numbers = line[:200].split()
    if len(numbers) != (2 if dense else 3) or not all(n.isdigit() and len(n) < 19 for n in numbers):
        raise NetworkError(f"{file}: the line of sizes is damaged; save it again")
    rows, columns = int(numbers[0]), int(numbers[1])
    if not (0 < rows <= INT32 and 0 < columns <= INT32):
        raise NetworkError(f"{file} is a matrix of {rows} x {columns}; both must be from 1 to {INT32}")
    if symmetry != "general" and rows != columns:
        raise NetworkError(f"{file} is {symmetry} but {rows} x {columns}; save it again")
    full = rows * columns
    stored = {"general": full, "symmetric": (full + rows) // 2, "skew-symmetric": (full - rows) // 2}[
        symmetry
    ]
    entries = stored if dense else int(numbers[2])
    if entries * (2 if dense else 4) > len(data) - at + 4:
        raise NetworkError(
            f"{file} claims {entries:,} entries, more than it can hold; save or download it again"
        )
    most = MOST_WEIGHTS if dense else MOST_CONNECTIONS
    if entries > most:
        raise NetworkError(f"{file} has {entries:,} entries; at most {most:,} are read, so prune it further")
    return _Header(dense, kind == "pattern", symmetry, rows, columns, entries, at)


def _unpacked_start(start: bytes) -> bytes:
    if not start.startswith(GZIP):
        return start
    try:
        return zlib.decompressobj(wbits=31).decompress(start, 64)
    except zlib.error:
        return b""


def _unpacked(data: bytes, file: str) -> bytes:
    if not data.startswith(GZIP):
        return data
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
            content = stream.read(LIMIT + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise NetworkError(
            f"{file} is not completely packed ({clean(str(error))[:80]}); save or download it again"
        ) from error
    if len(content) > LIMIT:
        raise NetworkError(f"{file} has more than {LIMIT // MEBIBYTE:,} MiB when unpacked; split the network")
    return content
