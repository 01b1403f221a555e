"""What the presenter lays over a frame: help, the speaker's notes, a number that is typed, the pointer, a card that grew."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPainterPath, QPen, QRadialGradient

from gui.canvas.graph.tooltip import work_column
from gui.look.glyphs import paint_glyph
from gui.look.numbers import plural
from gui.look.theme import Theme, device_colours
from gui.look.writing import CENTRE, RIGHT
from gui.present.captions import LEAST, flowed, lines_of, measure
from gui.present.panels.rows import text
from gui.present.speaker_words import SpeakerWords
from gui.words.objectives import plan_times
from planner.model.graph import Ints
from planner.problem.problem import Plan
from planner.quantity import bytes_text

LASER = "#ff3b30"
NO_NOTES = "No notes"


def _plate(painter: QPainter, rect: QRectF, unit: float, theme: Theme) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    shade = QColor(theme.shadow)
    shade.setAlphaF(0.25)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(shade)
    painter.drawRoundedRect(rect.translated(0, 3 * unit), 10 * unit, 10 * unit)
    painter.setPen(QPen(QColor(theme.border), max(1.0, unit)))
    painter.setBrush(QColor(theme.panel))
    painter.drawRoundedRect(rect, 10 * unit, 10 * unit)


def paint_help(
    painter: QPainter, size: tuple[int, int], rows: Sequence[tuple[str, str]], unit: float, theme: Theme
) -> None:
    """The keys in the middle of the frame: in two columns, in one where that is too wide, and smaller where neither fits."""
    veil = QColor(theme.shadow)
    veil.setAlphaF(0.45)
    painter.fillRect(QRectF(0, 0, *size), veil)
    while True:
        for columns in (2, 1):
            half = -(-len(rows) // columns)
            line, pixels = 38 * unit, max(6, round(17 * unit))
            keys = max(measure(pixels, True).horizontalAdvance(k) for k, _ in rows) + 18 * unit
            words = max(measure(pixels).horizontalAdvance(w) for _, w in rows) + 8 * unit
            wide, high = columns * (keys + words) + (18 + 46 * columns) * unit, line * half + 96 * unit
            if wide <= size[0] and high <= size[1]:
                break
        if (wide <= size[0] and high <= size[1]) or pixels <= 6:
            break
        unit *= 0.95
    rect = QRectF((size[0] - wide) / 2, (size[1] - high) / 2, wide, high)
    _plate(painter, rect, unit, theme)
    top = rect.top() + 66 * unit
    title = QRectF(rect.left() + 32 * unit, rect.top() + 18 * unit, wide - 64 * unit, 36 * unit)
    text(painter, title, "Keys", max(8, round(24 * unit)), theme.text, True)
    for i, (key, what) in enumerate(rows):
        x = rect.left() + 32 * unit + (i // half) * (keys + words + 46 * unit)
        y = top + (i % half) * line
        text(painter, QRectF(x, y, keys, line), key, pixels, theme.accent, True)
        text(painter, QRectF(x + keys, y, words, line), what, pixels, theme.text)


def paint_notes(painter: QPainter, column: QRectF, words: SpeakerWords, unit: float, theme: Theme) -> None:
    """What only the speaker needs, in a column beside the story: for how long it has gone on, the time of day, where this is, the
    notes, and what comes next."""
    painter.fillRect(column, QColor(theme.panel))
    painter.fillRect(
        QRectF(column.left(), column.top(), max(1.0, unit), column.height()), QColor(theme.border)
    )
    inner = column.adjusted(20 * unit, 14 * unit, -20 * unit, -14 * unit)
    pixels, line = max(9, round(19 * unit)), 28 * unit
    top = QRectF(inner.left(), inner.top(), inner.width(), 36 * unit)
    text(painter, top, words.elapsed, max(12, round(28 * unit)), theme.text, True)
    text(painter, top, f"{words.clock}   {words.place}", pixels, theme.muted, align=RIGHT)
    coming = flowed(words.following, pixels, True, inner.width())[:2]
    said = flowed(words.following_caption, pixels, False, inner.width())[:4]
    below = inner.bottom() - line * (len(coming) + len(said))
    noted = flowed(words.notes, pixels, False, inner.width())
    y = top.bottom() + 14 * unit
    if not noted:
        text(painter, QRectF(inner.left(), y, inner.width(), line), NO_NOTES, pixels, theme.muted)
    shown = noted[: max(1, int((below - 16 * unit - y) / line))]
    if len(shown) < len(noted):
        shown = (*shown[:-1], f"{shown[-1]} …")
    for lines, start, colour, bold in (
        (shown, y, theme.text, False), (coming, below, theme.text, True), (said, below + line * len(coming), theme.muted, False),
    ):  # fmt: skip
        for i, words_of_line in enumerate(lines):
            place = QRectF(inner.left(), start + line * i, inner.width() + 4, line)
            text(painter, place, words_of_line, pixels, colour, bold)


def paint_no_notes(painter: QPainter, rect: QRectF, words: SpeakerWords, unit: float, theme: Theme) -> None:
    """One small line at the lower right of a story without notes: that there are none, for how long it has gone on, and where this is."""
    pixels = max(9, round(LEAST * unit))
    said = f"{NO_NOTES}   {words.elapsed}   {words.place}"
    wide, high = measure(pixels, False).horizontalAdvance(said) + 24 * unit, 24 * unit
    line = QRectF(rect.right() - wide, rect.bottom() - high, wide, high)
    painter.fillRect(line, QColor(theme.panel))
    text(painter, line, said, pixels, theme.muted, align=CENTRE)


def paint_badge(painter: QPainter, rect: QRectF, words: str, unit: float, theme: Theme) -> None:
    """A few words for a moment, low in ``rect``, off what is looked at: a number that is typed, or what a key has just done."""
    pixels = max(12, round(28 * unit))
    wide = measure(pixels, True).horizontalAdvance(words) + 56 * unit
    box = QRectF(rect.center().x() - wide / 2, rect.bottom() - 92 * unit, wide, 68 * unit)
    _plate(painter, box, unit, theme)
    text(painter, box, words, pixels, theme.text, True, CENTRE)


def paint_laser(painter: QPainter, at: QPointF, unit: float) -> None:
    """A red dot with a light ring, seen on any ground."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    glow = QRadialGradient(at, 26 * unit)
    glow.setColorAt(0.0, QColor(255, 59, 48, 120))
    glow.setColorAt(1.0, QColor(255, 59, 48, 0))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QBrush(glow))
    painter.drawEllipse(at, 26 * unit, 26 * unit)
    painter.setPen(QPen(QColor("#ffffff"), 2.2 * unit))
    painter.setBrush(QColor(LASER))
    painter.drawEllipse(at, 8 * unit, 8 * unit)


