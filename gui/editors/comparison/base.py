"""What the views of a comparison share: they follow its state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from gui.look.theme import Theme
from gui.panels.base import Panel
from gui.panels.comparison.names import Pair

if TYPE_CHECKING:
    from gui.editors.comparison.state import CompareState
    from planner.reports.comparison import Comparison


class CompareView(Panel):
    """A view on a :class:`~gui.editors.comparison.state.CompareState`; redraws once per turn of the event loop, when it is seen."""

    def __init__(self, state: CompareState, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(cast(Any, state.document), theme, parent)
        self.state = state
        state.comparison_changed.connect(self.request_refresh)
        state.pair_changed.connect(self.request_refresh)

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
