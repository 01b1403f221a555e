"""The comparison of stage counts as a widget: a click or Enter takes a count over, arrows walk, pointing explains."""

from __future__ import annotations

import re
from collections.abc import Hashable
from functools import cached_property

from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.canvas.graph.tooltip import HoverCard
from gui.look.theme import Theme, font
from gui.panels.edge_tpu.painter import CountsChart, Geometry, least_height, least_width, paint_counts
from gui.widgets.accessible import Contents, Item, Role


class CountsView(QWidget):
    """Shows one :class:`CountsChart`. ``chosen(count)`` when a column with a plan is clicked, or Enter is pressed on it."""

    chosen = Signal(int)
    walked = Signal(QRectF)
    """The keyboard came to the column in this place."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.chart = CountsChart()
        self.summary_font = font(9.0, bold=True)
        self._hovered = self._cursor = -1
        self._shift = 0
        self._card = HoverCard(self)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Plans by number of stages")

    def show_chart(self, chart: CountsChart) -> None:
        """Show another chart."""
        if chart == self.chart:
            return
        self.chart = chart
        self.setMinimumSize(int(least_width(chart)), int(least_height(chart)))
        self._describe()
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self.theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        """All columns with room for bars."""
        return QSize(720, 196)

    @property
    def geometry_now(self) -> Geometry:
        """Where everything is now."""
        return Geometry(self.chart, float(self.width()), float(self.height()), float(self._shift))

    def scroll_to(self, shift: int) -> None:
        """The columns are scrolled to the left by so many pixels: names of rows stay in sight."""
        self._shift = shift
        self._card.hide()
        self.update()

    @cached_property
    def told(self) -> Contents:
        """The columns, for assistive technology."""
        return Contents(
            self, Role.Chart, lambda: range(len(self.chart.columns)), self._column, self._column_of_keyboard
        )

    def _column(self, key: Hashable) -> Item | None:
        if not isinstance(key, int) or key >= len(self.chart.columns):
            return None
        column = self.chart.columns[key]
        return Item(
            self._column_words(key), self.geometry_now.boxes[key], selected=column.count == self.chart.current,
            act=None if column.bars is None else lambda: self._choose(key), does="Take the plan over",
        )  # fmt: skip

    def _column_of_keyboard(self) -> int | None:
        return self._cursor if 0 <= self._cursor < len(self.chart.columns) else None

    def _column_words(self, index: int) -> str:
        column = self.chart.columns[index]
        rows = zip(self.chart.rows, column.figures, strict=False)
        said = [f"{name} {figure.text}{', proven' if figure.proven else ''}" for name, figure in rows]
        return ", ".join([column.title, *(said or [column.words])])

    def _describe(self) -> None:
        """What a screen reader says: the column under the cursor, else all titles."""
        columns = self.chart.columns
        if 0 <= self._cursor < len(columns):
            self.setAccessibleDescription(self._column_words(self._cursor))
            self.told.say_current()
        else:
            self.setAccessibleDescription(", ".join(column.title for column in columns))

    # ------------------------------------------------------------------ painting
    def paintEvent(self, event: QPaintEvent) -> None:
        """Everything; it is little."""
        painter = QPainter(self)
        focused = self._cursor if self.hasFocus() else -1
        paint_counts(painter, self.geometry_now, self.theme, self._hovered, focused)

    # ------------------------------------------------------------------ mouse
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Mark the column under the pointer."""
        self._hover(self.geometry_now.column_at(event.position().x(), event.position().y()))

    def _hover(self, index: int) -> None:
        if index == self._hovered:
            if index < 0:
                self._card.hide()
            return
        self._hovered = index
        self._card.hide()
        takes = index >= 0 and self.chart.columns[index].bars is not None
        self.setCursor(Qt.CursorShape.PointingHandCursor if takes else Qt.CursorShape.ArrowCursor)
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is pointed at."""
        self._hover(-1)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Take the column over."""
        index = self.geometry_now.column_at(event.position().x(), event.position().y())
        if event.button() == Qt.MouseButton.LeftButton and index >= 0:
            self._cursor = index
            self._describe()
            self._choose(index)

    def _choose(self, index: int) -> None:
        if 0 <= index < len(self.chart.columns) and self.chart.columns[index].bars is not None:
            self._card.hide()
            self.chosen.emit(self.chart.columns[index].count)

    def event(self, event: QEvent) -> bool:
        """The details of the column that is pointed at, or what a row is about, when asked for."""
        if event.type() == QEvent.Type.ToolTip:
            position: QPoint = self.mapFromGlobal(event.globalPos())  # type: ignore[attr-defined]
            index = self.geometry_now.column_at(position.x(), position.y())
            row = self.geometry_now.row_at(position.x(), position.y())
            if index >= 0 and self.chart.columns[index].tip:
                self._card.show_at(position, self._tip_at(index, position), self.theme)
            elif 0 <= row < len(self.chart.row_tips):
                self._card.show_at(position, self.chart.row_tips[row], self.theme)
            else:
                self._card.hide()
            return True
        return super().event(event)

    def _tip_at(self, index: int, position: QPoint) -> str:
        """What is said of a column, below the name of its bar where one is pointed at."""
        column = self.chart.columns[index]
        bar = self.geometry_now.bar_at(index, position.x(), position.y())
        return f"{column.bar_tips[bar]}<br>{column.tip}" if 0 <= bar < len(column.bar_tips) else column.tip

    # ------------------------------------------------------------------ keys
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Left and right walk, digits jump, Enter and space take over, Escape hides the details."""
        last = len(self.chart.columns) - 1
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        if event.key() in steps and last >= 0:
            self._walk(min(max(self._cursor + steps[Qt.Key(event.key())], 0), last))
        elif event.key() in (Qt.Key.Key_Home, Qt.Key.Key_End) and last >= 0:
            self._walk(0 if event.key() == Qt.Key.Key_Home else last)
        elif re.fullmatch("[1-9]", event.text()) and int(event.text()) - 1 <= last:
            self._walk(int(event.text()) - 1)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self._choose(self._cursor)
        elif event.key() == Qt.Key.Key_Escape and self._card.isVisible():
            self._card.hide()
        else:
            super().keyPressEvent(event)

    def _walk(self, index: int) -> None:
        self._cursor = index
        self._describe()
        column, box = self.chart.columns[index], self.geometry_now.boxes[index]
        self.walked.emit(box)
        self._card.show_at(QPoint(int(box.center().x()), int(box.top() + 30)), column.tip, self.theme)
        self.update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """With the keyboard the walk begins at the present count."""
        if self._cursor < 0:
            counts = [column.count for column in self.chart.columns]
            self._cursor = counts.index(self.chart.current) if self.chart.current in counts else 0
            self._describe()
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """The cursor is marked while the keyboard is here."""
        self._card.hide()
        super().focusOutEvent(event)
