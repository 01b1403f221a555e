"""A keyframe that compares plans, prepared for painting: parts of the stage, each of which paints itself as shapes and text."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter

from gui.canvas.graph.painter import wrap_image
from gui.look.theme import Theme
from gui.present.captions import LEAST
from gui.present.comparison.legend import devices_legend
from planner.reports.comparison import Comparison

LETTERS = 1.4
"""What is painted as in a window is so much larger on a stage: it is read from afar."""


def least_name(graphs: float) -> float:
    """Pixels, as the painters of windows know them, that names of ops on a stage are high at least where graphs are ``graphs`` times as large as
    usual; cards that have no room for such are blocks."""
    return math.ceil(LEAST / (LETTERS * graphs))


@dataclass(frozen=True, eq=False)
class Part:
    """A rectangle of the stage (logical pixels from its corner) and what paints it, clipped to it, in its own pixels."""

    rect: QRectF
    paint: Callable[[QPainter], None]


class ComparisonShot(ABC):
    """A keyframe of plans of one comparison, plan A being the first, in ``room`` (width, height in logical pixels)."""

    def __init__(
        self, comparison: Comparison, room: tuple[float, float], letters: float, theme: Theme
    ) -> None:
        self.comparison, self.room, self.theme = comparison, room, theme
        self.grow = LETTERS * letters
        """Logical pixels of the frame for each that the painters of windows know."""
        self.names_grown = math.inf
        """How many times as large as usual names of ops are, where these have not all the letters that are asked for."""
        self.legend = devices_legend(comparison, self.size[0])

    @abstractmethod
    def parts(self) -> list[Part]:
        """All that is painted while the keyframe is held."""

    @abstractmethod
    def words(self) -> str:
        """What the picture is, for those who do not see it."""

    def part(self, rect: QRectF, paint: Callable[[QPainter, QRectF], None]) -> Part:
        """A part at ``rect``, which is in the painters' own pixels; ``paint`` gets its size as a rectangle from (0, 0)."""
        grow = self.grow
        inside = QRectF(0, 0, rect.width(), rect.height())

        def draw(painter: QPainter) -> None:
            painter.scale(grow, grow)
            paint(painter, inside)

        return Part(
            QRectF(rect.left() * grow, rect.top() * grow, rect.width() * grow, rect.height() * grow), draw
        )

    def devices(self, top: float) -> Part:
        """Which colour is which device, across the room below ``top``."""
        box, numbers = QRectF(0, top, self.size[0], self.legend.height), self.comparison.numbers
        return self.part(box, lambda painter, inside: self.legend.paint(painter, inside, numbers, self.theme))

    @property
    def size(self) -> tuple[float, float]:
        """The room in the painters' own pixels."""
        return self.room[0] / self.grow, self.room[1] / self.grow

    def paint(self, painter: QPainter) -> None:
        """All parts, in logical pixels from the stage's corner."""
        painter.fillRect(QRectF(0, 0, *self.room), QColor(self.theme.panel))
        paint_parts(painter, self.parts())

    def paint_pixels(self, buffer: np.ndarray, ratio: float) -> None:
        """The same into pixels (uint32[height, width]), ``ratio`` of them for each logical one."""
        image = wrap_image(buffer)  # the painter does not keep it
        painter = QPainter(image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.scale(ratio, ratio)
        self.paint(painter)
        painter.end()


def paint_parts(painter: QPainter, parts: Sequence[Part]) -> None:
    """Each part where it belongs."""
    for part in parts:
        painter.save()
        painter.setClipRect(part.rect)
        painter.translate(part.rect.topLeft())
        part.paint(painter)
        painter.restore()
