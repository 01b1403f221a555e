"""What the headers of all lanes of a picture have in common: neighbours say the same of their devices, or none of them does."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gui.canvas.graph.lanes.links import LEAST_LANE, PLATE_HEIGHT
from gui.look.glyphs import GLYPH_SIZE
from planner.model.graph import Bools

LEAST_TITLED = 9
"""Logical pixels: how high the lowest lane is that is written on."""
LEAST_FILLED = 0.85
"""The height of a lane, in sizes of its letters, that capitals and figures fill without leaving it."""
LEAST_TITLE = 44
"""Logical pixels that a title has beside a cost; less, and the cost goes."""
LARGEST = 12
"""Logical pixels that letters of a title are high at most."""
ROWS_FROM = (30.0, 48.0, 64.0, 80.0)
"""Logical pixels between plates from which a header has a bar, a line of words, two, and what passes by."""

DETAILED = ((80.0, 0.5), (64.0, 0.5), (50.0, 0.5), (31.0, 0.75))
"""Logical pixels that all lanes are high at least, where that takes no more than such a share of the room: the lowest decides what
headers say, and is not to take their bars from all others."""

Extents = list[tuple[float, float]]
"""Top and bottom of each lane in device pixels."""


@dataclass(frozen=True)
class HeaderForm:
    """Letters of ``size`` device pixels (0: too low for any), ``rows`` that each device with ops has (1: its title, 2: a bar, more: words), and
    whether costs stand beside titles."""

    size: int
    rows: int
    costs: bool = True


def height_for_details(lanes: int, room: float) -> float:
    """How high (logical pixels) each of so many lanes is at least in a ``room`` so high, for headers that say more than a title; else 0."""
    return next((high for high, share in DETAILED if high * lanes <= share * room), 0.0)


def free_of(extents: Extents, lane: int, plated: bool, ratio: float) -> tuple[float, float]:
    """Top and bottom of what plates leave of a lane: they stand on the borders, half in each lane."""
    top, bottom = extents[lane]
    if plated and bottom - top >= LEAST_LANE * ratio:
        room = PLATE_HEIGHT * ratio / 2
        return top + (room if lane else 0.0), bottom - (room if lane + 1 < len(extents) else 0.0)
    return top, bottom


def form_of(extents: Extents, used: Bools, plated: bool, ratio: float, least: float) -> HeaderForm:
    """The form that has room in the lowest lane. ``used`` bool[k]: devices with ops, which alone have more than a title; ``plated``: whether
    plates of links stand between lanes; letters are no smaller than ``least`` logical pixels."""
    frees = {}
    for lane, (top, bottom) in enumerate(extents):
        if bottom > top:
            low, high = free_of(extents, lane, plated, ratio)
            frees[lane] = (high - low) / ratio
    lowest = min((extents[lane][1] - extents[lane][0] for lane in frees), default=0.0) / ratio
    room = min(frees.values(), default=0.0)
    size = int(min(float(LARGEST), room - 1) * ratio)
    if size < least * ratio and room >= LEAST_FILLED * least:
        size = int(np.ceil(least * ratio))  # it fills the lane
    if size < least * ratio or (lowest < LEAST_TITLED and not least):
        size = 0
    detailed = min((free for lane, free in frees.items() if used[lane]), default=room)
    return HeaderForm(size, 1 + sum(detailed >= needed for needed in ROWS_FROM) if size else 1)


def has_costs(widest: float, width: float, ratio: float) -> bool:
    """Whether costs, the ``widest`` of which takes so many device pixels, have room beside titles in headers ``width`` wide inside."""
    return width - widest >= LEAST_TITLE * ratio


def mark_size(form: HeaderForm, ratio: float) -> float:
    """How large the mark of a device is beside its title, in device pixels."""
    return min(GLYPH_SIZE * ratio, 0.8 * form.size)
