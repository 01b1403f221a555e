"""What a plan costs when op times are off, painted: how often it costs how much, and how often each device is the worst."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.look.numbers import percent, time_column
from gui.look.theme import Theme, device_colours, font
from gui.look.writing import LEFT, RIGHT
from gui.widgets.accessible import Contents, Item, Role
from gui.widgets.plain import plain_tip
from planner.model.graph import Floats
from planner.problem.worst import BOTTLENECK, being_worst, meaning
from planner.reports.robustness.report import Robustness
from planner.reports.robustness.sampling import HIGH
from planner.reports.robustness.spread import Dependence

BINS = 48
MARK, PAD, GAP, ROW, NAME, FIGURE = 14.0, 8.0, 18.0, 17.0, 58.0, 46.0
"""Heights of a mark's words and of a device's row, space around and between, widths of a device's name and figure."""
LEAST_BARS = 30.0
BESIDE = 0.62
"""Share of the width that the histogram has where the devices stand beside it."""
FEWEST_SHARED = 0.0005
"""Devices that are the worst less often than this have no row."""


@dataclass(frozen=True)
class Mark:
    """A line across the histogram: its words, the objective, and its tone (text, accent, bad)."""

    words: str
    value: float
    tone: str


@dataclass(frozen=True, eq=False)
class Outlook:
    """Everything that is drawn. ``counts`` float64[bins] from ``low`` to ``high``; ``other`` those of the plan of least regret, or None.

    ``shares``: device, its name, and how often it is the worst, most often first. ``worst``: what that is called. ``faded``: it is about another plan by now.
    """

    counts: Floats
    low: float
    high: float
    marks: tuple[Mark, ...]
    shares: tuple[tuple[int, str, float], ...]
    devices: int
    other: Floats | None = None
    faded: bool = False
    worst: str = BOTTLENECK

    @property
    def heads(self) -> tuple[str, ...]:
        """What may stand over the devices, the longest first."""
        return f"how often each {being_worst(self.worst)}", f"{self.worst}, how often", self.worst


def outlook_of(found: Robustness, dependence: Dependence, faded: bool) -> Outlook:
    """What is drawn of a report for one way in which op times depend on one another."""
    sampled, plan, unit = found.outlooks[dependence], found.candidates[0], found.problem.graph.time_unit
    values, best = sampled.objective[0], sampled.least_regret
    low = min(float(sampled.objective[[0, best]].min()), plan.nominal)
    high = max(plan.highest, float(sampled.objective[[0, best]].max()))
    high = high if high > low else low + max(abs(low), 1.0) * 1e-3
    quantile = float(sampled.quantile(HIGH)[0])
    column = time_column([low, high], unit)
    marks = (
        Mark(f"model's times {column.text(plan.nominal)}", plan.nominal, "text"),
        Mark(f"90 % at most {column.text(quantile)}", quantile, "accent"),
        Mark(f"at the worst {column.text(plan.highest)}", plan.highest, "bad"),
    )
    shares = sorted(enumerate(found.shares(dependence).tolist()), key=lambda pair: -pair[1])
    return Outlook(
        _counts(values, low, high), low, high, marks,
        tuple((d, found.problem.devices[d].name, share) for d, share in shares if share >= FEWEST_SHARED),
        len(found.problem.devices), _counts(sampled.objective[best], low, high) if best else None, faded, found.worst,
    )  # fmt: skip


def _counts(values: Floats, low: float, high: float) -> Floats:
    counts: Floats = np.histogram(values, BINS, (low, high))[0].astype(np.float64)
    return counts


