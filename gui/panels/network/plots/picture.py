"""I/Os by memory as a picture file: an order's curves under each policy, between the bounds of Theorem 1."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPolygonF

from gui.canvas.network.picture import HEIGHT_OF, MARGIN, SMALLEST, WIDTH, heading_of_order
from gui.look.drawn import Drawing, fill_ground
from gui.look.page import SHEET, Page
from gui.look.theme import Theme
from gui.look.writing import CENTRE, LEFT, RIGHT, face, write
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
POINT = 5.0
"""Radius of the point where the present memory meets the curve of its policy."""


def draw_curves(
    problem: NetworkProblem, order: Ints, page: Page = SHEET, title: str = "", bounds: Sequence[Bound] = ()
) -> Drawing:
    """The curves of an order (int32[W]), all counted exactly. Needs a QGuiApplication, no display.

    Raises PlanError for no order of the network's connections.
    """
    order = problem.evaluator.checked(order)
    page = page.usual
    size, colours, head = page.pixels, page.theme, title or problem.network.name
    scale = max(0.3, min(size[0] / WIDTH, size[1] / HEIGHT_OF), page.least / SMALLEST)
    width, height = size[0] / scale, size[1] / scale
    heading = heading_of_order(problem, order, head, bounds, width)
    curves = counted(problem, order)

    def paint(painter: QPainter, _: bool) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        fill_ground(painter, page, colours.panel)
        painter.scale(scale, scale)
        heading.paint(painter, MARGIN, width - 2 * MARGIN, colours)
        top = heading.height + LINE
        box = QRectF(
            MARGIN + LEFT_ROOM, top, width - 3 * MARGIN - LEFT_ROOM, height - top - 2 * LINE - MARGIN
        )
        _paint_key(
            painter, QRectF(MARGIN, heading.height - 2, width - 2 * MARGIN, LINE), problem, curves, colours
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


def _paint_key(
    painter: QPainter, line: QRectF, problem: NetworkProblem, curves: Curves, theme: Theme
) -> None:
    """How far the order is from the lower bound, and which colour is which policy."""
    letters, x = face(9.0), line.right()
    measure = QFontMetricsF(letters)
    for policy in range(len(POLICIES) - 1, -1, -1):
        words = policy_name(POLICIES[policy])
        x -= measure.horizontalAdvance(words)
        write(painter, QRectF(x, line.top(), 80.0, line.height()), LEFT, words, letters, theme.text)
        x -= 24.0
        painter.setPen(QPen(QColor(policy_colour(policy, theme)), 3.0))
        painter.drawLine(QPointF(x, line.center().y()), QPointF(x + 18.0, line.center().y()))
        x -= 14.0
    here = float(curves.values("total")[0, problem.target.policy_code, present_sample(curves, problem)])
    words = standing_words(here, io_bounds(problem.network), curves.reaches)
    write(
        painter,
        QRectF(line.left(), line.top(), x - line.left(), line.height()),
        LEFT,
        words,
        letters,
        theme.muted,
    )


class _Plot:
    """Sizes by their logarithm from left to right, I/Os from bottom to top, with two lines of words below the lower bound,
    where no curve is, and one above the highest."""

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
        for policy in sorted(range(len(POLICIES)), key=lambda p: p == self.problem.target.policy_code):
            wide = 2.6 if policy == self.problem.target.policy_code else 1.4
            painter.setPen(QPen(QColor(policy_colour(policy, self.theme)), wide))
            points = zip(self.curves.memory.tolist(), self.values[policy].tolist(), strict=True)
            painter.drawPolyline(QPolygonF([QPointF(self.x(size), self.y(value)) for size, value in points]))
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
        """The lower bound, named below it, and the upper one, named above it."""
        box, letters = self.box, face(9.0, True)
        for name, (value, formula), colour, style in (
            ("least", self.lines[0], self.theme.good, Qt.PenStyle.SolidLine),
            ("most", self.lines[1], self.theme.muted, Qt.PenStyle.DashLine),
        ):
            y = self.y(value)
            painter.setPen(QPen(QColor(colour), 1.6, style))
            painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
            said = [f"{called}{formula} = {int(value):,}" for called in CALLED[name]]
            measure = QFontMetricsF(letters)
            words = next((w for w in said if measure.horizontalAdvance(w) <= box.width()), said[-1])
            below = name == "least"
            place = QRectF(box.left() + 4.0, y if below else y - LINE, box.width() - 4.0, LINE)
            write(painter, place, LEFT if below else RIGHT, words, letters, colour)

    def _present(self, painter: QPainter) -> None:
        """A line where the present memory is, named in the second line below the lower bound."""
        box, letters, size = self.box, face(9.0, True), self.problem.target.size
        x, words = self.x(size), f"M = {size:,}"
        painter.setPen(QPen(QColor(self.theme.text), 1.2))
        highest = float(self.values[:, self.at].max())
        painter.drawLine(QPointF(x, self.y(highest)), QPointF(x, self.y(self.least)))
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


def round_step(least: float) -> int:
    """The smallest of 1, 2 and 5 times a power of ten that is no less."""
    power = 10 ** max(0, math.floor(math.log10(max(least, 1.0))))
    return next(m * power for m in (1, 2, 5, 10) if m * power >= least)
