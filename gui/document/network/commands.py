"""Undo steps of a network's window: another order, another fast memory, or both."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from gui.document.network.entries import OrderEntry
from gui.document.steps import Listing, Step
from planner.model.graph import Ints

if TYPE_CHECKING:
    from planner.machines.two_level_memory.problem import NetworkProblem


class Ordered(Listing, Protocol):
    """The document of a network, for the steps that change it."""

    problem: NetworkProblem | None
    order: Ints
    plan_path: Path | None

    def enter(self, problem: NetworkProblem | None, order: Ints | None, active: str) -> None:
        """Take on a problem and an order (None = the same), and an active entry."""


class SetOrder(Step):
    """From one order, problem and active entry to another.

    Only the stretch in which two orders differ is kept: moving one neuron's block touches little of a large network.
    ``creates`` is an entry that exists only after the step; ``key`` names the run that may still extend it.
    """

    def __init__(
        self,
        document: Ordered,
        text: str,
        order: Ints,
        *,
        problem: NetworkProblem | None = None,
        active: str = "",
        creates: OrderEntry | None = None,
        path: Path | None = None,
        key: str = "",
    ) -> None:
        super().__init__(text)
        self._document = document
        self._problems = None if problem is None else (document.problem, problem)
        self._active = (document.plan_list.active_id, active or document.plan_list.active_id)
        self._creates = creates
        self._paths = None if path is None else (document.plan_path, path)
        self.key = key
        self._keep(document.order, order)

    def _keep(self, before: Ints, after: Ints) -> None:
        """Remember the stretch in which the two differ."""
        differ = np.flatnonzero(before != after)
        self._begin = int(differ[0]) if len(differ) else 0
        end = int(differ[-1]) + 1 if len(differ) else 0
        self._stretches = (before[self._begin : end].copy(), after[self._begin : end].copy())

    def extend(self, order: Ints, active: str) -> None:
        """Go on to a further order and entry as part of the same step (which must be the last one, and done)."""
        self._active = (self._active[0], active)
        self._keep(self._with(self._stretches[0]), order)

    def _with(self, stretch: Ints) -> Ints:
        """The document's order with another stretch (int32[W])."""
        order = self._document.order.copy()
        order[self._begin : self._begin + len(stretch)] = stretch
        return order

    def _enter(self, side: int) -> None:
        if self._paths is not None:
            self._document.plan_path = self._paths[side]
        order = self._with(self._stretches[side]) if len(self._stretches[side]) else None
        problem = None if self._problems is None else self._problems[side]
        self._document.enter(problem, order, self._active[side])

    def redo(self) -> None:
        """Enter the later state."""
        if self._creates is not None:
            self._document.plan_list.entries.append(self._creates)
        self._enter(1)

    def undo(self) -> None:
        """Return to the earlier state."""
        if self._creates is not None:
            self._document.plan_list.entries.remove(self._creates)
        self._enter(0)
