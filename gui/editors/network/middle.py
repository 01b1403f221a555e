"""The middle of a network's window: one of four pages: where to begin, one order, two, or waiting."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QStackedWidget, QVBoxLayout, QWidget

if TYPE_CHECKING:
    from gui.editors.network.views import Views

MOST_BELOW = 0.4
"""Share of the height that scrubber and strip take at most from the start."""


class Middle(QWidget):
    """The network above the scrubber and the strip, which share one time axis; or two orders side by side."""

    def __init__(self, views: Views, start: QWidget, waiting: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._start, self._waiting = start, waiting
        self._two, self._canvas = views.side_by_side, views.canvas
        self._below = QWidget()
        below = QVBoxLayout(self._below)
        below.setContentsMargins(0, 0, 0, 0)
        below.setSpacing(0)
        below.addWidget(views.scrubber)
        below.addWidget(views.strip, 1)
        self._one = QSplitter(Qt.Orientation.Vertical)
        self._one.setChildrenCollapsible(False)
        self._one.addWidget(views.canvas)
        self._one.addWidget(self._below)
        self._one.setStretchFactor(0, 1)
        self._stack = QStackedWidget()
        for page in (start, self._one, self._two, waiting):
            self._stack.addWidget(page)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._stack, 1)

    @property
    def page(self) -> str:
        """``two`` where two orders are side by side, else ``one``."""
        return "two" if self._stack.currentWidget() is self._two else "one"

    @property
    def picture(self) -> QWidget:
        """What draws the network on the page that is shown; where there is none, the page."""
        return self._canvas if self._stack.currentWidget() is self._one else self._stack

    def show_page(self, page: str) -> None:
        """``start``, ``one``, ``two`` or ``waiting``."""
        pages = {"start": self._start, "one": self._one, "two": self._two, "waiting": self._waiting}
        self._stack.setCurrentWidget(pages[page])

    def share_height(self) -> None:
        """As high as scrubber and strip like it, but most of the room is the network's."""
        room, least = self._one.height(), self._below.minimumSizeHint().height()
        below = min(max(least, int(MOST_BELOW * room)), self._below.sizeHint().height())
        self._one.setSizes([max(1, room - below), below])
