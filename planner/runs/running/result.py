"""What a run measured: of each stage, of each line of stages, and when each stage did what."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from planner.formats.times.samples import LEAST_FOR_SPREAD
from planner.model.graph import Floats, Ints

FORMAT, VERSION = "stageboard-run", 1
DISTURBED = 0.1
"""Share of a round's busy time that went to other programs from which on the round does not count, if there are others."""
SHOWN = 20
"""Samples of a timeline: the last ones."""


class Amount(NamedTuple):
    """Seconds per sample: the median, and half the distance between the quartiles (NaN: too few samples)."""

    seconds: float
    spread: float


def amount(values: Floats) -> Amount:
    """The median of so many samples (float64[samples])."""
    if not len(values):
        return Amount(float("nan"), float("nan"))
    spread = float("nan")
    if len(values) >= LEAST_FOR_SPREAD:
        low, high = np.percentile(values, (25.0, 75.0))
        spread = float(high - low) / 2.0
    return Amount(float(np.median(values)), spread)


class Predicted(NamedTuple):
    """What the plan's evaluation says a stage takes per sample, in seconds."""

    receive: float
    work: float
    streaming: float
    send: float

    @property
    def seconds(self) -> float:
        """All of it."""
        return sum(self)


@dataclass(frozen=True, eq=False)
class Timeline:
    """When a stage did what with the last samples: ``sample`` int32[m], counted in the last round, and ``at`` float64[m, 6], seconds since the
    first of all stages' stamps: a wait for the sample's tensors begins, they are there (receive), the run begins, it is over and a wait
    for free slots begins, they are free (send), all is handed on."""

    sample: Ints
    at: Floats


@dataclass(frozen=True, eq=False)
class StageRun:
    """A stage, measured while all stages worked. ``device`` is its number in the plan (-1: it is a whole model); ``cpu`` is the processor time of ``busy``.

    ``transfer`` is copying, in and out; ``wait`` is for tensors that are not there yet, or for room.
    """

    name: str
    device: int
    cores: tuple[int, ...]
    busy: Amount
    cpu: Amount
    transfer: Amount
    wait: Amount
    predicted: float
    parts: Predicted | None
    timeline: Timeline
    alone: bool = True
    """Whether ``cpu`` says how long it takes on a core of its own: it has one thread and nothing but the processor."""

    @property
    def own(self) -> Amount:
        """What it takes without what other programs take from it, as far as that can be told."""
        return self.cpu if self.alone else self.busy


@dataclass(frozen=True, eq=False)
class LineRun:
    """Stages that ran at the same time. ``rounds`` is the throughput of each round, in samples per second, and ``away`` the share of the stages' busy
    time in it that went to other programs; ``predicted`` is the throughput of the plan's evaluation, NaN where its times are not in seconds."""

    name: str
    rounds: tuple[float, ...]
    away: tuple[float, ...]
    predicted: float
    stages: tuple[StageRun, ...]

    @property
    def counted(self) -> tuple[int, ...]:
        """Rounds that count: those that other programs did not disturb by more than :data:`DISTURBED`, if there are any."""
        return counted(self.away)

    @property
    def throughput(self) -> float:
        """The median of the rounds that count."""
        return float(np.median([self.rounds[r] for r in self.counted]))

    @property
    def disturbed(self) -> float:
        """How much other programs took in the rounds that count, on average."""
        return float(np.mean([self.away[r] for r in self.counted]))

    @property
    def slowest(self) -> int:
        """The stage that is busy longest."""
        return int(np.argmax([stage.busy.seconds + stage.transfer.seconds for stage in self.stages]))

    @property
    def of_slowest(self) -> float:
        """Throughput over that of the slowest stage if it never waited for another."""
        return self.throughput * self.stages[self.slowest].busy.seconds

    @property
    def least(self) -> float:
        """Seconds per sample at least, as far as that can be told where other programs disturb: what the slowest stage itself takes and copies."""
        return max(stage.own.seconds + stage.transfer.seconds for stage in self.stages)


