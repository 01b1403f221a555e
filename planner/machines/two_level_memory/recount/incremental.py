"""I/Os of a connection order as it changes: exact totals at the cost of what a change touches.

:class:`Incremental` counts an order once; :meth:`~Incremental.replace` then gives the change of the total when a stretch of it is
put in another order, to be kept or undone. The same three are kernels (:func:`replace`, :func:`keep`,
:func:`undo` on its ``state``) for use in others.

A change is tried by running the new order only from where memory may differ until it agrees with the kept run again, at each of
the places concerned (:mod:`planner.machines.two_level_memory.recount.min` says why nothing before them can change under MIN; LRU and RR do not
look ahead). What follows is that of the kept run, wherever it has shifted to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from planner.compiling.kernel import njit
from planner.errors import PlanError
from planner.machines.two_level_memory.recount import trial as incremental_trial
from planner.machines.two_level_memory.recount.state import (
    BREAKS,
    DELTA,
    HIGH,
    LINKS,
    LOW,
    MOVERS,
    TOTAL,
    State,
    inner,
)
from planner.machines.two_level_memory.recount.trial import begin, relink, weigh
from planner.model.graph import Ints

if TYPE_CHECKING:
    from planner.machines.two_level_memory.problem import NetworkProblem


@njit(cache=True, nogil=True)
def replace(s, low, high, new):
    """Try ``new`` (int32[high - low + 1], the connections there in another order) in positions low..high.

    Returns the change of the total I/Os. Then either :func:`keep` or :func:`undo`.
    """
    numbers, order, position, new_order, new_position = (
        s.numbers, s.order, s.position, s.new_order, s.new_position,
    )  # fmt: skip
    while low < high and new[0] == order[low]:
        low += 1
        new = new[1:]
    while high > low and new[len(new) - 1] == order[high]:
        high -= 1
        new = new[: len(new) - 1]
    for k in range(len(new)):
        new_order[low + k] = new[k]
        new_position[new[k]] = low + k
    numbers[LOW], numbers[HIGH], numbers[LINKS] = low, high, -1
    numbers[MOVERS] = _out_of_order(s, new)
    numbers[BREAKS] = 0
    w = len(order)
    for p in range(max(low - 1, 0), high + 1):
        c = new_order[p]
        if s.moved[c]:
            continue
        k = position[c] + 1
        was = order[k] if k < w else -1
        now = new_order[p + 1] if p + 1 < w else -1
        if was != now:
            s.breaks[numbers[BREAKS]] = c
            numbers[BREAKS] += 1
    relink(s, new_order, low, high, True)
    return weigh(s)


@njit(cache=True, nogil=True)
def keep(s):
    """Make what was tried the kept order."""
    incremental_trial.keep(s)


@njit(cache=True, nogil=True)
def undo(s):
    """Forget what was tried."""
    incremental_trial.undo(s)


@inner
def _out_of_order(s, new):
    """Mark as moved all but a longest sequence of ``new`` that comes in the kept order; returns how many."""
    tails, parent, position = s.tails, s.parent, s.position
    length = 0
    for k in range(len(new)):
        at = position[new[k]]
        a, b = 0, length
        while a < b:
            middle = (a + b) >> 1
            if position[new[tails[middle]]] < at:
                a = middle + 1
            else:
                b = middle
        parent[k] = tails[a - 1] if a > 0 else -1
        tails[a] = k
        length = max(length, a + 1)
    k = tails[length - 1]
    for c in new:
        s.moved[c] = 1
    while k >= 0:
        s.moved[new[k]] = 0
        k = parent[k]
    count = 0
    for c in new:
        if s.moved[c]:
            s.movers[count] = c
            count += 1
    return count


class Incremental:
    """An order of a problem's connections and its I/Os, kept exact through changes."""

    def __init__(self, problem: NetworkProblem, order: Ints) -> None:
        """Counts ``order`` (int32[W], topological). Raises :class:`PlanError` where it is no order, or none that is valid."""
        evaluator = problem.evaluator
        order = evaluator.checked(order)
        broken = evaluator.violations(order)
        if broken:
            raise PlanError(broken[0].sentence)
        self.state: State = begin(problem, order)

    @property
    def total(self) -> int:
        """Total I/Os of the kept order."""
        return int(self.state.numbers[TOTAL])

    @property
    def order(self) -> Ints:
        """The kept order, int32[W]."""
        return self.state.order.copy()

    def replace(self, low: int, high: int, new: Ints) -> int:
        """Try ``new`` (int32[high - low + 1]: the connections at positions low..high in another order) there; returns the change of the total.

        That it remains topological is the caller's part. Exactly one of :meth:`keep` and :meth:`undo` must follow. Raises
        :class:`PlanError` where the connections are others.
        """
        new = np.ascontiguousarray(new, np.int32)
        if not 0 <= low <= high < len(self.state.order) or not np.array_equal(
            np.sort(new), np.sort(self.state.order[low : high + 1])
        ):
            raise PlanError(f"positions {low} to {high} of an order hold other connections than those given")
        return int(replace(self.state, low, high, new))

    def keep(self) -> None:
        """Make what was tried the kept order."""
        keep(self.state)

    def undo(self) -> None:
        """Forget what was tried."""
        undo(self.state)

    @property
    def change(self) -> int:
        """The change of the total that was last tried."""
        return int(self.state.numbers[DELTA])
