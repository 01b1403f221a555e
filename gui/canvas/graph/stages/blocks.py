"""The blocks of the stages view: the ground of each, and its plate with mark, title, cost, ops, memory and the bottleneck's name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gui.canvas.graph.areas import pixels
from gui.canvas.graph.header_data import HeaderData
from gui.canvas.graph.palette import CanvasPalette, packed
from gui.canvas.graph.scene import Scene
from gui.canvas.graph.stages.plate_form import (
    APART,
    BESIDE_MARK,
    LEAST_READ,
    MARK,
    SMALLEST,
    PlateForm,
    cost_text,
    form_of,
    memory_tone,
    memory_words,
    names_of,
    plate_boxes,
    type_scale,
)
from gui.canvas.graph.stages.routes import arrivals
from gui.canvas.graph.viewport import Viewport
from gui.look.fonts import font, metrics
from gui.look.glyphs import paint_glyph
from gui.look.numbers import plural
from gui.look.theme import ink_on, mix
from gui.raster import engine as raster
from planner.problem.worst import BOTTLENECK

MIDDLE = int(Qt.AlignmentFlag.AlignVCenter)
CENTRE = int(Qt.AlignmentFlag.AlignCenter)
RIGHT = MIDDLE | int(Qt.AlignmentFlag.AlignRight)


def paint_grounds(
    buffer: np.ndarray, scene: Scene, viewport: Viewport, palette: CanvasPalette, ratio: float, opacity: np.ndarray | float = 1.0
) -> None:  # fmt: skip
    """A soft ground with a border in its colour under the cells of each block; ``opacity`` of all, or of each device."""
    stages = scene.layout.stages
    if stages is None:
        return
    used = np.array([d for d, box in enumerate(stages.blocks) if box[2] > 0], np.int64)
    x, y, w, h = np.array([stages.blocks[d] for d in used.tolist()]).reshape(-1, 4).T
    raster.rounded_rects(
        buffer, None, x, y, w, h, viewport.scale, viewport.ox, viewport.oy, fill=palette.band[used],
        stroke=np.array([packed(ground_border(palette, d)) for d in used.tolist()], np.uint32), stroke_px=ratio,
        radius_px=5.0 * ratio, opacity=opacity[used] if isinstance(opacity, np.ndarray) else opacity,
    )  # fmt: skip


def draw_grounds(painter: QPainter, scene: Scene, viewport: Viewport, palette: CanvasPalette) -> None:
    """:func:`paint_grounds` as shapes."""
    stages = scene.layout.stages
    for d, box in enumerate(() if stages is None else stages.blocks):
        if box[2] > 0:
            painter.setPen(QPen(QColor(ground_border(palette, d)), 1.0))
            painter.setBrush(QColor(palette.devices[d].band))
            painter.drawRoundedRect(pixels(box, viewport), 5.0, 5.0)


def ground_border(palette: CanvasPalette, device: int) -> str:
    """The border of a block's ground."""
    colour = palette.devices[device]
    return mix(colour.band, colour.accent, 0.45)


def paint_plates(
    painter: QPainter,
    scene: Scene,
    viewport: Viewport,
    palette: CanvasPalette,
    data: HeaderData | None,
    ratio: float,
    least: float = LEAST_READ,
    brief: int | None = None,
) -> None:
    """The plates of all blocks in sight; without ``data`` they say the title and the number of ops.

    No letters are smaller than ``least`` device pixels: what has no room for them is left out. All plates are written in one form
    (:mod:`gui.canvas.graph.stages.plate_form`); their memory as ``brief`` as that says; None: as it has room in all of them.
    """
    form = form_of(scene, viewport, data, ratio, least)
    if brief is not None:
        form = replace(form, brief=brief)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
    painter.setRenderHint(QPainter.RenderHint.TextAntialiasing, True)
    zoom = type_scale(scene, viewport, ratio) * ratio
    for d, box in plate_boxes(scene, viewport).items():
        if box.right() < 0 or box.left() > viewport.width or box.bottom() < -20 * ratio or box.top() > viewport.height:  # fmt: skip
            continue
        hot = data is not None and d == data.bottleneck
        theme, colour = palette.theme, palette.devices[d]
        painter.setPen(QPen(QColor(theme.warning if hot else colour.accent), (2.0 if hot else 1.2) * ratio))
        painter.setBrush(QColor(theme.card))
        painter.drawRoundedRect(box, 5 * ratio, 5 * ratio)
        bar = QRectF(box.left() + ratio, box.top() + 4 * ratio, 3.5 * zoom, box.height() - 8 * ratio)
        painter.fillRect(bar, QColor(colour.accent))
        _write(painter, box, scene, d, int(scene.ops[d]), palette, data, zoom, least, form)
        if hot and data is not None:
            taken = arrivals(scene, viewport, d)
            _badge(painter, badge_box(box, badge_type(zoom, least), taken), data.worst, palette, zoom, least)
    painter.restore()


