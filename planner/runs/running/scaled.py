"""What a run says of op times and of transfers: those that would have predicted it.

A stage's ops are scaled alike, by what the stage took over what its ops were predicted to take: of single ops a run says nothing.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from planner.model.cost_model import fill
from planner.model.graph import Floats
from planner.model.times import OpTime, OpTimes, Use, with_times_of
from planner.problem.problem import Problem
from planner.problem.target import Target
from planner.runs.running.order import Split
from planner.runs.running.result import LineRun, PlanRun

WORTH = 0.01
"""Share of the slowest stage's time by which transfers must be mispredicted to be corrected."""


def op_seconds(split: Split) -> Floats:
    """The time of each op (float64[n]) as a device of the kind that has it takes it."""
    graph, devices = split.problem.graph, split.problem.devices
    on_cpu = np.array([device.kind == "cpu" for device in devices], bool)[split.device_of]
    return np.where(on_cpu, graph.work_cpu, graph.work)


def scaled_times(split: Split, run: LineRun, source: str) -> OpTimes:
    """Times of all ops with which the plan's stages are predicted to take what they took in ``run``; ``source`` says who measured.

    Ops of stages whose ops were to take no time keep theirs.
    """
    graph = split.problem.graph
    seconds = op_seconds(split)
    factor, spread = np.ones(graph.n), np.full(graph.n, np.nan)
    for stage in run.stages:
        mine = split.device_of == stage.device
        if stage.parts is not None and stage.parts.work > 0:
            factor[mine] = stage.own.seconds / stage.parts.work
        if stage.own.seconds > 0:
            spread[mine] = stage.own.spread / stage.own.seconds
    shared = np.zeros(graph.n, bool) if graph.measured is None else graph.measured.shared
    ops = {
        graph.op_ids[v]: OpTime(float(time), float(time * spread[v]), bool(shared[v]))
        for v, time in enumerate((seconds * factor).tolist())
    }
    total = sum(stage.own.seconds for stage in run.stages)
    return OpTimes(ops, graph.name, source, "cpu", graph.name, graph.structure, seconds_sum=total)


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
    graph = with_times_of(split.problem.graph, [Use(times)])
    problem = replace(
        split.problem, graph=fill(graph, split.problem.graph.cost_model), target=scaled_target(split, run)
    )
    return problem, times


def source_of(run: PlanRun) -> str:
    """Who measured, in a line."""
    about = run.about
    return f"stages of a plan, {about['threads']} thread{'' if about['threads'] == 1 else 's'}, {about['machine']}, {about['date']}"
