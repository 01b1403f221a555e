"""The step lines of the convergence plot and the words at their steps. No painting."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from planner.problem.bound import Bound


def steps(rows: Iterable[tuple[float, float]], end: float) -> tuple[np.ndarray, np.ndarray]:
    """Corners of the step line through (seconds, value) reports, drawn on to ``end``.

    Returns x and y (float64[m]); empty where nothing finite was reported.
    """
    x: list[float] = []
    y: list[float] = []
    for seconds, value in rows:
        if not math.isfinite(value) or (y and value == y[-1]):
            continue
        if y:
            # What came from elsewhere was clocked here, the rest by the search itself: time never runs back.
            seconds = max(float(seconds), x[-1])
            x.append(seconds)
            y.append(y[-1])
        x.append(float(seconds))
        y.append(float(value))
    if y:
        x.append(max(end, x[-1]))
        y.append(y[-1])
    return np.array(x), np.array(y)


def proofs_of(
    proofs: Iterable[tuple[float, Bound]], component: str, reached: Mapping[str, float]
) -> list[tuple[float, Bound]]:
    """Of (seconds, bound) reports those on ``component`` that rise and speak of a plan with these components.

    Without a plan (``reached`` empty) only bounds on all plans do.
    """
    found: list[tuple[float, Bound]] = []
    for seconds, bound in proofs:
        higher = not found or bound.value > found[-1][1].value
        if bound.component == component and higher and bound.covers(reached):
            found.append((seconds, bound))
    return found


@dataclass(frozen=True)
class Mark:
    """Words at a step of the bound: where it stands, what is said."""

    seconds: float
    value: float
    words: str


def marks(
    proofs: list[tuple[float, Bound]], end: float, width: float, word: Callable[[Bound], str], room: Callable[[str], float]
) -> list[Mark]:  # fmt: skip
    """Words for the steps of the bound on a plot ``width`` pixels wide that ends at ``end`` seconds.

    ``room`` says how wide words are. The last step's words stand at the end of its line, and whatever would run into
    the next words is left out. Bounds that are infinite (nothing is valid) have no step.
    """
    finite = [(seconds, bound) for seconds, bound in proofs if math.isfinite(bound.value)]
    if not finite:
        return []
    last = finite[-1][1]
    found = [Mark(end, last.value, word(last))]
    until = width - room(found[0].words)
    for seconds, bound in reversed(finite[:-1]):
        words, x = word(bound), seconds / end * width
        if x + room(words) <= until:
            found.append(Mark(seconds, bound.value, words))
            until = x
    return found[::-1]


def crosses_step(x: np.ndarray, end: float, width: float, room: float) -> bool:
    """Whether words ``room`` pixels wide that end with a step line (corners ``x``) stand across one of its steps.

    The plot is ``width`` pixels wide and shows 0 to ``end`` seconds.
    """
    rises = x[1:-1]
    return bool(len(rises) and float(rises[-1]) > end * (1 - room / width)) if width > 0 else False


def value_at(x: np.ndarray, y: np.ndarray, where: np.ndarray) -> np.ndarray:
    """Values of a step line at ``where``; at a corner given twice, the value before it first, then the one after."""
    right = np.searchsorted(x, where, side="right") - 1
    left = np.searchsorted(x, where, side="left")
    first = np.concatenate([[True], where[1:] != where[:-1]])
    twice = np.concatenate([where[1:] == where[:-1], [False]])
    index = np.where(first & twice, np.minimum(left, len(x) - 1), np.clip(right, 0, len(x) - 1))
    return y[index]


Line = tuple[np.ndarray, np.ndarray]
"""Corners of a step line: x and y (float64[m])."""


def highest(lines: Iterable[Line], left: float, right: float) -> float:
    """The largest value of any line between two places; minus infinite where none runs there."""
    return max(
        (float(_within(line, left, right).max(initial=-math.inf)) for line in lines), default=-math.inf
    )


def crossed(lines: Iterable[Line], left: float, right: float, low: float, high: float) -> bool:
    """Whether any line runs through the inside of a box."""
    for line in lines:
        y = _within(line, left, right)
        pairs = np.stack([y, np.append(y[1:], y[-1:])])
        if ((pairs.min(axis=0) < high) & (pairs.max(axis=0) > low)).any():
            return True
    return False


def _within(line: Line, left: float, right: float) -> np.ndarray:
    """The values of a line between two places, in its order (float64[m])."""
    x, y = line
    found = y[(x > left) & (x < right)]
    begun = bool(len(x)) and x[0] <= left < x[-1]
    return np.append(value_at(x, y, np.array([left])), found) if begun else found
