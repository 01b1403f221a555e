"""Decomposition of a layered graph into straight tracks: long paths, and the leaves that belong to their ops.

A network is a few long chains with short branches, so the order inside the columns is decided for whole paths and
not op by op: a path keeps one slot over its whole length and stays straight without any dummy ops.
"""

from __future__ import annotations

import numpy as np

from planner.compiling.kernel import njit

#: a path goes on through an edge that skips at most this many columns, and keeps its slot free there
MAX_GAP = 6


@njit(cache=True, nogil=True)
def compress(n, lane, lane_count, strip, col, span, tall, leaf, cap):
    """Columns inside each lane: unused ones dropped, and those with more than cap cards spread over several.

    Returns column int32[n] and the number of columns of each lane int32[lane_count].
    """
    width = np.zeros(lane_count, np.int32)
    out = np.zeros(n, np.int32)
    if n == 0:
        return out, width
    deep = np.int64(col.max()) + 1
    key = np.empty(n, np.int64)
    for v in range(n):
        inner = np.int64(strip[v]) * 2 + (0 if leaf[v] >= 0 else 1)
        key[v] = ((lane[v] * deep + col[v]) * 4 + inner) * n + v
    by = np.argsort(key)
    i = 0
    start = 0
    while i < n:
        here, at = lane[by[i]], col[by[i]]
        if i == 0 or lane[by[i - 1]] != here:
            start = 0
        expand = 1
        widest = 1
        j = i
        while j < n and lane[by[j]] == here and col[by[j]] == at:
            total = 0
            k = j
            while k < n and lane[by[k]] == here and col[by[k]] == at and strip[by[k]] == strip[by[j]]:
                total += tall[by[k]]
                widest = max(widest, span[by[k]])
                k += 1
            parts = max(1, (total + cap - 1) // cap)
            share = (total + parts - 1) // parts
            used = 0
            for q in range(j, k):
                sub = min(parts - 1, used // share)
                out[by[q]] = start + sub
                used += tall[by[q]]
            expand = max(expand, parts)
            j = k
        width[here] = max(width[here], start + expand + widest - 1)
        adjacent = j < n and lane[by[j]] == here and col[by[j]] == at + 1
        start += expand if adjacent else expand + widest - 1
        i = j
    return out, width


@njit(cache=True, nogil=True)
def leaves(n, out_off, out, in_off, ins):
    """The op that each leaf belongs to, -1 for all others: int32[n].

    A leaf is a source with one consumer, or a sink with one producer, that has company there: a bias of an Add, but
    not the only input of a chain.
    """
    leaf = np.full(n, -1, np.int32)
    for v in range(n):
        into = in_off[v + 1] - in_off[v]
        outof = out_off[v + 1] - out_off[v]
        if into == 0 and outof == 1:
            w = out[out_off[v]]
            # the first input stays in line where all inputs are such sources
            first = ins[in_off[w]] == v
            if first:
                for k in range(in_off[w] + 1, in_off[w + 1]):
                    u = ins[k]
                    if in_off[u + 1] > in_off[u] or out_off[u + 1] - out_off[u] > 1:
                        first = False
            if not first:
                leaf[v] = w
        elif outof == 0 and into == 1:
            u = ins[in_off[v]]
            last = out[out_off[u]] == v
            if last:
                for k in range(out_off[u] + 1, out_off[u + 1]):
                    w = out[k]
                    if out_off[w + 1] > out_off[w] or in_off[w + 1] - in_off[w] > 1:
                        last = False
            if not last:
                leaf[v] = u
    for v in range(n):  # two ops that are alone together: one of them must stand
        if leaf[v] >= 0 and leaf[leaf[v]] >= 0:
            leaf[leaf[v]] = -1
    return leaf


@njit(cache=True, nogil=True)
def cover(n, col, span, leaf, out_off, out, max_gap):
    """Greedy cover by paths, the longest first; a path skips at most max_gap columns between two of its ops.

    Returns path int32[n] (-1 for leaves), offsets int32[paths + 1] and members int32, each path from left to right.
    """
    key = np.empty(n, np.int64)
    for v in range(n):
        key[v] = np.int64(col[v]) * n + v
    order = np.argsort(key)
    up = np.zeros(n, np.int32)
    down = np.zeros(n, np.int32)
    for u in order:
        if leaf[u] < 0:
            up[u] += 1
            for k in range(out_off[u], out_off[u + 1]):
                up[out[k]] = max(up[out[k]], up[u])
    for i in range(n - 1, -1, -1):
        u = order[i]
        if leaf[u] < 0:
            for k in range(out_off[u], out_off[u + 1]):
                down[u] = max(down[u], down[out[k]])
            down[u] += 1
    for v in range(n):
        key[v] = (np.int64(2 * n - up[v] - down[v]) * (n + 1) + up[v]) * n + v
    path = np.full(n, -1, np.int32)
    offsets = np.zeros(n + 1, np.int32)
    members = np.empty(n, np.int32)
    count = 0
    fill = 0
    for v in np.argsort(key):
        if leaf[v] >= 0 or path[v] >= 0:
            continue
        u = v
        while u >= 0:
            path[u] = count
            members[fill] = u
            fill += 1
            best = -1
            for k in range(out_off[u], out_off[u + 1]):
                w = out[k]
                if path[w] >= 0 or leaf[w] >= 0 or col[w] - col[u] - span[u] > max_gap:
                    continue
                if best < 0 or down[w] > down[best] or (down[w] == down[best] and w < best):
                    best = w
            u = best
        count += 1
        offsets[count] = fill
    return path, offsets[: count + 1].copy(), members[:fill].copy()


@njit(cache=True, nogil=True)
def profiles(n, col, span, tall, leaf, path, offsets, members):
    """Footprint of every path: in each of its columns the slots 0..depth-1 below its own slot.

    Returns offset int32[n] of each card below its path's slot, first column int32[paths], where each path's depths
    begin int64[paths + 1], and the depths int32.
    """
    paths = len(offsets) - 1
    first = np.full(paths, 2**30, np.int32)
    last = np.full(paths, -1, np.int32)
    owner = path.copy()
    for v in range(n):
        if leaf[v] >= 0:
            owner[v] = path[leaf[v]]
        p = owner[v]
        first[p] = min(first[p], col[v])
        last[p] = max(last[p], col[v] + span[v])
    begin = np.zeros(paths + 1, np.int64)
    for p in range(paths):
        begin[p + 1] = begin[p] + last[p] - first[p]
    depth = np.zeros(begin[paths], np.int32)
    for p in range(paths):
        base = begin[p] - first[p]
        for i in range(offsets[p], offsets[p + 1]):
            u = members[i]
            end = col[u] + span[u]
            for c in range(col[u], end):
                depth[base + c] = max(depth[base + c], tall[u])
            if i + 1 < offsets[p + 1]:
                for c in range(end, col[members[i + 1]]):
                    depth[base + c] = max(depth[base + c], 1)
    offset = np.zeros(n, np.int32)
    for v in range(n):
        if leaf[v] < 0:
            continue
        base = begin[owner[v]] - first[owner[v]]
        top = 0
        for c in range(col[v], col[v] + span[v]):
            top = max(top, depth[base + c])
        offset[v] = top
        for c in range(col[v], col[v] + span[v]):
            depth[base + c] = top + tall[v]
    return offset, owner, first, begin, depth
