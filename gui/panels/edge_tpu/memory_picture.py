"""Parameters per stage around the cache line, with the bytes on the links, as a picture (Edge TPU paper, figure 7).

The plan stands beside the parameter-balancing segmentation of the Edge TPU compiler on the same scale, where that serves
the problem.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from gui.look.drawn import Drawing, fill_ground
from gui.look.heading import MOST_LINES, Heading, heading_of, lines_of
from gui.look.numbers import one_time, plural, rate_text
from gui.look.page import SHEET, Page
from gui.look.theme import Theme, font
from gui.look.writing import LEFT, RIGHT, write
from gui.panels.edge_tpu.memory_bars import height_of, paint_cache_line
from gui.panels.edge_tpu.memory_stages import MIB, paint_stages
from gui.words.objectives import components_text
from gui.words.proofs import claimed_note
from planner.errors import StageboardError
from planner.model.graph import Ints
from planner.problem.bound import Bound
from planner.problem.claims import telling_claim
from planner.problem.decision import Evaluation
from planner.problem.problem import Problem
from planner.quantity import bytes_text
from planner.runs.stage_counts import balanced, has_stages, latency, throughput

AXIS, MARGIN, HEAD, PANEL_HEAD, FOOT = 72.0, 22.0, 70.0, 66.0, 112.0
"""Widths and heights in pixels of a picture 900 pixels high."""
NARROW_PAGE, NARROW_AXIS, NARROW_PLOT = 620.0, 44.0, 190.0
"""On a page of less units across plans stand one below the other; the room of the axis there, and how high their bars are."""
LINE = 18.0
"""Height of a line below a plan's name."""
LEAST_PLOT = 44.0
"""Height of bars for which a title has fewer lines."""
ABOVE = 22.0
"""Height of the amount above a bar."""
PROVEN, BESIDE = "\N{CHECK MARK} proven optimal", 10.0
"""What is said of a plan beside its name, and how far from it."""
SMALLEST = 11.0
"""Pixels of the smallest letters of a picture with few stages, where no page wants larger ones."""


@dataclass(frozen=True, eq=False)
class Side:
    """One plan of the picture, and what it is called."""

    title: str
    note: str
    evaluation: Evaluation
    proven: bool = False


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
    heading = heading_of(title, _subtitle(problem, sides), wide, font(14, bold=True), font(9))
    y, said, plots = heading.height, [], []
    for side in sides:
        words = f"{components_text(problem, side.evaluation.values)}   {side.note}"
        name = f"{side.title}{f'   {PROVEN}' if side.proven else ''}"
        said.append(heading_of(name, words, wide, font(10.5, bold=True), font(9), top=y))
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
    for side, said, plot in zip(sides, places.said, places.plots, strict=True):
        said.paint(painter, MARGIN, wide, theme)
        _axis(painter, plot, top, line, theme)
        paint_stages(painter, plot, problem, side.evaluation, line, top, theme)
        _cache_line(painter, plot, top, line, theme)


def _scale_of(problem: Problem, sides: Sequence[Side], height: float) -> tuple[float, float]:
    """The bytes at the top of bars in ``height`` units, where the amount above the largest has room, and at the cache line."""
    most = max(float(side.evaluation.memory.max(initial=0.0)) for side in sides)
    line = float(problem.evaluator.budget.max())
    above = max(1.1, height / max(height - ABOVE, 1.0))
    return above * max(most, line if math.isfinite(line) else 0.0) or 1.0, line


def _cache_line(painter: QPainter, plot: QRectF, top: float, line: float, theme: Theme) -> None:
    """The line above which parameters are streamed, with its name: in one line, or two where there is little room."""
    if not math.isfinite(line):
        return
    y = height_of(line, top, plot)
    paint_cache_line(painter, plot.left(), plot.right(), y, theme)
    lines = _cache_words(plot, line)
    for i, text in enumerate(lines):
        place = QRectF(2, y - 9 * len(lines) + 18 * i, plot.left() - 6, 18)
        write(painter, place, RIGHT, text, font(9, bold=True), theme.text)


def _cache_words(plot: QRectF, line: float) -> tuple[str, ...]:
    """The name of the cache line, in one line or two."""
    words = ("cache", bytes_text(line).replace(".00", ""))
    return (" ".join(words),) if plot.left() >= AXIS + MARGIN else words


def sides_of(
    problem: Problem, device_of: Ints, planner: str = "", bounds: Sequence[Bound] = ()
) -> list[Side]:
    """The plan and, before it, the parameter-balancing one unless that is the same or does not serve."""
    evaluation = problem.evaluate(device_of)
    proven = evaluation.valid and problem.standing(evaluation.values, bounds).status == "optimal"
    claim = telling_claim(problem, evaluation.values, bounds) if evaluation.valid else None
    note = _note(problem, evaluation)
    if claim is not None:
        note += f"; {claimed_note(problem, claim)}, not proven"
    sides = [Side(f"Plan of {planner}" if planner else "This plan", note, evaluation, proven)]
    other = balanced(problem)
    if other is not None and not np.array_equal(other, device_of):
        base = problem.evaluate(other)
        sides.insert(
            0, Side("Balanced by parameters, as the Edge TPU compiler cuts", _note(problem, base), base)
        )
    return sides


def _note(problem: Problem, evaluation: Evaluation) -> str:
    """What the plan achieves, estimated."""
    unit = problem.graph.time_unit
    found = throughput(evaluation)
    rate = f"{rate_text(found)} inferences per {'second' if unit else 'unit of time'}"
    if found > 0.0:
        rate += f", one every {one_time(1.0 / found, unit)}"
    return f"{rate}; each takes {one_time(latency(evaluation), unit)} from end to end (estimated)"


