"""A comparison as one picture for documents: figures, canvases side by side, flows, and what changes on each device."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from gui.editors.comparison.panels.devices_painter import HEAD, MOST_ROW, paint_devices
from gui.editors.comparison.panels.devices_table import device_table
from gui.editors.comparison.panels.figures_painter import fits, fitted, paint_table, table_height, wrapped
from gui.editors.comparison.panels.figures_words import Table, figures_table
from gui.editors.comparison.picture.bands import bands_of
from gui.editors.comparison.picture.head import BETWEEN, LINE, Head, head_of, looks_of, packed, title_of
from gui.editors.comparison.picture.legend import legend_of
from gui.editors.comparison.picture.overlaid import OVERLAYS, TRIED, draw_overlaid
from gui.editors.comparison.picture.scheduled import SCHEDULES, draw_schedules
from gui.look.drawn import Drawing, fill_ground
from gui.look.page import SHEET, Page
from gui.look.theme import Theme, font
from gui.look.writing import LEFT, write
from gui.panels.comparison.canvases import Canvas, canvases, named, paint_canvas
from gui.panels.comparison.names import Pair
from gui.panels.comparison.sankey_painter import labelled_height, paint_sankey
from gui.panels.comparison.sankey_words import sankey_of
from gui.present.scenes import Folded, folded_items
from gui.widgets.bar_key import HEIGHT as KEY_HEIGHT
from planner.errors import StageboardError
from planner.reports.comparison import Comparison

VIEWS = {"flow": "Flow", "lanes": "Lanes", "sankey": "What goes from device to device", "devices": "Devices"}
MARGIN = 20.0
LEAST_BELOW, MOST_BELOW, SHARE_BELOW, MOST_SHARE = 190.0, 400.0, 0.31, 0.45
"""Pixels of the part below the canvases, and its share of the height: the larger one at most, where flows have many devices to name."""
INSET_BELOW = 8.0
"""Pixels above and below what stands there."""
NARROW = 640.0
"""Pages narrower than this that are as high as needed have everything in one column."""
FLOW_SHAPE, LANE, ABOVE_LANES, ALONE = 0.62, 40.0, 80.0, 300.0
"""Of such a column: how high a flow is of its width, and pixels of a lane, of a canvas beside its lanes, of flows."""
LEAST_HEIGHT = 560
"""Pictures lower than this show figures and canvases alone."""
PAIR: Pair = (1, 0)


def draw_comparison(
    comparison: Comparison, page: Page = SHEET, view: str = "flow", pair: Pair = PAIR, share: float = 0.5, title: str = "",
    folded: Folded = (), schedule: str = "",
) -> Drawing:  # fmt: skip
    """The picture of a comparison. Needs a QGuiApplication, no display.

    ``view``: the canvases as ``flow`` or ``lanes``, with flows and devices below; or ``sankey`` or ``devices`` alone, large; or, as
    ``overlay`` or ``overlay-lanes``, the ``pair`` on one canvas, of which the first of it shows by ``share``; or, as ``schedules``, the
    schedules of all on one axis, of the kind ``schedule`` (empty: the first that all have). ``title``: above it (empty:
    the model and the plans). Each group of ``folded`` is one card. Of more
    than two plans there are the flows of each against the first, and what devices cost in all of them. Raises :class:`StageboardError` for
    another view, and where a plan has no schedule.
    """
    if view in OVERLAYS:
        return draw_overlaid(comparison, page, view, pair, share, title, folded)
    if view in SCHEDULES:
        return draw_schedules(comparison, page, title, schedule)
    if view not in VIEWS:
        raise StageboardError(f"there is no view '{view}'; choose {', '.join(VIEWS | SCHEDULES | OVERLAYS)}")
    if page.crop and page.room[0] < NARROW:
        high, painted = column(
            comparison, page.room, page.theme, view, not page.transparent, title, folded, page.least_units
        )
        page = page.as_high_as(high)
    else:
        page = page.usual
        painted = composed(
            comparison,
            page.room,
            page.theme,
            view,
            not page.transparent,
            page.floor > 0.0,
            title,
            folded,
            page.least_units,
        )

    def paint(painter: QPainter, _: bool) -> None:
        fill_ground(painter, page, page.theme.panel)
        painter.scale(page.scale, page.scale)
        painted(painter)

    return Drawing(page, title or title_of(comparison), paint)


def composed(
    comparison: Comparison, size: tuple[float, float], theme: Theme, view: str, ground: bool = True, brief: bool = False,
    title: str = "", folded: Folded = (), least: float = 0.0,
) -> Callable[[QPainter], None]:  # fmt: skip
    """Lay everything out for ``size``; returns what paints it, the canvases on a ``ground`` of their own or on none. ``brief``: of the
    table of figures no more than fits beside one another; ``least``: pixels that letters on cards are high at least."""
    width, height = size
    inner, count = width - 2 * MARGIN, len(comparison.plans)
    head, tables, top = _tables(comparison, inner, brief, title, view)
    drawings: list[Canvas] = []
    whole = QRectF(0, top, width, max(10.0, height - top))
    below = QRectF(0, height, width, 0)
    legend = None
    if view in ("flow", "lanes"):
        if height >= LEAST_HEIGHT:
            high = min(MOST_BELOW, max(LEAST_BELOW, SHARE_BELOW * height))
            if count == 2:
                wanted = (
                    labelled_height(sankey_of(comparison, PAIR, "ops", high)) + LINE + 4.0 + 2 * INSET_BELOW
                )
                high = max(high, min(wanted, MOST_BELOW, MOST_SHARE * height))
            below = QRectF(0, height - high, width, high)
            whole.setHeight(max(10.0, whole.height() - high))
        elif view == "flow":
            legend = legend_of(comparison, inner)
            whole.setHeight(max(10.0, whole.height() - legend.height))
        drawings = _canvases(comparison, whole, theme, view, folded, least)

    def paint(painter: QPainter) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        head.paint(painter, MARGIN, inner, theme)
        _paint_tables(painter, tables, inner, theme)
        for canvas in drawings:
            paint_canvas(painter, canvas, ground)
            painter.setPen(QPen(QColor(theme.border), 1))
            painter.drawLine(canvas.box.topLeft(), canvas.box.topRight())
            painter.drawLine(canvas.box.topRight(), canvas.box.bottomRight())
        if legend is not None:
            legend.paint(
                painter, QRectF(MARGIN, whole.bottom(), inner, legend.height), comparison.numbers, theme
            )
        if view == "sankey":
            wide = (inner + 2 * MARGIN) / (count - 1)
            for i in range(1, count):
                box = QRectF((i - 1) * wide, whole.top(), wide, whole.height())
                _paint_flows(painter, comparison, (i, 0), box.adjusted(MARGIN, 6, -MARGIN, -10), theme)
        elif view == "devices":
            _paint_devices(painter, comparison, whole.adjusted(MARGIN, 6, -MARGIN, -10), theme, details=True)
        elif below.height() > 0:
            painter.setPen(QPen(QColor(theme.border), 1))
            painter.drawLine(below.topLeft(), below.topRight())
            inside = below.adjusted(MARGIN, INSET_BELOW, -MARGIN, -INSET_BELOW)
            if count == 2:
                flows = QRectF(inside.left(), inside.top(), 0.44 * below.width() - 32, inside.height())
                _paint_flows(painter, comparison, PAIR, flows, theme)
                inside.setLeft(flows.right() + 24)
            _paint_devices(painter, comparison, inside, theme, details=False)

    return paint


def column(
    comparison: Comparison,
    room: tuple[float, float],
    theme: Theme,
    view: str,
    ground: bool = True,
    title: str = "",
    folded: Folded = (),
    least: float = 0.0,
) -> tuple[float, Callable[[QPainter], None]]:
    """Everything one below the other in a narrow page: the height that it takes, at most the page's, and what paints it.

    The table of figures wraps. Canvases are as high as their rows need, unless the page is too low for that; those of a flow higher, where
    all of the ops have room for names of ``least`` pixels then.
    """
    width, most = room
    inner, count = width - 2 * MARGIN, len(comparison.plans)
    # Canvases say gaps and rules in their titles.
    head, tables, top = _tables(comparison, inner, brief=view in ("flow", "lanes"), title=title, view=view)
    drawings: list[Canvas] = []
    flows: list[tuple[Pair, QRectF]] = []
    devices, told, legend = QRectF(), QRectF(), None
    left = max(80.0, most - top)
    if view in ("flow", "lanes"):
        each = FLOW_SHAPE * width if view == "flow" else ABOVE_LANES + LANE * len(comparison.rows)
        legend = legend_of(comparison, inner) if view == "flow" else None
        strip = 0.0 if legend is None else legend.height
        highest = max(10.0, left - strip)
        usual = min(highest, count * each)
        box = QRectF(0, top, width, usual)
        drawings = _canvases(comparison, box, theme, view, folded, least)
        if view == "flow" and least:
            for grown in np.linspace(usual, highest, TRIED).tolist():
                higher = QRectF(0, top, width, grown)
                larger = _canvases(comparison, higher, theme, view, folded, least)
                if named(larger):
                    box, drawings = higher, larger
                    break
        told = QRectF(MARGIN, box.bottom(), inner, strip)
        top = box.bottom() + strip
    elif view == "sankey":
        each = min(ALONE, left / (count - 1))
        for i in range(1, count):
            flows.append(((i, 0), QRectF(MARGIN, top + 6, inner, each - 16)))
            top += each
    else:
        lines = LINE * len(packed(_told(comparison), QFontMetricsF(font(8.5)), inner)) + 4.0
        high = min(left, lines + HEAD + MOST_ROW * len(comparison.rows) + KEY_HEIGHT + 16)
        devices = QRectF(MARGIN, top + 6, inner, high - 16)
        top += high

    def paint(painter: QPainter) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        head.paint(painter, MARGIN, inner, theme)
        _paint_tables(painter, tables, inner, theme)
        for canvas in drawings:
            paint_canvas(painter, canvas, ground)
            painter.setPen(QPen(QColor(theme.border), 1))
            painter.drawLine(canvas.box.topLeft(), canvas.box.topRight())
        if legend is not None:
            legend.paint(painter, told, comparison.numbers, theme)
        for pair, box in flows:
            _paint_flows(painter, comparison, pair, box, theme)
        if devices.isValid():
            _paint_devices(painter, comparison, devices, theme, details=True)

    return min(top, most), paint


def _canvases(
    comparison: Comparison, box: QRectF, theme: Theme, view: str, folded: Folded, least: float
) -> list[Canvas]:
    """The canvases of a picture, in which names of plans stand elsewhere."""
    items = folded_items(comparison.graph, folded, comparison.places if view == "lanes" else ())
    return canvases(comparison, box, theme, view, named=False, items=items, least=least)


def _tables(
    comparison: Comparison, width: float, brief: bool = False, title: str = "", view: str = ""
) -> tuple[Head, list[tuple[float, Table]], float]:
    """The head, the table of figures in parts that are ``width`` wide at most, each with where it begins, and where they end.

    ``brief``: less of the table; ``view``: the canvases, whose looks the head explains. Where it is still too wide plans stand in it by their letters, and their names whole in the head.
    """
    whole = figures_table(comparison, PAIR, paired=False)
    speeds = fits(whole, width)
    if not speeds:
        whole = figures_table(comparison, PAIR, paired=False, speeds=False)
    if brief:
        whole = fitted(whole, width)
    lettered = not fits(whole, width)
    if lettered:
        whole = figures_table(comparison, PAIR, lettered=True, paired=False, speeds=speeds)
        whole = fitted(whole, width) if brief else whole
    more = looks_of(comparison, view) if view in ("flow", "lanes") else ()
    head = head_of(comparison, width, listed=lettered, title=title, more=more)
    tables: list[tuple[float, Table]] = []
    top = head.height
    for table in wrapped(whole, width):
        tables.append((top, table))
        top += table_height(table) + 12
    return head, tables, top


def _paint_tables(painter: QPainter, tables: list[tuple[float, Table]], width: float, theme: Theme) -> None:
    for y, table in tables:
        paint_table(painter, QRectF(MARGIN, y, width, table_height(table)), table, theme)


def _lines(painter: QPainter, box: QRectF, parts: list[str], theme: Theme) -> QRectF:
    """Parts of a sentence at the top of a box, in as many lines as they take; returns what is left of the box."""
    lines = packed(parts, QFontMetricsF(font(8.5)), box.width())
    for i, text in enumerate(lines):
        place = QRectF(box.left(), box.top() + LINE * i, box.width(), LINE)
        write(painter, place, LEFT, text, font(8.5), theme.muted)
    return box.adjusted(0, LINE * len(lines) + 4.0, 0, 0)


def _paint_flows(painter: QPainter, comparison: Comparison, pair: Pair, box: QRectF, theme: Theme) -> None:
    measured = QFontMetricsF(font(8.5)).horizontalAdvance
    words = sankey_of(comparison, pair, "ops", box.height()).fitting_summary(measured, box.width())
    rest = _lines(painter, box, [words], theme)
    sankey = sankey_of(comparison, pair, "ops", rest.height())
    painter.save()
    painter.translate(QPointF(rest.left(), rest.top()))
    paint_sankey(painter, sankey, rest.width(), rest.height(), theme)
    painter.restore()


def _paint_devices(
    painter: QPainter, comparison: Comparison, box: QRectF, theme: Theme, details: bool
) -> None:
    rest, table = _lines(painter, box, _told(comparison), theme), device_table(comparison, PAIR)
    bands = bands_of(table, rest.width(), rest.height()) if details else None
    if bands is None:
        paint_devices(painter, rest, table, theme, details)
    else:
        bands.paint(painter, rest, theme)


def _told(comparison: Comparison) -> list[str]:
    """What is said above the devices, in parts."""
    table = device_table(comparison, PAIR)
    words = table.bottlenecks() if len(comparison.plans) > 2 else table.summary()
    return words.split(BETWEEN) if words else []
