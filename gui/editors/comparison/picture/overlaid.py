"""The pair of plans that lie over each other, as one picture."""

from __future__ import annotations

import numpy as np
from PySide6.QtGui import QPainter

from gui.editors.comparison.picture.head import Head, title_of
from gui.look.drawn import Drawing, fill_ground
from gui.look.page import Page
from gui.panels.comparison.names import Pair
from gui.present.comparison.overlay import OverlayShot
from gui.present.comparison.shot import LETTERS, paint_parts
from gui.present.scenes import Folded
from planner.reports.comparison import Comparison, compare

MARGIN = 20.0
"""Pixels beside a title."""
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

    Each group of ``folded`` is one card. A ``title`` of one's own stands above them; without one the plans' names are enough.
    """
    page = page.usual
    if len(comparison.plans) > 2 or pair != (1, 0):
        chosen = (pair[1], pair[0])
        letters = [comparison.letter(i) for i in chosen]
        comparison = compare([comparison.plans[i] for i in chosen], comparison.bounds, letters=letters)
    layout = "lanes" if view == "overlay-lanes" else "flow"
    own = title not in ("", title_of(comparison))
    head = Head(title, ()) if own else None
    top = 0.0 if head is None else head.height
    wide, high = page.room
    shot = OverlayShot(
        comparison,
        (wide, high - top),
        1.0 / LETTERS,
        page.theme,
        layout,
        None,
        np.empty(0, np.int32),
        share,
        folded,
    )
    shot.ground = not page.transparent

    def paint(painter: QPainter, _: bool) -> None:
        fill_ground(painter, page, page.theme.panel)
        painter.scale(page.scale, page.scale)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if head is not None:
            head.paint(painter, MARGIN, wide - 2 * MARGIN, page.theme)
        painter.translate(0, top)
        paint_parts(painter, shot.parts())

    return Drawing(page, title or title_of(comparison), paint)
