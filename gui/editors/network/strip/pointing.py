"""What is under a point of the order strip: the neuron whose block would be taken, and what a card says about it."""

from __future__ import annotations

import numpy as np

from gui.editors.network.strip.layout import StripLayout
from gui.editors.network.strip.painter import Scene
from gui.editors.network.strip.ribbon import NEURONS
from gui.editors.network.strip.words import place_card, rate_card
from gui.panels.network.base import GUTTER
from planner.model.graph import Ints

GRAB = 4.0
"""Pixels beside a connection of the selected block from which that block is taken rather than what is under the pointer."""


def _inside(layout: StripLayout, x: float) -> bool:
    return GUTTER - GRAB <= x <= GUTTER + layout.plot_width + GRAB


def position_at(layout: StripLayout, scene: Scene, x: float, y: float) -> int:
    """The position under a point of the ribbon: of several in one pixel the one drawn at that height."""
    first = layout.position(x)
    if layout.scale >= 1 or scene.ribbon.mode != NEURONS:
        return min(int(first), layout.count - 1)
    top, height = layout.ribbon
    share = min(max((y - top) / height, 0.0), 0.999)
    low = np.floor(layout.left + int(x - GUTTER) / layout.scale)
    return int(min(max(low + share / layout.scale, 0), layout.count - 1))


def neuron_at(layout: StripLayout, scene: Scene, order: Ints, x: float, y: float) -> int:
    """The neuron whose block a press takes: the selected one if near, else the one that is used there most; -1 for none."""
    lane = layout.lane_at(y)
    if lane not in ("block", "ribbon") or not _inside(layout, x):
        return -1
    if scene.move is not None:
        away = np.abs(layout.left + (x - GUTTER) / layout.scale - scene.move.at - 0.5) - 0.5
        if away.min() * layout.scale <= GRAB:
            return scene.move.neuron
    if lane == "block":
        return -1
    into = scene.network.target
    if layout.scale >= 1 or scene.ribbon.mode == NEURONS:
        return int(into[order[position_at(layout, scene, x, y)]])
    low = min(int(layout.position(x)), layout.count - 1)
    high = max(low + 1, int(layout.position(x + 1)))
    found, counts = np.unique(into[order[low:high]], return_counts=True)
    return int(found[np.argmax(counts)])


def card_at(layout: StripLayout, scene: Scene, order: Ints, x: float, y: float) -> str:
    """What is used, or what is read and written, under a point (rich text); empty where there is nothing to say."""
    lane = layout.lane_at(y)
    if not _inside(layout, x) or lane in ("block", "overview"):
        return ""
    if lane == "ribbon":
        position = position_at(layout, scene, x, y)
        if layout.scale < 1 and scene.ribbon.mode != NEURONS:
            # The card is about the neuron that a press would take: its first connection in this pixel.
            neuron = neuron_at(layout, scene, order, x, y)
            here = scene.network.target[order[position : max(position + 1, int(layout.position(x + 1)))]]
            found = np.flatnonzero(here == neuron)
            position += int(found[0]) if len(found) else 0
        return place_card(scene.network, position, int(order[position]), scene.runs)
    if scene.trace is None:
        return ""
    low = min(int(layout.position(x)), layout.count - 1)
    high = min(layout.count, max(low + 1, int(layout.position(x + 1))))
    reads = int(scene.trace.reads[high] - scene.trace.reads[low]) - (high - low)
    return rate_card(low, high - low, reads, int(scene.trace.writes[high] - scene.trace.writes[low]))
