"""Schedules: when each device works on which sample, for a picture of what a split does (device placement).

Throughput (sections 5.1 to 5.3, figures 5 and 7): samples enter once per period, and every piece works on each of them
at the same place in its own period (:mod:`planner.reports.schedule.periodic`). With the period of the most loaded device the average
time per sample is the objective, and that device never waits. ``pipelined`` is figure 5, ``pipedream`` figure 7b
(every device alternates between a forward and a backward sample), ``gpipe`` figure 7a (all forward samples of a
batch, then all backward ones). ``latency`` is one sample at a time (section 4, figure 2).

A device whose ops cannot run in one go is split into virtual devices (:mod:`planner.evaluation.pieces`, figure 5b). The
devices that share a stage (appendix C.2) take its samples in turn, each with that many periods for one of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from planner.errors import StageboardError
from planner.evaluation import kernels
from planner.machines.catalogue import machine_of
from planner.machines.pool.latency import evaluation as latency
from planner.methods.alone import Alone
from planner.model.graph import Bools, Floats, Ints
from planner.problem.decision import Evaluation
from planner.problem.evaluator import Evaluator
from planner.reports.schedule import parts, periodic
from planner.reports.schedule.parts import STREAM, WORK

if TYPE_CHECKING:
    from planner.problem.problem import Problem

KINDS = {
    "pipelined": "Pipelined",
    "pipedream": "PipeDream (1F1B)",
    "gpipe": "GPipe",
    "latency": "One sample at a time",
}
PHASES = ("receive", "stream parameters", "work", "send", "synchronise copies")
MOST_SAMPLES = 400
AUTO_SAMPLES, AUTO_BARS = 40, 60_000
"""Without a wish as many samples as show the steady state, within these limits."""


@dataclass(frozen=True)
class Span:
    """A stretch of the time axis with a name: ramp-up, steady state, drain; forward, backward."""

    name: str
    start: float
    finish: float


ALL_THE_TIME = 0.995
"""Share of the time from which a device is busy ``100 %`` of it."""


@dataclass(frozen=True, eq=False)
class Schedule:
    """Bars of p pieces of n ops on k devices, in the graph's unit of time.

    ``piece_of`` int32[n]; ``piece_device`` int32[p] and ``piece_part`` int8[p] (1 = backward), pieces in an order in which
    they can run. Per bar (length b): ``piece`` and ``sample`` int32, ``phase`` int8 (see :data:`PHASES`), ``lane`` int32
    within its device, ``start`` and ``finish`` float64. ``lanes`` names what the lanes of a device are for (empty: one
    lane, or CPU cores) and ``lane_count`` int32[k] says how many there are; bars of one lane never overlap.

    ``period`` is the time per sample in the steady state, ``share`` float64[k] how much of it each device is busy,
    ``bottlenecks`` the devices that set it, none where all stream one after another. ``critical`` bool[p] marks the pieces
    that a single sample's latency is the sum of (none for the other kinds).
    """

    kind: str
    samples: int
    piece_of: Ints
    piece_device: Ints
    piece_part: np.ndarray
    piece: Ints
    sample: Ints
    device: Ints
    phase: np.ndarray
    lane: Ints
    start: Floats
    finish: Floats
    lanes: tuple[str, ...]
    lane_count: Ints
    period: float
    share: Floats
    bottlenecks: tuple[int, ...]
    spans: tuple[Span, ...]
    critical: Bools = field(default_factory=lambda: np.empty(0, bool))

    @cached_property
    def end(self) -> float:
        """When the last bar ends; 0 without bars."""
        return float(self.finish.max()) if len(self.finish) else 0.0

    @cached_property
    def numbers(self) -> Ints:
        """Which of its device's pieces of its part each is, from 0 on (int32[p]): 1a, 1b of figure 5b."""
        seen: dict[tuple[int, int], int] = {}
        out = np.empty(len(self.piece_device), np.int32)
        for p, key in enumerate(zip(self.piece_device.tolist(), self.piece_part.tolist(), strict=True)):
            out[p] = seen[key] = seen.get(key, -1) + 1
        return out

    @cached_property
    def never_waiting(self) -> tuple[int, ...]:
        """The devices that set the pace, and those that are busy all the time as pictures round it (100 %): nobody sees these wait. None
        where all stream one after another."""
        if not self.bottlenecks:
            return ()
        return tuple(sorted({*self.bottlenecks, *np.flatnonzero(self.share >= ALL_THE_TIME).tolist()}))

    @cached_property
    def virtual(self) -> bool:
        """Whether a device has to run its ops in several pieces."""
        return bool(len(self.numbers) and self.numbers.max() > 0)

    def ops(self, piece: int) -> Ints:
        """The ops of a piece (int32[ops])."""
        return np.flatnonzero(self.piece_of == piece).astype(np.int32)


