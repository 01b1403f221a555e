"""The devices of compared plans: what each costs in every plan, and signed differences, sortable."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import (
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from gui.editors.comparison.base import CompareView
from gui.editors.comparison.panels.devices_painter import (
    MARKED,
    paint_amount,
    paint_change,
    paint_name,
)
from gui.editors.comparison.panels.devices_table import AMOUNT, CHANGE, NAME, DeviceTable, device_table
from gui.look.theme import Theme, font, numbered_colours
from gui.widgets.bar_key import BarKey
from gui.widgets.labels import ElidedLabel, capital, set_role
from gui.widgets.plain import plain_tip
from gui.widgets.tables import sorted_table

if TYPE_CHECKING:
    pass

Index = QModelIndex | QPersistentModelIndex
TOP = QModelIndex()
ROW, LOW_ROW, MANY = 30, 20, 16
"""Heights of a row, and of one where there are more than ``MANY``."""
BAR, MARGIN, TIGHT = 64, 24, 14
"""Pixels for the bars of differences, and for the margins of a cell with the mark of a bottleneck; less of both where all columns have
no room."""
BESIDE = 6
"""Pixels on either side of what is in a cell."""


class DevicesModel(QAbstractTableModel):
    """Rows are devices in the order of the sorting; cells are painted by :class:`DeviceDelegate`."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.table: DeviceTable | None = None
        self.order: np.ndarray = np.empty(0, np.int64)
        self._sorted_by = (-1, Qt.SortOrder.AscendingOrder)

    def show_table(self, table: DeviceTable | None) -> bool:
        """Other figures; returns whether columns or rows are others too."""
        before = self.table
        alike = (
            table is not None and before is not None
            and [c.title for c in before.columns] == [c.title for c in table.columns]
            and before.columns[0].texts == table.columns[0].texts
        )  # fmt: skip
        if alike:
            self.table = table
            self._arrange()
            self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, self.columnCount() - 1))
            return False
        self.beginResetModel()
        self.table = table
        self._arrange()
        self.endResetModel()
        return True

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column; -1 restores the order of the devices."""
        self._sorted_by = (column, order)
        self.layoutAboutToBeChanged.emit()
        self._arrange()
        self.layoutChanged.emit()

    def _arrange(self) -> None:
        column, order = self._sorted_by
        if self.table is None:
            self.order = np.empty(0, np.int64)
        elif 0 <= column < len(self.table.columns):
            self.order = self.table.columns[column].order(order == Qt.SortOrder.DescendingOrder)
        else:
            self.order = np.arange(len(self.table.comparison.rows))

    def row(self, index: Index) -> int:
        """The row of the comparison that an index shows."""
        return int(self.order[index.row()])

    def rowCount(self, parent: Index = TOP) -> int:
        """Devices."""
        return 0 if parent.isValid() else len(self.order)

    def columnCount(self, parent: Index = TOP) -> int:
        """Columns."""
        return 0 if parent.isValid() or self.table is None else len(self.table.columns)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Titles of columns."""
        if (
            orientation != Qt.Orientation.Horizontal
            or self.table is None
            or section >= len(self.table.columns)
        ):
            return None
        column = self.table.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.title
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignLeft if column.kind == NAME else Qt.AlignmentFlag.AlignRight
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """One cell as text."""
        if not index.isValid() or self.table is None:
            return None
        row, column = self.row(index), self.table.columns[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.texts[row]
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(self.table.words(row).replace(", ", "\n").replace(": ", "\n", 1))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            hot = f", {self.table.worst(column.plan)}" if self.table.is_hot(column, row) else ""
            return f"{column.title} {column.texts[row]}{hot}"
        return None


class DeviceDelegate(QStyledItemDelegate):
    """Names with glyphs, amounts over bars, differences around zero."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.theme = theme

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """One cell."""
        model = index.model()
        assert isinstance(model, DevicesModel) and model.table is not None
        table, row = model.table, model.row(index)
        column, theme = table.columns[index.column()], self.theme
        rect = QRectF(option.rect)  # type: ignore[attr-defined]
        state = option.state  # type: ignore[attr-defined]
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, QColor(theme.selection))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(rect, QColor(theme.hover))
        box = rect.adjusted(BESIDE, 1, -BESIDE, -1)
        if column.kind == NAME:
            paint_name(
                painter, box, column.texts[row], numbered_colours(table.comparison.numbers, theme)[row], theme
            )
        elif column.kind == AMOUNT:
            paint_amount(painter, box, table, column, row, theme)
        else:
            paint_change(painter, box, column, row, theme)
        if state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QPen(QColor(theme.focus), 1.2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(rect.adjusted(0.5, 0.5, -1, -1))
        painter.restore()


class DeviceDifferences(CompareView):
    """A line on the bottlenecks, and the table. Enter, or a double click, selects the ops of a device."""

    id: ClassVar[str] = "compare-devices"
    title: ClassVar[str] = "Devices"

    def build(self) -> None:
        """Make the widgets, empty."""
        self.words = ElidedLabel("", self, lines=2)
        set_role(self.words, "muted")
        self.model = DevicesModel(self)
        self.delegate = DeviceDelegate(self.theme, self)
        self.table = sorted_table(self.model, "Costs of the devices and how they differ", self)
        self.table.setItemDelegate(self.delegate)
        self.table.activated.connect(self._activated)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 4, 0, 0)
        column.setSpacing(3)
        self.words.setContentsMargins(10, 0, 10, 0)
        self.key = BarKey(self.theme, self)
        column.addWidget(self.words)
        column.addWidget(self.table, 1)
        column.addWidget(self.key)

    def sizeHint(self) -> QSize:
        """Room for a handful of devices."""
        return QSize(640, 220)

    def minimumSizeHint(self) -> QSize:
        """Less shows nothing."""
        return QSize(240, 100)

    def refresh(self) -> None:
        """Show the differences as they are now."""
        comparison = self.comparison
        self.delegate.theme = self.theme
        self.table.setVisible(comparison is not None)
        if comparison is None:
            self.model.show_table(None)
            self.key.show_kinds((), self.theme)
            self.words.setText(capital(self.state.why_not))
            return
        table = device_table(comparison, self.pair)
        fresh = self.model.show_table(table)
        # Rows of many devices are too low for bars.
        self.key.show_kinds(table.kinds if len(comparison.rows) <= MANY else (), self.theme)
        self.words.setText(table.summary())
        self.words.set_tip("Enter, or a double click, selects the ops of a device")
        self.table.setAccessibleDescription(table.summary())
        self.table.verticalHeader().setDefaultSectionSize(ROW if len(comparison.rows) <= MANY else LOW_ROW)
        if fresh:
            self._widen(table)
        self.table.viewport().update()

    def fit_width(self) -> None:
        """Columns keep to the room there is."""
        if self.model.table is not None:
            self._widen(self.model.table)

    def _widen(self, table: DeviceTable) -> None:
        """All columns in sight: where they have little room bars give way, then margins."""
        most = self._widths(table, BAR, MARGIN)
        found, room = most, self.table.viewport().width()
        for bar, margin in ((TIGHT, MARGIN), (TIGHT, TIGHT), (0, 0)):
            if sum(found) > room:
                found = self._widths(table, bar, margin)
        spare = max(0, room - sum(found))
        for i, (width, wanted) in enumerate(zip(found, most, strict=True)):
            more = min(spare, wanted - width)
            spare -= more
            self.table.setColumnWidth(i, width + more)

    def _widths(self, table: DeviceTable, bar: int, margin: int) -> list[int]:
        """What each column needs with so many pixels for bars and margins."""
        measure, heads = QFontMetrics(font(9.0, bold=True)), self.table.horizontalHeader().fontMetrics()
        return [
            max(
                max((measure.horizontalAdvance(text) for text in column.texts), default=0)
                + (MARKED if column.kind == NAME else bar if column.kind == CHANGE else margin) + 2 * BESIDE,
                heads.horizontalAdvance(column.title) + max(margin, TIGHT) + 8,
            )
            for column in table.columns
        ]  # fmt: skip

    def _activated(self, index: QModelIndex) -> None:
        """Select the ops that either plan of the pair has on the device."""
        comparison = self.comparison
        if comparison is not None and index.isValid():
            row, (i, j) = self.model.row(index), self.pair
            self.state.select(np.flatnonzero((comparison.places[i] == row) | (comparison.places[j] == row)))
