"""The figures strip: each plan's objective, bound, gap and rules in a row, with the change against the plan compared against."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPalette
from PySide6.QtWidgets import (
    QHeaderView,
    QSizePolicy,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
)

from gui.editors.comparison.base import CompareView
from gui.editors.comparison.panels.figures_painter import tone_colour
from gui.editors.comparison.panels.figures_words import RULES, Table, figures_table, summary
from gui.look.theme import Theme, font
from gui.panels.comparison.schedules_layout import VERY_MANY
from gui.widgets.labels import ElidedLabel, capital, set_role
from gui.widgets.plain import plain_tip
from gui.widgets.tables import row_table

if TYPE_CHECKING:
    pass

Index = QModelIndex | QPersistentModelIndex
TOP = QModelIndex()
ROW, PADDING = 24, 20
LEAST_NAME = 150
"""Pixels for names below which columns that say the same of every plan are left out."""
EMPTY = Table((), ())


class FiguresModel(QAbstractTableModel):
    """A row for each plan."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.table = EMPTY

    def show_table(self, table: Table, theme: Theme) -> None:
        """Other figures; where only texts are new the view keeps its place."""
        alike = table.titles == self.table.titles and len(table.rows) == len(self.table.rows)
        if alike:
            self.table, self.theme = table, theme
            if table.rows:
                self.dataChanged.emit(
                    self.index(0, 0), self.index(len(table.rows) - 1, len(table.titles) - 1)
                )
            return
        self.beginResetModel()
        self.table, self.theme = table, theme
        self.endResetModel()

    def rowCount(self, parent: Index = TOP) -> int:
        """Plans."""
        return 0 if parent.isValid() else len(self.table.rows)

    def columnCount(self, parent: Index = TOP) -> int:
        """Columns."""
        return 0 if parent.isValid() else len(self.table.titles)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Titles of columns."""
        if orientation != Qt.Orientation.Horizontal or section >= len(self.table.titles):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.table.titles[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _side(self.table.right(section))
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """One cell."""
        if not index.isValid() or index.row() >= len(self.table.rows):
            return None
        cell = self.table.rows[index.row()][index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return cell.text
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(cell.tip) or None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _side(cell.right)
        if role == Qt.ItemDataRole.ForegroundRole:
            return QColor(tone_colour(cell.tone, self.theme))
        if role == Qt.ItemDataRole.FontRole:
            return font(9.0, bold=cell.strong)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{self.table.titles[index.column()]} {cell.text}".strip()
        return None


class ToneDelegate(QStyledItemDelegate):
    """Cells keep their colour while they are selected: green and red say something."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        """The cell's own colour, whatever its state."""
        super().initStyleOption(option, index)
        colour = index.data(Qt.ItemDataRole.ForegroundRole)
        if isinstance(colour, QColor):
            shown = QPalette(option.palette)  # type: ignore[attr-defined]
            shown.setColor(QPalette.ColorRole.HighlightedText, colour)
            shown.setColor(QPalette.ColorRole.Text, colour)
            option.palette = shown  # type: ignore[attr-defined]


class FiguresStrip(CompareView):
    """As high as its rows. A click, or Enter, on a plan lets the lists speak of it."""

    id: ClassVar[str] = "compare-figures"
    title: ClassVar[str] = "Figures"

    def build(self) -> None:
        """Make the widgets, empty."""
        self.model = FiguresModel(self.theme, self)
        self.table = row_table(self.model, "Figures of the plans", self, ROW)
        self.table.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.table.setItemDelegate(ToneDelegate(self.table))
        self.table.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.table.setToolTip("Choose a plan to see how it differs")
        self.table.horizontalHeader().setStretchLastSection(False)
        self.table.clicked.connect(self._chosen)
        self.table.activated.connect(self._chosen)
        self.note = ElidedLabel("", self, lines=2)
        set_role(self.note, "muted")
        self.note.setContentsMargins(10, 0, 10, 2)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.table)
        column.addWidget(self.note)
        column.addStretch(1)
        # It may grow: of docks that share their place as tabs, one of fixed height would hold down the others.
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)

    def sizeHint(self) -> QSize:
        """Header and rows."""
        return QSize(720, self._height())

    def minimumSizeHint(self) -> QSize:
        """As high as the rows."""
        return QSize(320, self._height())

    def _height(self) -> int:
        if not self.built:
            return 3 * ROW
        return self._table_height() + (self.note.sizeHint().height() if not self.note.isHidden() else 0)

    def _table_height(self) -> int:
        return self.table.horizontalHeader().sizeHint().height() + ROW * max(1, self.model.rowCount()) + 4

    # ------------------------------------------------------------------ contents
    def prepare(self) -> bool:
        """Find out how fast one of the plans is, where that takes long."""
        comparison = self.comparison
        if comparison is None or comparison.graph.n <= VERY_MANY:
            return False
        figures = (comparison.figures(i) for i in range(len(comparison.plans)))
        slow = next((one for one in figures if "speed" not in vars(one)), None)
        return slow is not None and bool(slow.speed)  # kept from then on

    def refresh(self) -> None:
        """Show the figures as they are now."""
        comparison = self.comparison
        if comparison is None:
            self.model.show_table(EMPTY, self.theme)
            self._tell(capital(self.state.why_not))
            return
        before = self.model.table.titles
        table = figures_table(comparison, self.pair)
        self.model.show_table(table, self.theme)
        self.table.setAccessibleDescription(summary(table))
        self._widen(fresh=table.titles != before)
        self.table.selectRow(self.pair[0])
        said = [comparison.why_incomparable, comparison.differing_words, *comparison.notes]
        self._tell("   ".join(map(capital, filter(None, said))))

    def _tell(self, text: str) -> None:
        self.note.setText(text)
        self.note.setVisible(bool(text))
        self.table.setFixedHeight(self._table_height())
        self.setMinimumHeight(self._height())
        self.updateGeometry()

    def _widen(self, fresh: bool) -> None:
        """Columns are as wide as their texts; names get the rest, and columns never shrink under the eyes."""
        header, measure, strong = (
            self.table.horizontalHeader(),
            self.table.fontMetrics(),
            font(9.0, bold=True),
        )
        for column, title in enumerate(self.model.table.titles):
            if column == 0:
                header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
                continue
            texts = QFontMetrics(strong)
            widest = max(
                [texts.horizontalAdvance(row[column].text) for row in self.model.table.rows], default=0
            )
            wanted = max(widest, measure.horizontalAdvance(title)) + PADDING
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Interactive)
            self.table.setColumnWidth(
                column, wanted if fresh else max(wanted, self.table.columnWidth(column))
            )

        self._leave_out()

    def fit_width(self) -> None:
        """Where there is little room for names the rules are left out while nobody breaks one."""
        self._leave_out()

    def _leave_out(self) -> None:
        titles = self.model.table.titles
        if RULES not in titles:
            return
        rules = titles.index(RULES)
        others = sum(self.table.columnWidth(c) for c in range(1, len(titles)) if c != rules)
        wide = QFontMetrics(font(9.0)).horizontalAdvance(self.model.table.rows[0][rules].text) + PADDING
        broken = any(row[rules].tone == "bad" for row in self.model.table.rows)
        self.table.setColumnHidden(rules, not broken and self.width() - others - wide < LEAST_NAME)

    def _chosen(self, index: QModelIndex) -> None:
        row, base = index.row(), self.pair[1]
        if row != base:
            self.state.set_pair(row, base)
        self.table.selectRow(self.pair[0])


def _side(right: bool) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter
