"""The canvas's colours as packed integers, ready for the raster kernels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from gui.look.theme import READABLE, DeviceColour, Theme, contrast, device_colours, mix, numbered_colours

Packed = np.ndarray


def packed(colour: str, alpha: float = 1.0) -> int:
    """``#rrggbb`` with an opacity (0..1) as straight (not premultiplied) 0xAARRGGBB."""
    return round(alpha * 255.0) << 24 | int(colour[1:], 16)


MODEL_BLOCKS = (None, 0.24, 0.5, 0.1)
"""How much of a stage's colour fills the blocks of each model (None: all of it), four in turn. Seen without any hue."""
DARK_BLOCKS = 0.6
"""The power of these shares on dark ground: a quarter of a colour is told from a light band, not from a dark one."""
MODEL_BODIES = (0.0, 0.3, 0.16, 0.42)
"""The same for near cards."""


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
    filled: bool = False
    """Whether near cards are filled and carry the number of their device, as in pictures."""
    plain: bool = False
    """Whether all words are in the theme's text colour, whatever they stand on."""
    codes: tuple[str, ...] = ()
    """What cards carry for each device; none: its number."""

    def code(self, device: int) -> str:
        """What cards of a device carry, and the legend beside its name."""
        return self.codes[device] if self.codes else str(device)

    def blocks_of(self, device: Packed, model: Packed) -> Packed:
        """The fill of blocks by device and model (uint32): solid for the first model, paler for others."""
        return self._filled(self.block, MODEL_BLOCKS, device, model, self._block)

    def bodies_of(self, device: Packed, model: Packed) -> Packed:
        """The fill of near cards by device and model (uint32)."""
        return self._filled(self.body, MODEL_BODIES, device, model, self._body)

    def small_ink(self, model: Packed) -> str:
        """The colour of small words on near cards of these models (uint32): what is filled leaves no room for a quieter one."""
        return self.theme.text if self.filled or model.any() else self.theme.muted

    def _block(self, accent: str, share: float) -> str:
        return mix(self.theme.canvas, accent, _told(share, self.theme))

    def _body(self, accent: str, share: float) -> str:
        """Pale enough for words."""
        return pale(accent, share, self.theme)

    def _filled(
        self, first: Packed, shares: tuple[float | None, ...], device: Packed, model: Packed,
        shade: Callable[[str, float], str],
    ) -> Packed:  # fmt: skip
        """``first`` for model 0, else the model's share of each device's colour."""
        if not model.any():
            return first[device]
        shades = [
            np.array([packed(shade(d.accent, share or 0.0)) for d in self.devices], np.uint32)
            for share in shares[1:]
        ]
        return np.stack([first, *shades])[model % len(shares), device]

    @property
    def dark(self) -> bool:
        """Whether the theme is dark."""
        return self.theme.dark


def pale(accent: str, share: float, theme: Theme) -> str:
    """``share`` of a device's colour on a card, or as much of it as lets words on it be read."""
    while share > 0.0 and contrast(theme.text, mix(theme.card, accent, share)) < READABLE:
        share -= 0.02
    return mix(theme.card, accent, max(share, 0.0))


def model_shade(model: int, theme: Theme) -> str:
    """How full a model's blocks are, without any hue: the swatch of a legend."""
    share = MODEL_BLOCKS[model % len(MODEL_BLOCKS)]
    return mix(theme.panel, theme.muted, 1.0 if share is None else _told(share, theme))


def _told(share: float, theme: Theme) -> float:
    """The share of a colour that is told from the band of a device: on dark ground more, or the band would swallow it."""
    return share**DARK_BLOCKS if theme.dark else share


def plain_words(palette: CanvasPalette) -> CanvasPalette:
    """The palette for words that are dimmed (:data:`~gui.look.theme.DIMMED`): all in the theme's text colour."""
    return replace(palette, theme=replace(palette.theme, muted=palette.theme.text), plain=True)


@lru_cache(maxsize=8)
def canvas_palette(theme: Theme, k: int, numbers: tuple[int, ...] | None = None) -> CanvasPalette:
    """The palette for ``k`` devices: ``body`` of a near card, ``block`` of a card seen from afar, ``line`` of a link.

    ``numbers`` say which colour each device has (None: its own).
    """
    devices = device_colours(max(k, 1), theme) if numbers is None else numbered_colours(numbers, theme)

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


def filled_palette(theme: Theme, k: int, codes: tuple[str, ...] = ()) -> CanvasPalette:
    """:func:`canvas_palette` with near cards filled in their device's colour, pale enough for words; they carry ``codes`` (none: numbers)."""
    usual = canvas_palette(theme, k)
    share = 0.3 if theme.dark else 0.26
    body = np.array([packed(pale(d.accent, share, theme)) for d in usual.devices], np.uint32)
    return replace(usual, body=body, filled=True, codes=codes)
