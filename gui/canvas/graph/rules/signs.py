"""The sign of a broken rule: a red plate with a pale bar across, told from red-like devices without any hue.

Cards carry it on their upper edge, where no name or number is; a block that is too small for names is the plate itself. Edges that break a rule have
dark sides.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gui.canvas.graph.block_colours import FADED
from gui.canvas.graph.detail import Detail
from gui.canvas.graph.palette import CanvasPalette, packed
from gui.canvas.graph.scene import Scene
from gui.canvas.graph.viewport import Viewport
from gui.raster import engine as raster
from gui.raster.engine import Image
from planner.model.graph import Floats

SIZE, OUT, IN = 10.0, 6.0, 6.0
"""Logical pixels that the sign of a card is high and wide, how far it stands out above, and what lies between it and the right side,
where pins are."""
BAR = (0.62, 0.3)
"""Width and height of the bar, as shares of the plate's."""
SIDES = 1.4
"""Logical pixels of dark beside an edge that breaks a rule."""


class Signs(NamedTuple):
    """Left, top, width and height of plates (float64[m], scene units), and of the bars across them."""

    plate: tuple[Floats, Floats, Floats, Floats]
    bar: tuple[Floats, Floats, Floats, Floats]


def signs_of(scene: Scene, viewport: Viewport, detail: Detail, ratio: float) -> Signs | None:
    """Where the signs stand; None where nothing is broken."""
    items = np.flatnonzero(scene.violating)
    if not len(items):
        return None
    x, y, w, h = scene.x[items], scene.y[items], scene.w[items], scene.h[items]
    if detail >= Detail.LABELS:
        unit = ratio / viewport.scale
        x, y = x + w - (SIZE + IN) * unit, y - OUT * unit
        w = h = np.full(len(items), SIZE * unit)
    wide, high = BAR[0] * w, BAR[1] * h
    return Signs((x, y, w, h), (x + (w - wide) / 2, y + (h - high) / 2, wide, high))


def paint_signs(
    buffer: Image, scene: Scene, viewport: Viewport, palette: CanvasPalette, detail: Detail, ratio: float
) -> None:
    """On all cards or blocks whose ops break a rule."""
    signs = signs_of(scene, viewport, detail, ratio)
    if signs is None:
        return
    theme, place = palette.theme, (viewport.scale, viewport.ox, viewport.oy)
    opacity = np.where(scene.faded, FADED, 1.0)[scene.violating]
    if detail >= Detail.LABELS:
        raster.rounded_rects(
            buffer, None, *signs.plate, *place, fill=packed(theme.bad), stroke=packed(theme.card), stroke_px=ratio,
            radius_px=SIZE / 2 * ratio, opacity=opacity,
        )  # fmt: skip
    raster.rounded_rects(
        buffer, None, *signs.bar, *place, fill=packed(theme.card), radius_px=0.0, opacity=opacity, min_px=1.0
    )
