"""A compared plan in pixels: its scene, the rings of moved cards, names, badges and lane headers."""

from __future__ import annotations

import numpy as np
from PySide6.QtGui import QPainter

from gui.canvas.graph.detail import Detail
from gui.canvas.graph.header_data import HeaderData
from gui.canvas.graph.headers import paint_headers
from gui.canvas.graph.labels import paint_dimmed_labels, paint_labels
from gui.canvas.graph.overview import on_ground, paint_ground
from gui.canvas.graph.painter import paint_bands, paint_scene, wrap_image
from gui.canvas.graph.palette import CanvasPalette, packed
from gui.canvas.graph.scene import Scene
from gui.canvas.graph.viewport import Viewport
from gui.panels.comparison.marks import Marks, paint_badges, paint_rings
from gui.raster import engine as raster


def paint_plan(
    buffer: np.ndarray,
    scene: Scene,
    viewport: Viewport,
    palette: CanvasPalette,
    ratio: float,
    headers: HeaderData | None,
    marks: Marks,
) -> None:
    """A plan with the marks of its moved cards and, in lanes, the headers."""
    detail = paint_base(buffer, scene, viewport, palette, ratio)
    paint_rings(buffer, scene, viewport, palette, marks, detail, ratio)
    image = wrap_image(buffer)
    painter = QPainter(image)
    paint_names(painter, scene, viewport, palette, detail, ratio)
    if detail >= Detail.LABELS:
        paint_badges(painter, scene, viewport, palette, marks, detail, ratio)
    if scene.layout.lanes:
        paint_headers(painter, scene, viewport, palette, headers, ratio)
    painter.end()


def paint_base(
    buffer: np.ndarray, scene: Scene, viewport: Viewport, palette: CanvasPalette, ratio: float
) -> Detail:
    """A plan without its text. From afar the ground of each device alone: what moved must not be hidden by ribbons."""
    detail = scene.detail(viewport.scale / ratio)
    if detail > Detail.OVERVIEW:
        paint_scene(buffer, scene, viewport, palette, ratio, text=False)
        return detail
    raster.fill(buffer, None, packed(palette.theme.canvas), replace=True)
    paint_bands(buffer, scene, viewport, palette)
    if scene.items.count:
        paint_ground(buffer, scene, viewport, palette, ratio)
    return detail


def paint_names(
    painter: QPainter, scene: Scene, viewport: Viewport, palette: CanvasPalette, detail: Detail, ratio: float,
    least: float = 0.0,
) -> None:  # fmt: skip
    """Labels, those of faded cards dimmed; ``least`` as for :func:`paint_labels`."""
    if detail == Detail.OVERVIEW:
        if on_ground(scene):
            paint_labels(painter, scene, viewport, palette, detail, ratio)
        return
    paint_dimmed_labels(painter, scene, viewport, palette, detail, ratio, least=least)
    paint_labels(painter, scene, viewport, palette, detail, ratio, least=least)
