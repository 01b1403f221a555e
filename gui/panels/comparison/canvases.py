"""The canvases of compared plans in a picture: one layout where the view allows it, matched colours, moved ops marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from gui.canvas.graph.detail import Detail, detail_at
from gui.canvas.graph.headers import HEADER_WIDTH, headers_fit, paint_headers
from gui.canvas.graph.items import Items, items_of
from gui.canvas.graph.labels import blank_share, name_size, named_whole, paint_dimmed_labels, paint_labels
from gui.canvas.graph.naming.row_headers import paint_row_headers
from gui.canvas.graph.palette import CanvasPalette, canvas_palette
from gui.canvas.graph.picture.picture import MOST_BLANK
from gui.canvas.graph.picture.shapes import paint_graph
from gui.canvas.graph.picture.strip import (
    INSET,
    SUBTITLE_PIXELS,
    TITLE_HEIGHT,
    TITLE_PIXELS,
    Picture,
    paint_title,
)
from gui.canvas.graph.scene import STYLE, Scene, arrange, skeleton_of
from gui.canvas.graph.viewport import Viewport
from gui.layout import Layout
from gui.layout.aligned import aligned
from gui.layout.result import Rect
from gui.look.fonts import font
from gui.look.theme import Theme
from gui.panels.comparison.marks import AWAY, CLOSE, Marks, marks_of, paint_badges, ring_width
from gui.panels.comparison.names import plan_title
from gui.panels.comparison.rows import MOST_NAMES, MOST_PRINTED, names_width, row_headers, scene_of_plan
from gui.panels.comparison.words import fitting_lines, moved_words, rules_words, whole_words
from planner.model.graph import Ints
from planner.reports.comparison import Comparison

GAP = 1.0
"""Pixels between canvases."""
WHOLE: Rect = (0.0, 0.0, 1.0, 1.0)
"""The camera that sees everything."""
WANTED = 1.45
"""How much wider than high a canvas is at best."""
HEADERS = 0.42
"""The share of a narrow canvas that the headers of its lanes may take."""


@dataclass(frozen=True, eq=False)
class Canvas:
    """One plan in its box of the picture."""

    box: QRectF
    picture: Picture
    marks: Marks
    ringed: bool
    """Whether moved cards have rings, which would hide dots: everywhere or nowhere in a picture."""
    fine: float = 1.0
    """Pixels in which the graph is laid out, for each of those of its title."""


def grid(count: int, width: float, height: float) -> tuple[int, int]:
    """Columns and rows for so many canvases, whose shape is then nearest to the wanted one."""
    choices = [(columns, -(-count // columns)) for columns in range(1, count + 1)]
    choices = [(columns, rows) for columns, rows in choices if columns * rows - count < columns]

    def off(choice: tuple[int, int]) -> tuple[float, int]:
        columns, rows = choice
        shape = (width / columns) / max(1.0, height / rows - TITLE_HEIGHT)
        return abs(float(np.log(shape / WANTED))) + 0.35 * (columns * rows - count), -columns

    return min(choices, key=off)


def opposite(comparison: Comparison, plan: int) -> int:
    """The plan that a plan's marks point to: the reference, and of that the one that differs most from it."""
    if plan:
        return 0
    return max(range(1, len(comparison.plans)), key=lambda other: (len(comparison.moved(other)), -other))


