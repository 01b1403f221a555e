"""Where the slots of fast memory are drawn: a grid that fills its room."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF

from gui.canvas.network.layout import Rect

LARGEST = 46.0
"""Height of a cell; it may be 1.6 times as wide."""
_SHAPE = 1.5
"""Cells a little wider than high hold a number best."""


@dataclass(frozen=True)
class Grid:
    """So many ``slots`` in ``columns`` of cells of a ``width`` and ``height``, from the corner of ``room`` on."""

    slots: int
    room: Rect
    columns: int
    width: float
    height: float

    @property
    def gap(self) -> float:
        """The space between cells, which is part of them."""
        least = min(self.width, self.height)
        return 2.0 if least >= 8 else 1.0 if least >= 3 else 0.0

    def corners(self) -> tuple[np.ndarray, np.ndarray]:
        """Left and top of every cell, float64[slots]."""
        index = np.arange(self.slots)
        return (
            self.room[0] + index % self.columns * self.width,
            self.room[1] + index // self.columns * self.height,
        )

    def cell(self, slot: int) -> QRectF:
        """The cell of a slot."""
        row, column = divmod(slot, self.columns)
        left, top = self.room[0] + column * self.width, self.room[1] + row * self.height
        return QRectF(left, top, self.width, self.height)

    def slot_at(self, x: float, y: float) -> int:
        """The slot at a place; -1 for none."""
        column, row = int((x - self.room[0]) // self.width), int((y - self.room[1]) // self.height)
        slot = row * self.columns + column
        return slot if 0 <= column < self.columns and row >= 0 and slot < self.slots else -1


def grid(slots: int, room: Rect) -> Grid:
    """The grid of the largest cells that ``room`` has space for."""
    wide, high = max(room[2], 4.0), max(room[3], 4.0)
    best = Grid(slots, room, 1, 0.0, 0.0)
    for columns in range(1, min(slots, int(wide)) + 1):
        rows = -(-slots // columns)
        w, h = min(wide / columns, 1.6 * LARGEST), min(high / rows, LARGEST)
        if min(w, _SHAPE * h) > min(best.width, _SHAPE * best.height):
            best = Grid(slots, room, columns, w, h)
    return best
