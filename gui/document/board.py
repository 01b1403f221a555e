"""What is being planned, whatever it is: problem, decision, evaluation, bounds. No Qt; the document says when it changed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from gui.document.proven_here import PROVEN
from planner.errors import StageboardError
from planner.model.graph import Bools, Ints
from planner.problem.base import AnyPlan, PlanningProblem, says_more
from planner.problem.bound import Bound, Standing, proven
from planner.problem.decision import Evaluated

if TYPE_CHECKING:
    from planner.problem.provenance import Provenance

P = TypeVar("P", bound=PlanningProblem)
E = TypeVar("E", bound=Evaluated)


class Board(ABC, Generic[P, E]):
    """One problem with the decision under edit. Figures are computed once per decision, when asked for."""

    def __init__(self) -> None:
        self.problem: P | None = None
        self.bounds: list[Bound] = []
        self.bound: Bound | None = None
        """The strongest of the bounds on the objective's first component that applies to the problem."""
        self.serial = 0
        """Counts the changes of decision and problem."""
        self._evaluation: E | None = None

    # ------------------------------------------------------------------ the decision
    @property
    @abstractmethod
    def device_of(self) -> Ints:
        """The decision under edit, a number for each of its places (int32, read-only)."""

    @abstractmethod
    def own(self, device_of: Ints) -> Ints:
        """A decision (int32) that an entry of the list may keep: nothing else changes it."""

    @abstractmethod
    def enter(self, problem: P | None, ops: Ints, devices: Ints) -> None:
        """Take on another problem (None = the same) and give the places ``ops`` the numbers ``devices`` (both int32)."""

    @abstractmethod
    def plan(self, provenance: Provenance, name: str) -> AnyPlan:
        """The decision as a plan. Raises :class:`StageboardError` where nothing is open."""

    @abstractmethod
    def _evaluated(self) -> E:
        """The evaluation of the decision, found now."""

    # ------------------------------------------------------------------ state
    @property
    def open_problem(self) -> P:
        """The problem. Raises :class:`StageboardError` where nothing is open."""
        if self.problem is None:
            raise StageboardError("no model is open; open one first")
        return self.problem

    @property
    def evaluation(self) -> E:
        """Costs and violations of the decision. Raises :class:`StageboardError` where nothing is open."""
        if self._evaluation is None:
            self._evaluation = self._evaluated()
        return self._evaluation

    @property
    def standing(self) -> Standing | None:
        """How the decision stands against the bounds, component by component; None where nothing is open."""
        return None if self.problem is None else self.problem.standing(self.evaluation.values, self.bounds)

    @property
    def gap(self) -> float | None:
        """The gap of the first component not yet proven; None without a bound or while rules are broken."""
        standing = self.standing
        return None if standing is None or not self.evaluation.valid else standing.gap

    def checked(self, device_of: Ints) -> Ints:
        """A decision (int32) that the problem can evaluate. Raises :class:`StageboardError` for any other."""
        problem: Any = self.open_problem
        checked: Ints = problem.evaluator.checked(np.asarray(device_of))
        return checked

    def changes(self, device_of: Ints) -> tuple[Ints, Ints]:
        """Where another decision differs, and what it has there (both int32)."""
        ops = np.flatnonzero(self.device_of != device_of).astype(np.int32)
        return ops, device_of[ops].astype(np.int32)

    def differences(self, device_of: Ints, *, by_hand: bool = False) -> Bools:
        """Where another decision is different (bool, a value per place); everywhere where it is none of this problem. ``by_hand``: both were
        made by hand."""
        if device_of.shape != self.device_of.shape:
            return np.ones(len(self.device_of), bool)
        return self._different(device_of, by_hand)

    def _different(self, device_of: Ints, by_hand: bool) -> Bools:
        different: Bools = device_of != self.device_of
        return different

    def called_alike(self, problem: P, device_of: Ints) -> Ints:
        """A decision for ``problem`` that nobody has seen yet, as much as can be by the numbers that are used under edit; worth the same."""
        return device_of

    # ------------------------------------------------------------------ changes
    def _reset(self, problem: P, bounds: Iterable[Bound]) -> None:
        """Start over with another model."""
        self.problem, self.bounds = problem, []
        self._changed()
        self.add_bounds(bounds)

    def _changed(self) -> None:
        self._evaluation = None
        self.serial += 1

    def add_bounds(self, bounds: Iterable[Bound]) -> bool:
        """Keep bounds (of the same proof only the stronger) and find the strongest that applies.

        What files claim is none of them. Returns whether one of them says more about the problem than was known.
        """
        more, bounds = False, tuple(proven(bounds))
        PROVEN.add(bounds)
        for bound in bounds:
            proof = _proof(bound)
            same = [known for known in self.bounds if _proof(known) == proof]
            if any(known.value >= bound.value for known in same):
                continue
            more = more or (self.problem is not None and says_more(bound, self.problem, self.bounds))
            self.bounds = [known for known in self.bounds if known not in same] + [bound]
        self.bound = None if self.problem is None else self.problem.strongest_bound(self.bounds)
        return more


def _proof(bound: Bound) -> tuple[str, str, str, frozenset[str], tuple[tuple[str, float], ...]]:
    return bound.component, bound.method, bound.relaxation, bound.assumes, bound.given


def quick_bounds(problem: PlanningProblem) -> tuple[Bound, ...]:
    """What is proven at once, and what was proven before in this process, of this problem or of others for which it holds as well."""
    from planner.runs.proving import known_at_once

    PROVEN.opened(problem)
    return (*known_at_once(problem), *PROVEN.of(problem), *PROVEN.of_others(problem))
