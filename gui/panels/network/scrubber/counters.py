"""Reads and writes ticking beside what any order needs, and what of them could be avoided."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.document.network.memory_history import Counters
from gui.look.numbers import DASH, percent, plural
from gui.look.theme import Theme
from gui.look.writing import LEFT, face, write

HEIGHT = 38
AT_LEAST = "\N{GREATER-THAN OR EQUAL TO}"


@dataclass(frozen=True)
class Least:
    """What every order needs in the end: Theorem 1's W + N reads and S writes."""

    reads: int
    writes: int

    @property
    def total(self) -> int:
        """W + N + S."""
        return self.reads + self.writes


class CounterRow(QWidget):
    """Reads, writes, total I/Os of the first connections, and those beyond the bound; digits keep their places."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.counters: Counters | None = None
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

    def show_counters(self, counters: Counters | None, least: Least, done: int, length: int) -> None:
        """Other figures; None while they are being found out."""
        self.counters, self.least, self.done, self.length = counters, least, done, length
        self.update()

    def figures(self) -> list[tuple[str, str, str, str]]:
        """Per figure: name, value, what it is measured against, and its tone (a colour of the theme)."""
        c, t = self.counters, self.theme
        done = f"{self.done:,}"
        rows = [("Connections", done, f"of {self.length:,}", t.text)]
        if c is None:
            return rows + [(name, DASH, "", t.text) for name in ("Reads", "Writes", "Total", "Beyond bound")]
        if c.beyond:
            told = f"{plural(c.again, 'read')}, {plural(c.spills, 'write')}"
        else:
            told = "none so far" if self.done < self.length else "none"
        return [
            *rows,
            ("Reads", f"{c.reads:,}", f"{AT_LEAST} {self.least.reads:,}", t.text),
            ("Writes", f"{c.writes:,}", f"{AT_LEAST} {self.least.writes:,}", t.text),
            ("Total I/Os", f"{c.total:,}", f"{AT_LEAST} {self.least.total:,}", t.text),
            ("Beyond bound", f"{c.beyond:,}", told, t.warning if c.beyond else t.good),
        ]

    def words(self) -> str:
        """All figures in one line."""
        share = percent(self.done / self.length) if self.length else ""
        return f"{share} done; " + ", ".join(
            f"{name} {value} {beside}" for name, value, beside, _ in self.figures()
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
            if QFontMetricsF(small).horizontalAdvance(beside) <= wide - used:
                painter.setFont(small)
                painter.setPen(QColor(self.theme.muted))
                painter.drawText(line.adjusted(used, 1, 0, 1), LEFT, beside)
            x += unit * weight
