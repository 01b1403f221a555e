"""The colours of heat maps: ramps whose lightness goes one way, so that they are read without hue, apart from those of stages.

Amounts go from the ground's own grey over orange to what stands out most on it; ratios go from blue over grey to orange.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from gui.canvas.graph.heat.heat import STEPS, Heat
from gui.canvas.graph.palette import CanvasPalette, packed
from gui.look.theme import READABLE, Theme, contrast, mix

_AMOUNTS = {
    False: ("#e3e7ec", "#f3d79a", "#ee8d3c", "#bf3472", "#4a1773"),
    True: ("#2a303c", "#6d3a76", "#bb4470", "#f08a3c", "#fff3d6"),
}
_BOTH_WAYS = {
    False: ("#0b4f8a", "#5b9bd0", "#d9dde3", "#e58e3a", "#8f3a00"),
    True: ("#7cc4ff", "#3f78b5", "#3c4350", "#b9692a", "#ffb765"),
}
"""Corners of the ramps by whether the theme is dark, at equal distances."""
_MOST_BODY = 0.62
"""How much of a ramp's colour a card with words has at most."""


class Ramp(NamedTuple):
    """Colours by step: ``blocks`` of cards without words, ``bodies`` of cards with words (uint32[STEPS + 1] each; the last for none), and
    ``colours`` of the blocks as ``#rrggbb``."""

    blocks: np.ndarray
    bodies: np.ndarray
    colours: tuple[str, ...]


@lru_cache(maxsize=8)
def ramp(theme: Theme, both_ways: bool) -> Ramp:
    """The ramp of a theme; cards with words have as much of every colour as the least that words on one of them leave."""
    corners = (_BOTH_WAYS if both_ways else _AMOUNTS)[theme.dark]
    colours = []
    for step in range(STEPS):
        at = step / (STEPS - 1) * (len(corners) - 1)
        corner = min(int(at), len(corners) - 2)
        colours.append(mix(corners[corner], corners[corner + 1], at - corner))
    none = mix(theme.canvas, theme.border, 0.45)
    share = _MOST_BODY
    while share > 0.05 and any(contrast(theme.text, mix(theme.card, c, share)) < READABLE for c in colours):
        share -= 0.03
    bodies = [*(mix(theme.card, colour, share) for colour in colours), theme.card_disabled]
    return Ramp(
        np.array([packed(colour) for colour in (*colours, none)], np.uint32),
        np.array([packed(colour) for colour in bodies], np.uint32), (*colours, none),
    )  # fmt: skip


def heat_blocks(heat: Heat, palette: CanvasPalette) -> np.ndarray:
    """The fill of cards without words (uint32[count])."""
    found: np.ndarray = ramp(palette.theme, heat.both_ways).blocks[heat.step]
    return found


def heat_bodies(heat: Heat, palette: CanvasPalette) -> np.ndarray:
    """The fill of cards with words (uint32[count])."""
    found: np.ndarray = ramp(palette.theme, heat.both_ways).bodies[heat.step]
    return found
