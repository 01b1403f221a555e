"""Branchings of a DAG contracted to single nodes: what PipeDream's optimizer, which plans paths, is given."""

from __future__ import annotations

import numpy as np

from planner.compiling.kernel import njit
from planner.methods.units import Units, merge_cycles, renumbered
from planner.model.graph import Floats, Ints, csr


@njit(cache=True, nogil=True)
def _root(parent, v):
    while parent[v] != v:
        parent[v] = parent[parent[v]]
        v = parent[v]
    return v


@njit(cache=True, nogil=True)
def joined_tails(ptr, edge, src, dst):
    """Nodes joined that begin edges of one biconnected component: a representative of each (int32[n]).

    ``ptr``, ``edge`` list the edges at each node, whichever way they go; ``src``, ``dst`` are their ends. A depth-first
    search keeps the edges met on a stack (Hopcroft and Tarjan): where no edge below a node leads above it, those met
    since then are a component.
    """
    n = len(ptr) - 1
    parent = np.arange(n).astype(np.int32)
    number = np.zeros(n, np.int32)  # 0 = not seen yet
    low = np.zeros(n, np.int32)
    place = np.empty(n, np.int32)  # of each node's next edge
    path = np.empty(n, np.int32)
    came_by = np.full(n, -1, np.int32)
    met = np.empty(len(src), np.int32)
    is_met = np.zeros(len(src), np.bool_)
    count = 0
    seen = 0
    for start in range(n):
        if number[start] > 0:
            continue
        seen += 1
        number[start] = seen
        low[start] = seen
        place[start] = ptr[start]
        path[0] = start
        depth = 1
        while depth > 0:
            v = path[depth - 1]
            if place[v] < ptr[v + 1]:
                e = edge[place[v]]
                place[v] += 1
                if is_met[e]:
                    continue
                is_met[e] = True
                met[count] = e
                count += 1
                w = dst[e] if src[e] == v else src[e]
                if number[w] == 0:
                    seen += 1
                    number[w] = seen
                    low[w] = seen
                    place[w] = ptr[w]
                    came_by[w] = e
                    path[depth] = w
                    depth += 1
                elif number[w] < low[v]:
                    low[v] = number[w]
                continue
            depth -= 1
            if depth == 0:
                break
            u = path[depth - 1]
            if low[v] < number[u]:
                low[u] = min(low[u], low[v])
                continue
            first = _root(parent, src[came_by[v]])
            while True:
                count -= 1
                other = _root(parent, src[met[count]])
                parent[max(first, other)] = min(first, other)
                first = min(first, other)
                if met[count] == came_by[v]:
                    break
    for v in range(n):
        parent[v] = _root(parent, v)
    return parent


def contracted_branchings(units: Units, negligible: float) -> Ints:
    """The branching of each unit (int32[m], numbered from 0); a unit outside of any stands alone.

    A branching is a biconnected component of the DAG seen without directions; the units at which its edges begin become
    one node, so that the unit where it joins again is not part of it. Whatever lies on a cycle then is merged too. Edges
    whose tensors take at most ``negligible`` time make no branching: inputs such as masks and lengths reach every layer.
    """
    kept = edge_times(units) > negligible
    src, dst = units.src[kept], units.dst[kept]
    each = np.arange(len(src), dtype=np.int32)
    ptr, edge = csr(np.concatenate([src, dst]), np.concatenate([each, each]), units.count)
    return merge_cycles(renumbered(joined_tails(ptr, edge, src, dst)), units.src, units.dst)


def edge_times(units: Units) -> Floats:
    """The longest transfer of a tensor along each edge between units (float64[e]), of either pass."""
    m = units.count
    times = np.zeros(len(units.src))
    if not len(times):
        return times
    keys = units.src.astype(np.int64) * m + units.dst
    unit = np.repeat(np.arange(m), np.diff(units.entry_ptr))
    producer = units.tensor_producer[units.entry_tensor].astype(np.int64)
    # Backward tensors run against the mirrored edges.
    for wanted in (producer * m + unit, unit * m + producer):
        at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        hit = keys[at] == wanted
        np.maximum.at(times, at[hit], units.tensor_time[units.entry_tensor[hit]])
    return times
