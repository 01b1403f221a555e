"""The package as a chain of chips: memory, load, link heat, what passes through, and what a drop would give."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPolygonF

from gui.look.glyphs import paint_glyph
from gui.look.theme import DeviceColour, Theme, device_colours, mix
from gui.look.writing import CENTRE, LEFT, RIGHT, face, write
from gui.panels.mcm.arcs import paint_rule_path
from gui.panels.mcm.ink import heat, share_of, thickness
from gui.panels.mcm.layout import BUS, SLOWEST, STRIP_HEAD, WORDS_FROM, PackageLayout
from gui.panels.mcm.state import ChipState, Package
from gui.panels.mcm.words import held_words
from gui.widgets.bars import HATCH

SHOWN = 4.0
"""Height, and half of the width, of the mark of the chip whose memory is shown."""
INSET = 4.0
"""What bars and words keep from the sides of a chip."""


@dataclass
class Marks:
    """Chips that stand out: under the pointer, under the keyboard, the one whose memory is shown; -1 for none."""

    hovered: int = -1
    cursor: int = -1
    shown: int = -1


def paint_package(
    painter: QPainter, layout: PackageLayout, package: Package, theme: Theme, marks: Marks
) -> None:
    """Links first, chips over them, the paths of a broken rule on top; nothing where the page has no room for a chip."""
    if not layout.boxes:
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    colours = device_colours(len(package.chips), theme)
    for chip in range(len(layout.boxes) - 1):
        _link(painter, layout, package, chip, theme)
    for chip, state in enumerate(package.chips[: len(layout.boxes)]):
        _chip(painter, layout, package, chip, state, colours[chip], theme, marks)
    if layout.small:
        _small_chips(painter, layout, theme)
    if package.path is not None:
        paint_rule_path(painter, layout, package.path, theme)


# ---------------------------------------------------------------------- links
def _link(painter: QPainter, layout: PackageLayout, package: Package, chip: int, theme: Theme) -> None:
    value = package.chips[chip].link
    share = share_of(value, package.hottest)
    colour = QColor(heat(share, theme) if value > 0 else theme.track)
    pen = QPen(colour, thickness(share), Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(pen)
    painter.drawPath(layout.link(chip))
    if value > 0:
        _arrow(painter, layout, chip + 1, colour, share)


def _arrow(painter: QPainter, layout: PackageLayout, into: int, colour: QColor, share: float) -> None:
    """The head of a link, at the border of the chip that it enters."""
    tip, size = layout.ends(into)[0], 2.6 + 2.4 * share
    back = -1.6 * size if layout.to_right(into) else 1.6 * size
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawPolygon(
        QPolygonF([tip, QPointF(tip.x() + back, tip.y() - size), QPointF(tip.x() + back, tip.y() + size)])
    )


# ---------------------------------------------------------------------- chips
def _small_chips(painter: QPainter, layout: PackageLayout, theme: Theme) -> None:
    """The chips that nothing uses, with their numbers, below words that count them."""
    boxes, first = layout.small, len(layout.boxes)
    head = QRectF(
        boxes[0].left(), boxes[0].top() - STRIP_HEAD, boxes[-1].right() - boxes[0].left(), STRIP_HEAD
    )
    head.setWidth(max(head.width(), 200.0))
    words = f"{len(boxes)} unused, chips {first} to {first + len(boxes) - 1}"
    write(painter, head, LEFT, words, face(8.0), theme.muted)
    for number, box in enumerate(boxes, first):
        painter.setPen(QPen(QColor(theme.card_border), 1, Qt.PenStyle.DashLine))
        painter.setBrush(QColor(theme.card_disabled))
        painter.drawRoundedRect(box, 2.5, 2.5)
        write(painter, box, CENTRE, str(number), face(7.5), theme.muted)


def _chip(
    painter: QPainter, layout: PackageLayout, package: Package, chip: int, state: ChipState, colour: DeviceColour,
    theme: Theme, marks: Marks,
) -> None:  # fmt: skip
    box = layout.boxes[chip]
    preview = state.preview
    grey = preview is not None and not preview.legal
    idle = state.ops == 0
    ground = theme.card_disabled if grey or idle else colour.band
    painter.setPen(_border(state, colour, theme, grey))
    painter.setBrush(QColor(ground))
    radius = min(5.0, box.height() / 8)
    painter.drawRoundedRect(box, radius, radius)
    head, inner = _head_of(box), box.adjusted(INSET, 1, -INSET, 0)
    _head(painter, head, chip, state, colour, package, theme, grey)
    if preview is not None:
        _said(
            painter,
            QRectF(inner.left(), head.bottom(), inner.width(), box.bottom() - BUS - head.bottom() - 2),
            state,
            theme,
        )
    else:
        _bars(painter, QRectF(inner.left(), head.bottom() + 1, inner.width(), box.bottom() - BUS - 3 - head.bottom()), package, chip, colour, theme)  # fmt: skip
    if state.through > 0:
        _through(painter, layout, package, chip, theme)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if chip == marks.hovered and preview is None:
        painter.setPen(QPen(QColor(theme.text), 1))
        painter.drawRoundedRect(box.adjusted(1.5, 1.5, -1.5, -1.5), radius, radius)
    if chip == marks.cursor:
        painter.setPen(QPen(QColor(theme.text), 1.5, Qt.PenStyle.DotLine))
        painter.drawRoundedRect(box.adjusted(2.5, 2.5, -2.5, -2.5), radius, radius)
    if chip == marks.shown and preview is None:
        paint_shown(painter, box.center().x(), box.bottom() + 1.0, theme)


def paint_shown(painter: QPainter, x: float, y: float, theme: Theme) -> None:
    """The mark of the chip whose memory is shown, its tip at (``x``, ``y``)."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.text))
    painter.drawPolygon(
        QPolygonF([QPointF(x - SHOWN, y + SHOWN), QPointF(x + SHOWN, y + SHOWN), QPointF(x, y)])
    )


