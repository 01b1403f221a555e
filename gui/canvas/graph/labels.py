"""Text on the canvas: op names, kinds and costs when cards are large enough to read."""

from __future__ import annotations

import copy
from math import ceil

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gui.canvas.graph.block_colours import block_fills, block_ink, write_on_block
from gui.canvas.graph.detail import Detail
from gui.canvas.graph.heat.ramps import heat_ink
from gui.canvas.graph.naming.card_names import (
    card_names,
    elided,
    name_ends,
    short_name,
    tells_kinds,
    wide,
)
from gui.canvas.graph.naming.kinds import plain, says_kind, short_kinds
from gui.canvas.graph.overview import paint_plates
from gui.canvas.graph.palette import CanvasPalette, plain_words
from gui.canvas.graph.scene import STYLE, Scene
from gui.canvas.graph.viewport import Rect, Viewport
from gui.look.fonts import font
from gui.look.numbers import plural
from gui.look.theme import DIMMED
from gui.look.writing import CUT

MOST_LABELS = 700
BESIDE_TAB, AFTER = 3.0, 1.0
"""Logical pixels before and after a name on a card with a tab; in pictures, where letters have a least size, half of that."""
NAME, PAD = 12, 9.0
"""Logical pixels that the name of a near card is high, and beside it, at life size."""
GROUP_NAMED = 11
"""Logical pixels that a folded group is high at least where it alone has a name."""
LEAST_NAME = 7
"""Logical pixels that letters of names are high at least."""
LEAST_ROOM = 14
"""Logical pixels below which a card has no name."""
TIGHT = 1.15
"""Cards are so much higher at least than the letters of a name in them."""


def tab_width(palette: CanvasPalette) -> float:
    """How wide the tab with a device's number on filled cards is, in logical pixels; 0 where cards have none."""
    if not palette.filled or len(palette.devices) < 2:
        return 0.0
    return 5.0 + 6.0 * max(len(palette.code(device)) for device in range(len(palette.devices)))


def paint_labels(
    painter: QPainter,
    scene: Scene,
    viewport: Viewport,
    palette: CanvasPalette,
    detail: Detail,
    ratio: float,
    most: int = MOST_LABELS,
    least: float = 0.0,
    scale: float = 0.0,
) -> None:
    """Labels for the level of detail; none where more than ``most`` cards would carry one (they would be tiny).

    Where cards are faded only the others get theirs; :func:`paint_dimmed_labels` writes those of the faded ones. Letters
    are ``least`` device pixels high at least where cards have room for such, and as large as where a scene unit is ``scale`` of them (0: as many
    as it is).
    """
    if detail == Detail.OVERVIEW:
        paint_plates(painter, scene, viewport, palette, ratio)
        return
    shown = _visible(scene, viewport)
    if detail == Detail.BLOCKS:
        shown = shown[scene.items.whole_size[shown] > 1]
        shown = shown[scene.h[shown] * viewport.scale >= GROUP_NAMED * ratio]
    if len(shown) == 0 or len(shown) > most:
        return
    painter.setRenderHint(QPainter.RenderHint.TextAntialiasing, True)
    scale = scale or viewport.scale
    if detail == Detail.CARDS:
        _paint_cards(painter, scene, viewport, palette, shown, ratio, least, scale)
    else:
        fills = block_fills(scene, palette) if detail == Detail.BLOCKS else None
        _paint_names(painter, scene, viewport, palette, shown, ratio, least, scale, fills)


def name_size(card: float, ratio: float, least: float = 0.0) -> int:
    """Pixels that the name of a card is high, where the card itself is ``card`` pixels high: ``least`` at least where that has room."""
    usual = int(min(12 * ratio, max(LEAST_NAME * ratio, 0.62 * card)))
    return max(usual, ceil(least)) if card >= TIGHT * least else usual


def paint_dimmed_labels(
    painter: QPainter,
    scene: Scene,
    viewport: Viewport,
    palette: CanvasPalette,
    detail: Detail,
    ratio: float,
    most: int = MOST_LABELS,
    least: float = 0.0,
) -> None:
    """Labels of the cards that are faded, quiet but so that they can be read; ``most`` and ``least`` as for :func:`paint_labels`."""
    faded = scene.faded
    if detail == Detail.OVERVIEW or not faded.any():
        return
    card_names(scene)  # the copy has them, too
    others = copy.copy(scene)
    others.highlighted = faded
    painter.save()
    if detail != Detail.BLOCKS:  # the inks of blocks are as quiet as these can be
        painter.setOpacity(DIMMED)
    paint_labels(painter, others, viewport, plain_words(palette), detail, ratio, most, least)
    painter.restore()


def _visible(scene: Scene, viewport: Viewport) -> np.ndarray:
    return np.flatnonzero(scene.in_sight(viewport.visible()) & ~scene.faded)


def _box(scene: Scene, viewport: Viewport, item: int) -> Rect:
    """Where a card is drawn, in device pixels."""
    x, y = viewport.to_pixels(float(scene.x[item]), float(scene.y[item]))
    return x, y, float(scene.w[item]) * viewport.scale, float(scene.h[item]) * viewport.scale


