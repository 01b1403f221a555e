"""Tables as the panels have them: whole rows, no grid, and headers that sort."""

from __future__ import annotations

from PySide6.QtCore import QAbstractItemModel, QItemSelectionModel, Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget


def row_table(model: QAbstractItemModel, name: str, parent: QWidget, height: int = 0) -> QTableView:
    """A view of ``model``, called ``name`` by assistive tools, one row of which is selected; ``height`` is a row's (0: usual)."""
    table = QTableView(parent)
    table.setModel(model)
    table.setAccessibleName(name)
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    table.setShowGrid(False)
    table.setWordWrap(False)
    table.setTabKeyNavigation(False)
    vertical = table.verticalHeader()
    vertical.setVisible(False)
    vertical.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    if height:
        vertical.setDefaultSectionSize(height)
    header = table.horizontalHeader()
    header.setHighlightSections(False)
    header.setMinimumSectionSize(40)
    return table


def sorted_table(model: QAbstractItemModel, name: str, parent: QWidget, height: int = 0) -> QTableView:
    """The same, sorted by its header: not at first, and not any more after a third click; the pointer is followed."""
    table = row_table(model, name, parent, height)
    table.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    table.setMouseTracking(True)
    header = table.horizontalHeader()
    header.setSortIndicatorClearable(True)
    # Columns are never selected; with the table's own selection Qt would look at every row to find that out.
    header.setSelectionModel(QItemSelectionModel(model, header))
    table.setSortingEnabled(True)
    header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
    return table
