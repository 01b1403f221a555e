"""A combo box whose list shows all of its rows, whole."""

from __future__ import annotations

from PySide6.QtWidgets import QComboBox, QWidget

MOST_ROWS = 12
"""A longer list scrolls."""


class DropDown(QComboBox):
    """Qt leaves out the border that the style sheet gives the list: it would be too low for its last row."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setMaxVisibleItems(MOST_ROWS)

    def showPopup(self) -> None:
        """As high as its rows and its border."""
        view = self.view()
        view.ensurePolished()
        rows = sum(view.sizeHintForRow(row) for row in range(min(self.count(), MOST_ROWS)))
        margins = view.contentsMargins()
        view.setMinimumHeight(rows + margins.top() + margins.bottom())
        super().showPopup()
