"""The ops whose errors matter most, as rows: how far each may be off, and what is proven of that."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor

from gui.look.glyphs import glyph_icon
from gui.look.numbers import DASH, time_column
from gui.look.theme import Theme, device_colours
from gui.panels.op_rows import LEFT, RIGHT
from gui.widgets.plain import plain, plain_tip
from planner.reports.robustness.report import OpTolerance, Robustness
from planner.reports.robustness.words import another_from, at_most, optimal_while, tolerance_sentence

Index = QModelIndex | QPersistentModelIndex
TOP = QModelIndex()
HEADS = ("Op", "Optimal while", "Other from", "No dearer up to", "Time")
OPTIMAL, OTHER, SAME, TIME = 1, 2, 3, 4
TIPS = (
    "The ops whose errors would soonest change the plan come first; a click selects one on the canvas",
    "Times as factors between which the plan is proven to be the best there is, all other ops as they are; a tick: where that ends is known exactly",
    "The factor beyond which a known plan is better by more than 1 %; marked where the op may well be off by that much",
    "The factor on the op's time up to which the objective stays what it is",
    "What the op takes on its device",
)
TICK = "\N{CHECK MARK}"


class TolerancesModel(QAbstractTableModel):
    """Rows are ops of a :class:`Robustness`, those that matter most first."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.found: Robustness | None = None
        self.faded = False

    def show(self, found: Robustness | None, faded: bool) -> None:
        """Show another report; ``faded``: it is about another plan by now."""
        same = (
            found is not None
            and self.found is not None
            and [o.op for o in found.ops] == [o.op for o in self.found.ops]
        )
        if not same:
            self.beginResetModel()
        self.found, self.faded = found, faded
        if not same:
            self.endResetModel()
        elif self.rowCount():
            self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, len(HEADS) - 1))

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self.theme = theme
        self.show(self.found, self.faded)

    def each(self, row: int) -> OpTolerance | None:
        """The op of a row, None outside."""
        return self.found.ops[row] if self.found is not None and 0 <= row < len(self.found.ops) else None

    def is_blank(self, column: int) -> bool:
        """Whether a column says nothing of any of the ops there are."""
        rows = range(self.rowCount())
        return bool(rows) and all(self.index(row, column).data() in (DASH, "", None) for row in rows)

    def rowCount(self, parent: Index = TOP) -> int:
        """Number of ops."""
        return 0 if parent.isValid() or self.found is None else len(self.found.ops)

    def columnCount(self, parent: Index = TOP) -> int:
        """See :data:`HEADS`."""
        return 0 if parent.isValid() else len(HEADS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Titles, and what they mean."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return LEFT if section == 0 else RIGHT
        return {Qt.ItemDataRole.DisplayRole: HEADS, Qt.ItemDataRole.ToolTipRole: TIPS}.get(
            Qt.ItemDataRole(role), (None,) * len(HEADS)
        )[section]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Words, alignment, colours, and the whole sentence as a tip."""
        each, found = self.each(index.row()), self.found
        if each is None or found is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._words(found, each)[index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return LEFT if index.column() == 0 else RIGHT
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(tolerance_sentence(found, each))
        if role == Qt.ItemDataRole.AccessibleDescriptionRole:
            return tolerance_sentence(found, each)
        if role == Qt.ItemDataRole.DecorationRole and index.column() == 0:
            return glyph_icon(device_colours(len(found.problem.devices), self.theme)[each.device])
        if role == Qt.ItemDataRole.ForegroundRole:
            if self.faded:
                return QColor(self.theme.faint)
            if index.column() == OTHER and found.within_spread(each):
                return QColor(self.theme.warning)
            return QColor(self.theme.good) if index.column() == OPTIMAL and optimal_while(each) else None
        return None

    def _words(self, found: Robustness, each: OpTolerance) -> tuple[str, ...]:
        unit, most = found.problem.graph.time_unit, found.settings.most
        column = time_column([o.seconds for o in found.ops], unit)
        proven = optimal_while(each)
        return (
            plain(found.problem.graph.op_names[each.op]), f"{proven} {TICK}" if proven and each.up.settled else proven or DASH,
            another_from(each) or DASH, f"{most:g}x or more" if each.slack >= most else at_most(each.slack),
            column.text(each.seconds),
        )  # fmt: skip
