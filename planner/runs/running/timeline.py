"""What a run measured, as a schedule: when each stage received, worked on and sent which of the last samples."""

from __future__ import annotations

import numpy as np

from planner.reports.schedule.parts import RECEIVE, SEND, WORK
from planner.reports.schedule.schedule import Schedule, Span
from planner.runs.running.order import Split
from planner.runs.running.result import LineRun

STEPS = ((RECEIVE, 1), (WORK, 2), (SEND, 4))
"""Phases, and the columns of a timeline at which they begin; they end with the next one."""


def measured_schedule(split: Split, run: LineRun) -> Schedule:
    """The last samples of a run of a plan, from the first that is shown on, numbered from 0; a piece is what a device runs.

    ``period`` is the time between samples, ``share`` how much of it each device was busy.
    """
    k = len(split.problem.devices)
    first = min(int(stage.timeline.sample[0]) for stage in run.stages)
    device, sample, phase, start, finish = ([] for _ in range(5))  # type: ignore[var-annotated]
    for stage in run.stages:
        for step, column in STEPS:
            at = stage.timeline.at
            took = at[:, column + 1] > at[:, column]
            count = int(took.sum())
            device.append(np.full(count, stage.device, np.int32))
            sample.append(stage.timeline.sample[took] - first)
            phase.append(np.full(count, step, np.int8))
            start.append(at[took, column])
            finish.append(at[took, column + 1])
    period = 1.0 / run.throughput
    share = np.zeros(k)
    for stage in run.stages:
        share[stage.device] = min(1.0, (stage.busy.seconds + stage.transfer.seconds) / period)
    devices, ends = np.concatenate(device), np.concatenate(finish)
    count = 1 + max(int(each.max(initial=0)) for each in sample)
    return Schedule(
        kind="pipelined",
        samples=count,
        piece_of=split.device_of.astype(np.int32),
        piece_device=np.arange(k, dtype=np.int32),
        piece_part=np.zeros(k, np.int8),
        piece=devices,
        sample=np.concatenate(sample).astype(np.int32),
        device=devices,
        phase=np.concatenate(phase),
        lane=np.zeros(len(devices), np.int32),
        start=np.concatenate(start),
        finish=ends,
        lanes=(),
        lane_count=np.ones(k, np.int32),
        period=period,
        share=share,
        bottlenecks=(run.stages[run.slowest].device,),
        spans=(Span(f"the last {count} samples", 0.0, float(ends.max(initial=0.0))),),
        critical=np.zeros(k, bool),
    )
