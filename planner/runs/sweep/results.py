"""The CSV file of a sweep: rows are appended whole, and a file that was cut off is taken up where it ends."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from planner.errors import StageboardError
from planner.files import not_written
from planner.guard import guarded
from planner.runs.sweep.spec import Run

KEY = (
    "kind",
    "model",
    "target",
    "objective_name",
    "granularity",
    "method",
    "options",
    "seed",
    "time_limit",
    "gap_limit",
)
"""Columns that say what was run; a run whose row is there is not run again."""
OUTCOME = (
    "name", "ops", "status", "objective", "lower_bound", "bound_method", "gap", "stop_reason", "seconds",
    "cpu_seconds", "iterations", "message",
)  # fmt: skip
"""Columns that say what came of it."""
COLUMNS = (*KEY, *OUTCOME)

Row = dict[str, str]


def key_of(run: Run) -> tuple[str, ...]:
    """What the columns :data:`KEY` hold for a run."""
    return (
        "bound" if run.is_bound else "plan",
        " ".join([run.model, *(f"times={text}" for text in run.times)]),
        run.target,
        run.objective,
        run.granularity,
        run.method,
        ",".join(f"{k}={v}" for k, v in run.options),
        str(run.seed),
        _text(run.time_limit),
        _text(run.gap),
    )


def _text(value: Any) -> str:
    """A cell: numbers as Python writes them (so that they read back the same), None as nothing, lines joined."""
    return "" if value is None else " ".join(str(value).split())


class Results:
    """The rows of a file, and the place where more are appended."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Read what is there; a last line without an end, left by a kill, is dropped. Raises :class:`StageboardError`."""
        self.path = Path(path)
        self.rows: list[Row] = []
        if self.path.exists():
            with guarded(self.path.name, StageboardError, remedy="choose another file to write"):
                self._read()
        else:
            self._append_line(COLUMNS)

    def _read(self) -> None:
        data = self.path.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        try:
            table = list(csv.reader(io.StringIO(whole.decode("utf-8", errors="replace"), newline="")))
        except csv.Error as error:
            raise StageboardError(
                f"{self.path.name} is no table that can be read ({error}); choose another file to write"
            ) from error
        head = ",".join(COLUMNS).encode()
        if tuple(table[0]) != COLUMNS if table else not head.startswith(data):
            raise StageboardError(
                f"{self.path.name} is no result of a sweep of this version; choose another file to write"
            )
        if len(whole) < len(data):
            os.truncate(self.path, len(whole))
        if not table:
            self._append_line(COLUMNS)
        self.rows = [dict(zip(COLUMNS, row, strict=True)) for row in table[1:] if len(row) == len(COLUMNS)]

    def has(self, run: Run) -> bool:
        """Whether the run's row is there."""
        return key_of(run) in self._done()

    def _done(self) -> set[tuple[str, ...]]:
        return {tuple(row[c] for c in KEY) for row in self.rows}

    def missing(self, runs: list[Run]) -> list[Run]:
        """The runs without a row, in order."""
        done = self._done()
        return [run for run in runs if key_of(run) not in done]

    def add(self, run: Run, outcome: Mapping[str, Any]) -> Row:
        """Append the row of a finished run."""
        cells = (*key_of(run), *(_text(outcome.get(column)) for column in OUTCOME))
        self._append_line(cells)
        row = dict(zip(COLUMNS, cells, strict=True))
        self.rows.append(row)
        return row

    def _append_line(self, cells: tuple[str, ...]) -> None:
        """A whole line or nothing of it, on disk before the next run begins. Raises :class:`StageboardError`."""
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerow(cells)
        line = text.getvalue().encode("utf-8")
        try:
            handle = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
            try:
                end = os.fstat(handle).st_size
                try:
                    while line:
                        line = line[os.write(handle, line) :]  # a disk that gets full takes a part
                    os.fsync(handle)
                except OSError:
                    os.ftruncate(handle, end)
                    raise
            finally:
                os.close(handle)
        except OSError as error:
            raise not_written(
                self.path, error, "the rows that are there stay, run the sweep again to go on"
            ) from error