def _border(state: ChipState, colour: DeviceColour, theme: Theme, grey: bool) -> QPen:
    """Selected chips have a thick border, the target of a drag a dashed one, chips that a repair could allow a dotted one."""
    preview = state.preview
    if state.target:
        return QPen(QColor(theme.bad if grey else colour.accent), 2.2, Qt.PenStyle.DashLine)
    if preview is not None and grey:
        return QPen(
            QColor(theme.muted if preview.possible else theme.border), 1,
            Qt.PenStyle.DotLine if preview.possible else Qt.PenStyle.SolidLine,
        )  # fmt: skip
    if state.ops == 0 and not state.selected:
        return QPen(QColor(theme.card_border), 1, Qt.PenStyle.DashLine)
    return QPen(QColor(theme.text if state.selected else colour.accent), 2.2 if state.selected else 1)


def _head(
    painter: QPainter, rect: QRectF, chip: int, state: ChipState, colour: DeviceColour, package: Package, theme: Theme,
    grey: bool,
) -> None:  # fmt: skip
    """The chip's mark and number, and at the right what is wrong or special about it."""
    fill = theme.muted if grey or state.ops == 0 else ""
    wide, size, words = _named(rect, chip, state)
    if size > 0:
        paint_glyph(painter, colour, rect.left() + size / 2, rect.center().y(), size, fill=fill)
    ink = theme.muted if grey else theme.warning if state.bottleneck and state.preview is None else theme.text
    letters = face(8.5 if wide else 8.0, True)
    write(painter, rect.adjusted(size + 3, 0, 0, 0), LEFT, words, letters, ink)
    if state.preview is None:
        tone, marks = _marks(state, package, chip, theme)
        write(painter, rect, RIGHT, _fitting(marks, rect, size, words), face(7.5, True), tone)


def _head_of(box: QRectF) -> QRectF:
    """Where a chip's number is in its box."""
    return QRectF(box.left() + INSET, box.top() + 2, box.width() - 2 * INSET, min(14.0, 0.36 * box.height()))


