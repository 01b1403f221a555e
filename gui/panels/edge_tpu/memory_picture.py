"""Parameters per stage around the cache line, with the bytes on the links, as a picture (Edge TPU paper, figure 7).

The plan stands beside the parameter-balancing segmentation of the Edge TPU compiler on the same scale, where that serves
the problem.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from gui.look.drawn import Drawing, fill_ground
from gui.look.heading import MOST_LINES, Heading, heading_of
from gui.look.numbers import Column
from gui.look.page import SHEET, Page
from gui.look.theme import Theme, font
from gui.look.writing import LEFT, RIGHT, write
from gui.panels.edge_tpu.memory_bars import height_of, paint_cache_line
from gui.panels.edge_tpu.memory_stages import paint_stages
from gui.panels.edge_tpu.memory_words import (
    BESIDE,
    Line,
    Name,
    PictureUnits,
    Side,
    claim_line,
    components_line,
    line_in_sight,
    name_of,
    picture_units,
    rate_line,
    said_of,
    subtitle,
    why_line,
)
from gui.words.methods import planner_name, shown_name
from gui.words.proofs import best_words
from planner.errors import StageboardError
from planner.model.graph import Ints
from planner.problem.bound import Bound
from planner.problem.claims import telling_claim
from planner.problem.problem import Problem
from planner.problem.provenance import HAND
from planner.quantity import bytes_text
from planner.runs.stage_counts import balanced, has_stages

AXIS, MARGIN, HEAD, NAME, FOOT = 72.0, 22.0, 70.0, 22.0, 92.0
"""Widths and heights in pixels of a picture 900 pixels high; ``NAME`` is a line of a plan's name."""
LEAST_PLOT = 0.5
"""Share of a page's height that is the bars' before plans have all that there is to say of them."""
NARROW_PAGE, NARROW_AXIS, NARROW_PLOT = 620.0, 44.0, 190.0
"""On a page of less units across plans stand one below the other; the room of the axis there, and how high their bars are."""
MOST_SAID = 8
"""Lines of what is said of a plan on such a page at most."""
LINE = 18.0
"""Height of a line below a plan's name."""
LOWEST_PLOT = 44.0
"""Height of bars below which a title has fewer lines."""
ABOVE = 22.0
"""Height of the amount above a bar."""
SMALLEST = 11.0
"""Pixels of the smallest letters of a picture with few stages, where no page wants larger ones."""


def draw_memory(
    problem: Problem,
    device_of: Ints,
    page: Page = SHEET,
    title: str = "",
    planner: str = "",
    bounds: Sequence[Bound] = (),
) -> Drawing:
    """The picture of the stages' parameters. Raises :class:`StageboardError` for a target that is not a row of stages."""
    if not has_stages(problem):
        raise StageboardError(
            f"the memory view shows the stages of a pipeline, and this plan is for a {problem.target.title.lower()};"
            " choose --view lanes"
        )
    sides = sides_of(problem, device_of, planner, bounds)
    head = title or problem.graph.name
    if page.room[0] < NARROW_PAGE:
        places = _stacked(problem, sides, page.room[0], head)
        page = page.as_high_as(places.height)
        return Drawing(page, head, lambda painter, _: _paint_stacked(painter, page, problem, sides, places))
    page = page.usual
    return Drawing(page, head, lambda painter, _: paint_memory(painter, page, problem, sides, head))


@dataclass(frozen=True, eq=False)
class Stacked:
    """A narrow picture: its heading, and for each plan the lines of its heading and the box of its bars (units)."""

    heading: Heading
    said: list[Heading]
    plots: list[QRectF]
    height: float


def _stacked(problem: Problem, sides: Sequence[Side], width: float, title: str) -> Stacked:
    """Where everything is on a narrow page of ``width`` units."""
    wide = width - 2 * MARGIN
    heading = heading_of(title, subtitle(problem, sides), wide, font(14, bold=True), font(9), most=MOST_SAID)
    y, said, plots = heading.height, [], []
    units = picture_units(problem, sides)
    for side in sides:
        words = "   ".join(
            choice[0]
            for choice in (
                components_line(problem, side.evaluation, units), rate_line(problem, side.evaluation, units),
                why_line(problem, side.evaluation, units), claim_line(problem, side),
            )
            if choice
        )  # fmt: skip
        name = f"{side.title}{f'   {side.proven}' if side.proven else ''}"
        said.append(heading_of(name, words, wide, font(10.5, bold=True), font(9), top=y, most=MOST_SAID))
        left = MARGIN + NARROW_AXIS
        plots.append(QRectF(left, said[-1].height + LINE, width - MARGIN - left, NARROW_PLOT))
        y = plots[-1].bottom() + FOOT
    return Stacked(heading, said, plots, y + 4.0)


