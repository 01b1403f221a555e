"""What is known of how sure a plan is, as data: costs under other op times, candidates and their regret, op by op what is tolerated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from planner import __version__
from planner.model.graph import Floats, Ints
from planner.problem.bound import Bound
from planner.problem.problem import Problem
from planner.problem.provenance import Provenance
from planner.problem.worst import worst_word
from planner.reports.robustness.curves import Crossing
from planner.reports.robustness.sampling import Sampled
from planner.reports.robustness.spread import DEPENDENCE_WORDS, Dependence, Spread
from planner.reports.robustness.tolerance import Side, distance

Origin = Literal["given", "planned", "rival"]
LEAST_REGRET = "least-regret"
"""What made a plan that was chosen for its regret."""
MARGIN = 0.01
"""A plan is another choice where it is better by more than this share."""


@dataclass(frozen=True)
class Settings:
    """What is looked at. ``spread``: the factor assumed where none is measured, None for the usual ones; ``samples`` of op times for each
    way in which these depend on one another; ``seconds`` for planning and proving together, 0 for neither; ``runs`` of planners under drawn times;
    ``ops`` that are proven and listed; ``most``: the largest factor on the time of one op."""

    spread: float | None = None
    samples: int = 1000
    seed: int = 0
    seconds: float = 20.0
    runs: int = 6
    ops: int = 12
    most: float = 4.0


@dataclass(frozen=True, eq=False)
class Candidate:
    """A plan that is compared. ``origin``: ``given``, ``planned`` under drawn times, or ``rival``, found while a plan was proven optimal.

    ``nominal`` is its objective under the times of the model, ``highest`` with every op at its upper limit: no times within the
    spread cost more.
    """

    name: str
    device_of: Ints
    origin: Origin
    nominal: float
    highest: float


@dataclass(frozen=True)
class OpTolerance:
    """How far the time of one op may be off. ``slack``: the largest factor at which the plan's objective stays what it is.

    ``up`` and ``down``: until where the plan is optimal, and from where a known plan is better; ``turns``: the factor nearest to 1 beyond which a
    known plan is better by more than :data:`MARGIN`, None where none is; ``turns_to`` its place among the candidates.
    """

    op: int
    device: int
    seconds: float
    slack: float
    up: Side
    down: Side
    turns: float | None
    turns_to: int | None


@dataclass(frozen=True, eq=False)
class Robustness:
    """Of the first of ``candidates``, the plan, under all that is said of op times in ``spread``.

    ``outlooks`` have a row for each candidate that is given or planned (:attr:`compared`), in their order. ``gap`` is that of the plan under the
    times of the model, None where nothing is proven; ``proven_by`` the method whose bound it meets. ``ops`` are the ops that were
    looked at, those that matter most first; ``changing`` of all ``ops_asked`` have errors up to ``settings.most`` that would change the plan,
    ``within`` of them errors within their own spread. ``ops_looked_at`` of them: all, or where time ran out those that the problem was solved
    again for, and those that a better plan is known for.
    ``bounds`` are what is proven of the problem itself, under the times of the model. ``notes``: sentences on what was left out.
    ``runs``: how often a planner ran under drawn times.
    """

    problem: Problem
    settings: Settings
    spread: Spread
    candidates: tuple[Candidate, ...]
    outlooks: Mapping[Dependence, Sampled]
    gap: float | None
    proven_by: str
    linear: bool
    ops: tuple[OpTolerance, ...] = ()
    changing: int = 0
    ops_asked: int = 0
    within: int = 0
    ops_looked_at: int = 0
    notes: tuple[str, ...] = field(default=())
    bounds: tuple[Bound, ...] = ()
    runs: int = 0

    @property
    def compared(self) -> tuple[Candidate, ...]:
        """The candidates that regret is counted among: those given, and those planned under drawn times."""
        return tuple(candidate for candidate in self.candidates if candidate.origin != "rival")

    @property
    def rivals(self) -> tuple[Candidate, ...]:
        """The candidates that are better where one op is off, found while the plan was proven optimal; none of those compared."""
        return tuple(candidate for candidate in self.candidates if candidate.origin == "rival")

    @property
    def optimal(self) -> bool:
        """Whether the plan is proven optimal under the times of the model."""
        return self.gap == 0.0

    def shares(self, dependence: Dependence, plan: int = 0) -> Floats:
        """How often each device is the worst of a plan (float64[k]): its bottleneck, or what else it is called (:attr:`worst`)."""
        found: Floats = self.outlooks[dependence].shares(len(self.problem.devices))[plan]
        return found

    @property
    def worst(self) -> str:
        """What the device is called that :meth:`shares` count (:func:`planner.problem.worst.worst_word`)."""
        return worst_word(self.problem, self.problem.evaluate(self.candidates[0].device_of))

    def within_spread(self, each: OpTolerance) -> bool:
        """Whether an error within an op's own spread would change the plan."""
        return distance(each.turns) <= self.spread.factor[each.op]

    def least_regret(self, dependence: Dependence) -> int:
        """The place of the plan of least regret among :attr:`compared`."""
        return self.outlooks[dependence].least_regret

    def least_regret_provenance(self, dependence: Dependence) -> Provenance:
        """Where the plan of least regret comes from, if it was not given."""
        how = f"of least regret among {len(self.compared)} plans, {DEPENDENCE_WORDS[dependence]}; planned under drawn op times"
        return Provenance(LEAST_REGRET, seed=self.settings.seed, version=__version__, note=how)


def fragility(turn: Crossing | None, slack: float, seconds: float) -> tuple[float, float, float]:
    """What ops are sorted by: those whose errors soonest change the plan, then with least slack, then the longest."""
    return (distance(None if turn is None else turn.factor), slack, -seconds)


def same_plan(a: Ints, b: Ints) -> bool:
    """Whether two plans (int32[n] each) put every op on the same device."""
    return bool(np.array_equal(a, b))
