"""Runs without processes, for tests of what is made of them: a machine whose op times are known."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from planner.model.graph import Floats
from planner.runs.running.order import RunOrder, Split
from planner.runs.running.result import Amount, LineRun, PlanRun, Predicted, StageRun, Timeline


def line_run(split: Split, seconds: Floats, transfer: float = 0.0) -> LineRun:
    """What a plan would be measured as where ops take so long (float64[n]) and each stage copies so long."""
    e = split.plan.evaluation
    stages = []
    for d in np.unique(split.device_of).tolist():
        took = Amount(float(seconds[split.device_of == d].sum()), 0.0)
        parts = Predicted(*(float(part[d]) for part in (e.receive, e.work, e.streaming, e.send)))
        at = np.array([[0.0, 0.0, 0.0, took.seconds, took.seconds, took.seconds + transfer]])
        stages.append(
            StageRun(
                split.problem.devices[d].name, d, (d,), took, took, Amount(transfer, 0.0), Amount(0.0, 0.0),
                float(e.cost[d]), parts, Timeline(np.zeros(1, np.int32), at),
            )
        )  # fmt: skip
    slowest = max(stage.busy.seconds + transfer for stage in stages)
    return LineRun(split.name, (1.0 / slowest,), (0.0,), 1.0 / float(e.cost.max()), tuple(stages))


def machine(
    times: Callable[[Split], Floats], transfer: float = 0.0
) -> Callable[..., PlanRun]:  # fmt: skip
    """A stand-in for :func:`planner.runs.running.running.run_plan`."""

    def run_plan(order: RunOrder, *_: object) -> PlanRun:
        def line(split: Split) -> LineRun:
            return line_run(split, times(split), transfer)

        total = Amount(float(times(order.split).sum()), 0.0)
        nothing, never = Amount(0.0, 0.0), Timeline(np.zeros(0, np.int32), np.zeros((0, 6)))
        one = StageRun("the whole model", -1, (0,), total, total, nothing, nothing, float("nan"), None, never)
        whole = LineRun("unsplit", (1.0 / total.seconds,), (0.0,), float("nan"), (one,))
        return PlanRun(
            line(order.split), whole, None, tuple(map(line, order.against)), 9, True, 0.0, 1e-5, (),
            {"model": order.split.problem.name, "target": order.split.problem.target.spec(), "machine": "a machine", "date": "2026-01-01",
             "cores": [0, 1], "threads": 1},
        )  # fmt: skip

    return run_plan
