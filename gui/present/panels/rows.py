"""Bars of a plan's devices beside the stage: what each pays, or what it holds; the one that matters in large letters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gui.look.glyphs import paint_glyph
from gui.look.numbers import byte_column, pushed_text
from gui.look.theme import DeviceColour, Theme, device_colours
from gui.look.writing import LEFT, RIGHT, write
from gui.present.captions import LEAST, letters, measure
from gui.widgets.bar_key import ENTRIES, shade_of
from gui.widgets.bars import Part, activations_seen, cost_parts, paint_load, paint_parts, paint_track
from gui.words.held import cache_used, off_chip
from gui.words.objectives import STAGE_COSTS, component_words, units_of
from planner.problem.bound import Bound
from planner.problem.problem import Plan
from planner.problem.proof_words import plan_words, rules_used
from planner.problem.worst import FULLEST, LARGEST_REST, worst_word
from planner.quantity import bytes_text

TITLE, HEADLINE, BODY, SMALL = 17.0, 29.0, 17.0, LEAST
"""Letters in pixels of a frame of 1280 x 800."""
TALLEST, LEAST_WRITTEN = 84.0, 19.0
"""Heights of a row: the most, and the least that has words beside its bar."""
LEAST_BAR = 0.12
"""Share of a row's width that its bar keeps beside a long name."""


@dataclass(frozen=True)
class Row:
    """One device: its name, the amount in words, and how its bar is painted; ``briefer`` are names for less and less room."""

    name: str
    amount: str
    colour: DeviceColour
    hot: bool = False
    briefer: tuple[str, ...] = ()

    def called(self, level: int) -> str:
        """Its name, or a shorter one; the shortest that it has where ``level`` is beyond."""
        return (self.name, *self.briefer)[min(level, len(self.briefer))]


HEAD = 58.0
"""Height of a head that is a title with a line below it."""
NOTES = {FULLEST: "holds the most", LARGEST_REST: "takes longest besides streaming"}
"""What is said below the device that matters, by what it is called; of others that it sets the pace."""
MANY = 12
"""Of more devices than so many those without ops are left out."""


def worth_showing(plan: Plan) -> list[int]:
    """The devices that have a row: all of a few, of many those with ops."""
    count = len(plan.problem.devices)
    return [d for d in range(count) if count <= MANY or plan.evaluation.ops[d]]


def text(
    painter: QPainter, rect: QRectF, words: str, pixels: float, colour: str, bold: bool = False, align: int = LEFT
) -> float:  # fmt: skip
    """One line of letters so high, elided; returns its width."""
    return write(painter, rect, align, words, letters(max(6, round(pixels)), bold), colour)


def fitted(
    painter: QPainter, rect: QRectF, words: str, pixels: float, colour: str, least: float, *, bold: bool = False,
    align: int = LEFT,
) -> None:  # fmt: skip
    """One line, smaller where it is too long, elided where it would be smaller than ``least``."""
    size = pixels
    while (
        size > max(least, 0.62 * pixels)
        and measure(max(6, round(size)), bold).horizontalAdvance(words) > rect.width()
    ):
        size -= 1.0
    text(painter, rect, words, size, colour, bold=bold, align=align)


def paint_head(
    painter: QPainter, rect: QRectF, unit: float, theme: Theme, title: str, headline: str, note: str,
    glyph: DeviceColour | None = None, colour: str = "",
) -> QRectF:  # fmt: skip
    """Title, a figure in large letters and a line below it, as many of its clauses as have room; returns the room that is left."""
    x, y, wide = rect.left(), rect.top(), rect.width()
    text(painter, QRectF(x, y, wide, 24 * unit), title, TITLE * unit, theme.muted, bold=True)
    while "; " in note and measure(max(6, round(LEAST * unit))).horizontalAdvance(note) > wide:
        note = note.rpartition("; ")[0]
    y += 26 * unit
    if headline:
        inset = 0.0
        if glyph is not None:
            inset = 28 * unit
            paint_glyph(painter, glyph, x + 10 * unit, y + 20 * unit, 17 * unit)
        line = QRectF(x + inset, y, wide - inset, 40 * unit)
        fitted(painter, line, headline, HEADLINE * unit, colour or theme.text, LEAST * unit, bold=True)
        y += 42 * unit
    if note:
        fitted(painter, QRectF(x, y, wide, 22 * unit), note, BODY * unit, theme.muted, LEAST * unit)
        y += 24 * unit
    y += 8 * unit
    return QRectF(x, y, wide, max(0.0, rect.bottom() - y))