def canvases(
    comparison: Comparison,
    box: QRectF,
    theme: Theme,
    view: str,
    camera: Rect = WHOLE,
    out: Ints | None = None,
    named: bool = True,
    items: Items | None = None,
    least: float = 0.0,
    fine: float = 1.0,
) -> list[Canvas]:
    """Each plan laid out for its part of ``box``; the flow is laid out once for all.

    ``camera``: what is seen, as shares of what is laid out; ``out``: the ops that stand out (none: those that moved). Not ``named``: where
    names of plans have no room their letters are enough, as the names stand elsewhere. ``items``: the cards, None for one of each op.
    ``least``: pixels that letters on cards are high at least, where these have room for such; ``fine``: pixels in which graphs are laid out,
    with their headers and names, for each of those of the titles over them.
    """
    count = len(comparison.plans)
    columns, rows = grid(count, box.width(), box.height())
    width = int((box.width() - GAP * (columns - 1)) / columns)
    height = int((box.height() - GAP * (rows - 1)) / rows)
    wide, high = round(width * fine), round((height - TITLE_HEIGHT) * fine)
    lanes, flow = (
        min(HEADER_WIDTH, round(HEADERS * wide)),
        round(names_width(comparison.graph, view, wide, MOST_PRINTED if least else MOST_NAMES, least)),
    )
    header = lanes if view == "lanes" else flow
    room = (max(100.0, wide - header - 24.0), max(80.0, high - 24.0))
    items = items or items_of(comparison.graph, None, frozenset())
    skeleton, size = skeleton_of(items), len(comparison.rows)
    found: list[Canvas] = []
    titles = _titles(comparison, named, width - 2 * INSET)
    others = [
        (rules_words(comparison, i), moved_words(comparison, i, opposite(comparison, i)))
        for i in range(count)
    ]
    told = fitting_lines(comparison, range(count), others, font(SUBTITLE_PIXELS, False), width - 2 * INSET)
    layouts: list[Layout] = []
    for i in range(count):
        places = np.array(comparison.places[i], np.int32)
        if not layouts or view == "lanes":
            layouts.append(
                arrange(items, skeleton, view, places, size, room, layouts[0] if layouts else None)
            )
        else:
            layouts.append(layouts[0])
    for i, layout in enumerate(aligned(layouts) if view == "lanes" else layouts):
        scene = scene_of_plan(comparison, i, items, skeleton, layout, view, alone=True)
        other = opposite(comparison, i)
        moved = comparison.moved(i, other)
        standing_out = moved if out is None or not len(out) else out
        if 0 < len(standing_out) < comparison.graph.n:
            scene.highlighted = scene.mask(standing_out)
        viewport = Viewport(left=header)
        viewport.resize(wide, high)
        look(viewport, layout.bounds, camera)
        words = whole_words(told[i], font(SUBTITLE_PIXELS, False), width - 2 * INSET)
        picture = Picture(
            scene, viewport, canvas_palette(theme, size, comparison.numbers), row_headers(comparison, i) if view == "lanes" else None,
            titles[i], words, (width, height), least=least,
        )  # fmt: skip
        x = box.left() + (i % columns) * (width + GAP)
        y = box.top() + (i // columns) * (height + GAP)
        found.append(
            Canvas(
                QRectF(x, y, width, height), picture, marks_of(comparison, items, i, (other, i)), True, fine
            )
        )
    least = min(canvas.picture.viewport.scale for canvas in found)
    ringed = detail_at(STYLE.card_h * least) > Detail.OVERVIEW
    return [
        replace(
            canvas, ringed=ringed, picture=replace(canvas.picture, ringed=ringed and bool(canvas.marks.moved.any()))
        )
        for canvas in found
    ]  # fmt: skip


def _titles(comparison: Comparison, named: bool, room: float) -> list[str]:
    """What stands over the canvases."""
    every = range(len(comparison.plans))
    titles, measure = [plan_title(comparison, i) for i in every], QFontMetricsF(font(TITLE_PIXELS, True))
    if named or all(measure.horizontalAdvance(title) <= room for title in titles):
        return titles
    return [comparison.letter(i) for i in every]


def names_fit(scene: Scene, viewport: Viewport, palette: CanvasPalette, least: float) -> bool:
    """Whether nearly all cards have room for names whose letters are ``least`` pixels high at least."""
    card = STYLE.card_h * viewport.scale
    detail = detail_at(card)
    if detail < Detail.LABELS or name_size(card, 1.0, least) < least:
        return False
    return detail >= Detail.CARDS or blank_share(scene, viewport, palette, least) <= MOST_BLANK


def named(found: Sequence[Canvas]) -> bool:
    """Whether nearly all cards of every canvas have room for their names."""
    pictures = [canvas.picture for canvas in found]
    return all(names_fit(each.scene, each.viewport, each.palette, each.least) for each in pictures)


def names_told(found: Sequence[Canvas]) -> tuple[int, int]:
    """How many cards of all canvases carry whole names, and how high their letters are at least (pixels of the graphs; 0 where no card has any)."""
    pictures = [canvas.picture for canvas in found]
    told = [named_whole(each.scene, each.viewport, each.palette, each.least) for each in pictures]
    return sum(count for count, _ in told), min(pixels for _, pixels in told)


def look(viewport: Viewport, bounds: Rect, camera: Rect) -> None:
    """Show the ``camera``'s part of a scene with these ``bounds``; all of it no larger than what can be read well."""
    x, y, w, h = bounds
    part = (x + camera[0] * w, y + camera[1] * h, camera[2] * w, camera[3] * h)
    viewport.fit(part, margin=10, largest=1.6 if camera == WHOLE else 2.4)


def paint_canvas(painter: QPainter, canvas: Canvas, ground: bool) -> None:
    """Title and plan as shapes and text, on a ground or on none."""
    picture = canvas.picture
    width, height = picture.size
    theme = picture.palette.theme
    painter.save()
    painter.translate(canvas.box.topLeft())
    painter.setClipRect(QRectF(0, 0, width, height))
    if ground:
        painter.fillRect(QRectF(0, 0, width, height), QColor(theme.canvas))
        painter.fillRect(QRectF(0, 0, width, TITLE_HEIGHT), QColor(theme.panel))
    painter.save()
    painter.translate(0, TITLE_HEIGHT)
    painter.scale(1.0 / canvas.fine, 1.0 / canvas.fine)
    _paint_shapes(painter, canvas)
    painter.restore()
    paint_title(painter, picture)
    painter.restore()


def _paint_shapes(painter: QPainter, canvas: Canvas) -> None:
    scene, viewport, palette = canvas.picture.scene, canvas.picture.viewport, canvas.picture.palette
    detail = max(Detail.BLOCKS, scene.detail(viewport.scale))
    least, most = canvas.picture.least, scene.items.count
    paint_graph(painter, scene, viewport, palette, detail, least=least, names=False)
    width = ring_width(STYLE.card_h * viewport.scale)
    away = CLOSE * width if detail == Detail.BLOCKS else AWAY
    round_px = min(3.0, 3.0 * width)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(palette.theme.text), width))
    for i in np.flatnonzero(canvas.marks.moved & canvas.ringed).tolist():
        x, y = viewport.to_pixels(float(scene.x[i]), float(scene.y[i]))
        wide, high = float(scene.w[i]) * viewport.scale, float(scene.h[i]) * viewport.scale
        painter.drawRoundedRect(
            QRectF(x - away, y - away, wide + 2 * away, high + 2 * away), round_px, round_px
        )
    # Over the rings, which names below cards would have running through them.
    paint_dimmed_labels(painter, scene, viewport, palette, detail, 1.0, most, least)
    paint_labels(painter, scene, viewport, palette, detail, 1.0, most, least)
    if detail >= Detail.LABELS:
        paint_badges(painter, scene, viewport, palette, canvas.marks, detail, 1.0, least)
    # Of lanes too low for the least letters as many are named as have room.
    paint_headers(
        painter, scene, viewport, palette, canvas.picture.headers, 1.0, least,
        some=not headers_fit(scene, viewport, least), wide=viewport.left,
    )  # fmt: skip
    if not scene.layout.lanes and viewport.left:
        paint_row_headers(painter, scene, viewport, palette, 1.0, viewport.left, least=least)
