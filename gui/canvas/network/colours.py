"""Colours of a network's picture: when a connection is used, which layer a neuron is in, what fast memory holds.

The colours of time run from blue over magenta to orange in equal steps of OKLab (Ottosson, 2020), lightness rising all
the way, so that they keep their order for every kind of colour vision, and none fades into the ground of its theme.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from gui.canvas.graph.palette import packed
from gui.look.theme import Theme, from_oklab, linear, mix, oklab

STEPS = 256
"""Colours from the first use to the last."""
LINEAR_LEVELS = 2047
"""Levels of linear light per channel, so that the sums of two million connections fit into 32 bits."""
_SAMPLES = 25
_BLUE, _ORANGE = 265.0, 425.0
_CHROMA = 0.16


@dataclass(frozen=True, eq=False)
class Ink:
    """Everything a picture of a network is drawn with in one theme. Colours are ``#rrggbb``."""

    theme: Theme
    time: tuple[str, ...]
    """The :data:`STEPS` colours of time."""
    light: np.ndarray
    """The same in linear light: uint32[STEPS, 3], 0 to :data:`LINEAR_LEVELS`."""
    straight: np.ndarray
    """The same as straight 0xAARRGGBB: uint32[STEPS]."""
    ground: str
    """Behind the connections."""
    future: str
    """Connections not used yet."""
    clean: str
    """A value in fast memory that is also in slow memory."""
    dirty: str
    """A value in fast memory that slow memory does not have."""
    idle: str
    """A neuron whose value is not in fast memory."""

    def at(self, position: int, connections: int) -> str:
        """The colour of the connection at ``position`` of so many."""
        return self.time[step_of(position, connections)]


def step_of(position: int, connections: int) -> int:
    """The step of the colours of time at ``position``, 0 to :data:`STEPS` - 1."""
    return position * (STEPS - 1) // max(1, connections - 1)


def time_colours(theme: Theme) -> tuple[str, ...]:
    """:data:`STEPS` colours from the first use to the last, equally far apart in OKLab."""
    low, high = (0.52, 0.83) if theme.dark else (0.36, 0.76)
    path = []
    for i in range(_SAMPLES):
        t = i / (_SAMPLES - 1)
        lightness, hue = low + (high - low) * t, math.radians(_BLUE + (_ORANGE - _BLUE) * t)
        path.append(_inside(lightness, math.cos(hue), math.sin(hue)))
    labs = np.array([oklab(colour) for colour in path])
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(labs, axis=0), axis=1))])
    wanted = np.linspace(0.0, along[-1], STEPS)
    columns = [np.interp(wanted, along, labs[:, c]) for c in range(3)]
    return tuple(from_oklab((float(l), float(a), float(b))) for l, a, b in zip(*columns, strict=True))


def _inside(lightness: float, a: float, b: float) -> str:
    """The most colourful ``#rrggbb`` of this lightness and hue, up to the chroma of the scale."""
    chroma = _CHROMA
    while chroma > 0.02:
        colour = from_oklab((lightness, a * chroma, b * chroma))
        back = oklab(colour)
        if (
            abs(back[0] - lightness) < 0.004
            and math.hypot(back[1] - a * chroma, back[2] - b * chroma) < 0.006
        ):
            return colour
        chroma -= 0.001
    return from_oklab((lightness, a * chroma, b * chroma))


@lru_cache(maxsize=4)
def ink_of(theme: Theme) -> Ink:
    """The colours of a theme."""
    time = time_colours(theme)
    light = np.array([[round(level * LINEAR_LEVELS) for level in linear(c)] for c in time], np.uint32)
    straight = np.array([packed(c) for c in time], np.uint32)
    for array in (light, straight):
        array.setflags(write=False)
    return Ink(
        theme, time, light, straight,
        ground=mix(theme.canvas, theme.panel, 0.6),
        future=mix(theme.canvas, theme.edge, 0.62 if theme.dark else 0.72),
        clean="#2e9e73" if not theme.dark else "#4cc093",
        dirty="#b8860b" if not theme.dark else "#f0c808",
        idle=mix(theme.canvas, theme.edge, 0.45),
    )  # fmt: skip


LAYER_HUES = (255.0, 335.0, 205.0, 295.0, 25.0, 230.0, 0.0)
"""Degrees in OKLab, away from the green and yellow of fast memory."""


@lru_cache(maxsize=512)
def layer_colour(layer: int, theme: Theme) -> str:
    """The colour of a layer: neighbours differ in hue, and by turns in lightness."""
    hue = math.radians(LAYER_HUES[layer % len(LAYER_HUES)])
    lightness = (0.66 if theme.dark else 0.52) + (0.10 if layer % 2 else 0.0)
    return from_oklab((lightness, 0.085 * math.cos(hue), 0.085 * math.sin(hue)))
