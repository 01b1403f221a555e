"""Paints a schedule: rows in the colours of their devices, bars by sample, the ramp-up, steady state and drain above."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPolygonF

from gui.look.glyphs import GLYPH_SIZE, paint_glyph
from gui.look.numbers import percent
from gui.look.theme import DeviceColour, Theme, device_colours, font, ink_on, mix, shift_lightness
from gui.look.writing import CENTRE, ENDS, LEFT, RIGHT, write
from gui.panels.schedule.key import paint_key
from gui.panels.schedule.layout import AXIS, LEAST_ROW, RULER, ChartLayout, piece_letter
from gui.widgets.bars import HATCH
from planner.reports.schedule.parts import STREAM, SYNC, WORK

ROUNDED_FROM, LABEL_FROM = 5.0, 9.0
"""Bars at least so wide are rounded, or may carry their sample's number."""
NUMBER_HIGH = 8.5
"""Digits fill bars so high: those of the lowest rows that charts have."""


NAMES_LEFT = 24.0
"""Where the names of rows begin."""
INTO_RULER = 4.0
"""So far the name of a low first row reaches into the strip above, to be off the next one's."""
BESIDE_SPAN = 2.0
"""Pixels between the name of a stretch of time and its ends."""
LEAST_SPAN, BETWEEN_NAMES = 8.0, 8.0
"""Pixels that a stretch of time is wide at least which has a name, and between two names."""
TOOTH = 8.0
"""How high a tooth of the line is where a schedule goes on beyond what is seen; half as wide."""
THINNEST = 0.8
"""Pixels of the narrowest bar."""


@dataclass
class Marks:
    """What stands out: pieces whose ops are selected (bool[p]), the bar under the pointer and the keyboard's (-1 = none)."""

    selected: np.ndarray | None = None
    hovered: int = -1
    cursor: int = -1


@lru_cache(maxsize=512)
def bar_colour(colour: DeviceColour, theme: Theme, odd: bool, backward: bool, work: bool) -> str:
    """Neighbouring samples differ in tint, backward work is darker, transfers are paler."""
    base = shift_lightness(colour.accent, -0.13 if backward else 0.0)
    if not work:
        return mix(theme.panel, base, 0.55 if odd else 0.68)
    return mix(theme.panel, base, 0.78) if odd else base


