"""Planning again from what was measured, until plan and measurement agree.

A plan is run; with the times that would have predicted it (:mod:`planner.runs.running.scaled`) the problem is planned again; the new plan is run in
turn with the first one; and so on until planning finds nothing that is better by more than measurements spread (:data:`MARGIN`), or :data:`ROUNDS` plans were run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from planner.errors import StageboardError
from planner.machines.catalogue import DEFAULT, planner
from planner.model.times import OpTimes
from planner.problem.bound import Bound, better
from planner.problem.problem import Plan, Problem
from planner.runs.running.order import Progress, RunOrder, Split
from planner.runs.running.result import DISTURBED, LineRun, PlanRun, ratio
from planner.runs.running.running import run_plan
from planner.runs.running.scaled import scaled_problem, source_of
from planner.runs.warm_up import warm_planner
from planner.search.result import Result
from planner.search.run import plan_of, run
from planner.search.stop import AnyOf, Cancel, TimeLimit

ROUNDS = 3
MARGIN, MOST_MARGIN = 0.02, 0.1
"""What a new plan must be better by, as a share of the objective: as far as the runs of the stages spread, within these limits."""
PLANNING_SECONDS = 20.0


@dataclass(frozen=True, eq=False)
class Round:
    """A plan that was run. ``moved``: ops on other devices than in the plan before; ``over_first``: how many times as fast as the first plan it
    is (:func:`times_as_fast`), both run in turn; ``problem`` and ``times`` are what the run taught: with them it would have been predicted."""

    split: Split
    run: PlanRun
    moved: int
    over_first: float
    problem: Problem
    times: OpTimes

    def to_dict(self) -> dict[str, Any]:
        """The JSON object of a round."""
        plan = self.run.plan
        return {
            "objective": self.split.plan.objective,
            "predicted_throughput": plan.predicted,
            "throughput": plan.throughput,
            "off": self.off,
            "moved": self.moved,
            "over_first": self.over_first,
        }

    @property
    def off(self) -> float:
        """By how much the stage that was predicted worst differs from its prediction, as a share of that; NaN where none is predicted."""
        stages = [stage for stage in self.run.plan.stages if stage.predicted > 0]
        return max(
            (abs((s.own.seconds + s.transfer.seconds) / s.predicted - 1.0) for s in stages),
            default=float("nan"),
        )


@dataclass(frozen=True, eq=False)
class Agreed:
    """What came of it: the plans that were run, the bounds that planning proved last, and whether it found nothing better in the end (``settled``)."""

    rounds: tuple[Round, ...]
    proven: tuple[Bound, ...]
    settled: bool

    @property
    def best(self) -> Round:
        """The round of the plan that was measured fastest, beside the first one."""
        return max(self.rounds, key=lambda each: each.over_first)

    @property
    def plan(self) -> Plan:
        """Its plan, evaluated with the times that its run taught."""
        return self.best.problem.plan(self.best.split.device_of, self.best.split.provenance)

    @property
    def bounds(self) -> tuple[Bound, ...]:
        """What is proven with these times."""
        return self.proven if self.best is self.rounds[-1] else ()


def plan_again(
    order: RunOrder,
    progress: Progress | None = None,
    stopped: Callable[[], bool] | None = None,
    found: Callable[[Round], object] | None = None,
) -> Agreed:
    """Run, plan again, and so on; ``found`` is told of each round. Raises as :func:`planner.runs.running.running.run_plan`."""
    asked = stopped or (lambda: False)
    if order.split.problem.graph.time_unit != "s":
        raise StageboardError(
            f"the times of {order.split.problem.name} are not in seconds, so that no run agrees with them; plan with measured times"
        )
    first = split = order.split
    rounds: list[Round] = []
    while True:
        again = order if not rounds else replace(order, split=split, against=(first, *order.against))
        done = run_plan(again, progress, stopped)
        moved = int((rounds[-1].split.device_of != split.device_of).sum()) if rounds else 0
        problem, times = scaled_problem(split, done.plan, source_of(done))
        over_first = times_as_fast(done.plan, done.against[0]) if rounds else 1.0
        rounds.append(Round(split, done, moved, over_first, problem, times))
        if found is not None:
            found(rounds[-1])
        result = planned(problem, split, order.seed, asked)
        settled = not _worth_it(rounds[-1], result)
        if settled or len(rounds) == ROUNDS or asked():
            return Agreed(tuple(rounds), tuple(result.bounds), settled)
        plan: Plan = plan_of(result)
        split = replace(
            split, problem=problem, device_of=plan.decision.device_of,
            name=f"planned again, round {len(rounds)}", provenance=plan.provenance,
        )  # fmt: skip


def times_as_fast(line: LineRun, other: LineRun) -> float:
    """How many times as fast a line is as another: by throughput, or, where other programs took the cores, by the slowest stages' own times."""
    if max(line.disturbed, other.disturbed) <= DISTURBED:
        return ratio(line, other)
    return other.least / line.least


def planned(problem: Problem, split: Split, seed: int, stopped: Callable[[], bool]) -> Result:
    """What the planner of those who name none finds, starting from the plan at hand."""
    chosen = planner(DEFAULT)
    warm_planner(chosen, problem, {})
    stop = AnyOf([Cancel(stopped), TimeLimit(PLANNING_SECONDS)])
    return run(chosen, problem, stop, seed=seed, starts=[split.device_of])


def _worth_it(last: Round, result: Result) -> bool:
    """Whether what was found is better than the plan that was run last by more than measurements spread."""
    problem, device_of = last.problem, last.split.device_of
    if result.device_of is None or np.array_equal(result.device_of, device_of):
        return False
    now, new = problem.evaluate(device_of), problem.evaluate(result.device_of)
    if not now.valid:
        return new.valid
    spreads = [s.own.spread / s.own.seconds for s in last.run.plan.stages if s.own.seconds > 0]
    margin = float(np.clip(np.nanmax([MARGIN, *spreads]), MARGIN, MOST_MARGIN))
    return better(new.values, now.values) and new.objective <= (1.0 - margin) * now.objective