def row_boxes(rect: QRectF, count: int, unit: float) -> list[QRectF]:
    """A strip for each of ``count`` rows from the top of ``rect``, as high as there is room for."""
    if count == 0:
        return []
    high = min(TALLEST * unit, rect.height() / count)
    return [QRectF(rect.left(), rect.top() + i * high, rect.width(), high) for i in range(count)]


def _widest(names: Sequence[str], pixels: int) -> float:
    """Pixels of the longest name, in bold letters whichever are: bars begin at one place whoever matters."""
    return max(measure(pixels, True).horizontalAdvance(name) for name in names)


def bar_rects(
    painter: QPainter, boxes: Sequence[QRectF], rows: Sequence[Row], unit: float, theme: Theme, widest: str = ""
) -> list[QRectF]:  # fmt: skip
    """Write names and amounts where there is room for words, and say where the bars are; amounts have room for the ``widest`` that rows
    beside these in a story have, too."""
    if not boxes:
        return []
    high = boxes[0].height()
    written = high >= LEAST_WRITTEN * unit
    size = max(LEAST * unit, min(BODY * unit, 0.62 * high))
    wide = boxes[0].width()
    if not written:
        for box, row in zip(boxes, rows, strict=True):  # colours alone would not say which lane a bar is of
            paint_glyph(
                painter, row.colour, box.left() + 6 * unit, box.center().y(), min(9 * unit, 0.8 * high)
            )
        return [
            QRectF(b.left() + 16 * unit, b.top() + 0.14 * high, wide - 16 * unit, 0.72 * high) for b in boxes
        ]
    most = max(6, round(size))
    amounts = min(
        0.42 * wide,
        max(measure(most, True).horizontalAdvance(said) for said in (widest, *(r.amount for r in rows)))
        + 2 * unit,
    )
    room = max(0.4 * wide, wide - amounts - 34 * unit - LEAST_BAR * wide)
    names = [row.name for row in rows]
    for level in range(1 + max(len(row.briefer) for row in rows)):
        names = [row.called(level) for row in rows]
        # A long name has as much as bars can spare; who has a shorter one leaves that to the bars.
        if _widest(names, most) + 4 * unit <= (room if level else min(room, 0.4 * wide)):
            break
    broad = min(room, _widest(names, most) + 4 * unit)
    out = []
    for box, row, called in zip(boxes, rows, names, strict=True):
        mark = min(11 * unit, 0.62 * high)
        paint_glyph(painter, row.colour, box.left() + 6 * unit, box.center().y(), mark)
        name = QRectF(box.left() + 18 * unit, box.top(), broad, high)
        text(painter, name, called, size, theme.warning if row.hot else theme.text, bold=row.hot)
        figure = QRectF(box.right() - amounts, box.top(), amounts, high)
        text(
            painter,
            figure,
            row.amount,
            size,
            theme.warning if row.hot else theme.text,
            bold=row.hot,
            align=RIGHT,
        )
        left = name.right() + 8 * unit
        thick = min(32 * unit, 0.5 * high)
        out.append(
            QRectF(left, box.center().y() - thick / 2, max(4.0, figure.left() - 8 * unit - left), thick)
        )
    return out


