"""The package of a plan as a picture file: the chain of chips, and the memory of the fullest one while it runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from gui.canvas.graph.picture.subtitle import standing_text
from gui.look.drawn import Drawing, fill_ground
from gui.look.heading import MOST_LINES, Heading, heading_of
from gui.look.numbers import plural
from gui.look.page import SHEET, Page
from gui.look.theme import Theme, device_colours
from gui.look.writing import CENTRE, LEFT, RIGHT, face, write
from gui.panels.mcm.layout import PackageLayout, folded_layout
from gui.panels.mcm.legend import legend_height, paint_legend
from gui.panels.mcm.memory_painter import AXIS, chip_memory, paint_chip_memory
from gui.panels.mcm.memory_painter import MARGIN as CHART_MARGIN
from gui.panels.mcm.painter import Marks, figures_room, paint_package
from gui.panels.mcm.state import Package, is_package, package_of
from gui.panels.mcm.words import summary
from planner.errors import StageboardError
from planner.model.graph import Ints
from planner.problem.bound import Bound
from planner.problem.decision import Evaluation, Violation
from planner.problem.problem import Problem

WIDTH, HEIGHT = 1000.0, 590.0
"""Size in units of the painter that a picture of usual proportions has; words are as large as in a window of that size."""
MARGIN, ARCS, RULES, CHART = 14.0, 18.0, 20.0, 118.0
MOST_CHART, CHART_AXIS = 0.45, 15.0
"""The share of the page that the chart of a chip's memory has at most, where chips leave so much, and what the line below it takes."""
SMALLEST, LEAST_SHARE = 10.0, 0.6
"""Pixels of the smallest letters, and the share of a page with large letters that chips and what explains them have beside the chart:
it is left out where they would have less."""
BANDS = 24.0
"""The height that is left above and below the chips of a narrow page together."""
MOST_CROPS = 6
"""How often a page is made lower at most."""
NARROW_PAGE, NARROW_SHAPE = 620.0, 1.5
"""On a page of less units across words have the size that the page wants, and the picture is so much higher than wide at most."""


def draw_package(
    problem: Problem, device_of: Ints, page: Page = SHEET, title: str = "", bounds: Sequence[Bound] = ()
) -> Drawing:
    """The picture of a package.

    Of a plan that breaks rules, the first triangle is drawn over the chips, and its sentence stands below. Raises
    :class:`StageboardError` for a target that is not a multi-chip module.
    """
    if not is_package(problem):
        raise StageboardError(
            f"the package view shows the chips of a multi-chip module, and this plan is for {problem.target.in_words};"
            " choose --view lanes"
        )
    evaluation, head = problem.evaluate(device_of), title or problem.graph.name
    narrow = page.room[0] < NARROW_PAGE
    page = page.as_high_as(NARROW_SHAPE * page.room[0]) if narrow else page.usual
    if narrow:
        # Chips that are as wide as the page leave room above and below them, which nobody needs.
        package = package_of(problem, device_of, evaluation, pointed=pointed_violation(evaluation.violations))
        for _ in range(
            MOST_CROPS
        ):  # on a lower page the chart of a chip may have no room, or chips stand otherwise
            spare = _placed(page, problem, package, evaluation, head, bounds).spare
            if spare <= BANDS + 1.0:
                break
            page = page.as_high_as(page.room[1] - spare + BANDS)

    def paint(painter: QPainter, _: bool) -> None:
        paint_picture(painter, page, problem, device_of, evaluation, head, bounds)

    return Drawing(page, head, paint)


def pointed_violation(violations: Sequence[Violation]) -> Violation | None:
    """What a picture draws of broken rules: the first triangle, else the first of all."""
    return next((v for v in violations if v.kind == "triangle"), violations[0] if violations else None)


