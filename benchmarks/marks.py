"""Which cells of a printed table hang on the machine: those of columns, rows and cells that end with a mark.

Everything else a script prints the same on any machine, whatever else that does. Marked are figures of searches and solvers that end when
their processor time is up, and times themselves.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

MARK = "~"
_GAP = re.compile(r"\s{2,}")
_NUMBER = re.compile(r"[-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?")


def marked(text: str, hangs: bool = True) -> str:
    """The head of a column, the first cell of a row or any cell with the mark, if it is one that hangs on the machine."""
    return f"{text} {MARK}" if hangs else text


@dataclass(frozen=True)
class Printed:
    """A table as it was printed: its title (empty for none), head and rows."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def hangs(self, row: int, column: int) -> bool:
        """Whether a cell hangs on the machine. The first cell of a row is what the others are about, and never does."""
        cells = self.rows[row]
        said = (self.head[column], cells[0], cells[column])
        return column > 0 and any(text.endswith(MARK) for text in said)


def read_tables(text: str) -> list[Printed]:
    """The tables of a script's output: indented lines under a title, or lines between bars; the first one of each is its head."""
    found: list[Printed] = []
    title, lines = "", list[tuple[str, ...]]()
    for line in [*text.splitlines(), ""]:
        if line.startswith("|"):
            cells = tuple(cell.strip() for cell in line.strip().strip("|").split("|"))
            if not all(cell and set(cell) <= set("-:") for cell in cells):
                lines.append(cells)
            continue
        if line.startswith("  "):
            lines.append(tuple(_GAP.split(line.strip())))
            continue
        if lines:
            width = len(lines[0])
            # What stands behind the last column is a remark; empty cells at the end of a line are not printed.
            rows = tuple((*cells, *[""] * width)[:width] for cells in lines[1:])
            found.append(Printed(title, lines[0], rows))
        title, lines = line.strip(), []
    return found


@dataclass(frozen=True)
class Difference:
    """A cell that two outputs do not share, and whether it may hang on the machine."""

    title: str
    row: str
    column: str
    texts: tuple[str, str]
    hangs: bool

    @property
    def share(self) -> float:
        """By how much the first numbers of the two differ, as a share of the larger; NaN where there are none."""
        numbers = [_NUMBER.search(text) for text in self.texts]
        values = [float(found[0].replace(",", "")) for found in numbers if found]
        largest = max(map(abs, values), default=0.0)
        return abs(values[0] - values[1]) / largest if len(values) == 2 and largest else math.nan


def differences(first: Sequence[Printed], second: Sequence[Printed]) -> Iterable[Difference]:
    """The cells that differ between two outputs of one script; a table or row that only one has is a difference that hangs on nothing."""
    if [(t.title, t.head, len(t.rows)) for t in first] != [(t.title, t.head, len(t.rows)) for t in second]:
        shapes = tuple(
            ", ".join(f"{t.title} ({len(t.rows)} rows)" for t in tables) for tables in (first, second)
        )
        yield Difference("", "", "tables", (shapes[0], shapes[1]), False)
        return
    for one, other in zip(first, second, strict=True):
        for i, (cells, others) in enumerate(zip(one.rows, other.rows, strict=True)):
            for j, pair in enumerate(zip(cells, others, strict=True)):
                if pair[0] != pair[1]:
                    yield Difference(
                        one.title, cells[0], one.head[j], pair, one.hangs(i, j) or other.hangs(i, j)
                    )