def _named(head: QRectF, chip: int, state: ChipState) -> tuple[bool, float, str]:
    """Whether a chip has room for its title, the size of its mark (below 0: numbers are read, marks only recognised), and what it is called."""
    size, wide = min(8.0, 0.55 * head.height()), head.width() >= 78
    if QFontMetricsF(face(8.0, True)).horizontalAdvance("88") + size + 3 > head.width():
        size = -3.0
    return wide, size, state.title if wide else str(chip)


def _fitting(marks: Sequence[str], head: QRectF, size: float, words: str) -> str:
    """The first of the ``marks`` that has room beside what a chip is called."""
    room = head.width() - size - 5 - QFontMetricsF(face(8.5, True)).horizontalAdvance(words)
    return next((m for m in marks if QFontMetricsF(face(7.5, True)).horizontalAdvance(m) <= room), "")


def slowest_signed(layout: PackageLayout, package: Package, theme: Theme) -> bool:
    """Whether a slowest chip has no room for that word, so that :data:`~gui.panels.mcm.layout.SLOWEST` stands for it."""
    for chip, box in enumerate(layout.boxes):
        state, head = package.chips[chip], _head_of(box)
        _, size, words = _named(head, chip, state)
        if _fitting(_marks(state, package, chip, theme)[1], head, size, words) == SLOWEST:
            return True
    return False


def _marks(state: ChipState, package: Package, chip: int, theme: Theme) -> tuple[str, tuple[str, ...]]:
    """The most important thing to say beside the number: its colour, and words of which the first that fit are shown."""
    if package.overfull(chip):
        words: tuple[str, ...] = ("too full", "!")
        if package.cut(chip) and package.sram > 0:
            times = f"{state.memory / package.sram:.3g}\N{MULTIPLICATION SIGN}"
            words = (f"{times} its memory", times, "!")
        return theme.bad if package.limited else theme.warning, words
    if state.broken:
        return theme.bad, ("rule broken", "\N{MULTIPLICATION X}")
    if state.bottleneck:
        return theme.warning, ("slowest", SLOWEST)
    return theme.text, ()


def _said(painter: QPainter, rect: QRectF, state: ChipState, theme: Theme) -> None:
    """What a drop here would give."""
    preview = state.preview
    assert preview is not None
    colour = preview.colour(theme) if preview.legal else theme.muted
    bold = preview.legal and not preview.stays
    for size, words in ((8.0, preview.short), (8.0, preview.word), (7.0, preview.word)):
        letters = face(size, bold)
        if QFontMetricsF(letters).horizontalAdvance(words) <= rect.width():
            break
    write(painter, rect, CENTRE, words, letters, colour)


def figures_room(package: Package) -> float:
    """How wide all chips are at least whose bars have their figures below them."""
    wide = QFontMetricsF(face(7.5)).horizontalAdvance
    figures = (
        text
        for each in package.chips
        for text in (package.held_text(each.memory), package.time_text(each.cost))
    )
    return max(map(wide, figures), default=0.0) + 2 * INSET


