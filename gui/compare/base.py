"""What the views of a comparison share: they follow its state, and call plans, rows and devices by the same names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from gui.panels.base import Panel
from gui.theme import Theme
from planner.graph import Ints

if TYPE_CHECKING:
    from gui.compare.state import CompareState
    from planner.comparison import Comparison, OrderComparison

    Compared = Comparison | OrderComparison
    """Plans of a graph, or orders of a network."""

Pair = tuple[int, int]
"""Plan i against plan j: differences are i minus j, ops go from j to i."""


class CompareView(Panel):
    """A view on a :class:`~gui.compare.state.CompareState`; redraws once per turn of the event loop, when it is seen."""

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
    names = [_name(comparison, plan, row, short) for plan in (pair[1], pair[0])]
    if not names[0]:
        return f"{names[1]} ({comparison.letter(pair[0])})" if names[1] else comparison.rows[row].title
    if side == 0 or not names[1] or names[1] == names[0]:
        return names[0]
    return f"{names[0]} ({names[1]} in {comparison.letter(pair[0])})" if not short else names[0]


def row_title(comparison: Comparison, row: int, pair: Pair) -> str:
    """What a row is called in a list about two plans: by both names where they differ."""
    return device_name(comparison, pair, 1, row)


def _name(comparison: Comparison, plan: int, row: int, short: bool) -> str:
    device = comparison.rows[row].devices[plan]
    if device < 0:
        return ""
    known = comparison.plans[plan].problem.devices[device]
    return known.name if short else known.title


def ops_between(comparison: Comparison, pair: Pair, left: int, right: int) -> Ints:
    """The ops that plan ``pair[1]`` has in row ``left`` and plan ``pair[0]`` in row ``right`` (sorted int32)."""
    i, j = pair
    there = (comparison.places[j] == left) & (comparison.places[i] == right)
    return np.flatnonzero(there).astype(np.int32)


def selection_mode(adding: bool) -> str:
    """How a click changes the selection: with Ctrl or Shift it adds."""
    return "add" if adding else "replace"