def paint_costs(
    painter: QPainter, rect: QRectF, plan: Plan, bounds: Sequence[Bound], unit: float, theme: Theme, full: float = 0.0,
    counting: bool = False,
) -> None:  # fmt: skip
    """What each device pays, in its parts; the bottleneck in large letters and, where it is one number, the bound as a line.

    ``full`` is what the whole of a bar stands for at least, so that bars of several keyframes can be compared. While figures are
    ``counting`` no bound is said of them.
    """
    problem, e = plan.problem, plan.evaluation
    colours = device_colours(len(problem.devices), theme)
    component = problem.components[0]
    units = units_of(problem, e.values)
    column = units.columns[component]
    hot = e.bottleneck
    bytes_count = problem.unit(component) == "B"
    title = f"{component_words(component).title} per device" if bytes_count else "Cost per device"
    scalar = component in STAGE_COSTS or component == "max-memory"
    # Where the component is the largest pace the two are equal, but for a moment at which figures count.
    most = e.components[component] if scalar else float(e.pace[hot])
    worst = f"{problem.devices[hot].title}  {units.text(component, most)}"
    standing = problem.standing(e.values, bounds)
    part = standing.components[0]
    note = NOTES.get(worst_word(problem, e), "sets the pace")
    least = (
        part.bound.value if scalar and part.bound is not None and math.isfinite(part.bound.value) else None
    )
    if least is not None and not counting:
        plans = plan_words(rules_used(problem, [part.bound]))
        note += f"; no {plans} is below {units.text(component, least)}"
    devices = worth_showing(plan)
    if len(devices) < len(colours):
        note += f"; {len(colours) - len(devices)} have no ops"
    free = paint_head(painter, rect, unit, theme, title, worst, note, colours[hot], theme.warning)
    full = max(float(e.pace.max(initial=0.0)), least or 0.0, full) or 1.0
    entries = [] if bytes_count else _entries(bool(e.streaming.any()), least is not None)
    if scalar and not bytes_count:
        entries.append((f"whole bar {units.text(component, full)}", "whole"))
    lines = _lines(entries, free.width(), unit) if free.height() > 120 * unit else []
    free.setBottom(free.bottom() - 26 * unit * len(lines))
    rows = [
        Row(
            problem.devices[i].title,
            column.text(float(e.pace[i])),
            colours[i],
            i == hot,
            (problem.devices[i].name,),
        )
        for i in devices
    ]
    boxes = row_boxes(free, len(rows), unit)
    bars = bar_rects(painter, boxes, rows, unit, theme)
    # Parts of a cost add up to it unless transfers overlap with work: then the longest of them is the cost.
    plain = bytes_count or not np.array_equal(e.pace, e.cost)
    for i, bar in zip(devices, bars, strict=True):
        paint_track(painter, bar, theme, 3 * unit)
        parts = [Part(float(e.pace[i]), colours[i].accent)]
        total = float(e.receive[i] + e.work[i] + e.streaming[i] + e.send[i])
        if not plain and total <= float(e.cost[i]) * (1 + 1e-9):
            parts = cost_parts(
                float(e.receive[i]),
                float(e.work[i]),
                float(e.streaming[i]),
                float(e.send[i]),
                colours[i],
                theme.warning,
            )
        paint_parts(painter, bar, parts, full)
    if least is not None and bars and not counting:
        _bound_line(painter, bars, least / full, unit, theme)
    for i, line in enumerate(lines[::-1]):
        top = rect.bottom() - (22 + 26 * i) * unit
        _legend(painter, QRectF(rect.left(), top, rect.width(), 22 * unit), line, unit, theme)


def _bound_line(painter: QPainter, bars: Sequence[QRectF], share: float, unit: float, theme: Theme) -> None:
    x = bars[0].left() + bars[0].width() * share
    painter.setPen(QPen(QColor(theme.good), 2 * unit, Qt.PenStyle.DashLine))
    painter.drawLine(QPointF(x, bars[0].top() - 6 * unit), QPointF(x, bars[-1].bottom() + 6 * unit))


ENTRY_MARKS = {"transfers": 19.0, "work": 19.0, "streaming": 19.0, "bound": 12.0, "whole": 0.0}
"""Room of the marks before the words of a legend, by what they explain."""


def _entries(streams: bool, bounded: bool) -> list[tuple[str, str]]:
    """Words of a legend, and what they explain."""
    said = ["transfers", "work", *(["streaming"] if streams else []), *(["bound"] if bounded else [])]
    return [(what, what) for what in said]


def _entry_width(entry: tuple[str, str], unit: float) -> float:
    words, what = entry
    return ENTRY_MARKS[what] * unit + measure(max(6, round(SMALL * unit))).horizontalAdvance(words)


def _lines(entries: Sequence[tuple[str, str]], width: float, unit: float) -> list[list[tuple[str, str]]]:
    """The entries of a legend in lines of ``width`` pixels."""
    found: list[list[tuple[str, str]]] = []
    x = width
    for entry in entries:
        wide = _entry_width(entry, unit)
        if not found or x + wide > width:
            found.append([])
            x = 0.0
        found[-1].append(entry)
        x += wide + 16 * unit
    return found


