"""What every problem is: something to plan, on a target, with an objective, and what identifies it."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from planner.model.graph import Ints
from planner.problem.bound import Bound, Standing, proven, standing, strongest, within
from planner.problem.decision import Decision, Evaluated
from planner.problem.provenance import Provenance

if TYPE_CHECKING:
    from planner.problem.target import Target


class PlanningProblem(ABC):
    """What the problems of graphs and of networks share: identity, the objective's parts, bounds and how plans stand.

    Subclasses are frozen dataclasses. Hashable and comparable by :attr:`fingerprint`.
    """

    target: Target
    objective: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PlanningProblem) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    @property
    @abstractmethod
    def name(self) -> str:
        """The name of what is planned."""

    @property
    @abstractmethod
    def size(self) -> int:
        """How many ops or neurons there are."""

    @abstractmethod
    def identity(self) -> dict[str, Any]:
        """What is planned, ready for JSON: fingerprints of the model and of what estimated its times."""

    @property
    def easier(self) -> PlanningProblem:
        """A problem that bound methods work on: what is proven there holds here."""
        return self

    @property
    @abstractmethod
    def assumptions(self) -> frozenset[str]:
        """Tokens of the rules and constraints in force, for :attr:`planner.problem.bound.Bound.assumes`."""

    @abstractmethod
    def unit(self, component: str) -> str | None:
        """The unit of a component of the objective; None where it is a time whose unit nobody knows."""

    def floors(self, component: str) -> tuple[str, ...]:
        """Other components of which no plan has more than of ``component``: a bound on one of them bounds it, too."""
        return ()

    @cached_property
    def relaxation(self) -> str:
        """Fingerprint of model, machine and objective without rules and constraints: what every bound starts from."""
        parts = {**self.identity(), "machine": self.target.machine(), "objective": self.objective}
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 (hex) of the whole problem."""
        text = self.relaxation + "\n" + "\n".join(sorted(self.assumptions))
        return hashlib.sha256(text.encode()).hexdigest()

    def same_machine(self, other: PlanningProblem) -> bool:
        """Whether the devices are the same, so that a plan of one says where everything goes in the other, whatever its rules and rates."""
        mine: Any = self
        theirs: Any = other
        return self.target.kind == other.target.kind and bool(mine.devices == theirs.devices)

    @property
    def components(self) -> tuple[str, ...]:
        """The parts of the objective, in the order in which plans are compared."""
        return self.target.components(self.objective)

    def bound(
        self,
        component: str,
        value: float,
        method: str,
        assumes: frozenset[str],
        seconds: float = 0.0,
        given: tuple[tuple[str, float], ...] = (),
    ) -> Bound:
        """A bound of this problem whose proof used the tokens ``assumes``; ``given`` as in :class:`Bound`."""
        return Bound(component, value, method, self.relaxation, assumes, seconds, given)

    def strongest_bound(self, bounds: list[Bound] | tuple[Bound, ...]) -> Bound | None:
        """The strongest of ``bounds`` on the first objective component that holds for this problem."""
        return strongest(bounds, self.components[0], self.relaxation, self.assumptions)

    def holding(self, bounds: Iterable[Bound]) -> list[Bound]:
        """Those of ``bounds`` that hold for this problem; others are of other machines or assume rules that it does not have."""
        return [bound for bound in bounds if bound.applies_to(self.relaxation, self.assumptions)]

    def standing(self, values: Sequence[float], bounds: Sequence[Bound]) -> Standing:
        """How a plan with these components stands against ``bounds``."""
        return standing(self.components, values, bounds, self.relaxation, self.assumptions)


def says_more(bound: Bound, problem: PlanningProblem, known: Iterable[Bound]) -> bool:
    """Whether a proven bound applies to a problem and no proven one of ``known`` says as much about it."""
    relaxation, tokens = problem.relaxation, problem.assumptions
    if (
        bound.claimed_by
        or bound.component not in problem.components
        or not bound.applies_to(relaxation, tokens)
    ):
        return False
    limits = dict(bound.given)
    return not any(
        b.component == bound.component and b.value >= bound.value and b.covers(limits)
        for b in proven(known)
        if b.applies_to(relaxation, tokens)
    )


def refuted(bound: Bound, problem: PlanningProblem, reached: Mapping[str, float]) -> bool:
    """Whether a valid plan of ``problem`` with these components shows that a bound is wrong, which a proven one never is."""
    return (
        bound.component in reached
        and bound.applies_to(problem.relaxation, problem.assumptions)
        and bound.covers(reached)
        and not within(bound.value, reached[bound.component])
    )


@dataclass(frozen=True, eq=False)
class AnyPlan:
    """A decision for a problem, evaluated: what the plans of graphs and of networks share. ``name`` is what lists show."""

    problem: PlanningProblem
    decision: Decision
    evaluation: Evaluated
    provenance: Provenance
    name: str = ""

    @property
    def objective(self) -> float:
        """The first component of the objective."""
        return self.evaluation.objective


def decision_of(plan: AnyPlan) -> Ints:
    """The devices of ops (int32[n]), or the order of connections (int32[W])."""
    return plan.decision.array
