"""A combo box whose list shows all of its rows, whole."""

from __future__ import annotations

from functools import cached_property

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPalette, QWheelEvent
from PySide6.QtWidgets import QComboBox, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from gui.look.theme import font
from gui.widgets.accessible import Contents, Role

LEAST = 6
"""Letters for which one that gives way has room."""
MOST_ROWS = 12
"""A longer list scrolls."""
SAID = Qt.ItemDataRole.UserRole + 1
"""The role of what a row says below its title."""
WIDE, PAD = 380, 8
"""Pixels: how wide a list with such rows is, and what is left of and below the words."""
WRAPPED = int(Qt.TextFlag.TextWordWrap) | int(Qt.AlignmentFlag.AlignLeft) | int(Qt.AlignmentFlag.AlignTop)
Index = QModelIndex | QPersistentModelIndex


class Explained(QStyledItemDelegate):
    """Rows with what they mean in small words below their titles; others are as usual."""

    def _room(self, said: str) -> int:
        """How high the small words are in the width of the list."""
        words = QFontMetrics(font(8.0))
        return words.boundingRect(QRect(0, 0, WIDE - 3 * PAD, 1000), WRAPPED, said).height() + PAD

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """The title, and the words below it."""
        size, said = super().sizeHint(option, index), index.data(SAID)
        return QSize(WIDE, size.height() + self._room(said)) if said else size

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """The title as usual, with its words below."""
        said, row = index.data(SAID), QRect(option.rect)  # type: ignore[attr-defined]
        if not said:
            super().paint(painter, option, index)
            return
        high = self._room(said)
        title = QStyleOptionViewItem(option)
        title.rect = row.adjusted(0, 0, 0, -high)  # type: ignore[attr-defined]
        super().paint(painter, title, index)
        painter.save()
        painter.setFont(font(8.0))
        painter.setPen(option.palette.color(QPalette.ColorRole.Text))  # type: ignore[attr-defined]
        painter.drawText(QRect(row.left() + PAD, row.bottom() - high, WIDE - 3 * PAD, high), WRAPPED, said)
        painter.restore()


class DropDown(QComboBox):
    """A list to choose from. The wheel scrolls past it: who moves through a panel chooses nothing on the way.

    Qt leaves out the border that the style sheet gives the list: it would be too low for its last row.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMaxVisibleItems(MOST_ROWS)
        self.currentTextChanged.connect(self._say)

    def give_way(self) -> None:
        """Be as narrow as its place is, whatever its rows say: Qt counts them at a whim, once it is shown and with every style sheet."""
        self.setMinimumContentsLength(LEAST)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)

    def _say(self, _: str) -> None:
        self.told.say_name()

    @cached_property
    def told(self) -> Contents:
        """What it is about and what is chosen: on Linux Qt leaves out the first."""
        return Contents(self, Role.ComboBox, act=self.showPopup, does="Open", name=self._words)

    def _words(self) -> str:
        return ": ".join(words for words in (self.accessibleName(), self.currentText()) if words)

    def add_explained(self, title: str, data: str, said: str) -> None:
        """A row that says below its title what it means; of ``data`` its tip."""
        self.addItem(title, data)
        row = self.count() - 1
        self.setItemData(row, f"{data}: {said}" if said else data, Qt.ItemDataRole.ToolTipRole)
        if said:
            self.setItemData(row, said, SAID)
            if not isinstance(self.itemDelegate(), Explained):
                self.setItemDelegate(Explained(self))
            self.view().setMinimumWidth(WIDE)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Left to what it stands in."""
        event.ignore()

    def showPopup(self) -> None:
        """As high as its rows and its border."""
        view = self.view()
        view.ensurePolished()
        rows = sum(view.sizeHintForRow(row) for row in range(min(self.count(), MOST_ROWS)))
        margins = view.contentsMargins()
        view.setMinimumHeight(rows + margins.top() + margins.bottom())
        super().showPopup()
