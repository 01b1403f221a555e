"""The memory of one chip while it runs: parameters and the activations held, op by op, against its SRAM."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from gui.look.numbers import byte_column, plural
from gui.look.theme import DeviceColour, Theme, mix
from gui.look.writing import CENTRE, LEFT, RIGHT, elided, face, write
from gui.panels.mcm.state import mcm_evaluator
from planner.model.graph import Bools, Floats, Ints
from planner.problem.problem import Problem

HEAD, FOOT, AXIS, MARGIN = 20.0, 6.0, 68.0, 10.0
"""Pixels above, below, left and right of the plot."""
LINE = 14.0
"""Height of a second line of the heading, in charts narrower than WIDE."""
WIDE = 480.0


@dataclass(frozen=True, eq=False)
class ChipMemory:
    """The schedule of one chip: ``ops`` int32[s] in running order, ``live`` float64[s] bytes of activations meanwhile.

    ``parameters`` are bytes held all the time; ``sram`` is what the chip has; ``limited``: whether a rule keeps to that.
    """

    title: str
    ops: Ints
    names: tuple[str, ...]
    live: Floats
    parameters: float
    sram: float
    limited: bool

    @property
    def peak(self) -> int:
        """The first step that holds most, -1 without any."""
        return int(np.argmax(self.live)) if len(self.live) else -1

    @property
    def most(self) -> float:
        """The most bytes held at once."""
        return self.parameters + float(self.live.max(initial=0.0))


def chip_memory(problem: Problem, device_of: Ints, chip: int) -> ChipMemory:
    """The schedule of a chip under a plan for a multi-chip module."""
    evaluator = mcm_evaluator(problem)
    schedule = evaluator.memory_schedule(device_of, chip)
    names = tuple(problem.graph.op_names[v] for v in schedule.ops.tolist())
    target = evaluator.target
    return ChipMemory(
        problem.devices[chip].title, schedule.ops, names, schedule.live, schedule.parameters, target.sram,
        target.check_memory,
    )  # fmt: skip


def plot_of(rect: QRectF) -> QRectF:
    """Where the steps are drawn in a chart that fills ``rect``."""
    return rect.adjusted(AXIS, HEAD + (LINE if rect.width() < WIDE else 0.0), -MARGIN, -FOOT)


def paint_chip_memory(
    painter: QPainter, rect: QRectF, memory: ChipMemory, colour: DeviceColour, theme: Theme, marked: Bools, most: float = 0.0
) -> None:  # fmt: skip
    """The chart in ``rect``: parameters below, activations on top, what exceeds the SRAM in a warning colour. ``most``: bytes that have room
    at least, so that charts can be compared."""
    plot = plot_of(rect)
    limit = memory.sram if math.isfinite(memory.sram) else 0.0
    top = 1.12 * max(memory.most, limit, most) or 1.0
    column = byte_column([top])
    _heading(painter, rect, memory, column.text(memory.most), theme)

    def y_of(value: float) -> float:
        return plot.bottom() - plot.height() * min(value / top, 1.0)

    painter.fillRect(plot, QColor(theme.track) if len(memory.ops) == 0 else QColor(theme.window))
    painter.setFont(face(7.5))
    if not len(memory.ops):
        painter.setPen(QColor(theme.muted))
        painter.drawText(plot, CENTRE, "nothing runs on this chip")
        return
    wide = plot.width() / len(memory.ops)
    floor = y_of(memory.parameters)
    painter.fillRect(QRectF(plot.left(), floor, plot.width(), plot.bottom() - floor), QColor(colour.accent))
    edge = y_of(limit) if limit else plot.top()
    strong = theme.bad if memory.limited else theme.warning
    pale = QColor(mix(theme.panel, strong, 0.6))
    for step, live in enumerate(memory.live.tolist()):
        x, y = plot.left() + step * wide, y_of(memory.parameters + live)
        gap = 1.0 if wide >= 5 else 0.0
        painter.fillRect(QRectF(x, y, wide - gap, floor - y), QColor(colour.soft))
        if limit and memory.parameters + live > limit * (1 + 1e-9):
            painter.fillRect(QRectF(x, y, wide - gap, edge - y), pale)
        if marked[step]:
            painter.fillRect(QRectF(x, y - 3, max(wide - gap, 1.5), 3), QColor(theme.text))
    if limit and floor < edge:
        painter.fillRect(QRectF(plot.left(), floor, plot.width(), edge - floor), QColor(strong))
    if limit:
        painter.setPen(QPen(QColor(theme.text), 1.2, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(plot.left(), edge), QPointF(plot.right(), edge))
    painter.setFont(face(7.5))
    ticks = [(y_of(limit), column.text(limit), theme.text)] if limit else []
    ticks += [(floor, column.text(memory.parameters), theme.muted)] if memory.parameters else []
    placed: list[float] = []
    for y, words, ink in ticks:
        if all(abs(y - other) >= 12 for other in placed):
            placed.append(y)
            painter.setPen(QColor(ink))
            painter.drawText(QRectF(rect.left(), y - 8, AXIS - 5, 16), RIGHT, words)


def _heading(painter: QPainter, rect: QRectF, memory: ChipMemory, most: str, theme: Theme) -> None:
    """The most that is held, and during which op: behind it, or below where there is no room."""
    line = QRectF(rect.left() + MARGIN, rect.top() + 2, rect.width() - 2 * MARGIN, HEAD - 4)
    head, more = f"{memory.title}: {plural(len(memory.ops), 'op')} in running order", ""
    if memory.peak >= 0:
        head, more = f"{memory.title}: {most} at most", memory.names[memory.peak]
    wide = write(painter, line, LEFT, head, face(8.0, True), theme.text)
    if rect.width() < WIDE:
        line.translate(0.0, LINE)
    else:
        line.setLeft(line.left() + wide)
    letters = face(8.0)
    lead = "while " if rect.width() < WIDE else ", while "
    room = line.width() - QFontMetricsF(letters).horizontalAdvance(f"{lead} runs")
    if more and room > 0:
        shown = elided(more, letters, room, Qt.TextElideMode.ElideLeft)
        write(painter, line, LEFT, f"{lead}{shown} runs", letters, theme.muted)
