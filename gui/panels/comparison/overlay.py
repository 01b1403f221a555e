"""Two plans on one canvas: what stays in one colour, what moved split in both, and the way from one plan to the other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtGui import QImage, QPainter

from gui.canvas.graph.animation import eased
from gui.canvas.graph.detail import Detail
from gui.canvas.graph.header_data import HeaderData
from gui.canvas.graph.headers import paint_headers
from gui.canvas.graph.labels import paint_dimmed_labels, paint_labels
from gui.canvas.graph.painter import wrap_image
from gui.canvas.graph.palette import CanvasPalette
from gui.canvas.graph.picture.shapes import paint_graph
from gui.canvas.graph.scene import Scene
from gui.canvas.graph.viewport import Viewport
from gui.layout.between import between
from gui.layout.result import Layout
from gui.panels.comparison.marks import Marks
from gui.panels.comparison.pixels import paint_base, paint_names
from gui.panels.comparison.split import draw_split, paint_split, paint_split_text
from gui.raster import engine as raster


def way(share: float) -> float:
    """How far cards have gone: while both plans show, they stand where A has them."""
    return 0.0 if share <= 0.5 else eased(2.0 * share - 1.0)


@dataclass(eq=False)
class Overlaid:
    """Plans A and B on one canvas: a scene of each with the same cards, where each lays them out, and its lane headers."""

    first: Scene
    second: Scene
    ends: tuple[Layout, Layout]
    headers: tuple[HeaderData | None, HeaderData | None] = (None, None)
    letters: tuple[str, str] = ("A", "B")
    least: float = 0.0
    """Logical pixels that letters on cards are high at least where these have room for such."""

    def way(self, share: float) -> float:
        """How far the cards have gone from A's places to B's."""
        return 0.0 if self.ends[0] is self.ends[1] else way(share)

    @property
    def paired_name(self) -> str:
        """The name of a lane that has one in each plan, as it is written while both show; empty where none has, or there are no lanes."""
        first, second = self.headers
        return "" if first is None or second is None else first.together(second, self.letters).paired

    def place(self, share: float) -> None:
        """Put the cards and edges of both scenes where the share has them."""
        now = between(*self.ends, self.way(share))
        for scene in (self.first, self.second):
            if scene.layout is not now:
                scene.layout, scene.x, scene.y = now, now.x, now.y
                scene.prepare_edges()

    def top(self, share: float) -> tuple[Scene, HeaderData | None]:
        """The plan that shows most; its headers, with the other's figures while both show."""
        which = 0 if share <= 0.5 else 1
        first, second = self.headers
        if 0.0 < share < 1.0 and first is not None and second is not None:
            return (self.first, self.second)[which], first.together(second, self.letters)
        return (self.first, self.second)[which], self.headers[which]


def both(share: float) -> float:
    """How much of the split cards shows: all where both plans show alike, nothing where one is alone."""
    return 1.0 - abs(2.0 * share - 1.0)


class Layers:
    """Plan A, plan B and the split cards of what moved in pixels, kept until they are ``stale``; a frame blends them."""

    def __init__(self) -> None:
        self.stale = True
        self._pixels = [raster.new_image(1, 1) for _ in range(3)]
        self._images: list[QImage] = [wrap_image(layer) for layer in self._pixels]
        self._way = -1.0
        self._detail = Detail.BLOCKS

    def paint(
        self, buffer: np.ndarray, over: Overlaid, marks: Marks, viewport: Viewport, palette: CanvasPalette, share: float, ratio: float,
    ) -> None:  # fmt: skip
        """The frame of a share into ``buffer`` (uint32[height, width]); ``over`` is placed for it already."""
        height, width = buffer.shape
        if self._pixels[0].shape != buffer.shape:
            self._pixels = [raster.new_image(width, height) for _ in range(3)]
            self._images = [wrap_image(layer) for layer in self._pixels]
            self.stale = True
        gone = over.way(share)
        moving = 0.0 < gone < 1.0
        if self.stale or self._way != gone:
            self._make(over, marks, viewport, palette, ratio, not moving)
            self._way, self.stale = gone, False
        image = wrap_image(buffer)  # the painter does not keep it
        painter = QPainter(image)
        painter.drawImage(0, 0, self._images[0 if share < 1.0 else 1])
        if 0.0 < share < 1.0:
            painter.setOpacity(share)
            painter.drawImage(0, 0, self._images[1])
            painter.setOpacity(1.0)
            if moving:
                paint_dimmed_labels(painter, over.first, viewport, palette, self._detail, ratio)
            painter.setOpacity(both(share))
            painter.drawImage(0, 0, self._images[2])
            painter.setOpacity(1.0)
        if over.first.layout.lanes:
            top, headers = over.top(share)
            paint_headers(painter, top, viewport, palette, headers, ratio)
        painter.end()

    def _make(
        self, over: Overlaid, marks: Marks, viewport: Viewport, palette: CanvasPalette, ratio: float, all_names: bool
    ) -> None:  # fmt: skip
        """Not ``all_names`` where every frame has layers of its own: cards that are faded are alike in both plans, and named once."""
        for layer, scene in zip(self._pixels, (over.first, over.second), strict=False):
            self._detail = detail = paint_base(layer, scene, viewport, palette, ratio)
            image = wrap_image(layer)  # the painter does not keep it
            painter = QPainter(image)
            if all_names or detail == Detail.OVERVIEW:
                paint_names(painter, scene, viewport, palette, detail, ratio, over.least * ratio)
            else:
                paint_labels(painter, scene, viewport, palette, detail, ratio, least=over.least * ratio)
            painter.end()
        raster.fill(self._pixels[2], None, 0, replace=True)
        detail = over.first.detail(viewport.scale / ratio)
        paint_split(self._pixels[2], over.first, over.second, viewport, palette, marks, detail, ratio)
        image = wrap_image(self._pixels[2])  # the painter does not keep it
        painter = QPainter(image)
        least = over.least * ratio
        paint_split_text(painter, over.first, over.second, viewport, palette, marks, detail, ratio, least)
        painter.end()


def draw_overlay(
    painter: QPainter, over: Overlaid, marks: Marks, viewport: Viewport, palette: CanvasPalette, share: float, least: float = 0.0
) -> None:  # fmt: skip
    """A share as shapes and text, in logical pixels: the plan that shows most, and over it the split cards. No letters are lower than
    ``least`` pixels where there is room for such."""
    over.place(share)
    top, headers = over.top(share)
    detail, names = max(Detail.BLOCKS, top.detail(viewport.scale)), max(least, over.least)
    paint_graph(painter, top, viewport, palette, detail, least=names)
    if both(share) > 0.0:
        painter.setOpacity(both(share))
        draw_split(painter, over.first, over.second, viewport, palette, marks, detail)
        paint_split_text(painter, over.first, over.second, viewport, palette, marks, detail, 1.0, names)
        painter.setOpacity(1.0)
    paint_headers(painter, top, viewport, palette, headers, 1.0, least, some=least > 0, wide=viewport.left)