def paint_spotlight(painter: QPainter, size: tuple[int, int], at: QPointF, unit: float) -> None:
    """All but a circle around the pointer in the dark."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    dark, hole = QPainterPath(), QPainterPath()
    dark.addRect(QRectF(0, 0, *size))
    hole.addEllipse(at, 130 * unit, 130 * unit)
    painter.fillPath(dark.subtracted(hole), QColor(0, 0, 0, 150))


def op_facts(plan: Plan, op: int) -> list[tuple[str, str]]:
    """An op's kind, device, time, parameters and output, as pairs of a word and a value."""
    problem, graph = plan.problem, plan.problem.graph
    evaluator = problem.evaluator
    work = float(evaluator.work_on(plan.decision.device_of)[op])
    device = problem.devices[int(plan.decision.device_of[op])]
    ptr, idx = graph.outputs
    tensors = idx[ptr[op] : ptr[op + 1]]
    shapes = [
        "\N{MULTIPLICATION SIGN}".join(map(str, s)) for t in tensors.tolist() if (s := graph.tensor_shapes[t])
    ]
    rows = [("on", device.title), ("work", _time(plan, work))]
    if evaluator.params[op]:
        rows.append(("parameters", bytes_text(float(evaluator.params[op]))))
    if len(tensors):
        size = bytes_text(float(evaluator.size[tensors].sum()))
        rows.append(("output", f"{size}  {shapes[0]}" if shapes else size))
    return rows


