"""What the views of a comparison share: they follow its state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from gui.look.theme import Theme
from gui.panels.base import Panel
from gui.panels.comparison.names import Pair

if TYPE_CHECKING:
    from gui.editors.comparison.state import CompareState
    from planner.reports.comparison import Comparison


class CompareView(Panel):
    """A view on a :class:`~gui.editors.comparison.state.CompareState`; redraws once per turn of the event loop, when it is seen.

    What it consists of is made when it first has to show something, in a turn of its own: a comparison opens with five of them.
    Subclasses implement :meth:`build` beside :meth:`refresh`, and :meth:`fit_width` where they lay out columns.
    """

    def __init__(self, state: CompareState, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(cast(Any, state.document), theme, parent)
        self.state = state
        self.built = False
        """Whether its widgets are there."""
        state.comparison_changed.connect(self.request_refresh)
        state.pair_changed.connect(self.request_refresh)

    def build(self) -> None:
        """Make the widgets, empty."""
        raise NotImplementedError

    def fit_width(self) -> None:
        """Another width: share it out anew."""

    def refresh_now(self) -> None:
        """Refresh at once if anything asked for it; the first time there is everything to be made."""
        if not self.built:
            self.built = True
            self.build()
            self._show_built()
        super().refresh_now()

    def _show_built(self) -> None:
        """What is put into a panel that is seen Qt would show, and give its place, only after it was filled."""
        for part in self.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly):
            if not part.testAttribute(Qt.WidgetAttribute.WA_WState_ExplicitShowHide):
                part.show()
        if (rows := self.layout()) is not None:
            rows.activate()

    def showEvent(self, event: QShowEvent) -> None:
        """The first time it stays empty for a moment."""
        if self.built:
            super().showEvent(event)
        else:
            QWidget.showEvent(self, event)
            self.request_refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Columns keep to the room there is."""
        super().resizeEvent(event)
        if self.built:
            self.fit_width()

    @property
    def comparison(self) -> Comparison | None:
        """What is compared; None where there is nothing, or the pair is not of it."""
        comparison = self.state.comparison
        return comparison if comparison is not None and max(self.pair) < len(comparison.plans) else None

    @property
    def pair(self) -> Pair:
        """The plans that lists and differences are about."""
        return self.state.shown


def scrolling(inside: QWidget, parent: QWidget) -> QScrollArea:
    """An area that scrolls ``inside`` up and down where there is less room than it needs at least."""
    area = QScrollArea(parent)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    inside.setObjectName("scrolled")
    area.setWidget(inside)
    return area


def selection_mode(adding: bool) -> str:
    """How a click changes the selection: with Ctrl or Shift it adds."""
    return "add" if adding else "replace"
