"""A combo box whose list shows all of its rows, whole."""

from __future__ import annotations

from functools import cached_property

from PySide6.QtWidgets import QComboBox, QWidget

from gui.widgets.accessible import Contents, Role

MOST_ROWS = 12
"""A longer list scrolls."""


class DropDown(QComboBox):
    """Qt leaves out the border that the style sheet gives the list: it would be too low for its last row."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setMaxVisibleItems(MOST_ROWS)
        self.currentTextChanged.connect(self._say)

    def _say(self, _: str) -> None:
        self.told.say_name()

    @cached_property
    def told(self) -> Contents:
        """What it is about and what is chosen: on Linux Qt leaves out the first."""
        return Contents(self, Role.ComboBox, act=self.showPopup, does="Open", name=self._words)

    def _words(self) -> str:
        return ": ".join(words for words in (self.accessibleName(), self.currentText()) if words)

    def showPopup(self) -> None:
        """As high as its rows and its border."""
        view = self.view()
        view.ensurePolished()
        rows = sum(view.sizeHintForRow(row) for row in range(min(self.count(), MOST_ROWS)))
        margins = view.contentsMargins()
        view.setMinimumHeight(rows + margins.top() + margins.bottom())
        super().showPopup()
