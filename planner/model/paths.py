"""Paths of a directed graph whose rows lie in CSR form: topological order, a cycle, longest paths, what is reached.

``Rows`` is ``(ptr int32[n + 1], idx int32[e])``: the neighbours of node v are ``idx[ptr[v]:ptr[v + 1]]``.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Bools = NDArray[np.bool_]
Rows = tuple[Ints, Ints]


def topological_order(succs: Rows, preds: Rows) -> Ints:
    """Nodes in topological order, smallest first among the ready ones: int32[n], fewer where there is a cycle."""
    ptr, idx = succs[0].tolist(), succs[1].tolist()
    left = np.diff(preds[0]).tolist()
    ready = [v for v, waiting in enumerate(left) if not waiting]
    order: list[int] = []
    while ready:
        v = heapq.heappop(ready)
        order.append(v)
        for e in range(ptr[v], ptr[v + 1]):
            s = idx[e]
            left[s] -= 1
            if left[s] == 0:
                heapq.heappush(ready, s)
    return np.array(order, np.int32)


def cycle(preds: Rows, order: Ints) -> list[int]:
    """A cycle among the nodes that ``order`` (int32[< n]) lacks, its first node again at the end; of a long one its two ends.

    Each of those nodes has a predecessor that is one of them.
    """
    ptr, idx = preds
    stuck = set(range(len(ptr) - 1)) - set(order.tolist())
    v = min(stuck)
    seen: dict[int, int] = {}
    path: list[int] = []
    while v not in seen:
        seen[v] = len(path)
        path.append(v)
        v = next(int(p) for p in idx[ptr[v] : ptr[v + 1]] if int(p) in stuck)
    found = path[seen[v] :][::-1]
    if len(found) > 8:
        found = [*found[:4], *found[-4:]]
    return [*found, found[0]]


def longest_paths(preds: Rows, order: Ints) -> Ints:
    """The longest path to each node from one without predecessors, in edges: int32[n]. ``order`` is topological."""
    ptr, idx = preds
    rank = np.zeros(len(order), np.int32)
    for v in order:
        p = idx[ptr[v] : ptr[v + 1]]
        if len(p):
            rank[v] = rank[p].max() + 1
    return rank


def reached(starts: Iterable[int], rows: Rows) -> Bools:
    """Nodes that a path of at least one edge leads to from ``starts``: bool[n]."""
    ptr, idx = rows
    seen = np.zeros(len(ptr) - 1, bool)
    stack = [int(v) for v in starts]
    while stack:
        v = stack.pop()
        for s in idx[ptr[v] : ptr[v + 1]].tolist():
            if not seen[s]:
                seen[s] = True
                stack.append(s)
    return seen
