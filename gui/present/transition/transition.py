"""From one keyframe of a graph to another: cards glide and change colour, the camera eases, those that move stand out."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtGui import QPainter

from gui.canvas.graph.animation import eased
from gui.canvas.graph.detail import Detail
from gui.canvas.graph.painter import wrap_image
from gui.canvas.graph.picture.shapes import paint_graph
from gui.canvas.graph.viewport import Viewport
from gui.present.scenes import HEADERS, GraphStage, View, between
from gui.present.transition.areas import (
    Areas,
    areas_between,
    moved_scene,
    paint_above,
    paint_below,
    settled_areas,
    told_briefly,
)
from gui.present.transition.beyond import paint_fades, paint_hidden, without_hidden
from gui.present.transition.courses import Courses
from gui.present.transition.legend import LINE, legend_of, paint_scale
from gui.present.transition.looks import WORDS, Look, between_looks, detail_of, look_of, plateau
from gui.present.transition.marks import NO_MARKS, Marks, paint_marks
from gui.present.transition.paint import (
    Moment,
    all_standing_out,
    card_pixels,
    paint_block_names,
    paint_cards,
    paint_edges,
    paint_quiet_words,
    paint_splits,
    paint_words,
    settled_moment,
)
from gui.present.transition.parting import GOES, Parting, rising

if TYPE_CHECKING:
    from gui.canvas.graph.scene import Scene
    from planner.model.graph import Bools

DIM, DIM_EDGES = 0.5, 0.65
"""How much of those that stay is taken away while others move."""


class Shot:
    """A keyframe of a graph at rest: stage, how it is seen (logical pixels), and what stands out.

    ``standing_out`` bool[n] are cards, ``lit`` bool[k] devices; none: all alike; ``note`` is what the legend says of them. ``width`` is that
    of the stage beside a panel (pixels of a frame of 1280 x 800, of which one is ``unit`` logical pixels), ``marks`` are labels and paths over the cards.
    """

    def __init__(
        self, stage: GraphStage, view: View, standing_out: Bools, width: float, unit: float, lit: Bools | None = None,
        marks: Marks = NO_MARKS, note: str = "",
    ) -> None:  # fmt: skip
        self.card = card_pixels(stage.scene, view.viewport(1, 1, 1.0), unit)
        self.stage, self.view, self.standing_out, self.width, self.marks = (
            stage,
            view,
            standing_out,
            width,
            marks,
        )
        self.unit, self.note = unit, note
        self.lit: Bools = np.zeros(stage.scene.k, bool) if lit is None else lit
        self._looks: dict[tuple[float, float], Look] = {}

    def look(self, card: float, ratio: float) -> Look:
        """How it looks with cards ``card`` pixels high."""
        # Finer steps than a quarter of a pixel are not seen.
        key = (round(4.0 * min(card, 80.0)) / 4.0, ratio)
        if key not in self._looks:
            if len(self._looks) > 8:
                self._looks.clear()
            self._looks[key] = look_of(self.stage.scene, self.stage.palette, self.standing_out, key[0], ratio)
        return self._looks[key]

    def paint(self, buffer: np.ndarray, viewport: Viewport, ratio: float) -> None:
        """All of it but the ground."""
        areas = settled_areas(self.stage, self.lit, self.width, self.note)
        paint_below(buffer, areas, viewport, ratio)
        card = card_pixels(self.stage.scene, viewport, ratio)
        moment = settled_moment(self.stage, self.look(card, ratio))
        paint_edges(buffer, moment, viewport, card, ratio)
        paint_cards(buffer, moment, viewport, card, ratio)
        scene = self.stage.scene
        paint_splits(buffer, scene, self.stage.palette, viewport, card, ratio, moment.look.opacity)
        paint_words(
            buffer,
            self.stage,
            self.standing_out,
            scene,
            np.ones(scene.items.count, bool),
            viewport,
            card,
            ratio,
        )
        image = wrap_image(buffer)
        painter = QPainter(image)
        paint_quiet_words(painter, self._scene(), self.stage.palette, viewport, card, ratio)
        self._paint_over(painter, areas, viewport, ratio)
        painter.end()

    def _scene(self) -> Scene:
        """The scene with what stands out highlighted."""
        scene = copy(self.stage.scene)
        scene.highlighted = self.standing_out
        return scene

    def _paint_over(self, painter: QPainter, areas: Areas, viewport: Viewport, ratio: float) -> None:
        scene = self.stage.scene
        paint_fades(painter, scene, self.stage, viewport, self.width, ratio)
        seen = replace(areas, scene=without_hidden(scene, viewport, ratio))
        paint_above(painter, seen, viewport, ratio)
        paint_hidden(painter, scene, self.stage, viewport, ratio)
        paint_marks(painter, scene, viewport, self.stage.palette, self.marks, ratio)
        self.paint_scale(painter, viewport, ratio)

    def paint_scale(self, painter: QPainter, viewport: Viewport, ratio: float) -> None:
        """The scale of a heat map, above the legend of the devices."""
        scene, headers = self.stage.scene, self.stage.headers
        if scene.heat is not None:
            lines = legend_of(scene, headers, self.width, self.note)
            bottom = viewport.height - LINE * ratio * len(lines)
            paint_scale(painter, scene.heat, self.stage.palette.theme, self.stage.left * ratio, bottom, ratio)

    def paint_vectors(self, painter: QPainter, room: tuple[float, float], unit: float) -> None:
        """The same as shapes and text, in logical pixels."""
        scene, palette = self._scene(), self.stage.palette
        viewport = self.view.viewport(round(room[0]), round(room[1]), 1.0, self.stage.left * unit)
        card = card_pixels(scene, viewport, unit)
        detail = detail_of(card)
        # Letters and lines are as large as they are drawn in a window, on paper that is made larger.
        grown = unit * (WORDS if scene.layout.stages is None else HEADERS)
        near = Viewport(
            round(room[0] / grown), round(room[1] / grown), viewport.scale / grown, viewport.ox / grown, viewport.oy / grown
        )  # fmt: skip
        painter.save()
        painter.scale(grown, grown)
        paint_graph(painter, scene, near, palette, detail, figures=False, names=detail >= Detail.LABELS)
        painter.restore()
        if detail < Detail.LABELS:
            paint_block_names(painter, all_standing_out(scene), viewport, palette, unit)
            paint_quiet_words(painter, scene, palette, viewport, card, unit)
        areas = settled_areas(self.stage, self.lit, self.width, self.note)
        self._paint_over(painter, areas, viewport, unit)


class Morph:
    """The way between two shots of one graph, whose cards go in parts where other groups are folded. Places are in the scene units of
    the second."""

    def __init__(self, first: Shot, second: Shot, whole: tuple[View, View]) -> None:
        """``whole`` are the views of both that show everything: what lies upon what before and after."""
        self.first, self.second = first, second
        a, b = first.stage.scene, second.stage.scene
        self.still = a.layout is b.layout
        fit_a, fit_b = whole
        grow = 1.0 if self.still else fit_a.scale / fit_b.scale
        dx = 0.0 if self.still else (fit_a.ox - fit_b.ox) / fit_b.scale
        dy = 0.0 if self.still else (fit_a.oy - fit_b.oy) / fit_b.scale
        self._from = a if self.still else moved_scene(a, grow, dx, dy)
        self.parting = Parting(self._from, b)
        items = self.parting.items
        self.moved_ops: Bools = a.op_device != b.op_device
        self.moved: Bools = np.bincount(items.item_of[self.moved_ops], minlength=items.count) > 0
        """The parts of whose ops any is on another device."""
        self.emphasis = bool(self.moved.any()) and not bool(self.moved.all())
        self._edges_stay = ~(self.moved[items.edge_src] | self.moved[items.edge_dst])
        # Those that move pass over those that stay.
        self._order = np.argsort(self.moved, kind="stable").astype(np.int32) if self.emphasis else None
        scale = first.view.scale / grow
        self._begin = View(scale, first.view.ox - dx * scale, first.view.oy - dy * scale)
        self.courses = Courses(*self.parting.parts)
        self._looks: dict[float, tuple[Look, Look]] = {}

    def view(self, share: float, width: float, height: float) -> View:
        """How the stage is seen after a ``share`` of the time."""
        return between(self._begin, self.second.view, eased(share), width, height)

    def unit(self, share: float) -> float:
        """Logical pixels for each of a frame of 1280 x 800 after a ``share`` of the time."""
        return self.first.unit + (self.second.unit - self.first.unit) * eased(share)

    def paint(self, buffer: np.ndarray, viewport: Viewport, ratio: float, share: float) -> None:
        """A moment of the way, without the ground; ``ratio`` are pixels for each :meth:`unit`."""
        e = eased(share)
        a, b = self.first.stage, self.second.stage
        lit, widths = (self.first.lit, self.second.lit), (self.first.width, self.second.width)
        notes = (self.first.note, self.second.note)
        brief = self._told_briefly(share, viewport, ratio)
        areas = [replace(one, brief=brief) for one in areas_between(self._from, a, b, lit, widths, notes, e)]
        for one in areas:
            paint_below(buffer, one, viewport, ratio)
        card = self.first.card + (self.second.card - self.first.card) * e
        moment = self._moment(share, e, ratio)
        paint_edges(buffer, moment, viewport, card, ratio)
        self._paint_cards(buffer, moment, viewport, card, ratio, e)
        image = wrap_image(buffer)
        painter = QPainter(image)
        ends = ((self.first, self._from, 1.0 - 2.0 * e), (self.second, b.scene, 2.0 * e - 1.0))
        for shot, scene, opacity in ends:
            painter.setOpacity(max(0.0, opacity))
            paint_fades(painter, scene, shot.stage, viewport, shot.width, ratio)
        painter.setOpacity(1.0)
        for one in areas:
            paint_above(painter, one, viewport, ratio)
        for shot, scene, opacity in ends:
            if opacity > 0.0:
                painter.setOpacity(opacity)
                paint_hidden(painter, scene, shot.stage, viewport, ratio)
                paint_marks(painter, scene, viewport, b.palette, shot.marks, ratio)
                shot.paint_scale(painter, viewport, ratio)
        painter.end()

    def _paint_cards(
        self, buffer: np.ndarray, moment: Moment, viewport: Viewport, card: float, ratio: float, e: float
    ) -> None:
        """All cards with their names and bars: of those that stay whole those of the nearer keyframe, of others as long as they are there."""
        sides = []
        for which, shot, away in ((0, self.first, e), (1, self.second, 1.0 - e)):
            side = self.parting.sides[which]
            scene = self.parting.cards(which, moment.x, moment.y, moment.w, moment.h)
            left = side.left(away)
            sides.append((shot, scene, side.whole, left, away))
            if left.any():
                look = shot.look(shot.card, ratio)
                look = replace(look, opacity=look.opacity * left)
                split = np.flatnonzero(left).astype(np.int32)
                paint_cards(
                    buffer,
                    replace(
                        moment,
                        scene=scene,
                        x=scene.x,
                        y=scene.y,
                        w=scene.w,
                        h=scene.h,
                        look=look,
                        order=split,
                    ),
                    viewport,
                    card,
                    ratio,
                )
        paint_cards(buffer, moment, viewport, card, ratio)
        for shot, scene, whole, left, away in sides:
            opacity = shot.look(shot.card, ratio).opacity * np.where(whole, 1.0 - away, left)
            paint_splits(buffer, scene, shot.stage.palette, viewport, card, ratio, opacity)
            for cards, shown in ((whole, float(away < 0.5)), (~whole, 1.0 - rising(2.0 * away / GOES))):
                if shown > 0.0 and cards.any():
                    paint_words(
                        buffer, shot.stage, shot.standing_out, scene, cards, viewport, card, ratio, shown
                    )

    def _told_briefly(self, share: float, viewport: Viewport, ratio: float) -> int:
        """How briefly plates tell memory: as at the nearer end of the way, however wide they are meanwhile."""
        later = eased(share) >= 0.5
        scene, stage = (
            (self.second.stage.scene, self.second.stage) if later else (self._from, self.first.stage)
        )
        view, pixels = self.second.view if later else self._begin, ratio / self.unit(share)
        rest = view.viewport(viewport.width, viewport.height, pixels)
        return told_briefly(scene, stage.headers, rest, ratio)

    def _moment(self, share: float, e: float, ratio: float) -> Moment:
        look = between_looks(*self._looks_of_parts(ratio), e)
        shown = 1.0 if self.parting.same else self.parting.shown(e)
        look = replace(look, opacity=look.opacity * shown)
        if self.emphasis:
            away = plateau(share)
            look = replace(
                look,
                opacity=np.where(self.moved, np.maximum(look.opacity, away * shown), look.opacity * (1.0 - DIM * away)),
                edge_opacity=np.where(self._edges_stay, look.edge_opacity * (1.0 - DIM_EDGES * away), look.edge_opacity),
            )  # fmt: skip
        one, other = (scene.layout for scene in self.parting.parts)
        x, y, w, h = (
            getattr(one, n) + (getattr(other, n) - getattr(one, n)) * e for n in ("x", "y", "w", "h")
        )
        return Moment(
            self.parting.parts[int(share >= 0.5)],
            x,
            y,
            w,
            h,
            look,
            self.courses.at(share, e),
            self._order,
            False,
        )

    def _looks_of_parts(self, ratio: float) -> tuple[Look, Look]:
        a, b = self.first, self.second
        looks = a.look(a.card, ratio), b.look(b.card, ratio)
        if self.parting.same:
            return looks
        if ratio not in self._looks:
            one, other = self.parting.sides
            self._looks = {ratio: (one.look(looks[0], looks[1], other), other.look(looks[1], looks[0], one))}
        return self._looks[ratio]
