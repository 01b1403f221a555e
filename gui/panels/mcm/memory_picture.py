"""The memory of the chips of a package as a picture file: a chart of what each holds, op by op, all on one scale."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from gui.look.drawn import Drawing, fill_ground
from gui.look.numbers import plural
from gui.look.page import SHEET, Page
from gui.look.theme import device_colours
from gui.look.writing import LEFT, face, write
from gui.panels.mcm.legend import LEGEND, paint_memory_legend
from gui.panels.mcm.memory_painter import AXIS, ChipMemory, chip_memory, paint_chip_memory
from gui.panels.mcm.memory_painter import MARGIN as CHART_MARGIN
from gui.panels.mcm.picture import CHART, CHART_AXIS, MARGIN, package_heading, scale_of, write_order
from gui.panels.mcm.state import package_of
from planner.model.graph import Ints
from planner.problem.bound import Bound
from planner.problem.problem import Problem

NARROWEST, LOWEST, HIGHEST, APART = 290.0, 84.0, 300.0, 12.0
"""Units that a chart is wide and high at least and high at most, and between two."""


def draw_memories(
    problem: Problem, device_of: Ints, page: Page = SHEET, title: str = "", bounds: Sequence[Bound] = ()
) -> Drawing:
    """A chart for each chip with ops, in the order of the chain. Where a page has no room for all, those that hold most are drawn, and it
    says how many are not."""
    evaluation, head = problem.evaluate(device_of), title or problem.graph.name
    package, scale, theme = package_of(problem, device_of, evaluation), scale_of(page), page.theme
    memories = {
        chip: chip_memory(problem, device_of, chip) for chip in np.flatnonzero(evaluation.ops).tolist()
    }
    wide = page.pixels[0] / scale - 2 * MARGIN
    heading = package_heading(problem, package, evaluation, head, bounds, wide)
    columns = max(1, min(len(memories), math.floor((wide + APART) / (NARROWEST + APART))))
    rows = max(1, math.ceil(len(memories) / columns))
    around = heading.height + LEGEND + 16.0
    page = page.as_high_as((around + rows * (CHART + CHART_AXIS + APART)) * scale / page.scale)
    room = page.pixels[1] / scale - around
    if len(memories) > columns * math.floor(room / (LOWEST + APART)):
        room -= LEGEND  # for the line that counts those that are left out
    shown = _fullest(memories, columns * max(1, math.floor(room / (LOWEST + APART))))
    high = min(HIGHEST, room / max(1, math.ceil(len(shown) / columns)) - APART)

    def paint(painter: QPainter, _: bool) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        fill_ground(painter, page, theme.panel)
        painter.scale(scale, scale)
        heading.paint(painter, MARGIN, wide, theme)
        colours, across = device_colours(len(package.chips), theme), (wide + APART) / columns
        most = max((memory.most for memory in memories.values()), default=0.0)
        for place, chip in enumerate(shown):
            row, column = divmod(place, columns)
            box = QRectF(
                MARGIN + column * across,
                heading.height + row * (high + APART),
                across - APART,
                high - CHART_AXIS,
            )
            memory = memories[chip]
            unmarked = np.zeros(len(memory.ops), bool)
            paint_chip_memory(painter, box, memory, colours[chip], theme, unmarked, most)
            below = QRectF(box.left() + AXIS, box.bottom(), box.width() - AXIS - CHART_MARGIN, CHART_AXIS)
            write_order(painter, below, len(memory.ops), theme)
        low = heading.height + math.ceil(len(shown) / columns) * (high + APART)
        line = QRectF(MARGIN, low, wide, LEGEND)
        paint_memory_legend(painter, line, package, theme)
        if left := len(memories) - len(shown):
            said = f"and {plural(left, 'chip')} that hold{'s' if left == 1 else ''} less"
            write(painter, line.translated(0.0, LEGEND), LEFT, said, face(7.5), theme.muted)

    return Drawing(page, head, paint)


def _fullest(memories: dict[int, ChipMemory], most: int) -> list[int]:
    """The chips that hold most, so many at most, in the order of the chain."""
    return sorted(sorted(memories, key=lambda chip: (-memories[chip].most, chip))[:most])
