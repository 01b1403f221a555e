"""What says that a scene goes on beyond what a camera sees of it: it fades at that side, and lanes that are out of sight are counted."""

from __future__ import annotations

import copy
from dataclasses import replace

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QLinearGradient, QPainter

from gui.canvas.graph.headers import HEADER_WIDTH, lane_extents
from gui.canvas.graph.scene import Scene
from gui.canvas.graph.viewport import Viewport
from gui.look.writing import LEFT, write
from gui.present.captions import LEAST, letters
from gui.present.scenes import HEADERS, GraphStage

FADE = 40.0
"""How far a scene fades towards a side (pixels of a frame of 1280 x 800)."""
SLACK = 3.0
"""A scene that goes on no further than so many of them does not go on."""
FAR = 1e6
"""Scene units from everything."""
LINE = 25.0
"""Height of a line that counts lanes."""


def cut_sides(
    scene: Scene, left: float, viewport: Viewport, width: float, ratio: float
) -> tuple[bool, bool, bool, bool]:
    """Whether a scene goes on to the left, above, to the right and below of what is seen of it: between headers that are ``left`` wide and
    the end of a stage that is ``width`` wide (pixels of a frame of 1280 x 800)."""
    x, y, w, h = scene.layout.bounds
    x0, y0 = viewport.to_pixels(x, y)
    x1, y1 = viewport.to_pixels(x + w, y + h)
    slack = SLACK * ratio
    right = min(float(viewport.width), width * ratio)
    return x0 < left * ratio - slack, y0 < -slack, x1 > right + slack, y1 > viewport.height + slack


def hidden_lanes(
    scene: Scene, viewport: Viewport, ratio: float
) -> tuple[tuple[int, float], tuple[int, float]]:
    """How many lanes are out of sight above, and down to where; how many below, and from where. A line says so, and what is partly under
    it is out of sight, too."""
    extents = [extent for extent in lane_extents(scene, viewport) if extent[1] > extent[0]]
    low = float(viewport.height)
    above, below = (0, 0.0), (0, low)
    if any(top + bottom < 0.0 for top, bottom in extents):
        ends = [bottom for top, bottom in extents if top < LINE * ratio]
        above = (len(ends), max(ends))
    if any(top + bottom > 2 * low for top, bottom in extents):
        starts = [top for top, bottom in extents if bottom > low - LINE * ratio]
        below = (len(starts), min(starts))
    return above, below


def without_hidden(scene: Scene, viewport: Viewport, ratio: float) -> Scene:
    """A scene whose lanes that are out of sight are far away: nothing is written on them, not even under the line that counts them."""
    (above, first), (below, last) = hidden_lanes(scene, viewport, ratio)
    if not above and not below:
        return scene
    out, lanes = copy.copy(scene), []
    for lane, (top, bottom) in zip(scene.layout.lanes, lane_extents(scene, viewport), strict=True):
        x, y, w, h = lane.band
        far = FAR if below and bottom > last else -FAR if above and top < first else 0.0
        lanes.append(replace(lane, band=(x, y + far, w, h)))
    out.layout = replace(scene.layout, lanes=tuple(lanes))
    return out


def paint_fades(
    painter: QPainter, scene: Scene, stage: GraphStage, viewport: Viewport, width: float, ratio: float
) -> None:
    """Let a ``scene`` of a ``stage`` fade where it goes on (device pixels)."""
    sides = cut_sides(scene, stage.left, viewport, width, ratio)
    left, right, low = stage.left * ratio, min(float(viewport.width), width * ratio), float(viewport.height)
    ground, fade = QColor(stage.palette.theme.canvas), FADE * ratio
    clear = QColor(ground)
    clear.setAlpha(0)
    ways = (
        (QPointF(left, 0), QPointF(left + fade, 0), QRectF(left, 0, fade, low)),
        (QPointF(0, 0), QPointF(0, fade), QRectF(left, 0, right - left, fade)),
        (QPointF(right, 0), QPointF(right - fade, 0), QRectF(right - fade, 0, fade, low)),
        (QPointF(0, low), QPointF(0, low - fade), QRectF(left, low - fade, right - left, fade)),
    )
    for cut, (edge, inside, box) in zip(sides, ways, strict=True):
        if cut:
            ramp = QLinearGradient(edge, inside)
            ramp.setColorAt(0.0, ground)
            ramp.setColorAt(1.0, clear)
            painter.fillRect(box, ramp)


def paint_hidden(
    painter: QPainter, scene: Scene, stage: GraphStage, viewport: Viewport, ratio: float
) -> None:
    """Say in the column of headers how many lanes are out of sight (device pixels)."""
    theme, words = stage.palette.theme, stage.plan.problem.target.words
    wide, line = HEADER_WIDTH * HEADERS * ratio, LINE * ratio
    (above, first), (below, last) = hidden_lanes(scene, viewport, ratio)
    for count, arrow, box, at in (
        (above, "\N{UPWARDS ARROW}", QRectF(0, 0, wide, first), 0.0),
        (below, "\N{DOWNWARDS ARROW}", QRectF(0, last, wide, viewport.height - last), viewport.height - line),
    ):
        if count:
            painter.fillRect(box, QColor(theme.canvas))
            said = f"{arrow} {count:,} more {words.one if count == 1 else words.many}"
            row = QRectF(18 * ratio, at, wide - 18 * ratio, line)
            write(painter, row, LEFT, said, letters(LEAST * ratio), theme.text)
