"""What a run of path ops costs at least on an accelerator, by a minimum cut: sharper than the sums of :mod:`planner.machines.pool.latency.path`.

A run p_i .. p_j of a path (see :mod:`planner.machines.pool.latency.path`) lies in one subgraph X of an accelerator, and neither
p_{i-1} nor p_{j+1} does. Some ops are surely in X: the run, every op on a way between two of them (definition 3.1) and,
where an accelerator runs one subgraph, ops colocated with them, again and again. Others surely are not: those after
p_{j+1} or before p_{i-1} (they would have it between them), those of the other part, those that no accelerator may hold
and those that do not fit beside what is inside. The rest is free, and the subgraph costs at least the minimum, over all choices of free
ops, of the work of X, the tensors it receives and those it sends: a minimum cut, ops on the side of the source being in X.

* An op's arc to the sink holds its work.
* A tensor is sent through a node between its producer and its consumers: the arc from the producer holds its time, the arcs
  to the consumers are unlimited. Receiving it is the same with the arcs turned.
* A free op after one that is inside needs its predecessors that are also after one inside; and likewise before. Colocated
  free ops need each other. These arcs are unlimited.

The flow that is found never exceeds the cut, so rounding and an early end leave the bound proven.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from planner.compiling.kernel import njit
from planner.machines.pool.latency.state import Arrays
from planner.model.graph import Bools, Floats, Ints, csr

FITS = 1 + 1e-9
UNLIMITED = 1e300
SOURCE, SINK, FREE = 0, 1, 2


class CutScratch(NamedTuple):
    """Tensors by op (``made`` and ``used`` as CSR over ops) and what the kernel writes on its way.

    ``state`` int32[n] is SOURCE, SINK or FREE; ``node`` int32[n] the node of a free op (-1 = none yet). Arcs come in pairs
    (forward 2x, backward 2x + 1) as lists ``first`` by node and ``following`` by arc. ``inside`` bool[n] are the ops surely
    in the subgraph, ``held`` bool[m] the units on its accelerator, ``sums`` their work and memory.
    """

    made_ptr: Ints
    made_idx: Ints
    used_ptr: Ints
    used_idx: Ints
    state: Ints
    after: Ints
    before: Ints
    node: Ints
    seen: Ints
    queue: Ints
    first: Ints
    following: Ints
    to: Ints
    room: Floats
    entered: Ints
    counts: Ints
    inside: Bools
    held: Bools
    sums: Floats


def cut_scratch(arrays: Arrays) -> CutScratch:
    """Room for one cut at a time."""
    n, t = len(arrays.part), len(arrays.tensor_home)
    tensors = np.arange(t, dtype=np.int32)
    made_ptr, made_idx = csr(arrays.tensor_home, tensors, n)
    of_consumer = np.repeat(tensors, np.diff(arrays.consumer_ptr))
    used_ptr, used_idx = csr(arrays.consumer_idx, of_consumer, n)
    nodes = 2 + n + 2 * t
    arcs = 2 * (2 * n + 2 * t + 2 * len(arrays.consumer_idx) + 2 * len(arrays.succ_idx) + 2)
    return CutScratch(
        made_ptr, made_idx, used_ptr, used_idx,
        state=np.zeros(n, np.int32), after=np.zeros(n, np.int32), before=np.zeros(n, np.int32),
        node=np.zeros(n, np.int32), seen=np.zeros(t, np.int32), queue=np.zeros(max(nodes, n), np.int32),
        first=np.zeros(nodes, np.int32), following=np.zeros(arcs, np.int32), to=np.zeros(arcs, np.int32),
        room=np.zeros(arcs), entered=np.zeros(nodes, np.int32), counts=np.zeros(2, np.int32),
        inside=np.zeros(n, bool), held=np.zeros(len(arrays.allowed), bool), sums=np.zeros(2),
    )  # fmt: skip


@njit(cache=True, nogil=True)
def cut_row(
    a,
    s,
    i,
    first,
    most,
    path,
    low,
    high,
    order,
    work,
    runs_on_accelerator,
    whole_units,
    capacity,
    time,
    barred,
):
    """Fill row i of ``time`` and ``barred`` (float64[L + 1, L + 1]): runs p_i .. p_j; those that cannot be stay barred.

    Goes on from j = ``first`` (i at first, later what the last call returned), for ``most`` runs; returns the next j, or -1 at the
    end of the row. ``low``, ``high`` int32[n] as from ``path_positions``; ``order`` int32[n] topological; ``work`` float64[n];
    ``runs_on_accelerator`` bool[m] for units. O(n + m) and a minimum cut for each j.
    """
    n = len(a.part)
    part = a.part[path[i]]
    if first == i:
        s.inside[:] = False
        s.held[:] = False
        s.sums[:] = 0.0
    for j in range(first, len(path)):
        if a.part[path[j]] != part:
            return -1
        if j == first + most:
            return j
        added = _close(a, s, path[j], part, order, whole_units)
        for x in range(added):
            v = s.queue[x]
            s.sums[0] += work[v]
            u = a.unit_of[v]
            if not s.held[u]:
                s.held[u] = True
                if not runs_on_accelerator[u]:
                    return -1
                for e in range(a.member_ptr[u], a.member_ptr[u + 1]):
                    s.sums[1] += a.memory[a.member_idx[e]]
        if s.sums[1] > capacity * FITS:
            return -1
        possible = True
        for v in range(n):
            s.node[v] = -1
            out = a.part[v] != part or low[v] > j or high[v] < i
            if s.inside[v]:
                s.state[v] = SOURCE
                possible = possible and not out
            elif out or not _fits(a, s, v, runs_on_accelerator, capacity * FITS - s.sums[1]):
                s.state[v] = SINK
            else:
                s.state[v] = FREE
        if possible:
            time[i, j] = s.sums[0] + _transfers(a, s, work, whole_units)
            barred[i, j] = 0.0
    return -1


@njit(cache=True, nogil=True)
def _fits(a, s, v, runs_on_accelerator, room):
    """Whether the unit of op v can be beside what is inside."""
    u = a.unit_of[v]
    if s.held[u]:
        return True
    if not runs_on_accelerator[u]:
        return False
    for e in range(a.member_ptr[u], a.member_ptr[u + 1]):
        room -= a.memory[a.member_idx[e]]
    return room >= 0.0


@njit(cache=True, nogil=True)
def _close(a, s, new, part, order, whole_units):
    """Put op ``new`` inside and what must be inside then; the added ops are in ``s.queue``, returns how many.

    Afterwards ``s.after`` and ``s.before`` say which ops of the part come after and before one inside (or are it).
    """
    n = len(order)
    added, done = 0, 0
    if not s.inside[new]:
        s.inside[new] = True
        s.queue[0] = new
        added = 1
    while True:
        if whole_units:
            while done < added:
                u = a.unit_of[s.queue[done]]
                done += 1
                for e in range(a.member_ptr[u], a.member_ptr[u + 1]):
                    w = a.member_idx[e]
                    if a.part[w] == part and not s.inside[w]:
                        s.inside[w] = True
                        s.queue[added] = w
                        added += 1
        for x in range(n):
            v = order[x]
            reached = s.inside[v]
            for e in range(a.pred_ptr[v], a.pred_ptr[v + 1]):
                u = a.pred_idx[e]
                reached = reached or (s.after[u] == 1 and a.part[u] == part)
            s.after[v] = 1 if reached and a.part[v] == part else 0
        grew = False
        for x in range(n - 1, -1, -1):
            v = order[x]
            reached = s.inside[v]
            for e in range(a.succ_ptr[v], a.succ_ptr[v + 1]):
                w = a.succ_idx[e]
                reached = reached or (s.before[w] == 1 and a.part[w] == part)
            s.before[v] = 1 if reached and a.part[v] == part else 0
            if s.before[v] == 1 and s.after[v] == 1 and not s.inside[v]:
                s.inside[v] = True
                s.queue[added] = v
                added += 1
                grew = True
        if not grew or not whole_units:
            return added


@njit(cache=True, nogil=True)
def _arc(s, x, y, room):
    """An arc from node x to node y."""
    e = s.counts[1]
    s.to[e] = y
    s.room[e] = room
    s.following[e] = s.first[x]
    s.first[x] = e
    s.to[e + 1] = x
    s.room[e + 1] = 0.0
    s.following[e + 1] = s.first[y]
    s.first[y] = e + 1
    s.counts[1] = e + 2


@njit(cache=True, nogil=True)
def _new_node(s):
    x = s.counts[0]
    s.first[x] = -1
    s.counts[0] = x + 1
    return x


@njit(cache=True, nogil=True)
def _node_of(s, v, tail):
    """``(node, tail)`` of op v; a free op that is met for the first time gets one and joins the queue."""
    if s.state[v] != FREE:
        return s.state[v], tail
    if s.node[v] < 0:
        s.node[v] = _new_node(s)
        s.queue[tail] = v
        tail += 1
    return s.node[v], tail


@njit(cache=True, nogil=True)
def _transfers(a, s, work, whole_units):
    """The least cost of free ops inside, of tensors received and sent."""
    s.counts[0] = 2
    s.counts[1] = 0
    s.first[SOURCE] = -1
    s.first[SINK] = -1
    s.seen[:] = 0
    sure = 0.0
    tail = 0
    for v in range(len(a.part)):
        if s.state[v] == SOURCE:
            for e in range(s.made_ptr[v], s.made_ptr[v + 1]):
                amount, tail = _tensor(a, s, s.made_idx[e], tail)
                sure += amount
            for e in range(s.used_ptr[v], s.used_ptr[v + 1]):
                amount, tail = _tensor(a, s, s.used_idx[e], tail)
                sure += amount
    head = 0
    while head < tail:
        v = s.queue[head]
        head += 1
        x = s.node[v]
        if work[v] > 0.0:
            _arc(s, x, SINK, work[v])
        if whole_units:
            u = a.unit_of[v]
            for e in range(a.member_ptr[u], a.member_ptr[u + 1]):
                w = a.member_idx[e]
                if w != v and a.part[w] == a.part[v]:
                    y, tail = _node_of(s, w, tail)
                    # One arc each way between neighbours in the list of the unit ties all of it together.
                    if (e + 1 < a.member_ptr[u + 1] and a.member_idx[e + 1] == v) or (
                        e > a.member_ptr[u] and a.member_idx[e - 1] == v
                    ):
                        _arc(s, x, y, UNLIMITED)
        if s.after[v] == 1:
            for e in range(a.pred_ptr[v], a.pred_ptr[v + 1]):
                w = a.pred_idx[e]
                if s.after[w] == 1 and s.state[w] != SOURCE:
                    y, tail = _node_of(s, w, tail)
                    _arc(s, x, y, UNLIMITED)
        if s.before[v] == 1:
            for e in range(a.succ_ptr[v], a.succ_ptr[v + 1]):
                w = a.succ_idx[e]
                if s.before[w] == 1 and s.state[w] != SOURCE:
                    y, tail = _node_of(s, w, tail)
                    _arc(s, x, y, UNLIMITED)
        for e in range(s.made_ptr[v], s.made_ptr[v + 1]):
            amount, tail = _tensor(a, s, s.made_idx[e], tail)
            sure += amount
        for e in range(s.used_ptr[v], s.used_ptr[v + 1]):
            amount, tail = _tensor(a, s, s.used_idx[e], tail)
            sure += amount
    return sure + _flow(s)


@njit(cache=True, nogil=True)
def _tensor(a, s, t, tail):
    """``(surely paid, tail)``: the nodes and arcs of tensor t, unless it was seen."""
    if s.seen[t] == 1:
        return 0.0, tail
    s.seen[t] = 1
    time = a.tensor_time[t]
    home = s.state[a.tensor_home[t]]
    any_inside, any_outside, any_free = False, False, False
    for e in range(a.consumer_ptr[t], a.consumer_ptr[t + 1]):
        state = s.state[a.consumer_idx[e]]
        any_inside = any_inside or state == SOURCE
        any_outside = any_outside or state == SINK
        any_free = any_free or state == FREE
    if home == SOURCE and any_outside:
        # Sent whatever else is chosen, and never received: it has no more to do with free consumers.
        return time, tail
    if home == SINK and any_inside:
        return time, tail
    if home != FREE and not any_free:
        return 0.0, tail
    x, tail = _node_of(s, a.tensor_home[t], tail)
    if home != SINK:
        sent = _new_node(s)
        _arc(s, x, sent, time)
        for e in range(a.consumer_ptr[t], a.consumer_ptr[t + 1]):
            y, tail = _node_of(s, a.consumer_idx[e], tail)
            if y != SOURCE:
                _arc(s, sent, y, UNLIMITED)
    if home != SOURCE:
        received = _new_node(s)
        _arc(s, received, x, time)
        for e in range(a.consumer_ptr[t], a.consumer_ptr[t + 1]):
            y, tail = _node_of(s, a.consumer_idx[e], tail)
            if y != SINK:
                _arc(s, y, received, UNLIMITED)
    return 0.0, tail


@njit(cache=True, nogil=True)
def _flow(s):
    """A flow from the source to the sink along shortest ways, as large as it gets."""
    total = 0.0
    while True:
        for x in range(s.counts[0]):
            s.entered[x] = -1
        s.queue[0] = SOURCE
        head, tail = 0, 1
        while head < tail and s.entered[SINK] < 0:
            x = s.queue[head]
            head += 1
            e = s.first[x]
            while e >= 0:
                y = s.to[e]
                if s.room[e] > 1e-12 and y != SOURCE and s.entered[y] < 0:
                    s.entered[y] = e
                    s.queue[tail] = y
                    tail += 1
                e = s.following[e]
        if s.entered[SINK] < 0:
            return total
        amount = UNLIMITED
        x = SINK
        while x != SOURCE:
            amount = min(amount, s.room[s.entered[x]])
            x = s.to[s.entered[x] ^ 1]
        x = SINK
        while x != SOURCE:
            e = s.entered[x]
            s.room[e] -= amount
            s.room[e ^ 1] += amount
            x = s.to[e ^ 1]
        total += amount