def paint_schedule(
    painter: QPainter,
    layout: ChartLayout,
    theme: Theme,
    marks: Marks | None = None,
    focused: bool = False,
    colours: Sequence[DeviceColour] = (),
) -> None:
    """Everything, in the layout's logical pixels from (0, 0); ``colours`` of the devices where they are not the usual ones."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    colours = colours or device_colours(len(layout.schedule.lane_count), theme)
    marks = marks or Marks()
    ticks, _ = layout.ticks()
    plot = QRectF(layout.gutter, RULER, layout.plot_width, layout.rows_bottom - RULER)
    _grid(painter, layout, theme, plot, ticks)
    painter.save()
    into = INTO_RULER if layout.whole else 0.0
    painter.setClipRect(QRectF(0, RULER - into, layout.width, plot.height() + into))
    _rows(painter, layout, theme, colours)
    painter.restore()
    _spans(painter, layout, theme, plot)  # below the bars, whose numbers no line runs through
    painter.save()
    painter.setClipRect(plot.adjusted(-1, 0, 1, 0))
    _bars(painter, layout, theme, colours, marks)
    painter.restore()
    _torn_edges(painter, layout, theme, plot)
    paint_key(painter, layout, theme)
    if layout.rows_hidden:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.faint))
        painter.drawRoundedRect(QRectF(*layout.thumb), 3, 3)
    if layout.axis >= AXIS:
        paint_axis(painter, layout, theme, plot.bottom())
    if focused:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(theme.focus), 1.5))
        painter.drawRoundedRect(QRectF(1, 1, layout.width - 2, layout.height - 2), 4, 4)


# ---------------------------------------------------------------------- ground
def _grid(painter: QPainter, layout: ChartLayout, theme: Theme, plot: QRectF, ticks: Sequence[float]) -> None:
    for span in layout.schedule.spans:
        if span.name == "steady state":
            x0, x1 = max(plot.left(), layout.x(span.start)), min(plot.right(), layout.x(span.finish))
            if x1 > x0:
                painter.fillRect(QRectF(x0, 0, x1 - x0, plot.bottom()), QColor(theme.hover))
    painter.setPen(QPen(QColor(theme.grid), 1))
    for time in ticks:
        x = round(layout.x(time)) + 0.5
        painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()))


def names_room(layout: ChartLayout) -> float:
    """The room that the names of all rows take beside the shares, whole."""
    return names_width([row.title for row in layout.rows])


def names_width(titles: Sequence[str]) -> float:
    """The room that these names of rows take beside the shares."""
    metrics = QFontMetricsF(font(8.5, bold=True))
    longest = max(map(metrics.horizontalAdvance, titles), default=0.0)
    return NAMES_LEFT + longest + QFontMetricsF(font(8.0, bold=True)).horizontalAdvance("100 %") + 10 + 12


def _rows(painter: QPainter, layout: ChartLayout, theme: Theme, colours: Sequence[DeviceColour]) -> None:
    s = layout.schedule
    heights = layout.heights.tolist()
    narrow = layout.gutter < 150 and not layout.names
    figures = font(8.0)
    room = QFontMetricsF(figures).horizontalAdvance("100 %") + 10
    for i, row in enumerate(layout.rows):
        top, height = layout.row_top(i), heights[i]
        if top + height < RULER or top > layout.rows_bottom:
            continue
        colour = colours[row.device]
        pad = 2.0 if height >= 22 else 1.0
        band = QRectF(layout.gutter, top + pad, layout.plot_width, height - 2 * pad)
        painter.setPen(Qt.PenStyle.NoPen)
        ground = QColor(colour.band)
        ground.setAlphaF(0.75)
        painter.setBrush(ground)
        painter.drawRoundedRect(band, 3, 3)
        sets_pace = row.device in s.bottlenecks
        paint_glyph(painter, colour, 14, top + height / 2, min(GLYPH_SIZE, 1.1 * height))
        if i % layout.named_every:
            continue
        right = layout.gutter - 8
        top, tall = (top, height) if layout.named_every == 1 else (
            min(max(RULER - (INTO_RULER if layout.whole else 0.0), top + height / 2 - LEAST_ROW / 2), layout.rows_bottom - LEAST_ROW), LEAST_ROW,
        )  # fmt: skip
        face = font(8.5, bold=sets_pace)
        metrics = QFontMetricsF(face)
        fits = not narrow and metrics.horizontalAdvance(row.title) <= right - NAMES_LEFT - room
        title = row.title if fits or not row.short else row.short
        # Where there is no room for both, colour and weight say which device is busiest, and not how busy.
        both = not (narrow and sets_pace) or metrics.horizontalAdvance(title) <= right - NAMES_LEFT - room
        if both:
            painter.setFont(font(8.0, bold=sets_pace))
            painter.setPen(QColor(theme.warning if sets_pace else theme.muted))
            share = percent(float(s.share[row.device]), 0)
            painter.drawText(QRectF(right - room, top, room, tall), RIGHT, share)
        name = QRectF(NAMES_LEFT, top, right - NAMES_LEFT - (room if both else 0), tall)
        write(painter, name, LEFT, title, face, theme.text if both else theme.warning, ENDS)


def _spans(painter: QPainter, layout: ChartLayout, theme: Theme, plot: QRectF) -> None:
    face = font(8.0)
    metrics = QFontMetricsF(face)
    painter.setFont(face)
    seen = [
        (span, max(plot.left(), layout.x(span.start)), min(plot.right(), layout.x(span.finish)))
        for span in layout.schedule.spans
    ]
    seen = [(span, x0, x1) for span, x0, x1 in seen if x1 - x0 >= 1]
    named = [(span.name, x0, x1) for span, x0, x1 in seen if x1 - x0 >= LEAST_SPAN]
    words = [(x0, x1, metrics.horizontalAdvance(name)) for name, x0, x1 in named]
    lefts = name_places(words, plot.left(), plot.right())
    for span, x0, _ in seen:
        if span.start > 0 and layout.x(span.start) >= plot.left():
            x = round(x0) + 0.5
            crossed = any(
                left is not None and left - BESIDE_SPAN < x < left + wide + BESIDE_SPAN
                for left, (_, _, wide) in zip(lefts, words, strict=True)
            )
            painter.setPen(QPen(QColor(theme.muted), 1, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(x, RULER - 1 if crossed else 2), QPointF(x, plot.bottom()))
    for (name, _, _), left, (_, _, wide) in zip(named, lefts, words, strict=True):
        if left is not None:
            painter.setPen(QColor(theme.text if name == "steady state" else theme.muted))
            painter.drawText(QRectF(left, 0, wide, RULER - 1), CENTRE, name)


def name_places(spans: Sequence[tuple[float, float, float]], left: float, right: float) -> list[float | None]:
    """Where the names of stretches of time begin, each given with where it begins, where it ends and how wide its name is: in its middle,
    and where one is too short for its name as near to that as others leave room from ``left`` to ``right``. None: it has none."""
    places = [(x0 + x1 - wide) / 2 for x0, x1, wide in spans]
    end = left
    for i, (_, _, wide) in enumerate(spans):
        places[i] = max(places[i], end)
        end = places[i] + wide + BETWEEN_NAMES
    end = right
    for i, (_, _, wide) in reversed(list(enumerate(spans))):
        places[i] = min(places[i], end - wide)
        end = places[i] - BETWEEN_NAMES
    if places and places[0] < left:
        return [(x0 + x1 - wide) / 2 if wide + 2 * BESIDE_SPAN <= x1 - x0 else None for x0, x1, wide in spans]
    return list(places)


def paint_axis(
    painter: QPainter, layout: ChartLayout, theme: Theme, y: float, begins: Sequence[str] = ()
) -> None:
    """The times of the ticks in a strip below ``y``; beside their unit what they are counted from: the first of ``begins`` that has room."""
    times, column = layout.ticks()
    words, suffix = [column.number(time - layout.origin) for time in times], column.suffix
    face = font(8.0)
    metrics = QFontMetricsF(face)
    painter.setFont(face)
    painter.setPen(QColor(theme.muted))
    unit = metrics.horizontalAdvance(suffix) + 6 if suffix else 0.0
    if suffix:
        room = layout.gutter - 8
        both = (f"{words}, {suffix}" for words in begins)
        painter.drawText(
            QRectF(0, y, room, AXIS),
            RIGHT,
            next((words for words in both if metrics.horizontalAdvance(words) <= room), suffix),
        )
    for time, word in zip(times, words, strict=True):
        half = metrics.horizontalAdvance(word) / 2 + 1
        x = layout.x(time)
        # The first and the last stay inside; the unit stands left of the first.
        x = min(max(x, layout.gutter - (0 if unit else half) + half), layout.width - half - 1)
        painter.drawText(QRectF(x - half, y, 2 * half, AXIS), CENTRE, word)


def _torn_edges(painter: QPainter, layout: ChartLayout, theme: Theme, plot: QRectF) -> None:
    """A jagged line where the schedule goes on beyond what is seen: bars that end there look like shorter ones."""
    for goes_on, edge, inwards in zip(layout.goes_on, (plot.left(), plot.right()), (1, -1), strict=True):
        if goes_on:
            teeth = max(1, round(plot.height() / TOOTH))
            high = plot.height() / teeth
            places = [
                QPointF(edge + inwards * TOOTH / 2 * (i % 2), plot.top() + i * high / 2)
                for i in range(2 * teeth + 1)
            ]
            # Nothing is seen beyond it, no part of a bar either.
            beyond = edge - 2 * inwards
            outside = [*places, QPointF(beyond, plot.bottom()), QPointF(beyond, plot.top())]
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.panel))
            painter.drawPolygon(QPolygonF(outside))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(theme.muted), 1.2))
            painter.drawPolyline(QPolygonF(places))


# ---------------------------------------------------------------------- bars
def _bars(
    painter: QPainter, layout: ChartLayout, theme: Theme, colours: Sequence[DeviceColour], marks: Marks
) -> None:
    s = layout.schedule
    bars = layout.seen()
    if not len(bars):
        return
    boxes = layout.boxes(bars)
    # What is narrower than a pixel is drawn once per pixel.
    tiny = boxes[:, 2] < 1.0
    if tiny.any():
        small = np.flatnonzero(tiny)
        row = layout.row_of_bar[bars[small]].astype(np.int64)
        keys = (np.floor(boxes[small, 0]).astype(np.int64) + 64) * (1 << 32)
        keys += row * (1 << 12) + s.lane[bars[small]] * 2 + (s.phase[bars[small]] == WORK)
        _, first = np.unique(keys, return_index=True)
        keep = np.sort(np.concatenate([np.flatnonzero(~tiny), small[first]]))
        bars, boxes = bars[keep], boxes[keep]
    critical = s.kind == "latency" and layout.row_height >= 12
    lettered = s.virtual and len(layout.rows) == len(s.lane_count)
    letters: dict[int, str] = {}
    face = font(7.5)
    metrics = QFontMetricsF(face)
    painter.setFont(face)
    outlined: list[QRectF] = []
    pieces = s.piece[bars]
    # All samples of a chart are numbered alike: single digits alone would look as if the others were something else.
    digits = len(str(int(s.sample.max(initial=0)) + 1))
    widest = 0.0 if lettered else metrics.horizontalAdvance("8" * digits)
    # Of a bar that is cut off less than half is not numbered: it would look like a shorter one.
    least = np.minimum((s.finish[bars] - s.start[bars]) * layout.scale, layout.plot_width) / 2
    rows = zip(
        least.tolist(), boxes.tolist(), s.device[bars].tolist(), (s.sample[bars] % 2).tolist(), pieces.tolist(),
        s.phase[bars].tolist(), s.sample[bars].tolist(), s.piece_part[pieces].tolist(), strict=True,
    )  # fmt: skip
    for half, (x, y, w, h), device, odd, piece, phase, sample, backward in rows:
        work = phase == WORK
        ground = bar_colour(colours[device], theme, bool(odd), bool(backward), work)
        # Only what is in the plot: files that hold shapes cut nothing off.
        edge = layout.gutter + layout.plot_width
        left, right = min(max(x, layout.gutter), edge - THINNEST), min(x + w, edge)
        x, w = left, max(0.0, right - left)
        box = QRectF(x, y, max(THINNEST, w - (0.7 if w > 3 else 0.0)), h)
        if phase in (STREAM, SYNC):
            ground = theme.slow
        if w >= ROUNDED_FROM:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(ground))
            painter.drawRoundedRect(box, 2, 2)
        else:
            painter.fillRect(box, QColor(ground))
        if phase in (STREAM, SYNC) and w >= 3:
            painter.fillRect(box, HATCH)
        if work and w >= max(LABEL_FROM, half) and h >= NUMBER_HIGH:
            if lettered and piece not in letters:
                letters[piece] = piece_letter(s, piece)
            word = f"{sample + 1}{letters.get(piece, '')}"
            if max(widest, metrics.horizontalAdvance(word)) + 2 <= w:
                painter.setPen(QColor(ink_on(ground, theme)))
                line = 1.5 if critical and s.critical[piece] else 0.0
                painter.drawText(box.adjusted(0, 0, 0, -line), CENTRE, word)
        if critical and s.critical[piece] and w >= 2:
            thick = min(2.0, 0.3 * h)  # in a crowded row the bar is still seen
            painter.fillRect(QRectF(x, y + h - 0.75 * thick, box.width(), thick), QColor(theme.text))
        if marks.selected is not None and marks.selected[piece]:
            outlined.append(box)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(theme.text), 1.2))
    for box in outlined:
        painter.drawRoundedRect(box.adjusted(-0.3, -0.3, 0.3, 0.3), 2, 2)
    for bar, pen in (
        (marks.hovered, QPen(QColor(theme.text), 1.6)),
        (marks.cursor, QPen(QColor(theme.focus), 2.2)),
    ):
        if bar >= 0:
            x, y, w, h = layout.boxes(np.array([bar]))[0].tolist()
            painter.setPen(pen)
            painter.drawRoundedRect(QRectF(x - 1, y - 1, max(w, 1) + 2, h + 2), 3, 3)