def blank_share(scene: Scene, viewport: Viewport, palette: CanvasPalette, least: float) -> float:
    """The share of the cards in sight that would have a name below :data:`Detail.CARDS` and have no room for any; in logical pixels."""
    shown = _visible(scene, viewport)
    if not len(shown):
        return 0.0
    pixels, (left, after) = name_size(STYLE.card_h * viewport.scale, 1.0, least), _beside(palette, least)
    names, blank = card_names(scene), 0
    for i in shown.tolist():
        room = int(float(scene.w[i]) * viewport.scale - left - after)
        named = names.fitted(i, pixels, False, room, max(least, LEAST_NAME))[0] if room >= LEAST_ROOM else ""
        blank += not named.strip(CUT)
    return blank / len(shown)


def _beside(palette: CanvasPalette, least: float) -> tuple[float, float]:
    """Logical pixels of a card before and after its name."""
    share = 0.5 if least else 1.0
    return max(5.0, tab_width(palette) + share * BESIDE_TAB), share * AFTER


def _paint_names(
    painter: QPainter,
    scene: Scene,
    viewport: Viewport,
    palette: CanvasPalette,
    shown: np.ndarray,
    ratio: float,
    least: float,
    scale: float,
    fills: np.ndarray | None,
) -> None:
    """Names alone; ``fills`` are those of blocks (uint32[count]), None for near cards."""
    card = STYLE.card_h * scale if scene.layout.stages is None else float("inf")
    pixels = name_size(card, ratio, least)
    left, after = (room * ratio for room in _beside(palette, least))
    names, rooms = card_names(scene), scene.w * viewport.scale - left - after
    for i in shown[rooms[shown] >= LEAST_ROOM * ratio].tolist():
        room = int(rooms[i])
        text, size = names.fitted(i, pixels, False, room, max(least, LEAST_NAME * ratio))
        x, y, w, h = _box(scene, viewport, i)
        painter.setFont(font(size, False))
        at = QRectF(x + left, y, room + 2, h)
        if fills is None:
            painter.setPen(QColor(label_ink(scene, palette, i)))
            painter.drawText(at, int(Qt.AlignmentFlag.AlignVCenter), text)
        elif text:
            words = wide(text, size, False)
            ink = block_ink(scene, palette, fills[i], i, left / w, (left + words) / w)
            write_on_block(painter, text, words, at, ink, ratio)


def name_on_card(
    scene: Scene, viewport: Viewport, palette: CanvasPalette, detail: Detail, item: int, ratio: float, least: float = 0.0
) -> tuple[str, int]:  # fmt: skip
    """What :func:`paint_labels` writes on a near card that has no pin, and how high its letters are, bold from :data:`Detail.CARDS` on."""
    w = float(scene.w[item]) * viewport.scale
    if detail < Detail.CARDS:
        left, after = _beside(palette, least)
        pixels, room = name_size(STYLE.card_h * viewport.scale, ratio, least), int(w - (left + after) * ratio)
        if room < LEAST_ROOM * ratio:
            return "", pixels
        return card_names(scene).fitted(item, pixels, False, room, max(least, LEAST_NAME * ratio))
    zoom = _zoom(viewport.scale, ratio)
    pixels, tab = max(int(NAME * zoom * ratio), ceil(least)), max(0.0, tab_width(palette) - 5.0) * ratio
    return card_names(scene).fitted(item, pixels, True, int(w - tab - 1.6 * PAD * zoom * ratio), least)


def named_whole(
    scene: Scene, viewport: Viewport, palette: CanvasPalette, least: float = 0.0
) -> tuple[int, int]:
    """How many cards in sight carry names that are not cut, as :func:`paint_labels` writes them in logical pixels, and how high the letters
    are (0 where no card has any)."""
    shown, detail = np.flatnonzero(scene.in_sight(viewport.visible())), scene.detail(viewport.scale)
    if detail < Detail.LABELS:
        groups = shown[scene.items.whole_size[shown] > 1]
        shown, detail = groups[scene.h[groups] * viewport.scale >= GROUP_NAMED], Detail.LABELS
    named = [name_on_card(scene, viewport, palette, detail, i, 1.0, least) for i in shown.tolist()]
    whole = [pixels for name, pixels in named if name and not name.endswith(CUT)]
    return len(whole), max(whole, default=0)


def _zoom(scale: float, ratio: float) -> float:
    """How much larger than usual near cards are written, a scene unit being ``scale`` device pixels."""
    return min(1.5, max(0.8, scale / ratio))


