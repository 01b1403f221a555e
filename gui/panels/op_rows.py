"""Lists of ops: virtual rows over arrays that are sorted by any column, selected together with the canvas."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import (
    QAbstractTableModel,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSize,
    Qt,
    SignalInstance,
)
from PySide6.QtWidgets import QAbstractItemView, QLineEdit, QTableView, QWidget

from gui.widgets.tables import sorted_table
from planner.model.graph import Floats, Ints
from planner.problem.problem import Problem

RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
Index = QModelIndex | QPersistentModelIndex
TOP = QModelIndex()


class OpRows(QAbstractTableModel):
    """Rows are some ops of a graph. Subclasses say which, with :meth:`_arrange`, and what columns are sorted by."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._order: Ints = np.empty(0, np.int32)
        self._row_of: Ints = np.empty(0, np.int32)
        self._sorted_by = (-1, Qt.SortOrder.AscendingOrder)
        self._sorted: tuple[np.ndarray, Qt.SortOrder, Ints] | None = None
        """Keys of all ops, which way they were sorted, and the ops in that order: the next list is often in the same."""

    # ------------------------------------------------------------------ rows and ops
    def ops(self) -> Ints:
        """Listed ops in the order of the list."""
        return self._order

    def op(self, row: int) -> int:
        """The op of a row, -1 outside."""
        return int(self._order[row]) if 0 <= row < len(self._order) else -1

    def rows_of(self, ops: Ints) -> Ints:
        """Rows of those of ``ops`` that are listed, sorted."""
        ops = ops[ops < len(self._row_of)]
        rows = self._row_of[ops]
        return np.sort(rows[rows >= 0])

    def rowCount(self, parent: Index = TOP) -> int:
        """Number of listed ops."""
        return 0 if parent.isValid() else len(self._order)

    # ------------------------------------------------------------------ their order
    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column; -1 restores the graph's own order."""
        self._sorted_by = (column, order)
        self._rearrange()

    def _arrange(self) -> None:
        """List what is to be listed, with :meth:`_list`."""
        raise NotImplementedError

    def _keys(self, column: int) -> np.ndarray:
        """What a column is sorted by, for every op of the graph."""
        raise NotImplementedError

    def _rearrange(self) -> None:
        self.layoutAboutToBeChanged.emit()
        self._arrange()
        self.changePersistentIndexList(
            self.persistentIndexList(), [QModelIndex()] * len(self.persistentIndexList())
        )
        self.layoutChanged.emit()

    def _list(self, ops: Ints, n: int) -> None:
        """List ``ops``, which are in the graph's order, of ``n`` that there are."""
        column, way = self._sorted_by
        if column >= 0 and len(ops):
            ops = self._in_order(ops, self._keys(column), way)
        self._order = ops.astype(np.int32)
        self._row_of = np.full(n, -1, np.int32)
        self._row_of[self._order] = np.arange(len(self._order), dtype=np.int32)

    def _in_order(self, ops: Ints, keys: np.ndarray, way: Qt.SortOrder) -> Ints:
        """``ops``, which are in the graph's order, by their ``keys`` (one for each op of the graph); equal ones stay in that order."""
        known = self._sorted
        if known is not None and known[1] == way and np.array_equal(known[0], keys):
            order = known[2]
            if len(ops) == len(order):
                return order
            listed = np.zeros(len(order), bool)
            listed[ops] = True
            return order[listed[order]]
        own = keys[ops]
        if way == Qt.SortOrder.DescendingOrder:
            # Reversed twice, so that equal ops keep the graph's order.
            place = len(ops) - 1 - np.argsort(own[::-1], kind="stable")[::-1]
        else:
            place = np.argsort(own, kind="stable")
        if len(ops) == len(keys):
            self._sorted = own, way, ops[place]
        return ops[place]


def produced_bytes(problem: Problem) -> Floats:
    """Bytes that each op produces (float64[n]), as the target counts them."""
    graph = problem.graph
    ptr, idx = graph.outputs
    owner = np.repeat(np.arange(graph.n), np.diff(ptr))
    return np.bincount(owner, problem.evaluator.size[idx], graph.n).astype(np.float64)


def op_table(model: OpRows, name: str, parent: QWidget) -> QTableView:
    """A view of ops of which any number can be selected; names keep their ends, which tell them apart."""
    table = sorted_table(model, name, parent, 22)
    table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
    table.setTextElideMode(Qt.TextElideMode.ElideLeft)
    table.setIconSize(QSize(10, 10))
    return table


def chosen_ops(table: QTableView, model: OpRows) -> Ints:
    """The ops of the rows that are selected."""
    ranges = table.selectionModel().selection().toList()
    chosen = [model.ops()[r.top() : r.bottom() + 1] for r in ranges]
    return np.concatenate(chosen) if chosen else np.empty(0, np.int32)


def choose_ops(table: QTableView, model: OpRows, ops: Ints) -> None:
    """Select the rows of those of ``ops`` that are listed, as few ranges of rows; the first one comes into sight."""
    rows = model.rows_of(ops)
    selection, last = QItemSelection(), model.columnCount() - 1
    if len(rows):
        breaks = np.flatnonzero(np.diff(rows) > 1)
        starts = rows[np.concatenate([[0], breaks + 1])]
        ends = rows[np.concatenate([breaks, [len(rows) - 1]])]
        for first, end in zip(starts.tolist(), ends.tolist(), strict=True):
            # Not append(QItemSelection(...).first()): that range lies in a list that is gone by then.
            selection.select(model.index(first, 0), model.index(end, last))
    table.selectionModel().select(selection, QItemSelectionModel.SelectionFlag.ClearAndSelect)
    if len(rows):
        index = model.index(int(rows[0]), 0)
        if len(rows) == 1:
            table.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.NoUpdate)
        table.scrollTo(index)


def leave_find_box(key: int, box: QLineEdit, table: QTableView, left: SignalInstance) -> bool:
    """Down goes on to the list that ``box`` filters; Escape, in either, ends the finding with ``left``: nothing is asked for any more.

    Returns whether ``key`` was one of these.
    """
    if key == Qt.Key.Key_Down and not table.hasFocus():
        table.setFocus(Qt.FocusReason.TabFocusReason)
        if not table.currentIndex().isValid() and table.model().rowCount():
            table.setCurrentIndex(table.model().index(0, 0))
        return True
    if key == Qt.Key.Key_Escape and (box.text() or not table.hasFocus()):
        box.clear()
        left.emit()
        return True
    return False
