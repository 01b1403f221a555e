"""Chains of ideals as minimum cuts: the network, and what devices in a row pay with a price each.

Let devices stand in a row and hold units in such an order that no edge goes back. *Threshold* l has a node for each unit, on the source's side where
the unit is on one of the devices 0..l. A unit costs its device's price times its time, and a tensor what the first and the last of
the devices that touch it pay. ``docs/bounds.md`` has the proof.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planner.methods.max_flow import ENDLESS
from planner.methods.units import Units
from planner.model.graph import Bools, Floats, Ints, csr

Longs = NDArray[np.int64]
WHOLE = 2.0**44
"""What all costs together are in whole numbers, at most."""
FAR = 4.0
"""Times that are so often the cost of a known plan count as no more: who has such a unit costs too much in any case."""


class Row(NamedTuple):
    """What devices in a row pay (g devices, m units, t tensors).

    ``time`` float64[g, m]: of each unit; ``base`` float64[g]: without any; ``pays`` bool[g]: who pays for tensors, and ``receive`` and ``send`` float64[t]: how much.
    ``touch_ptr`` int32[t+1], ``touch_unit`` int32: the units that touch each tensor. ``scale``: a unit of time in whole numbers.
    """

    time: Floats
    base: Floats
    pays: Bools
    receive: Floats
    send: Floats
    touch_ptr: Ints
    touch_unit: Ints
    scale: float


class Network(NamedTuple):
    """Arcs in pairs, as :mod:`planner.methods.max_flow` has them; nodes of threshold l begin at l * m.

    ``fixed`` int64[2a]: capacities that never change; ``tensor_arc`` int32[g-1, t], ``source_arc`` and ``sink_arc`` int32[g-1, m]: arcs of those that do.
    """

    head: Ints
    ptr: Ints
    arcs: Ints
    fixed: Longs
    tensor_arc: Ints
    source_arc: Ints
    sink_arc: Ints


def row_of(
    units: Units, time: Floats, base: Floats, pays: Bools, receive: Floats, send: Floats, most: float
) -> Row:
    """A row of devices for ``time`` float64[g, m] and the rest as in :class:`Row`, where some plan costs ``most``."""
    if np.isfinite(most):
        far = FAR * (most - min(0.0, float(base.min(initial=0.0))))
        time, receive, send = (np.minimum(array, far) for array in (time, receive, send))
    total = float(time.sum() + len(time) * (receive.sum() + send.sum()))
    owner = np.repeat(np.arange(units.count, dtype=np.int32), np.diff(units.entry_ptr))
    ptr, touching = csr(units.entry_tensor, owner, len(units.tensor_time))
    return Row(
        np.ascontiguousarray(time), base, pays, np.ascontiguousarray(receive), np.ascontiguousarray(send), ptr,
        touching, WHOLE / total if total > 0.0 else 1.0,
    )  # fmt: skip


def network_of(units: Units, row: Row, reach: Bools) -> Network:
    """The network of a row; ``reach`` bool[m, m]: whether a way leads from one unit to another.

    Of the units that touch a tensor only those count that nothing before (behind) them touches: who has any of the others has them as well.
    """
    m, thresholds, tensors = units.count, len(row.time) - 1, len(row.receive)
    tail: list[Ints] = []
    head: list[Ints] = []
    capacity: list[Longs] = []
    arcs = 0

    def add(a: Ints, b: Ints, room: int = 0) -> Ints:
        nonlocal arcs
        tail.append(a)
        head.append(b)
        capacity.append(np.full(len(a), room, np.int64))
        arcs += len(a)
        return np.arange(arcs - len(a), arcs, dtype=np.int32)

    firsts, lasts = (_extremes(row, reach if behind else reach.T) for behind in (False, True))
    every = np.arange(m, dtype=np.int32)
    nodes = thresholds * m
    tensor_arc = np.zeros((thresholds, tensors), np.int32)
    for threshold in range(thresholds):
        at = threshold * m
        add(at + units.dst, at + units.src, ENDLESS)
        if threshold + 1 < thresholds:
            add(at + every, at + m + every, ENDLESS)
        ends = []
        for (ptr, unit), inward in ((firsts, True), (lasts, False)):
            single = np.diff(ptr) == 1
            node = np.where(single, 0, nodes + np.cumsum(~single) - 1)
            node[single] = at + unit[ptr[:-1][single]]
            nodes += int((~single).sum())
            owner = np.repeat(np.arange(tensors), np.diff(ptr))
            several = ~single[owner]
            there, here = (at + unit)[several].astype(np.int32), node[owner][several].astype(np.int32)
            start, end = (there, here) if inward else (here, there)
            add(start, end, ENDLESS)
            ends.append(node.astype(np.int32))
        tensor_arc[threshold] = add(ends[0], ends[1])
    source = np.full(m, nodes, np.int32)
    source_arc = np.array([add(source, threshold * m + every) for threshold in range(thresholds)], np.int32)
    sink_arc = np.array([add(threshold * m + every, source + 1) for threshold in range(thresholds)], np.int32)
    a, b = np.concatenate(tail).astype(np.int32), np.concatenate(head).astype(np.int32)
    fixed = np.zeros(2 * arcs, np.int64)
    fixed[0::2] = np.concatenate(capacity)
    from_node = np.stack([a, b], axis=1).ravel()
    ptr, leaving = csr(from_node, np.arange(2 * arcs, dtype=np.int32), nodes + 2)
    return Network(
        np.stack([b, a], axis=1).ravel(), ptr, leaving, fixed, 2 * tensor_arc, 2 * source_arc, 2 * sink_arc
    )


def _extremes(row: Row, reach: Bools) -> tuple[Ints, Ints]:
    """Of each tensor the units that touch it and ``reach`` (bool[m, m]) no other that does, as a CSR."""
    units = [
        touching[~reach[np.ix_(touching, touching)].any(axis=1)]
        for touching in np.split(row.touch_unit, row.touch_ptr[1:-1])
    ]
    ptr = np.zeros(len(row.receive) + 1, np.int32)
    np.cumsum([len(few) for few in units], out=ptr[1:])
    return ptr, np.concatenate([np.empty(0, np.int32), *units]).astype(np.int32)
