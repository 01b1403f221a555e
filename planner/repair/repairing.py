"""Repair of any plan: choose the target's way, then polish what it found."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from planner.machines.catalogue import machine_of, serving
from planner.machines.evident import conflict_at_once, conflict_of
from planner.methods.feasibility.conflicts import Conflict
from planner.methods.repair.best import Best, polish
from planner.methods.repair.measure import Clock, Measure, in_a_row
from planner.methods.repair.ordered import search as ordered
from planner.methods.repair.outcome import Repair, RepairError
from planner.model.graph import Ints
from planner.problem.problem import Problem
from planner.search.run import run
from planner.search.stop import AnyOf, Cancel, FirstPlan

SECONDS = 0.3


def repair(
    problem: Problem,
    device_of: Ints,
    keep: Ints | None = None,
    seed: int = 0,
    seconds: float = SECONDS,
    stopped: Callable[[], bool] | None = None,
) -> Repair:
    """A valid plan near ``device_of`` (int32[n]); a valid plan is left as it is.

    Pinned ops go to their pins. Fewest ops of ``keep`` (int32[..], such as what was just dragged) move, of those fewest ops
    in all, then over the shortest distance; among plans that move no more the one with the best objective is
    preferred. Takes about ``seconds`` at most and ends soon after ``stopped`` says so, with the best plan until then.
    May be called from any thread.

    Raises :class:`RepairError` where no valid plan was found, :class:`planner.errors.PlanError` where the plan does not
    fit the problem.
    """
    clock = Clock(seconds, stopped)
    given = problem.evaluator.checked(np.asarray(device_of))
    before = problem.evaluate(given)
    measure = Measure(problem, given, keep)
    best = Best(measure)
    if before.valid:
        best.offer(given)
    else:
        conflict = conflict_at_once(problem)
        if conflict is not None:
            raise _hopeless(conflict)
        # Something has to move, be it the op that is cheapest to move.
        best.prove(measure.unit)
        _search(problem, best, clock, np.random.default_rng(seed))
        if best.device_of is None:
            raise _failure(problem, best)
    found = best.device_of
    assert found is not None
    distance = measure.distance(found)
    least_kept, least_moved = measure.at_least(best.proven)
    return Repair(
        problem=problem,
        given=given,
        device_of=found,
        moved=np.flatnonzero(found != given).astype(np.int32),
        before=before,
        evaluation=problem.evaluate(found),
        distance=distance,
        keep=np.flatnonzero(measure.keep).astype(np.int32),
        least_kept=least_kept,
        least_moved=least_moved,
        proven=best.fewest,
    )


def _search(problem: Problem, best: Best, clock: Clock, rng: np.random.Generator) -> None:
    own = machine_of(problem).part("repair")
    if own is not None:
        own(best, clock, rng)
    elif in_a_row(problem):
        ordered(best, clock, rng)
    if best.device_of is None and not best.impossible:
        _any_plan(problem, best, clock, int(rng.integers(1 << 62)))
    polish(best, clock)


def _any_plan(problem: Problem, best: Best, clock: Clock, seed: int) -> None:
    """Offer the first plan that a planner finds: one that is valid, if not near.

    Only planners that need no solver are asked, whose libraries a window must not load.
    """
    for planner in serving(problem, machine_of(problem).without_solver):
        if best.device_of is None and not clock.out():
            found = run(planner, problem, AnyOf([Cancel(clock.out), FirstPlan()]), seed=seed)
            best.offer(found.device_of)


def _hopeless(conflict: Conflict) -> RepairError:
    return RepairError(f"there is no valid plan at all: {conflict.sentence}", proven=True)


def _failure(problem: Problem, best: Best) -> RepairError:
    conflict = conflict_of(problem)
    if conflict is not None:
        return _hopeless(conflict)
    if best.impossible:
        return RepairError(
            "there is no valid plan at all: rules, pins and ops kept together contradict each other;"
            " remove one of them",
            proven=True,
        )
    return RepairError(
        "no valid plan was found near this one; give repair longer, remove a pin, or relax a rule of the target"
    )