def paint_picture(
    painter: QPainter, page: Page, problem: Problem, device_of: Ints, evaluation: Evaluation, title: str,
    bounds: Sequence[Bound],
) -> None:  # fmt: skip
    """Everything, in pixels of ``page``."""
    theme = page.theme
    pointed = pointed_violation(evaluation.violations)
    package = package_of(problem, device_of, evaluation, pointed=pointed)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    fill_ground(painter, page, theme.panel)
    placed = _placed(page, problem, package, evaluation, title, bounds)
    painter.scale(placed.scale, placed.scale)
    left, wide, low = MARGIN, placed.inner.width(), placed.inner.bottom()
    placed.heading.paint(painter, left, wide, theme)
    fullest = int(np.argmax(evaluation.memory))
    if placed.charted:
        memory, chart = chip_memory(problem, device_of, fullest), placed.chart - CHART_AXIS
        below = QRectF(left + AXIS, low - CHART_AXIS, wide - AXIS - CHART_MARGIN, CHART_AXIS)
        write_order(painter, below, len(memory.ops), theme)
        low -= placed.chart
        paint_chip_memory(
            painter, QRectF(left, low, wide, chart), memory, device_colours(len(package.chips), theme)[fullest], theme,
            np.zeros(problem.graph.n, bool),
        )  # fmt: skip
    explained = legend_height(package, wide, placed.charted)
    low -= explained + 6
    paint_legend(painter, QRectF(left, low, wide, explained), package, theme, placed.layout, placed.charted)
    if pointed is not None:
        low -= RULES
        write(painter, QRectF(left, low, wide, RULES), LEFT, pointed.sentence, face(9.0), theme.bad)
    shown = fullest if placed.charted else -1
    paint_package(painter, placed.layout, package, theme, Marks(shown=shown))


def write_order(painter: QPainter, line: QRectF, ops: int, theme: Theme) -> None:
    """What goes across a chart of memory, in a ``line`` below it: the ops of the chip, one after another."""
    for place, words in ((LEFT, "op 1"), (CENTRE, "in running order"), (RIGHT, f"op {ops:,}")):
        write(painter, line, place, words, face(7.5), theme.muted)


@dataclass(frozen=True)
class _Placed:
    """Where everything is on a page, in units of ``scale`` pixels; ``chart``: the height of the chart of a chip's memory, 0 where there is no
    room for it, and ``spare`` the height that chips leave above and below them."""

    scale: float
    inner: QRectF
    heading: Heading
    chart: float
    layout: PackageLayout
    spare: float

    @property
    def charted(self) -> bool:
        """Whether there is room for the memory of a chip."""
        return self.chart > 0.0


def scale_of(page: Page) -> float:
    """How many pixels of ``page`` a unit takes in which the picture is laid out."""
    wide, high = page.pixels
    if page.room[0] < NARROW_PAGE:
        return page.scale
    return max(0.3, min(wide / WIDTH, high / HEIGHT), page.least / SMALLEST)


def _placed(
    page: Page, problem: Problem, package: Package, evaluation: Evaluation, title: str, bounds: Sequence[Bound]
) -> _Placed:  # fmt: skip
    size, narrow, scale = page.pixels, page.room[0] < NARROW_PAGE, scale_of(page)
    width, height = size[0] / scale, size[1] / scale
    inner = QRectF(MARGIN, 10, width - 2 * MARGIN, height - 20)
    heading = package_heading(problem, package, evaluation, title, bounds, inner.width())
    charted = page.floor <= 0.0 or height - heading.height - CHART >= LEAST_SHARE * height
    chart = CHART if charted else 0.0
    low = inner.bottom() - legend_height(package, inner.width(), charted) - 6
    low -= 0.0 if evaluation.valid else RULES
    top = heading.height + (ARCS if package.path is not None else 0.0)

    figures = figures_room(package) if narrow else 0.0

    def placed(chart: float) -> _Placed:
        room = QRectF(MARGIN, top, inner.width(), low - chart - top - 6)
        layout = folded_layout(len(package.chips), package.used, room, figures)
        boxes = (*layout.boxes, *layout.small)
        # A very low page has no room for chips at all.
        high = (
            max(box.bottom() for box in boxes) - min(box.top() for box in boxes) if boxes else room.height()
        )
        return _Placed(scale, inner, heading, chart, layout, room.height() - high)

    found = placed(chart)
    if charted and not narrow:  # what chips leave is the chart's
        larger = min(chart + found.spare - BANDS, MOST_CHART * height)
        found = placed(larger) if larger > chart else found
    return found


def package_heading(
    problem: Problem, package: Package, evaluation: Evaluation, title: str, bounds: Sequence[Bound], width: float
) -> Heading:  # fmt: skip
    """Title, how good the plan is, and the package."""
    rules = "valid" if evaluation.valid else plural(len(evaluation.violations), "violation")
    if not package.limited:
        rules += ", memory rule off"
    told = evaluation.values[0] if len(problem.components) == 1 else None
    words = f"{standing_text(problem, evaluation, bounds, rules)}   {summary(package, evaluation, told)}"
    return heading_of(title, words, width, face(13.0, True), face(9.0), top=10.0, most=MOST_LINES + 1)
