"""Paints the order strip: the block of a neuron, the ribbon, what is read and written under it, positions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QPainter, QPen, QPolygonF

from gui.editors.network.strip.layout import AXIS, BLOCK_LANE, StripLayout
from gui.look.theme import Theme, contrast, font
from gui.look.writing import CENTRE, LEFT, RIGHT
from gui.panels.network.base import GUTTER
from planner.machines.two_level_memory.orders.blocks import Runs

if TYPE_CHECKING:
    from gui.editors.network.strip.drag import Drag
    from gui.editors.network.strip.ribbon import Ribbon
    from planner.machines.two_level_memory.orders.blocks import BlockMove
    from planner.machines.two_level_memory.trace import Trace
    from planner.model.network import Network

SEPARATED_FROM, NAMED_FROM = 5.0, 26.0
"""Pixels of a run from which it gets an edge, and from which there may be room for its name."""
MOST_BARS = 4000


@dataclass
class Scene:
    """What the strip shows."""

    network: Network
    runs: Runs
    ribbon: Ribbon
    colours: list[str]
    """Of the layers."""
    trace: Trace | None = None
    move: BlockMove | None = None
    """The block of the selected neuron."""
    uses: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))
    """Positions at which the value of the selected neuron is used."""
    hovered: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))
    """Positions of the block of the neuron under the pointer."""
    best: int = -1
    """The best start found for the block, -1 while there is none."""
    drag: Drag | None = None

    def looks_like(self, other: Scene | None) -> bool:
        """Whether another scene shares all that :func:`paint_strip` paints."""
        return (
            other is not None
            and self.ribbon is other.ribbon
            and self.trace is other.trace
            and (self.move is None) == (other.move is None)
            and (self.move is None or other.move is None or self.move.at is other.move.at)
        )


def paint_strip(painter: QPainter, layout: StripLayout, scene: Scene, theme: Theme, ratio: float) -> None:
    """What stays while a block is dragged or an order plays, into ``layout.width`` x ``layout.height`` pixels."""
    top, height = layout.ribbon
    box = QRectF(GUTTER, top, layout.plot_width, height)
    _names(painter, layout, scene, theme)
    painter.save()
    painter.setClipRect(QRectF(GUTTER - 5, 0, layout.plot_width + 10, layout.axis))
    _ribbon(painter, layout, scene, theme, box, ratio)
    _densities(painter, layout, scene, theme)
    painter.restore()
    _axis(painter, layout, theme)
    if not layout.fitted:
        _overview(painter, layout, scene, theme)


def paint_over(
    painter: QPainter, layout: StripLayout, scene: Scene, position: int, theme: Theme, focused: bool
) -> None:
    """What changes from event to event: blocks, a drag, the moment shown, the mark of the keyboard."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    top, height = layout.ribbon
    box = QRectF(GUTTER, top, layout.plot_width, height)
    painter.save()
    painter.setClipRect(QRectF(GUTTER - 5, 0, layout.plot_width + 10, layout.axis))
    _block(painter, layout, scene, theme, box)
    if scene.drag is not None:
        _drag(painter, layout, scene.drag, theme, box)
    painter.restore()
    _moment(painter, layout, position, theme)
    if focused:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(theme.focus), 1.5))
        painter.drawRoundedRect(QRectF(1, 1, layout.width - 2, layout.height - 2), 4, 4)


def _names(painter: QPainter, layout: StripLayout, scene: Scene, theme: Theme) -> None:
    top, height = layout.density
    painter.setFont(font(8.0 if height >= 28 else 7.0))
    rows = [(layout.ribbon, "order", theme.muted)]
    room = min(height / 2, 15.0)
    rows.append(((top, room), "reads", theme.accent))
    rows.append(((top + height - room, room), "writes", theme.warning))
    if scene.move is not None:
        rows.append(((0.0, BLOCK_LANE), "block", theme.text))
    for (y, room), words, colour in rows:
        painter.setPen(QColor(colour))
        painter.drawText(QRectF(0, y, GUTTER - 8, room), RIGHT, words)


