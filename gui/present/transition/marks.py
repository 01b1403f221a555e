"""What is written and drawn over the cards of a keyframe: labels of the ops it is about, and the paths of the rule that is broken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPolygonF

from gui.canvas.graph.naming.card_names import short_name
from gui.canvas.graph.palette import CanvasPalette
from gui.canvas.graph.rules.rule_path import BOTH, has_paths, path_words, paths_of
from gui.canvas.graph.scene import Scene
from gui.canvas.graph.stages.plate_form import plate_boxes
from gui.canvas.graph.stages.ribbons import rounded
from gui.canvas.graph.viewport import Viewport
from gui.present.captions import LEAST, letters, measure
from planner.model.graph import Ints
from planner.problem.decision import Violation

MOST_LABELLED = 24
"""More ops than this are no few that are looked at one by one."""
APART = 5.0
"""Pixels between labels, and between a label and its card."""
LONGEST = 220.0
"""Pixels that a label takes at most; of longer names the end is kept."""


@dataclass(frozen=True, eq=False)
class Marks:
    """``ops`` (int32[m]), one of each card, carry a label; ``violation`` is the rule whose paths are drawn, ``titles`` those of the devices; ``foot`` pixels of a
    frame of 1280 x 800 at the bottom belong to the legend."""

    ops: Ints
    violation: Violation | None = None
    titles: tuple[str, ...] = ()
    foot: float = 0.0


NO_MARKS = Marks(np.empty(0, np.int32))


@dataclass(frozen=True)
class Label:
    """Words on a plate: where (device pixels), and in which colour."""

    box: QRectF
    words: str
    colour: str


def paint_marks(
    painter: QPainter, scene: Scene, viewport: Viewport, palette: CanvasPalette, marks: Marks, ratio: float
) -> None:
    """Paths first, labels over them (device pixels)."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    high = viewport.height - marks.foot * ratio
    painter.setClipRect(QRectF(viewport.left, 0, viewport.width - viewport.left, high))
    if has_paths(marks.violation):
        assert marks.violation is not None
        _paint_paths(painter, scene, viewport, palette, marks.violation, ratio)
    theme, pixels = palette.theme, LEAST * ratio
    for label in labels_of(scene, viewport, palette, marks, ratio):
        painter.setPen(QPen(QColor(label.colour), 1.6 * ratio))
        painter.setBrush(QColor(theme.panel))
        painter.drawRoundedRect(label.box, 4 * ratio, 4 * ratio)
        painter.setFont(letters(pixels, True))
        painter.setPen(QColor(theme.text))
        painter.drawText(label.box, int(Qt.AlignmentFlag.AlignCenter), label.words)
    painter.restore()


# ---------------------------------------------------------------------- labels
def labels_of(
    scene: Scene, viewport: Viewport, palette: CanvasPalette, marks: Marks, ratio: float
) -> list[Label]:
    """The labels that have room: near their cards, over no other label and no other card that carries one.

    The words about the paths of a rule come first.
    """
    high = viewport.height - marks.foot * ratio
    seen = QRectF(viewport.left, 0, viewport.width - viewport.left, high).adjusted(
        APART, APART, -APART, -APART
    )
    wanted: list[tuple[int, str, str]] = []
    theme = palette.theme
    if marks.violation is not None:
        colours = (theme.bad, theme.warning)
        wanted += [
            (op, words, colour) for (op, words), colour in zip(path_words(marks.violation, marks.titles), colours, strict=False)
        ]  # fmt: skip
    said = {op for op, _, _ in wanted}
    for op, name in zip(marks.ops.tolist(), labels_apart(scene, marks.ops.tolist()), strict=True):
        if op not in said:
            wanted.append((op, name, palette.devices[int(scene.device[scene.items.item_of[op]])].accent))
    cards = [_card(scene, viewport, op) for op, _, _ in wanted]
    placed: list[Label] = []
    high = 1.45 * LEAST * ratio
    # Plates, and what is written above them about what flows.
    written = [box.adjusted(0, -2.0 * high, 0, 0) for box in plate_boxes(scene, viewport).values()]
    for (_, words, colour), card in zip(wanted, cards, strict=True):
        if not card.intersects(seen):
            continue
        shown = _fitting(words, LONGEST * ratio if len(wanted) > BOTH else 2.2 * LONGEST * ratio, ratio)
        wide = measure(LEAST * ratio, True).horizontalAdvance(shown) + 14 * ratio
        taken = [*(other for other in cards if other is not card), *(label.box for label in placed), *written]
        places = [
            box
            for box in _places(card, wide, high, seen, APART * ratio)
            if seen.contains(box) and not any(box.intersects(other) for other in taken)
        ]
        if places:
            # Over no card at all, where there is such a place.
            best = next((box for box in places if not _covers(box, scene, viewport)), places[0])
            placed.append(Label(best, shown, colour))
    return placed


def _covers(box: QRectF, scene: Scene, viewport: Viewport) -> bool:
    """Whether a box (device pixels) lies over any card."""
    scale = viewport.scale
    left, top = scene.x * scale + viewport.ox, scene.y * scale + viewport.oy
    across = (left < box.right()) & (left + scene.w * scale > box.left())
    return bool((across & (top < box.bottom()) & (top + scene.h * scale > box.top())).any())


