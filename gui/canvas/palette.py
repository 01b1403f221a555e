"""The canvas's colours as packed integers, ready for the raster kernels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from gui.theme import DeviceColour, Theme, device_colours, mix

Packed = np.ndarray


def packed(colour: str, alpha: float = 1.0) -> int:
    """``#rrggbb`` with an opacity (0..1) as straight (not premultiplied) 0xAARRGGBB."""
    return round(alpha * 255.0) << 24 | int(colour[1:], 16)


@dataclass(frozen=True, eq=False)
class CanvasPalette:
    """Colours of one theme and device count. Arrays are uint32[k], indexed by device."""

    theme: Theme
    devices: tuple[DeviceColour, ...]
    accent: Packed
    body: Packed
    block: Packed
    band: Packed
    line: Packed

    @property
    def dark(self) -> bool:
        """Whether the theme is dark."""
        return self.theme.dark


@lru_cache(maxsize=8)
def canvas_palette(theme: Theme, k: int) -> CanvasPalette:
    """The palette for ``k`` devices: ``body`` of a near card, ``block`` of a card seen from afar, ``line`` of a link."""
    devices = tuple(device_colours(max(k, 1), theme))

    def column(colour_of: object) -> Packed:
        return np.array([colour_of(d) for d in devices], np.uint32)  # type: ignore[operator]

    return CanvasPalette(
        theme=theme,
        devices=devices,
        accent=column(lambda d: packed(d.accent)),
        body=column(lambda d: packed(theme.card)),
        block=column(lambda d: packed(mix(theme.canvas, d.accent, 0.82 if theme.dark else 0.78))),
        band=column(lambda d: packed(d.band)),
        line=column(lambda d: packed(d.accent, 0.85)),
    )