def _legend(painter: QPainter, rect: QRectF, entries: Sequence[tuple[str, str]], unit: float, theme: Theme) -> None:  # fmt: skip
    """What the parts of a bar are, and what the whole of it stands for."""
    x = rect.left()
    for words, what in entries:
        if what in ENTRIES:
            paint_parts(painter, QRectF(x, rect.center().y() - 5 * unit, 14 * unit, 10 * unit), [shade_of(what, theme)], 1.0, 0.0)  # fmt: skip
        elif what == "bound":
            painter.setPen(QPen(QColor(theme.good), 2 * unit, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(x + 4 * unit, rect.top() + 3 * unit), QPointF(x + 4 * unit, rect.bottom() - 3 * unit))  # fmt: skip
        mark, wide = ENTRY_MARKS[what] * unit, _entry_width((words, what), unit)
        text(painter, QRectF(x + mark, rect.top(), rect.right() - x - mark, rect.height()), words, SMALL * unit, theme.muted)  # fmt: skip
        x += wide + 16 * unit


def paint_memory(
    painter: QPainter, rect: QRectF, plan: Plan, unit: float, theme: Theme, full: float = 0.0
) -> None:
    """What each device holds against the line where it begins to stream, or against its capacity.

    ``full`` is the most that bars beside this one in a story show, so that they can be compared.
    """
    problem, e = plan.problem, plan.evaluation
    used = cache_used(problem, e)
    evaluator = problem.evaluator
    colours = device_colours(len(problem.devices), theme)
    streams = bool(np.isfinite(evaluator.budget).any())
    limit = evaluator.budget if streams else evaluator.capacity
    full = max(float(used.max(initial=0.0)), full)
    column = byte_column([full])
    over = np.flatnonzero(e.memory > limit)
    most = int(np.argmax(used))
    finite = limit[np.isfinite(limit)]
    # A capacity far above everything held would leave nothing to be seen of the bars.
    near = finite[finite <= 4.0 * full]
    widest = column.text(full)
    full = max(full, float(near.max(initial=0.0))) * 1.04 or 1.0
    line = "cache" if streams else "capacity"
    if not np.isfinite(limit).any():
        title, note = "Memory per device", "no device has a limit"
    else:
        title = "Parameters around the cache line" if streams else "Memory against the capacity"
        grey = activations_seen(e.memory, limit, e.details.get("scratch", np.zeros(len(limit))))
        if used is not e.memory and streams:
            title = "Parameters and activations"
        if bool((grey & (limit <= full)).any()):
            title = f"{title} (grey)" if used is not e.memory else "Parameters (grey: activations)"
        # What is off chip is counted device by device, as in the line above.
        beyond = float(e.details.get("dram", np.maximum(e.memory - limit, 0.0)).sum())
        _, pushed = off_chip(e)
        note = f"{line} {bytes_text(float(limit[most]))}"
        if beyond > 0.0 and pushed > 0.0:
            note += f"; {bytes_text(beyond + pushed)} streamed"
        elif beyond > 0.0:
            note += f"; {bytes_text(beyond)} beyond it"
        elif pushed > 0.0:
            note += f"; {pushed_text(pushed)}"
        else:
            note += ", all fits" if streams else ", nobody exceeds it"
    # As in the line above: the two are equal, but for a moment at which figures count.
    held = e.components.get("max-memory", float(used[most]))
    headline = f"{problem.devices[most].title}  {column.text(held)}"
    tone = "" if not len(over) else theme.warning if streams else theme.bad
    free = paint_head(painter, rect, unit, theme, title, headline, note, colours[most], tone)
    devices = worth_showing(plan)
    rows = [
        Row(
            problem.devices[i].title,
            column.text(float(used[i])),
            colours[i],
            bool(e.memory[i] > limit[i]),
            (problem.devices[i].name,),
        )
        for i in devices
    ]
    bars = bar_rects(painter, row_boxes(free, len(rows), unit), rows, unit, theme, widest)
    for i, bar in zip(devices, bars, strict=True):
        if math.isfinite(limit[i]) and limit[i] <= full:
            out, needs = (
                float(e.details[name][i]) if name in e.details else 0.0 for name in ("pushed", "scratch")
            )
            paint_load(
                painter,
                bar,
                float(e.memory[i]),
                float(limit[i]),
                full,
                colours[i],
                theme,
                pushed=out,
                needs=needs,
            )
        else:
            paint_track(painter, bar, theme, 3 * unit)
            paint_parts(painter, bar, [Part(float(e.memory[i]), colours[i].accent)], full)
