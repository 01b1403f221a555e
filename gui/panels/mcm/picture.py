"""The package of a plan as a picture file: the chain of chips, and the memory of the fullest one while it runs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from gui.canvas.graph.picture.subtitle import standing_text
from gui.look.drawn import Drawing, fill_ground
from gui.look.heading import Heading, heading_of
from gui.look.numbers import plural
from gui.look.page import SHEET, Page
from gui.look.theme import device_colours
from gui.look.writing import LEFT, face, write
from gui.panels.mcm.layout import folded_layout
from gui.panels.mcm.legend import legend_height, paint_legend
from gui.panels.mcm.memory_painter import chip_memory, paint_chip_memory
from gui.panels.mcm.painter import Marks, paint_package
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
SMALLEST, LEAST_SHARE = 10.0, 0.6
"""Pixels of the smallest letters, and the share of a page with large letters that chips and what explains them have beside the chart:
it is left out where they would have less."""
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
    size, theme = page.pixels, page.theme
    pointed = pointed_violation(evaluation.violations)
    package = package_of(problem, device_of, evaluation, pointed=pointed)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    fill_ground(painter, page, theme.panel)
    narrow = page.room[0] < NARROW_PAGE
    scale = page.scale if narrow else max(0.3, min(size[0] / WIDTH, size[1] / HEIGHT), page.least / SMALLEST)
    painter.scale(scale, scale)
    width, height = size[0] / scale, size[1] / scale
    inner = QRectF(MARGIN, 10, width - 2 * MARGIN, height - 20)
    heading = _heading(problem, package, evaluation, title, bounds, inner.width())
    heading.paint(painter, MARGIN, inner.width(), theme)
    low, fullest = height - 10, int(np.argmax(evaluation.memory))
    charted = page.floor <= 0.0 or height - heading.height - CHART >= LEAST_SHARE * height
    if charted:
        low -= CHART
        paint_chip_memory(
            painter, QRectF(MARGIN, low, inner.width(), CHART), chip_memory(problem, device_of, fullest),
            device_colours(len(package.chips), theme)[fullest], theme, np.zeros(problem.graph.n, bool),
        )  # fmt: skip
    explained = legend_height(package, inner.width())
    low -= explained + 6
    paint_legend(painter, QRectF(MARGIN, low, inner.width(), explained), package, theme)
    if pointed is not None:
        low -= RULES
        write(
            painter, QRectF(MARGIN, low, inner.width(), RULES), LEFT, pointed.sentence, face(9.0), theme.bad
        )
    top = heading.height + (ARCS if package.path is not None else 0.0)
    layout = folded_layout(
        len(package.chips), package.used, QRectF(MARGIN, top, inner.width(), low - top - 6)
    )
    paint_package(painter, layout, package, theme, Marks(shown=fullest if charted else -1))


def _heading(
    problem: Problem, package: Package, evaluation: Evaluation, title: str, bounds: Sequence[Bound], width: float
) -> Heading:  # fmt: skip
    """Title, how good the plan is, and the package."""
    rules = "valid" if evaluation.valid else plural(len(evaluation.violations), "violation")
    if not package.limited:
        rules += ", memory rule off"
    told = evaluation.values[0] if len(problem.components) == 1 else None
    words = f"{standing_text(problem, evaluation, bounds, rules)}   {summary(package, evaluation, told)}"
    return heading_of(title, words, width, face(13.0, True), face(9.0), top=10.0)
