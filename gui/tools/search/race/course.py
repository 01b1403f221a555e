"""The course of one race: who runs, what was found and proven when, how it ended. No Qt.

To the convergence plot it looks like a job (:class:`gui.background.job.Job`): one line for the best plan of all, one for the bound;
its runners are further lines.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gui.tools.search.race.runner import Runner
from planner.problem.base import says_more
from planner.problem.bound import Bound, Standing, better

if TYPE_CHECKING:
    from planner.problem.base import PlanningProblem


@dataclass(frozen=True)
class Goal:
    """What was asked for: ``gap`` (None = until proven optimal), ``time_limit`` in seconds (None = none), ``cores``."""

    gap: float | None
    time_limit: float | None
    cores: int


@dataclass(eq=False)
class Course:
    """One race. ``trace`` holds (seconds, components) of the best plan of all, ``proofs`` (seconds, bound)."""

    number: int
    problem: PlanningProblem
    goal: Goal
    runners: list[Runner]
    given: tuple[float, ...] | None = None
    """The components of the plan that the race began with."""
    trace: list[tuple[float, tuple[float, ...]]] = field(default_factory=list)
    proofs: list[tuple[float, Bound]] = field(default_factory=list)
    provers: dict[int, int] = field(default_factory=dict)
    """Place in :attr:`proofs` -> the runner that proved it; what was known before the race has none."""
    leader: Runner | None = None
    """Who found the best plan; None while the plan that it began with is the best."""
    chosen: int = -1
    """The entrant that is looked at, -1 for none: its line is drawn strongest."""
    seconds: float = 0.0
    outcome: str = ""
    """``proven``, ``infeasible``, ``gap``, ``time``, ``finished`` or ``cancelled`` once it is over."""

    @property
    def id(self) -> str:
        """A name that no job has."""
        return f"race {self.number}"

    @property
    def title(self) -> str:
        """What lists call it."""
        return "Race"

    @property
    def is_bound(self) -> bool:
        """A race looks for plans."""
        return False

    @property
    def by(self) -> str:
        """Who found its best plan."""
        return "plan it began with" if self.leader is None else self.leader.title

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return not self.outcome

    @property
    def components(self) -> tuple[float, ...] | None:
        """The components of the best plan so far."""
        return self.trace[-1][1] if self.trace else None

    @property
    def bounds(self) -> list[Bound]:
        """What is proven."""
        return [bound for _, bound in self.proofs]

    @property
    def standing(self) -> Standing | None:
        """How the best plan stands against what is proven; None without a plan."""
        return None if self.components is None else self.problem.standing(self.components, self.bounds)

    @property
    def gap(self) -> float | None:
        """How far the best plan may be from an optimal one."""
        standing = self.standing
        return None if standing is None else standing.gap

    @property
    def winner(self) -> Runner | None:
        """Who found the best plan, once the race is over."""
        return None if self.alive else self.leader

    def found(self, runner: Runner, seconds: float, components: tuple[float, ...]) -> bool:
        """Take note of a runner's better plan; returns whether it is the best of all."""
        runner.trace.append((seconds, components))
        if not better(components, self.components):
            return False
        self.trace.append((seconds, components))
        self.leader = runner
        return True

    def learn(self, seconds: float, bound: Bound, runner: Runner | None = None) -> bool:
        """Take note of a bound, if it says more than what was known; returns whether it does."""
        if not says_more(bound, self.problem, self.bounds):
            return False
        if runner is not None:
            self.provers[len(self.proofs)] = runner.index
        self.proofs.append((seconds, bound))
        return True

    def prover_of(self, bound: Bound | None) -> Runner | None:
        """Who proved a bound during the race."""
        for place, (_, known) in enumerate(self.proofs):
            if known is bound and place in self.provers:
                return self.runners[self.provers[place]]
        return None
