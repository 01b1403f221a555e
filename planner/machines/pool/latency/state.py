"""A latency problem as flat arrays, and the latency of one assignment in a few microseconds (device placement, section 4).

The kernels of :mod:`planner.machines.pool.latency.evaluation` say when each op runs; planners that try millions of assignments need the
latency alone. What can never cost anything is dropped once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from planner.compiling.kernel import njit
from planner.methods.units import unit_edges
from planner.model.graph import Bools, Floats, Ints, csr
from planner.problem.problem import Problem


class Arrays(NamedTuple):
    """What does not change while a planner searches: n ops in m units (ops that share a device), k devices, t tensors.

    ``part`` int32[n], ``unit_of`` int32[n], units' ops as CSR ``member_ptr, member_idx``, their neighbours (first those
    before, from ``middle[u]`` on those after) as CSR ``near_ptr, middle, near_idx``; ``work`` float64[c, n],
    ``class_of`` int32[k]; tensors that some assignment must move (``tensor_home`` int32[t], ``tensor_time`` float64[t], consumers
    as CSR); ``succ_ptr, succ_idx, waits`` int32 (successors, number of predecessors); ``pays`` bool[k]; ``owner``
    int32[k]; ``turns`` int32[2k] (groups in the order in which an accelerator runs its own); ``memory`` float64[n],
    ``capacity`` float64[k] by owner; ``accelerators`` int32 (their slots). Cores do not run out, so all CPUs are one:
    ``cpu`` is the first (-1 = none), ``op_cpu`` int32[n] the one to place an op on. ``allowed`` bool[m, k] says where all
    ops of a unit may be, other CPUs than the first excepted.
    """

    part: Ints
    unit_of: Ints
    member_ptr: Ints
    member_idx: Ints
    near_ptr: Ints
    middle: Ints
    near_idx: Ints
    work: Floats
    class_of: Ints
    tensor_home: Ints
    tensor_time: Floats
    consumer_ptr: Ints
    consumer_idx: Ints
    pred_ptr: Ints
    pred_idx: Ints
    succ_ptr: Ints
    succ_idx: Ints
    pays: Bools
    owner: Ints
    turns: Ints
    memory: Floats
    capacity: Floats
    allowed: Bools
    accelerators: Ints
    cpu: int
    op_cpu: Ints


class Scratch(NamedTuple):
    """What an evaluation writes on its way. Groups 0..2k-1 (device + k * part) come first, then CPU ops."""

    node_of: Ints
    head: Ints
    link: Ints
    size: Ints
    after: Ints
    last: Ints
    waiting: Ints
    ready: Floats
    cost: Floats
    seen: Ints
    used: Floats
    queue: Ints


def build_arrays(problem: Problem) -> Arrays:
    """The arrays of a problem; units are its colocation groups."""
    e = problem.evaluator
    k = e.k
    unit_of = problem.groups.group_of
    count = problem.groups.count
    src, dst = unit_edges(unit_of, e.edge_src, e.edge_dst)
    before_ptr, before_idx = csr(dst, src, count)
    after_ptr, after_idx = csr(src, dst, count)
    near_ptr = (before_ptr + after_ptr).astype(np.int32)
    near = [
        np.concatenate(
            [before_idx[before_ptr[u] : before_ptr[u + 1]], after_idx[after_ptr[u] : after_ptr[u + 1]]]
        )
        for u in range(count)
    ]
    tensor_of = np.repeat(np.arange(len(e.tensor_time)), np.diff(e.consumer_ptr))
    home = e.tensor_producer[tensor_of]
    away = (unit_of[home] != unit_of[e.consumer_idx]) | (e.part[home] != e.part[e.consumer_idx])
    if len(np.unique(e.owner[e.pays])) < np.count_nonzero(e.pays):
        # Ops that share an accelerator may be in different slots of it.
        away |= home != e.consumer_idx
    kept = (np.bincount(tensor_of[away], minlength=len(e.tensor_time)) > 0) & (e.tensor_time > 0)
    consumer_ptr = np.zeros(int(kept.sum()) + 1, np.int32)
    np.cumsum(np.diff(e.consumer_ptr)[kept], out=consumer_ptr[1:])
    allowed = np.ones((count, k), bool)
    np.logical_and.at(allowed, unit_of, e.allowed)
    cpus = np.flatnonzero(~e.pays)
    on_cpu = e.allowed[:, cpus]
    if len(cpus):
        allowed[:, cpus] = False
        unfit = np.bincount(unit_of, weights=~on_cpu.any(axis=1), minlength=count)
        allowed[:, cpus[0]] = unfit == 0
    capacity = np.full(k, np.inf)
    np.minimum.at(capacity, e.owner, e.capacity)
    return Arrays(
        part=e.part.astype(np.int32),
        unit_of=np.ascontiguousarray(unit_of, np.int32),
        member_ptr=problem.groups.members[0],
        member_idx=problem.groups.members[1],
        near_ptr=near_ptr,
        middle=(near_ptr[:-1] + np.diff(before_ptr)).astype(np.int32),
        near_idx=np.concatenate(near).astype(np.int32) if near else np.empty(0, np.int32),
        work=e.work,
        class_of=e.class_of,
        tensor_home=e.tensor_producer[kept],
        tensor_time=e.tensor_time[kept],
        consumer_ptr=consumer_ptr,
        consumer_idx=np.ascontiguousarray(e.consumer_idx[kept[tensor_of]], np.int32),
        pred_ptr=e.pred_ptr,
        pred_idx=e.pred_idx,
        succ_ptr=e.succ_ptr,
        succ_idx=e.succ_idx,
        pays=e.pays,
        owner=e.owner,
        turns=np.concatenate([np.arange(k), np.arange(2 * k - 1, k - 1, -1)]).astype(np.int32),
        memory=e.memory,
        capacity=capacity,
        allowed=allowed,
        accelerators=np.flatnonzero(e.pays).astype(np.int32),
        cpu=int(cpus[0]) if len(cpus) else -1,
        op_cpu=(cpus[np.argmax(on_cpu, axis=1)] if len(cpus) else np.full(e.n, -1)).astype(np.int32),
    )


def one_slot_each(problem: Problem, arrays: Arrays) -> Arrays | None:
    """The arrays with the first slot of each accelerator alone; None where accelerators have one slot anyway."""
    owner = problem.evaluator.owner[arrays.accelerators]
    _, first = np.unique(owner, return_index=True)
    if len(first) == len(owner):
        return None
    kept = arrays.accelerators[first]
    allowed = np.zeros_like(arrays.allowed)
    columns = kept if arrays.cpu < 0 else np.append(kept, arrays.cpu)
    allowed[:, columns] = arrays.allowed[:, columns]
    return arrays._replace(allowed=allowed, accelerators=kept.astype(np.int32))


def build_scratch(arrays: Arrays) -> Scratch:
    """Room for one evaluation at a time."""
    n, k = len(arrays.part), len(arrays.pays)
    return Scratch(
        node_of=np.zeros(n, np.int32),
        head=np.zeros(2 * k, np.int32),
        link=np.zeros(n, np.int32),
        size=np.zeros(2 * k, np.int32),
        after=np.zeros(2 * k, np.int32),
        last=np.zeros(k, np.int32),
        waiting=np.zeros(2 * k + n, np.int32),
        ready=np.zeros(2 * k + n),
        cost=np.zeros(2 * k),
        seen=np.zeros(2 * k + n, np.int32),
        used=np.zeros(k),
        queue=np.zeros(2 * k + n, np.int32),
    )


def placed(arrays: Arrays, place: Ints) -> Ints:
    """The device of each op (int32[n]) from that of each unit (int32[m])."""
    device_of = place[arrays.unit_of]
    return np.where(device_of == arrays.cpu, arrays.op_cpu, device_of).astype(np.int32)


def units_placed(arrays: Arrays, device_of: Ints) -> Ints | None:
    """The device of each unit (int32[m]) from that of each op (int32[n]); None where a unit is spread or misplaced."""
    of_op = np.where(arrays.pays[device_of], device_of, arrays.cpu).astype(np.int32)
    place = np.empty(len(arrays.allowed), np.int32)
    place[arrays.unit_of] = of_op
    fine = np.array_equal(place[arrays.unit_of], of_op) and arrays.allowed[np.arange(len(place)), place].all()
    return place if fine else None


@njit(cache=True, nogil=True)
def measure(a, s, device_of):
    """``(latency, busy, over)`` of an assignment (int32[n]): infinite latency where subgraphs wait for each other.

    ``busy`` is the time of all subgraphs together, ``over`` the share by which accelerators' memories are exceeded, summed.
    O(n + m).
    """
    n, k = len(device_of), len(a.pays)
    groups = 2 * k
    for g in range(groups):
        s.head[g] = -1
        s.size[g] = 0
        s.after[g] = -1
        s.waiting[g] = 0
        s.ready[g] = 0.0
        s.cost[g] = 0.0
        s.seen[g] = -1
    for d in range(k):
        s.used[d] = 0.0
        s.last[d] = -1
    nodes = 0
    for v in range(n):
        d = device_of[v]
        if a.pays[d]:
            g = d + k * a.part[v]
            s.node_of[v] = g
            s.link[v] = s.head[g]
            s.head[g] = v
            nodes += s.size[g] == 0
            s.size[g] += 1
            s.cost[g] += a.work[a.class_of[d], v]
            s.used[a.owner[d]] += a.memory[v]
        else:
            g = groups + v
            s.node_of[v] = g
            s.ready[g] = 0.0
            s.seen[g] = -1
            nodes += 1
    tail = 0
    for v in range(n):
        x = s.node_of[v]
        waits = 0
        for e in range(a.pred_ptr[v], a.pred_ptr[v + 1]):
            waits += s.node_of[a.pred_idx[e]] != x
        if x < groups:
            s.waiting[x] += waits
        else:
            s.waiting[x] = waits
            if waits == 0:
                s.queue[tail] = x
                tail += 1
    for i in range(len(a.tensor_home)):
        home = s.node_of[a.tensor_home[i]]
        away = False
        for e in range(a.consumer_ptr[i], a.consumer_ptr[i + 1]):
            x = s.node_of[a.consumer_idx[e]]
            if x == home:
                continue
            away = True
            if x < groups and s.seen[x] != i:
                s.seen[x] = i
                s.cost[x] += a.tensor_time[i]
        if away and home < groups:
            s.cost[home] += a.tensor_time[i]
    busy = 0.0
    for i in range(groups):
        g = a.turns[i]
        if s.size[g] == 0:
            continue
        busy += s.cost[g]
        d = a.owner[g if g < k else g - k]
        if s.last[d] >= 0:
            s.after[s.last[d]] = g
            s.waiting[g] += 1
        s.last[d] = g
        if s.waiting[g] == 0:
            s.queue[tail] = g
            tail += 1
    over = 0.0
    for d in range(k):
        if s.used[d] > a.capacity[d] * (1 + 1e-9):
            over += s.used[d] / a.capacity[d] - 1.0
    latency = 0.0
    head = 0
    while head < tail:
        x = s.queue[head]
        head += 1
        if x < groups:
            end = s.ready[x] + s.cost[x]
            v = s.head[x]
            if s.after[x] >= 0:
                tail = _release(s, s.after[x], end, tail)
        else:
            v = x - groups
            end = s.ready[x] + a.work[a.class_of[device_of[v]], v]
        latency = max(latency, end)
        while v >= 0:
            for e in range(a.succ_ptr[v], a.succ_ptr[v + 1]):
                y = s.node_of[a.succ_idx[e]]
                if y != x:
                    tail = _release(s, y, end, tail)
            v = s.link[v] if x < groups else -1
    return latency if head == nodes else np.inf, busy, over


@njit(cache=True, nogil=True)
def _release(s, x, end, tail):
    """One edge into node ``x`` ended at ``end``; a node that waits for nothing more joins the queue. Its new end."""
    if end > s.ready[x]:
        s.ready[x] = end
    s.waiting[x] -= 1
    if s.waiting[x] == 0:
        s.queue[tail] = x
        tail += 1
    return tail
