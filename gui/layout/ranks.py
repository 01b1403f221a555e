"""Columns of a graph's ops: longest-path ranks, then whatever may wait is pulled to its consumers."""

from __future__ import annotations

import numpy as np

from gui.layout.csr import adjacency, components, root, topological_order
from planner.compiling.kernel import njit

#: consumers from which on an op counts as a hub
HUB = 6
#: rounds of moving clusters; each settles at least one of the edges between them
PASSES = 12


@njit(cache=True, nogil=True)
def longest_path(n, order, out_off, out, span):
    """Earliest column of every op when an op covers span[op] columns: int32[n]."""
    col = np.zeros(n, np.int32)
    for u in order:
        nxt = col[u] + span[u]
        for k in range(out_off[u], out_off[u + 1]):
            if col[out[k]] < nxt:
                col[out[k]] = nxt
    return col


@njit(cache=True, nogil=True)
def tighten(n, order, out_off, out, in_off, ins, span, col):
    """Move ops to the latest column, in place, where that shortens more edges than it lengthens.

    Sources always gain. So does everything computed from sources alone (a weight and its transpose), because what
    feeds it and nothing else follows it: such predecessors are not counted as lengthened. Nor are hubs, whose far
    edges are long anyway: what one of them feeds is better off beside its own consumer.
    """
    follows = np.zeros(n, np.bool_)  # feeds one op only, and may follow it at no cost
    for u in order:
        free = True
        for k in range(in_off[u], in_off[u + 1]):
            p = ins[k]
            free = free and (follows[p] or out_off[p + 1] - out_off[p] >= HUB)
        follows[u] = free and out_off[u + 1] - out_off[u] == 1
    for i in range(n - 1, -1, -1):
        u = order[i]
        degree = out_off[u + 1] - out_off[u]
        if degree == 0:
            continue
        latest = np.int32(2**30)
        for k in range(out_off[u], out_off[u + 1]):
            latest = min(latest, col[out[k]])
        latest -= span[u]
        if latest <= col[u]:
            continue
        held = 0
        for k in range(in_off[u], in_off[u + 1]):
            p = ins[k]
            if not follows[p] and out_off[p + 1] - out_off[p] < HUB:
                held += 1
        if degree > held:
            col[u] = latest


@njit(cache=True, nogil=True)
def hang(n, order, out_off, out, in_off, ins, span, depth, col):
    """Put weights, and what is made of weights alone, right beside their op, in place; nothing else moves.

    depth: int32[n], longest path from a source. The deepest input of an op is taken for the chain it stands in.
    """
    follows = np.zeros(n, np.bool_)
    for u in order:
        free = out_off[u + 1] - out_off[u] == 1
        for k in range(in_off[u], in_off[u + 1]):
            free = free and follows[ins[k]]
        follows[u] = free
    hangs = np.zeros(n, np.bool_)
    for i in range(n - 1, -1, -1):
        u = order[i]
        if not follows[u]:
            continue
        v = out[out_off[u]]
        side = hangs[v]
        for k in range(in_off[v], in_off[v + 1]):
            w = ins[k]
            side = side or depth[w] > depth[u] or (depth[w] == depth[u] and w < u)
        if side:
            hangs[u] = True
            col[u] = max(col[u], col[v] - span[u])


@njit(cache=True, nogil=True)
def shift_clusters(n, src, dst, span, col, passes):
    """Move whole clusters to the right, in place: ops that tight edges join, held by fewer loose edges than pull them.

    `tighten` decides op by op and cannot move an input whose two branches join again; this can. Every cluster moves
    by the least slack towards its consumers, so all may move at once. Hubs do not hold what they feed.
    """
    degree = np.zeros(n, np.int32)
    for e in range(len(src)):
        degree[src[e]] += 1
    parent = np.empty(n, np.int32)
    pull = np.empty(n, np.int32)
    slack = np.empty(n, np.int32)
    for _ in range(passes):
        for v in range(n):
            parent[v] = v
            pull[v] = 0
            slack[v] = 2**30
        for e in range(len(src)):
            a, b = src[e], dst[e]
            if col[b] - col[a] == span[a]:
                a, b = root(parent, a), root(parent, b)
                parent[max(a, b)] = min(a, b)
        for v in range(n):  # parents are smaller, so one pass flattens
            parent[v] = parent[parent[v]]
        for e in range(len(src)):
            u, v = src[e], dst[e]
            a, b = parent[u], parent[v]
            if a != b:
                pull[a] += 1
                slack[a] = min(slack[a], col[v] - col[u] - span[u])
                if degree[u] < HUB:
                    pull[b] -= 1
        moved = False
        for v in range(n):
            if pull[parent[v]] > 0:
                col[v] += slack[parent[v]]
                moved = True
        if not moved:
            break


@njit(cache=True, nogil=True)
def sequence_components(n, component, span, col):
    """Put components one after another, in place; ops without any edge share one last column."""
    count = 0
    for v in range(n):
        count = max(count, component[v] + 1)
    low = np.full(count, 2**30, np.int64)
    high = np.full(count, -1, np.int64)
    size = np.zeros(count, np.int64)
    for v in range(n):
        c = component[v]
        low[c] = min(low[c], col[v])
        high[c] = max(high[c], col[v] + span[v])
        size[c] += 1
    shift = np.zeros(count, np.int64)
    end = 0
    for c in range(count):
        if size[c] > 1:
            shift[c] = end - low[c]
            end += high[c] - low[c]
    for v in range(n):
        col[v] = col[v] + shift[component[v]] if size[component[v]] > 1 else end


def columns(n, src, dst, span):
    """Column of every op, source to the left of its consumers: int32[n].

    n: op count; src, dst: int32[m]; span: int32[n], columns that each op covers. Raises ValueError on a cycle.
    """
    out_off, out = adjacency(n, src, dst)
    in_off, ins = adjacency(n, dst, src)
    order, reached = topological_order(n, out_off, out, in_off)
    if reached < n:
        left = np.setdiff1d(np.arange(n), order[:reached])
        raise ValueError(
            f"The graph has a cycle through or before op {left[0]} ({len(left)} ops cannot be ordered); "
            "remove an edge of the cycle, only acyclic graphs can be laid out."
        )
    col = longest_path(n, order, out_off, out, span)
    tighten(n, order, out_off, out, in_off, ins, span, col)
    shift_clusters(n, src, dst, span, col, PASSES)
    sequence_components(n, components(n, src, dst), span, col)
    return col
