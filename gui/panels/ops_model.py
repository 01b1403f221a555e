"""The op table's model: virtual rows over numpy arrays, so that 20,000 ops cost nothing until they are painted."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QIcon

from gui.theme import LIGHT, Theme, device_colours
from gui.widgets.glyphs import glyph_icon
from gui.widgets.numbers import Column, detailed_column
from planner.graph import Ints
from planner.problem import Problem
from planner.quantity import bytes_text

COLUMNS = ("Name", "Work", "Params", "Kind", "Device", "Bytes")
NAME, WORK, PARAMETERS, KIND, DEVICE, BYTES = range(6)
NUMBERS = (WORK, PARAMETERS, BYTES)
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
Index = QModelIndex | QPersistentModelIndex


class OpsModel(QAbstractTableModel):
    """Rows are ops in the table's order. ``Bytes`` is the size of what the op produces, counted as the target does."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._problem: Problem | None = None
        self._device_of: Ints = np.empty(0, np.int32)
        self._icons: list[QIcon] = []
        self._shown: Ints | None = None
        self._order: Ints = np.empty(0, np.int32)
        self._row_of: Ints = np.empty(0, np.int32)
        self._sorted_by = (-1, Qt.SortOrder.AscendingOrder)
        self._produced: np.ndarray = np.empty(0)
        self._column = Column()

    @property
    def n(self) -> int:
        """Number of ops of the graph, listed or not."""
        return 0 if self._problem is None else self._problem.graph.n

    # ------------------------------------------------------------------ what is shown
    def set_problem(
        self, problem: Problem | None, device_of: Ints, theme: Theme = LIGHT, fresh: bool = True
    ) -> None:
        """Another problem. ``fresh``: of another graph, whose rows are all new."""
        self.beginResetModel()
        self._problem = problem
        self._device_of = device_of
        if problem is not None:
            graph = problem.graph
            ptr, idx = graph.outputs
            owner = np.repeat(np.arange(graph.n), np.diff(ptr))
            self._produced = np.bincount(owner, problem.evaluator.size[idx], graph.n)
            self._column = detailed_column(problem.evaluator.op_work[0].tolist(), graph.time_unit)
            self._icons = [glyph_icon(c) for c in device_colours(len(problem.devices), theme)]
        if fresh or problem is None:
            self._shown = None
        self._arrange()
        self.endResetModel()

    def set_assignment(self, device_of: Ints) -> None:
        """Ops moved: the device column (and an order by it) changes."""
        self._device_of = device_of
        if self._sorted_by[0] in (DEVICE, WORK):
            self._rearrange()
        elif self.rowCount():
            self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, len(COLUMNS) - 1))

    def set_rows(self, ops: Ints | None) -> None:
        """List only these ops (None = all)."""
        if ops is None and self._shown is None:
            return
        self.beginResetModel()
        self._shown = ops
        self._arrange()
        self.endResetModel()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column; -1 restores the graph's own order."""
        self._sorted_by = (column, order)
        self._rearrange()

    def _rearrange(self) -> None:
        self.layoutAboutToBeChanged.emit()
        self._arrange()
        self.changePersistentIndexList(
            self.persistentIndexList(), [QModelIndex()] * len(self.persistentIndexList())
        )
        self.layoutChanged.emit()

    def _arrange(self) -> None:
        n = self.n
        ops = np.arange(n, dtype=np.int32) if self._shown is None else np.sort(self._shown[self._shown < n])
        column, order = self._sorted_by
        if self._problem is not None and column >= 0 and len(ops):
            keys = self._keys(column)[ops]
            place = np.argsort(keys, kind="stable")
            if order == Qt.SortOrder.DescendingOrder:
                # Reverse twice so that equal ops keep the graph's order.
                place = len(ops) - 1 - np.argsort(keys[::-1], kind="stable")[::-1]
            ops = ops[place]
        self._order = ops.astype(np.int32)
        self._row_of = np.full(n, -1, np.int32)
        self._row_of[self._order] = np.arange(len(self._order), dtype=np.int32)

    def _keys(self, column: int) -> np.ndarray:
        assert self._problem is not None
        graph = self._problem.graph
        if column == WORK:
            return self._work_here()
        if column == DEVICE:
            return self._device_of
        if column == PARAMETERS:
            return self._problem.evaluator.params
        if column == BYTES:
            return self._produced
        return np.array([text.casefold() for text in (graph.op_names if column == NAME else graph.kinds)])

    def _work_here(self) -> np.ndarray:
        """Each op's time on the device it is on (float64[n])."""
        assert self._problem is not None
        e = self._problem.evaluator
        return e.op_work[e.class_of[self._device_of], np.arange(e.n)]

    # ------------------------------------------------------------------ rows and ops
    def ops(self) -> Ints:
        """Listed ops in the table's order."""
        return self._order

    def op(self, row: int) -> int:
        """The op of a row, -1 outside."""
        return int(self._order[row]) if 0 <= row < len(self._order) else -1

    def rows_of(self, ops: Ints) -> Ints:
        """Sorted rows of those ``ops`` that are listed."""
        ops = ops[ops < len(self._row_of)]
        rows = self._row_of[ops]
        return np.sort(rows[rows >= 0])

    # ------------------------------------------------------------------ Qt's model interface
    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Number of listed ops."""
        return 0 if parent.isValid() else len(self._order)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Number of columns."""
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Column titles; the work column names its unit."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            if section == WORK and self._column.suffix:
                return f"Work, {self._column.suffix}"
            return COLUMNS[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if section in NUMBERS else _LEFT
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """One cell."""
        if not index.isValid() or self._problem is None or index.row() >= len(self._order):
            return None
        column, op = index.column(), int(self._order[index.row()])
        graph = self._problem.graph
        if role == Qt.ItemDataRole.DisplayRole:
            if column == NAME:
                return graph.op_names[op]
            if column == KIND:
                return graph.kinds[op]
            if column == DEVICE:
                return self._problem.devices[int(self._device_of[op])].name
            if column == BYTES:
                return bytes_text(float(self._produced[op]))
            e = self._problem.evaluator
            if column == PARAMETERS:
                return bytes_text(float(e.params[op])) if e.params[op] else ""
            return self._column.number(float(e.op_work[e.class_of[self._device_of[op]], op]))
        if role == Qt.ItemDataRole.DecorationRole and column == NAME:
            return self._icons[int(self._device_of[op])]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if column in NUMBERS else _LEFT
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{graph.op_names[op]}\n{graph.kinds[op]} on {self._problem.devices[int(self._device_of[op])].name}"
        if role == Qt.ItemDataRole.AccessibleTextRole and column == NAME:
            return f"{graph.op_names[op]}, {graph.kinds[op]}, {self._problem.devices[int(self._device_of[op])].name}"
        return None
