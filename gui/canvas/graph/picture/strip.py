"""A picture of a plan as it is laid out, and the strip above its graph: heading, models, what marks mean, and the legend."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from gui.canvas.graph.detail import Detail
from gui.canvas.graph.header_data import HeaderData
from gui.canvas.graph.headers import header_rows
from gui.canvas.graph.heat.heat import Heat
from gui.canvas.graph.heat.legend import HEIGHT as HEAT_HEIGHT
from gui.canvas.graph.heat.legend import WIDTH as HEAT_WIDTH
from gui.canvas.graph.heat.legend import paint_heat_legend
from gui.canvas.graph.palette import CanvasPalette, model_shade
from gui.canvas.graph.picture.legend import NO_LEGEND, Legend, paint_legend
from gui.canvas.graph.picture.shapes import are_numbered
from gui.canvas.graph.scene import Scene
from gui.canvas.graph.viewport import Rect, Viewport
from gui.look.fonts import font, metrics
from gui.look.heading import MOST_LINES, Heading, heading_of
from gui.look.writing import RIGHT
from gui.widgets.bar_key import MOVED, SPLIT, key_lines, key_width, paint_key

TITLE_HEIGHT, INSET, TITLE_PIXELS, SUBTITLE_PIXELS = 54, 16, 17, 12
"""Units: the strip above a graph, what its words keep from the sides, and the letters of the second line."""
KEY_LINE = 20.0
"""Units that a line is high which says what marks mean."""


@dataclass(frozen=True, eq=False)
class Picture:
    """What is drawn: a scene fitted into what title and legend leave of ``size`` (width, height), with lane headers in the lanes view."""

    scene: Scene
    viewport: Viewport
    palette: CanvasPalette
    headers: HeaderData | None
    title: str
    subtitle: str
    size: tuple[float, float]
    detail: Detail = Detail.LABELS
    legend: Legend = NO_LEGEND
    least: float = 0.0
    """Units that letters are high at least."""
    most_lines: int = 1
    """Lines that the title and the subtitle may take, where the page is narrow."""
    seen: Rect | None = None
    """What alone is drawn of the scene, in its units, where that is not all that has room."""
    ringed: bool = False
    """Whether cards have rings, which are the ops that are elsewhere in another plan: the title says so."""
    key: int = 0
    """Lines below the heading that say what marks mean, where they have no room beside the title."""

    @property
    def heading(self) -> Heading:
        """Title and subtitle."""
        width = self.size[0] - heat_width(self.scene.heat)
        return strip_heading(self.title, self.subtitle, width, self.most_lines)

    @property
    def top(self) -> float:
        """Where the graph begins."""
        return self.heading.height + self.key * KEY_LINE + self.legend.height


def strip_heading(title: str, subtitle: str, width: float, most: int = MOST_LINES) -> Heading:
    """The heading of a strip of ``width`` units, of which a scale of a heat map takes nothing any more."""
    large, small = font(TITLE_PIXELS, True), font(SUBTITLE_PIXELS, False)
    return heading_of(title, subtitle, width - 2 * INSET, large, small, most=most)


def _models_beside(picture: Picture, left: float) -> tuple[list[tuple[int, float, float]], float]:
    """The models that are deployed together, as far as there is room beside the title, which ends at ``left``: each with where its name
    ends and how wide that is; and where the first of them begins."""
    names = picture.scene.items.graph.model_names
    right = picture.size[0] - INSET - heat_width(picture.scene.heat)
    found: list[tuple[int, float, float]] = []
    for model in range(len(names) - 1, -1, -1) if len(names) > 1 else ():
        wide = metrics(12, False).horizontalAdvance(names[model])
        if right - wide - 22 < left:
            break
        found.append((model, right, wide))
        right -= wide + 36
    return found, right


def _paint_models(painter: QPainter, picture: Picture, left: float) -> float:
    """Which fill is whose, of models that have room beside the title; returns where that begins."""
    names, theme = picture.scene.items.graph.model_names, picture.palette.theme
    painter.setFont(font(12, False))
    found, begins = _models_beside(picture, left)
    for model, right, wide in found:
        painter.setPen(QColor(theme.text))
        painter.drawText(QRectF(right - wide, 6, wide, 24), RIGHT, names[model])
        painter.setPen(QPen(QColor(theme.muted), 1))
        painter.setBrush(QColor(model_shade(model, theme)))
        painter.drawRoundedRect(QRectF(right - wide - 19, 13, 13, 9), 2, 2)
    return begins


def heat_width(heat: Heat | None) -> float:
    """What the scale of a heat map takes of the title's width."""
    return 0.0 if heat is None else HEAT_WIDTH + 6


def key_of(picture: Picture) -> tuple[str, ...]:
    """What the picture has to explain: parts of bars, rings and cards of groups on several devices."""
    barred = header_rows(picture.scene, picture.viewport, picture.headers, picture.least) > 1
    parts = picture.headers.kinds if picture.headers is not None and barred else ()
    rings = (MOVED,) if picture.ringed else ()
    coloured = picture.scene.heat is None and picture.detail != Detail.OVERVIEW
    return (*parts, *rings, *((SPLIT,) if coloured and len(picture.scene.splits.item) else ()))


def _key_face(picture: Picture) -> QFont:
    return font(max(SUBTITLE_PIXELS, ceil(picture.least)), False)


def key_lines_below(picture: Picture) -> int:
    """How many lines what is to be explained takes below the heading; 0 where it has room beside the title."""
    face, kinds, heading = _key_face(picture), key_of(picture), picture.heading
    room = picture.size[0] - heat_width(picture.scene.heat) - 2 * INSET
    title = QFontMetricsF(heading.large).horizontalAdvance(heading.title[0])
    left = INSET + min(title, room) + 24
    if not kinds or _models_beside(picture, left)[1] - key_width(kinds, face) >= left:
        return 0
    return len(key_lines(kinds, face, picture.size[0] - 2 * INSET))


def paint_title(painter: QPainter, picture: Picture) -> None:
    """The strip with title and subtitle, which fill is whose model, what the parts of bars are, and the legend."""
    theme, width = picture.palette.theme, picture.size[0]
    painter.setPen(QPen(QColor(theme.border), 1))
    painter.drawLine(0, round(picture.top), round(width), round(picture.top))
    heat = picture.scene.heat
    if heat is not None:
        paint_heat_legend(painter, heat, theme, width - HEAT_WIDTH - 6, (TITLE_HEIGHT - HEAT_HEIGHT) / 2)
    heading, room = picture.heading, width - heat_width(heat) - 2 * INSET
    left = INSET + heading.paint(painter, INSET, room, theme) + 24
    right = _paint_models(painter, picture, left)
    kinds, face = key_of(picture), _key_face(picture)
    if picture.key:
        for row, line in enumerate(key_lines(kinds, face, width - 2 * INSET)):
            place = QRectF(INSET, heading.height - 4 + row * KEY_LINE, width - 2 * INSET, KEY_LINE)
            paint_key(painter, place, line, theme, face)
    else:
        marks = tuple(kind for kind in kinds if kind in (MOVED, SPLIT))
        choices = (kinds, marks, tuple(kind for kind in marks if kind == MOVED))
        told = next((kinds for kinds in choices if right - key_width(kinds, face) >= left), ())
        wide = key_width(told, face)
        paint_key(painter, QRectF(right - wide, 8, wide, 20), told, theme, face)
    numbered = are_numbered(picture.viewport, picture.palette, picture.detail, picture.least)
    below = heading.height + picture.key * KEY_LINE - 4
    paint_legend(painter, picture.legend, picture.palette, below, numbered)
