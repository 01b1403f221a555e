"""A plan whose interchangeable devices are called as another plan has them: no op is said to move that only its device's number does."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from planner.model.graph import Bools, Ints
from planner.reports.comparison.matching import closest_match, match_placed

if TYPE_CHECKING:
    from planner.problem.problem import Problem


def elsewhere(problem: Problem, device_of: Ints, other: Ints, *, by_hand: bool = False) -> Bools:
    """Which ops one assignment has on another device than ``other`` (bool[n]), devices matched: those that a comparison of both counts.
    ``by_hand``: both were made by hand."""
    different: Bools = device_of != other
    if problem.target.in_a_row or not different.any():
        return different
    first_of = match_placed((problem, other), (problem, device_of), by_hand=by_hand).first_of
    moved: Bools = first_of[device_of] != other
    return moved


def renumbered(problem: Problem, device_of: Ints, like: Ints) -> Ints:
    """An assignment (int32[n]) with devices that differ by number alone numbered so that as few ops as possible are elsewhere than in ``like``.

    Devices keep their numbers where they stand in a row, where a pin names them, and where that brings no op nearer. So do all where the plan
    would not be worth the same, or break other rules.
    """
    apart = np.count_nonzero(device_of != like)
    if not apart or problem.target.in_a_row:
        return device_of
    evaluator = problem.evaluator
    named = frozenset(evaluator.pinned[evaluator.pinned >= 0].tolist())
    first_of = closest_match((problem, like), (problem, device_of), named).first_of
    found = np.ascontiguousarray(first_of[device_of], np.int32)
    if np.count_nonzero(found != like) >= apart:
        return device_of
    return found if _worth_the_same(problem, device_of, found) else device_of


def _worth_the_same(problem: Problem, device_of: Ints, found: Ints) -> bool:
    """Whether two assignments have the same figures, and break the same rules equally often."""
    before, after = problem.evaluate(device_of), problem.evaluate(found)
    broken = [Counter(violation.kind for violation in one.violations) for one in (before, after)]
    return before.values == after.values and broken[0] == broken[1]
