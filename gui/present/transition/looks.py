"""How cards and edges look at a size on screen, and what lies between two looks: arrays per card and edge, no painting."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gui.canvas.graph.block_colours import FADED, block_fills
from gui.canvas.graph.detail import Detail
from gui.canvas.graph.painter import edge_style
from gui.canvas.graph.palette import CanvasPalette, packed
from gui.canvas.graph.scene import Scene
from gui.look.theme import mix
from planner.model.graph import Bools, Floats

Packed = np.ndarray
WORDS = 1.45
"""Names on cards are so much larger than in a window: they are read from afar."""
NAMES_FROM, CARDS_FROM = 29.0, 69.0
"""Height in pixels from which cards have names of such letters, and from which kinds and costs as well."""


@dataclass(frozen=True, eq=False)
class Look:
    """Colours as straight 0xAARRGGBB (uint32) and opacities: per card (length n) and per edge (length m)."""

    fill: Packed
    stroke: Packed
    accent: Packed
    opacity: Floats
    edge_colour: Packed
    edge_width: Floats
    edge_opacity: Floats


def detail_of(card: float) -> Detail:
    """Blocks, names or whole cards, for cards ``card`` pixels high. Never an overview: cards are what moves."""
    if card < NAMES_FROM:
        return Detail.BLOCKS
    return Detail.LABELS if card < CARDS_FROM else Detail.CARDS


def look_of(scene: Scene, palette: CanvasPalette, standing_out: Bools, card: float, ratio: float) -> Look:
    """How a settled scene looks with cards ``card`` pixels high; ``standing_out`` bool[n] are highlighted (none: all)."""
    theme, near = palette.theme, float(detail_of(card) >= Detail.LABELS)
    accent = palette.accent[scene.device]
    block = block_fills(scene, palette)
    body = palette.bodies_of(scene.device, scene.items.model)
    bad = np.uint32(packed(theme.bad))
    body = np.where(scene.mixed, np.uint32(packed(mix(theme.card, theme.muted, 0.12))), body).astype(
        np.uint32
    )
    if scene.heat is not None:  # a value has its colour from near and from afar
        body = accent = block
    stroke = np.where(scene.violating, bad, accent).astype(np.uint32)
    colour, width, opacity = edge_style(scene, palette, detail_of(card), ratio)
    cards = np.ones(scene.items.count)
    edges = opacity.copy()
    if standing_out.any():
        cards = np.where(standing_out, 1.0, FADED)
        items = scene.items
        inside = standing_out[items.edge_src] | standing_out[items.edge_dst]
        edges = np.where(inside, opacity, 0.35 * opacity)
    return Look(
        mixed(block, body, near),
        stroke if scene.heat is not None else mixed(block, stroke, near),
        mixed(block, accent, near),
        cards,
        colour,
        width,
        edges,
    )


def mixed(first: Packed, second: Packed, share: float) -> Packed:
    """Colours a share of the way from ``first`` to ``second`` (uint32[n]), channel by channel."""
    if share <= 0.0:
        return first
    if share >= 1.0:
        return second
    part = round(256 * share)
    # Two channels at a time, 8 bits apart: every product stays within 16 bits of its own.
    low = np.uint32(0x00FF00FF)
    a, b = first.astype(np.uint32), second.astype(np.uint32)
    one, other = np.uint32(256 - part), np.uint32(part)
    odd = (((a >> np.uint32(8)) & low) * one + ((b >> np.uint32(8)) & low) * other) & np.uint32(0xFF00FF00)
    even = (((a & low) * one + (b & low) * other) >> np.uint32(8)) & low
    return (odd | even).astype(np.uint32)


def between_looks(first: Look, second: Look, share: float) -> Look:
    """The look a share of the way from one to another."""
    if share <= 0.0 or first is second:
        return first
    if share >= 1.0:
        return second

    def lerp(a: Floats, b: Floats) -> Floats:
        return a + (b - a) * share

    return Look(
        mixed(first.fill, second.fill, share), mixed(first.stroke, second.stroke, share),
        mixed(first.accent, second.accent, share), lerp(first.opacity, second.opacity),
        mixed(first.edge_colour, second.edge_colour, share), lerp(first.edge_width, second.edge_width),
        lerp(first.edge_opacity, second.edge_opacity),
    )  # fmt: skip


def plateau(share: float, edge: float = 0.22) -> float:
    """0 at both ends of a transition and 1 in the middle of it, rising and falling smoothly."""
    t = min(1.0, share / edge, (1.0 - share) / edge)
    t = max(t, 0.0)
    return t * t * (3.0 - 2.0 * t)