def labels_apart(scene: Scene, ops: Sequence[int]) -> list[str]:
    """The :func:`label_words` of ops; where several have the same, with the part of their names before that by which they differ:
    ``query/MatMul``, ``layer.0/\N{HORIZONTAL ELLIPSIS}/MatMul``."""
    words = [label_words(scene, op) for op in ops]
    graph, found = scene.items.graph, list(words)
    for word in {one for one in words if words.count(one) > 1}:
        alike = [i for i, one in enumerate(words) if one == word]
        names = [graph.op_names[ops[i]].strip("/").split("/") for i in alike]
        for back in range(2, min(map(len, names)) + 1):
            parts = [name[-back] for name in names]
            if len(set(parts)) == len(parts):
                between = "/" if back == 2 else "/\N{HORIZONTAL ELLIPSIS}/"
                for i, part in zip(alike, parts, strict=True):
                    found[i] = f"{part}{between}{word}"
                break
    return found


def label_words(scene: Scene, op: int) -> str:
    """What the label of an op's card says: the end of its name, or of that of the group that it is folded into."""
    items = scene.items
    item = int(items.item_of[op])
    name = items.names[item] if items.whole_size[item] > 1 else items.graph.op_names[op]
    return short_name(name) or items.graph.kinds[op]


def _card(scene: Scene, viewport: Viewport, op: int) -> QRectF:
    i = int(scene.items.item_of[op])
    x, y = viewport.to_pixels(float(scene.x[i]), float(scene.y[i]))
    return QRectF(x, y, float(scene.w[i]) * viewport.scale, float(scene.h[i]) * viewport.scale)


def _places(card: QRectF, wide: float, high: float, seen: QRectF, apart: float) -> Sequence[QRectF]:
    """Where a label may stand: above, below, right or left of its card, further away where that is taken."""
    x = min(max(card.center().x() - wide / 2, seen.left()), seen.right() - wide)
    y = card.center().y() - high / 2
    boxes = []
    for step in range(3):
        away = apart + step * (high + apart)
        boxes += [
            QRectF(x, card.top() - away - high, wide, high), QRectF(x, card.bottom() + away, wide, high),
            QRectF(card.right() + away, y, wide, high), QRectF(card.left() - away - wide, y, wide, high),
        ]  # fmt: skip
    return boxes


def _fitting(words: str, room: float, ratio: float) -> str:
    return measure(LEAST * ratio, True).elidedText(words, Qt.TextElideMode.ElideLeft, room)


# ---------------------------------------------------------------------- paths
def _paint_paths(
    painter: QPainter, scene: Scene, viewport: Viewport, palette: CanvasPalette, violation: Violation, ratio: float
) -> None:  # fmt: skip
    """The direct dependency as a solid stroke, the indirect way as a double one, and outlines around the cards involved."""
    theme, paths = palette.theme, paths_of(scene, violation)
    routed = {int(e): i for i, e in enumerate(scene.routed.tolist())}
    found = {
        int(e): _course(scene, viewport, int(e), routed.get(int(e), -1))
        for e in (*paths.indirect.tolist(), *paths.direct.tolist())
    }
    painter.setBrush(Qt.BrushStyle.NoBrush)

    def stroke(edges: Ints, colour: str, width: float) -> None:
        painter.setPen(
            QPen(QColor(colour), width * ratio, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)
        )  # fmt: skip
        for e in edges.tolist():
            painter.drawPath(found[e][0])

    for edges in (paths.indirect, paths.direct):
        stroke(edges, theme.canvas, 11.0)
    stroke(paths.indirect, theme.warning, 7.5)
    stroke(paths.indirect, theme.canvas, 3.0)
    stroke(paths.direct, theme.bad, 5.0)
    for edges, colour in ((paths.indirect, theme.warning), (paths.direct, theme.bad)):
        for e in edges.tolist():
            _arrow(painter, *found[e][1:], colour, 9.0 * ratio)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(theme.bad), 3.0 * ratio))
    for item in paths.items.tolist():
        x, y = viewport.to_pixels(float(scene.x[item]), float(scene.y[item]))
        box = QRectF(x, y, float(scene.w[item]) * viewport.scale, float(scene.h[item]) * viewport.scale)
        painter.drawRoundedRect(box, 3 * ratio, 3 * ratio)


def _course(scene: Scene, viewport: Viewport, e: int, routed: int) -> tuple[QPainterPath, QPointF, QPointF]:
    """An edge as it is drawn at rest, where it ends, and from where it comes there."""
    if routed >= 0:
        part = slice(scene.route_ptr[routed], scene.route_ptr[routed + 1])
        pairs = zip(scene.route_x[part].tolist(), scene.route_y[part].tolist(), strict=True)
        points = [QPointF(*viewport.to_pixels(x, y)) for x, y in pairs]
        return rounded(points, 14.0 * viewport.scale), points[-1], points[-2]
    u, v = int(scene.items.edge_src[e]), int(scene.items.edge_dst[e])
    right, left = scene.leave[e] == 0, scene.enter[e] == 0
    a = QPointF(
        *viewport.to_pixels(
            float(scene.x[u] + (scene.w[u] if right else 0.0)), float(scene.y[u] + scene.h[u] / 2)
        )
    )
    b = QPointF(
        *viewport.to_pixels(
            float(scene.x[v] + (scene.w[v] if left else 0.0)), float(scene.y[v] + scene.h[v] / 2)
        )
    )
    reach = max(abs(b.x() - a.x()) / 2, 8 * viewport.scale)
    before = b + QPointF(reach if left else -reach, 0)
    path = QPainterPath(a)
    path.cubicTo(a + QPointF(reach if right else -reach, 0), before, b)
    return path, b, before


def _arrow(painter: QPainter, end: QPointF, before: QPointF, colour: str, size: float) -> None:
    way = end - before
    long = max(1e-9, float(np.hypot(way.x(), way.y())))
    along = way / long
    across, foot = QPointF(-along.y(), along.x()), end - along * (1.6 * size)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colour))
    painter.drawPolygon(QPolygonF([end, foot + across * size, foot - across * size]))
