"""Bars of a plan's parameters per stage around the cache line (Edge TPU paper, figure 7).

The paper draws cache - m_k, so that what is off chip hangs below zero. Here a bar is m_k itself: it fills the cache from
below, and what is off chip stands above the cache line in a warning colour, hatched. The distance to the line is the paper's
figure, and m_k can be read off too. What activations need of the cache lies below the line, grey: only what is left between
that and a bar is free, and what they push out is hatched at the top of the bar.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from gui.look.theme import Theme, device_colours
from gui.widgets.bars import HATCH, activations_colour
from planner.problem.decision import Evaluation

MOST_ABOVE = 0.8
"""How much above the cache line is drawn at most, in caches: bars that go on are cut open."""


@dataclass(frozen=True)
class MemoryBars:
    """Amounts per stage (k each) and the line that they should stay below; ``baseline`` of another plan, maybe empty.

    ``line`` is infinite where there is none. Stage times can be shown the same way. ``pushed`` and ``needs``: what activations push out of
    what fits, and what they need of the cache; maybe empty. ``places``: which colours they have, by the places of these devices in a
    machine; empty: in order.
    """

    amounts: tuple[float, ...]
    line: float
    baseline: tuple[float, ...] = ()
    pushed: tuple[float, ...] = ()
    needs: tuple[float, ...] = ()
    places: tuple[int, ...] = ()

    def around(self, stage: int) -> tuple[float, float, float]:
        """What of a stage's parameters stays on chip, what activations push out, and what they need of the cache."""
        pushed, needs = (each[stage] if each else 0.0 for each in (self.pushed, self.needs))
        return max(0.0, min(self.amounts[stage], self.line) - pushed), pushed, min(needs, self.line)


def memory_bars(evaluation: Evaluation, line: float, baseline: tuple[float, ...] = ()) -> MemoryBars:
    """What the stages of a plan hold around their cache."""
    pushed, needs = (
        tuple(evaluation.details[name].tolist()) if name in evaluation.details else ()
        for name in ("pushed", "scratch")
    )
    return MemoryBars(tuple(evaluation.memory.tolist()), line, baseline, pushed, needs)


def full_scale(groups: Sequence[MemoryBars]) -> float:
    """The amount at the top of a chart that shows all of ``groups`` on one scale."""
    values = [v for bars in groups for v in (*bars.amounts, *bars.baseline)]
    most = max((v for v in values if math.isfinite(v)), default=0.0)
    line = max((bars.line for bars in groups), default=math.inf)
    if not math.isfinite(line) or line <= 0:
        return most * 1.04 or 1.0
    return max(1.15 * line, min(1.04 * most, (1.0 + MOST_ABOVE) * line))


def bar_boxes(rect: QRectF, count: int, widest: float = 64.0) -> list[QRectF]:
    """Where the ``count`` bars of a chart stand: as wide as there is room, evenly apart, in the middle."""
    if count == 0:
        return []
    pitch = min(rect.width() / count, 1.5 * widest)
    gap = 0.3 * pitch if pitch >= 8 else 0.2 * pitch
    left = rect.center().x() - pitch * count / 2
    return [QRectF(left + i * pitch + gap / 2, rect.top(), pitch - gap, rect.height()) for i in range(count)]


def height_of(value: float, top: float, rect: QRectF) -> float:
    """The y coordinate of an amount; ``top`` is the amount at the upper edge of ``rect``."""
    return rect.bottom() - rect.height() * min(max(value, 0.0) / top, 1.0)


def paint_memory_bars(
    painter: QPainter, rect: QRectF, bars: MemoryBars, top: float, theme: Theme, *, widest: float = 64.0,
    line: bool = True,
) -> None:  # fmt: skip
    """Tracks, bars, the baseline's marks and, unless ``line`` is off, the cache line."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    places = bars.places or tuple(range(len(bars.amounts)))
    known = device_colours(max(places, default=-1) + 1, theme)
    colours = [known[place] for place in places]
    limited = math.isfinite(bars.line)
    edge = height_of(bars.line, top, rect) if limited else rect.top()
    boxes = bar_boxes(rect, len(bars.amounts), widest)
    for i, (box, amount) in enumerate(zip(boxes, bars.amounts, strict=True)):
        radius = min(3.0, box.width() / 4)
        painter.setPen(Qt.PenStyle.NoPen)
        if limited:
            painter.setBrush(QColor(theme.track))
            painter.drawRoundedRect(
                QRectF(box.left(), edge, box.width(), rect.bottom() - edge), radius, radius
            )
        stays, pushed, needs = bars.around(i)
        if limited and needs > 0:
            painter.setBrush(QColor(activations_colour(theme)))
            low = height_of(bars.line - needs, top, rect)
            painter.drawRoundedRect(QRectF(box.left(), edge, box.width(), low - edge), radius, radius)
        y = max(height_of(stays, top, rect), edge)
        painter.setBrush(QColor(colours[i].accent))
        painter.drawRoundedRect(
            QRectF(box.left(), y, box.width(), max(rect.bottom() - y, 0.0)), radius, radius
        )
        if amount > bars.line or pushed > 0:
            _over(painter, box, height_of(amount, top, rect), y, amount > top, theme)
        if i < len(bars.baseline) and bars.baseline != bars.amounts:
            _mark(painter, box, bars.baseline[i], top, rect, theme)
    if line and limited:
        paint_cache_line(painter, rect.left(), rect.right(), edge, theme)


def paint_cache_line(painter: QPainter, left: float, right: float, y: float, theme: Theme) -> None:
    """The line that bars should stay below."""
    painter.setPen(QPen(QColor(theme.text), 1.2, Qt.PenStyle.DashLine))
    painter.drawLine(QPointF(left, y), QPointF(right, y))


def _over(painter: QPainter, box: QRectF, y: float, edge: float, cut: bool, theme: Theme) -> None:
    """What is streamed, down to ``edge``; ``cut``: it goes on beyond the top, so its end is torn."""
    shape = QPolygonF([QPointF(box.left(), edge), QPointF(box.left(), y)])
    if cut:
        teeth = max(2, int(box.width() / 5))
        step = box.width() / teeth
        for tooth in range(teeth):
            shape.append(QPointF(box.left() + (tooth + 0.5) * step, y + 4.0))
            shape.append(QPointF(box.left() + (tooth + 1) * step, y))
    else:
        shape.append(QPointF(box.right(), y))
    shape.append(QPointF(box.right(), edge))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.warning))
    painter.drawPolygon(shape)
    painter.setBrush(HATCH)
    painter.drawPolygon(shape)


def _mark(painter: QPainter, box: QRectF, value: float, top: float, rect: QRectF, theme: Theme) -> None:
    """A short line at the baseline's amount, with a halo that parts it from the bar; an arrow where it is off the chart."""
    y = height_of(value, top, rect) + (5.0 if value > top else 0.0)
    reach = max(1.5, 0.1 * box.width())
    a, b = QPointF(box.left() - reach, y), QPointF(box.right() + reach, y)
    painter.setPen(QPen(QColor(theme.panel), 4.0))
    painter.drawLine(a, b)
    painter.setPen(QPen(QColor(theme.text), 2.0))
    painter.drawLine(a, b)
    if value > top:
        middle, size = box.center().x(), min(4.0, box.width() / 2)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.text))
        painter.drawPolygon(
            QPolygonF([QPointF(middle - size, y), QPointF(middle + size, y), QPointF(middle, y - size)])
        )
