"""Lanes of a picture: those of devices without ops are one band below the others, which says how many they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gui.canvas.graph.items import Items
from gui.canvas.graph.scene import STYLE, Scene, arrange, laid_out, skeleton_of
from gui.layout import LayoutStyle
from gui.layout.result import Lane
from planner.model.graph import Ints
from planner.problem.evaluator import Evaluator
from planner.problem.target import Device

FOLDED = 2
"""So many devices without ops at least are one band: one of them takes no more room by itself."""


def folds(device_of: Ints, k: int) -> bool:
    """Whether so many of ``k`` devices have none of the ops (``device_of`` int32[n]) that they are folded."""
    return k - len(np.unique(device_of)) >= FOLDED


def folded_lanes(
    items: Items, device_of: Ints, k: int, room: tuple[float, float], devices: Sequence[Device], evaluator: Evaluator,
    style: LayoutStyle = STYLE,
) -> Scene:  # fmt: skip
    """The settled scene of the lanes view with a lane for each device that has ops, and a band for all others (``rest`` of its layout);
    the lanes of these have no height."""
    used = np.unique(device_of)
    place = np.full(k, -1, np.int32)
    place[used] = np.arange(len(used), dtype=np.int32)
    skeleton = skeleton_of(items)
    layout = arrange(items, skeleton, "lanes", place[device_of], len(used) + 1, room, style=style)
    *lanes, rest = layout.lanes
    left, top, width, _ = rest.band
    none = Lane((left, top, width, 0.0), (left, top, 0.0, 0.0))
    every = tuple(none if at < 0 else lanes[at] for at in place.tolist())
    layout = replace(layout, lanes=every, rest=rest)
    return laid_out(items, skeleton, layout, "lanes", device_of, k, devices, evaluator)
