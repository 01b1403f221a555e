"""Periodic schedules: every step of a sample at a fixed time after the sample enters, one sample per period.

Device placement, sections 5.1 and 5.2, arranges time in rounds. Here a piece need not wait for the next round: it
starts as soon as its inputs are there and the lane of its device is free at that place of every period. The steps
of one lane lie side by side in its period, so that whatever follows still fits; only the last one may take any gap.
As no lane has more to do than a period lasts, there is always room, at the latest a period later.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from planner.model.graph import Bools, Floats, Ints

TOLERANCE = 1e-9
"""Of a period: what rounding may move a step by."""


@dataclass(frozen=True, eq=False)
class Steps:
    """The steps of one sample (length m): piece, phase, lane, when they start, how long they take, their period.

    ``first`` bool[m] marks the steps with which a piece begins to use a lane. ``flush`` is when the first batch is over (0 where there is only one).
    """

    piece: Ints
    phase: np.ndarray
    lane: Ints
    offset: Floats
    duration: Floats
    period: Floats
    first: Bools
    flush: float


class _Lane:
    """What one lane of a device does in each period: one block of steps side by side."""

    def __init__(self, period: float, load: float) -> None:
        self.period, self.left = period, load
        self.begin = self.end = 0.0
        self.used = 0.0

    def take(self, ready: float, duration: float) -> float:
        """The earliest start at or after ``ready`` that leaves the rest of the lane's load in one gap."""
        if duration <= 0.0:
            return ready
        self.left -= duration
        slack = TOLERANCE * self.period
        if self.used == 0.0:
            start = ready
            self.begin, self.end = start, start + duration
        else:
            after = self._next(ready, self.end)
            if self.left <= slack:
                # Nothing else follows: any place in the gap will do.
                into = ready - self.end - self.period * np.floor((ready - self.end) / self.period)
                fits = into + duration <= self.period - self.used + slack
                start = ready if fits else after
                self.end = start + duration
            else:
                before = self._next(ready, self.begin - duration)
                start = min(after, before)
                if after <= before:
                    self.end = start + duration
                else:
                    self.begin = start
        self.used += duration
        return start

    def _next(self, ready: float, place: float) -> float:
        """The earliest time at or after ``ready`` that lies where ``place`` lies in its period."""
        wait = (place - ready) % self.period
        return ready if self.period - wait <= TOLERANCE * self.period else ready + float(wait)


def place(
    piece_device: Ints,
    batch: np.ndarray,
    copies: Ints,
    times: Floats,
    lane_of: Sequence[int],
    pairs: tuple[Ints, Ints],
    load: Floats,
    periods: Floats,
    samples: int,
) -> Steps:
    """Give every step of a sample its time.

    ``piece_device`` int32[p], pieces in an order in which they can run; ``batch`` int8[p] (1 = after the flush: when
    all ``samples`` have been through batch 0); ``copies`` int64[k] how many devices take a stage's samples in turn;
    ``times`` float64[p, phases]; ``lane_of`` the lane of each phase
    (steps that follow each other on one lane are not interrupted); ``pairs`` the pieces that feed each other, by producer;
    ``load`` float64[2, k, lanes] what each lane has to do per sample, ``periods`` float64[2].
    """
    p = len(piece_device)
    before: list[list[int]] = [[] for _ in range(p)]
    for a, b in zip(pairs[0].tolist(), pairs[1].tolist(), strict=True):
        before[b].append(a)
    lanes: dict[tuple[int, int, int], _Lane] = {}
    end = [0.0] * p
    rows: list[tuple[int, int, int, float, float, float, bool]] = []
    flush = 0.0
    span = [float(periods[0]) * max(0, samples - 1), float(periods[1])]
    # All of batch 0 first: the flush is where the last of it ends.
    for which in (0, 1):
        for a in np.flatnonzero(batch == which).tolist():
            device = int(piece_device[a])
            ready = max([flush if which else 0.0, *(end[b] for b in before[a])])
            for lane, phases in _runs(lane_of):
                key = (which, device, lane)
                if key not in lanes:
                    # Each copy has as many periods for a sample as there are copies.
                    whole = float(periods[which]) * int(copies[device])
                    lanes[key] = _Lane(whole, float(load[which, device, lane]))
                ready = lanes[key].take(ready, float(times[a, phases].sum()))
                for phase in phases:
                    duration = float(times[a, phase])
                    rows.append((a, phase, lane, ready, duration, float(periods[which]), phase == phases[0]))
                    ready += duration
            end[a] = ready
        if which == 0:
            flush = max((end[a] for a in np.flatnonzero(batch == 0).tolist()), default=0.0) + span[0]
    columns = np.array(rows, np.float64).reshape(-1, 7).T
    return Steps(
        columns[0].astype(np.int32), columns[1].astype(np.int8), columns[2].astype(np.int32), columns[3],
        columns[4], columns[5], columns[6] > 0, flush if bool((batch == 1).any()) else 0.0,
    )  # fmt: skip


def _runs(lane_of: Sequence[int]) -> list[tuple[int, list[int]]]:
    """Phases in turn, those next to each other on one lane together."""
    runs: list[tuple[int, list[int]]] = []
    for phase, lane in enumerate(lane_of):
        if runs and runs[-1][0] == lane:
            runs[-1][1].append(phase)
        else:
            runs.append((lane, [phase]))
    return runs
