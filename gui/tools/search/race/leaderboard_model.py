"""The leaderboard's model: one row per entrant, in the order of the race unless it is held as it was."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from gui.tools.search.race.facts import BoardFacts, RowFacts
from gui.widgets.plain import plain_tip

ROW = int(Qt.ItemDataRole.UserRole)
"""The row's :class:`RowFacts`."""
Index = QModelIndex | QPersistentModelIndex


class LeaderboardModel(QAbstractListModel):
    """Rows follow :class:`BoardFacts`. While :attr:`held`, figures change but nobody changes places."""

    about_to_move = Signal()
    """Entrants are about to change places: remember where they stand."""
    moved = Signal()
    """They have."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.facts: BoardFacts | None = None
        self.held = False
        self._rows: list[RowFacts] = []

    @property
    def rows(self) -> list[RowFacts]:
        """The rows as they are shown."""
        return self._rows

    def show(self, facts: BoardFacts | None) -> None:
        """Show a race anew, or none."""
        self.facts = facts
        rows = [] if facts is None else list(facts.rows)
        if {row.index for row in rows} != {row.index for row in self._rows} or len(rows) != len(self._rows):
            self.beginResetModel()
            self._rows = rows
            self.endResetModel()
            return
        order = [row.index for row in self._rows]
        if self.held:
            known = {row.index: row for row in rows}
            rows = [known[index] for index in order]
        if [row.index for row in rows] == order:
            changed = [i for i, (old, new) in enumerate(zip(self._rows, rows, strict=True)) if old != new]
            self._rows = rows
            if changed:
                self.dataChanged.emit(self.index(changed[0], 0), self.index(changed[-1], 0))
            return
        self._move(rows)

    def _move(self, rows: list[RowFacts]) -> None:
        """Other places: who is selected stays selected."""
        self.about_to_move.emit()
        self.layoutAboutToBeChanged.emit()
        place = {row.index: i for i, row in enumerate(rows)}
        old = self.persistentIndexList()
        new = [self.index(place[self._rows[index.row()].index], 0) for index in old]
        self._rows = rows
        self.changePersistentIndexList(old, new)
        self.layoutChanged.emit()
        self.moved.emit()

    def row_of(self, index: int) -> int:
        """Where an entrant stands, -1 if nowhere."""
        return next((i for i, row in enumerate(self._rows) if row.index == index), -1)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Number of entrants."""
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What a row shows."""
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        row = self._rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return row.title
        if role == ROW:
            return row
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(row.described)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return row.described.replace("\n", ". ")
        return None
