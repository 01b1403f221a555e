"""Profiles as tables: plain CSV, and what TFLite's benchmark tool writes.

Plain CSV has a header with the columns ``op`` (id or name) and ``seconds``, and optionally ``device`` ("accelerator" or "cpu"): with it one
file holds several profiles. TFLite's table (``--profiling_output_csv_file``) has a row for each operator in the order of running, with the
columns ``node type``, ``avg_ms`` or ``avg ms``, and ``name``: the operator's output in brackets and its place in the file.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence

from planner.errors import ModelError
from planner.formats.times.samples import checked
from planner.model.times import DEVICES, Device, OpTime, OpTimes
from planner.printable import escaped, shown

MILLISECONDS = 1e-3
AVERAGE = ("avg_ms", "avg ms", "[avg ms]")
_OUTPUT = re.compile(r"\[?(.*?)\]?:(\d+)", re.DOTALL)


def of_table(text: str, file: str) -> tuple[OpTimes, ...]:
    """The profiles in a table, one for each device it names. Raises :class:`ModelError`."""
    rows = _rows(text)
    for _, row in rows:
        columns = [cell.lower() for cell in row]
        if "op" in columns and "seconds" in columns:
            return _plain(columns, rows, file)
        if any(name.strip("[]") == "node type" for name in columns):
            return (_tflite([name.strip("[]") for name in columns], rows, file),)
    raise ModelError(
        f"{file} has no header with the columns op and seconds; write 'op,seconds' in its first line"
    )


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """The rows that say anything, one by one, for a table may have millions: the number of the line that ends each, and its cells."""
    reader = csv.reader(io.StringIO(text, newline=None))  # lines may end in CR alone
    return ((reader.line_num, [cell.strip() for cell in row]) for row in reader if any(row))


def _plain(columns: Sequence[str], rows: Iterator[tuple[int, list[str]]], file: str) -> tuple[OpTimes, ...]:
    found: dict[Device, dict[str, OpTime]] = {}
    for number, row in rows:
        entry = dict(zip(columns, row, strict=False))
        op, device = escaped(entry.get("op", "")), entry.get("device", "").lower()
        if not op:
            raise ModelError(f"{file}, row {number}: there is no op; write its id or name")
        kind = next((known for known in ("", *DEVICES) if known == device), None)
        if kind is None:
            raise ModelError(
                f"{file}, row {number}: the device is {shown(device)}; it must be {' or '.join(DEVICES)}"
            )
        ops = found.setdefault(kind, {})
        if op in ops:
            raise ModelError(f"{file}, row {number}: op '{op}' has a time already; keep one of the two")
        ops[op] = OpTime(_number(entry.get("seconds", ""), f"{file}, row {number}: the time of '{op}'"))
    if not found:
        raise ModelError(f"{file} has no rows; measure the model again")
    return tuple(OpTimes(ops, file, file, kind, apart=kind != "") for kind, ops in found.items())


def _tflite(columns: Sequence[str], rows: Iterator[tuple[int, list[str]]], file: str) -> OpTimes:
    average = next((columns.index(name.strip("[]")) for name in AVERAGE if name.strip("[]") in columns), None)
    if average is None or "name" not in columns:
        raise ModelError(
            f"{file} is a table of TFLite's without the columns avg_ms and name; write it with --profiling_output_csv_file"
        )
    name = columns.index("name")
    ops: dict[str, OpTime] = {}
    for _, row in rows:
        if len(row) <= max(average, name):
            break  # the summaries below are other tables
        if row[average].lower() == columns[average]:
            break
        match = _OUTPUT.fullmatch(row[name])
        op = escaped(match[1] if match else row[name])
        if op in ops:
            break  # the same operators, sorted by their times
        if not op:
            continue
        ops[op] = OpTime(_number(row[average], f"{file}: the time of '{op}'") * MILLISECONDS)
    if not ops:
        raise ModelError(f"{file} has no operators; run the benchmark with --enable_op_profiling=true")
    return OpTimes(ops, file, f"TFLite ({file})", complete=True)


def _number(text: str, what: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise ModelError(f"{what} is {shown(text)}; it must be a number") from None
    return checked(value, what)
