"""Two to four orders of one network beside or below each other as a picture file: PNG, or SVG and PDF with links as vectors."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QPen

from gui.canvas.network.legend import HEIGHT as LEGEND_LINE
from gui.canvas.network.legend import legend_lines, paint_legend
from gui.canvas.network.picture import (
    BELOW,
    SHAPE,
    compose_network,
    memory_words,
    page_for,
    paint_network,
    scale_of,
    standing,
)
from gui.canvas.network.titles import GAP
from gui.look.drawn import Drawing, fill_ground
from gui.look.heading import Heading, heading_of, lines_of
from gui.look.numbers import plural, signed_amount, signed_percent
from gui.look.page import SHEET, Page
from gui.look.writing import LEFT, face, write
from gui.panels.comparison.names import plan_title
from gui.widgets.labels import capital
from planner.reports.comparison import OrderComparison

WIDTH, HEIGHT = 1280.0, 800.0
"""Size in logical units of a picture of usual proportions; words are as large as in a window of that size."""
MARGIN, LINE, APART = 12.0, 20.0, 8.0
"""Around everything, a line of an order's name, and between two orders."""
MOST_NAMED = 3
"""Lines of an order's name at most."""
FOOT = LEGEND_LINE + BELOW
"""What is counted of an order, below it."""


def title_of(comparison: OrderComparison) -> str:
    """What stands above the picture, unless it has a title of its own."""
    return f"{comparison.network.name}: {plural(len(comparison.plans), 'order')} compared"


@dataclass(frozen=True, eq=False)
class _Places:
    """Where orders stand: ``columns`` beside each other, each ``wide`` units across, below so many ``names`` lines of what they are called,
    and ``headings``. What is drawn of all begins at one height, whatever is said above each."""

    columns: int
    rows: int
    wide: float
    names: tuple[tuple[str, ...], ...]
    headings: tuple[Heading, ...]

    def named(self, i: int) -> float:
        """Units of the name of order i."""
        return LINE * len(self.names[i])

    @property
    def above(self) -> float:
        """Units of the names and headings above each order."""
        return max(self.named(i) + heading.height for i, heading in enumerate(self.headings))

    @property
    def words(self) -> float:
        """Units of all words of a column of orders, and of what is between them."""
        return self.rows * (self.above + FOOT) + (self.rows - 1) * APART

    def drawn(self, free: float) -> float:
        """Units across of the largest drawing of usual shape that each order has room for where ``free`` units are left for a column."""
        return min(self.wide, (free - self.words) / self.rows / SHAPE)


def draw_orders(comparison: OrderComparison, page: Page = SHEET, title: str = "") -> Drawing:
    """The picture of compared orders below a ``title`` (empty: :func:`title_of`). Needs a QGuiApplication, no display."""
    colours, scale, title = page.theme, scale_of(page, (WIDTH, HEIGHT)), title or title_of(comparison)
    width, most = page.pixels[0] / scale, page.pixels[1] / scale
    differing, plans = comparison.differing.sentence, comparison.plans
    above = heading_of(
        title, capital(differing) or memory_words(plans[0].problem), width - 2 * MARGIN, face(14.0, True), face(9.0)
    )  # fmt: skip
    below = legend_lines(width - 2 * MARGIN) * LEGEND_LINE + BELOW
    said = [_said(comparison, i, memory=bool(differing)) for i in range(len(plans))]
    ways = [_places(said, columns, width) for columns in range(1, len(plans) + 1)]
    places = max(ways, key=lambda way: way.drawn(most - above.height - below))
    page = page_for(page, above.height + places.words + places.rows * SHAPE * places.wide + below, scale)
    room = QRectF(0, 0, width, page.pixels[1] / scale)
    high = (room.height() - above.height - below - (places.rows - 1) * APART) / places.rows
    rooms = [(places.wide, high - places.named(i)) for i in range(len(plans))]
    scenes = [
        compose_network(
            plan.problem, plan.decision.order, rooms[i], scale, colours, places.headings[i],
            (places.above - places.named(i), FOOT), len(plan.decision.order),
        )
        for i, plan in enumerate(plans)
    ]  # fmt: skip

    def paint(painter: QPainter, shapes: bool) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        fill_ground(painter, page, colours.panel)
        painter.scale(scale, scale)
        above.paint(painter, MARGIN, width - 2 * MARGIN, colours)
        for i, scene in enumerate(scenes):
            column, row = i % places.columns, i // places.columns
            painter.save()
            painter.translate(column * (places.wide + APART), above.height + row * (high + APART))
            if column:
                painter.setPen(QPen(QColor(colours.border), 1.0))
                painter.drawLine(QPointF(-APART / 2, 0), QPointF(-APART / 2, high))
            for line, words in enumerate(places.names[i]):
                place = QRectF(MARGIN, line * LINE, places.wide - 2 * MARGIN, LINE)
                write(painter, place, LEFT, words, face(11.0, True), colours.accent)
            painter.translate(0, places.named(i))
            paint_network(painter, scene, rooms[i], colours, vectors=shapes, legend=False)
            painter.restore()
        legend = QRectF(MARGIN, room.height() - below + 2.0, width - 2 * MARGIN, below - BELOW)
        paint_legend(painter, legend, colours)

    return Drawing(page, title, paint)


def _said(comparison: OrderComparison, i: int, *, memory: bool) -> tuple[str, str, str]:
    """What stands above order i: its name, how it differs from the first, and what it costs, with the ``memory`` on which it does."""
    plan = comparison.plans[i]
    words = [memory_words(plan.problem)] * memory + standing(
        plan.problem, plan.decision.order, comparison.bounds
    )
    return _name(comparison, i), difference_words(comparison, i), GAP.join(words)


def _places(said: list[tuple[str, str, str]], columns: int, width: float) -> _Places:
    """Orders of which so much is ``said``, in so many columns of a picture ``width`` units across."""
    wide = (width - (columns - 1) * APART) / columns
    free = wide - 2 * MARGIN
    names = tuple(lines_of(name, face(11.0, True), free, MOST_NAMED) for name, _, _ in said)
    headings = tuple(heading_of(title, words, free, face(12.0, True), face(9.0)) for _, title, words in said)
    return _Places(columns, -(-len(said) // columns), wide, names, headings)


def _name(comparison: OrderComparison, i: int) -> str:
    """What order i is called, and how many neurons moved."""
    name = plan_title(comparison, i)
    return f"{name}, {plural(len(comparison.displaced(i).neurons), 'neuron')} moved" if i else name


def difference_words(comparison: OrderComparison, i: int) -> str:
    """How order i differs from the first: its I/Os with sign and share."""
    if not i:
        others = f"{comparison.letter(1)} is" if len(comparison.plans) == 2 else "The others are"
        return f"{others} compared with this order"
    first, plan = comparison.plans[0], comparison.plans[i]
    change = plan.objective - first.objective
    share = f" ({signed_percent(change / first.objective)})" if first.objective else ""
    said = "as many I/Os" if not change else f"{signed_amount(change, abs(change), 'I/Os')}{share}"
    return f"{said} against {comparison.letter(0)}"
