"""The cheapest way through all regions and articulation ops: a dynamic program over accelerators and their memory."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from planner.compiling.kernel import njit
from planner.machines.pool.latency.regions.kernels import FITS
from planner.machines.pool.latency.regions.tables import Way
from planner.model.graph import Floats


class Stack(NamedTuple):
    """The values of all g - 1 regions: ``free`` float64[g - 1, k + 1], ``first``, ``last`` [g - 1, k + 1, classes], ``both`` [g - 1, k + 1, classes, classes]."""

    free: Floats
    first: Floats
    last: Floats
    both: Floats


class Whole(NamedTuple):
    """Articulation ops (float64[g]) and all of each region (float64[g - 1]): ``work`` and ``memory`` on an accelerator, ``cpu`` on a CPU, ``between`` float64[g, g] as in :class:`Articulated`. An accelerator's memory
    has ``room``, a class of it ``unit``."""

    cpu: Floats
    work: Floats
    memory: Floats
    region_work: Floats
    region_memory: Floats
    between: Floats
    room: float
    unit: float


class WayThrough(NamedTuple):
    """The least ``value`` with the way of each region (None inside one subgraph), and ``spans``: the first and last articulation op of each
    subgraph that holds any."""

    value: float
    ways: list[Way | None]
    spans: list[tuple[int, int]]


def cheapest_way(whole: Whole, stack: Stack, accelerators: int) -> WayThrough:
    """The cheapest way through, on so many accelerators at most."""
    g, classes = len(whole.cpu), stack.first.shape[2]
    shape = (g, accelerators + 1)
    on_cpu, cpu_from = np.full(shape, np.inf), np.zeros((*shape, 3), np.int32)
    begun, begun_from = np.full((*shape, classes), np.inf), np.zeros((*shape, classes, 3), np.int32)
    ended, ended_from = np.full((*shape, classes), np.inf), np.zeros((*shape, classes, 2), np.int32)
    _fill(whole, stack, accelerators, on_cpu, cpu_from, begun, begun_from, ended, ended_from)
    at, k = g - 1, accelerators
    ways: list[Way | None] = [None] * (g - 1)
    spans: list[tuple[int, int]] = []
    value = float(on_cpu[at, k])
    held = False
    head = 0
    while np.isfinite(value) and at > 0:
        tail = 0
        if held:
            first, tail = (int(x) for x in ended_from[at, k, head])
            spans.append((first, at))
            at, k = first, k - 1
        before, pieces, head = (int(x) for x in (begun_from[at, k, tail] if held else cpu_from[at, k]))
        ways[at - 1] = Way(bool(before), held, pieces, head, tail)
        at, k, held = at - 1, k - pieces, bool(before)
    return WayThrough(value, ways, spans[::-1])


@njit(cache=True, nogil=True)
def _fill(w, s, accelerators, on_cpu, cpu_from, begun, begun_from, ended, ended_from):
    """The least cost up to each articulation op, with at most so many accelerators.

    ``on_cpu`` [g, k + 1]: it is on a CPU, itself included. ``begun`` [g, k + 1, classes]: a subgraph begins with it, which has memory of a class from the
    region before; the subgraph is not counted yet. ``ended`` [g, k + 1, classes]: one ends with it, and may take memory of so
    many classes from the region after.
    """
    levels, classes = s.first.shape[1], s.first.shape[2]
    for k in range(accelerators + 1):
        on_cpu[0, k] = 0.0
    for i in range(1, len(w.cpu)):
        for k in range(accelerators + 1):
            for pieces in range(min(k, levels - 1) + 1):
                before = on_cpu[i - 1, k - pieces]
                value = before + s.free[i - 1, pieces] + w.cpu[i]
                if value < on_cpu[i, k]:
                    on_cpu[i, k] = value
                    cpu_from[i, k, 0], cpu_from[i, k, 1], cpu_from[i, k, 2] = 0, pieces, 0
                for tail in range(classes):
                    value = before + s.last[i - 1, pieces, tail]
                    if value < begun[i, k, tail]:
                        begun[i, k, tail] = value
                        begun_from[i, k, tail, 0], begun_from[i, k, tail, 1], begun_from[i, k, tail, 2] = (
                            0,
                            pieces,
                            0,
                        )
                for head in range(classes):
                    before = ended[i - 1, k - pieces, head]
                    if before == np.inf:
                        continue
                    value = before + s.first[i - 1, pieces, head] + w.cpu[i]
                    if value < on_cpu[i, k]:
                        on_cpu[i, k] = value
                        cpu_from[i, k, 0], cpu_from[i, k, 1], cpu_from[i, k, 2] = 1, pieces, head
                    for tail in range(classes):
                        value = before + s.both[i - 1, pieces, head, tail]
                        if value < begun[i, k, tail]:
                            begun[i, k, tail] = value
                            (
                                begun_from[i, k, tail, 0],
                                begun_from[i, k, tail, 1],
                                begun_from[i, k, tail, 2],
                            ) = 1, pieces, head
        memory, work = 0.0, 0.0
        for first in range(i, 0, -1):
            memory += w.memory[first]
            work += w.work[first]
            if first < i:
                memory += w.region_memory[first]
                work += w.region_work[first]
            if memory > w.room * FITS or work == np.inf:
                break
            free = min(int((w.room * FITS - memory) / w.unit + 1e-6), 2 * classes)
            for k in range(1, accelerators + 1):
                for tail in range(min(free, classes - 1) + 1):
                    head = min(free - tail, classes - 1)
                    value = begun[first, k - 1, tail] + work + w.between[first, i]
                    if value < ended[i, k, head]:
                        ended[i, k, head] = value
                        ended_from[i, k, head, 0], ended_from[i, k, head, 1] = first, tail
