"""Ops that were to be kept and moved all the same: why each had to, as far as that can be proven."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from planner.errors import StageboardError
from planner.feasibility import explain
from planner.machines.evident import conflict_of
from planner.methods.repair.best import Best, polish
from planner.methods.repair.measure import Clock, Measure
from planner.methods.repair.outcome import KeptMove, Repair
from planner.model.graph import Ints
from planner.problem.problem import Pin, Problem

ASKED = 3
"""For so many ops at most the reason is looked for."""
POLISH_SECONDS = 0.5
"""What bringing a plan nearer may take that was found while looking for a reason."""


def explained(
    found: Repair, seconds: float = 0.0, stopped: Callable[[], bool] | None = None, seed: int = 0
) -> Repair:
    """The same repair with the reason for each of the kept ops that moved, the first :data:`ASKED` of them.

    Without ``seconds`` only what can be seen without a search is a reason. With them a plan that keeps more may be found, which
    then takes the repair's place.
    """
    problem, given = found.problem, found.given
    stayed = [v for v in found.keep.tolist() if found.device_of[v] == given[v]]
    clock = Clock(seconds, stopped)
    reasons: list[KeptMove] = []
    for v in found.kept_moved[:ASKED].tolist():
        pin = int(problem.evaluator.pinned[v])
        if pin >= 0 and pin != given[v]:
            words = f"it is pinned to {problem.devices[pin].title}"
            reasons.append(KeptMove(v, (), True, f"{_there(found, v)} cannot be kept: {words}"))
            continue
        alone, _ = _conflict(problem, given, [v], 0.0, stopped, seed)
        if alone:
            reasons.append(_because(found, v, (), alone))
            continue
        share = seconds / min(ASKED, len(found.kept_moved)) if not clock.out() else 0.0
        conflict, plan = _conflict(problem, given, [*stayed, v], share, stopped, seed)
        if conflict:
            reasons.append(_because(found, v, tuple(stayed), conflict))
        elif plan is not None:
            found = _nearer(found, plan, stopped)
            stayed = [u for u in found.keep.tolist() if found.device_of[u] == given[u]]
        else:
            reasons.append(_unknown(found, v, stayed))
    return replace(
        found, reasons=tuple(each for each in reasons if found.device_of[each.op] != given[each.op])
    )


def _conflict(
    problem: Problem,
    given: Ints,
    ops: Sequence[int],
    seconds: float,
    stopped: Callable[[], bool] | None,
    seed: int,
) -> tuple[str, Ints | None]:
    """(why no valid plan has ``ops`` where they are ``given``, "" if nobody knows; a plan that has them there, if one was found)."""
    devices = problem.devices
    pins = [Pin(problem.graph.op_ids[v], devices[given[v]].name) for v in ops]
    try:
        bound = problem.with_constraints(
            (*problem.constraints, *(p for p in pins if p not in problem.constraints))
        )
    except StageboardError as error:
        return str(error), None
    if seconds <= 0.0:
        seen = conflict_of(bound)
        return ("" if seen is None else seen.sentence), None
    found = explain(bound, seconds, stopped, seed)
    return (found.sentence, None) if found.status == "infeasible" else ("", found.device_of)


def _because(found: Repair, op: int, beside: tuple[int, ...], sentence: str) -> KeptMove:
    """A reason that is proven; ``sentence`` is about ops that are pinned where they are kept."""
    if not beside:
        return KeptMove(
            op, beside, True, f"{_there(found, op)} cannot be kept. Were it pinned there: {sentence}"
        )
    others = f"{_there(found, beside[0])}{f' and {len(beside) - 1:,} more' if len(beside) > 1 else ''}"
    return KeptMove(
        op,
        beside,
        True,
        f"{_there(found, op)} cannot be kept together with {others}. Were they pinned there: {sentence}",
    )


def _unknown(found: Repair, op: int, stayed: Sequence[int]) -> KeptMove:
    """Nobody knows whether it had to move."""
    least = found.keeping_at_least
    proof = f"; any would move at least {least:,} ops" if least > len(found.moved) else ""
    return KeptMove(
        op, tuple(stayed), False, f"no valid plan was found that keeps {_there(found, op)}{proof}"
    )


def _there(found: Repair, op: int) -> str:
    """``conv_3 on chip 1``."""
    return f"{found.problem.graph.op_names[op]} on {found.problem.devices[int(found.given[op])].name}"


def _nearer(found: Repair, plan: Ints, stopped: Callable[[], bool] | None) -> Repair:
    """The repair with a plan that keeps more of what was to be kept, brought nearer to the given one."""
    measure = Measure(found.problem, found.given, found.keep)
    best = Best(measure)
    best.offer(found.device_of)
    if best.offer(plan):
        polish(best, Clock(POLISH_SECONDS, stopped))
    assert best.device_of is not None
    return replace(
        found,
        device_of=best.device_of,
        moved=np.flatnonzero(best.device_of != found.given).astype(np.int32),
        evaluation=found.problem.evaluate(best.device_of),
        distance=measure.distance(best.device_of),
    )
