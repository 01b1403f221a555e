"""Matrix Market files (``.mtx``, ``.mtx.gz``): one matrix of weights each.

What the header claims is compared with the length of the file before anything is set aside.
"""

from __future__ import annotations

import gzip
import io
import os
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planner.errors import NetworkError
from planner.files import MEBIBYTE, read_bytes
from planner.formats.checks import INT32, clean
from planner.formats.network_layers import MOST_WEIGHTS
from planner.formats.network_npz import MOST_CONNECTIONS
from planner.formats.network_weights import Entries, Weights, check_entries

BANNER = b"%%MatrixMarket"
GZIP = b"\x1f\x8b"
LIMIT = 1024 * MEBIBYTE
"""Files above this size (bytes, unpacked) are refused."""
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
    """The matrix in a file; entries without values (``pattern``) have the weight 1. Raises :class:`NetworkError`."""
    file = Path(path).name
    data = _unpacked(read_bytes(path, LIMIT, remedy="split the network", error=NetworkError), file)
    header = _header(data, file)
    body = _body(data, header, file)
    name = file.removesuffix(".gz").removesuffix(".mtx")
    if header.dense:
        return Weights(_dense(body["value"], header), None, name)
    values = np.ones(header.entries, np.float32) if header.pattern else body["value"]
    rows, columns = body["row"] - 1, body["column"] - 1
    check_entries(Entries(rows, columns, values, (header.rows, header.columns)), file)
    if header.symmetry != "general":
        beside = rows != columns
        sign = -1.0 if header.symmetry == "skew-symmetric" else 1.0
        rows, columns = (
            np.concatenate([rows, columns[beside]]),
            np.concatenate([columns, rows[beside]]),
        )
        values = np.concatenate([values, sign * values[beside]])
    return Weights(Entries(rows, columns, values, (header.rows, header.columns)), None, name)


def _body(data: bytes, header: _Header, file: str) -> NDArray[Any]:
    """The lines of entries as a table.

    Read by numpy: scipy's reader is quicker, but damaged files can make it end the process.
    """
    fields: list[tuple[str, type]] = [("row", np.int64), ("column", np.int64)] if not header.dense else []
    if not header.pattern:
        fields.append(("value", np.float64))
    if not data[header.start :].strip():
        table = np.empty(0, fields)
    else:
        try:
            table = np.loadtxt(
                io.BytesIO(data[header.start :]), fields, comments="%", ndmin=1, encoding="latin-1"
            )
        except Exception as error:  # a word that is no number, a line of another length
            reason = clean(" ".join(str(error).split()))[:120]
            raise NetworkError(f"{file} holds a damaged entry ({reason}); save it again") from error
    if table.shape != (header.entries,):
        raise NetworkError(
            f"{file} claims {header.entries:,} entries but has {table.size:,}; save or download it again"
        )
    return table


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
