"""What plans, rows and devices of a comparison are called, wherever it is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from planner.model.graph import Ints

if TYPE_CHECKING:
    from planner.reports.comparison import Comparison, OrderComparison

    Compared = Comparison | OrderComparison
    """Plans of a graph, or orders of a network."""

Pair = tuple[int, int]
"""Plan i against plan j: differences are i minus j, ops go from j to i."""


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
