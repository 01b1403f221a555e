"""Keyframes that fold other groups: both scenes in the same parts, so that cards of a group come out of its card and go back into it.

A part is what two cards, one of either scene, have in common. Where it is the only one of a card it is that card. Of several, each stands
in the card as in a small picture of where they stand in the other scene: they come up there while the card, as large as all of them at
any moment, gives way to them.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from gui.canvas.graph.items import Items, parts_of
from gui.canvas.graph.scene import Scene
from gui.present.transition.looks import Look
from planner.model.graph import Bools, Floats, Ints

COMES, GOES = 0.32, 0.45
"""The share of the way on which the parts of a card come up, and on which the card gives way to them."""
INSET = 0.06
"""What parts keep from the borders of their card, as a share of it."""


@dataclass(frozen=True, eq=False)
class Side:
    """Whose part of one scene each part is: ``card`` int32[parts], ``edge`` int32[edges between parts] (-1: inside of a card).

    ``drawn`` int32[the scene's edges] are the edges between parts that stand for its own, ``whole`` bool[count] its cards of one part.
    """

    card: Ints
    edge: Ints
    drawn: Ints
    whole: Bools

    @cached_property
    def first(self) -> Ints:
        """The first part of each card of the scene (int32[count])."""
        return np.unique(self.card, return_index=True)[1].astype(np.int32)

    def around(self, boxes: Floats) -> Floats:
        """Boxes (left, top, right, bottom: float64[4, count]) around the ``boxes`` (float64[4, parts]) of each card's parts."""
        out = boxes[:, self.first].copy()
        for side, of in ((0, np.minimum), (1, np.minimum), (2, np.maximum), (3, np.maximum)):
            of.at(out[side], self.card, boxes[side])
        return out

    def places(self, scene: Scene, elsewhere: Floats) -> Floats:
        """Boxes of the parts (float64[4, parts]) in the scene; ``elsewhere`` (the same) is where their cards are in the other one."""
        own = boxes_of(scene)[:, self.card]
        split = ~self.whole[self.card]
        if not split.any():
            return own
        around = self.around(elsewhere)[:, self.card[split]]
        for low, high in ((0, 2), (1, 3)):
            long = np.maximum(around[high] - around[low], 1e-9)
            room = own[high, split] - own[low, split]
            begin = own[low, split] + INSET * room
            for side in (low, high):
                share = (elsewhere[side, split] - around[low]) / long
                own[side, split] = begin + share * (1.0 - 2.0 * INSET) * room
        return own

    def scene(self, scene: Scene, items: Items, boxes: Floats) -> Scene:
        """The scene in parts, which are in these ``boxes``; edges between cards are drawn once."""
        if items is scene.items:
            return scene
        out, layout, card = copy(scene), scene.layout, self.card
        x, y, right, bottom = boxes
        out.items = items
        out.layout = replace(layout, x=x, y=y, w=right - x, h=bottom - y)
        out.x, out.y = out.layout.x, out.layout.y
        for name in ("device", "mixed", "violating", "highlighted", "selected", "partly", "pinned"):
            setattr(out, name, getattr(scene, name)[card])
        for name in ("routed", "straight", "stubs"):
            setattr(out, name, self.drawn[getattr(scene, name)])
        m = len(self.edge)
        out.leave = self._edges(scene.leave, np.zeros(m, np.uint8))
        out.enter = self._edges(scene.enter, np.full(m, 2, np.uint8))
        return out

    def look(self, own: Look, other: Look, elsewhere: Side) -> Look:
        """How the parts look as the scene's cards do; edges inside of a card as in the ``other`` scene, of which they are ``elsewhere``."""
        edges = {
            name: self._edges(getattr(own, name), elsewhere._edges(getattr(other, name), np.zeros(len(self.edge), getattr(own, name).dtype)))
            for name in ("edge_colour", "edge_width", "edge_opacity")
        }  # fmt: skip
        cards = {name: getattr(own, name)[self.card] for name in ("fill", "stroke", "accent", "opacity")}
        return Look(**cards, **edges)

    def _edges(self, values: np.ndarray, inside: np.ndarray) -> np.ndarray:
        """What the scene's edges have (``values``) of those between parts, where they are any of these; ``inside`` of the others."""
        out, between = inside.copy(), self.edge >= 0
        out[between] = values[self.edge[between]]
        return out

    def shown(self, away: float) -> Floats:
        """How much of each part is seen (float64[parts]) a share of the way from the scene."""
        return np.where(self.whole[self.card], 1.0, rising(away / COMES))

    def left(self, away: float) -> Floats:
        """How much of each card is seen (float64[count]) beside its parts a share of the way from the scene."""
        return np.where(self.whole, 0.0, 1.0 - rising(away / GOES))


class Parting:
    """Two scenes in the same units (``scenes``) in parts of their cards (``parts``)."""

    def __init__(self, first: Scene, second: Scene) -> None:
        one, other = first.items, second.items
        self.same = one is other or np.array_equal(one.item_of, other.item_of)
        """Whether both have the same cards."""
        self.scenes = first, second
        self.items = other if self.same else parts_of(one, other)
        self.sides = _side(one, self.items), _side(other, self.items)
        cards = [boxes_of(scene)[:, side.card] for scene, side in zip(self.scenes, self.sides, strict=True)]
        boxes = [self.sides[i].places(self.scenes[i], cards[1 - i]) for i in (0, 1)]
        self.parts = tuple(self.sides[i].scene(self.scenes[i], self.items, boxes[i]) for i in (0, 1))

    def shown(self, share: float) -> Floats:
        """How much of each part is seen (float64[parts]) a share of the way."""
        return np.minimum(self.sides[0].shown(share), self.sides[1].shown(1.0 - share))

    def cards(self, which: int, x: Floats, y: Floats, w: Floats, h: Floats) -> Scene:
        """The cards of one scene where the parts (float64[parts] each) are: each as large as all of its own; drawn so while it is alone."""
        side, scene = self.sides[which], self.scenes[which]
        out = copy(scene)
        left, top, right, bottom = side.around(np.stack([x, y, x + w, y + h]))
        # A card is larger than the small picture in it.
        wide, high = (
            (1.0 / (1.0 - 2.0 * INSET) - 1.0) / 2 * np.where(side.whole, 0.0, long)
            for long in (right - left, bottom - top)
        )
        out.x, out.y = left - wide, top - high
        out.layout = replace(
            scene.layout, x=out.x, y=out.y, w=right - left + 2 * wide, h=bottom - top + 2 * high
        )
        out.settled = False
        return out


def boxes_of(scene: Scene) -> Floats:
    """Left, top, right and bottom of all cards (float64[4, count])."""
    layout = scene.layout
    return np.stack([layout.x, layout.y, layout.x + layout.w, layout.y + layout.h])


def rising(share: float) -> float:
    """From 0 to 1, smoothly."""
    t = min(1.0, max(0.0, share))
    return t * t * (3.0 - 2.0 * t)


def _side(own: Items, parts: Items) -> Side:
    card = own.item_of[parts.first]
    edge = np.full(len(parts.edge_src), -1, np.int32)
    between = card[parts.edge_src] != card[parts.edge_dst]
    count = max(own.count, 1)
    known = own.edge_src.astype(np.int64) * count + own.edge_dst  # ascending: items have their edges so
    codes = card[parts.edge_src[between]].astype(np.int64) * count + card[parts.edge_dst[between]]
    edge[between] = np.searchsorted(known, codes)
    drawn = np.zeros(len(own.edge_src), np.int32)
    found, first = np.unique(edge[between], return_index=True)
    drawn[found] = np.flatnonzero(between)[first]
    return Side(card, edge, drawn, np.bincount(card, minlength=own.count) == 1)
