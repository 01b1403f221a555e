"""Small tables of figures: names on the left, numbers aligned on the right, differences with their sign and colour."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QHeaderView, QTableView, QWidget

from gui.editors.comparison.orders.figures import LARGEST, Differences
from gui.look.numbers import signed
from gui.look.theme import Theme, font
from gui.widgets.tables import row_table
from planner.model.network import Network
from planner.reports.comparison.orders import Displacement

Index = QModelIndex | QPersistentModelIndex
TOP = QModelIndex()


@dataclass(frozen=True)
class Row:
    """A name, its figures, and the neuron it is about (-1 for none). ``total``: it sums the others up."""

    name: str
    figures: tuple[int, ...]
    neuron: int = -1
    total: bool = False


class FigureModel(QAbstractTableModel):
    """Rows under one header; the columns named in ``changes`` hold differences."""

    def __init__(self, header: Sequence[str], changes: Sequence[int], theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.header, self.changes, self.theme = list(header), frozenset(changes), theme
        self.rows: list[Row] = []

    def show_rows(self, rows: list[Row]) -> None:
        """Show other rows; where only figures are new what is selected and seen stays."""
        names = [row.name for row in rows]
        if names == [row.name for row in self.rows]:
            self.rows = rows
            if rows:
                self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, len(self.header) - 1))
            return
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def rowCount(self, parent: Index = TOP) -> int:
        """Rows."""
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = TOP) -> int:
        """Columns."""
        return 0 if parent.isValid() else len(self.header)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Names of columns."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.header[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if section else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Cells."""
        row, column = self.rows[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            if column == 0:
                return row.name
            figure = row.figures[column - 1]
            return signed(figure) if column in self.changes else f"{figure:,}"
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if column else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.ForegroundRole and column in self.changes:
            figure = row.figures[column - 1]
            t = self.theme
            return QColor(t.good if figure < 0 else t.bad if figure > 0 else t.muted)
        if role == Qt.ItemDataRole.FontRole:
            return font(8.5, bold=row.total)
        return None


def figure_table(model: FigureModel, name: str, parent: QWidget) -> QTableView:
    """A view of such rows."""
    table = row_table(model, name, parent, 20)
    header = table.horizontalHeader()
    header.setMinimumSectionSize(44)
    header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
    measure = table.fontMetrics()
    for column in range(1, model.columnCount()):
        header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
        header.resizeSection(column, max(64, measure.horizontalAdvance(model.header[column]) + 18))
    return table


def layer_rows(found: Differences) -> list[Row]:
    """One row for each layer, and their sum; connections' own reads are the same in both and not counted."""
    rows = [*((str(i), one, False) for i, one in enumerate(found.layers)), ("all", found.totals, True)]
    return [Row(name, (*_pair(one[:, 0]), *_pair(one[:, 1])), total=is_total) for name, one, is_total in rows]


def _pair(values: np.ndarray) -> tuple[int, int, int]:
    """A, B and B - A."""
    return int(values[0]), int(values[1]), int(values[1] - values[0])


def neuron_rows(network: Network, found: Differences) -> list[Row]:
    """What B reads and writes more at the neurons that differ most."""
    return [
        Row(network.neuron_name(int(neuron)), (int(reads), int(writes), int(reads + writes)), int(neuron))
        for neuron, (reads, writes) in zip(found.neurons, found.changes, strict=True)
    ]


def moved_rows(network: Network, found: Displacement) -> list[Row]:
    """Neurons that must move, with their places among those completed: first the farthest."""
    change = found.after.astype(np.int64) - found.before
    farthest = np.argsort(-np.abs(change), kind="stable")[:LARGEST]
    return [
        Row(network.neuron_name(int(neuron)), (int(before) + 1, int(after) + 1), int(neuron))
        for neuron, before, after in zip(
            found.neurons[farthest], found.before[farthest], found.after[farthest], strict=True
        )
    ]
