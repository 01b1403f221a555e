"""The colours of heat maps: ramps whose lightness goes one way, so that they are read without hue, apart from those of stages.

Amounts go from the ground's own grey over orange to what stands out most on it; ratios go from blue over a neutral grey to orange, the
two sides of one lightness and one chroma (OKLab) at equal distances from the middle.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from gui.canvas.graph.heat.heat import STEPS, Heat
from gui.canvas.graph.palette import CanvasPalette, packed
from gui.look.theme import Theme, ink_on, mix

_AMOUNTS = {
    False: ("#e3e7ec", "#f3d79a", "#ee8d3c", "#bf3472", "#4a1773"),
    True: ("#2a303c", "#6d3a76", "#bb4470", "#f08a3c", "#fff3d6"),
}
_BOTH_WAYS = {
    False: ("#0c5891", "#5ea1df", "#dfdfdf", "#d28752", "#844000"),
    True: ("#83c4ff", "#3b7fbb", "#444444", "#ae662f", "#f5ab77"),
}
"""Corners of the ramps by whether the theme is dark, at equal distances."""


class Ramp(NamedTuple):
    """Colours by step, the last for none: ``fills`` of cards (uint32[STEPS + 1]), the same ``colours`` as ``#rrggbb``, and the ``inks`` of
    words on them."""

    fills: np.ndarray
    colours: tuple[str, ...]
    inks: tuple[str, ...]


@lru_cache(maxsize=8)
def ramp(theme: Theme, both_ways: bool) -> Ramp:
    """The ramp of a theme."""
    corners = (_BOTH_WAYS if both_ways else _AMOUNTS)[theme.dark]
    colours = []
    for step in range(STEPS):
        at = step / (STEPS - 1) * (len(corners) - 1)
        corner = min(int(at), len(corners) - 2)
        colours.append(mix(corners[corner], corners[corner + 1], at - corner))
    none = mix(theme.canvas, theme.border, 0.45)
    colours.append(none)
    return Ramp(
        np.array([packed(colour) for colour in colours], np.uint32),
        tuple(colours),
        tuple(ink_on(colour, theme) for colour in colours),
    )


def heat_fills(heat: Heat, palette: CanvasPalette) -> np.ndarray:
    """The fill of cards (uint32[count]): one colour for one value, with words on it or without."""
    found: np.ndarray = ramp(palette.theme, heat.both_ways).fills[heat.step]
    return found


def heat_ink(heat: Heat, palette: CanvasPalette, item: int) -> str:
    """The colour of words on a card."""
    return ramp(palette.theme, heat.both_ways).inks[heat.step[item]]
