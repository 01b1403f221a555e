"""The schedule as a widget: wheel zooms, drag pans, a click chooses a bar's ops, arrows walk from bar to bar."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from html import escape

import numpy as np
from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.canvas.graph.tooltip import HoverCard
from gui.look.numbers import percent, plural
from gui.look.theme import Theme
from gui.panels.schedule.key import leave_for_key
from gui.panels.schedule.layout import ChartLayout, Row, device_rows, piece_letter
from gui.panels.schedule.painter import Marks, paint_schedule
from gui.panels.schedule.told import ScheduleTold
from gui.widgets.accessible import Contents, Role
from planner.reports.schedule.schedule import PHASES, Schedule

DRAG = 4
"""Pixels that make a press a drag."""
STEP = 1.2
"""What one notch of the wheel zooms by."""


class ScheduleChart(QWidget):
    """Shows one schedule at a time. ``ops_chosen(ops, mode)`` when a bar or a device is clicked (mode replace or add)."""

    ops_chosen = Signal(object, str)
    view_changed = Signal()
    """The stretch of time that is seen is another, by what the user did here."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.layout_of: ChartLayout | None = None
        self.marks = Marks()
        self._titles: list[str] = []
        self._press: QPointF | None = None
        self._last = QPointF()
        self._dragging = False
        self._card = HoverCard(self)
        self.destroyed.connect(self._card.deleteLater)  # by then it may be the window's
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Schedule chart")

    def sizeHint(self) -> QSize:
        """Room for a handful of devices."""
        return QSize(480, 150)

    def minimumSizeHint(self) -> QSize:
        """Less shows nothing."""
        return QSize(200, 80)

    # ------------------------------------------------------------------ contents
    @cached_property
    def told(self) -> Contents:
        """What is on screen, for assistive technology."""
        told = ScheduleTold(self)
        return Contents(self, Role.Chart, told.keys, told.item, told.current)

    def show_schedule(
        self,
        schedule: Schedule | None,
        titles: Sequence[str],
        unit: str | None,
        virtual: bool,
        keep_view: bool,
        short: Sequence[str] = (),
    ) -> None:
        """Show another schedule (None = none); ``keep_view``: at the same place, if it was zoomed.

        ``titles`` and ``short`` (for a narrow gutter) are what devices are called.
        """
        before = self.layout_of
        self._titles = list(titles)
        self._forget_bars()
        if schedule is None:
            self.layout_of = None
            self.update()
            return
        rows = device_rows(schedule, self._titles, virtual, short)
        self.layout_of = self.new_layout(schedule, rows, unit)
        leave_for_key(self.layout_of)
        if keep_view and before is not None and not before.fitted:
            self.layout_of.left, self.layout_of.scale = before.left, before.scale
            self.layout_of.zoom(1.0, self.layout_of.gutter)
        if keep_view and before is not None:
            self.layout_of.pan(0.0, -before.scrolled)
        self.setAccessibleDescription(self._summary())
        self.update()

    def new_layout(self, schedule: Schedule, rows: list[Row], unit: str | None) -> ChartLayout:
        """The geometry of a schedule in this chart."""
        return ChartLayout(schedule, rows, unit, float(self.width()), float(self.height()))

    def show_selection(self, ops: np.ndarray) -> None:
        """Outline the pieces that hold these ops, unless they are all selected."""
        layout = self.layout_of
        if layout is None:
            return
        s = layout.schedule
        chosen = np.zeros(len(s.piece_device), bool)
        chosen[s.piece_of[ops]] = True
        self.marks.selected = None if not len(ops) or chosen.all() else chosen
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self.theme = theme
        self.update()

    def fit(self) -> None:
        """Show everything."""
        if self.layout_of is not None:
            self.layout_of.fit()
            self._card.hide()
            self._moved()

    def zoom_by(self, factor: float, x: float | None = None) -> None:
        """Zoom around a point, or the middle of the plot."""
        layout = self.layout_of
        if layout is not None:
            layout.zoom(factor, layout.gutter + layout.plot_width / 2 if x is None else x)
            self._card.hide()
            self._moved()

    def look(self, left: float, scale: float, scrolled: float) -> None:
        """Show the same stretch of time as another chart, and the same rows where there are as many."""
        layout = self.layout_of
        if layout is not None:
            layout.left, layout.scale = left, scale
            layout.pan(0.0, layout.scrolled - scrolled)
            self.update()

    def _moved(self) -> None:
        self.update()
        self.view_changed.emit()

    def _forget_bars(self) -> None:
        self.marks = Marks()
        self._card.hide()

    # ------------------------------------------------------------------ words
    def bar_words(self, bar: int) -> list[tuple[str, str]]:
        """What a bar is, as pairs of a word and a value; the first pair is the device and what it does."""
        layout = self.layout_of
        assert layout is not None
        s, times = layout.schedule, layout.times
        piece, device = int(s.piece[bar]), int(s.device[bar])
        letter = piece_letter(s, piece)
        part = ""
        if (s.piece_part == 1).any():
            part = "backward " if s.piece_part[piece] else "forward "
        title = f"{self._titles[device]} {letter}".rstrip()
        start, finish = float(s.start[bar]), float(s.finish[bar])
        rows = [
            (title, f"{part}{PHASES[int(s.phase[bar])]}"),
            ("sample", f"{int(s.sample[bar]) + 1} of {s.samples}"),
            ("from", times.text(start)),
            ("to", times.text(finish)),
            ("takes", times.text(finish - start)),
            ("holds", plural(len(s.ops(piece)), "op")),
        ]
        if s.kind == "latency" and s.critical[piece]:
            rows.append(("", "on the critical path"))
        return rows

    def _html(self, bar: int) -> str:
        (title, what), *rows = self.bar_words(bar)
        table = "".join(
            f"<tr><td>{escape(word)}&nbsp;&nbsp;</td><td align='right'>{escape(value)}</td></tr>"
            for word, value in rows
        )
        return f"<b>{escape(title)}</b><br>{escape(what)}<table>{table}</table>"

    def _summary(self) -> str:
        layout = self.layout_of
        if layout is None:
            return "No schedule."
        s = layout.schedule
        busy = ", ".join(
            f"{title} {percent(s.share[d], 0)} busy" for d, title in enumerate(self._titles[:40])
        )
        return (
            f"{plural(s.samples, 'sample')}, one every {layout.times.text(s.period)}. {busy}."
            " Arrows walk from bar to bar, Enter selects a bar's ops, plus and minus zoom, Home shows everything."
        )

    # ------------------------------------------------------------------ painting
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Rows and time fill the new size."""
        if self.layout_of is not None:
            self.layout_of.resize(float(self.width()), float(self.height()))
            leave_for_key(self.layout_of)
        self._card.hide()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint what is shown."""
        painter = QPainter(self)
        if self.layout_of is not None:
            paint_schedule(painter, self.layout_of, self.theme, self.marks, self.hasFocus())

    # ------------------------------------------------------------------ the mouse
    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A press may become a drag."""
        if event.button() in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton):
            self._press = self._last = event.position()
            self._dragging = False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Pan while pressed, else say what is under the pointer."""
        at, layout = event.position(), self.layout_of
        if layout is None:
            return
        if self._press is not None:
            moved = at - self._press
            if not self._dragging and max(abs(moved.x()), abs(moved.y())) >= DRAG:
                self._dragging = True
                self._hover(-1, QPoint())
                self.setCursor(Qt.CursorShape.ClosedHandCursor)
            if self._dragging:
                by = at - self._last
                layout.pan(by.x(), by.y())
                self._last = at
                self._moved()
            return
        self._hover(layout.bar_at(at.x(), at.y()), at.toPoint())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A press that was no drag chooses."""
        dragged, self._press, self._dragging = self._dragging, None, False
        self.unsetCursor()
        layout = self.layout_of
        if dragged or layout is None or event.button() != Qt.MouseButton.LeftButton:
            return
        at = event.position()
        adding = event.modifiers() & (Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
        mode = "add" if adding else "replace"
        row = layout.row_at(at.y())
        if at.x() < layout.gutter and row >= 0:
            s, line = layout.schedule, layout.rows[row]
            pieces = [line.piece] if line.piece >= 0 else s.piece[s.device == line.device]
            held = np.isin(s.piece_of, pieces)
            self.ops_chosen.emit(np.flatnonzero(held).astype(np.int32), mode)
            return
        bar = layout.bar_at(at.x(), at.y())
        self.marks.cursor = bar if self.marks.cursor >= 0 else -1
        if bar >= 0:
            self.ops_chosen.emit(layout.schedule.ops(int(layout.schedule.piece[bar])), mode)
        elif mode == "replace":
            self.ops_chosen.emit(np.empty(0, np.int32), mode)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Show everything."""
        self._press = None
        if (
            self.layout_of is not None
            and self.layout_of.bar_at(event.position().x(), event.position().y()) < 0
        ):
            self.fit()

    def leaveEvent(self, event: object) -> None:
        """Nothing is under the pointer."""
        self._hover(-1, QPoint())

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom the time around the pointer; with Shift, or sideways, pan; over the names, or while rows are hidden, scroll the rows (with Ctrl zoom)."""
        layout = self.layout_of
        if layout is None:
            return
        delta = event.angleDelta()
        sideways = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        zooms = event.modifiers() & Qt.KeyboardModifier.ControlModifier or not layout.rows_hidden
        if event.position().x() < layout.gutter or not (zooms or sideways or delta.x()):
            layout.pan(0.0, delta.y() / 4)
        elif delta.x() or sideways:
            layout.pan((delta.x() or delta.y()) / 2)
        else:
            layout.zoom(STEP ** (delta.y() / 120), event.position().x())
        self._hover(-1, QPoint())
        self._moved()
        event.accept()

    def _hover(self, bar: int, at: QPoint) -> None:
        if bar < 0:
            self._card.hide()
        else:
            self._show_card(bar, at)
        if bar != self.marks.hovered:
            self.marks.hovered = bar
            self.update()

    def _show_card(self, bar: int, at: QPoint) -> None:
        """Say what a bar is, off the bar: a chart is often too low for both, so the card may reach beyond it into the window."""
        layout, window = self.layout_of, self.window()
        assert layout is not None
        if self._card.parentWidget() is not window:
            self._card.setParent(window)
        box = QRectF(*layout.boxes(np.array([bar]))[0].tolist()).toAlignedRect()
        seen = box.intersected(self.rect())
        off = QRect(self.mapTo(window, seen.topLeft()), seen.size())
        self._card.show_at(self.mapTo(window, at), self._html(bar), self.theme, off)

    def hideEvent(self, event: QHideEvent) -> None:
        """What a bar is is said while it is seen."""
        super().hideEvent(event)
        self._card.hide()

    # ------------------------------------------------------------------ the keyboard
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """See the class."""
        keys: dict[int, Callable[[], None]] = {
            Qt.Key.Key_Left: lambda: self._walk(-1, 0),
            Qt.Key.Key_Right: lambda: self._walk(1, 0),
            Qt.Key.Key_Up: lambda: self._walk(0, -1),
            Qt.Key.Key_Down: lambda: self._walk(0, 1),
            Qt.Key.Key_Return: self._choose_cursor,
            Qt.Key.Key_Enter: self._choose_cursor,
            Qt.Key.Key_Space: self._choose_cursor,
            Qt.Key.Key_Plus: lambda: self.zoom_by(STEP**2),
            Qt.Key.Key_Equal: lambda: self.zoom_by(STEP**2),
            Qt.Key.Key_Minus: lambda: self.zoom_by(STEP**-2),
            Qt.Key.Key_Home: self.fit,
            Qt.Key.Key_PageUp: lambda: self._page(1),
            Qt.Key.Key_PageDown: lambda: self._page(-1),
        }
        run = keys.get(event.key())
        if run is None or self.layout_of is None or event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            super().keyPressEvent(event)
        else:
            run()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """The keyboard's bar is only marked while it is here."""
        super().focusOutEvent(event)
        self.marks.cursor = -1
        if self.marks.hovered < 0:
            self._card.hide()

    def _page(self, by: int) -> None:
        layout = self.layout_of
        assert layout is not None
        layout.pan(0.8 * by * layout.plot_width)
        self._moved()

    def _walk(self, along: int, rows: int) -> None:
        """The next bar of the row, or the one at the same time in the next row that has bars."""
        layout = self.layout_of
        assert layout is not None
        s = layout.schedule
        if not len(s.start):
            return
        cursor = self.marks.cursor
        if cursor < 0:
            cursor = int(np.lexsort((s.start, layout.row_of_bar))[0])
        elif along:
            mine = np.flatnonzero(layout.row_of_bar == layout.row_of_bar[cursor])
            mine = mine[np.lexsort((s.lane[mine], s.start[mine]))]
            place = int(np.flatnonzero(mine == cursor)[0]) + along
            cursor = int(mine[min(max(place, 0), len(mine) - 1)])
        else:
            row = int(layout.row_of_bar[cursor]) + rows
            while 0 <= row < len(layout.rows):
                mine = np.flatnonzero(layout.row_of_bar == row)
                if len(mine):
                    cursor = int(mine[np.argmin(np.abs(s.start[mine] - s.start[cursor]))])
                    break
                row += rows
        self.marks.cursor = cursor
        layout.show(float(s.start[cursor]), float(s.finish[cursor]), int(layout.row_of_bar[cursor]))
        (title, what), *more = self.bar_words(cursor)
        self.setAccessibleDescription(", ".join([title, what, *(f"{a} {b}".strip() for a, b in more)]))
        x, y, w, h = layout.boxes(np.array([cursor]))[0].tolist()
        self._show_card(cursor, QPoint(int(x + min(w, 40)), int(y + h)))
        self.told.say_current()
        self._moved()

    def _choose_cursor(self) -> None:
        layout = self.layout_of
        if layout is not None and self.marks.cursor >= 0:
            s = layout.schedule
            self.ops_chosen.emit(s.ops(int(s.piece[self.marks.cursor])), "replace")