def group_facts(plan: Plan, ops: Ints) -> list[tuple[str, str]]:
    """The device (or on how many), time and parameters of the ops of a folded group (int32[ops]), as pairs of a word and a value."""
    problem, device_of = plan.problem, plan.decision.device_of
    evaluator, on = problem.evaluator, np.unique(device_of[ops])
    where = problem.devices[int(on[0])].title if len(on) == 1 else f"{len(on):,} {problem.target.words.many}"
    work = float(evaluator.work_on(device_of)[ops].sum())
    rows = [("on", where), ("work", _time(plan, work))]
    params = float(evaluator.params[ops].sum())
    return [*rows, ("parameters", bytes_text(params))] if params else rows


def _time(plan: Plan, value: float) -> str:
    """A time of ops as cards have it."""
    return work_column(plan.problem, plan_times(plan.problem, plan.evaluation)).text(value)


def paint_op_card(
    painter: QPainter,
    card: QRectF,
    within: QRectF,
    plan: Plan,
    ops: Ints,
    group: str,
    unit: float,
    theme: Theme,
) -> None:
    """The card of an op, or of the ``ops`` (int32[ops]) of a folded ``group`` (its name; empty: of an op), grown until its name and figures can
    be read from afar, beside where it stands."""
    graph, op = plan.problem.graph, int(ops[0])
    device = int(plan.decision.device_of[op])
    colour = device_colours(len(plan.problem.devices), theme)[device]
    rows = group_facts(plan, ops) if group else op_facts(plan, op)
    one_device = len(np.unique(plan.decision.device_of[ops])) == 1
    accent = QColor(colour.accent if one_device else theme.muted)
    big, small = max(12, round(24 * unit)), max(9, round(18 * unit))
    name = lines_of(group or graph.op_names[op], big, True, 480 * unit)[:3]
    words = max(measure(small).horizontalAdvance(f"{k}   {v}") for k, v in rows) + 70 * unit
    wide = max(words, *(measure(big, True).horizontalAdvance(line) for line in name)) + 64 * unit
    high = (58 + 31 * len(name) + 28 * len(rows)) * unit
    x = min(max(card.center().x() - wide / 2, within.left() + 8 * unit), within.right() - wide - 8 * unit)
    # Below the card, so that the pointer hides nothing, or above it where there is more room.
    y = card.bottom() + 22 * unit
    if y + high > within.bottom() - 8 * unit:
        y = max(card.top() - high - 22 * unit, within.top() + 8 * unit)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(theme.text), 2.5 * unit))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(card.adjusted(-3 * unit, -3 * unit, 3 * unit, 3 * unit), 4 * unit, 4 * unit)
    box = QRectF(x, y, wide, high)
    _plate(painter, box, unit, theme)
    painter.setPen(QPen(accent, 2.5 * unit))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(box, 10 * unit, 10 * unit)
    painter.fillRect(QRectF(x + unit, y + 10 * unit, 7 * unit, high - 20 * unit), accent)
    left, room = x + 26 * unit, wide - 46 * unit
    y += 14 * unit
    for line in name:
        text(painter, QRectF(left, y, room + 4, 31 * unit), line, big, theme.text, True)
        y += 31 * unit
    text(
        painter,
        QRectF(left, y, room, 28 * unit),
        plural(len(ops), "op") if group else graph.kinds[op],
        small,
        theme.muted,
    )
    y += 30 * unit
    for key, value in rows:
        line_rect = QRectF(left, y, room, 28 * unit)
        text(painter, line_rect, key, small, theme.muted)
        wide_value = measure(small, True).horizontalAdvance(value)
        text(painter, line_rect, value, small, theme.text, True, RIGHT)
        if key == "on" and one_device:
            paint_glyph(
                painter, colour, line_rect.right() - wide_value - 14 * unit, line_rect.center().y(), 12 * unit
            )
        y += 28 * unit