@dataclass(frozen=True, eq=False)
class PlanRun:
    """A plan, run. ``unsplit`` is the whole model in one process, ``copies`` as many of these as there are cores (where asked for), ``against`` other
    plans; all ran in turn. ``largest_difference`` of the outputs from the whole model's is relative, as
    :func:`planner.export.stages.difference.difference` has it; ``tolerance`` is what is allowed."""

    plan: LineRun
    unsplit: LineRun
    copies: LineRun | None
    against: tuple[LineRun, ...]
    samples: int
    outputs_equal: bool
    largest_difference: float
    tolerance: float
    notes: tuple[str, ...] = ()
    about: dict[str, Any] = field(default_factory=dict)

    @property
    def speedup(self) -> float:
        """Throughput over the unsplit model's: the median of the rounds' ratios."""
        return ratio(self.plan, self.unsplit)


def ratio(line: LineRun, other: LineRun) -> float:
    """Throughput of a line over another's: the median of the ratios in rounds that count for both, since both saw the same machine there; without
    such rounds the ratio of their medians."""
    both = counted_in_both(line, other)
    if not both:
        return line.throughput / other.throughput
    return float(np.median([line.rounds[r] / other.rounds[r] for r in both]))


def counted_in_both(line: LineRun, other: LineRun) -> tuple[int, ...]:
    """Rounds that count for two lines that ran in turn."""
    return tuple(r for r in line.counted if r in other.counted)


def counted(away: Sequence[float]) -> tuple[int, ...]:
    """Rounds in which other programs took no more than :data:`DISTURBED` of the busy time; all where there are none such."""
    quiet = tuple(r for r, share in enumerate(away) if share <= DISTURBED)
    return quiet or tuple(range(len(away)))


def difference_words(run: PlanRun) -> str:
    """How outputs that are not the whole model's differ from them."""
    far = run.largest_difference
    amount = "entirely" if math.isinf(far) else f"by {far:.1e} of their largest value"
    return f"the outputs differ from the whole model's {amount} (allowed: {run.tolerance:.0e} of it)"


def to_dict(run: PlanRun) -> dict[str, Any]:
    """The JSON object of a run; times in seconds, throughputs per second."""
    copies = run.copies
    return {
        "format": FORMAT,
        "version": VERSION,
        "samples": run.samples,
        "throughput": run.plan.throughput,
        "throughput_unsplit": run.unsplit.throughput,
        "throughput_copies": None if copies is None else copies.throughput,
        "predicted_throughput": run.plan.predicted,
        "speedup": run.speedup,
        "of_slowest": run.plan.of_slowest,
        "rounds": len(run.plan.rounds),
        "rounds_counted": len(run.plan.counted),
        "disturbed": run.plan.disturbed,
        "stages": [_stage_dict(stage) for stage in run.plan.stages],
        "unsplit": _stage_dict(run.unsplit.stages[0]),
        "against": [
            {
                "name": line.name,
                "throughput": line.throughput,
                "predicted_throughput": line.predicted,
                "ratio": ratio(run.plan, line),
                "stages": [_stage_dict(stage) for stage in line.stages],
            }
            for line in run.against
        ],
        "outputs_equal": run.outputs_equal,
        "largest_difference": run.largest_difference,
        "tolerance": run.tolerance,
        "notes": list(run.notes),
        "about": dict(run.about),
    }


def _stage_dict(stage: StageRun) -> dict[str, Any]:
    parts = stage.parts
    return {
        "name": stage.name,
        "cores": list(stage.cores),
        "busy": stage.busy.seconds,
        "busy_spread": stage.busy.spread,
        "cpu": stage.cpu.seconds,
        "transfer": stage.transfer.seconds,
        "transfer_spread": stage.transfer.spread,
        "wait": stage.wait.seconds,
        "wait_spread": stage.wait.spread,
        "predicted": stage.predicted,
        "predicted_parts": None if parts is None else parts._asdict(),
        "timeline": [
            {
                "sample": sample,
                "receive": at[1:3],
                "run": at[2:4],
                "send": at[4:6],
                "wait": [at[0:2], at[3:5]],
            }
            for sample, at in zip(stage.timeline.sample.tolist(), stage.timeline.at.tolist(), strict=True)
        ],
    }
