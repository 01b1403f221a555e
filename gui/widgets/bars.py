"""Bars: the gap between plan and bound, a share of a whole, and the parts of a cost."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.look.theme import DeviceColour, Theme, font

HATCH = QBrush(QColor(255, 255, 255, 130), Qt.BrushStyle.BDiagPattern)
"""Over a colour: what is beyond a limit, or more than before."""


@dataclass(frozen=True)
class Part:
    """One part of a stacked bar. ``hatched`` marks streaming, so that it does not depend on colour alone."""

    value: float
    colour: str
    hatched: bool = False


def cost_parts(
    receive: float, work: float, streaming: float, send: float, colour: DeviceColour, bad: str
) -> list[Part]:
    """A device's cost in the order in which it is paid."""
    return [
        Part(receive, colour.soft), Part(work, colour.accent), Part(streaming, bad, True), Part(send, colour.soft),
    ]  # fmt: skip


def paint_parts(
    painter: QPainter, rect: QRectF, parts: Sequence[Part], full: float, gap: float = 1.5
) -> None:
    """Paint ``parts`` from the left of ``rect``, whose width stands for ``full``; thin gaps part them."""
    if full <= 0 or not math.isfinite(full):
        return
    painter.setPen(Qt.PenStyle.NoPen)
    x = rect.left()
    for part in parts:
        width = rect.width() * part.value / full
        if width <= 0 or not math.isfinite(width):
            continue
        shown = QRectF(x, rect.top(), max(width - (gap if width > 2 * gap else 0.0), 0.6), rect.height())
        painter.setBrush(QColor(part.colour))
        radius = min(2.0, shown.width() / 2)
        painter.drawRoundedRect(shown, radius, radius)
        if part.hatched and shown.width() >= 3:
            painter.setBrush(HATCH)
            painter.drawRoundedRect(shown, radius, radius)
        x += width


