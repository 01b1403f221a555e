"""A table of many rows, all of them selected, does not look at each of them."""

from __future__ import annotations

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex
from PySide6.QtWidgets import QAbstractItemView, QWidget
from pytestqt.qtbot import QtBot

from gui.widgets.tables import sorted_table

ROWS = 20_000


class Rows(QAbstractTableModel):
    asked = 0

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008
        self.asked += 1
        return 0 if parent.isValid() else ROWS

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 4

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = 0) -> object:
        return f"{index.row()}" if role == 0 else None


def test_select_all(qtbot: QtBot) -> None:
    host = QWidget()
    qtbot.addWidget(host)
    model = Rows(host)
    table = sorted_table(model, "rows", host)
    table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
    host.resize(500, 300)
    table.resize(480, 280)
    host.show()
    table.grab()
    model.asked = 0
    table.selectAll()
    table.grab()
    assert len(table.selectionModel().selection()) == 1 and model.asked < ROWS / 10