def kinds_for(problem: Problem) -> tuple[str, ...]:
    """The kinds of schedule that make sense for a problem, the one of its objective first."""
    training = bool(problem.evaluator.part.any())
    kinds = ["pipedream", "gpipe", "latency"] if training else ["pipelined", "latency"]
    if problem.objective == "latency" and _slots(problem.evaluator):
        return ("latency",)  # which of an accelerator's slots is a stage of a pipeline is nowhere said
    wanted = {"gpipe": "gpipe", "latency": "latency"}.get(problem.objective)
    if wanted in kinds:
        kinds.remove(wanted)
        kinds.insert(0, wanted)
    return tuple(kinds)


def _slots(e: Evaluator) -> bool:
    """Whether an accelerator has several slots, each a device of the problem."""
    return bool((e.owner != np.arange(e.k))[e.pays].any())


def schedule(
    problem: Problem,
    device_of: Ints,
    *,
    kind: str | None = None,
    samples: int | None = None,
    evaluation: Evaluation | None = None,
) -> Schedule:
    """The schedule of a split (int32[n]); any placement has one, valid or not.

    ``kind`` None = the one that suits the objective; ``samples`` None = enough to see the steady state; ``evaluation`` is that of the
    split, where it is at hand. Raises :class:`StageboardError` for a kind that does not fit the problem or a number of samples out of range.
    """
    kinds = kinds_for(problem)
    kind = kind or kinds[0]
    if kind not in kinds:
        raise StageboardError(
            f"there is no {kind} schedule for {problem.graph.name}; choose {' or '.join(kinds)}"
        )
    if samples is not None and not 1 <= samples <= MOST_SAMPLES:
        raise StageboardError(f"{samples} samples cannot be shown; choose 1 to {MOST_SAMPLES}")
    evaluator = problem.evaluator
    # A copy: numba compiles for read-only arrays apart.
    device_of = np.array(evaluator.checked(device_of), np.int32)
    if kind == "latency":
        return _latency(problem, device_of, samples or 1)
    return _pipeline(evaluator, device_of, evaluation or evaluator.evaluate(device_of), kind, samples)


