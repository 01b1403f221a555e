"""The middle of a network's window: one of three pages: where to begin, the network, or waiting."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QStackedWidget, QVBoxLayout, QWidget

if TYPE_CHECKING:
    from gui.editors.network.views import Views

MOST_BELOW = 0.4
"""Share of the height that scrubber and strip take at most from the start."""


class Middle(QWidget):
    """The network above the scrubber and the strip, which share one time axis."""

    def __init__(self, views: Views, start: QWidget, waiting: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._start, self._waiting = start, waiting
        self._canvas = views.canvas
        self._below = QWidget()
        below = QVBoxLayout(self._below)
        below.setContentsMargins(0, 0, 0, 0)
        below.setSpacing(0)
        below.addWidget(views.scrubber)
        below.addWidget(views.strip, 1)
        self._network = QSplitter(Qt.Orientation.Vertical)
        self._network.setChildrenCollapsible(False)
        self._network.addWidget(views.canvas)
        self._network.addWidget(self._below)
        self._network.setStretchFactor(0, 1)
        self._stack = QStackedWidget()
        for page in (start, self._network, waiting):
            self._stack.addWidget(page)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._stack, 1)

    @property
    def picture(self) -> QWidget:
        """What draws the network on the page that is shown; where there is none, the page."""
        return self._canvas if self._stack.currentWidget() is self._network else self._stack

    def show_page(self, page: str) -> None:
        """``start``, ``network`` or ``waiting``."""
        pages = {"start": self._start, "network": self._network, "waiting": self._waiting}
        self._stack.setCurrentWidget(pages[page])

    def share_height(self) -> None:
        """As high as scrubber and strip like it, but most of the room is the network's."""
        room, least = self._network.height(), self._below.minimumSizeHint().height()
        below = min(max(least, int(MOST_BELOW * room)), self._below.sizeHint().height())
        self._network.setSizes([max(1, room - below), below])
