"""How sure is a plan? Step by step: what it costs under other op times at once, then other plans, then op by op what is tolerated."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from planner.errors import PlannerRefusal, StageboardError
from planner.machines.catalogue import default_planner
from planner.model.graph import Floats, Ints
from planner.problem.bound import Bound
from planner.problem.problem import Plan
from planner.reports.robustness.curves import Crossing, Curves, crossing
from planner.reports.robustness.report import (
    MARGIN,
    Candidate,
    OpTolerance,
    Origin,
    Robustness,
    Settings,
    fragility,
    same_plan,
)
from planner.reports.robustness.resolving import Solved, solve
from planner.reports.robustness.retimed import Times, retimed
from planner.reports.robustness.sampling import Sampled, joined, sample
from planner.reports.robustness.spread import DEPENDENCES, Dependence, draws, spread_of
from planner.reports.robustness.tolerance import Side, distance, known_side, solved_side
from planner.search.run import run
from planner.search.stop import AnyOf, GapReached, Never, Progress, Stop, TimeLimit

NOMINAL_SHARE, PLANNING_SHARE, PROOF_SHARE = 0.25, 0.5, 0.3
"""Shares of what is left of the time: proving the plan optimal, planning under all drawn times, solving once for one op."""
LARGEST = 64
"""Ops that are looked at, the longest, where each curve has to be evaluated point by point."""


@dataclass(frozen=True, eq=False)
class Step:
    """How far it is: what is being done, the share that is done, and what is known by now (None before anything is)."""

    words: str
    done: float
    known: Robustness | None


def investigate(
    plans: Sequence[Plan],
    bounds: Sequence[Bound] = (),
    settings: Settings | None = None,
    stop: Stop | None = None,
) -> Iterator[Step]:
    """Steps whose last one has all that was found; ``plans`` are of one problem, the first is the plan that is asked about.

    ``bounds`` are what is proven of the problem. ``stop`` ends planning and proving; what was found until then counts. Raises
    :class:`StageboardError` where op times say nothing of the problem, a plan breaks rules, or plans are of different problems.
    """
    settings = settings or Settings()
    return _Investigation(plans, bounds, settings, stop or Never()).steps()


def robustness(
    plans: Sequence[Plan],
    bounds: Sequence[Bound] = (),
    settings: Settings | None = None,
    stop: Stop | None = None,
) -> Robustness:
    """All of :func:`investigate` at once."""
    known = None
    for step in investigate(plans, bounds, settings, stop):
        known = step.known or known
    assert known is not None, "the first step has what is known without planning"
    return known


class _Ops(NamedTuple):
    """What is known op by op, as the fields of :class:`Robustness` of these names."""

    ops: tuple[OpTolerance, ...]
    changing: int
    ops_asked: int
    within: int
    ops_looked_at: int


class _Investigation:
    def __init__(
        self, plans: Sequence[Plan], bounds: Sequence[Bound], settings: Settings, stop: Stop
    ) -> None:
        if not plans:
            raise StageboardError("no plan was given; name at least one")
        first = plans[0]
        for plan in plans:
            if plan.problem != first.problem:
                raise StageboardError(
                    f"plans '{first.name}' and '{plan.name}' are not of one problem (model, times, machine, objective, pins); regret compares"
                    " plans of the same"
                )
            if not plan.evaluation.valid:
                raise StageboardError(
                    f"plan '{plan.name}' breaks rules ({plan.evaluation.violations[0].sentence}); repair it first"
                )
        self.problem = first.problem
        self.settings, self._stop = settings, stop
        self.times = Times(self.problem)
        self.spread = spread_of(self.problem, settings.spread)
        self._bounds = tuple(bounds)
        self._candidates: list[Candidate] = []
        self._curves: list[Curves] = []
        for plan in plans:
            if not self._has(plan.decision.device_of):
                self._add(plan.name, plan.decision.device_of, "given")
        self._until = time.monotonic() + settings.seconds
        self._turns: dict[int, tuple[Crossing | None, int]] = {}
        """Of each op where a plan turns out better, and how many curves were looked at for that."""
        self._outlook: dict[Dependence, Sampled] = {}
        self._sampled = 0
        """How many plans the outlook has rows of."""
        self._method = ""
        self._gap: float | None = None
        self._runs = 0
        """How often a planner ran under drawn times."""
        self._cut = False
        """Whether time was up, or somebody stopped, before all was looked at."""
        self._whole = False
        """Whether all was looked at."""
        self._solved: set[int] = set()
        """Ops that the problem was solved again for, in both directions."""

    # ------------------------------------------------------------------ steps
    def steps(self) -> Iterator[Step]:
        """See :func:`investigate`."""
        self._stand()
        known = self._said(self._tolerances({}))
        yield Step("Looking for the best plan under the model's times", 0.1, known)
        if self._gap != 0.0 and self._left() > 0:
            self._prove_plan()
            known = self._said(self._tolerances({}))
        planned = 0
        for i in range(self.settings.runs):
            if self._left() <= 0:
                self._cut = True
                break
            yield Step(
                f"Planning under drawn op times, {i + 1} of {self.settings.runs}",
                0.2 + 0.4 * i / self.settings.runs,
                known,
            )
            planned += self._plan_under(i)
            self._runs += 1
        if planned:
            known = self._said(self._tolerances({}))
        yield from self._prove_ops(known)

    def _prove_ops(self, known: Robustness) -> Iterator[Step]:
        """Op by op, those that matter most first: until where the plan is optimal."""
        if self._gap != 0.0:
            self._whole = not self._cut
            yield Step("", 1.0, self._said(self._tolerances({})))
            return
        mine, settled = self._curves[0], dict[int, tuple[Side, Side]]()
        asked = [each.op for each in known.ops] if self.times.linear else []
        for i, op in enumerate(asked):
            if self._left() <= 0:
                self._cut = True
                break
            name = self.problem.graph.op_names[op]
            yield Step(
                f"Proving how far {name} may change, {i + 1} of {len(asked)}",
                0.6 + 0.4 * i / len(asked),
                known,
            )
            others = self._curves[1:]
            sides = [
                solved_side(mine, others, op, upwards, self.settings.most, self._solve, self._rival)
                for upwards in (True, False)
            ]
            settled[op] = (sides[0], sides[1])
            if not self._cut:
                self._solved.add(op)
            known = self._said(self._tolerances(settled, asked))
        self._whole = not self._cut
        yield Step("", 1.0, self._said(self._tolerances(settled, asked)))

    # ------------------------------------------------------------------ plans
    def _has(self, device_of: Ints) -> bool:
        return any(same_plan(device_of, candidate.device_of) for candidate in self._candidates)

    def _add(self, name: str, device_of: Ints, origin: Origin) -> Curves:
        """One more candidate, with its curves."""
        values = sample(
            self.times, [device_of], np.stack([np.ones_like(self.spread.factor), self.spread.factor])
        ).objective[0]
        taken = {candidate.name for candidate in self._candidates}
        own = next(
            text for i in itertools.count(1) if (text := name if i == 1 else f"{name} ({i})") not in taken
        )
        candidate = Candidate(own, device_of, origin, float(values[0]), float(values[1]))
        curves = Curves(self.times, device_of, self.settings.most)
        self._candidates.append(candidate)
        self._curves.append(curves)
        return curves

    def _rival(self, device_of: Ints) -> Curves:
        count = sum(candidate.origin == "rival" for candidate in self._candidates)
        return self._add(f"rival {count + 1}", device_of, "rival")

    def _plan_under(self, i: int) -> bool:
        """One run of a planner under drawn times, from the best plan known under these; whether it is a new one.

        Every other one draws ops of a kind alike: errors of estimates are of that sort.
        """
        dependence: Dependence = "independent" if i % 2 == 0 else "by-kind"
        # Not the samples that plans are compared on, which would flatter what was planned for them.
        rng = np.random.default_rng([self.settings.seed, 1, i])
        factors = next(draws(self.spread, 1, dependence, rng))[0]
        problem = retimed(self.problem, factors)
        values = [problem.evaluator.components(candidate.device_of) for candidate in self._candidates]
        start = self._candidates[min(range(len(values)), key=lambda p: values[p])].device_of
        share = PLANNING_SHARE * self._left() / (self.settings.runs - i)
        within = AnyOf([self._stop, TimeLimit(share), GapReached(0.0)])
        try:
            result = run(
                default_planner(problem), problem, within, seed=self.settings.seed + i, starts=[start]
            )
        except PlannerRefusal:
            return False
        found = result.device_of
        if found is None or self._has(found):
            return False
        self._add(f"drawn times {i + 1}", found, "planned")
        return True

    # ------------------------------------------------------------------ proofs
    def _left(self) -> float:
        """Seconds that are left for planning and proving."""
        return 0.0 if self._stop(Progress()) else self._until - time.monotonic()

    def _stand(self) -> None:
        standing = self.problem.standing(
            self.problem.evaluator.components(self._candidates[0].device_of), self._bounds
        )
        self._gap = standing.gap
        bound = standing.components[0].bound
        self._method = "" if bound is None else bound.method

    def _prove_plan(self) -> None:
        """Solve the problem itself: the plan is proven optimal, or a better one is known from now on."""
        limit = TimeLimit(NOMINAL_SHARE * self._left())
        found = solve(
            self.problem, [c.device_of for c in self._candidates], AnyOf([self._stop, limit]), self._bounds
        )
        self._bounds = found.bounds
        self._stand()
        if not self._has(found.device_of):
            self._add("best known", found.device_of, "planned")

    def _solve(self, op: int, factor: float, starts: Sequence[Ints]) -> Solved | None:
        left = self._left()
        if left <= 0:
            self._cut = True
            return None
        factors = np.ones(self.problem.graph.n)
        factors[op] = factor
        return solve(
            retimed(self.problem, factors), starts, AnyOf([self._stop, TimeLimit(PROOF_SHARE * left)])
        )

    # ------------------------------------------------------------------ what is said
    def _outlooks(self) -> dict[Dependence, Sampled]:
        """The samples of all that is compared, the same draws for plans that came later."""
        plans = [candidate.device_of for candidate in self._candidates if candidate.origin != "rival"]
        new = plans[self._sampled :]
        if new:
            for i, dependence in enumerate(DEPENDENCES):
                rng = np.random.default_rng([self.settings.seed, 0, i])
                drawn = draws(self.spread, self.settings.samples, dependence, rng)
                rows = joined([sample(self.times, new, factors) for factors in drawn])
                before = self._outlook.get(dependence)
                self._outlook[dependence] = rows if before is None else before.beside(rows)
            self._sampled = len(plans)
        return dict(self._outlook)

    def _tolerances(self, settled: Mapping[int, tuple[Side, Side]], listed: Sequence[int] = ()) -> _Ops:
        """The ops that matter most: those ``listed``, where they are chosen already."""
        asked, mine = self._asked(), self._curves[0]
        turns = {op: self._turn(op) for op in asked}
        keys = {op: fragility(turns[op], mine.slack(op), float(mine.work[op])) for op in asked}
        ranked = sorted(listed or asked, key=lambda op: keys[op])[: self.settings.ops]
        far = [(distance(found.factor), op) for op, found in turns.items() if found is not None]
        within = sum(bool(factor <= self.spread.factor[op]) for factor, op in far)
        found = tuple(self._tolerance(op, turns[op], settled.get(op)) for op in ranked)
        looked_at = len(asked) if self._whole else len(self._solved.union(op for _, op in far))
        return _Ops(found, len(far), len(asked), within, looked_at)

    def _asked(self) -> list[int]:
        """Ops that take time, the longest where there are too many to evaluate the curves of all."""
        work: Floats = self._curves[0].work
        ops = np.flatnonzero(work > 0)
        if not self.times.linear:
            ops = ops[np.argsort(-work[ops], kind="stable")[:LARGEST]]
        return [int(op) for op in ops]

    def _turn(self, op: int) -> Crossing | None:
        """Where, nearest to 1, a known plan is better by more than the margin; plans that were looked at before are not again."""
        nearest, seen = self._turns.get(op, (None, 1))
        mine = self._curves[0].of(op)
        for i in range(seen, len(self._curves)):
            for upwards in (True, False):
                found = crossing(mine, [self._curves[i].of(op)], MARGIN, upwards)
                if found is not None and (
                    nearest is None or distance(found.factor) < distance(nearest.factor)
                ):
                    nearest = Crossing(found.factor, i)
        self._turns[op] = (nearest, len(self._curves))
        return nearest

    def _tolerance(self, op: int, turn: Crossing | None, settled: tuple[Side, Side] | None) -> OpTolerance:
        mine, others, optimal = self._curves[0], self._curves[1:], self._gap == 0.0
        up, down = settled or (
            known_side(mine, others, op, True, optimal),
            known_side(mine, others, op, False, optimal),
        )
        return OpTolerance(
            op, int(mine.device_of[op]), float(mine.work[op]), mine.slack(op), _placed(up), _placed(down),
            None if turn is None else turn.factor, None if turn is None else turn.plan,
        )  # fmt: skip

    def _said(self, ops: _Ops) -> Robustness:
        notes = []
        if not self.times.linear and ops.ops_asked == LARGEST:
            notes.append(
                f"only the {LARGEST} longest ops were looked at one by one, as each takes evaluations of its own"
            )
        if self._gap != 0.0:
            notes.append(
                "the plan is not proven optimal under the model's times, so that no tolerated factor is proven"
            )
        return Robustness(
            self.problem, self.settings, self.spread, tuple(self._candidates), self._outlooks(), self._gap, self._method,
            self.times.linear, *ops, notes=tuple(notes), bounds=self._bounds, runs=self._runs,
        )  # fmt: skip


def _placed(side: Side) -> Side:
    """A side whose ``by`` counts all candidates, the plan itself first."""
    return side if side.by is None else replace(side, by=side.by + 1)
