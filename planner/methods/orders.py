"""Topological orders of a DAG given as CSR: depth-first, and Kahn's algorithm with priorities."""

from __future__ import annotations

import numpy as np

from planner.compiling.kernel import njit


@njit(cache=True, nogil=True)
def depth_first_order(ptr, idx):
    """Reversed post-order of a depth-first search from the sources, smallest index first (int32[n]).

    The order in which SliceGraph and DPL linearise a graph.
    """
    n = len(ptr) - 1
    entering = np.zeros(n, np.int32)
    for w in idx:
        entering[w] += 1
    order = np.empty(n, np.int32)
    place = n
    seen = np.zeros(n, np.bool_)
    next_edge = np.empty(n, np.int32)
    path = np.empty(n, np.int32)
    for root in range(n):
        if entering[root] > 0:
            continue
        depth = 1
        path[0] = root
        seen[root] = True
        next_edge[root] = ptr[root]
        while depth > 0:
            v = path[depth - 1]
            if next_edge[v] < ptr[v + 1]:
                w = idx[next_edge[v]]
                next_edge[v] += 1
                if not seen[w]:
                    seen[w] = True
                    next_edge[w] = ptr[w]
                    path[depth] = w
                    depth += 1
            else:
                depth -= 1
                place -= 1
                order[place] = v
    return order


@njit(cache=True, nogil=True)
def kahn_order(ptr, idx, priority):
    """Kahn's algorithm; among the ready nodes the one of least ``priority`` (float64[n]) goes first (int32[n]).

    MTPP, section 4.2 and appendix B.1: every topological order comes from some priorities. Ties: smallest index.
    """
    n = len(ptr) - 1
    waiting = np.zeros(n, np.int32)
    for w in idx:
        waiting[w] += 1
    heap = np.empty(n, np.int32)
    size = 0
    order = np.empty(n, np.int32)
    placed = 0
    for v in range(n):
        if waiting[v] == 0:
            heap[size] = v
            size += 1
            _rise(heap, size - 1, priority)
    while size > 0:
        v = heap[0]
        order[placed] = v
        placed += 1
        size -= 1
        heap[0] = heap[size]
        _sink(heap, size, priority)
        for e in range(ptr[v], ptr[v + 1]):
            w = idx[e]
            waiting[w] -= 1
            if waiting[w] == 0:
                heap[size] = w
                size += 1
                _rise(heap, size - 1, priority)
    return order


@njit(cache=True, nogil=True)
def _before(a, b, priority):
    return priority[a] < priority[b] or (priority[a] == priority[b] and a < b)


@njit(cache=True, nogil=True)
def _rise(heap, at, priority):
    while at > 0:
        up = (at - 1) // 2
        if not _before(heap[at], heap[up], priority):
            return
        heap[at], heap[up] = heap[up], heap[at]
        at = up


@njit(cache=True, nogil=True)
def _sink(heap, size, priority):
    at = 0
    while True:
        least = at
        for child in (2 * at + 1, 2 * at + 2):
            if child < size and _before(heap[child], heap[least], priority):
                least = child
        if least == at:
            return
        heap[at], heap[least] = heap[least], heap[at]
        at = least
