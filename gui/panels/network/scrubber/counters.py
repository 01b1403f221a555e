"""Reads and writes ticking beside what any order needs, and what of them could be avoided."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.document.network.memory_history import Counters
from gui.look.numbers import DASH, percent, plural
from gui.look.theme import Theme
from gui.look.writing import LEFT, face, write

HEIGHT = 38


@dataclass(frozen=True)
class Least:
    """What every order needs in the end: Theorem 1's W + N reads and S writes."""

    reads: int
    writes: int

    @property
    def total(self) -> int:
        """W + N + S."""
        return self.reads + self.writes


class Figure(NamedTuple):
    """A name, its value, what stands beside it (the first that has room), and its tone, a colour of the theme."""

    name: str
    value: str
    beside: tuple[str, ...]
    tone: str


def _beside(end: int, least: int, over: bool) -> tuple[str, ...]:
    """What a counter is to be seen against: what it will be at the end, and the least that any order needs then."""
    if over:
        return (f"at least {least:,}",)
    return (f"so far; at the end {end:,}, at least {least:,}", f"so far, {end:,} at the end", f"of {end:,}")


class CounterRow(QWidget):
    """Reads, writes, total I/Os of the first connections, and those beyond the bound; digits keep their places."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.counters: Counters | None = None
        self.whole: Counters | None = None
        self.least = Least(0, 0)
        self.done, self.length = 0, 0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(HEIGHT)
        self.setAccessibleName("I/Os so far")

    def sizeHint(self) -> QSize:
        """Five figures beside each other."""
        return QSize(640, HEIGHT)

    def minimumSizeHint(self) -> QSize:
        """Words are elided."""
        return QSize(280, HEIGHT)

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self.theme = theme
        self.update()

    def show_counters(
        self, counters: Counters | None, least: Least, done: int, length: int, whole: Counters | None = None
    ) -> None:
        """Other figures; None while they are being found out. ``whole`` are those at the end of the order."""
        self.counters, self.least, self.done, self.length = counters, least, done, length
        self.whole = whole
        self.update()

    def figures(self) -> list[Figure]:
        """What stands in the row, from the left."""
        c, t = self.counters, self.theme
        rows = [Figure("Connections", f"{self.done:,}", (f"of {self.length:,}",), t.text)]
        if c is None:
            return rows + [
                Figure(name, DASH, (), t.text) for name in ("Reads", "Writes", "Total I/Os", "Beyond bound")
            ]
        over = self.done >= self.length or self.whole is None
        end = c if over or self.whole is None else self.whole
        told = f"{plural(c.again, 'read')}, {plural(c.spills, 'write')}" if c.beyond else "none"
        so_far = () if over else (f"{told} so far",)
        return [
            *rows,
            Figure("Reads", f"{c.reads:,}", _beside(end.reads, self.least.reads, over), t.text),
            Figure("Writes", f"{c.writes:,}", _beside(end.writes, self.least.writes, over), t.text),
            Figure("Total I/Os", f"{c.total:,}", _beside(end.total, self.least.total, over), t.text),
            Figure("Beyond bound", f"{c.beyond:,}", (*so_far, told), t.warning if c.beyond else t.good),
        ]

    def words(self) -> str:
        """All figures in one line."""
        share = percent(self.done / self.length) if self.length else ""
        return f"{share} done; " + ", ".join(
            " ".join((one.name, one.value, *one.beside[:1])) for one in self.figures()
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        """A name over a figure, what it is measured against beside it."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self.theme.panel))
        figures = self.figures()
        weights = (1.15, 1.15, 1.0, 1.15, 1.6)
        x, unit = 10.0, max(self.width() - 16.0, 1.0) / sum(weights)
        big, small = face(10.0, True), face(8.0)
        for (name, value, beside, tone), weight in zip(figures, weights, strict=True):
            wide = unit * weight - 8.0
            write(painter, QRectF(x, 1, wide, 15), LEFT, name, small, self.theme.muted)
            line = QRectF(x, 16, wide, 19)
            write(painter, line, LEFT, value, big, tone)
            used = QFontMetricsF(big).horizontalAdvance(value) + 6
            room = QFontMetricsF(small).horizontalAdvance
            if said := next((words for words in beside if room(words) <= wide - used), ""):
                painter.setFont(small)
                painter.setPen(QColor(self.theme.muted))
                painter.drawText(line.adjusted(used, 1, 0, 1), LEFT, said)
            x += unit * weight
