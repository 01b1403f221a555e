"""Minimum cuts of a DAG by maximum flow: which ideal (set closed under predecessors) costs least.

An ideal S pays for each unit in S, for each unit outside, and for each tensor that leaves it. The least cost is a
minimum cut: a unit on the source's side is in S; a tensor pays when its producer is in S and some consumer is not, which a
node of the tensor's own, that drags all its consumers into S, says with one arc. Capacities are whole numbers, so a flow
is exact, and rounding them down keeps its value a lower bound.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from planner.graph import Ints, csr
from planner.partition.mtpp_model import StageModel
from planner.solving.model import unchecked

Longs = NDArray[np.int64]

ENDLESS = 1 << 60


@dataclass(frozen=True, eq=False)
class CutNetwork:
    """Arcs in pairs (arc a and its reverse a ^ 1) over the units 0..m-1, tensor nodes, and source and sink last.

    ``head`` int32[2a], ``ptr`` int32[nodes+1] and ``arcs`` int32[2a] (the arcs that leave a node); ``fixed`` int64[2a]:
    capacities of the precedence arcs, which never change; ``tensor_arc`` int32[t]: the arc that each tensor pays on;
    ``source_arc`` and ``sink_arc`` int32[m].
    """

    head: Ints
    ptr: Ints
    arcs: Ints
    fixed: Longs
    tensor_arc: Ints
    source_arc: Ints
    sink_arc: Ints


def cut_network(model: StageModel, check: Callable[[], None] = unchecked) -> CutNetwork:
    """The network of a model; consumers that another consumer needs anyway are left out of a tensor.

    ``check`` is called every few milliseconds and may raise to end it.
    """
    m = model.count
    ends: list[tuple[int, int, int]] = [
        (v, u, ENDLESS) for u, v in zip(model.src.tolist(), model.dst.tolist(), strict=True)
    ]
    tensor_arc = np.zeros(len(model.time), np.int32)
    nodes = m
    for t in range(len(model.time)):
        check()  # for each: one with many consumers takes a while
        consumers = model.members(t)
        needed = model.before[np.ix_(consumers, consumers)].any(axis=0)
        last = consumers[~needed].tolist()
        to = last[0] if len(last) == 1 else nodes
        tensor_arc[t] = 2 * len(ends)
        ends.append((int(model.producer[t]), to, 0))
        if len(last) > 1:
            nodes += 1
            ends += [(to, q, ENDLESS) for q in last]
    source, sink = nodes, nodes + 1
    first = len(ends)
    for v in range(m):
        ends += [(source, v, 0), (v, sink, 0)]
    a = np.array(ends, np.int64).reshape(-1, 3)
    tail, head = np.empty((2, 2 * len(a)), np.int32)
    tail[0::2], head[0::2] = a[:, 0], a[:, 1]
    tail[1::2], head[1::2] = a[:, 1], a[:, 0]
    fixed = np.zeros(2 * len(a), np.int64)
    fixed[0::2] = a[:, 2]
    ptr, arcs = csr(tail, np.arange(len(tail), dtype=np.int32), nodes + 2)
    source_arc = (2 * (first + 2 * np.arange(m))).astype(np.int32)
    return CutNetwork(head, ptr, arcs, fixed, tensor_arc, source_arc, source_arc + np.int32(2))


@njit(cache=True, nogil=True)
def push_flow(head, ptr, arcs, cap, level, turn, queue, path):
    """Augment the flow that ``cap`` (residual capacities, int64) holds to a maximum; returns what was added.

    Dinic's algorithm; ``level``, ``turn``, ``queue``, ``path`` are scratch (int32[nodes]). Levels count from the sink; at
    the end ``level`` is -1 exactly on the nodes from which the sink cannot be reached, so these are the largest
    minimum cut's source side.
    """
    nodes = len(ptr) - 1
    source, sink = nodes - 2, nodes - 1
    total = np.int64(0)
    while True:
        level[:] = -1
        level[sink] = 0
        queue[0] = sink
        begin, end = 0, 1
        while begin < end:
            v = queue[begin]
            begin += 1
            for x in range(ptr[v], ptr[v + 1]):
                a = arcs[x]
                u = head[a]
                if level[u] < 0 and cap[a ^ 1] > 0:
                    level[u] = level[v] + 1
                    queue[end] = u
                    end += 1
        if level[source] < 0:
            return total
        turn[:] = ptr[:-1]
        depth = 0
        v = source
        while True:
            if v == sink:
                least = cap[path[0]]
                at = 0
                for i in range(1, depth):
                    if cap[path[i]] < least:
                        least = cap[path[i]]
                        at = i
                for i in range(depth):
                    cap[path[i]] -= least
                    cap[path[i] ^ 1] += least
                total += least
                v = head[path[at] ^ 1]
                depth = at
                continue
            moved = False
            while turn[v] < ptr[v + 1]:
                a = arcs[turn[v]]
                if cap[a] > 0 and level[head[a]] == level[v] - 1:
                    path[depth] = a
                    depth += 1
                    v = head[a]
                    moved = True
                    break
                turn[v] += 1
            if moved:
                continue
            if v == source:
                break
            depth -= 1
            v = head[path[depth] ^ 1]
            turn[v] += 1


@njit(cache=True, nogil=True)
def reach_from_source(head, ptr, arcs, cap, seen, queue):
    """Mark in ``seen`` (bool[nodes]) what the source reaches in the residual network: the smallest minimum cut."""
    source = len(ptr) - 3
    seen[:] = False
    seen[source] = True
    queue[0] = source
    begin, end = 0, 1
    while begin < end:
        v = queue[begin]
        begin += 1
        for x in range(ptr[v], ptr[v + 1]):
            a = arcs[x]
            if cap[a] > 0 and not seen[head[a]]:
                seen[head[a]] = True
                queue[end] = head[a]
                end += 1