def _paint_stacked(
    painter: QPainter, page: Page, problem: Problem, sides: Sequence[Side], places: Stacked
) -> None:
    """Plans below one another, in letters as large as the page wants them."""
    theme = page.theme
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    fill_ground(painter, page, theme.panel)
    painter.scale(page.scale, page.scale)
    wide = page.room[0] - 2 * MARGIN
    places.heading.paint(painter, MARGIN, wide, theme)
    top, line = _scale_of(problem, sides, NARROW_PLOT)
    units = picture_units(problem, sides)
    for side, said, plot in zip(sides, places.said, places.plots, strict=True):
        said.paint(painter, MARGIN, wide, theme)
        _axis(painter, plot, top, line, units.held, theme)
        paint_stages(painter, plot, problem, side.evaluation, line, top, units, theme)
        _cache_line(painter, plot, top, line, theme)


def _scale_of(problem: Problem, sides: Sequence[Side], height: float) -> tuple[float, float]:
    """The bytes at the top of bars in ``height`` units, where the amount above the largest has room, and at the cache line; that is above
    the top where all bars are far below it."""
    most = max(float(side.evaluation.memory.max(initial=0.0)) for side in sides)
    line = float(problem.evaluator.budget.max())
    above = max(1.1, height / max(height - ABOVE, 1.0))
    return above * max(most, line if line_in_sight(problem, sides) else 0.0) or 1.0, line


def _cache_line(painter: QPainter, plot: QRectF, top: float, line: float, theme: Theme) -> None:
    """The line above which parameters are streamed, with its name: in one line, or two where there is little room."""
    if not math.isfinite(line):
        return
    y = height_of(line, top, plot)
    if line <= top:
        paint_cache_line(painter, plot.left(), plot.right(), y, theme)
    lines = _cache_words(plot, top, line)
    for i, text in enumerate(lines):
        place = QRectF(2, y - 9 * len(lines) + 18 * i, plot.left() - 6, 18)
        write(painter, place, RIGHT, text, font(9, bold=True), theme.text)


def _cache_words(plot: QRectF, top: float, line: float) -> tuple[str, ...]:
    """The name of the cache line, in one line or two, with an arrow where that is above the ``top``."""
    arrow = " \N{UPWARDS ARROW}" if line > top else ""
    words = ("cache", bytes_text(line).replace(".00", "") + arrow)
    return (" ".join(words),) if plot.left() >= AXIS + MARGIN and line <= top else words


def sides_of(
    problem: Problem, device_of: Ints, planner: str = "", bounds: Sequence[Bound] = ()
) -> list[Side]:
    """The plan and, before it, the parameter-balancing one unless that is the same or does not serve."""
    evaluation = problem.evaluate(device_of)
    optimal = evaluation.valid and problem.standing(evaluation.values, bounds).status == "optimal"
    proven = f"\N{CHECK MARK} {best_words(problem)}" if optimal else ""
    claim = telling_claim(problem, evaluation.values, bounds) if evaluation.valid else None
    made = "By hand" if planner == HAND else shown_name(planner)
    name = made if planner else "This plan"
    sides = [Side(name, name, evaluation, proven, claim)]
    other = balanced(problem)
    if other is not None and not np.array_equal(other, device_of):
        base = problem.evaluate(other)
        balancing = planner_name("edge-tpu-balanced")
        sides.insert(0, Side(balancing, balancing, base))
    return sides


@dataclass(frozen=True, eq=False)
class Beside:
    """Plans beside each other: their heading, its words beside the title or below it, for each plan its name and what is said of it,
    how low the names stand, and the box of all bars (units)."""

    heading: Heading
    beside: str
    names: list[Name]
    said: list[list[Line]]
    above: float
    plot: QRectF


def _beside(
    problem: Problem, sides: Sequence[Side], units: PictureUnits, room: tuple[float, float], title: str
) -> Beside:
    """Where everything is in a ``room`` of units: with all there is to say, or as little as leaves most of it to the bars."""
    places = _laid_out(problem, sides, units, room, title, False)
    if places.plot.height() >= LEAST_PLOT * room[1]:
        return places
    for most in range(MOST_LINES, 1, -1):  # bars need room more than the names of many models do
        places = _laid_out(problem, sides, units, room, title, True, most)
        if places.plot.height() >= LOWEST_PLOT:
            break
    return places