def paint_memory(painter: QPainter, page: Page, problem: Problem, sides: Sequence[Side], title: str) -> None:
    """Everything, in pixels of ``page``."""
    size, theme = page.pixels, page.theme
    scale = max(0.5, min(size[1] / 900, size[0] / 1200), page.least / SMALLEST)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    fill_ground(painter, page, theme.panel)
    painter.scale(scale, scale)
    width, height = size[0] / scale, size[1] / scale
    wide = width - 2 * MARGIN
    across = (width - AXIS - 2 * MARGIN) / len(sides)
    names = [_name_lines(side, across - 16) for side in sides]
    said = [_said(problem, side, across - 16) for side in sides]
    below = 22.0 * (max(map(len, names)) - 1) + PANEL_HEAD + LINE * max(len(lines) - 2 for lines in said)
    for most in range(MOST_LINES, 1, -1):  # bars need room more than the names of many models do
        words = _subtitle(problem, sides)
        heading = heading_of(title, words, wide, font(17, bold=True), font(11), top=14.0, most=most)
        head = max(HEAD, heading.height + 8.0) + below
        if height - head - FOOT >= LEAST_PLOT:
            break
    heading.paint(painter, MARGIN, wide, theme)
    above = head - PANEL_HEAD - LINE * max(len(lines) - 2 for lines in said)
    plot = QRectF(AXIS + MARGIN, head, width - AXIS - 2 * MARGIN, height - head - FOOT)
    top, line = _scale_of(problem, sides, plot.height())
    _axis(painter, plot, top, line, theme)
    for i, (side, name, lines) in enumerate(zip(sides, names, said, strict=True)):
        place = QRectF(plot.left() + i * across, plot.top(), across, plot.height())
        _side_head(painter, QRectF(place.left() + 8, above, across - 16, 22), name, side.proven, lines, theme)
        paint_stages(painter, place, problem, side.evaluation, line, top, theme)
    _cache_line(painter, plot, top, line, theme)


def _subtitle(problem: Problem, sides: Sequence[Side]) -> str:
    """What the picture shows: a cache line and plates only where there are some."""
    graph = problem.graph
    around = " (m_k) around the cache line" if math.isfinite(float(problem.evaluator.budget.max())) else ""
    entering = any((side.evaluation.details.get("bytes_in", np.zeros(1))[1:] > 0).any() for side in sides)
    plates = "; plates: bytes that enter the next stage" if entering else ""
    return (
        f"Parameters per stage{around}{plates}.   "
        f"{plural(graph.n, 'op')}, {plural(len(problem.devices), 'stage')}, objective {problem.objective}"
    )


def _axis(painter: QPainter, plot: QRectF, top: float, line: float, theme: Theme) -> None:
    """Round amounts of MiB with grid lines; where the cache line's name stands there is no number."""
    most = min(9.0, plot.height() / LINE)  # as many as do not lie on one another
    steps = (0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 50, 100, 250, 1e3)
    step = next((s for s in steps if top / MIB / s <= most), 1e9)
    for i in range(int(top / MIB / step) + 1):
        y = height_of(i * step * MIB, top, plot)
        painter.setPen(QPen(QColor(theme.grid), 1))
        painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y))
        words = f"{i * step:g}" + (" MiB" if i == 0 else "")
        if math.isfinite(line) and abs(y - height_of(line, top, plot)) < 6.0 + 9.0 * len(
            _cache_words(plot, line)
        ):
            continue
        write(painter, QRectF(2, y - 9, plot.left() - 16, 18), RIGHT, words, font(10), theme.muted)


def _said(problem: Problem, side: Side, width: float) -> list[tuple[str, bool]]:
    """What stands below a plan's name in lines of ``width`` units, and whether each is of its objective."""
    components = components_text(problem, side.evaluation.values)
    return [
        *((text, True) for text in lines_of(components, font(11), width)),
        *((text, False) for text in lines_of(side.note, font(10), width)),
    ]


def _name_lines(side: Side, width: float) -> tuple[str, ...]:
    """A plan's name in lines of ``width`` units, the last of which has room for what is proven of it: an empty one if need be."""
    lines = lines_of(side.title, font(13, bold=True), width, 2)
    used = QFontMetricsF(font(13, bold=True)).horizontalAdvance(lines[-1]) + BESIDE
    if side.proven and used + QFontMetricsF(font(11, bold=True)).horizontalAdvance(PROVEN) > width:
        return (*lines, "")
    return lines


def _side_head(
    painter: QPainter, head: QRectF, name: Sequence[str], proven: bool, lines: Sequence[tuple[str, bool]], theme: Theme
) -> None:  # fmt: skip
    """A plan's name, whose last line stands in ``head``, whether it is proven, and the lines below."""
    used = 0.0
    for row, text in enumerate(reversed(name)):
        line = head.translated(0, -22.0 * row)
        wide = write(painter, line, LEFT, text, font(13, bold=True), theme.text)
        used = wide if row == 0 else used
    if proven:
        place = head.adjusted(used + BESIDE if used else 0.0, 0, 0, 0)
        write(painter, place, LEFT, PROVEN, font(11, bold=True), theme.good)
    for row, (text, strong) in enumerate(lines):
        place = head.translated(0, 20 + 18 * row)
        write(painter, place, LEFT, text, font(11 if strong else 10), theme.text if strong else theme.muted)
