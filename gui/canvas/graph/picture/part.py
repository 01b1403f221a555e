"""A part of a graph as it is laid out in a window, for a picture: no card in it is cut."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gui.canvas.graph.scene import STYLE, Scene
from gui.canvas.graph.viewport import Rect, Viewport

LEAST_LEFT = 0.5
"""Cards that are cut go where the others take at least this share of the width and of the height."""


@dataclass(frozen=True, eq=False)
class Part:
    """The scene of a window, and what is seen of it, in scene units."""

    scene: Scene
    region: Rect


def uncut(scene: Scene, viewport: Viewport) -> Rect | None:
    """What is in sight and cuts no card (scene units): cards that are wholly in sight, in rows that are as high as that, and half of
    the gaps around them.

    None where no card is cut, or where little would be left.
    """
    x, y, wide, high = viewport.visible()
    across = (scene.x < x + wide) & (scene.x + scene.w > x)
    inside = across & (scene.x >= x) & (scene.x + scene.w <= x + wide)
    down = (scene.y >= y) & (scene.y + scene.h <= y + high)
    if not (scene.in_sight((x, y, wide, high)) & ~(inside & down)).any():
        return None
    row = scene.layout.row
    whole = inside & down & ~np.isin(row, row[across & ~down])
    if not whole.any():
        return None
    around_x, around_y = STYLE.gap_x / 2, STYLE.gap_y / 2
    left, top = float(scene.x[whole].min()) - around_x, float(scene.y[whole].min()) - around_y
    right = float((scene.x + scene.w)[whole].max()) + around_x
    bottom = float((scene.y + scene.h)[whole].max()) + around_y
    if right - left < LEAST_LEFT * wide or bottom - top < LEAST_LEFT * high:
        return None
    return left, top, right - left, bottom - top
