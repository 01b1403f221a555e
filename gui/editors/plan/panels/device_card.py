"""One device as a card, or as a line where there are many devices."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.canvas.graph.consequence import BRIEF_WORDS
from gui.editors.plan.panels.cache_load import CacheLoad
from gui.look.glyphs import GLYPH_SIZE, paint_glyph
from gui.look.numbers import Column
from gui.look.theme import DeviceColour, Theme, font
from gui.look.writing import LEFT, RIGHT, write
from gui.widgets.accessible import Contents, Role
from gui.widgets.bar_key import PART_LOOKS
from gui.widgets.bars import cost_parts, paint_parts
from planner.problem.worst import meaning

FULL_HEIGHT, LOAD_HEIGHT, COMPACT_HEIGHT = 58, 78, 24
"""Heights of a card, of one with a cache, and of a line (pixels)."""
CLOSER, CLOSER_LOAD = 8, 10
"""Pixels by which a card, and one with a cache, are lower where there is little room."""


def card_height(loaded: bool, close: bool) -> int:
    """Pixels of a card: of one with a cache (``loaded``), and where cards are lower (``close``)."""
    if loaded:
        return LOAD_HEIGHT - CLOSER_LOAD * close
    return FULL_HEIGHT - CLOSER * close


APART = "   "
"""Between the parts of a card's detail."""


@dataclass
class CardState:
    """What a card shows. The second half counts only while something is dragged."""

    name: str
    cost: str
    parts: tuple[float, float, float, float]
    full: float
    detail: str
    short: str = ""
    """A shorter name for lines; empty: there is none."""
    bottleneck: bool = False
    worst: str = "bottleneck"
    """What the worst device is called, if this is it."""
    also: str = ""
    """What another is called that counts beside the worst, if this is it."""
    over: bool = False
    selected: bool = False
    column: Column = field(default_factory=Column)
    figures: Column | None = None
    """How the card's figure is written, in the unit of all cards; None: nobody says."""
    load: CacheLoad | None = None
    """None where the device has no cache."""
    more: tuple[tuple[str, str], ...] = ()
    """Further amounts (name, text) that the tool tip lists."""
    previewing: bool = False
    target: bool = False
    origin: bool = False
    legal: bool = True
    possible: bool = True
    """Whether what is not legal could be if others moved too."""
    better: int = 0
    """1 = lower objective, -1 = higher, 0 = the same."""
    would: str = ""
    what: str = ""
    """What ``would`` is about where that goes without saying only in part: a component of the objective."""
    change: str = ""
    reason: str = ""
    brief: str = ""
    """What is said instead where ``reason`` has no room; empty: its beginning."""

    @property
    def mark(self) -> str:
        """What this device is called among all; empty of most."""
        return self.worst if self.bottleneck else self.also


