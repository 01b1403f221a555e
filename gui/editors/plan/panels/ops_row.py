"""A row of the op table where the panel is narrow: the whole name on one line; device, kind, memory and work below it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, Qt
from PySide6.QtGui import QColor, QFontMetrics, QIcon, QPainter
from PySide6.QtWidgets import QApplication, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTableView

from gui.editors.plan.panels.ops_model import NAME, OpsModel
from gui.look.theme import Theme, font

Index = QModelIndex | QPersistentModelIndex
ONE_LINE, TWO_LINES = 22, 38
"""Heights of rows in pixels."""
GLYPH = 10
LEFT, RIGHT = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight
EDGE = 7
"""Pixels left of the glyph, and right of the number."""


class TwoLines(QStyledItemDelegate):
    """Paints the name's cell and the one beside it as one: each draws its part of the row. Others are as usual."""

    def __init__(self, table: QTableView, theme: Theme) -> None:
        super().__init__(table)
        self._table, self.theme = table, theme
        self.on = False
        """Whether rows have two lines."""

    def set_on(self, on: bool) -> None:
        """Rows of two lines, or of one."""
        if on != self.on:
            self.on = on
            self._table.verticalHeader().setDefaultSectionSize(TWO_LINES if on else ONE_LINE)
            self._table.viewport().update()

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """The cell's ground, and what of the row's text lies on it."""
        header = self._table.horizontalHeader()
        beside = header.logicalIndex(1)
        if not self.on or index.column() not in (NAME, beside):
            super().paint(painter, option, index)
            return
        model = cast(OpsModel, index.model())
        self.initStyleOption(option, index)
        option.text, option.icon = "", QIcon()  # type: ignore[attr-defined]
        cell: QRect = option.rect  # type: ignore[attr-defined]
        widget = self._table
        (widget.style() or QApplication.style()).drawControl(
            QStyle.ControlElement.CE_ItemViewItem, option, painter, widget
        )
        name = model.index(index.row(), NAME)
        row = cell.united(widget.visualRect(model.index(index.row(), beside))).united(widget.visualRect(name))
        painter.save()
        painter.setClipRect(cell)
        half = row.height() // 2
        glyph = QRect(row.left() + EDGE, row.top() + (half + 4 - GLYPH) // 2 + 1, GLYPH, GLYPH)
        cast(QIcon, name.data(Qt.ItemDataRole.DecorationRole)).paint(painter, glyph)
        left, right = glyph.right() + 7, row.right() - EDGE
        upper = QRect(left, row.top() + 3, right - left, half - 1)
        lower = QRect(left, row.top() + half, right - left, half - 2)
        painter.setFont(self._table.font())
        painter.setPen(QColor(self.theme.text))
        # Names keep their ends, which tell them apart.
        text = painter.fontMetrics().elidedText(name.data(), Qt.TextElideMode.ElideLeft, upper.width())
        painter.drawText(upper, LEFT | Qt.AlignmentFlag.AlignVCenter, text)
        painter.setFont(font(8.0))
        number = str(model.index(index.row(), beside).data())
        painter.drawText(lower, RIGHT | Qt.AlignmentFlag.AlignVCenter, number)
        room = lower.width() - painter.fontMetrics().horizontalAdvance(number) - 8
        painter.setPen(QColor(self.theme.muted))
        about = first_fitting(model.about(index.row(), beside), painter.fontMetrics(), room)
        painter.drawText(lower, LEFT | Qt.AlignmentFlag.AlignVCenter, about)
        painter.restore()


def first_fitting(ways: Sequence[str], measure: QFontMetrics, room: int) -> str:
    """The first of ever shorter words that has ``room`` (pixels); the last is cut."""
    fits = (words for words in ways if measure.horizontalAdvance(words) <= room)
    return next(fits, "") or measure.elidedText(ways[-1], Qt.TextElideMode.ElideRight, room)
