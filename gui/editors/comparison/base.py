"""What the views of a comparison share: they follow its state, and call plans, rows and devices by the same names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from gui.look.theme import Theme
from gui.panels.base import Panel
from planner.model.graph import Ints

if TYPE_CHECKING:
    from gui.editors.comparison.state import CompareState
    from planner.reports.comparison import Comparison, OrderComparison

    Compared = Comparison | OrderComparison
    """Plans of a graph, or orders of a network."""

Pair = tuple[int, int]
"""Plan i against plan j: differences are i minus j, ops go from j to i."""


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


def plan_title(comparison: Comparison, plan: int) -> str:
    """``B  free``: letter and name."""
    return f"{comparison.letter(plan)}  {comparison.figures(plan).name}"


def device_name(comparison: Comparison, pair: Pair, side: int, row: int, short: bool = False) -> str:
    """What the device of a row is called: ``side`` 0 speaks of plan ``pair[1]``, 1 of plan ``pair[0]``.

    Both sides use the name that plan ``pair[1]`` has for it, so that counterparts have one name; where the other plan calls
    it otherwise that follows in brackets. ``short``: in a word.
    """
    both = comparison.row_title(row, (pair[1], pair[0]), short=short)
    if side == 1:
        return both
    return (comparison.device_name if short else comparison.device_title)(row, pair[1]) or both


def shortened(title: str) -> str:
    """What a row is called where there is less room: ``Stage 1 (2 in C)``, ``Stage 3 (B)``."""
    word = title.partition(" ")[0]
    return title.replace(f"({word} ", "(").replace(f", {word} ", ", ").replace("(only in ", "(")


def ops_between(comparison: Comparison, pair: Pair, left: int, right: int) -> Ints:
    """The ops that plan ``pair[1]`` has in row ``left`` and plan ``pair[0]`` in row ``right`` (sorted int32)."""
    i, j = pair
    there = (comparison.places[j] == left) & (comparison.places[i] == right)
    return np.flatnonzero(there).astype(np.int32)


def selection_mode(adding: bool) -> str:
    """How a click changes the selection: with Ctrl or Shift it adds."""
    return "add" if adding else "replace"