def paint_track(painter: QPainter, rect: QRectF, theme: Theme, radius: float = 3.0) -> None:
    """The ground of a bar: what its whole width stands for."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.track))
    painter.drawRoundedRect(rect, radius, radius)


def paint_change_bar(
    painter: QPainter, rect: QRectF, share: float, colour: str, line: str, *, hatched: bool = False, unit: float = 1.0
) -> None:  # fmt: skip
    """A bar that leaves the middle of ``rect`` to the left for less and to the right for more.

    ``share`` (-1 to 1; NaN: nobody knows) is of half the width; ``hatched``, so that more does not depend on the side alone.
    ``unit`` is a pixel of the screen.
    """
    middle = rect.center().x()
    if math.isfinite(share) and share:
        wide = max(1.5 * unit, rect.width() / 2 * abs(share))
        bar = QRectF(middle if share > 0 else middle - wide, rect.top(), wide, rect.height())
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colour))
        painter.drawRoundedRect(bar, 2 * unit, 2 * unit)
        if hatched and share > 0:
            painter.setBrush(HATCH)
            painter.drawRoundedRect(bar, 2 * unit, 2 * unit)
    painter.setPen(QPen(QColor(line), max(1.0, unit)))
    painter.drawLine(QPointF(middle, rect.top() - 3 * unit), QPointF(middle, rect.bottom() + 3 * unit))


def paint_load(
    painter: QPainter, rect: QRectF, used: float, budget: float, full: float, colour: DeviceColour, theme: Theme,
    after: float | None = None,
) -> None:  # fmt: skip
    """``used`` of a cache of ``budget``, lying; the width of ``rect`` stands for ``full``.

    What exceeds the cache lies beyond the line at its end, hatched in a warning colour. ``after`` outlines what a
    change would make of it.
    """
    if full <= 0 or not math.isfinite(full):
        return
    scale = rect.width() / full
    line = rect.left() + scale * budget
    paint_track(painter, QRectF(rect.left(), rect.top(), scale * budget, rect.height()), theme, 2)
    painter.setBrush(QColor(colour.accent))
    inside = QRectF(rect.left(), rect.top(), scale * min(used, budget), rect.height())
    painter.drawRoundedRect(inside, 2, 2)
    if used > budget:
        beyond = QRectF(line, rect.top(), scale * (used - budget), rect.height())
        painter.fillRect(beyond, QColor(theme.bad))
        painter.fillRect(beyond, HATCH)
    if after is not None and after != used:
        low, high = sorted((used, after))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(theme.text), 1.2, Qt.PenStyle.DotLine))
        painter.drawRect(
            QRectF(rect.left() + scale * low, rect.top() - 1, scale * (high - low), rect.height() + 2)
        )
    painter.setPen(QPen(QColor(theme.text), 1.5))
    painter.drawLine(QPointF(line, rect.top() - 2), QPointF(line, rect.bottom() + 2))


class StackedBar(QWidget):
    """One bar of parts, or of a single share when given one part."""

    def __init__(self, theme: Theme, height: int = 6, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._parts: Sequence[Part] = ()
        self._full = 1.0
        self._track = True
        self.setFixedHeight(height)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self._theme = theme
        self.update()

    def set_parts(self, parts: Sequence[Part], full: float) -> None:
        """Show ``parts``; the whole width stands for ``full``."""
        self._parts, self._full = parts, full
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Track, then parts."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRectF(self.rect())
        if self._track:
            paint_track(painter, rect, self._theme)
        paint_parts(painter, rect, self._parts, self._full)


class GapBar(QWidget):
    """From 0 to the plan's objective, with a mark where the bound stands: the rest is the gap.

    What is only claimed has a dotted mark, and no part of the bar.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._bound: float | None = None
        self._plan: float | None = None
        self._claimed: float | None = None
        self._broken = False
        self.setMinimumSize(90, 44)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Gap between plan and bound")

    def sizeHint(self) -> QSize:
        """Wide where there is room."""
        return QSize(240, 44)

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self._theme = theme
        self.update()

    def set_values(
        self, plan: float | None, bound: float | None, claimed: float | None = None, broken: bool = False
    ) -> None:
        """Objective of the plan, proven bound and what a file claims beyond it (None where there is none).

        The bound is one of valid plans: of a ``broken`` one it is grey, and stands where it is, beyond the plan perhaps.
        """
        values = (plan, bound, claimed, broken)
        if values != (self._plan, self._bound, self._claimed, self._broken):
            self._plan, self._bound, self._claimed, self._broken = values
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Bar, ticks and their words; words that would collide move apart."""
        if self._plan is None:
            return
        t = self._theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        bar = QRectF(1, 9, self.width() - 8, 12)
        paint_track(painter, bar, t, 5)
        painter.setFont(font(7.5))
        metrics = painter.fontMetrics()
        words_y = int(bar.bottom()) + 5 + metrics.ascent()
        painter.setPen(QColor(t.muted))
        painter.drawText(QPointF(1, words_y), "0")
        if not math.isfinite(self._plan) or self._plan <= 0:
            return
        painter.setFont(font(7.5, bold=True))
        bold = painter.fontMetrics()
        known = self._bound is not None and math.isfinite(self._bound)
        full = max(self._plan, self._bound or 0.0) if self._broken and known else self._plan
        ends = bar.left() + bar.width() * self._plan / full
        plan_x = min(
            ends - bold.horizontalAdvance("plan") / 2, self.width() - bold.horizontalAdvance("plan") - 1
        )
        if self._bound is not None and math.isfinite(self._bound):
            share = min(max(self._bound / full, 0.0), 1.0)
            end = bar.left() + bar.width() * share
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(t.border if self._broken else t.good_soft))
            painter.drawRoundedRect(
                QRectF(bar.left(), bar.top(), max(end - bar.left(), 2), bar.height()), 5, 5
            )
            ink = t.faint if self._broken else t.good
            painter.setPen(QPen(QColor(ink), 2))
            painter.drawLine(QPointF(end, bar.top() - 4), QPointF(end, bar.bottom() + 3))
            width = bold.horizontalAdvance("bound")
            zero_end = metrics.horizontalAdvance("0") + 6
            x = min(max(end - width / 2, zero_end), plan_x - width - 6)
            if end > ends:
                x = max(plan_x + bold.horizontalAdvance("plan") + 6, end - width / 2)
                x = min(x, self.width() - width - 1)
                plan_x = min(plan_x, x - bold.horizontalAdvance("plan") - 6)
            if x >= zero_end:
                painter.setPen(QColor(ink))
                painter.drawText(QPointF(x, words_y), "bound")
        if self._claimed is not None and math.isfinite(self._claimed):
            at = bar.left() + bar.width() * min(max(self._claimed / full, 0.0), 1.0) - 3
            painter.setPen(QPen(QColor(t.warning), 2, Qt.PenStyle.DotLine))
            painter.drawLine(QPointF(at, bar.top() - 5), QPointF(at, bar.bottom() + 4))
        painter.setPen(QPen(QColor(t.text), 2))
        painter.drawLine(QPointF(ends, bar.top() - 5), QPointF(ends, bar.bottom() + 4))
        painter.drawText(QPointF(plan_x, words_y), "plan")
