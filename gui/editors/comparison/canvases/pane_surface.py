"""The pixels of a pane: the painted scene kept between frames, the marks of moved ops, and what follows the pointer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gui.canvas.graph.detail import Detail, detail_at
from gui.canvas.graph.header_data import HeaderData
from gui.canvas.graph.headers import paint_headers
from gui.canvas.graph.kept_pixels import KeptPixels
from gui.canvas.graph.naming.row_headers import paint_row_headers
from gui.canvas.graph.overlay import paint_attention, paint_band
from gui.canvas.graph.palette import packed
from gui.canvas.graph.pointed_scene import PointedScene
from gui.canvas.graph.scene import STYLE, Scene
from gui.editors.comparison.state import CompareState
from gui.panels.comparison.marks import Marks, paint_badges
from gui.panels.comparison.pixels import paint_plan
from gui.raster import engine as raster

NOTHING = np.empty(0, np.int32)
UNMARKED = Marks(np.zeros(0, bool), np.zeros(0, np.int32), ())
MOST_ATTENTION = 50
"""Larger selections are marked on their cards alone."""


def unseen_words(state: CompareState) -> str:
    """What a pane says that shows no plan: why there is nothing to compare, or that the plan is being laid out."""
    return state.why_not if state.comparison is None else "drawing …"


class PaneSurface(KeptPixels):
    """Paints a pane."""

    def __init__(self, pane: PointedScene, state: CompareState) -> None:
        super().__init__(pane)
        self._pane, self._state = pane, state
        self.marks = UNMARKED
        """What moved between the plans that lists are about."""

    def paint(self) -> None:
        """Blit the painted scene, then what follows the pointer."""
        pane = self._pane
        ratio = pane.devicePixelRatioF()
        self.keep_base(ratio)
        painter = QPainter(pane)
        painter.drawImage(0, 0, self._image)
        scene = pane.scene
        if scene is None:
            painter.setPen(QColor(pane.theme.muted))
            centred = int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap)
            painter.drawText(pane.rect(), centred, unseen_words(self._state))
            painter.end()
            return
        pointed = self._pointed(scene)
        if len(pointed):
            top, headers = self.top(scene)
            if self.over_stale:
                paint_attention(self._over, top, pane.viewport, pane.palette_now, pointed, ratio, NOTHING)
                self.over_stale = False
            painter.drawImage(0, 0, self._over_image)
            self.paint_over(painter, pointed, ratio)
            if top.layout.lanes:
                painter.save()
                painter.scale(1 / ratio, 1 / ratio)
                paint_headers(painter, top, pane.viewport, pane.palette_now, headers, ratio)
                painter.restore()
        if pane.row_header_width:
            painter.save()
            painter.scale(1 / ratio, 1 / ratio)
            wide = pane.row_header_width * ratio
            paint_row_headers(painter, scene, pane.viewport, pane.palette_now, ratio, wide)
            painter.restore()
        if self.band is not None:
            paint_band(painter, self.band, pane.theme)
        paint_focus(painter, QRectF(pane.rect()), pane.theme.focus if pane.hasFocus() else "")
        painter.end()

    def paint_base(self, ratio: float) -> None:
        """Paint what does not follow the pointer into the kept buffer."""
        pane = self._pane
        if pane.scene is None:
            raster.fill(self._buffer, None, packed(pane.theme.canvas), replace=True)
            return
        paint_plan(self._buffer, pane.scene, pane.viewport, pane.palette_now, ratio, self.headers, self.marks)

    def top(self, scene: Scene) -> tuple[Scene, HeaderData | None]:
        """What edges and headers are drawn of where the pointer is on something."""
        return scene, self.headers

    def paint_over(self, painter: QPainter, pointed: np.ndarray, ratio: float) -> None:
        """The marks of what is pointed at and of its neighbours again, which outlines cross."""
        pane, scene = self._pane, self._pane.scene
        assert scene is not None
        detail = detail_at(STYLE.card_h * pane.viewport.scale / ratio)
        if detail < Detail.LABELS:
            return
        edges = scene.items.edges_of(pointed)
        near = np.zeros(scene.items.count, bool)
        near[pointed] = near[scene.items.edge_src[edges]] = near[scene.items.edge_dst[edges]] = True
        painter.save()
        painter.scale(1 / ratio, 1 / ratio)
        marks = replace(self.marks, moved=self.marks.moved & near)
        paint_badges(painter, scene, pane.viewport, pane.palette_now, marks, detail, ratio)
        painter.restore()

    def _pointed(self, scene: Scene) -> np.ndarray:
        """Cards whose edges stand out: the hovered one, and a small selection."""
        state = self._state
        chosen = state.selection if len(state.selection) <= MOST_ATTENTION else NOTHING
        if 0 <= state.hover < scene.items.graph.n:
            chosen = np.append(chosen, state.hover)
        return np.unique(scene.items.item_of[chosen])


def paint_focus(painter: QPainter, box: QRectF, colour: str) -> None:
    """A line around the pane that has the keyboard; ``colour`` is empty where it has not."""
    if not colour:
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setPen(QPen(QColor(colour), 2))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(box.adjusted(1, 1, -1, -1))