def _bars(
    painter: QPainter, rect: QRectF, package: Package, chip: int, colour: DeviceColour, theme: Theme
) -> None:  # fmt: skip
    """Memory above load; with their figures where there is room."""
    state = package.chips[chip]
    wide = QFontMetricsF(face(7.5)).horizontalAdvance
    words = rect.height() >= WORDS_FROM - 20 and figures_room(package) - 2 * INSET <= rect.width()
    line = 12.0 if words else 0.0
    thick = min(9.0, max(2.5, (rect.height() - 2 * line - 3) / 2 - 1))
    spare = max(0.0, rect.height() - 2 * (thick + line))
    y = rect.top() + spare / 3
    memory = QRectF(rect.left(), y, rect.width(), thick)
    paint_memory(painter, memory, package, chip, colour, theme)
    load = QRectF(rect.left(), y + thick + line + spare / 3, rect.width(), thick)
    paint_chip_load(painter, load, package, chip, theme)
    if words:
        over = package.overfull(chip)
        held = [package.held_text(each.memory) for each in package.chips]
        if math.isfinite(package.sram):
            both = [held_words(package, each) for each in range(len(package.chips))]
            if max(map(wide, both)) <= rect.width():
                held = both  # of all chips, or of none: one list has one form
        tone = theme.muted if not over else theme.bad if package.limited else theme.warning
        write(
            painter,
            QRectF(rect.left(), memory.bottom(), rect.width(), line),
            LEFT,
            held[chip],
            face(7.5),
            tone,
        )
        write(
            painter, QRectF(rect.left(), load.bottom(), rect.width(), line), LEFT, package.time_text(state.cost),
            face(7.5), theme.warning if state.bottleneck else theme.muted,
        )  # fmt: skip


def paint_memory(
    painter: QPainter, rect: QRectF, package: Package, chip: int, colour: DeviceColour, theme: Theme
) -> None:  # fmt: skip
    """Parameters and activations in two tones up to the chip's memory; what does not fit lies beyond, hatched."""
    state, scale = package.chips[chip], rect.width() / package.full
    room = min(package.sram, package.full) * scale
    painter.fillRect(QRectF(rect.left(), rect.top(), room, rect.height()), QColor(theme.track))
    split = rect.left() + min(state.parameters * scale, rect.width())
    end = rect.left() + min(state.memory * scale, rect.width())
    painter.fillRect(
        QRectF(rect.left(), rect.top(), split - rect.left(), rect.height()), QColor(colour.accent)
    )
    painter.fillRect(QRectF(split, rect.top(), end - split, rect.height()), QColor(colour.soft))
    line = rect.left() + room
    if package.overfull(chip):
        beyond = QRectF(line, rect.top(), end - line, rect.height())
        painter.fillRect(beyond, QColor(theme.bad if package.limited else theme.warning))
        painter.fillRect(beyond, HATCH)
        if package.cut(chip):
            _break(painter, beyond, theme)
    if math.isfinite(package.sram):
        painter.setPen(QPen(QColor(theme.text), 1.2))
        painter.drawLine(QPointF(line, rect.top() - 1.5), QPointF(line, rect.bottom() + 1.5))


def _break(painter: QPainter, beyond: QRectF, theme: Theme) -> None:
    """Two slanted gaps in a bar that goes on beyond its end."""
    painter.setPen(QPen(QColor(theme.panel), 1.6))
    slant = 0.4 * beyond.height()
    for x in (beyond.center().x() - 1.8, beyond.center().x() + 1.8):
        painter.drawLine(
            QPointF(x - slant / 2, beyond.bottom() + 0.5), QPointF(x + slant / 2, beyond.top() - 0.5)
        )


def paint_chip_load(painter: QPainter, rect: QRectF, package: Package, chip: int, theme: Theme) -> None:
    """Receive, work and send on the scale of the slowest chip, or of all packages that are compared; work is the darker part."""
    state = package.chips[chip]
    painter.fillRect(rect, QColor(theme.track))
    if package.longest <= 0 or not math.isfinite(package.longest):
        return
    strong = theme.warning if state.bottleneck else theme.muted
    pale = mix(theme.panel, strong, 0.5)
    x = rect.left()
    for value, shade in ((state.receive, pale), (state.work, strong), (state.send, pale)):
        wide = rect.width() * value / package.longest
        painter.fillRect(QRectF(x, rect.top(), wide, rect.height()), QColor(shade))
        x += wide


def _through(painter: QPainter, layout: PackageLayout, package: Package, chip: int, theme: Theme) -> None:
    """What passes through a chip: the link goes on across it."""
    share = share_of(package.chips[chip].through, package.hottest)
    start, end = layout.ends(chip)
    painter.setPen(
        QPen(QColor(heat(share, theme)), thickness(share), Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap)
    )
    painter.drawLine(start, end)
