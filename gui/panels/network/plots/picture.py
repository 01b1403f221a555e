"""I/Os by memory as a picture file: an order's curves under each policy, between the bounds of Theorem 1."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPolygonF

from gui.canvas.network.picture import MARGIN, SHAPE, heading_of_order, page_for, scale_of
from gui.look.drawn import Drawing, fill_ground
from gui.look.heading import lines_of
from gui.look.page import SHEET, Page
from gui.look.theme import Theme
from gui.look.writing import CENTRE, LEFT, RIGHT, face, write
from gui.panels.network.plots.placing import free_place
from gui.panels.network.plots.sampling import Curves, Sampling
from gui.panels.network.plots.words import CALLED, bound_lines, policy_colour, policy_name, standing_words
from planner.machines.two_level_memory.orders.io_bounds import io_bounds
from planner.machines.two_level_memory.target import LEAST, POLICIES
from planner.model.graph import Ints

if TYPE_CHECKING:
    from planner.machines.two_level_memory.problem import NetworkProblem
    from planner.problem.bound import Bound

VIEWS = {"ios": "I/Os by memory"}
LINE, LEFT_ROOM = 20.0, 64.0
"""Units: the height of a line of words, and the room for the numbers of I/Os."""
TICKS = 5
"""About so many numbers of I/Os stand at the left."""
CROWDED = 110.0
"""Units that a power of ten takes where sizes between two are named, too."""
DASH, APART, BETWEEN = 18.0, 6.0, 14.0
"""Units of a policy's colour in the key, from there to its name, and from one policy to the next."""
CLEAR = 4.0
"""Units between the name of a bound and the curves beside it."""
POINT = 5.0
"""Radius of the point where the present memory meets the curve of its policy."""


def draw_curves(
    problem: NetworkProblem, order: Ints, page: Page = SHEET, title: str = "", bounds: Sequence[Bound] = ()
) -> Drawing:
    """The curves of an order (int32[W]), all counted exactly. Needs a QGuiApplication, no display.

    Raises PlanError for no order of the network's connections.
    """
    order = problem.evaluator.checked(order)
    colours, head, scale = page.theme, title or problem.network.name, scale_of(page)
    width = page.pixels[0] / scale
    heading = heading_of_order(problem, order, head, bounds, width)
    curves = counted(problem, order)
    key = _key(problem, curves, width - 2 * MARGIN)
    page = page_for(page, heading.height + key.height + SHAPE * width, scale)
    height = page.pixels[1] / scale

    def paint(painter: QPainter, _: bool) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        fill_ground(painter, page, colours.panel)
        painter.scale(scale, scale)
        heading.paint(painter, MARGIN, width - 2 * MARGIN, colours)
        place = QRectF(MARGIN, heading.height - 2, width - 2 * MARGIN, key.height)
        key.paint(painter, place, colours)
        top = heading.height + key.height
        box = QRectF(
            MARGIN + LEFT_ROOM, top, width - 3 * MARGIN - LEFT_ROOM, height - top - 2 * LINE - MARGIN
        )
        _Plot(problem, curves, box, colours).paint(painter)

    return Drawing(page, head, paint)


def counted(problem: NetworkProblem, order: Ints) -> Curves:
    """The whole curves of an order."""
    sampling = Sampling(problem.network, (order,), (problem.target.size,))
    while True:
        curves = sampling.work(lambda: False)
        if curves is not None and curves.complete:
            return curves


def present_sample(curves: Curves, problem: NetworkProblem) -> int:
    """Which sample (index) is that of the present memory: more than there are values changes nothing, and is not counted."""
    return min(int(np.searchsorted(curves.memory, problem.target.size)), len(curves.memory) - 1)


@dataclass(frozen=True)
class _Key:
    """How far the order is from the lower bound, in ``lines``, and which colour is which policy: beside them, or below where they take
    all of the width."""

    lines: tuple[str, ...]
    beside: bool

    @property
    def height(self) -> float:
        """Of all lines."""
        return LINE * (len(self.lines) + (not self.beside))

    def paint(self, painter: QPainter, place: QRectF, theme: Theme) -> None:
        """The lines from the left, the colours at the right end of the last."""
        letters, x = face(9.0), place.right()
        for i, words in enumerate(self.lines):
            line = QRectF(place.left(), place.top() + i * LINE, place.width(), LINE)
            write(painter, line, LEFT, words, letters, theme.muted)
        line = QRectF(place.left(), place.bottom() - LINE, place.width(), LINE)
        measure = QFontMetricsF(letters)
        for policy in range(len(POLICIES) - 1, -1, -1):
            words = policy_name(POLICIES[policy])
            x -= measure.horizontalAdvance(words)
            write(painter, QRectF(x, line.top(), 80.0, line.height()), LEFT, words, letters, theme.text)
            x -= DASH + APART
            painter.setPen(QPen(QColor(policy_colour(policy, theme)), 3.0))
            painter.drawLine(QPointF(x, line.center().y()), QPointF(x + DASH, line.center().y()))
            x -= BETWEEN


