"""The pair of plans that lie over each other, as one picture."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF, QPainter

from gui.editors.comparison.picture.head import LINE, facts_of, moved_of, packed, title_of
from gui.look.drawn import Drawing, fill_ground
from gui.look.numbers import percent
from gui.look.page import Page
from gui.look.theme import font
from gui.look.writing import LEFT, write
from gui.panels.comparison.names import Pair
from gui.present.comparison.overlay import OverlayShot
from gui.present.comparison.overlay_head import INSET
from gui.present.comparison.shot import LETTERS, paint_parts
from gui.present.scenes import Folded
from planner.reports.comparison import Comparison, compare

TITLE_TOP, TITLE_LINE = 7.0, 20.0
"""Pixels above a title, and of each of its lines."""
ABOVE_LANES, LANE = 220.0, 112.0
"""Of lanes on a page as high as needed: pixels above them, and of each, which has room for the bars and figures of both plans."""
HALF = 0.5
"""The share at which both plans show alike."""
TRIED = 6
"""Heights of a page as high as needed that are tried, from the usual one to the highest."""
OVERLAYS = {"overlay": "Both on one canvas, flow", "overlay-lanes": "Both on one canvas, lanes"}


def draw_overlaid(
    comparison: Comparison,
    page: Page,
    view: str,
    pair: Pair,
    share: float,
    title: str = "",
    folded: Folded = (),
) -> Drawing:
    """Plan ``pair[1]`` and over it, by ``share`` (0 to 1), plan ``pair[0]`` of the comparison; ``view`` is one of :data:`OVERLAYS`.

    Each group of ``folded`` is one card. A ``title`` of one's own stands above them, else :func:`title_of`, or the model alone where that
    has no room. Where a page is as high as needed, it is higher the more room the names of ops need.
    """
    if len(comparison.plans) > 2 or pair != (1, 0):
        chosen = (pair[1], pair[0])
        letters = [comparison.letter(i) for i in chosen]
        comparison = compare([comparison.plans[i] for i in chosen], comparison.bounds, letters=letters)
    layout = "lanes" if view == "overlay-lanes" else "flow"
    if layout == "lanes":
        page = page.as_high_as(max(page.usual.room[1], ABOVE_LANES + LANE * len(comparison.rows)))
    wide, high = page.room
    lines = _title_lines(comparison, title, wide - 2 * INSET)
    facts = packed(
        [*facts_of(comparison), *shows_of(comparison, share)], QFontMetricsF(font(8.5)), wide - 2 * INSET
    )
    below = TITLE_TOP + TITLE_LINE * len(lines)
    top = below + LINE * len(facts)

    def shot_of(most: float = 0.0) -> OverlayShot:
        return OverlayShot(
            comparison, (wide, high - top), 1.0 / LETTERS, page.theme, layout, None, np.empty(0, np.int32), share, folded,
            page.least_units, most,
        )  # fmt: skip

    if page.crop and layout == "flow":
        least = page.usual.room[1]
        for most in np.linspace(least, max(least, high), TRIED).tolist():
            shot = shot_of(most)
            if shot.named:
                break
        shot.cropped()
        page = page.as_high_as(top + shot.high)
    else:
        shot = shot_of()
    shot.ground, shot.slider = not page.transparent, False

    def paint(painter: QPainter, _: bool) -> None:
        fill_ground(painter, page, page.theme.panel)
        painter.scale(page.scale, page.scale)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for i, line in enumerate(lines):
            box = QRectF(INSET, TITLE_TOP + i * TITLE_LINE, wide - 2 * INSET, TITLE_LINE)
            write(painter, box, LEFT, line, font(12.0, bold=True), page.theme.text)
        for i, line in enumerate(facts):
            box = QRectF(INSET, below + i * LINE, wide - 2 * INSET, LINE)
            write(painter, box, LEFT, line, font(8.5), page.theme.muted)
        painter.translate(0, top)
        paint_parts(painter, shot.parts())

    return Drawing(page, title or title_of(comparison), paint)


def shows_of(comparison: Comparison, share: float) -> list[str]:
    """How many ops moved, and which of plans A and B shows how much, at a ``share`` of the slider from A (0) to B (1)."""
    first, second = comparison.letter(0), comparison.letter(1)
    if not 0.0 < share < 1.0:
        shown = f"shows {second if share else first}"
    elif share == HALF:
        shown = f"half {first}, half {second}"
    else:
        shown = f"{percent(1.0 - share, 0)} {first}, {percent(share, 0)} {second}"
    return [moved_of(comparison), shown]


def _title_lines(comparison: Comparison, title: str, width: float) -> list[str]:
    """A title in as many lines as it takes; the usual one only where that is one line, for the plans are named below."""
    measure, usual = QFontMetricsF(font(12.0, bold=True)), title_of(comparison)
    if title in ("", usual):
        title = usual if measure.horizontalAdvance(usual) <= width else comparison.graph.name
    return packed([title], measure, width)