class DeviceCard(QWidget):
    """Painted by hand: text is elided, digits are aligned, 36 of them cost little."""

    chosen = Signal(int, str)
    move_requested = Signal(int)
    menu_requested = Signal(int, QPoint)
    step = Signal(int, int)

    own_keys = (Qt.Key.Key_M,)

    def __init__(self, device: int, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.device = device
        self.state: CardState | None = None
        self._theme = theme
        self._colour: DeviceColour | None = None
        self._compact = self._close = False
        self._height = FULL_HEIGHT
        self._fonts = {
            "name": font(9.0, bold=True), "plain": font(9.0), "small": font(8.0), "small bold": font(8.0, bold=True),
        }  # fmt: skip
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(FULL_HEIGHT)

    def set_compact(self, compact: bool, close: bool = False) -> None:
        """One line instead of three; ``close``: three that are closer to one another."""
        self._compact, self._close = compact, close
        self._fit()

    def _fit(self) -> None:
        """As high as what is shown."""
        loaded = self.state is not None and self.state.load is not None
        self._height = COMPACT_HEIGHT if self._compact else card_height(loaded, self._close)
        self.setFixedHeight(self._height)

    def show_state(self, state: CardState, colour: DeviceColour, theme: Theme) -> None:
        """Show another state."""
        self.state, self._colour, self._theme = state, colour, theme
        self._fit()
        self._describe()
        self.update()

    def show_reason(self, reason: str) -> None:
        """Why a drop here would break a rule (found a moment later)."""
        if self.state is not None and self.state.previewing and not self.state.legal:
            self.state.reason = reason
            self._describe()
            self.update()

    def _describe(self) -> None:
        s = self.state
        assert s is not None
        chip = [] if s.load is None else [s.load.text(s.figures)]
        words = [s.name, s.cost, *chip, s.detail.replace(APART, ", ")]
        if s.mark:
            words.append(s.mark)
        if s.previewing:
            words += [w for w in (f"{s.what} {s.would}".strip(), s.change, s.reason) if w]
        self.setAccessibleName(", ".join(words))
        receive, work, streaming, send = s.parts
        rows = (("receive", receive), ("work", work), ("streaming", streaming), ("send", send))
        looks = {} if self._compact and s.load is not None else PART_LOOKS
        shown = [f"{s.name}{f' ({s.mark})' if s.mark else ''}: {s.cost}", *chip]
        shown += [
            f"{word} {s.column.level(value)}{looks.get(word, '') if value else ''}" for word, value in rows
        ]
        shown += [f"{word}: {text}" for word, text in s.more]
        shown.append(s.detail.replace(APART, ", "))
        if s.short and not s.name.lower().startswith(s.short.lower()):
            shown.append(f"“{s.short}” in tables, rules and files")
        if s.previewing and s.reason:
            shown.append(s.reason)
        if s.bottleneck and (means := meaning(s.worst)):
            shown.append(means)
        self.setToolTip("\n".join(shown))

    @cached_property
    def told(self) -> Contents:
        """One of a list, which pressing it selects."""
        return Contents(
            self, Role.ListItem, selected=lambda: self.state is not None and self.state.selected,
            act=lambda: self.chosen.emit(self.device, "replace"), does="Select its ops",
        )  # fmt: skip

    def sizeHint(self) -> QSize:
        """As wide as the dock."""
        return QSize(200, self._height)

    # ------------------------------------------------------------------ input
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Select the device's ops; with Ctrl or Shift add them."""
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            adding = event.modifiers() & (
                Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
            )
            self.chosen.emit(self.device, "add" if adding else "replace")

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Ask for the menu."""
        self.menu_requested.emit(self.device, event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter moves the selection here, space selects the device's ops, arrows walk."""
        keys: dict[int, Callable[[], None]] = {
            Qt.Key.Key_Return: lambda: self.move_requested.emit(self.device),
            Qt.Key.Key_Enter: lambda: self.move_requested.emit(self.device),
            Qt.Key.Key_M: lambda: self.move_requested.emit(self.device),
            Qt.Key.Key_Space: lambda: self.chosen.emit(self.device, "replace"),
            Qt.Key.Key_Down: lambda: self.step.emit(self.device, 1),
            Qt.Key.Key_Up: lambda: self.step.emit(self.device, -1),
            Qt.Key.Key_Menu: lambda: self.menu_requested.emit(
                self.device, self.mapToGlobal(self.rect().center())
            ),
        }
        run = keys.get(event.key())
        if run is None:
            super().keyPressEvent(event)
        else:
            run()

    # ------------------------------------------------------------------ painting
    def paintEvent(self, event: QPaintEvent) -> None:
        """Ground, border, then the card's lines."""
        s, c, t = self.state, self._colour, self._theme
        if s is None or c is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        grey = s.previewing and not s.legal and not s.origin
        box = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        border = QPen(QColor(t.card_border if grey else c.accent), 1)
        if s.target:
            border = QPen(QColor(t.bad if grey else c.accent), 2, Qt.PenStyle.DashLine)
        elif s.selected:
            border.setWidthF(2)
        painter.setPen(border)
        painter.setBrush(QColor(c.band if not grey else t.card_disabled if s.possible else t.track))
        painter.drawRoundedRect(box, 5, 5)
        (self._paint_line if self._compact else self._paint_card)(painter, s, c, t, grey)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(t.text), 1.5, Qt.PenStyle.DotLine))
            painter.drawRoundedRect(box.adjusted(2.5, 2.5, -2.5, -2.5), 4, 4)

    def _text(self, painter: QPainter, rect: QRectF, flags: int, words: str, face: str, colour: str) -> float:
        return write(painter, rect, flags, words, self._fonts[face], colour)

    def _title(self, painter: QPainter, rect: QRectF, name: str, face: str, grey: bool) -> None:
        """The device's glyph and name."""
        t, colour = self._theme, self._colour
        assert colour is not None
        at = rect.left() + GLYPH_SIZE / 2
        paint_glyph(painter, colour, at, rect.center().y(), fill=t.muted if grey else "")
        rect = rect.adjusted(GLYPH_SIZE + 5, 0, 0, 0)
        self._text(painter, rect, LEFT, name, face, t.muted if grey else t.text)

    def detail_words(self, width: float) -> str:
        """The detail beside the word for the worst device: as much of it as has room, memory rather than ops where nothing else says it.

        Empty where there is no room for that: then the word goes, which the figure's colour and the tick at its bar say as well.
        """
        s = self.state
        assert s is not None
        room = width - 8 - QFontMetricsF(self._fonts["small bold"]).horizontalAdvance(s.mark)
        parts = s.detail.split(APART)
        choices = (s.detail, "  ".join(parts), parts[0 if s.load is not None else min(1, len(parts) - 1)])
        measure = QFontMetricsF(self._fonts["small"])
        return next((words for words in choices if measure.horizontalAdvance(words) <= room), "")

    def line_words(self, width: float) -> tuple[str, str]:
        """The last line: the detail, and the word for the worst device where there is room for it beside that."""
        s = self.state
        assert s is not None
        beside = self.detail_words(width) if s.mark and not s.previewing else ""
        return (beside, s.mark) if beside else (s.detail, "")

    def _figure(self, s: CardState, t: Theme) -> tuple[str, str]:
        """The figure at the right and its colour."""
        if not s.previewing or s.origin:
            return s.cost, t.slow if s.bottleneck and not s.previewing else t.text
        if not s.legal:
            return s.would, t.muted
        return s.would, {1: t.good, -1: t.bad, 0: t.text}[s.better]

    def card_words(self, figure: str, width: float) -> tuple[str, str]:
        """The device's name and the figure beside it: in one word, then the name in short, where both in full have no room."""
        s = self.state
        assert s is not None
        measure = QFontMetricsF(self._fonts["name"])

        def fits(name: str, words: str) -> bool:
            return GLYPH_SIZE + 13 + sum(map(measure.horizontalAdvance, (name, words))) <= width

        brief = BRIEF_WORDS.get(figure, figure)
        choices = ((s.name, figure), (s.name, brief), (s.short or s.name, figure))
        return next((each for each in choices if fits(*each)), (s.short or s.name, brief))

    def reason_words(self, width: float) -> str:
        """What a drop here is about: in short where all of it has no room."""
        s = self.state
        assert s is not None
        fits = QFontMetricsF(self._fonts["small"]).horizontalAdvance(s.reason) <= width
        return s.reason if fits or not s.brief else s.brief

    def _paint_card(self, painter: QPainter, s: CardState, c: DeviceColour, t: Theme, grey: bool) -> None:
        left, right, width = 12.0, self.width() - 12.0, self.width() - 24.0
        figure, colour = self._figure(s, t)
        name, figure = self.card_words(figure, width)
        top, below, last = (3, 22, 29) if self._close else (6, 26, 36)
        used = self._text(
            painter, QRectF(left, top, width, 16), RIGHT, figure, "small" if grey else "name", colour
        )
        room = right - used - 8 - left
        self._title(painter, QRectF(left, top, room, 16), name, "name", grey)
        bar, line = QRectF(left, below, width, 6), QRectF(left, last, width, 15)
        if s.load is not None:
            below, words, under, last = (21, 30, 47, 51) if self._close else (25, 36, 54, 60)
            self._paint_load(painter, s.load, s.figures, c, t, QRectF(left, below, width, 8), words)
            bar, line = QRectF(left, under, width, 4), QRectF(left, last, width, 15)
        paint_parts(painter, bar, cost_parts(*s.parts, c, t.slow), s.full)
        if s.bottleneck and s.load is None:
            self._mark(painter, bar, t)
        if s.previewing and not s.origin:
            if s.legal:
                used = self._text(painter, line, RIGHT, s.change or s.what, "small bold", colour)
                line.setRight(line.right() - used - 6)
                self._text(painter, line, LEFT, self.reason_words(line.width()), "small", t.muted)
            else:
                self._text(painter, line, LEFT, s.reason, "small", t.muted)
        else:
            detail, mark = self.line_words(width)
            used = self._text(painter, line, RIGHT, mark, "small bold", t.slow) + 6 if mark else 0.0
            self._text(
                painter, line.adjusted(0, 0, -used, 0), LEFT, detail, "small", t.bad if s.over else t.muted
            )

    def _paint_load(
        self,
        painter: QPainter,
        load: CacheLoad,
        figures: Column | None,
        c: DeviceColour,
        t: Theme,
        bar: QRectF,
        below: float,
    ) -> None:
        """The parameters around the cache line, and ``below`` them what they are in words."""
        load.paint(painter, bar, c, t)
        words = load.text(figures)
        if QFontMetricsF(self._fonts["small"]).horizontalAdvance(words) > bar.width():
            words = load.brief(figures)
        line = QRectF(bar.left(), below, bar.width(), 15)
        self._text(painter, line, LEFT, words, "small", t.slow if load.streamed else t.muted)

    def _paint_line(self, painter: QPainter, s: CardState, c: DeviceColour, t: Theme, grey: bool) -> None:
        middle, left, right = 0.0, 8.0, self.width() - 8.0
        height = float(self.height())
        figure, colour = self._figure(s, t)
        if s.previewing and s.legal and not s.origin:
            figure = s.change or f"{s.what} {s.would}".strip()
        used = self._text(
            painter, QRectF(left, middle, right - left, height), RIGHT, figure,
            "small" if grey else "small bold", t.slow if s.bottleneck and not s.previewing else colour,
        )  # fmt: skip
        column = max(72.0 if s.previewing else 62.0, used)
        name_room = min(92.0, (right - left - column) * 0.64)
        face = "small bold" if s.bottleneck else "small"
        name = self.line_name(name_room - GLYPH_SIZE - 5)
        self._title(painter, QRectF(left, middle, name_room, height), name, face, grey)
        bar = QRectF(left + name_room + 6, height / 2 - 3, right - column - 8 - left - name_room - 6, 6)
        if bar.width() > 12 and s.load is not None:
            s.load.paint(painter, bar, c, t)
        elif bar.width() > 12:
            paint_parts(painter, bar, cost_parts(*s.parts, c, t.slow), s.full, 1.0)

    def line_name(self, room: float) -> str:
        """What a line calls the device: its short name where any device of that kind may be too long for the other."""
        s = self.state
        assert s is not None
        # Measured with the widest digits, so that neighbours are all called the same way.
        widest = re.sub(r"\d+", "00", s.name)
        fits = QFontMetricsF(self._fonts["small bold"]).horizontalAdvance(widest) <= room
        return s.name if fits or not s.short else s.short

    def _mark(self, painter: QPainter, bar: QRectF, t: Theme) -> None:
        """A tick at the end of the longest bar: this device sets the pace."""
        painter.setPen(QPen(QColor(t.text), 2))
        painter.drawLine(int(bar.right()), int(bar.top()) - 3, int(bar.right()), int(bar.bottom()) + 3)
