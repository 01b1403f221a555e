"""What a run says of op times and of transfers: those that would have predicted it.

A stage's ops are scaled alike, by what the stage took over what its ops were predicted to take: of single ops a run says nothing.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from planner.model.cost_model import fill
from planner.model.graph import Floats, Graph
from planner.model.times import OpTime, OpTimes, Use, with_times_of
from planner.problem.problem import Problem
from planner.problem.target import Target
from planner.runs.running.order import Split
from planner.runs.running.result import LineRun, PlanRun

WORTH = 0.01
"""Share of the slowest stage's time by which transfers must be mispredicted to be corrected."""


def op_seconds(split: Split) -> Floats:
    """The time of each op (float64[n]) on the device that has it."""
    e = split.problem.evaluator
    return e.op_work[e.class_of[split.device_of], np.arange(split.problem.graph.n)]  # type: ignore[no-any-return]


def scaled_times(split: Split, run: LineRun, source: str) -> OpTimes:
    """Times of all ops with which the plan's stages are predicted to take what they took in ``run``; ``source`` says who measured.

    Ops of stages whose ops were to take no time keep theirs. Devices that are faster than others by their target stay so. Ops whose runs were
    measured spread as their stage does; of others nobody knows how far.
    """
    graph = split.problem.graph
    factor, spread = np.ones(graph.n), np.full(graph.n, np.nan)
    known = np.zeros(graph.n, bool) if graph.measured is None else ~np.isnan(graph.measured.spread)
    for stage in run.stages:
        mine = split.device_of == stage.device
        if stage.parts is not None and stage.parts.work > 0:
            factor[mine] = stage.own.seconds / stage.parts.work
        if stage.own.seconds > 0:
            spread[mine & known] = stage.own.spread / stage.own.seconds
    wanted = op_seconds(split) * factor
    total = sum(stage.own.seconds for stage in run.stages)
    # A device's speed divides times: those that make it take so long are found from what it makes of others.
    made = op_seconds(
        replace(split, problem=_with(split.problem, _times(graph, wanted, spread, source, total)))
    )
    given = np.where(made > 0, wanted * wanted / np.where(made > 0, made, 1.0), wanted)
    return _times(graph, given, spread, source, total)


def _times(graph: Graph, seconds: Floats, spread: Floats, source: str, total: float) -> OpTimes:
    shared = np.zeros(graph.n, bool) if graph.measured is None else graph.measured.shared
    ops = {
        graph.op_ids[v]: OpTime(time, float(time * spread[v]), bool(shared[v]))
        for v, time in enumerate(seconds.tolist())
    }
    return OpTimes(
        ops, graph.name, source, "cpu", graph.name, graph.structure, seconds_sum=total, scaled=True
    )


def _with(problem: Problem, times: OpTimes) -> Problem:
    """The problem with these times, which are of all devices: those of single devices are gone."""
    graph = with_times_of(problem.graph.with_device_times({}), [Use(times)])
    return replace(problem, graph=fill(graph, problem.graph.cost_model))


def scaled_target(split: Split, run: LineRun) -> Target:
    """The plan's target with the bandwidth that tensors were copied with, where it has one and transfers were mispredicted by more than
    :data:`WORTH` of the slowest stage's time; else as it is."""
    target = split.problem.target
    if not hasattr(target, "bandwidth"):
        return target
    took = sum(stage.transfer.seconds for stage in run.stages)
    said = sum(stage.parts.receive + stage.parts.send for stage in run.stages if stage.parts is not None)
    if took <= 0 or abs(took - said) <= WORTH * run.stages[run.slowest].own.seconds:
        return target
    # With a bandwidth of one, times are bytes.
    e = replace(split.problem, target=replace(target, bandwidth=1.0)).evaluate(split.device_of)  # type: ignore[type-var]
    moved = float((e.receive + e.send).sum())
    return replace(target, bandwidth=float(f"{moved / took:.2g}")) if moved > 0 else target  # type: ignore[type-var]


def scaled_problem(split: Split, run: LineRun, source: str) -> tuple[Problem, OpTimes]:
    """The plan's problem with :func:`scaled_times` and :func:`scaled_target`, and these times."""
    times = scaled_times(split, run, source)
    return replace(_with(split.problem, times), target=scaled_target(split, run)), times


def source_of(run: PlanRun) -> str:
    """Who measured, in a line."""
    about = run.about
    return f"stages of a plan, {about['threads']} thread{'' if about['threads'] == 1 else 's'}, {about['machine']}, {about['date']}"
