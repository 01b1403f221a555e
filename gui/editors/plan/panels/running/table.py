"""The table of a run: a row for each stage."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QIcon

from gui.editors.plan.panels.running.words import COLUMNS, TIPS, cells
from gui.look.glyphs import glyph_icon
from gui.look.theme import Theme, device_colours
from gui.widgets.plain import plain, plain_tip
from planner.runs.running.order import Split
from planner.runs.running.result import LineRun

Index = QModelIndex | QPersistentModelIndex
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
NOWHERE = QModelIndex()


class RunModel(QAbstractTableModel):
    """What each stage took beside what was predicted; the first column says which stage, its head the unit of all times."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._unit = ""
        self._names: list[str] = []
        self._icons: list[QIcon] = []
        self._cells: list[list[str]] = []

    def show_run(self, split: Split | None, run: LineRun | None, theme: Theme) -> None:
        """Another run, or none."""
        self.beginResetModel()
        self._cells = []
        if split is not None and run is not None:
            devices, colours = split.problem.devices, device_colours(len(split.problem.devices), theme)
            self._unit, self._cells = cells(run)
            self._names = [devices[stage.device].title for stage in run.stages]
            self._icons = [glyph_icon(colours[stage.device]) for stage in run.stages]
        self.endResetModel()

    def rowCount(self, parent: Index = NOWHERE) -> int:
        """Stages."""
        return 0 if parent.isValid() else len(self._cells)

    def columnCount(self, parent: Index = NOWHERE) -> int:
        """The name and the figures."""
        return 0 if parent.isValid() else 1 + len(COLUMNS)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """A cell."""
        if not index.isValid():
            return None
        row, column = index.row(), index.column() - 1
        if role == Qt.ItemDataRole.DisplayRole:
            return plain(self._names[row]) if column < 0 else self._cells[row][column]
        if role == Qt.ItemDataRole.DecorationRole and column < 0:
            return self._icons[row]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return LEFT if column < 0 else RIGHT
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """What a column is."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        column = section - 1
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{self._unit} per sample" if column < 0 else COLUMNS[column]
        if role == Qt.ItemDataRole.ToolTipRole:
            return "" if column < 0 else plain_tip(TIPS[column])
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return LEFT if column < 0 else RIGHT
        return None
