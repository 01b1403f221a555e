"""Two to four orders of one network beside each other as a picture file: PNG, or SVG and PDF with links as vectors."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter, QPen

from gui.canvas.network.picture import SMALLEST, compose_network, paint_network
from gui.look.drawn import Drawing, fill_ground
from gui.look.numbers import plural, signed_amount, signed_percent
from gui.look.page import SHEET, Page
from gui.look.writing import LEFT, face, write
from gui.panels.comparison.names import plan_title
from planner.reports.comparison import OrderComparison

WIDTH, HEIGHT = 1280.0, 800.0
"""Size in logical units of a picture of usual proportions; words are as large as in a window of that size."""
MARGIN, HEAD, LINE, APART = 12.0, 34.0, 20.0, 8.0
"""Around everything, the picture's title, the line with each order's name, and between two orders."""


def title_of(comparison: OrderComparison) -> str:
    """What stands above the picture, unless it has a title of its own."""
    return f"{comparison.network.name}: {plural(len(comparison.plans), 'order')} compared"


def draw_orders(comparison: OrderComparison, page: Page = SHEET, title: str = "") -> Drawing:
    """The picture of compared orders below a ``title`` (empty: :func:`title_of`). Needs a QGuiApplication, no display."""
    page = page.usual
    size, colours = page.pixels, page.theme
    scale = max(0.3, min(size[0] / WIDTH, size[1] / HEIGHT), page.least / SMALLEST)
    room = QRectF(0, 0, size[0] / scale, size[1] / scale)
    count = len(comparison.plans)
    columns = count if count < 4 else 2
    rows = -(-count // columns)
    wide = (room.width() - (columns - 1) * APART) / columns
    high = (room.height() - HEAD - (rows - 1) * APART) / rows
    title = title or title_of(comparison)
    inner = (wide, high - LINE)
    scenes = [
        compose_network(
            plan.problem,
            plan.decision.order,
            inner,
            scale,
            colours,
            difference_words(comparison, i),
            comparison.bounds,
            len(plan.decision.order),
        )
        for i, plan in enumerate(comparison.plans)
    ]

    def paint(painter: QPainter, shapes: bool) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        fill_ground(painter, page, colours.panel)
        painter.scale(scale, scale)
        line = QRectF(MARGIN, 6, room.width() - 2 * MARGIN, HEAD - 8)
        write(painter, line, LEFT, title, face(14.0, True), colours.text)
        for i, scene in enumerate(scenes):
            x, y = (i % columns) * (wide + APART), HEAD + (i // columns) * (high + APART)
            painter.save()
            painter.translate(x, y)
            if i % columns:
                painter.setPen(QPen(QColor(colours.border), 1.0))
                painter.drawLine(
                    QRectF(-APART / 2, 0, 0, high).topLeft(), QRectF(-APART / 2, 0, 0, high).bottomLeft()
                )
            line = QRectF(MARGIN, 0, wide - 2 * MARGIN, LINE)
            write(painter, line, LEFT, _name(comparison, i), face(11.0, True), colours.accent)
            painter.translate(0, LINE)
            paint_network(painter, scene, inner, colours, vectors=shapes)
            painter.restore()

    return Drawing(page, title, paint)


def _name(comparison: OrderComparison, i: int) -> str:
    """What order i is called, and how many neurons moved."""
    name = plan_title(comparison, i)
    return f"{name}, {plural(len(comparison.displaced(i).neurons), 'neuron')} moved" if i else name


def difference_words(comparison: OrderComparison, i: int) -> str:
    """How order i differs from the first: its I/Os with sign and share."""
    if not i:
        return "The others are compared with this order"
    first, plan = comparison.plans[0], comparison.plans[i]
    change = plan.objective - first.objective
    share = f" ({signed_percent(change / first.objective)})" if first.objective else ""
    said = "as many I/Os" if not change else f"{signed_amount(change, abs(change), 'I/Os')}{share}"
    return f"{said} against {comparison.letter(0)}"