def _paint_cards(
    painter: QPainter,
    scene: Scene,
    viewport: Viewport,
    palette: CanvasPalette,
    shown: np.ndarray,
    ratio: float,
    least: float,
    scale: float,
) -> None:
    heat = scene.heat
    zoom = _zoom(scale, ratio)
    big, small = (max(int(size * zoom * ratio), ceil(least)) for size in (NAME, 10.5))
    quiet = palette.small_ink(scene.items.model)
    pad = PAD * zoom * ratio
    tab = max(0.0, tab_width(palette) - 5.0) * ratio
    called, quiet_face = card_names(scene), font(small, False)
    names, costs, kinds = [], [], []
    for i in shown.tolist():
        x, y, w, h = _box(scene, viewport, i)
        x, w = x + tab, w - tab
        ink = label_ink(scene, palette, i)
        small_ink = quiet if heat is None else ink
        room = w - 1.6 * pad
        mark = 14 * zoom * ratio if scene.pinned[i] else 0.0
        name, size = called.fitted(i, big, True, int(room - mark), least)
        names.append((QRectF(x + pad, y + 0.1 * h, room - mark, 0.44 * h), name, ink, font(size, True)))
        cost = _work_text(scene, i) if heat is None else heat.value_text(i)
        fits = int(max(0.0, room - wide(cost, small, False) - 6 * ratio))
        low = QRectF(x + pad, y + 0.52 * h, room, 0.38 * h)
        kinds.append((low, _second_line(scene, i, name, small, fits), small_ink, quiet_face))
        costs.append((low, cost, small_ink, quiet_face))
        if mark:
            _pin(painter, x + w - 0.9 * pad, y + 0.3 * h, 4.2 * zoom * ratio, QColor(ink))
    middle = int(Qt.AlignmentFlag.AlignVCenter)
    right = middle | int(Qt.AlignmentFlag.AlignRight)
    for words, where in ((names, middle), (kinds, middle), (costs, right)):
        for rect, text, ink, face in words:
            painter.setFont(face)
            painter.setPen(QColor(ink))
            painter.drawText(rect, where, text)


def label_ink(scene: Scene, palette: CanvasPalette, item: int) -> str:
    """The colour of a near card's name: on a heat map what is read on the card's own colour, for words that are not plain."""
    heat = scene.heat
    if heat is None or palette.plain:
        return palette.theme.text
    return heat_ink(heat, palette, item)


def _second_line(scene: Scene, item: int, name: str, pixels: int, width: int) -> str:
    """What stands under the name: of a group how many ops it is and how many of them are selected where not all are, else what the name does not say and the shape."""
    items = scene.items
    if items.whole_size[item] > 1:
        some = f"{scene.chosen[item]} of " if scene.partly[item] else ""
        return elided(f"{some}{plural(int(items.size[item]), 'op')}", pixels, False, width)
    return fitting_kind(scene, item, pixels, width, name)


def fitting_kind(scene: Scene, item: int, pixels: int, width: int, name: str = "") -> str:
    """What fits under a card's name: of an op called by its kind the end of its name, else kind and shape.

    Shapes are whole or left out: one that is cut would be a wrong number. Nothing of ``name`` is said twice.
    """
    graph, v = scene.items.graph, int(scene.items.first[item])
    whole, kind, sizes = graph.op_names[v], graph.kinds[v], _sizes(scene, v)
    tail = short_name(whole)
    if tells_kinds(graph) and not says_kind(tail, kind):
        ends = name_ends(whole)
        choices = [end for end in ends if end not in name] if tail not in name else [sizes]
    elif (name or tail).lower().startswith(kind.lower()) and sizes:
        choices = [sizes]
    else:
        shorter = [short for short in short_kinds(kind) if plain(short) not in plain(name)]
        choices = [f"{kind} {sizes}".strip(), kind, *([sizes] if sizes else []), *shorter]
    return next((text for text in choices if wide(text, pixels, False) <= width), "")


def _work_text(scene: Scene, item: int) -> str:
    """The time of a card in the unit of all: ``0 ms`` of what takes none."""
    column, work = scene.work_column, float(scene.item_work[item])
    return column.level(work) if work or not column.suffix else f"0 {column.suffix}"


def _sizes(scene: Scene, op: int) -> str:
    """The shape of an op's first output without the batch; one number is in brackets, or nobody knows what it counts."""
    graph = scene.items.graph
    ptr, idx = graph.outputs
    shape = graph.tensor_shapes[idx[ptr[op]]] if ptr[op + 1] > ptr[op] else None
    sizes: tuple[int, ...] = shape or ()
    sizes = sizes[1:] if len(sizes) > 1 else sizes
    return f"[{sizes[0]}]" if len(sizes) == 1 else "\u00d7".join(map(str, sizes))


def kind_text(scene: Scene, item: int) -> str:
    """An op's kind and the shape of its first output; the kind is left out where the name says it already."""
    graph, v = scene.items.graph, int(scene.items.first[item])
    sizes = _sizes(scene, v)
    said = short_name(graph.op_names[v]).lower().startswith(graph.kinds[v].lower())
    return sizes if sizes and said else f"{graph.kinds[v]} {sizes}".strip()


def _pin(painter: QPainter, x: float, y: float, size: float, colour: QColor) -> None:
    """A small map pin whose head is centred on (x, y)."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
    painter.setPen(QPen(colour, max(1.0, 0.3 * size)))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawEllipse(QRectF(x - 0.6 * size, y - 0.9 * size, 1.2 * size, 1.2 * size))
    painter.drawLine(QPointF(x, y + 0.3 * size), QPointF(x, y + 1.3 * size))
    painter.restore()
