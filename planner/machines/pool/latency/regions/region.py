"""A graph cut at its articulation ops, those that every other op comes before or after: between two neighbours lies a region.

Before the first op and after the last one there is an articulation op of no cost, which no accelerator holds.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

import numpy as np

from planner.machines.pool.latency.cuts import RunRules
from planner.machines.pool.latency.state import Arrays
from planner.model.graph import Bools, Floats, Ints, csr

OP_BEFORE, EARLIER = -1, -2


class Region(NamedTuple):
    """The m ops between two neighbouring articulation ops, *the op before* and *the op after*.

    ``ops`` int32[m], topologically; ``work`` and ``cpu`` float64[m], on an accelerator and on a CPU (infinite where that
    may not hold them); ``memory`` float64[m]. ``arc_from`` and ``arc_to`` int32[e] are places in ``ops``, :data:`OP_BEFORE` and m for the op after.
    Tensors that are made or read here: ``home`` int32[t] (:data:`OP_BEFORE`, or :data:`EARLIER` still), ``time`` float64[t], who reads them here as
    CSR ``reader_ptr, reader_idx``, whether the op after does (``entered`` bool[t]), and whether that or a later one does (``leaves`` bool[t]).
    """

    ops: Ints
    work: Floats
    cpu: Floats
    memory: Floats
    arc_from: Ints
    arc_to: Ints
    home: Ints
    time: Floats
    reader_ptr: Ints
    reader_idx: Ints
    entered: Bools
    leaves: Bools

    @property
    def succs(self) -> tuple[Ints, Ints]:
        """Successors within the region as CSR ``(int32[m + 1], int32[.])``."""
        inner = (self.arc_from >= 0) & (self.arc_to < len(self.ops))
        return csr(self.arc_from[inner], self.arc_to[inner], len(self.ops))

    @property
    def preds(self) -> tuple[Ints, Ints]:
        """Predecessors within the region as CSR ``(int32[m + 1], int32[.])``."""
        inner = (self.arc_from >= 0) & (self.arc_to < len(self.ops))
        return csr(self.arc_to[inner], self.arc_from[inner], len(self.ops))


class Articulated(NamedTuple):
    """``articulations`` int32[g] (ops in their order; -1 at both ends) and the g - 1 regions between them.

    ``work``, ``cpu`` and ``memory`` float64[g] of the articulation ops, as for regions. ``between`` float64[g, g]: what a subgraph from one articulation op to another
    surely sends and receives of tensors that reach over the regions beside it.
    """

    articulations: Ints
    regions: list[Region]
    work: Floats
    cpu: Floats
    memory: Floats
    between: Floats


def articulation_ops(order: Ints, preds: tuple[Ints, Ints], succs: tuple[Ints, Ints]) -> Ints:
    """The ops that every other op comes before or after, in their order (int32[.]), of a DAG in topological ``order``. O(n + m).

    Where one op is alone ready, all that is left comes after it; so it is one if what comes after and, going backwards, before it is everything.
    """
    n = len(order)
    after, before = _left_when_alone(preds, succs), _left_when_alone(succs, preds)
    found = (after >= 0) & (before >= 0) & (after + before == n - 1)
    return order[found[order]].astype(np.int32)


def _left_when_alone(preds: tuple[Ints, Ints], succs: tuple[Ints, Ints]) -> Ints:
    """How many ops are left when an op is the only one ready (int32[n]); -1 where others are."""
    waits = np.diff(preds[0]).tolist()
    ptr, idx = succs[0].tolist(), succs[1].tolist()
    left = len(waits)
    found = np.full(left, -1, np.int32)
    ready = deque(v for v in range(left) if waits[v] == 0)
    while ready:
        v = ready.popleft()
        left -= 1
        if not ready:
            found[v] = left
        for w in idx[ptr[v] : ptr[v + 1]]:
            waits[w] -= 1
            if waits[w] == 0:
                ready.append(w)
    return found


def articulate(a: Arrays, rules: RunRules) -> Articulated:
    """The graph of ``a`` cut at its articulation ops."""
    n = len(a.part)
    inner = articulation_ops(rules.order, (a.pred_ptr, a.pred_idx), (a.succ_ptr, a.succ_idx))
    # An articulation op is at the same place of every topological order. Even levels are theirs, odd ones those of regions.
    level = np.empty(n, np.int32)
    level[rules.order] = 1 + 2 * np.cumsum(np.isin(rules.order, inner))
    level[inner] -= 1
    able = np.where(rules.runs_on_accelerator[a.unit_of], rules.work, np.inf)
    regions = [_region(a, rules, able, level, i) for i in range(len(inner) + 1)]

    def with_ends(values: Floats, end: float) -> Floats:
        return np.concatenate([[end], values[inner], [end]])

    return Articulated(
        np.concatenate([[-1], inner, [-1]]).astype(np.int32), regions,
        with_ends(able, np.inf), with_ends(rules.on_cpu, 0.0), with_ends(a.memory, 0.0), _between(a, level, len(inner) + 2),
    )  # fmt: skip


def _between(a: Arrays, level: Ints, count: int) -> Floats:
    """float64[count, count]: what subgraphs from one articulation op to another exchange with ops that are in no region beside them.

    Tensors whose other end is in a region beside a subgraph, or an articulation op read there, are left to that region.
    """
    found = np.zeros((count, count))
    for t, home in enumerate(level[a.tensor_home].tolist()):
        readers = level[a.consumer_idx[a.consumer_ptr[t] : a.consumer_ptr[t + 1]]]
        last = int(readers.max(initial=0))
        if last <= home + 1:
            continue
        time = float(a.tensor_time[t])
        # Sent: made inside, from begin to before the end, and read behind the next region.
        found[: home // 2 + 1, home // 2 + 1 : last // 2] += time
        for first in range(home // 2 + 1, last // 2 + 1):
            if first == home // 2 + 1 and (home % 2 == 1 or (readers[readers > home] <= 2 * first).any()):
                continue
            within = readers[readers >= 2 * first]
            found[first, (int(within.min()) + 1) // 2 :] += time
    return found


def _region(a: Arrays, rules: RunRules, able: Floats, level: Ints, number: int) -> Region:
    """Region ``number``; ``able`` float64[n] is the work on an accelerator, infinite where none may hold the op."""
    here, after = 2 * number + 1, 2 * number + 2
    ops = rules.order[level[rules.order] == here]
    place = np.full(len(level), -1, np.int32)
    place[ops] = np.arange(len(ops))
    arcs: list[tuple[int, int]] = []
    for v in ops.tolist():
        entering = a.pred_idx[a.pred_ptr[v] : a.pred_ptr[v + 1]]
        leaving = a.succ_idx[a.succ_ptr[v] : a.succ_ptr[v + 1]]
        arcs += [(int(place[u]), int(place[v])) for u in entering if level[u] == here]
        # Who waits for an earlier op only is not in this region, but for those that wait for none.
        if not len(entering) or (level[entering] == here - 1).any():
            arcs.append((OP_BEFORE, int(place[v])))
        if not len(leaving) or (level[leaving] == after).any():
            arcs.append((int(place[v]), len(ops)))
    homes, times, reader_ptr, readers, entered, leaves = [], [], [0], [], [], []
    for t, home in enumerate(a.tensor_home.tolist()):
        consumers = a.consumer_idx[a.consumer_ptr[t] : a.consumer_ptr[t + 1]]
        reading = place[consumers[level[consumers] == here]].tolist()
        own = level[home] in (here - 1, here)
        if not own and not (reading and level[home] < here):
            continue
        homes.append(int(place[home]) if level[home] == here else OP_BEFORE if own else EARLIER)
        times.append(float(a.tensor_time[t]))
        readers += reading
        reader_ptr.append(len(readers))
        entered.append(bool((level[consumers] == after).any()))
        leaves.append(bool((level[consumers] >= after).any()))
    ends = np.array(arcs, np.int32).reshape(-1, 2)
    return Region(
        ops.astype(np.int32), able[ops], rules.on_cpu[ops], a.memory[ops],
        np.ascontiguousarray(ends[:, 0]), np.ascontiguousarray(ends[:, 1]),
        np.array(homes, np.int32), np.array(times, float), np.array(reader_ptr, np.int32), np.array(readers, np.int32),
        np.array(entered, bool), np.array(leaves, bool),
    )  # fmt: skip
