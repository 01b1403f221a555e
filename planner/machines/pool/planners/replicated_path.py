"""Segments of a path on one or several devices each: PipeDream's dynamic program with replication."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from planner.evaluation import kernels
from planner.methods.units import Units
from planner.model.graph import Floats, Ints
from planner.search.search import Search

Places = NDArray[np.int64]

LONGEST = 1500
"""Paths with more nodes are not planned: every pair of cuts is looked at, for every number of devices."""


def transfers(path: Units) -> tuple[Floats, Floats]:
    """What the segment [i, j) of the path receives and sends, both float64[m+1, m+1] at [i, j] for i < j.

    A tensor is received once by a segment that consumes it and does not produce it, and sent once by the one that
    produces it and does not consume it all. Each condition holds on a rectangle of (i, j), so the sums are those of
    corner differences.
    """
    m = path.count
    unit = np.repeat(np.arange(m, dtype=np.int64), np.diff(path.entry_ptr))
    by_tensor = np.lexsort((unit, path.entry_tensor))
    tensor, node = path.entry_tensor[by_tensor], unit[by_tensor]
    time = path.tensor_time
    first = np.searchsorted(tensor, np.arange(len(time)))
    last = np.searchsorted(tensor, np.arange(len(time)), side="right") - 1
    low, high, producer = node[first], node[last], path.tensor_producer.astype(np.int64)

    def summed(parts: list[tuple[Places, Places, Places, Places, Floats]]) -> Floats:
        """Sum of weights over rectangles i0 <= i <= i1, j0 <= j <= j1."""
        corner = np.zeros((m + 2, m + 2))
        for i0, i1, j0, j1, weight in parts:
            np.add.at(corner, (i0, j0), weight)
            np.add.at(corner, (i1 + 1, j0), -weight)
            np.add.at(corner, (i0, j1 + 1), -weight)
            np.add.at(corner, (i1 + 1, j1 + 1), weight)
        return corner.cumsum(axis=0).cumsum(axis=1)[: m + 1, : m + 1]

    zero, end = np.zeros_like(low), np.full_like(low, m)
    whole = (zero, low, high + 1, end, -time)
    send = summed([(zero, producer, producer + 1, end, time), whole])
    # Untouched: segments before the first node of a tensor, after the last, and between two that follow one another.
    same = tensor[1:] == tensor[:-1]
    before, after = node[:-1][same], node[1:][same]
    untouched = summed(
        [
            (zero, low - 1, zero, low, time),
            (high + 1, end, zero, end, time),
            (before + 1, after - 1, np.zeros_like(after), after, time[tensor[1:][same]]),
        ]
    )
    paid = time.sum() - untouched + summed([whole])
    return paid - send, send


def stage_loads(path: Units, device: int) -> Floats:
    """Load of the segment [i, j) on ``device`` at [i, j] (float64[m+1, m+1]); infinite where it may not be there."""
    e = path.problem.evaluator
    m = path.count

    def between(values: Floats) -> Floats:
        ends = np.concatenate([[0.0], np.cumsum(values)])
        return ends[None, :] - ends[:, None]

    work = between(path.work[e.class_of[device]].sum(axis=1))
    receive, send = (
        transfers(path) if e.pays[device] else (np.zeros((m + 1, m + 1)), np.zeros((m + 1, m + 1)))
    )
    if e.communication == kernels.SUM:
        load = receive + work + send
    elif e.communication == kernels.OVERLAP:
        load = np.maximum(work, receive + send)
    else:
        load = np.maximum(np.maximum(receive, work), send)
    forbidden = between((~path.allowed[:, device]).astype(np.float64)) > 0
    if any(rule.code == kernels.RULE_MEMORY for rule in e.rules):
        forbidden |= between(path.memory) > e.capacity[device] * (1 + 1e-9)
    load[forbidden | (np.arange(m + 1)[:, None] >= np.arange(m + 1)[None, :])] = np.inf
    return load


def plan_replicated(path: Units, search: Search) -> Ints | None:
    """Devices of the path's nodes (int32[m]), each stage on the first of its devices, or None where nothing is valid.

    Device placement, appendix C.2: the last stage takes r of the devices of its kind, for every r. The devices that
    stay empty are put to the stages by the target, as well as can be. Nodes are in the order of the path. Raises
    :class:`planner.search.search.Stopped` when a stop criterion fires.
    """
    e, m = path.problem.evaluator, path.count
    kinds = [np.flatnonzero(e.pays), np.flatnonzero(~e.pays)]
    counts = [len(kind) for kind in kinds]
    ends = np.concatenate([[0.0], np.cumsum(path.params)])
    params = ends[None, :] - ends[:, None]
    costs: list[list[Floats]] = []
    for kind, devices in enumerate(kinds):
        loads = stage_loads(path, int(devices[0])) if len(devices) else None
        rows = []
        for r in range(1, len(devices) + 1):
            assert loads is not None
            search.check()
            sync = (r - 1) * params / (r * e.sync_rate) if kind == 0 else np.zeros_like(params)
            rows.append(loads / r + sync if e.communication == kernels.SUM else np.maximum(loads / r, sync))
        costs.append(rows)
    best = np.full((counts[0] + 1, counts[1] + 1, m + 1), np.inf)
    best[:, :, 0] = 0.0
    choice = np.zeros(
        (counts[0] + 1, counts[1] + 1, m + 1, 3), np.int32
    )  # where the stage begins, its kind and copies
    places = np.arange(m + 1)
    for a in range(counts[0] + 1):
        for c in range(counts[1] + 1):
            for kind, most in enumerate((a, c)):
                for r in range(1, most + 1):
                    search.check()
                    prefix = best[a - r, c] if kind == 0 else best[a, c - r]
                    value = np.maximum(prefix[:, None], costs[kind][r - 1])
                    begin = value.argmin(axis=0)
                    least = value[begin, places]
                    better = least < best[a, c]
                    best[a, c][better] = least[better]
                    choice[a, c, better] = np.stack([begin, np.full(m + 1, kind), np.full(m + 1, r)], axis=1)[
                        better
                    ]
    left = list(counts)
    if not np.isfinite(best[left[0], left[1], m]):
        return None
    device_of, place = np.zeros(m, np.int32), m
    while place > 0:
        begin, kind, r = choice[left[0], left[1], place].tolist()
        left[kind] -= r
        device_of[begin:place] = kinds[kind][left[kind]]
        place = begin
    return device_of