# ---------------------------------------------------------------------- the ribbon
def _ribbon(
    painter: QPainter, layout: StripLayout, scene: Scene, theme: Theme, box: QRectF, ratio: float
) -> None:
    until = min(layout.plot_width, (layout.count - layout.left) * layout.scale)
    width, height = max(1, round(layout.plot_width * ratio)), max(1, round(box.height() * ratio))
    image = scene.ribbon.image(layout.left, 1 / layout.scale, width, height, ratio)
    painter.drawImage(box.topLeft(), image)
    painter.setPen(QPen(QColor(theme.border), 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(QRectF(box.left() - 0.5, box.top() - 0.5, until + 1, box.height() + 1))
    first, last = layout.seen
    begin, runs = scene.runs.begin, scene.runs
    low = max(0, runs.at(min(int(first), layout.count - 1)))
    high = min(len(runs), int(np.searchsorted(begin, last)) + 1)
    if (last - first) * layout.scale < SEPARATED_FROM * (high - low):
        return
    face = font(7.5)
    metrics = QFontMetricsF(face)
    painter.setFont(face)
    for run in range(low, high):
        x0, x1 = layout.x(float(begin[run])), layout.x(float(begin[run + 1]))
        if x1 - x0 < SEPARATED_FROM:
            continue
        painter.setPen(QPen(QColor(theme.panel), 1))
        painter.drawLine(QPointF(x1, box.top()), QPointF(x1, box.bottom()))
        seen0, seen1 = max(x0, box.left()), min(x1, box.right())
        neuron = int(runs.neuron[run])
        word = str(int(scene.network.rank[neuron] - _layer_start(scene.network, neuron)))
        if seen1 - seen0 >= max(NAMED_FROM, metrics.horizontalAdvance(word) + 6):
            ground = scene.colours[int(scene.network.layer[neuron])]
            dark = contrast("#10151d", ground) >= contrast("#ffffff", ground)
            painter.setPen(QColor("#10151d" if dark else "#ffffff"))
            painter.drawText(QRectF(seen0, box.top(), seen1 - seen0, box.height()), CENTRE, word)


def _layer_start(network: Network, neuron: int) -> int:
    return int(network.layer_sizes[: int(network.layer[neuron])].sum())


def _bars(layout: StripLayout, positions: np.ndarray) -> list[tuple[float, float]]:
    """Left edges and widths of the rows that ascending positions make, no more than there are pixels."""
    first, last = layout.seen
    positions = positions[(positions >= first - 1) & (positions <= last)]
    if not len(positions):
        return []
    cuts = np.flatnonzero(np.diff(positions) > 1) + 1
    begin = positions[np.concatenate(([0], cuts))]
    end = positions[np.concatenate((cuts - 1, [len(positions) - 1]))] + 1
    x = GUTTER + (begin - layout.left) * layout.scale
    width = np.maximum((end - begin) * layout.scale, 1.5)
    if len(x) > MOST_BARS // 4:
        _, keep = np.unique(np.floor(x), return_index=True)
        x, width = x[keep], width[keep]
    return list(zip(x.tolist(), width.tolist(), strict=True))


def _block(painter: QPainter, layout: StripLayout, scene: Scene, theme: Theme, box: QRectF) -> None:
    """Where the selected neuron's connections are, where its value is used, and the best place for its block."""
    painter.setPen(Qt.PenStyle.NoPen)
    for x, width in _bars(layout, scene.hovered):
        painter.fillRect(QRectF(x, BLOCK_LANE - 4, width, 3), QColor(theme.muted))
    if scene.move is None:
        return
    for x, width in _bars(layout, scene.uses):
        painter.fillRect(QRectF(x, BLOCK_LANE - 5, width, 2), QColor(theme.faint))
    edge = QPen(QColor(theme.text), 1.4)
    for x, width in _bars(layout, scene.move.at):
        painter.fillRect(QRectF(x, 3, width, BLOCK_LANE - 4), QColor(theme.text))
        if width >= 4:
            painter.setPen(edge)
            painter.drawRect(QRectF(x, box.top(), width, box.height()))
            painter.setPen(Qt.PenStyle.NoPen)
    if scene.best >= 0 and scene.drag is None:
        x = layout.x(scene.move.position_of(scene.best))
        painter.setBrush(QColor(theme.good))
        painter.drawPolygon(QPolygonF([QPointF(x - 5, 2), QPointF(x + 5, 2), QPointF(x, BLOCK_LANE - 2)]))


def _drag(painter: QPainter, layout: StripLayout, drag: Drag, theme: Theme, box: QRectF) -> None:
    low, high = drag.lit
    x0, x1 = layout.x(low), layout.x(high)
    veil = QColor(theme.panel)
    veil.setAlpha(200)
    hatch = QBrush(QColor(theme.faint), Qt.BrushStyle.BDiagPattern)
    end = min(box.right(), layout.x(layout.count))
    for left, right in ((box.left(), min(x0, end)), (max(x1, box.left()), end)):
        if right > left:
            grey = QRectF(left, box.top(), right - left, box.height())
            painter.fillRect(grey, veil)
            painter.fillRect(grey, hatch)
    painter.fillRect(QRectF(x0, 0, max(2.0, x1 - x0), 3), QColor(theme.good))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(theme.good), 1.6))
    painter.drawRect(QRectF(x0, box.top(), max(2.0, x1 - x0), box.height()))
    colour = QColor(theme.text if drag.legal else theme.bad)
    x = layout.x(drag.position)
    width = max(3.0, len(drag.move.block) * layout.scale)
    ghost = QColor(colour)
    ghost.setAlpha(70)
    painter.fillRect(QRectF(x, box.top(), width, box.height()), ghost)
    painter.setPen(QPen(colour, 2))
    painter.drawLine(QPointF(x, 1), QPointF(x, box.bottom() + 1))


