"""The op table's model: virtual rows over numpy arrays, so that 20,000 ops cost nothing until they are painted."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QIcon

from gui.canvas.graph.naming.card_names import short_name
from gui.canvas.graph.naming.kinds import says_kind, short_kinds
from gui.look.glyphs import glyph_icon
from gui.look.numbers import Column, detailed_column, ratio_text
from gui.look.theme import LIGHT, Theme, device_colours
from gui.panels.op_rows import LEFT, RIGHT, TOP, Index, OpRows, produced_bytes
from gui.widgets.plain import plain_tip
from planner.evaluation.estimates import OpTimes, op_times
from planner.evaluation.times_source import any_measured
from planner.model.graph import Floats, Ints
from planner.problem.problem import Problem
from planner.quantity import bytes_text

COLUMNS = ("Name", "Work", "Params", "Kind", "Device", "Output", "Estimated", "Measured", "Ratio")
NAME, WORK, PARAMETERS, KIND, DEVICE, BYTES, ESTIMATED, MEASURED, RATIO = range(9)
OF_TIMES = (ESTIMATED, MEASURED, RATIO)
"""Columns of a model of which some ops were measured."""
NUMBERS = (WORK, PARAMETERS, BYTES, *OF_TIMES)
TIPS = {
    WORK: "Time of the op on the device it is on",
    PARAMETERS: "Bytes of the op's parameters, which its device holds",
    BYTES: "Bytes of the tensors that the op puts out",
}
"""What columns of figures mean, where one may ask."""


NO_TIMES = OpTimes(np.empty(0), np.empty(0), np.empty(0))


class OpsModel(OpRows):
    """Rows are ops in the table's order. ``Output`` is the size of what the op produces, counted as the target does."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._problem: Problem | None = None
        self._device_of: Ints = np.empty(0, np.int32)
        self._icons: list[QIcon] = []
        self._shown: Ints | None = None
        self._produced: np.ndarray = np.empty(0)
        self._work: Floats = np.empty(0)
        """Each op's time on the device it is on. Kept, not asked of the assignment again: that may be the array that the plan's moves write into."""
        self._plan_times: Column | None = None
        self._column = Column()
        self._times = NO_TIMES
        """What is estimated and what was measured, of a model that was measured."""

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
            self._produced = produced_bytes(problem)
            self._work = problem.evaluator.work_on(device_of)
            self._take_column()
            self._icons = [glyph_icon(c) for c in device_colours(len(problem.devices), theme)]
        self._take_times()
        if fresh or problem is None:
            self._shown = None
        self._arrange()
        self.endResetModel()

    def set_assignment(self, device_of: Ints) -> None:
        """Ops moved: the device column (and an order by it, or by times that are others there) changes."""
        self._device_of = device_of
        same = True
        if self._problem is not None:
            before, self._work = self._work, self._problem.evaluator.work_on(device_of)
            same = np.array_equal(before, self._work)
            if not same:
                self._take_column()
        self._take_times()
        if self._sorted_by[0] == DEVICE or (not same and self._sorted_by[0] in (WORK, *OF_TIMES)):
            self._rearrange()
        else:
            self._all_changed()

    def set_plan_times(self, times: Column) -> None:
        """How times of the plan are written: those of ops are, too, in one unit with them."""
        if times == self._plan_times:
            return
        self._plan_times = times
        if self._problem is not None:
            self._take_column()
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(COLUMNS) - 1)
            self._all_changed()

    def _take_column(self) -> None:
        assert self._problem is not None
        self._column = detailed_column(self._work, self._problem.graph.time_unit, self._plan_times)

    def _all_changed(self) -> None:
        if self.rowCount():
            self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, len(COLUMNS) - 1))

    @property
    def has_times(self) -> bool:
        """Whether the columns of estimated and measured times say anything."""
        return len(self._times.estimated) > 0

    def _take_times(self) -> None:
        problem = self._problem
        measured = problem is not None and any_measured(problem)
        self._times = op_times(problem, self._device_of) if problem is not None and measured else NO_TIMES

    def set_rows(self, ops: Ints | None) -> None:
        """List only these ops (None = all)."""
        if ops is None and self._shown is None:
            return
        self.beginResetModel()
        self._shown = ops
        self._arrange()
        self.endResetModel()

    def _arrange(self) -> None:
        n = self.n
        ops = np.arange(n, dtype=np.int32) if self._shown is None else np.sort(self._shown[self._shown < n])
        self._list(ops, n)

    def _keys(self, column: int) -> np.ndarray:
        assert self._problem is not None
        graph = self._problem.graph
        if column == WORK:
            return self._work
        if column == DEVICE:
            return self._device_of
        if column == PARAMETERS:
            return self._problem.evaluator.params
        if column == BYTES:
            return self._produced
        if column in OF_TIMES:
            # What is not known is less than anything that is.
            return (
                np.nan_to_num(self._times[OF_TIMES.index(column)], nan=-1.0)
                if self.has_times
                else np.zeros(self.n)
            )
        return np.array([text.casefold() for text in (graph.op_names if column == NAME else graph.kinds)])

    def about(self, row: int, beside: int) -> tuple[str, ...]:
        """``stage 0 · 9.4 KiB params · Conv``: device, parameters (what it puts ``out`` where it has none) and kind of a row's op; its time where ``beside`` says the memory.

        Then ever shorter words, for less room: without the kind where the name says it, and without the device, whose mark stands before it.
        """
        problem, op = self._problem, self.op(row)
        if problem is None or op < 0:
            return ("",)
        device, parts = problem.devices[int(self._device_of[op])].name, []
        if beside != PARAMETERS:
            held, made = float(problem.evaluator.params[op]), float(self._produced[op])
            parts.append(f"{bytes_text(held)} params" if held else f"{bytes_text(made)} out" if made else "")
        else:
            parts.append(f"{self.index(row, WORK).data().rstrip()} {self._column.suffix}")
        if self.has_times and (ratio := self._time_text(RATIO, op)):
            parts.append(f"{ratio} its estimate")
        name, kind = problem.graph.op_names[op], problem.graph.kinds[op]
        kinds = [(one,) for one in (kind, *short_kinds(kind))]
        said = [()] if says_kind(short_name(name), kind) else []
        ways = [
            *((device, *parts, *one) for one in (*kinds, *said)),
            *((*parts, *one) for one in (*kinds, ())),
        ]
        return tuple(" · ".join(part for part in way if part.strip()) for way in ways)

    def _time_text(self, column: int, op: int) -> str:
        """An op's estimated or measured time, or their ratio; nothing where it is not known."""
        value = float(self._times[OF_TIMES.index(column)][op]) if self.has_times else np.nan
        if np.isnan(value):
            return ""
        return ratio_text(value) if column == RATIO else self._column.lined_up(value)

    # ------------------------------------------------------------------ Qt's model interface
    def columnCount(self, parent: Index = TOP) -> int:
        """Number of columns."""
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Column titles; the work column names its unit."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            if section in (WORK, ESTIMATED, MEASURED) and self._column.suffix:
                return f"{COLUMNS[section]}, {self._column.suffix}"
            return COLUMNS[section]
        if role == Qt.ItemDataRole.ToolTipRole:
            return TIPS.get(section)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if section in NUMBERS else LEFT
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
            if column in OF_TIMES:
                return self._time_text(column, op)
            e = self._problem.evaluator
            if column == PARAMETERS:
                return bytes_text(float(e.params[op])) if e.params[op] else ""
            return self._column.lined_up(float(e.op_work[e.class_of[self._device_of[op]], op]))
        if role == Qt.ItemDataRole.DecorationRole and column == NAME:
            return self._icons[int(self._device_of[op])]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if column in NUMBERS else LEFT
        if role == Qt.ItemDataRole.ToolTipRole:
            device = self._problem.devices[int(self._device_of[op])].name
            held, made = float(self._problem.evaluator.params[op]), float(self._produced[op])
            amounts = f"parameters {bytes_text(held)}, output {bytes_text(made)}"
            return plain_tip(f"{graph.op_names[op]}\n{graph.kinds[op]} on {device}\n{amounts}")
        if role == Qt.ItemDataRole.AccessibleTextRole and column == NAME:
            return f"{graph.op_names[op]}, {graph.kinds[op]}, {self._problem.devices[int(self._device_of[op])].name}"
        return None
