"""The rows of the list of moved ops: virtual rows over arrays, so that thousands cost nothing until they are painted."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QIcon

from gui.look.glyphs import glyph_icon
from gui.look.numbers import detailed_column
from gui.look.theme import LIGHT, Theme, numbered_colours
from gui.panels.comparison.names import Pair, compared_times
from gui.panels.op_rows import LEFT, RIGHT, TOP, Index, OpRows, produced_bytes
from gui.widgets.plain import plain_tip
from planner.model.graph import Ints
from planner.quantity import bytes_text
from planner.reports.comparison import Comparison
from planner.reports.comparison.matching import works

OP, KIND, FROM, TO, WORK, PARAMETERS, OUTPUT = range(7)
NUMBERS = (WORK, PARAMETERS, OUTPUT)


class Moves:
    """What is known of the ops that a pair of plans has on different devices; arrays are by op of the graph."""

    def __init__(self, comparison: Comparison, pair: Pair) -> None:
        i, j = pair
        self.comparison, self.pair = comparison, pair
        self.ops: Ints = comparison.moved(i, j)
        self.before, self.after = comparison.places[j], comparison.places[i]
        self.work = works(comparison.plans[i])
        self.work_before = works(comparison.plans[j])
        self.same_work = np.isclose(self.work, self.work_before, rtol=1e-9, atol=0.0)
        """bool[n]: whether an op takes the same time on both its devices; a CPU and an accelerator differ."""
        self.params = comparison.plans[i].problem.evaluator.params
        rows = range(len(comparison.rows))
        self.names = [comparison.row_title(row) for row in rows]
        self.short_names = [comparison.row_title(row, short=True) for row in rows]

    @cached_property
    def output(self) -> np.ndarray:
        """Bytes that each op produces, as the target counts them."""
        return produced_bytes(self.comparison.plans[self.pair[0]].problem)

    @cached_property
    def texts(self) -> list[str]:
        """What a filter looks at, for each moved op."""
        graph = self.comparison.graph
        return [
            f"{graph.op_names[op]} {graph.kinds[op]} {self.names[a]} {self.short_names[a]} \u2192"
            f" {self.names[b]} {self.short_names[b]}".casefold()
            for op, a, b in zip(
                self.ops.tolist(), self.before[self.ops].tolist(), self.after[self.ops].tolist(), strict=True
            )
        ]

    def matching(self, words: str) -> Ints:
        """The moved ops whose texts hold every one of ``words``."""
        wanted = words.casefold().replace("->", "\u2192").split()
        if not wanted:
            return self.ops
        return self.ops[np.array([all(word in text for word in wanted) for text in self.texts], bool)]

    def keys(self, column: int) -> np.ndarray:
        """What a column is sorted by, for every op."""
        graph = self.comparison.graph
        if column in (FROM, TO):
            count = len(self.comparison.rows)
            first, second = (self.before, self.after) if column == FROM else (self.after, self.before)
            return first.astype(np.int64) * count + second
        if column in NUMBERS:
            return {WORK: self.work, PARAMETERS: self.params, OUTPUT: self.output}[column]
        return np.array([text.casefold() for text in (graph.op_names if column == OP else graph.kinds)])


class MovedModel(OpRows):
    """Lists moved ops, filtered and sorted."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.moves: Moves | None = None
        self._words = ""
        self._icons: list[QIcon] = []
        self._column = detailed_column((), None)

    # ------------------------------------------------------------------ what is shown
    def show_moves(self, moves: Moves | None, theme: Theme = LIGHT) -> None:
        """Another pair, or other plans."""
        self.beginResetModel()
        self.moves = moves
        if moves is not None:
            problem = moves.comparison.plans[moves.pair[0]].problem
            times = compared_times(moves.comparison)
            shown = np.concatenate([moves.work[moves.ops], moves.work_before[moves.ops]])
            self._column = detailed_column(shown, problem.graph.time_unit, times)
            self._icons = [glyph_icon(c) for c in numbered_colours(moves.comparison.numbers, theme)]
        self._arrange()
        self.endResetModel()

    @property
    def one_work(self) -> bool:
        """Whether every moved op takes the same time on both its devices."""
        return self.moves is None or bool(self.moves.same_work[self.moves.ops].all())

    def set_filter(self, words: str) -> None:
        """List only ops whose name, kind or devices hold all of ``words``."""
        if words.split() != self._words.split():
            self.beginResetModel()
            self._words = words
            self._arrange()
            self.endResetModel()

    def _arrange(self) -> None:
        moves = self.moves
        if moves is None:
            self._list(np.empty(0, np.int32), 0)
        else:
            self._list(moves.matching(self._words), moves.comparison.graph.n)

    def _keys(self, column: int) -> np.ndarray:
        assert self.moves is not None
        return self.moves.keys(column)

    # ------------------------------------------------------------------ Qt
    def columnCount(self, parent: Index = TOP) -> int:
        """Columns."""
        return 0 if parent.isValid() else OUTPUT + 1

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Titles: those of devices name the plans, that of work its unit."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if section in NUMBERS else LEFT
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        pair, c = (self.moves.pair, self.moves.comparison) if self.moves is not None else ((1, 0), None)
        first, second = (c.letter(pair[1]), c.letter(pair[0])) if c is not None else ("A", "B")
        work = "Work" if self.one_work else f"Work, {first} \N{RIGHTWARDS ARROW} {second}"
        work = f"{work}, {self._column.suffix}" if self._column.suffix else work
        return ("Op", "Kind", f"In {first}", f"In {second}", work, "Params", "Output")[section]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """One cell."""
        moves = self.moves
        if not index.isValid() or moves is None or index.row() >= len(self._order):
            return None
        column, op = index.column(), int(self._order[index.row()])
        graph = moves.comparison.graph
        before, after = int(moves.before[op]), int(moves.after[op])
        if role == Qt.ItemDataRole.DisplayRole:
            if column == OP:
                return graph.op_names[op]
            if column == KIND:
                return graph.kinds[op]
            if column in (FROM, TO):
                return moves.short_names[before if column == FROM else after]
            if column == WORK:
                after_text = self._column.lined_up(float(moves.work[op]))
                if moves.same_work[op]:
                    return after_text
                return (
                    f"{self._column.lined_up(float(moves.work_before[op]))} \N{RIGHTWARDS ARROW} {after_text}"
                )
            stored = float(moves.params[op]) if column == PARAMETERS else float(moves.output[op])
            return bytes_text(stored) if stored else ""
        if role == Qt.ItemDataRole.DecorationRole and column in (FROM, TO):
            return self._icons[before if column == FROM else after]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if column in NUMBERS else LEFT
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            words = (
                f"{graph.op_names[op]}, {graph.kinds[op]}: from {moves.names[before]} to {moves.names[after]}"
            )
            if not moves.same_work[op]:
                took, takes = (self._column.text(float(work[op])) for work in (moves.work_before, moves.work))
                words += f"; it takes {took} there and {takes} here"
            if role == Qt.ItemDataRole.ToolTipRole:
                return plain_tip(words)
            return words if column == OP else None
        return None