# ---------------------------------------------------------------------- reads and writes
def rates(trace: Trace, layout: StripLayout) -> tuple[np.ndarray, np.ndarray]:
    """Reads of neurons and writes per connection, one float64 each per pixel of the plot."""
    edges = layout.left + np.arange(int(layout.plot_width) + 1) / layout.scale
    low = np.floor(edges[:-1]).astype(np.int64)
    high = np.maximum(low + 1, np.floor(edges[1:]).astype(np.int64))
    low, high = np.clip(low, 0, layout.count), np.clip(high, 0, layout.count)
    spans = np.maximum(high - low, 1)
    reads = (trace.reads[high] - trace.reads[low] - (high - low)) / spans
    return reads, (trace.writes[high] - trace.writes[low]) / spans


def _densities(painter: QPainter, layout: StripLayout, scene: Scene, theme: Theme) -> None:
    """Reads of neurons above a line, writes below it, both at one scale."""
    top, height = layout.density
    if scene.trace is None:
        painter.setPen(QColor(theme.faint))
        painter.setFont(font(8.0))
        painter.drawText(
            QRectF(GUTTER + 6, top, layout.plot_width, height), LEFT, "counting reads and writes …"
        )
        return
    both = rates(scene.trace, layout)
    most = [max(float(one.max(initial=0.0)), 1e-12) for one in both]
    share = min(max(most[0] / (most[0] + most[1]), 0.3), 0.8)
    middle = round(top + share * height) + 0.5
    unit = min(share * height / most[0], (1 - share) * height / most[1]) - 1e-9
    painter.setPen(QPen(QColor(theme.border), 1))
    painter.drawLine(QPointF(GUTTER, middle), QPointF(GUTTER + layout.plot_width, middle))
    x = GUTTER + np.arange(len(both[0]) + 1, dtype=np.float64)
    painter.setPen(Qt.PenStyle.NoPen)
    for one, colour, sign in zip(both, (theme.accent, theme.warning), (-1, 1), strict=True):
        # Steps: each pixel keeps its value from edge to edge.
        outline_x = np.repeat(x, 2)[1:-1]
        outline_y = np.repeat(middle + sign * one * unit, 2)
        points = [QPointF(a, b) for a, b in zip(outline_x.tolist(), outline_y.tolist(), strict=True)]
        painter.setBrush(QColor(colour))
        painter.drawPolygon(QPolygonF([QPointF(x[0], middle), *points, QPointF(x[-1], middle)]))


# ---------------------------------------------------------------------- positions
def _axis(painter: QPainter, layout: StripLayout, theme: Theme) -> None:
    face = font(8.0)
    metrics = QFontMetricsF(face)
    painter.setFont(face)
    painter.setPen(QColor(theme.muted))
    painter.drawText(QRectF(0, layout.axis, GUTTER - 8, AXIS), RIGHT, "position")
    for tick in layout.ticks():
        word = f"{tick:,}"
        half = metrics.horizontalAdvance(word) / 2 + 1
        x = min(max(layout.x(tick), GUTTER + half), layout.width - half - 1)
        painter.drawText(QRectF(x - half, layout.axis, 2 * half, AXIS), CENTRE, word)


def _moment(painter: QPainter, layout: StripLayout, position: int, theme: Theme) -> None:
    """The line at the moment shown, and its mark in the overview."""
    top, height = layout.overview
    if height:
        painter.fillRect(QRectF(layout.overview_x(position) - 0.7, top, 1.4, height), QColor(theme.accent))
    x = layout.x(position)
    if GUTTER - 1 <= x <= GUTTER + layout.plot_width + 1:
        painter.setPen(QPen(QColor(theme.text), 1.4))
        painter.drawLine(QPointF(x, layout.ribbon[0] - 3), QPointF(x, layout.axis))


def _overview(painter: QPainter, layout: StripLayout, scene: Scene, theme: Theme) -> None:
    top, height = layout.overview
    painter.fillRect(QRectF(GUTTER, top + 3, layout.plot_width, height - 6), QColor(theme.track))
    first, last = layout.seen
    x0, x1 = layout.overview_x(first), layout.overview_x(last)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.muted))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.drawRoundedRect(QRectF(x0, top + 1, max(6.0, x1 - x0), height - 2), 3, 3)
    if scene.move is not None:
        for position in scene.move.at[:: max(1, len(scene.move.at) // 200)].tolist():
            painter.fillRect(QRectF(layout.overview_x(position), top, 1.5, height), QColor(theme.text))
