"""The network canvas: the picture of an order with the choices of how to look at it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QHBoxLayout,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gui.canvas.network.legend import Legend
from gui.canvas.network.view import VIEWS, PictureView
from gui.look.theme import Theme

if TYPE_CHECKING:
    from gui.document.network.document import OrderDocument

_TIPS = {
    "links": "Neurons as dots, connections as lines",
    "matrix": "Sources down, targets across, a pixel per connection",
}


ROOMY, NARROW = 330, 260
"""Pixels of width from which all words have room, and from which all buttons have."""


class NetworkCanvas(QWidget):
    """A network by layers with its connections in the colours of their time, of the active or the compared order."""

    def __init__(
        self, document: OrderDocument, theme: Theme, which: str = "active", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setObjectName("header")
        self.picture = PictureView(document, theme, which, self)
        self.legend = Legend(theme, self)
        self._views = QButtonGroup(self)
        row = QHBoxLayout()
        row.setContentsMargins(8, 5, 10, 5)
        row.setSpacing(4)
        for i, view in enumerate(VIEWS):
            button = QPushButton(view.capitalize(), self)
            button.setObjectName("segment")
            button.setCheckable(True)
            button.setToolTip(_TIPS[view])
            button.setAccessibleDescription(_TIPS[view])
            self._views.addButton(button, i)
            row.addWidget(button)
        self.by_first_use = QCheckBox("Sort by first use", self)
        self.by_first_use.setToolTip("Neurons of a layer in the order of their first use, else by number")
        self.by_first_use.setChecked(self.picture.sorted)
        self.fit_button = QToolButton(self)
        self.fit_button.setText("Fit")
        self.fit_button.setToolTip("Show the whole network (0)")
        self.fit_button.setAccessibleName("Show the whole network")
        row.addSpacing(8)
        row.addWidget(self.by_first_use)
        row.addSpacing(4)
        row.addWidget(self.fit_button)
        row.addWidget(self.legend, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(row)
        column.addWidget(self.picture, 1)
        self.setFocusProxy(self.picture)
        self._views.idClicked.connect(lambda i: self.set_view(VIEWS[i]))
        self.by_first_use.toggled.connect(self.picture.set_sorted)
        self.fit_button.clicked.connect(self.fit)
        self.picture.view_changed.connect(self._show_view)
        self._show_view()

    def _show_view(self) -> None:
        if self.view in VIEWS:
            self._views.button(VIEWS.index(self.view)).setChecked(True)

    @property
    def view(self) -> str:
        """``links`` or ``matrix``; empty before a network is open."""
        return self.picture.view

    @property
    def sorted(self) -> bool:
        """Whether neurons stand by first use."""
        return self.by_first_use.isChecked()

    def set_view(self, view: str) -> None:
        """Draw ``links`` or ``matrix``. Raises ValueError for anything else."""
        self.picture.set_view(view)

    def set_sorted(self, by_first_use: bool) -> None:
        """Let neurons stand by first use within their layers, or by number."""
        self.by_first_use.setChecked(by_first_use)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where there is little room the choices are said shorter; the key for Fit remains."""
        super().resizeEvent(event)
        self.by_first_use.setText("Sort by first use" if self.width() >= ROOMY else "Sort")
        self.fit_button.setVisible(self.width() >= NARROW)

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self.picture.set_theme(theme)
        self.legend.set_theme(theme)

    def fit(self) -> None:
        """Show the whole network."""
        self.picture.fit()

    def zoom_by(self, factor: float) -> None:
        """Look nearer, or from farther away."""
        self.picture.zoom_by(factor)
