"""Maximum flow by Dinic's algorithm, and the minimum cuts that it gives.

A network is arcs in pairs (arc a and its reverse a ^ 1): ``head`` int32[2a], ``ptr`` int32[nodes+1] and ``arcs`` int32[2a] (the
arcs that leave a node); ``cap`` int64[2a] holds the residual capacities. The source is the last node but one, the
sink the last.
"""

from __future__ import annotations

import numpy as np

from planner.compiling.kernel import njit

ENDLESS = 1 << 60
"""The capacity of an arc that no minimum cut may pay."""


@njit(cache=True, nogil=True)
def push_flow(head, ptr, arcs, cap, level, turn, queue, path):
    """Augment the flow that ``cap`` (residual capacities, int64) holds to a maximum; returns what was added.

    Dinic's algorithm, phase by phase; for scratch and what ``level`` says at the end see :func:`push_phase`.
    """
    total = np.int64(0)
    while True:
        added = push_phase(head, ptr, arcs, cap, level, turn, queue, path)
        if added == 0:
            return total
        total += added


@njit(cache=True, nogil=True)
def push_phase(head, ptr, arcs, cap, level, turn, queue, path):
    """One phase of Dinic's algorithm: block all shortest paths that ``cap`` leaves; returns what was added.

    ``level``, ``turn``, ``queue``, ``path`` are scratch (int32[nodes]). Levels count from the sink. 0 = the flow is a maximum:
    ``level`` is then -1 exactly on the nodes from which the sink cannot be reached, so these are the largest minimum
    cut's source side.
    """
    nodes = len(ptr) - 1
    source, sink = nodes - 2, nodes - 1
    total = np.int64(0)
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
            return total
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
