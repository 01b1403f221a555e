"""The bars of a plan's stages with their amounts, names and the bytes between them, whatever room they have."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QPolygonF

from gui.look.glyphs import paint_glyph
from gui.look.numbers import Column, plural, streamed_word
from gui.look.theme import DeviceColour, Theme, device_colours, font, ink_on
from gui.look.writing import CENTRE, LEFT, write
from gui.panels.edge_tpu.memory_bars import MemoryBars, bar_boxes, height_of, memory_bars, paint_memory_bars
from gui.panels.edge_tpu.memory_words import PictureUnits
from planner.problem.decision import Evaluation
from planner.problem.problem import Problem

FILLED = 0.6
"""Share of the width that bars take where there are few."""
NARROW = 3.0
"""With bars narrower than so many lines of text there is no room for words beside them."""
SMALL = 8.5
"""Points of the smallest letters."""
APART = 4.0
"""Units between two words beside each other."""
AMOUNT = 20.0
"""Height of the line of an amount."""


def paint_stages(
    painter: QPainter,
    rect: QRectF,
    problem: Problem,
    evaluation: Evaluation,
    line: float,
    top: float,
    units: PictureUnits,
    theme: Theme,
) -> None:
    """Bars in ``rect``, stages and links below it; ``line`` and ``top`` are the bytes at the cache line, out of sight where that is
    higher, and at the upper edge."""
    inner = rect.adjusted(14, 0, -14, 0)
    bars = memory_bars(evaluation, line if line <= top else math.inf)
    # A few bars take most of the width that they have to themselves.
    widest = max(110.0, FILLED * inner.width() / max(1, len(bars.amounts)))
    paint_memory_bars(painter, inner, bars, top, theme, widest=widest, line=False)
    boxes = bar_boxes(inner, len(bars.amounts), widest)
    if not boxes:
        return
    colours = device_colours(len(boxes), theme)
    roomy = boxes[0].width() >= NARROW * 15
    _amounts(painter, inner, boxes, bars, top, colours, theme, roomy, units.held)
    if roomy:
        _names(painter, boxes, problem, evaluation, colours, units, theme)
    else:
        _numbers(painter, boxes, colours, theme)
    _links(painter, boxes, inner.bottom() + 62, problem, evaluation, units, theme, roomy)


def pitch_of(boxes: Sequence[QRectF]) -> float:
    """How far apart bars are."""
    return boxes[1].left() - boxes[0].left() if len(boxes) > 1 else boxes[0].width() * 1.4


def _wide(words: str, letters: QFont) -> float:
    return QFontMetricsF(letters).horizontalAdvance(words)


def amount_words(
    amounts: Sequence[float], pitch: float, roomy: bool, held: Column
) -> tuple[list[str], QFont]:
    """Amounts above the bars in the unit that they are ``held`` in and their letters: of all with as many digits as have room, else of the largest alone, which overlap none."""
    faces = [font(11 if roomy else SMALL, bold=True), font(SMALL, bold=True)]
    for face in faces:
        for digits in range(held.digits, -1, -1):
            words = [f"{amount / held.scale:.{digits}f}" for amount in amounts]
            if digits and len(set(words)) < 2 <= len(set(amounts)):
                continue
            if max(_wide(text, face) for text in words) <= pitch - APART:
                return words, face
    face, said = faces[-1], [f"{amount / held.scale:.3g}" for amount in amounts]
    shown: list[int] = []
    for i in sorted(range(len(amounts)), key=lambda i: (-amounts[i], i)):
        if all(
            abs(i - j) * pitch >= (_wide(said[i], face) + _wide(said[j], face)) / 2 + APART for j in shown
        ):
            shown.append(i)
    return [text if i in shown else "" for i, text in enumerate(said)], face


def _amounts(
    painter: QPainter, inner: QRectF, boxes: Sequence[QRectF], bars: MemoryBars, top: float,
    colours: Sequence[DeviceColour], theme: Theme, roomy: bool, held: Column,
) -> None:  # fmt: skip
    """What each stage holds, how much of it is streamed and why, and what activations need, each beside or on its own part of a bar."""
    limit = height_of(bars.line, top, inner) if math.isfinite(bars.line) else -math.inf
    words, face = amount_words(bars.amounts, pitch_of(boxes), roomy, held)
    within, room = _crowded(inner, boxes, bars, top, limit), boxes[0].width()
    if within and max(_wide(words[k], face) for k in within) > room:
        briefer, smaller = amount_words(bars.amounts, room + APART, roomy, held)
        if all(briefer):
            words, face = briefer, smaller
    within = tuple(k for k in within if _wide(words[k], face) <= room)
    for k, (box, amount) in enumerate(zip(boxes, bars.amounts, strict=True)):
        y = height_of(amount, top, inner)
        cell = QRectF(box.center().x() - 70, y - AMOUNT - 2, 140, AMOUNT)
        ink = theme.warning if amount > bars.line else theme.text
        if k in within:
            cell.moveTop(y + 2)
            ink = ink_on(colours[k].accent, theme)
        elif cell.bottom() > limit and not _free(cell, bars, k, top, inner, limit):
            # What activations need lies above the bar, or the cache line would strike it out: nothing else stands above the line there.
            cell.moveBottom(limit - 1)
        write(painter, cell, CENTRE, words[k], face, ink)
        if roomy:
            _parts(painter, inner, box, bars, k, top, limit, cell, theme, held)


def _free(cell: QRectF, bars: MemoryBars, k: int, top: float, inner: QRectF, limit: float) -> bool:
    """Whether a place above a bar is on nothing else: neither on what activations need nor on the cache line."""
    grey = height_of(bars.line - bars.around(k)[2], top, inner) if math.isfinite(limit) else -math.inf
    return cell.bottom() <= limit or cell.top() >= max(limit, grey)


def _crowded(
    inner: QRectF, boxes: Sequence[QRectF], bars: MemoryBars, top: float, limit: float
) -> tuple[int, ...]:
    """The bars that are high enough to have their amount on them, where above one of these it would lie on something else; else none."""
    high, crowded = [], False
    for k, (box, amount) in enumerate(zip(boxes, bars.amounts, strict=True)):
        y = height_of(amount, top, inner)
        # What stands above the line has its amount there, where nothing else is.
        if y >= limit and not bars.around(k)[1] and inner.bottom() - y > AMOUNT + 4:
            high.append(k)
            above = QRectF(box.left(), y - AMOUNT - 2, box.width(), AMOUNT)
            crowded = crowded or not _free(above, bars, k, top, inner, limit)
    return tuple(high) if crowded else ()


def _parts(
    painter: QPainter, inner: QRectF, box: QRectF, bars: MemoryBars, k: int, top: float, limit: float, amount: QRectF,
    theme: Theme, held: Column,
) -> None:  # fmt: skip
    """Plates on the parts of a bar: what stays on chip, what is streamed, and what activations need; the ``amount`` stays free.

    Where what activations push out has no room to be said beside what is off chip, both are told together, as what is streamed.
    """
    stays, pushed, needs = bars.around(k)
    off = max(0.0, bars.amounts[k] - bars.line)

    def said(value: float) -> str:
        return f"{value / held.scale:.{held.digits}f}"

    taken, apart = [amount], False
    upper, low = height_of(bars.amounts[k], top, inner), height_of(stays, top, inner)
    under = max(limit, upper)
    if pushed > 0:
        stay = (f"{said(stays)} on chip", said(stays))
        _beside(painter, box, low, inner.bottom(), stay, taken, theme.text, theme)
        out = (f"{said(pushed)} {streamed_word(0.0, pushed)}", f"{said(pushed)} out", said(pushed))
        placed = _beside(painter, box, under, low, out, taken, theme.warning, theme)
        apart = bool(placed)
        taken += placed
    if off > 0 and under - upper > AMOUNT:
        beyond, word = (off, streamed_word(off, 0.0)) if apart else (off + pushed, streamed_word(off, pushed))
        more, brief = f"+{said(beyond)}", f"+{beyond / held.scale:.0f}"
        words = (f"{more} {word}", *((f"{more} off",) if word == "off chip" else ()), more, brief)
        _plate(painter, box, (under + upper) / 2, words, theme.warning, theme)
    if needs > 0 and math.isfinite(limit):
        need = said(bars.needs[k])
        seen = min(height_of(max(0.0, bars.line - needs), top, inner), upper)
        _beside(
            painter, box, limit, seen, (f"activations {need}", f"act. {need}", need), taken, theme.text, theme
        )


def _beside(
    painter: QPainter, box: QRectF, high: float, low: float, said: Sequence[str], taken: Sequence[QRectF], ink: str, theme: Theme
) -> list[QRectF]:  # fmt: skip
    """A plate between two heights of a bar where none of those ``taken`` is; where it is, if there is room for one."""
    for y in ((high + low) / 2, high + 12, low - 12):
        plate = QRectF(box.left(), y - 10, box.width(), 20)
        free = high <= plate.top() + 1 and plate.bottom() <= low + 1
        if free and not any(plate.intersects(other.intersected(box)) for other in taken):
            return [plate] if _plate(painter, box, y, said, ink, theme) else []
    return []


def _plate(painter: QPainter, box: QRectF, y: float, said: Sequence[str], ink: str, theme: Theme) -> bool:
    """A plate on a part of a bar with the most words that fit on it; whether any do."""
    room = box.width() - 6
    for text, face in ((text, font(size)) for text in said for size in (9.5, SMALL)):
        wide = _wide(text, face) + 12
        if wide - 8 <= room:
            plate = QRectF(box.center().x() - wide / 2, y - 9, wide, 18)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.panel))
            painter.drawRoundedRect(plate, 9, 9)
            write(painter, plate, CENTRE, text, face, ink)
            return True
    return False


def _names(
    painter: QPainter, boxes: Sequence[QRectF], problem: Problem, e: Evaluation,
    colours: Sequence[DeviceColour], units: PictureUnits, theme: Theme,
) -> None:  # fmt: skip
    """Mark and name of each stage, how many ops it has and what it costs."""
    low = boxes[0].bottom()
    for k, box in enumerate(boxes):
        middle = box.center().x()
        paint_glyph(painter, colours[k], middle - 26, low + 13, 11)
        place = QRectF(middle - 16, low + 3, 60, 20)
        write(painter, place, LEFT, problem.devices[k].title, font(10), theme.text)
        facts = plural(int(e.ops[k]), "op"), units.times.level(float(e.cost[k]))
        for row, words in enumerate(facts):
            cell = QRectF(middle - 60, low + 20 + 16 * row, 120, 16)
            write(painter, cell, CENTRE, words, font(9.5), theme.muted)


def _numbers(
    painter: QPainter, boxes: Sequence[QRectF], colours: Sequence[DeviceColour], theme: Theme
) -> None:
    """Mark and number of each stage, of every other one or fewer where all have no room."""
    low, face = boxes[0].bottom(), font(10)
    every = max(1, math.ceil((_wide(str(len(boxes) - 1), face) + APART) / pitch_of(boxes)))
    for k, box in enumerate(boxes):
        middle = box.center().x()
        paint_glyph(painter, colours[k], middle, low + 13, min(11.0, pitch_of(boxes) - 2))
        if k % every == 0:
            write(painter, QRectF(middle - 20, low + 20, 40, 20), CENTRE, str(k), face, theme.text)


def _links(
    painter: QPainter, boxes: Sequence[QRectF], y: float, problem: Problem, e: Evaluation, units: PictureUnits, theme: Theme,
    roomy: bool,
) -> None:  # fmt: skip
    """An arrow into each stage with the bytes that enter it, the largest in a warning colour; where they have no room, the largest alone."""
    entering = e.details.get("bytes_in")
    if entering is None or not (entering[1:] > 0).any():
        return
    most = float(entering.max(initial=0.0))
    pitch = pitch_of(boxes)
    usual, strong = font(9.5 if roomy else SMALL), font(9.5 if roomy else SMALL, bold=True)
    said = [units.enters(float(entered)) for entered in entering]
    crossing = [k for k in range(1, len(boxes)) if entering[k] > 0]
    widths = [_wide(said[k], strong) + 12 for k in crossing]
    arrows = max(widths) <= pitch - 36
    if not arrows:  # the plate would hide the arrow: it takes it in
        usual, strong = font(SMALL), font(SMALL, bold=True)
        said = [f"→ {words}" for words in said]
        widths = [_wide(said[k], strong) + 10 for k in crossing]
        if max(widths) > pitch - APART:  # the line above says what they are
            said = [words.removesuffix(f" {units.entering.suffix}") for words in said]
            widths = [_wide(said[k], strong) + 10 for k in crossing]
    if max(widths) > 2 * pitch - APART:
        k = int(entering.argmax())
        words = f"most enters {problem.devices[k].name}: {units.enters(most)}"
        place = QRectF(boxes[0].left(), y - 9, boxes[-1].right() - boxes[0].left(), 18)
        write(painter, place, CENTRE, words, font(9.5), theme.warning)
        return
    rows = max(widths) > pitch - APART
    for k in crossing:
        hot = bool(entering[k] >= most)
        a, b = boxes[k - 1].center().x() + 8, boxes[k].center().x() - 8
        words, face = said[k], strong if hot else usual
        if arrows:
            _arrow(painter, a, b, y, theme.warning if hot else theme.muted, 2.2 if hot else 1.4)
        wide = _wide(words, face) + 10
        plate = QRectF((a + b) / 2 - wide / 2, y - 9, wide, 18)
        if rows:  # every other one stands lower
            plate.translate(0, 0 if k % 2 else 19)
        painter.setPen(QPen(QColor(theme.warning if hot else theme.border), 1))
        painter.setBrush(QColor(theme.warning_soft if hot else theme.panel))
        painter.drawRoundedRect(plate, 9, 9)
        write(painter, plate, CENTRE, words, face, theme.warning if hot else theme.text)


def _arrow(painter: QPainter, a: float, b: float, y: float, colour: str, wide: float) -> None:
    painter.setPen(QPen(QColor(colour), wide))
    painter.drawLine(QPointF(a, y), QPointF(b - 6, y))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colour))
    painter.drawPolygon(QPolygonF([QPointF(b, y), QPointF(b - 8, y - 4.5), QPointF(b - 8, y + 4.5)]))
