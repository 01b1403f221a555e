"""What schedules of several plans have in common: the kind in which all can be laid out, and how fast each plan is then, and in practice."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from planner.errors import StageboardError
from planner.problem.decision import Evaluation
from planner.problem.problem import Plan, Problem
from planner.reports.schedule.schedule import Schedule, kinds_for, sample_alone, schedule


def practice_interval(evaluation: Evaluation, period: float) -> float:
    """The time from sample to sample that a target estimates where it is longer than ``period``, which gives every stage links and caches to
    itself; NaN where it is not, or nothing is estimated."""
    rate = evaluation.figures.get("throughput", 0.0)
    if not rate > 0.0 or not 1.0 / rate > period * (1.0 + 1e-9):
        return math.nan
    return 1.0 / rate


def practice_latency(evaluation: Evaluation, period: float) -> float:
    """The time of one sample alone that a target estimates where it is longer than ``period``, which has stage times alone; NaN where it is
    not, or nothing is estimated."""
    alone = evaluation.figures.get("latency", 0.0)
    return alone if alone > period * (1.0 + 1e-9) else math.nan


class Speed(NamedTuple):
    """How fast a plan is, in the graph's unit of time: ``interval`` from sample to sample while they follow one another, ``latency`` of one
    alone. NaN where there is none, of which ``why`` is the reason."""

    interval: float = math.nan
    latency: float = math.nan
    why: str = ""


def speed(plan: Plan) -> Speed:
    """What the target estimates, else the times of a sample in the plan's schedules, whatever its objective."""
    problem, known = plan.problem, plan.evaluation.figures
    latency = known.get("latency", math.nan)
    if math.isnan(latency):
        latency = sample_alone(problem, plan.decision.device_of)
    if "throughput" in known:
        return Speed(1.0 / known["throughput"] if known["throughput"] > 0.0 else math.nan, latency)
    streams = [kind for kind in kinds_for(problem) if kind != "latency"]
    if not streams:
        why = "where accelerators have several subgraphs nothing says in which order samples take turns"
        return Speed(math.nan, latency, why)
    interval, slowest = plan.evaluation.objective, float(plan.evaluation.cost.max(initial=0.0))
    if streams[0] != kinds_for(problem)[0] or not math.isclose(interval, slowest):
        made = schedule(
            problem, plan.decision.device_of, kind=streams[0], samples=1, evaluation=plan.evaluation
        )
        interval = made.period
    return Speed(interval if interval > 0.0 else math.nan, latency)


def common_kinds(plans: Sequence[Plan]) -> tuple[str, ...]:
    """The kinds of schedule that every plan has, those of the first before others.

    Raises :class:`StageboardError` where there is none, or where times cannot be laid on one axis.
    """
    units = {plan.problem.graph.time_unit for plan in plans}
    if len(units) > 1:
        raise StageboardError("the plans count time in different units: their schedules share no axis")
    known = [kinds_for(plan.problem) for plan in plans]
    kinds = tuple(kind for kind in known[0] if all(kind in others for others in known[1:]))
    if not kinds:
        raise StageboardError(
            "no kind of schedule suits every plan: one is about single samples, another about a stream of them"
        )
    return kinds


def common_schedules(plans: Sequence[Plan]) -> tuple[str, list[Schedule]]:
    """(the first of the common kinds, each plan's schedule of that kind). Raises like :func:`common_kinds`."""
    kind = common_kinds(plans)[0]
    return kind, [
        schedule(problem, plan.decision.device_of, kind=kind, evaluation=evaluation)
        for plan, (problem, evaluation) in zip(plans, counted_alike(plans), strict=True)
    ]


def counted_alike(plans: Sequence[Plan]) -> list[tuple[Problem, Evaluation]]:
    """The problem and the evaluation of which each plan's schedule is made, so that schedules on one axis count the same: the plan's own, but
    where plans have several objectives of which one counts a link that all devices share, all are evaluated by that one."""
    own = [(plan.problem, plan.evaluation) for plan in plans]
    objectives = list(dict.fromkeys(plan.problem.objective for plan in plans))
    for objective in objectives if len(objectives) > 1 else ():
        if any(objective not in plan.problem.target.objectives for plan in plans):
            continue
        posed = [
            Problem(of.graph, of.target, objective, of.constraints) for of in (plan.problem for plan in plans)
        ]
        found = [
            (problem, problem.evaluate(plan.decision.device_of))
            for plan, problem in zip(plans, posed, strict=True)
        ]
        if any(evaluation.rests is not None for _, evaluation in found):
            return found
    return own
