"""Two plans of a keyframe on one canvas, with a slider from one to the other above it."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter

from gui.canvas.graph.detail import Detail
from gui.canvas.graph.headers import HEADER_WIDTH, header_rows
from gui.canvas.graph.labels import named_whole
from gui.canvas.graph.naming.row_headers import paint_row_headers
from gui.canvas.graph.painter import wrap_image
from gui.canvas.graph.palette import canvas_palette
from gui.canvas.graph.scene import arrange, skeleton_of
from gui.canvas.graph.viewport import Viewport
from gui.look.numbers import percent
from gui.look.theme import Theme
from gui.panels.comparison.canvases import look, names_fit
from gui.panels.comparison.marks import marks_of
from gui.panels.comparison.overlay import Layers, Overlaid, draw_overlay
from gui.panels.comparison.rows import MOST_NAMES, MOST_PRINTED, names_width, row_headers, scene_of_plan
from gui.panels.comparison.split_key import KEY, card_key_height, key_height, paint_split_key
from gui.present.comparison.canvases import shares
from gui.present.comparison.overlay_head import HEAD, INSET, overlay_head
from gui.present.comparison.shot import ComparisonShot, Part, least_name, paint_parts
from gui.present.comparison.sizes import USUAL, Sizes, Told
from gui.present.scenes import Folded, View, between, folded_items
from gui.words.methods import shown_name
from planner.model.graph import Ints
from planner.reports.comparison import Comparison
from planner.story.keyframe import Camera

AROUND = 12.0
"""Pixels of a cropped canvas above and below what is on it."""

WIDE_HEADER, HEADERS = 208.0, 0.32
"""Pixels that headers of lanes have in pictures, with the figures of both plans, and their share of narrow ones."""


class OverlayShot(ComparisonShot):
    """Plans A and B in ``layout`` (``flow`` or ``lanes``); ``share`` is where the slider rests, 0 at A, 1 at B.

    ``out`` are the ops that stand out; none: those that moved. No letters on the canvas are lower than ``least``, and the canvas is no
    higher than ``most`` (0: than there is room), both in the painters' own pixels. ``sizes``: how many times as large as ``letters`` are
    what stands above the canvas, and what is on it.
    """

    ground = True
    """Whether head and canvas have a ground; without one, what lies below is seen."""
    slider = True
    """Whether there is a slider between the names: not in pictures, in which nobody can move it."""

    def __init__(
        self, comparison: Comparison, room: tuple[float, float], letters: float, theme: Theme, layout: str,
        camera: Camera | None, out: Ints, share: float, folded: Folded = (), least: float = 0.0, most: float = 0.0,
        sizes: Sizes = USUAL,
    ) -> None:  # fmt: skip
        titles, graphs, _ = sizes
        super().__init__(comparison, room, letters * titles, theme)
        self._fine = titles / graphs
        self.share, self.layout, self._folded = share, layout, folded
        self._letters = (comparison.letter(0), comparison.letter(1))
        width, height = self.size
        share_of_names = MOST_PRINTED if least else MOST_NAMES
        self._least_row = least or least_name(graphs)
        rows_named = names_width(
            comparison.graph, layout, width * self._fine, share_of_names, self._least_row
        )
        self._header = round(rows_named)
        self._words = overlay_head(comparison, width, height)
        inset = width - 2 * INSET
        if layout == "lanes":
            self._header = round(min(WIDE_HEADER, HEADERS * width)) if least else HEADER_WIDTH
            self._key_high = key_height(self._letters, row_headers(comparison, 0), inset) if least else KEY
        else:
            self._key_high = card_key_height(self._letters, inset)
        self._top = self._words.height + self._key_high + (self.legend.height if layout == "flow" else 0.0)
        left = max(40.0, height - self._top)
        self._least = least
        self._canvas = QRectF(0, self._top, width, min(most, left) if most else left)
        wide, high = self._graph_size
        inside = (max(100.0, wide - self._header - 24.0), max(80.0, high - 24.0))
        items = folded_items(comparison.graph, folded, () if layout == "flow" else comparison.places)
        skeleton, rows = skeleton_of(items), len(comparison.rows)
        first = arrange(items, skeleton, layout, comparison.places[0], rows, inside)
        second = first
        if layout == "lanes":
            second = arrange(items, skeleton, layout, comparison.places[1], rows, inside, first)
        headers = tuple(row_headers(comparison, i) if first.lanes else None for i in (0, 1))
        scenes = tuple(
            scene_of_plan(comparison, i, items, skeleton, one, layout)
            for i, one in enumerate((first, second))
        )
        self.over = Overlaid(scenes[0], scenes[1], (first, second), (headers[0], headers[1]), self._letters)
        self.marks = marks_of(comparison, items, 0, (1, 0))
        standing_out = out if len(out) else comparison.moved(1)
        for scene in scenes:
            if 0 < len(standing_out) < comparison.graph.n:
                scene.highlighted = scene.mask(standing_out)
        self.palette = canvas_palette(theme, rows, comparison.numbers)
        self._camera = shares(camera)
        viewport = self._viewport(*self._graph_size, 1.0, 0.0)
        self._rows = header_rows(self.over.first, viewport, headers[0], least)
        if not least:
            self.over.least = least_name(graphs)
            if not names_fit(self.over.first, viewport, self.palette, self.over.least):
                for scene in scenes:
                    scene.nearest = Detail.BLOCKS
        self._layers = Layers()
        self._layers_for = (0, 0, 0.0)

    @property
    def high(self) -> float:
        """Pixels of the painters' own that all of it takes, the canvas no higher than what is on it."""
        viewport = self._viewport(*self._graph_size, 1.0, 0.0)
        shown = max(layout.bounds[3] for layout in self.over.ends) * viewport.scale + 2 * AROUND
        return self._top + min(self._canvas.height(), shown)

    @property
    def _graph_size(self) -> tuple[float, float]:
        """Width and height of the canvas in pixels of what is on it."""
        return self._canvas.width() * self._fine, self._canvas.height() * self._fine

    @property
    def told(self) -> Told:
        """How many cards of both plans carry whole names and how high their letters are, and how many rows headers of lanes have."""
        viewport = self._viewport(*self._graph_size, 1.0, 0.0)
        counts, pixels = zip(
            *(named_whole(scene, viewport, self.palette, self.over.least) for scene in (self.over.first, self.over.second)), strict=True
        )  # fmt: skip
        return sum(counts), min(pixels), self._rows

    @property
    def named(self) -> bool:
        """Whether nearly all cards carry names, in letters that are large enough."""
        viewport = self._viewport(*self._graph_size, 1.0, 0.0)
        return names_fit(self.over.first, viewport, self.palette, self._least)

    def cropped(self) -> None:
        """Leave out what of the canvas has nothing on it."""
        self._canvas.setHeight(self.high - self._top)

    def like(self, other: ComparisonShot) -> bool:
        """Whether the slider can go on from another overlay's place: both show the same plans in the same way."""
        return (
            isinstance(other, OverlayShot)
            and (self.layout, self._camera, self.room) == (other.layout, other._camera, other.room)
            and self._folded == other._folded
            and all(a is b for a, b in zip(self.comparison.plans, other.comparison.plans, strict=True))
        )

    # ------------------------------------------------------------------ shapes and text
    def parts(self) -> list[Part]:
        """The head with the slider, the devices where no lanes say which is which, and the canvas."""
        return [*self.heads(self.share), self.canvas(self.share)]

    def heads(self, share: float, knob: bool = True) -> list[Part]:
        """All that stands above the canvas."""
        high, wide = self._words.height, self.size[0]
        devices = [self.devices(high)] if self.layout == "flow" else []
        key = QRectF(0, self._top - self._key_high, wide, self._key_high)
        return [self.head(share, knob), *devices, self.part(key, self._key)]

    def head(self, share: float, knob: bool = True) -> Part:
        """Names and figures of both plans at the slider's ends."""
        box = QRectF(0, 0, self.size[0], self._words.height)
        return self.part(box, lambda painter, inside: self._head(painter, inside, share, knob))

    def canvas(self, share: float) -> Part:
        """Both plans at a share, as shapes and text."""
        return self.part(self._canvas, lambda painter, inside: self._draw(painter, inside, share))

    def track(self) -> QRectF:
        """Where the slider's line is (logical pixels from the stage's corner; no height)."""
        width = self.size[0]
        wide = self._words.track * width
        grow = self.grow
        return QRectF((width - wide) / 2 * grow, 0.5 * HEAD * grow, wide * grow, 0.0)

    def _head(self, painter: QPainter, box: QRectF, share: float, knob: bool) -> None:
        if self.ground:
            painter.fillRect(box, QColor(self.theme.panel))
        track = self.track()
        slider = QRectF(track.left() / self.grow, track.top() / self.grow, track.width() / self.grow, 0.0)
        self._words.paint(painter, box, self.theme, slider if self.slider else None, share if knob else None)

    def _key(self, painter: QPainter, box: QRectF) -> None:
        """What halves and bars stand for."""
        if self.ground:
            painter.fillRect(box, QColor(self.theme.panel))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_split_key(painter, box.adjusted(INSET, 0, -INSET, 0), self.over, self.palette, self._rows)

    def _viewport(self, width: float, height: float, scale: float, share: float) -> Viewport:
        """How the canvas is looked at in so many pixels, ``scale`` of them for each of the painters' own: what fills it at A, then
        what does at B."""
        views = []
        for layout in self.over.ends:
            viewport = Viewport(left=round(self._header * scale))
            viewport.resize(round(width), round(height))
            look(viewport, layout.bounds, self._camera)
            views.append(View(viewport.scale, viewport.ox, viewport.oy))
        now = between(views[0], views[1], self.over.way(share), width, height)
        viewport.scale, viewport.ox, viewport.oy = now.scale, now.ox, now.oy
        return viewport

    def _draw(self, painter: QPainter, box: QRectF, share: float) -> None:
        if self.ground:
            painter.fillRect(box, QColor(self.theme.canvas))
        painter.scale(1.0 / self._fine, 1.0 / self._fine)
        viewport = self._viewport(*self._graph_size, 1.0, share)
        draw_overlay(painter, self.over, self.marks, viewport, self.palette, share, self._least)
        self._name_rows(painter, viewport, 1.0)

    def _name_rows(self, painter: QPainter, viewport: Viewport, scale: float) -> None:
        """The names of rows of the flow, at its left."""
        if self.layout == "flow" and self._header:
            paint_row_headers(
                painter, self.over.first, viewport, self.palette, scale, self._header * scale,
                least=self._least_row * scale,
            )  # fmt: skip

    # ------------------------------------------------------------------ pixels
    def paint_pixels(self, buffer: np.ndarray, ratio: float) -> None:
        """At the slider's own place."""
        self.paint_share(buffer, ratio, self.share)

    def paint_share(self, buffer: np.ndarray, ratio: float, share: float) -> None:
        """At any place of the slider, as the comparison's window paints it."""
        scale = ratio * self.grow / self._fine
        top, wide = round(self._top * ratio * self.grow), min(buffer.shape[1], round(self.room[0] * ratio))
        part = np.ascontiguousarray(buffer[top:, :wide])
        if self._layers_for != (*part.shape, ratio):
            self._layers_for, self._layers.stale = (part.shape[0], part.shape[1], ratio), True
        self.over.place(share)
        viewport = self._viewport(part.shape[1], part.shape[0], scale, share)
        self._layers.paint(part, self.over, self.marks, viewport, self.palette, share, scale)
        buffer[top:, :wide] = part
        image = wrap_image(buffer)  # the painter does not keep it
        painter = QPainter(image)
        painter.translate(0, top)
        self._name_rows(painter, viewport, scale)
        painter.translate(0, -top)
        painter.scale(ratio, ratio)
        paint_parts(painter, self.heads(share))
        painter.end()

    def words(self) -> str:
        """Both plans, and which shows."""
        a, b = (shown_name(self.comparison.figures(i).name) for i in (0, 1))
        shown = f"{percent(self.share, 0)} {b}" if 0.0 < self.share < 1.0 else (b if self.share else a)
        return f"{self.comparison.graph.name} in plans {a} and {b} on one canvas, showing {shown}"
