"""Where the op times of a problem come from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from planner.model.graph import Bools, Floats
from planner.model.times import DEVICES, compute_ops, following, measured_on

if TYPE_CHECKING:
    from planner.problem.problem import Problem
    from planner.problem.target import Device

FILE, MEASURED, COST_MODEL, RATES = "the file", "measurements", "the cost model", "the target's rates"

SCALED = ", scaled"
"""What marks end in where measured times are scaled."""
SCALED_WORDS = "measured times are scaled: by a run of a plan's stages, or by the speed of a device"
"""What that means."""


def times_source(problem: Problem) -> str:
    """:data:`FILE` where all that compute have a time of their file, :data:`MEASURED` where some of these were measured, else what
    estimates the others, or the ratio by which they follow other devices: the cost model, or the machine's rates."""
    graph = problem.graph
    compute = compute_ops(graph)
    if not problem.target.own_times and not np.array_equal(
        problem.evaluator.op_work[0][compute], graph.work[compute]
    ):
        return RATES
    given, given_cpu = graph.given_times
    if (compute & follows(problem)).any():
        return COST_MODEL
    if (compute & np.isnan(given) & np.isnan(given_cpu) & ~_measured(problem)[0]).any():
        return COST_MODEL
    return MEASURED if any_measured(problem) else FILE


def side_of(device: Device) -> str:
    """Which of a cost model's two kinds of devices (:data:`planner.model.cost_model.SIDES`) a device is: a stage is an accelerator."""
    return "cpu" if device.kind == "cpu" else "accelerator"


def _each(problem: Problem, accelerators: Bools, cpus: Bools) -> list[Bools]:
    """What holds of ops on ``accelerators`` or ``cpus``, or where a device has a measured time of its own, for each device; like ones once."""
    own = problem.measured_times
    kinds = {side_of(device): d for d, device in enumerate(problem.devices) if d not in own}
    of = {"accelerator": accelerators, "cpu": cpus}
    each = [of[kind] for kind in kinds]
    return each + [of[side_of(problem.devices[d])] | ~np.isnan(times) for d, times in own.items()]


def follows(problem: Problem) -> Bools:
    """Ops whose time on a device of the problem is one measured on another kind times a ratio of estimates (bool[n])."""
    accelerators, cpus = following(problem.graph)
    return ~np.logical_and.reduce(_each(problem, ~accelerators, ~cpus))


def _measured(problem: Problem) -> tuple[Bools, Bools]:
    """Which ops have a measured time of every device, and which of some device (bool[n] each)."""
    each = _each(problem, *measured_on(problem.graph))
    return np.logical_and.reduce(each), np.logical_or.reduce(each)


def any_measured(problem: Problem) -> bool:
    """Whether some op has a measured time, of every device or of a single one."""
    return problem.graph.measured is not None or bool(problem.measured_times)


def times_mark(problem: Problem) -> str:
    """What stands beside an objective that is a time: "measured", "partly measured", "estimated", or empty where all times are the file's.

    ", scaled" follows where some of the measured times are not as they were measured (:func:`scaled`).
    """
    if problem.unit(problem.components[0]) == "B":
        return ""
    if not any_measured(problem) or times_source(problem) == RATES:
        return "estimated" if estimated(problem) else ""
    compute, (everywhere, anywhere) = compute_ops(problem.graph), _measured(problem)
    if not anywhere[compute].any():
        return "estimated"
    mark = "measured" if everywhere[compute].all() else "partly measured"
    return f"{mark}{SCALED}" if scaled(problem)[compute].any() else mark


def scaled(problem: Problem) -> Bools:
    """Ops with a measured time that is scaled on some device (bool[n]): by a run of a plan's stages, or by the speed of a device that is not the one
    which was measured."""
    graph, e = problem.graph, problem.evaluator
    found = np.zeros(graph.n, bool) if graph.measured is None else graph.measured.scaled.copy()
    if not problem.target.own_times:
        return found
    sides = zip(measured_on(graph), (graph.work, graph.work_cpu), strict=True)
    on: dict[str, tuple[Bools, Floats]] = dict(zip(DEVICES, sides, strict=True))
    for d, device in enumerate(problem.devices):
        measured, times = on[side_of(device)]
        own = problem.measured_times.get(d)
        other = measured & (e.op_work[e.class_of[d]] != times)
        found |= other if own is None else other & np.isnan(own)
    return found


def estimated(problem: Problem) -> bool:
    """Whether the times that are compared are estimates: some come from no file, and the objective is a time."""
    compared = problem.unit(problem.components[0])
    return compared != "B" and times_source(problem) not in (FILE, MEASURED)
