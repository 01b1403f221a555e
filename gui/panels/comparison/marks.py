"""Marks of ops that are elsewhere in another plan: a hollow ring, and near to, the hollow shape of the other device."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QTransform

from gui.canvas.graph.detail import Detail
from gui.canvas.graph.items import Items
from gui.canvas.graph.palette import CanvasPalette, packed
from gui.canvas.graph.scene import STYLE, Scene
from gui.canvas.graph.viewport import Viewport
from gui.look.fonts import font, metrics
from gui.look.glyphs import glyph_path
from gui.panels.comparison.names import short_title
from gui.raster import engine as raster
from planner.model.graph import Bools, Ints
from planner.reports.comparison import Comparison

MOST_BADGES = 400
"""With more moved cards in sight the rings alone mark them: so many are small."""
AWAY, CLOSE = 2.6, 1.2
"""Logical pixels between a card and the ring around it, and of a block from afar."""
RING, THICKEST = 0.08, 1.5
"""How thick a ring is: of the height of its card, and at most, in logical pixels."""


@dataclass(frozen=True, eq=False)
class Marks:
    """What is marked: ``moved`` bool[count], the row of each card in the other plan (``elsewhere`` int32[count]), and what
    each row is called."""

    moved: Bools
    elsewhere: Ints
    names: tuple[str, ...]


def marks_of(comparison: Comparison, items: Items, plan: int, shown: tuple[int, int]) -> Marks:
    """How plan ``plan`` is marked while plan ``shown[0]`` is compared with ``shown[1]``."""
    i, j = shown
    other = i if plan == j else j
    moved = np.zeros(items.count, bool)
    moved[items.item_of[comparison.moved(plan, other)]] = True
    elsewhere, _ = items.devices(comparison.places[other], len(comparison.rows))
    names = tuple(short_title(comparison, row) for row in range(len(comparison.rows)))
    return Marks(moved, elsewhere, names)


def ring_width(card_px: float, least: float = 0.0) -> float:
    """How thick the ring of a card is that is ``card_px`` high, in the same pixels: ``least`` where that is less."""
    return max(least, min(THICKEST, RING * card_px))


def paint_rings(
    buffer: np.ndarray,
    scene: Scene,
    viewport: Viewport,
    palette: CanvasPalette,
    marks: Marks,
    detail: Detail,
    ratio: float,
) -> None:
    """A ring around every moved card, in the colour of text: seen without any hue. None where cards are dots."""
    items = np.flatnonzero(marks.moved)
    if len(items) == 0 or detail == Detail.OVERVIEW:
        return
    far = detail == Detail.BLOCKS
    away = (CLOSE if far else AWAY) * ratio / viewport.scale
    width = ring_width(STYLE.card_h * viewport.scale / ratio, 1.0)
    raster.rounded_rects(
        buffer, None, scene.x[items] - away, scene.y[items] - away, scene.w[items] + 2 * away,
        scene.h[items] + 2 * away, viewport.scale, viewport.ox, viewport.oy, fill=0,
        stroke=np.uint32(packed(palette.theme.text)), stroke_px=width * ratio,
        radius_px=(2.0 if far else 7.0) * ratio, min_px=4.0 * ratio,
    )  # fmt: skip


def paint_badges(
    painter: QPainter,
    scene: Scene,
    viewport: Viewport,
    palette: CanvasPalette,
    marks: Marks,
    detail: Detail,
    ratio: float,
    least: float = 0.0,
) -> None:
    """On the upper right corner of moved cards: the other plan's device, hollow, and its name where there is room, in letters of ``least``
    pixels at least."""
    inside = scene.in_sight(viewport.visible()) & marks.moved
    # A folded group may have moved in part alone: its card stays on the device that has most of it.
    items = np.flatnonzero(inside & (marks.elsewhere != scene.device))
    if len(items) == 0 or len(items) > MOST_BADGES:
        return
    theme = palette.theme
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
    size = (9.0 if detail == Detail.CARDS else 7.0) * ratio
    pixels = max(int(10 * ratio), ceil(least))
    back = QColor(theme.canvas)
    for i in items.tolist():
        row = int(marks.elsewhere[i])
        colour = palette.devices[row]
        x, y = viewport.to_pixels(float(scene.x[i] + scene.w[i]), float(scene.y[i]))
        name = marks.names[row] if detail == Detail.CARDS else ""
        room = float(scene.w[i]) * viewport.scale * 0.6
        # A name that does not fit is said shorter, ``1 in B``, or by shape and colour alone: never cut.
        words = (name, name.partition(" ")[2])
        text = next((word for word in words if metrics(pixels, False).horizontalAdvance(word) <= room), "")
        wide = (
            size + 4 * ratio + (metrics(pixels, False).horizontalAdvance(text) + 3 * ratio if text else 0.0)
        )
        tall = size + 5 * ratio
        lift = tall + 1.0 * ratio if text else tall / 2 + 1.5 * ratio  # a name would lie on the card's own
        plate = QRectF(x - wide + 5 * ratio, y - lift, wide, tall)
        painter.setPen(QPen(QColor(theme.text), ratio))
        painter.setBrush(back)
        painter.drawRoundedRect(plate, 3 * ratio, 3 * ratio)
        place = QTransform(size, 0.0, 0.0, size, plate.left() + 2 * ratio + size / 2, plate.center().y())
        painter.setPen(QPen(QColor(colour.ink), 1.3 * ratio))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(place.map(glyph_path(colour.glyph)))
        if text:
            painter.setFont(font(pixels, False))
            painter.setPen(QColor(theme.text))
            painter.drawText(
                plate.adjusted(size + 4 * ratio, 0, 0, 0), int(Qt.AlignmentFlag.AlignVCenter), text
            )
