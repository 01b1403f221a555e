"""What plans, rows and devices of a comparison are called, wherever it is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gui.look.numbers import Column, amount_column
from gui.words.methods import shown_name
from gui.words.objectives import plan_times
from planner.model.graph import Ints

if TYPE_CHECKING:
    from planner.reports.comparison import Comparison, OrderComparison

    Compared = Comparison | OrderComparison
    """Plans of a graph, or orders of a network."""

Pair = tuple[int, int]
"""Plan i against plan j: differences are i minus j, ops go from j to i."""
NOT_MOVED = "pale: not moved"
"""What is said of pale cards and ribbons beside others."""


def plan_title(comparison: Compared, plan: int) -> str:
    """``B: free``, letter and name."""
    return f"{comparison.letter(plan)}: {shown_name(comparison.figures(plan).name)}"


def columns_of(comparison: Compared) -> dict[str, Column]:
    """How values of each component are written wherever plans are compared: in one unit, with one number of digits. Not of a component
    whose unit is not the same in all plans."""
    figures = [comparison.figures(plan) for plan in range(len(comparison.plans))]
    units: dict[str, set[str | None]] = {}
    for f in figures:
        for name in f.components:
            units.setdefault(name, set()).add(f.units[name])
    return {
        name: amount_column([f.components[name] for f in figures if name in f.components], unit)
        for name, (unit, *others) in units.items()
        if not others
    }


def compared_times(comparison: Comparison) -> Column:
    """How times of devices and ops are written wherever plans are compared: in the unit of the plan that takes longest."""
    return max((plan_times(p.problem, p.evaluation) for p in comparison.plans), key=lambda times: times.scale)


def titles_in_a_row(comparison: Comparison) -> str:
    """``A: contiguous · B: free``, the plans in a line."""
    return " · ".join(plan_title(comparison, plan) for plan in range(len(comparison.plans)))


def short_title(comparison: Comparison, row: int, *, every: bool = False) -> str:
    """A row's short name, written as its title where both are the same words: it stands beside titles; ``every``: as a legend has it."""
    title, name = (comparison.row_title(row, short=short, every=every) for short in (False, True))
    return title if title.casefold() == name.casefold() else name


def numbered(comparison: Comparison, row: int, *, every: bool = False) -> str:
    """What a row is called where there is no room for the word: ``1``, ``1 in A, 2 in B``; ``every``: as a legend has it."""
    return comparison.row_title(row, short=True, every=every).partition(" ")[2]


def ops_between(comparison: Comparison, pair: Pair, left: int, right: int) -> Ints:
    """The ops that plan ``pair[1]`` has in row ``left`` and plan ``pair[0]`` in row ``right`` (sorted int32)."""
    i, j = pair
    there = (comparison.places[j] == left) & (comparison.places[i] == right)
    return np.flatnonzero(there).astype(np.int32)
