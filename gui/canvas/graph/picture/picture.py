"""Pictures of a plan without a window, as PNG, SVG and PDF: the graph as flow, lanes or stages, with a title and a legend."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter

from gui.canvas.graph.detail import Detail
from gui.canvas.graph.header_data import HeaderData, header_data
from gui.canvas.graph.headers import HEADER_WIDTH, paint_headers
from gui.canvas.graph.heat.heat import STAGE, heat_of
from gui.canvas.graph.items import Items, items_of
from gui.canvas.graph.labels import blank_share, name_size
from gui.canvas.graph.lanes.links import links_of
from gui.canvas.graph.lanes.transfers import crossing_bytes
from gui.canvas.graph.naming.device_codes import device_codes
from gui.canvas.graph.naming.row_headers import header_width, paint_row_headers
from gui.canvas.graph.palette import canvas_palette, filled_palette
from gui.canvas.graph.picture.legend import NO_LEGEND, legend_of
from gui.canvas.graph.picture.part import Part, uncut
from gui.canvas.graph.picture.shapes import paint_graph
from gui.canvas.graph.picture.strip import (
    KEY_LINE,
    TITLE_HEIGHT,
    Picture,
    heat_width,
    key_lines_below,
    paint_title,
    strip_heading,
)
from gui.canvas.graph.picture.subtitle import subtitle_of
from gui.canvas.graph.picture.unused import folded_lanes, folds
from gui.canvas.graph.scene import NONE, STYLE, Scene, scene_of
from gui.canvas.graph.stages.blocks import paint_plates
from gui.canvas.graph.stages.plate_form import LEAST_READ, plate_width
from gui.canvas.graph.stages.ribbons import figure_height
from gui.canvas.graph.viewport import LARGEST_SCALE, Viewport
from gui.document.plan.folding import Folding
from gui.layout import LayoutStyle
from gui.layout.stages import NO_WORDS, Words
from gui.look.drawn import Drawing, fill_ground
from gui.look.heading import MOST_LINES
from gui.look.page import PRESETS, SHEET, Page
from planner.model.graph import Ints
from planner.model.groups import GroupView
from planner.problem.bound import Bound
from planner.problem.decision import Evaluation
from planner.problem.problem import Problem
from planner.problem.target import Device

MARGIN, LARGEST = 10.0, 1.6
"""Room around the graph in units, and its largest scale."""
GROWS_FROM, GROWN_TIMES = 1.05, 3
"""A small graph is drawn larger where it grows by this much at least, and laid out anew so often at most."""
SQUEEZED = 0.95
"""Where heading and legend leave less than this share of the usual room, the graph is laid out for what they leave."""


UNMARKED: dict[str, Any] = {
    "selected": NONE, "highlighted": NONE, "all_faded": False, "pinned": NONE, "violating": NONE,
}  # fmt: skip
"""Of a scene in a window what is marked is not copied."""


MOST_BLANK = 0.2
"""Cards without a name in a picture, as a share: where there are more, groups are folded."""
WIDER = (1.25, 1.5)
"""Cards are so many times as wide at most where some have no room for their names."""


def compose(
    problem: Problem,
    device_of: Ints | None,
    page: Page,
    view: str,
    title: str = "",
    bounds: Sequence[Bound] = (),
    grouping: GroupView | None = None,
    folded: frozenset[int] = frozenset(),
    part: Part | None = None,
    colouring: str = STAGE,
) -> Picture:
    """Lay everything out in units of ``page``, or show a part of what is laid out. Without a plan every op is drawn in one colour.

    Where a page has a floor and the names of ops would lie below it, groups are folded whose names do not.
    """
    asked = _Asked(problem, device_of, page, view, title, tuple(bounds), part, colouring)
    places = () if device_of is None or view == "flow" else (device_of,)
    items = items_of(problem.graph, grouping, folded, places)
    made = _composed(asked, items)
    if page.floor <= 0.0 or part is not None or view == "stages":
        return made
    if folded or _named(made):
        return _widened(asked, items, made)
    folding = Folding()
    folding.reset(problem.graph)
    folding.fold_all()
    if not folding.folded:
        return made
    items = items_of(problem.graph, folding.grouping, folding.folded, places)
    other = _composed(asked, items)
    return _widened(asked, items, other) if _named(other) else made


def _widened(asked: _Asked, items: Items, made: Picture) -> Picture:
    """The same picture, or with wider cards where more of their names have room then."""
    for times in WIDER:
        if made.detail != Detail.LABELS or not (blank := _blank(made)):
            break
        other = _composed(asked, items, replace(STYLE, card_w=times * STYLE.card_w))
        if _named(other) and _blank(other) < blank:
            made = other
    return made


@dataclass(frozen=True, eq=False)
class _Asked:
    """What :func:`compose` was asked for."""

    problem: Problem
    device_of: Ints | None
    page: Page
    view: str
    title: str
    bounds: tuple[Bound, ...]
    part: Part | None
    colouring: str


def _named(picture: Picture) -> bool:
    """Whether its cards carry names, nearly all of them, in letters that the page can have."""
    card = STYLE.card_h * picture.viewport.scale
    if picture.detail < Detail.LABELS or name_size(card, 1.0, picture.least) < picture.least:
        return False
    return picture.detail >= Detail.CARDS or _blank(picture) <= MOST_BLANK


def _blank(picture: Picture) -> float:
    """The share of the cards that have no room for their names."""
    return blank_share(picture.scene, picture.viewport, picture.palette, picture.least)


def _composed(asked: _Asked, items: Items, style: LayoutStyle = STYLE, key: int = 0) -> Picture:
    """The picture of these items: laid out for the usual room first, and again for what heading, ``key`` (lines that say what marks mean) and
    legend leave."""
    problem, page, part = asked.problem, asked.page, asked.part
    planned = asked.device_of is not None
    k = len(problem.devices) if planned else 1
    assigned = np.zeros(problem.graph.n, np.int32) if asked.device_of is None else asked.device_of
    rows = round(header_width(problem.graph)) if asked.view == "flow" else 0
    header = HEADER_WIDTH if asked.view == "lanes" else rows
    width, height = page.room
    title = asked.title or problem.graph.name
    named = problem.devices if planned else (Device("ops", "none", "not placed"),)
    evaluation = problem.evaluate(assigned) if planned else None
    subtitle = subtitle_of(problem, items, evaluation, asked.bounds)
    palette = canvas_palette(page.theme, k)
    if planned:
        palette = filled_palette(page.theme, k, device_codes([device.title for device in problem.devices]))

    def scene_in(left: float, words: Words = NO_WORDS) -> Scene:
        room = (max(100.0, width - header - 24.0), max(80.0, left))
        if asked.view == "lanes" and planned and folds(assigned, k):
            return folded_lanes(items, assigned, k, room, named, problem.evaluator, style)
        return scene_of(
            items,
            asked.view,
            assigned,
            k,
            room,
            named,
            problem.evaluator,
            problem.target.in_a_row,
            style,
            words,
        )

    usual = height - TITLE_HEIGHT - 24.0
    scene = scene_in(usual) if part is None else replace(
        part.scene, settled=True, x=part.scene.layout.x.copy(), y=part.scene.layout.y.copy(), **UNMARKED
    )  # fmt: skip
    headers, legend = None, NO_LEGEND
    if evaluation is not None:
        headers = _headers(scene, problem, assigned, evaluation)
        if headers is not None and asked.view == "flow":
            ops = np.bincount(assigned, minlength=k).tolist()
            legend = legend_of(headers, ops, page.room, marked=asked.colouring == STAGE)
    heat = heat_of(problem, assigned, items, asked.colouring, scene.times)
    heading = strip_heading(title, subtitle, width - heat_width(heat))
    top = heading.height + key * KEY_LINE + legend.height
    words = _words(scene, problem, headers, page)
    squeezed = height - top - 24.0 < SQUEEZED * usual
    if page.floor > 0.0 and part is None and (squeezed or words != NO_WORDS):
        scene = scene_in(height - top - 24.0, words)
        headers = headers if evaluation is None else _headers(scene, problem, assigned, evaluation)
    scene.heat = heat
    seen = scene.layout.bounds if part is None else part.region
    largest = max(LARGEST, scene.life_size) if part is None else LARGEST_SCALE
    wide = min(largest, (width - header - 2 * MARGIN) / max(seen[2], 1e-9))
    if page.crop:
        height = min(height, top + wide * seen[3] + 2 * MARGIN)
    viewport = Viewport(left=header)
    viewport.resize(round(width), round(max(1.0, height - top)))
    viewport.fit(seen, margin=MARGIN, largest=largest)
    clip = None if part is None else uncut(scene, viewport)
    if clip is not None:
        viewport.fit(clip, margin=MARGIN, largest=largest)
    made = Picture(
        scene, viewport, palette, headers, title, subtitle, (width, height), scene.detail(viewport.scale), legend,
        page.least_units, MOST_LINES, clip, key=key,
    )  # fmt: skip
    lines = 0 if key else key_lines_below(made)
    return _composed(asked, items, style, lines) if lines else made


def _words(scene: Scene, problem: Problem, headers: HeaderData | None, page: Page) -> Words:
    """What blocks must have room for on a page with a floor."""
    if scene.layout.stages is None or headers is None:
        return NO_WORDS
    used = np.flatnonzero(scene.layout.stages.place >= 0).tolist()
    return Words(
        plate_width(problem.devices, used, headers, page.least_units), figure_height(page.least_units)
    )


def _headers(scene: Scene, problem: Problem, assigned: Ints, evaluation: Evaluation) -> HeaderData | None:
    """What lanes and blocks say of their devices; the scene is told what the plan costs and breaks."""
    scene.set_evaluation(problem, evaluation)
    broken = [op for violation in evaluation.violations for op in violation.ops]
    scene.violating = scene.mask(np.array(broken, np.int64))
    crossing = crossing_bytes(problem.graph, assigned, len(problem.devices), scene.size)
    return header_data(scene, problem, crossing, links_of(problem, assigned))


def draw_graph(
    problem: Problem,
    device_of: Ints | None,
    page: Page = SHEET,
    view: str = "flow",
    title: str = "",
    bounds: Sequence[Bound] = (),
    grouping: GroupView | None = None,
    folded: frozenset[int] = frozenset(),
    part: Part | None = None,
    colouring: str = STAGE,
) -> Drawing:
    """The picture that :func:`compose` lays out, cards coloured by ``colouring`` (:mod:`gui.canvas.graph.heat.heat`). Needs a QGuiApplication, no display."""

    def on(page: Page) -> Picture:
        return compose(problem, device_of, page, view, title, bounds, grouping, folded, part, colouring)

    picture = on(page)
    if part is None and page.floor <= 0.0 and not page.crop:
        page, picture = _grown(page, picture, on)
    page = page.as_high_as(picture.size[1])
    return Drawing(page, picture.title, lambda painter, _: paint_picture(painter, picture, page))


def _grown(page: Page, picture: Picture, on: Callable[[Page], Picture]) -> tuple[Page, Picture]:
    """The page with larger words, and the picture on it: as large as on a usual sheet where cards tell as much then,
    and where cards are as large as they get and room is left, both grow together, up to those of a slide as wide."""
    sheet = min(side / usual for side, usual in zip(page.room, SHEET.room, strict=True))
    for attempt in range(1 + GROWN_TIMES):
        grows = _grows(picture) if attempt else sheet
        grows = min(grows, page.room[0] / PRESETS["slide"].room[0])
        if grows < GROWS_FROM:
            continue
        other = replace(page, type_size=page.type_size * grows)
        larger = on(other)
        size = larger.viewport.scale * grows / picture.viewport.scale
        if larger.detail >= picture.detail and size >= (1.0 if attempt else SQUEEZED):
            page, picture = other, larger
    return page, picture


def _grows(picture: Picture) -> float:
    """How many times as large a picture could be where nothing but the largest scale of cards keeps it small; else 1."""
    view, seen = picture.viewport, picture.scene.layout.bounds
    if view.scale < LARGEST * 0.999:
        return 1.0
    room = (view.width - view.left - 2 * MARGIN, view.height - 2 * MARGIN)
    return min(side / max(seen[2 + i] * view.scale, 1e-9) for i, side in enumerate(room))


def paint_picture(painter: QPainter, picture: Picture, page: Page) -> None:
    """Everything, in pixels of ``page``."""
    scene, viewport, palette = picture.scene, picture.viewport, picture.palette
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
    fill_ground(painter, page, palette.theme.canvas)
    painter.scale(page.scale, page.scale)
    if not page.transparent:
        painter.fillRect(QRectF(0, 0, picture.size[0], picture.top), QColor(palette.theme.panel))
    painter.save()
    painter.translate(0, picture.top)
    rows = viewport.left if scene.view == "flow" else 0
    sight = QRectF(rows, 0, viewport.width - rows, viewport.height)
    if picture.seen is not None:
        x, y, w, h = picture.seen
        sight &= QRectF(*viewport.to_pixels(x, y), w * viewport.scale, h * viewport.scale)
    painter.setClipRect(sight)
    paint_graph(painter, scene, viewport, palette, picture.detail, least=picture.least)
    painter.setClipRect(QRectF(0, sight.top(), viewport.width, sight.height()))
    if rows:
        paint_row_headers(painter, scene, viewport, palette, 1.0, rows, ground=False)
    paint_headers(
        painter, scene, viewport, palette, picture.headers, 1.0, picture.least, some=picture.least > 0
    )
    paint_plates(painter, scene, viewport, palette, picture.headers, 1.0, max(LEAST_READ, picture.least))
    painter.restore()
    paint_title(painter, picture)