class OutlookView(QWidget):
    """The histogram with its marks, and beside it (below where it is narrow) the devices."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.outlook: Outlook | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("What the plan costs when op times are off")

    def show_outlook(self, outlook: Outlook | None) -> None:
        """Show another one, or nothing."""
        self.outlook = outlook
        self.setToolTip("" if outlook is None else plain_tip(meaning(outlook.worst)))
        self.setAccessibleDescription(
            "" if outlook is None else ", ".join(mark.words for mark in outlook.marks)
        )
        self.told.say_changes()
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self.theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        """Room for both."""
        return QSize(400, 150)

    def minimumSizeHint(self) -> QSize:
        """Less shows nothing."""
        return QSize(220, int(3 * MARK + LEAST_BARS + 2 * PAD))

    # ------------------------------------------------------------------ places
    @property
    def histogram(self) -> QRectF:
        """Where the bars stand."""
        width = (self.width() - 2 * PAD - GAP) * BESIDE
        return QRectF(PAD, PAD + 3 * MARK, width, max(LEAST_BARS, self.height() - 2 * PAD - 3 * MARK))

    def row(self, i: int) -> QRectF:
        """Where the i-th of the devices stands."""
        left = self.histogram.right() + GAP
        return QRectF(left, PAD + (i + 1) * ROW, self.width() - PAD - left, ROW)

    @property
    def rows(self) -> int:
        """How many devices there is room for."""
        return max(0, int((self.height() - 2 * PAD - ROW) // ROW))

    def place_of(self, value: float) -> float:
        """Where an objective stands."""
        assert self.outlook is not None
        box, o = self.histogram, self.outlook
        return box.left() + box.width() * (value - o.low) / (o.high - o.low)

    # ------------------------------------------------------------------ for screen readers
    @cached_property
    def told(self) -> Contents:
        """The marks and the devices."""
        return Contents(self, Role.Chart, self._keys, self._item)

    def _keys(self) -> list[Hashable]:
        o = self.outlook
        return [] if o is None else [*range(len(o.marks) + min(self.rows, len(o.shares)))]

    def _item(self, key: Hashable) -> Item | None:
        o = self.outlook
        if o is None or not isinstance(key, int) or key >= len(o.marks) + len(o.shares):
            return None
        if key < len(o.marks):
            mark = o.marks[key]
            box = self.histogram
            return Item(mark.words, QRectF(self.place_of(mark.value) - 2, box.top(), 4, box.height()))
        i = key - len(o.marks)
        _, name, share = o.shares[i]
        return Item(f"{name} {being_worst(o.worst)} in {percent(share)} of the samples", self.row(i))

    # ------------------------------------------------------------------ painting
    def paintEvent(self, event: QPaintEvent) -> None:
        """Everything; it is little."""
        if self.outlook is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.outlook.faded:
            painter.setOpacity(0.45)
        self._paint_histogram(painter, self.outlook)
        self._paint_shares(painter, self.outlook)

    def _paint_histogram(self, painter: QPainter, o: Outlook) -> None:
        box, t = self.histogram, self.theme
        top = max(
            float(o.counts.max(initial=0.0)), 1.0 if o.other is None else float(o.other.max(initial=0.0)), 1.0
        )
        wide = box.width() / len(o.counts)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(t.accent))
        for i, count in enumerate(o.counts.tolist()):
            if count:
                high = max(1.0, box.height() * count / top)
                painter.drawRect(
                    QRectF(box.left() + i * wide + 0.5, box.bottom() - high, max(1.0, wide - 1.0), high)
                )
        if o.other is not None:
            points = QPolygonF()
            for i, count in enumerate(o.other.tolist()):
                y = box.bottom() - box.height() * count / top
                points.append(QPointF(box.left() + i * wide, y))
                points.append(QPointF(box.left() + (i + 1) * wide, y))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(t.warning), 1.5))
            painter.drawPolyline(points)
            painter.setFont(font(8.0))
            legend = QRectF(box.left(), box.top() + 2, box.width() - 6, MARK)
            painter.drawText(legend, RIGHT, "line: the plan of least regret")
        painter.setPen(QPen(QColor(t.border), 1.0))
        painter.drawLine(box.bottomLeft(), box.bottomRight())
        painter.setFont(font(8.0))
        measure = QFontMetricsF(painter.font())
        for i, mark in enumerate(o.marks):
            colour = QColor({"text": t.text, "accent": t.accent, "bad": t.bad}[mark.tone])
            x, y = self.place_of(mark.value), PAD + i * MARK
            painter.setPen(
                QPen(colour, 1.2, Qt.PenStyle.DashLine if mark.tone != "text" else Qt.PenStyle.SolidLine)
            )
            painter.drawLine(QPointF(x, y + MARK - 1), QPointF(x, box.bottom()))
            width = measure.horizontalAdvance(mark.words) + 2
            left = min(max(box.left(), x - width / 2), max(box.left(), box.right() - width))
            painter.setPen(colour)
            painter.drawText(QRectF(left, y, width, MARK), LEFT, mark.words)

    def _paint_shares(self, painter: QPainter, o: Outlook) -> None:
        t, colours = self.theme, device_colours(o.devices, self.theme)
        head = self.row(-1)
        painter.setFont(font(8.0))
        painter.setPen(QColor(t.muted))
        measure = QFontMetricsF(painter.font())
        painter.drawText(
            head,
            LEFT,
            next((w for w in o.heads if measure.horizontalAdvance(w) <= head.width()), o.heads[-1]),
        )
        shown = min(self.rows, len(o.shares))
        if shown < len(o.shares):
            shown -= 1
        for i, (device, name, share) in enumerate(o.shares[: max(shown, 0)]):
            row = self.row(i)
            painter.setPen(QColor(t.text))
            painter.drawText(
                QRectF(row.left(), row.top(), NAME, ROW),
                LEFT,
                measure.elidedText(name, Qt.TextElideMode.ElideRight, NAME - 4),
            )
            track = QRectF(
                row.left() + NAME, row.center().y() - 3.5, max(4.0, row.width() - NAME - FIGURE), 7.0
            )
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(t.track))
            painter.drawRoundedRect(track, 2, 2)
            painter.setBrush(QColor(colours[device].accent))
            painter.drawRoundedRect(
                QRectF(track.left(), track.top(), track.width() * share, track.height()), 2, 2
            )
            painter.setPen(QColor(t.text))
            painter.drawText(QRectF(row.right() - FIGURE, row.top(), FIGURE, ROW), RIGHT, percent(share))
        if 0 <= shown < len(o.shares):
            painter.setPen(QColor(t.muted))
            painter.drawText(self.row(shown), LEFT, f"and {len(o.shares) - shown} more")
