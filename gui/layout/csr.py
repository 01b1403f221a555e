"""Adjacency and topological order of a graph given as two edge arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from planner.compiling.kernel import njit

Int = NDArray[np.int32]


@njit(cache=True, nogil=True)
def adjacency(n, keys, others):
    """Neighbours of every op: offsets int32[n + 1] and items int32[m], in the order of the edges."""
    offsets = np.zeros(n + 1, np.int32)
    for key in keys:
        offsets[key + 1] += 1
    for i in range(n):
        offsets[i + 1] += offsets[i]
    fill = offsets[:-1].copy()
    items = np.empty(len(keys), np.int32)
    for e in range(len(keys)):
        items[fill[keys[e]]] = others[e]
        fill[keys[e]] += 1
    return offsets, items


@njit(cache=True, nogil=True)
def topological_order(n, out_off, out, in_off):
    """Kahn's order (first in, first out, smallest index first), and how many ops it reached."""
    missing = np.empty(n, np.int32)
    order = np.empty(n, np.int32)
    tail = 0
    for v in range(n):
        missing[v] = in_off[v + 1] - in_off[v]
        if missing[v] == 0:
            order[tail] = v
            tail += 1
    head = 0
    while head < tail:
        u = order[head]
        head += 1
        for k in range(out_off[u], out_off[u + 1]):
            v = out[k]
            missing[v] -= 1
            if missing[v] == 0:
                order[tail] = v
                tail += 1
    return order, tail


@njit(cache=True, nogil=True)
def root(parent, v):
    """Root of v in a forest of merged sets, in which paths are halved on the way."""
    while parent[v] != v:
        parent[v] = parent[parent[v]]
        v = parent[v]
    return v


@njit(cache=True, nogil=True)
def components(n, src, dst):
    """Connected component of every op, numbered by their smallest op: int32[n]."""
    parent = np.arange(n).astype(np.int32)
    for e in range(len(src)):
        a, b = root(parent, src[e]), root(parent, dst[e])
        parent[max(a, b)] = min(a, b)
    # a root is the smallest op of its component, so it is numbered before its members are met
    found = np.empty(n, np.int32)
    count = 0
    for v in range(n):
        if parent[v] == v:
            found[v] = count
            count += 1
        else:
            found[v] = found[root(parent, v)]
    return found


def checked_edges(n: int, edge_src: ArrayLike, edge_dst: ArrayLike) -> tuple[Int, Int]:
    """The edges as int32 arrays; ValueError where they name no op."""
    src = np.ascontiguousarray(edge_src, np.int32)
    dst = np.ascontiguousarray(edge_dst, np.int32)
    if n < 0 or src.ndim != 1 or src.shape != dst.shape:
        raise ValueError(
            "A layout needs n >= 0 and two flat edge arrays of one length; check what is handed in."
        )
    if len(src) and (min(src.min(), dst.min()) < 0 or max(src.max(), dst.max()) >= n):
        raise ValueError(f"An edge names an op outside 0..{n - 1}; remove it or add the op.")
    return src, dst