def _laid_out(
    problem: Problem,
    sides: Sequence[Side],
    units: PictureUnits,
    room: tuple[float, float],
    title: str,
    brief: bool,
    most: int = MOST_LINES,
) -> Beside:
    width, height = room
    full, words, beside = width - 2 * MARGIN, subtitle(problem, sides, brief), ""
    large, small = (font(15, bold=True), font(9)) if brief else (font(17, bold=True), font(11))
    used = QFontMetricsF(large).horizontalAdvance(title) + 2 * BESIDE
    if brief and used + QFontMetricsF(small).horizontalAdvance(words) <= full:
        words, beside = "", words
    heading = heading_of(title, words, full, large, small, top=8.0 if brief else 14.0, most=most)
    if beside:
        heading = replace(heading, words=())
    above = heading.height if brief else max(HEAD, heading.height + 8.0)
    across = (width - AXIS - 2 * MARGIN) / len(sides)
    names = [name_of(side, across - 16, brief) for side in sides]
    said = [said_of(problem, side, units, across - 16, brief) for side in sides]
    above += NAME * (max(len(name.lines) for name in names) - 1)
    lines = max(map(len, said))
    head = above + NAME + LINE * lines + (0.0 if brief else 8.0)
    plot = QRectF(AXIS + MARGIN, head, width - AXIS - 2 * MARGIN, height - head - FOOT)
    return Beside(heading, beside, names, said, above, plot)


def paint_memory(painter: QPainter, page: Page, problem: Problem, sides: Sequence[Side], title: str) -> None:
    """Everything, in pixels of ``page``."""
    size, theme = page.pixels, page.theme
    scale = max(0.5, min(size[1] / 900, size[0] / 1200), page.least / SMALLEST)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    fill_ground(painter, page, theme.panel)
    painter.scale(scale, scale)
    width, height = size[0] / scale, size[1] / scale
    units = picture_units(problem, sides)
    places = _beside(problem, sides, units, (width, height), title)
    used = places.heading.paint(painter, MARGIN, width - 2 * MARGIN, theme)
    if places.beside:
        left = MARGIN + used + 2 * BESIDE
        room = QRectF(left, places.heading.top, width - MARGIN - left, places.heading.line)
        write(painter, room, LEFT, places.beside, places.heading.small, theme.muted)
    plot, across = places.plot, places.plot.width() / len(sides)
    top, line = _scale_of(problem, sides, plot.height())
    _axis(painter, plot, top, line, units.held, theme)
    for i, (side, name, lines) in enumerate(zip(sides, places.names, places.said, strict=True)):
        place = QRectF(plot.left() + i * across, plot.top(), across, plot.height())
        head = QRectF(place.left() + 8, places.above, across - 16, NAME)
        _side_head(painter, head, name, side.proven, lines, theme)
        paint_stages(painter, place, problem, side.evaluation, line, top, units, theme)
    _cache_line(painter, plot, top, line, theme)


def _axis(painter: QPainter, plot: QRectF, top: float, line: float, held: Column, theme: Theme) -> None:
    """Round amounts in the unit of what is ``held`` with grid lines; where the cache line's name stands there is no number."""
    most = min(9.0, plot.height() / LINE)  # as many as do not lie on one another
    steps = (0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 50, 100, 250, 1e3)
    step = next((s for s in steps if top / held.scale / s <= most), 1e9)
    for i in range(int(top / held.scale / step) + 1):
        y = height_of(i * step * held.scale, top, plot)
        painter.setPen(QPen(QColor(theme.grid), 1))
        painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y))
        words = f"{i * step:g}" + (f" {held.suffix}" if i == 0 else "")
        if math.isfinite(line) and abs(y - height_of(line, top, plot)) < 6.0 + 9.0 * len(
            _cache_words(plot, top, line)
        ):
            continue
        write(painter, QRectF(2, y - 9, plot.left() - 16, 18), RIGHT, words, font(10), theme.muted)


def _side_head(
    painter: QPainter, head: QRectF, name: Name, proven: str, lines: Sequence[Line], theme: Theme
) -> None:
    """A plan's name, whose last line stands in ``head``, what is proven of it, and the lines below."""
    for row, text in enumerate(reversed(name.lines)):
        write(painter, head.translated(0, -NAME * row), LEFT, text, font(name.size, bold=True), theme.text)
    if proven:
        place = head.adjusted(name.behind, 0, 0, 0)
        write(painter, place, LEFT, proven, font(name.proven, bold=True), theme.good)
    for row, (text, size, strong) in enumerate(lines):
        place = head.translated(0, NAME - 2 + LINE * row)
        write(painter, place, LEFT, text, font(size), theme.text if strong else theme.muted)