def _write(
    painter: QPainter, box: QRectF, scene: Scene, d: int, ops: int, palette: CanvasPalette, data: HeaderData | None, zoom: float,
    least: float, form: PlateForm,
) -> None:  # fmt: skip
    """The words of a plate: in two lines where it is wide, else one below the other, as many as it has lines."""
    theme, wide, big, small = palette.theme, form.wide, form.big, form.small
    if not big:
        _number(painter, box, scene, d, palette, least)
        return
    rows = form.rows(box, zoom)
    hot = data is not None and d == data.bottleneck
    strong, soft = QColor(theme.warning if hot else theme.text), QColor(theme.muted)
    cost = cost_text(data, d, form.column) if form.cost else ""
    mark, device = MARK * big, scene.devices[d]
    paint_glyph(painter, palette.devices[d], rows[0].left() + mark / 2, rows[0].center().y(), mark)
    named = rows[0].adjusted(mark + BESIDE_MARK * form.slim * zoom, 0, 0, 0)
    _line(painter, named, names_of(device)[form.called], big, True, QColor(theme.text), MIDDLE)
    _line(painter, rows[0 if wide else 1], cost, form.cost, True, strong, RIGHT if wide else MIDDLE)
    if form.lines < (2 if wide else 3):
        return
    used = _text(painter, rows[1 if wide else 2], (plural(ops, "op"),), small, False, soft, MIDDLE, least)
    if not form.tells_memory:
        return
    row = rows[1].adjusted(used + APART * zoom, 0, 0, 0) if wide else rows[3]
    colour, align = QColor(getattr(theme, memory_tone(data, d))), RIGHT if wide else MIDDLE
    _text(painter, row, memory_words(data, d)[form.brief :], small, False, colour, align, least)


def _number(
    painter: QPainter, box: QRectF, scene: Scene, d: int, palette: CanvasPalette, least: float
) -> None:
    """A plate that has no room for words in letters of ``least`` pixels: the device's mark and its number, if that has."""
    size, words = ceil(least), palette.code(d)
    inner = box.adjusted(0.5 * size, 0, -0.3 * size, 0)
    if least <= LEAST_READ or inner.height() < 1.1 * size:
        return
    wide = metrics(size, True).horizontalAdvance(words)
    if 0.9 * size + wide + 4 <= inner.width():
        paint_glyph(painter, palette.devices[d], inner.left() + 0.4 * size, inner.center().y(), 0.8 * size)
        inner.setLeft(inner.left() + 0.9 * size + 4)
    _text(painter, inner, (words,), size, True, QColor(palette.theme.text), MIDDLE, least)


def _text(
    painter: QPainter, box: QRectF, words: tuple[str, ...], size: int, bold: bool, colour: QColor, align: int, least: float
) -> float:  # fmt: skip
    """Write the first of ``words`` that fits on a line, in smaller type if need be; returns how wide it is, 0 where none fits."""
    smaller, text, used = _fitting(box.width(), words, size, bold, least)
    if text:
        painter.setFont(font(smaller, bold))
        painter.setPen(colour)
        painter.drawText(box, align, text)
    return used


def _line(
    painter: QPainter, box: QRectF, words: str, size: int, bold: bool, colour: QColor, align: int
) -> None:
    """Write what is known to fit on a line."""
    if words:
        painter.setFont(font(size, bold))
        painter.setPen(colour)
        painter.drawText(box, align, words)


def _fitting(
    room: float, words: tuple[str, ...], size: int, bold: bool, least: float
) -> tuple[int, str, float]:
    """The first of ``words`` that fits into ``room`` pixels, in smaller type if need be: its size, itself, and how wide it is; nothing
    where none fits."""
    for smaller in range(max(size, ceil(least)), max(ceil(least), int(SMALLEST * size)) - 1, -1):
        face = metrics(smaller, bold)
        text = next((text for text in words if face.horizontalAdvance(text) <= room), "")
        if text:
            return smaller, text, face.horizontalAdvance(text)
    return size, "", 0.0


def badge_type(zoom: float, least: float) -> int:
    """The size of the word about the bottleneck in device pixels."""
    return max(1, int(10 * zoom), ceil(least) if least > LEAST_READ else 0)


def badge_box(plate: QRectF, size: int, taken: Sequence[tuple[float, float]] = ()) -> QRectF:
    """Where the word about the bottleneck stands on a plate, in letters of ``size`` pixels, with room for the longest: at its right corner,
    or at its left one, or beside what comes in from above, where only there nothing does; ``taken`` are the ends of that (pixels)."""
    wide = metrics(size, True).horizontalAdvance(BOTTLENECK) + 1.2 * size
    right = max(plate.right() - wide - 0.4 * size, plate.center().x() - wide / 2)
    left = min(plate.left() + 0.4 * size, plate.center().x() - wide / 2)
    beside = [x for begin, end in taken for x in (end + 1.0, begin - wide - 1.0)]
    places = [right, left, *(x for x in beside if plate.left() <= x <= plate.right() - wide)]
    free = (x for x in places if all(end < x or begin > x + wide for begin, end in taken))
    return QRectF(next(free, right), plate.top() - 1.2 * size, wide, 1.5 * size)


def badge_of(scene: Scene, viewport: Viewport, size: int) -> QRectF | None:
    """:func:`badge_box` on the plate of the device that sets the pace; None where that has none."""
    hot = -1 if scene.evaluation is None else scene.evaluation.bottleneck
    plate = plate_boxes(scene, viewport).get(hot)
    return None if plate is None else badge_box(plate, size, arrivals(scene, viewport, hot))


def _badge(
    painter: QPainter, box: QRectF, word: str, palette: CanvasPalette, zoom: float, least: float
) -> None:
    """The word in its ``box`` on the upper border of the plate of the device that sets the pace, or holds most."""
    size = badge_type(zoom, least)
    if size < least:
        return
    theme = palette.theme
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.warning))
    painter.drawRoundedRect(box, 0.4 * size, 0.4 * size)
    _text(painter, box, (word,), size, True, QColor(ink_on(theme.warning, theme)), CENTRE, least)
