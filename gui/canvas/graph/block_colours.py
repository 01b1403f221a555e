"""Colours of cards that are seen as blocks, and the inks of names on them: read on whatever they are filled with, faded or not."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from gui.canvas.graph.heat.ramps import heat_fills
from gui.canvas.graph.palette import CanvasPalette, packed
from gui.canvas.graph.scene import Scene
from gui.look.theme import DIMMED, READABLE, Theme, contrast, ink_on, laid_over

FADED = 0.35
"""Opacity of what is not highlighted, where something is."""
PLATE = 3.0
"""Pixels that a plate under words is wider than they are, on both sides."""


class Ink(NamedTuple):
    """What a name on a block is written with."""

    colour: str
    opacity: float
    plate: str
    """What has to lie under the words, where the parts of a group leave no colour that is read on all of them; else empty."""


def block_fills(scene: Scene, palette: CanvasPalette) -> np.ndarray:
    """The fill of cards seen as blocks (uint32[count]): their value on a heat map, else red where they break a rule, else their device's
    colour, all of it where they are selected."""
    if scene.heat is not None:
        return heat_fills(scene.heat, palette)
    fills = palette.blocks_of(scene.device, scene.items.model)
    wholly = scene.selected & ~scene.partly  # many that are selected still say whose they are
    fills = np.where(wholly, palette.accent[scene.device], fills)
    return np.where(scene.violating, np.uint32(packed(palette.theme.bad)), fills).astype(np.uint32)


def block_ink(scene: Scene, palette: CanvasPalette, fill: int, item: int, left: float, right: float) -> Ink:
    """The ink of words from ``left`` to ``right`` (shares of the card's width) on a block with this ``fill`` (0xAARRGGBB); quiet on one
    that is faded, as the words of the palette say (:func:`~gui.canvas.graph.palette.plain_words`)."""
    theme, share = palette.theme, FADED if palette.plain else 1.0
    under = palette.devices[int(scene.device[item])].band if scene.layout.lanes else theme.canvas
    ground = laid_over(_hex(fill), under, share)
    parts = scene.splits
    grounds = [ground]
    if scene.heat is None and (own := np.flatnonzero(parts.item == item)).size:
        own = own[(parts.start[own] < right) & (parts.end[own] > left)]
        grounds = [laid_over(_hex(int(palette.block[d])), ground, share) for d in parts.device[own].tolist()]
    return ink_over(tuple(dict.fromkeys(grounds)) or (ground,), theme, palette.plain)


@lru_cache(maxsize=4096)
def ink_over(grounds: tuple[str, ...], theme: Theme, quiet: bool) -> Ink:
    """The theme's own ink where it is read on all these grounds, else black or white, else its own on a plate; as quiet as can be read."""

    def least(ink: str, opacity: float) -> float:
        return min(contrast(laid_over(ink, ground, opacity), ground) for ground in grounds)

    inks = dict.fromkeys((theme.text, *(ink_on(ground, theme) for ground in grounds)))
    for opacity in (DIMMED, 0.8, 0.9, 1.0) if quiet else (1.0,):
        for ink in inks:
            if least(ink, opacity) >= READABLE:
                return Ink(ink, opacity, "")
    return Ink(theme.text, 1.0, theme.card)


def write_on_block(painter: QPainter, text: str, wide: float, at: QRectF, ink: Ink, ratio: float) -> None:
    """Write a name ``wide`` pixels wide into the place ``at`` of a block, on its plate where it needs one."""
    if ink.plate:
        high = min(at.height() - 2 * ratio, painter.fontMetrics().height())
        plate = QRectF(at.left() - PLATE * ratio, at.center().y() - high / 2, wide + 2 * PLATE * ratio, high)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(ink.plate))
        painter.drawRoundedRect(plate, PLATE * ratio, PLATE * ratio)
    colour = QColor(ink.colour)
    colour.setAlphaF(ink.opacity)
    painter.setPen(colour)
    painter.drawText(at, int(Qt.AlignmentFlag.AlignVCenter), text)


def _hex(colour: int) -> str:
    """A packed colour without its alpha."""
    return f"#{int(colour) & 0xFFFFFF:06x}"