# ---------------------------------------------------------------------- throughput
def _pipeline(
    e: Evaluator, device_of: Ints, evaluation: Evaluation, kind: str, samples: int | None
) -> Schedule:
    piece_of, piece_device, part = parts.pieces_of(
        e, device_of, np.ones(e.k, bool), np.arange(e.k, dtype=np.int32)
    )
    servers = parts.servers_of(e, evaluation)
    copies = np.array([max(1, len(found)) for found in servers])
    times = parts.piece_times(e, device_of, piece_of, piece_device, part, copies)
    lane_of, lanes = {
        kernels.SUM: ((0, 0, 0, 0, 0), ()),
        kernels.OVERLAP: ((1, 0, 0, 1, 2), ("work", "transfers", "copies")),
        kernels.DUPLEX: ((0, 1, 1, 2, 3), ("receive", "work", "send", "copies")),
    }[e.communication]
    if lanes and copies.max(initial=1) == 1:
        lanes, lane_of = lanes[:-1], (*lane_of[:-1], 0)
    pairs = parts.piece_pairs(e, piece_of, len(piece_device))
    if kind == "gpipe":
        part = _after_backward(part, pairs)
    batch = part if kind == "gpipe" else np.zeros_like(part)
    # Load of every lane of every stage, shared by its copies: [batch, device, lane].
    width = max(1, len(lanes))
    load = np.zeros((2, e.k, width))
    for phase, lane in enumerate(lane_of):
        np.add.at(load[:, :, lane], (batch, piece_device), times[:, phase])
    periods = (load / copies[:, None]).max(axis=(1, 2), initial=0.0)
    period = float(periods.sum())
    alone = evaluation.rests is None or kind == "gpipe"
    if not alone:
        # No device sets the pace by itself: what all of them stream counts.
        periods[0] = period = evaluation.objective
    if samples is None:
        samples = 8 if kind == "gpipe" else 0
    place = periodic.place(piece_device, batch, copies, times, lane_of, pairs, load, periods, samples)
    # All copies of a stage are at work once the last of them is.
    begins = place.offset + (copies[piece_device[place.piece]] - 1) * place.period
    ramp = float(begins[place.first].max(initial=0.0))
    if samples == 0:
        wanted = 6 if period <= 0 else max(6, math.ceil(ramp / period) + 4)
        samples = max(1, min(wanted, AUTO_SAMPLES, AUTO_BARS // max(1, len(place.piece))))
    if period > 0:
        stage = (load / copies[:, None]).max(axis=2)
        share = stage.sum(axis=0) / period
        worst = {int(d) for b in range(2) if alone and periods[b] > 0 for d in servers[stage[b].argmax()]}
        for d, found in enumerate(servers):
            share[found] = share[d]
    else:
        share, worst = np.zeros(e.k), set()
    bars = _bars(place.piece, place.phase, place.lane, place.offset, place.duration, place.period, samples)
    turn = np.array([found[0] for found in servers], np.int32)[piece_device[bars["piece"]]]
    for found in servers:
        for c, d in enumerate(found[1:], 1):
            turn[(turn == found[0]) & (bars["sample"] % len(found) == c)] = d
    bars["device"] = turn
    end = float(bars["finish"].max(initial=0.0))
    if kind == "gpipe":
        spans = _named(("forward", 0.0, place.flush), ("backward", place.flush, end))
    else:
        last = samples * period
        steady = last > ramp
        spans = (
            _named(("ramp-up", 0.0, ramp), ("steady state", ramp, last), ("drain", last, end))
            if steady
            else _named(("ramp-up", 0.0, end))
        )
    return Schedule(
        kind, samples, piece_of, piece_device, part, **bars, lanes=lanes,
        lane_count=np.full(e.k, width, np.int32), period=period, share=share, bottlenecks=tuple(sorted(worst)),
        spans=spans, critical=np.zeros(len(piece_device), bool),
    )  # fmt: skip


def _after_backward(part: np.ndarray, pairs: tuple[Ints, Ints]) -> np.ndarray:
    """GPipe's batch of each piece: what depends on a backward piece cannot run before the flush."""
    late = part.copy()
    for a, b in zip(*pairs, strict=True):  # in order of the producing piece
        if late[a]:
            late[b] = 1
    return late


# ---------------------------------------------------------------------- one sample at a time
def sample_alone(problem: Problem, device_of: Ints) -> float:
    """How long one sample takes that nothing else is beside: what the schedule of a split (int32[n]) has as its period then."""
    e = problem.evaluator
    own = machine_of(problem).part("alone") or _alone
    return float(own(e, np.array(e.checked(device_of), np.int32)).total)


def _latency(problem: Problem, device_of: Ints, samples: int) -> Schedule:
    e = problem.evaluator
    own = machine_of(problem).part("alone") or _alone
    piece_of, piece_device, part, begin, times, finish, total, hop = own(e, device_of)
    piece_lane, lane_count = parts.cores_of(piece_device, begin, finish, ~e.pays)
    starts = begin[:, None] + np.cumsum(times, axis=1) - times
    piece, phase = np.nonzero(times > 0)
    bars = _bars(
        piece.astype(np.int32), phase.astype(np.int8), piece_lane[piece], starts[piece, phase],
        times[piece, phase], np.full(len(piece), total), samples,
    )  # fmt: skip
    critical = parts.critical_pieces(e, piece_of, piece_device, begin, finish, hop)
    busy_time = np.bincount(piece_device, times.sum(axis=1), minlength=e.k)
    names = [(f"sample {s + 1}", s * total, (s + 1) * total) for s in range(samples)] if samples > 1 else []
    bars["device"] = piece_device[bars["piece"]]
    return Schedule(
        "latency", samples, piece_of, piece_device, part, **bars, lanes=(), lane_count=lane_count,
        period=float(total), share=busy_time / total if total > 0 else np.zeros(e.k), bottlenecks=(),
        spans=_named(*names), critical=critical,
    )  # fmt: skip


def _alone(e: Evaluator, device_of: Ints) -> Alone:
    """Every subgraph that runs in one go as a piece, on a machine of which nothing else is known."""
    piece_of, piece_device, part = parts.pieces_of(e, device_of, e.pays, e.owner)
    stream = e.streamed(device_of)
    work, class_of = e.work, e.class_of
    if stream.any():
        # The first op of a device carries the time in which its parameters are streamed.
        work, class_of = e.work[e.class_of].copy(), np.arange(e.k, dtype=np.int32)
        for d in np.flatnonzero(stream).tolist():
            ops = np.flatnonzero(device_of == d)
            if len(ops):
                work[d, ops[np.argmin(piece_of[ops])]] += stream[d]
    _, _, begin, receive, busy, send, finish, total = latency.schedule(
        piece_of, piece_device, device_of, work, class_of, e.tensor_producer, e.tensor_time, e.send_time,
        e.consumer_ptr, e.consumer_idx, e.pred_ptr, e.pred_idx, e.pays, e.owner,
    )  # fmt: skip
    times = np.stack([receive, np.zeros(len(receive)), busy, send], axis=1)
    first = np.unique(piece_device, return_index=True)
    for d, p in zip(*first, strict=True):
        times[p, STREAM], times[p, WORK] = stream[d], times[p, WORK] - stream[d]
    parts.tell_host_apart(e, piece_of, times)
    return Alone(piece_of, piece_device, part, begin, times, finish, float(total))


# ---------------------------------------------------------------------- bars
def _bars(
    piece: Ints, phase: np.ndarray, lane: Ints, offset: Floats, duration: Floats, period: Floats, samples: int
) -> dict[str, Any]:
    """Every step once per sample, each a period after the one before; steps that take no time are left out."""
    shown = duration > 0
    count = int(shown.sum())
    sample = np.tile(np.arange(samples, dtype=np.int32), count)
    start = np.repeat(offset[shown], samples) + sample * np.repeat(period[shown], samples)
    return {
        "piece": np.repeat(piece[shown], samples),
        "sample": sample,
        "phase": np.repeat(phase[shown], samples),
        "lane": np.repeat(lane[shown], samples),
        "start": start,
        "finish": start + np.repeat(duration[shown], samples),
    }


def _named(*spans: tuple[str, float, float]) -> tuple[Span, ...]:
    return tuple(Span(*span) for span in spans if span[2] > span[1])