def _key(problem: NetworkProblem, curves: Curves, width: float) -> _Key:
    """The lines above curves in a picture with so many units for them."""
    letters = face(9.0)
    measure = QFontMetricsF(letters)
    here = float(curves.values("total")[0, problem.target.policy_code, present_sample(curves, problem)])
    words = standing_words(here, io_bounds(problem.network), curves.reaches)
    colours = sum(
        measure.horizontalAdvance(policy_name(policy)) + DASH + APART + BETWEEN for policy in POLICIES
    )
    if measure.horizontalAdvance(words) + colours <= width:
        return _Key((words,), True)
    return _Key(lines_of(words, letters, width), False)


class _Plot:
    """Sizes by their logarithm from left to right, I/Os from bottom to top, with two lines of words below the lower bound,
    where no curve is, and one above the highest; the name of the upper bound is where no curve is."""

    def __init__(self, problem: NetworkProblem, curves: Curves, box: QRectF, theme: Theme) -> None:
        self.problem, self.curves, self.box, self.theme = problem, curves, box, theme
        self.values = curves.values("total")[0]
        self.at = present_sample(curves, problem)
        self.lines = bound_lines(io_bounds(problem.network), "total")
        self.left = math.log10(LEAST)
        self.right = math.log10(max(10, int(curves.memory[-1]), problem.target.size))
        self.least = self.lines[0][0]
        high = max(self.lines[1][0], float(self.values.max()))
        self.high = max(high, 1.02 * self.least, self.least + 1.0)

    def x(self, size: float) -> float:
        """Where a size stands."""
        share = (math.log10(size) - self.left) / (self.right - self.left)
        return self.box.left() + share * self.box.width()

    def y(self, value: float) -> float:
        """Where a number of I/Os stands."""
        low, top = self.box.bottom() - 2 * LINE, self.box.top() + LINE
        return low - (value - self.least) / (self.high - self.least) * (low - top)

    def paint(self, painter: QPainter) -> None:
        """Axes, bounds, curves, and the present memory."""
        self._axes(painter)
        self._bounds(painter)
        self._present(painter)
        lines = self._lines()
        for policy in sorted(range(len(POLICIES)), key=lambda p: p == self.problem.target.policy_code):
            wide = 2.6 if policy == self.problem.target.policy_code else 1.4
            painter.setPen(QPen(QColor(policy_colour(policy, self.theme)), wide))
            painter.drawPolyline(_drawn(lines[policy]))
        target = self.problem.target
        here = QPointF(self.x(target.size), self.y(float(self.values[target.policy_code, self.at])))
        painter.setPen(QPen(QColor(self.theme.panel), 1.5))
        painter.setBrush(QColor(policy_colour(target.policy_code, self.theme)))
        painter.drawEllipse(here, POINT, POINT)
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _axes(self, painter: QPainter) -> None:
        box, theme, letters = self.box, self.theme, face(9.0)
        painter.setPen(QPen(QColor(theme.grid), 1.0))
        painter.drawLine(box.bottomLeft(), box.bottomRight())
        step = round_step((self.high - self.least) / TICKS)
        for i in range(math.ceil(self.least / step), math.floor(self.high / step) + 1):
            y = self.y(i * step)
            painter.setPen(QPen(QColor(theme.grid), 1.0))
            painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
            place = QRectF(box.left() - LEFT_ROOM, y - LINE / 2, LEFT_ROOM - 8.0, LINE)
            write(painter, place, RIGHT, f"{i * step:,}", letters, theme.muted)
        write(
            painter,
            QRectF(box.left() - LEFT_ROOM, box.top() - 4.0, LEFT_ROOM - 8.0, LINE),
            RIGHT,
            "I/Os",
            letters,
            theme.muted,
        )
        factors = (1, 2, 5) if box.width() / (self.right - self.left) > CROWDED else (1,)
        sizes = [factor * 10**power for power in range(10) for factor in factors]
        for size in sizes:
            if size >= LEAST and math.log10(size) <= self.right:
                place = QRectF(self.x(size) - 40.0, box.bottom() + 2.0, 80.0, LINE)
                write(painter, place, CENTRE, f"{size:,}", letters, theme.muted)
        place = QRectF(box.left(), box.bottom() + LINE, box.width(), LINE)
        write(painter, place, CENTRE, "size of fast memory, in values", letters, theme.muted)

    def _bounds(self, painter: QPainter) -> None:
        """The lower bound, named below it, and the upper one, named beside it: both alike, in as few words as their room takes."""
        box, letters = self.box, face(9.0, True)
        (least, _), (most, _) = self.lines
        for value, colour, style in (
            (least, self.theme.good, Qt.PenStyle.SolidLine),
            (most, self.theme.muted, Qt.PenStyle.DashLine),
        ):
            painter.setPen(QPen(QColor(colour), 1.6, style))
            painter.drawLine(QPointF(box.left(), self.y(value)), QPointF(box.right(), self.y(value)))
        below, beside, place = self._named(QFontMetricsF(letters))
        lowest = QRectF(box.left() + 4.0, self.y(least), box.width() - 4.0, LINE)
        write(painter, lowest, LEFT, below, letters, self.theme.good)
        write(painter, place, LEFT, beside, letters, self.theme.muted)

    def _named(self, measure: QFontMetricsF) -> tuple[str, str, QRectF]:
        """What the lower and the upper bound are called, and where the name of the upper one is crossed by nothing: the first of ever shorter
        names for which there is room. Where there is none, the shortest stands above all curves."""
        y, bottom = self.y(self.lines[1][0]), self.y(self.lines[0][0])
        lines = [*self._lines(), self._memory_line()]
        tops = [y - LINE, y][: 1 + (y + LINE <= bottom)]
        between = (self.box.left() + 4.0, self.box.right())
        for called in zip(CALLED["least"], CALLED["most"], strict=True):
            below, beside = (
                f"{name}{formula} = {int(value):,}"
                for name, (value, formula) in zip(called, self.lines, strict=True)
            )
            wide = measure.horizontalAdvance(beside) + 2.0
            free = free_place(lines, tops, (wide + 2 * CLEAR, LINE), (between[0] - CLEAR, between[1] + CLEAR))
            if free is not None and measure.horizontalAdvance(below) <= between[1] - between[0]:
                return below, beside, QRectF(free[0] + CLEAR, free[1], wide, LINE)
        return below, beside, QRectF(between[1] - wide, self.box.top(), wide, LINE)

    def _lines(self) -> list[np.ndarray]:
        """The points of each policy's curve (float64[m, 2])."""
        x = [self.x(size) for size in self.curves.memory.tolist()]
        return [np.array([*zip(x, map(self.y, values), strict=True)]) for values in self.values.tolist()]

    def _memory_line(self) -> np.ndarray:
        """The line of the present memory, from the highest curve to the lower bound (float64[2, 2])."""
        x = self.x(self.problem.target.size)
        return np.array([(x, self.y(float(self.values[:, self.at].max()))), (x, self.y(self.least))])

    def _present(self, painter: QPainter) -> None:
        """A line where the present memory is, named in the second line below the lower bound."""
        box, letters, size = self.box, face(9.0, True), self.problem.target.size
        x, words = self.x(size), f"M = {size:,}"
        painter.setPen(QPen(QColor(self.theme.text), 1.2))
        painter.drawPolyline(_drawn(self._memory_line()))
        wide = QFontMetricsF(letters).horizontalAdvance(words) + 4.0
        left = min(max(x - wide / 2, box.left()), box.right() - wide)
        write(
            painter,
            QRectF(left, self.y(self.least) + LINE, wide, LINE),
            CENTRE,
            words,
            letters,
            self.theme.text,
        )


def _drawn(line: np.ndarray) -> QPolygonF:
    """Points (float64[n, 2]) for a painter."""
    return QPolygonF([QPointF(x, y) for x, y in line.tolist()])


def round_step(least: float) -> int:
    """The smallest of 1, 2 and 5 times a power of ten that is no less."""
    power = 10 ** max(0, math.floor(math.log10(max(least, 1.0))))
    return next(m * power for m in (1, 2, 5, 10) if m * power >= least)
