"""The paths of a broken rule over the canvas: the direct dependency as a solid stroke, the indirect way as a double one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gui.canvas.graph.overlay import stroke_edges, stroke_outlines
from gui.canvas.graph.palette import CanvasPalette, packed
from gui.canvas.graph.scene import Scene
from gui.canvas.graph.viewport import Viewport
from gui.look.fonts import font, metrics
from gui.look.theme import Theme
from planner.model.graph import Ints
from planner.problem.decision import Violation

WITH_PATHS = frozenset({"order", "triangle"})
"""Rules whose violations name the two ops of a dependency, and then the pairs of ops along an indirect way."""
BOTH = 2
"""Ends of a dependency: its ops, and their chips."""


@dataclass(frozen=True, eq=False)
class Paths:
    """Edges (of the scene's items) of the direct dependency and of the indirect way, and all cards involved."""

    direct: Ints
    indirect: Ints
    items: Ints


def has_paths(violation: Violation | None) -> bool:
    """Whether edges are drawn of a violation; the other edges of its ops would bury them."""
    return violation is not None and violation.kind in WITH_PATHS


def paths_of(scene: Scene, violation: Violation) -> Paths:
    """What to draw of a violation. Ends that are folded into one card have no edge."""
    item_of, ops = scene.items.item_of, [op for op in violation.ops if op < len(scene.items.item_of)]
    pairs = list(zip(ops[::2], ops[1::2], strict=False)) if violation.kind in WITH_PATHS else []
    edges = [_edge(scene, int(item_of[u]), int(item_of[v])) for u, v in pairs]
    found = [e for e in edges[1:] if e >= 0]
    direct = [e for e in edges[:1] if e >= 0]
    items = np.unique(item_of[np.array(ops, np.int64)]) if ops else np.empty(0, np.int32)
    return Paths(np.array(direct, np.int32), np.array(sorted(set(found) - set(direct)), np.int32), items)


def _edge(scene: Scene, u: int, v: int) -> int:
    """The edge from one card to another, -1 for none."""
    found = np.flatnonzero((scene.items.edge_src == u) & (scene.items.edge_dst == v))
    return int(found[0]) if len(found) else -1


def paint_rule_path(
    buffer: np.ndarray, scene: Scene, viewport: Viewport, palette: CanvasPalette, violation: Violation, ratio: float
) -> None:  # fmt: skip
    """Draw the paths onto a transparent overlay of the widget's size."""
    theme, paths = palette.theme, paths_of(scene, violation)
    place = (viewport.scale, viewport.ox, viewport.oy)

    def stroke(edges: Ints, colour: str, width: float, arrow: float = 0.0) -> None:
        if len(edges):
            shade = np.full(len(edges), packed(colour), np.uint32)
            stroke_edges(buffer, scene, place, edges, shade, width * ratio, 1.0, arrow * ratio)

    for edges in (paths.indirect, paths.direct):
        stroke(edges, theme.canvas, 8.0)
    stroke(paths.indirect, theme.warning, 5.5, 10.0)
    stroke(paths.indirect, theme.canvas, 2.0)
    stroke(paths.direct, theme.bad, 3.6, 10.0)
    stroke_outlines(buffer, scene, place, paths.items, np.uint32(packed(theme.bad)), 2.2 * ratio, ratio)


def path_words(violation: Violation, titles: tuple[str, ...]) -> list[tuple[int, str]]:
    """What names the direct and the indirect path of a triangle, each with the op that it stands beside; nothing of other rules."""
    if violation.kind != "triangle" or len(violation.ops) < 2 * BOTH or len(violation.devices) <= BOTH:
        return []
    first, last = violation.devices[0], violation.devices[-1]
    between = violation.devices[1:-1]
    over = ", ".join(titles[d].lower() for d in between) if len(between) <= BOTH else f"{len(between)} chips"
    return [
        (violation.ops[1], f"direct: {titles[first].lower()} \N{RIGHTWARDS ARROW} {titles[last].lower()}"),
        (violation.ops[3], f"indirect, over {over}"),
    ]


def paint_path_words(
    painter: QPainter, scene: Scene, viewport: Viewport, violation: Violation, titles: tuple[str, ...], theme: Theme, ratio: float
) -> None:  # fmt: skip
    """Plates that name the two paths of a triangle (logical pixels)."""
    for (op, words), colour in zip(path_words(violation, titles), (theme.bad, theme.warning), strict=False):
        i = int(scene.items.item_of[op])
        x, y = viewport.to_pixels(float(scene.x[i] + scene.w[i] / 2), float(scene.y[i]))
        sides = viewport.left / ratio + 4.0, viewport.width / ratio - 4.0
        _plate(painter, QPointF(x / ratio, y / ratio - 6), words, colour, theme, sides)


def _plate(
    painter: QPainter, foot: QPointF, words: str, colour: str, theme: Theme, sides: tuple[float, float]
) -> None:
    """A small plate whose lower edge is centred on ``foot``, kept between the ``sides`` of the graph."""
    wide = metrics(11, True).horizontalAdvance(words) + 14
    left = max(sides[0], min(foot.x() - wide / 2, sides[1] - wide))
    box = QRectF(left, max(2.0, foot.y() - 19), wide, 19)
    painter.setPen(QPen(QColor(colour), 1.2))
    painter.setBrush(QColor(theme.panel))
    painter.drawRoundedRect(box, 4, 4)
    painter.setFont(font(11, True))
    painter.setPen(QColor(colour))
    painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), words)
