"""From one keyframe of a graph to another: cards glide and change colour, the camera eases, those that move stand out."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtGui import QPainter

from gui.canvas.graph.animation import eased
from gui.canvas.graph.headers import paint_headers
from gui.canvas.graph.picture.shapes import paint_graph
from gui.canvas.graph.viewport import Viewport
from gui.layout.result import Lane
from gui.present.scenes import HEADERS, GraphStage, View, between
from gui.present.transition.looks import Look, between_looks, detail_of, look_of, plateau
from gui.present.transition.paint import (
    Moment,
    card_pixels,
    paint_bands,
    paint_lane_headers,
    paint_moment,
    paint_quiet_words,
    paint_words,
    settled_moment,
)

if TYPE_CHECKING:
    from planner.model.graph import Bools

DIM, DIM_EDGES = 0.5, 0.65
"""How much of those that stay is taken away while others move."""
SWAP = 0.2
"""Edges change between their routes and plain curves within this share of a transition at either end."""


class Shot:
    """A keyframe of a graph at rest: stage, how it is seen (logical pixels), and the cards that stand out (bool[n])."""

    def __init__(self, stage: GraphStage, view: View, standing_out: Bools) -> None:
        self.stage, self.view, self.standing_out = stage, view, standing_out
        self._looks: dict[tuple[float, float], Look] = {}

    def look(self, card: float, ratio: float) -> Look:
        """How it looks with cards ``card`` pixels high."""
        # Finer steps than a quarter of a pixel are not seen.
        key = (round(4.0 * min(card, 40.0)) / 4.0, ratio)
        if key not in self._looks:
            if len(self._looks) > 8:
                self._looks.clear()
            self._looks[key] = look_of(self.stage.scene, self.stage.palette, self.standing_out, key[0], ratio)
        return self._looks[key]

    def paint(self, buffer: np.ndarray, viewport: Viewport, ratio: float) -> None:
        """All of it but the ground."""
        layout = self.stage.scene.layout
        paint_bands(buffer, layout.lanes, self.stage.palette.band, viewport, 1.0)
        moment = settled_moment(self.stage, self.look(card_pixels(viewport, ratio), ratio))
        paint_moment(buffer, moment, viewport, ratio)
        paint_words(buffer, self.stage, moment, self.standing_out, viewport, ratio)
        paint_lane_headers(buffer, self.stage, layout.lanes, viewport, ratio, 1.0)

    def paint_vectors(self, painter: QPainter, room: tuple[float, float], unit: float) -> None:
        """The same as shapes and text, in logical pixels."""
        scene = copy(self.stage.scene)
        scene.highlighted = self.standing_out
        viewport = self.view.viewport(round(room[0]), round(room[1]), 1.0)
        detail = detail_of(card_pixels(viewport, unit))
        paint_graph(painter, scene, viewport, self.stage.palette, detail)
        paint_quiet_words(painter, scene, viewport, self.stage.palette, detail, 1.0, scene.items.count)
        paint_headers(painter, scene, viewport, self.stage.palette, self.stage.headers, HEADERS * unit)


class Morph:
    """The way between two shots of one graph. Places are in the scene units of the second."""

    def __init__(self, first: Shot, second: Shot, whole: tuple[View, View]) -> None:
        """``whole`` are the views of both that show everything: what lies upon what before and after."""
        self.first, self.second = first, second
        a, b = first.stage.scene, second.stage.scene
        self.still = a.layout is b.layout
        fit_a, fit_b = whole
        self._grow = 1.0 if self.still else fit_a.scale / fit_b.scale
        self._dx = 0.0 if self.still else (fit_a.ox - fit_b.ox) / fit_b.scale
        self._dy = 0.0 if self.still else (fit_a.oy - fit_b.oy) / fit_b.scale
        self._x = a.layout.x * self._grow + self._dx
        self._y = a.layout.y * self._grow + self._dy
        self._w, self._h = a.w * self._grow, a.h * self._grow
        self.moved: Bools = a.device != b.device
        some = bool(self.moved.any()) and not bool(self.moved.all())
        self.emphasis = some
        items = b.items
        self._edges_stay = ~(self.moved[items.edge_src] | self.moved[items.edge_dst])
        # Those that move pass over those that stay.
        self._order = np.argsort(self.moved, kind="stable").astype(np.int32) if some else None
        scale = first.view.scale / self._grow
        self._begin = View(
            scale, first.view.ox - self._dx * scale, first.view.oy - self._dy * scale
        )  # fmt: skip
        mapped = a.route_x * self._grow + self._dx, a.route_y * self._grow + self._dy
        self._route = a
        if not self.still:
            self._route = copy(a)
            self._route.route_x, self._route.route_y = mapped
        self._lanes_a = tuple(self._mapped(lane) for lane in a.layout.lanes)

    def _mapped(self, lane: Lane) -> Lane:
        x, y, w, h = lane.band
        return replace(
            lane, band=(x * self._grow + self._dx, y * self._grow + self._dy, w * self._grow, h * self._grow)
        )

    def view(self, share: float, width: float, height: float) -> View:
        """How the stage is seen after a ``share`` of the time."""
        return between(self._begin, self.second.view, eased(share), width, height)

    def paint(self, buffer: np.ndarray, viewport: Viewport, ratio: float, share: float) -> None:
        """A moment of the way, without the ground."""
        e = eased(share)
        a, b = self.first.stage, self.second.stage
        lanes, shown_a, shown_b = self._lanes(e)
        if lanes is not None:
            paint_bands(buffer, lanes, b.palette.band, viewport, 1.0)
        else:
            paint_bands(buffer, self._lanes_a, a.palette.band, viewport, 1.0 - e)
            paint_bands(buffer, b.scene.layout.lanes, b.palette.band, viewport, e)
        moment = self._moment(share, e, card_pixels(viewport, ratio), ratio)
        paint_moment(buffer, moment, viewport, ratio)
        out = self.second.standing_out if share >= 0.5 else self.first.standing_out
        paint_words(buffer, b if share >= 0.5 else a, moment, out, viewport, ratio)
        if lanes is not None:
            paint_lane_headers(buffer, b if share >= 0.5 else a, lanes, viewport, ratio, 1.0)
        else:
            paint_lane_headers(buffer, a, self._lanes_a, viewport, ratio, shown_a)
            paint_lane_headers(buffer, b, b.scene.layout.lanes, viewport, ratio, shown_b)

    def _lanes(self, e: float) -> tuple[tuple[Lane, ...] | None, float, float]:
        """Lanes on their way where both views have the same devices, else None; and how far the headers of each are in."""
        a, b = self._lanes_a, self.second.stage.scene.layout.lanes
        if a and len(a) == len(b):
            between_both = []
            for one, other in zip(a, b, strict=True):
                x, y, w, h = (p + (q - p) * e for p, q in zip(one.band, other.band, strict=True))
                between_both.append(replace(other, band=(x, y, w, h)))
            return tuple(between_both), 1.0, 1.0
        return None, max(0.0, 1.0 - 2.0 * e), max(0.0, 2.0 * e - 1.0)

    def _moment(self, share: float, e: float, card: float, ratio: float) -> Moment:
        a, b = self.first, self.second
        look = between_looks(a.look(card, ratio), b.look(card, ratio), e)
        if self.emphasis:
            away = plateau(share)
            look = replace(
                look,
                opacity=np.where(self.moved, np.maximum(look.opacity, away), look.opacity * (1.0 - DIM * away)),
                edge_opacity=np.where(self._edges_stay, look.edge_opacity * (1.0 - DIM_EDGES * away), look.edge_opacity),
            )  # fmt: skip
        scene = b.stage.scene
        if self.still:
            return Moment(
                scene, scene.layout.x, scene.layout.y, scene.w, scene.h, look, ((scene, 1.0),), 0.0, 1.0, self._order,
                False,
            )  # fmt: skip
        out, into = max(0.0, 1.0 - share / SWAP), max(0.0, 1.0 - (1.0 - share) / SWAP)
        return Moment(
            scene if share >= 0.5 else a.stage.scene,
            self._x + (scene.layout.x - self._x) * e, self._y + (scene.layout.y - self._y) * e,
            self._w + (scene.w - self._w) * e, self._h + (scene.h - self._h) * e,
            look, ((self._route, out), (scene, into)), 1.0 - max(out, into), max(out, into), self._order, False,
        )  # fmt: skip
