"""Cameras for stories that nobody filmed: the part of a scene in which some ops stand, whatever the size of the screen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from planner.machines.two_level_memory.problem import OrderPlan
from planner.model.graph import Ints
from planner.problem.problem import Plan
from planner.story.keyframe import Camera

SIZES = ((1280, 800), (1920, 1080))
"""Screens that a camera is made for. Rows of a layout wrap elsewhere on another screen: a camera sees what it is for on each."""
BAND = 0.24
"""Share of the height that captions take."""
AROUND = 0.06
"""What is seen around the ops, as a share of the scene."""
LEAST = 0.3
"""A camera sees so much of the scene's width and height at least, or nobody knows where they are."""
WHOLE = 0.85
"""A camera that would see more than this share of both is of no use."""


def camera_on(
    plan: Plan | OrderPlan, view: str, ops: Ints | Sequence[int], most: float = 1.0
) -> Camera | None:
    """The camera that shows all of ``ops`` (numbers) of a plan in ``flow`` or ``lanes``, or ``most`` of the scene's width from their
    beginning; None where they fill nearly everything, for no ops, and for networks. Scenes are laid out as those of stories with panels are."""
    chosen = np.asarray(ops, np.int64)
    if isinstance(plan, OrderPlan) or not len(chosen):
        return None
    boxes = [_shares(plan, view, chosen, size) for size in SIZES]
    x0, y0 = (min(box[i] for box in boxes) - AROUND for i in (0, 1))
    x1, y1 = (max(box[i] for box in boxes) + AROUND for i in (2, 3))
    if x1 - x0 >= WHOLE and y1 - y0 >= WHOLE:
        return None
    (x, width), (y, height) = _widened(x0, min(x1, x0 + most)), _widened(y0, y1)
    return Camera(*(round(value, 3) for value in (x, y, width, height)))


def _shares(
    plan: Plan, view: str, ops: np.ndarray, size: tuple[int, int]
) -> tuple[float, float, float, float]:
    """(left, top, right, bottom) of the ops as shares of the scene, on a screen of ``size``."""
    from gui.look.theme import THEMES
    from gui.present.scenes import HEIGHT, WIDTH, Graphs, Places

    width, height = size
    unit = min(width / WIDTH, height / HEIGHT)
    places = Places(float(width), float(height), unit, BAND * height)
    scene = Graphs(places.room("costs"), unit, THEMES["light"]).stage(plan, view).scene
    left, top, wide, high = (float(side) for side in scene.layout.bounds)
    item = np.unique(scene.items.item_of[ops])
    x, y, w, h = scene.x[item], scene.y[item], scene.w[item], scene.h[item]
    return (
        float((x.min() - left) / wide),
        float((y.min() - top) / high),
        float(((x + w).max() - left) / wide),
        float(((y + h).max() - top) / high),
    )


def _widened(low: float, high: float) -> tuple[float, float]:
    """(start, length) of a range that is long enough, inside 0 to 1 where it can be."""
    length = min(1.0, max(LEAST, high - low))
    start = (low + high - length) / 2
    return min(max(start, 0.0), 1.0 - length), length
