"""The U-fold of training graphs: shared columns for a forward strip and the backward strip beneath it."""

from __future__ import annotations

import numpy as np

from gui.layout.csr import adjacency, components, topological_order
from gui.layout.ranks import columns, hang, longest_path, sequence_components
from planner.compiling.kernel import njit

#: columns that the backward strip may run ahead before the forward strip is stretched to follow
SLACK = 2


@njit(cache=True, nogil=True)
def _anchors(n, strip, rank, partner, src, dst):
    """Forward rank that each backward op wants to stand under: its partner's, or the median of its forward inputs'."""
    want = np.full(n, -1, np.int32)
    count = np.zeros(n + 1, np.int32)
    for e in range(len(src)):
        if strip[dst[e]] == 1 and strip[src[e]] == 0:
            count[dst[e] + 1] += 1
    for v in range(n):
        count[v + 1] += count[v]
    seen = np.empty(count[n], np.int32)
    fill = count[:-1].copy()
    for e in range(len(src)):
        if strip[dst[e]] == 1 and strip[src[e]] == 0:
            seen[fill[dst[e]]] = rank[src[e]]
            fill[dst[e]] += 1
    for v in range(n):
        if strip[v] == 0:
            continue
        p = partner[v]
        if p >= 0 and strip[p] == 0:
            want[v] = rank[p]
        elif count[v + 1] > count[v]:
            part = seen[count[v] : count[v + 1]]
            part = part[np.argsort(part)]  # never np.sort in a kernel, see tests/gui/canvas/test_kernels.py
            want[v] = part[len(part) // 2]
    return want


@njit(cache=True, nogil=True)
def _monotone(order, out_off, out, want, strip):
    """The nearest wishes that never decrease from left to right: the mean of the two extreme monotone ones."""
    n = len(want)
    low = want.copy()
    high = np.where(want < 0, np.int32(2**30), want).astype(np.int32)
    for u in order:
        for k in range(out_off[u], out_off[u + 1]):
            low[out[k]] = max(low[out[k]], low[u])
    for i in range(len(order) - 1, -1, -1):
        u = order[i]
        for k in range(out_off[u], out_off[u + 1]):
            high[u] = min(high[u], high[out[k]])
    place = np.zeros(n, np.int32)
    for u in order:
        if strip[u] == 0:
            continue
        lo, hi = low[u], high[u]
        if lo < 0 and hi == 2**30:
            mean = 0
        elif lo < 0:
            mean = hi
        elif hi == 2**30:
            mean = lo
        else:
            mean = (lo + hi) // 2
        place[u] = max(place[u], mean)
        for k in range(out_off[u], out_off[u + 1]):
            place[out[k]] = max(place[out[k]], place[u])
    return place


@njit(cache=True, nogil=True)
def _stretch(n, order, in_off, ins, strip, rank, place, span, slack):
    """Columns of both strips: rank r starts where the forward strip allows and the backward strip has caught up."""
    last = 0
    for v in range(n):
        last = max(last, place[v], rank[v])
    start = np.zeros(last + 2, np.int64)
    for v in order:
        if strip[v] == 1:
            start[place[v] + 1] += 1
    for r in range(last + 1):
        start[r + 1] += start[r]
    fill = start.copy()
    by_place = np.empty(start[last + 1], np.int32)
    for v in order:  # topological order survives inside each place
        if strip[v] == 1:
            by_place[fill[place[v]]] = v
            fill[place[v]] += 1
    at = np.zeros(last + 1, np.int32)
    col = np.zeros(n, np.int32)
    reach = 0
    for r in range(last + 1):
        if r > 0:
            at[r] = max(at[r - 1] + 1, reach - slack)
        for i in range(start[r], start[r + 1]):
            v = by_place[i]
            c = at[r]
            for k in range(in_off[v], in_off[v + 1]):
                u = ins[k]
                if strip[u] == 1:
                    c = max(c, col[u] + span[u])
            col[v] = c
            if in_off[v + 1] > in_off[v]:  # what starts a chain can wait, it never drives the others on
                reach = max(reach, c)
    for v in range(n):
        if strip[v] == 0:
            col[v] = at[rank[v]]
    return col


def fold_strips(n, src, dst, backward):
    """Strip of every op, 0 forward and 1 backward: uint8[n]. Forward ops that serve backward ops alone go along."""
    strip = backward.astype(np.uint8)
    if not strip.any() or strip.all():
        return np.zeros(n, np.uint8)
    touches_forward = np.zeros(n, bool)
    touches_backward = np.zeros(n, bool)
    for a, b in ((src, dst), (dst, src)):
        touches_forward[a[strip[b] == 0]] = True
        touches_backward[a[strip[b] == 1]] = True
    return np.where(touches_backward & ~touches_forward, 1, strip).astype(np.uint8)


def folded_columns(n, src, dst, span, strip, partner):
    """Columns of a training graph, the backward strip running from right to left: int32[n].

    strip: uint8[n] from `fold_strips`; partner: int32[n], forward partner or -1. Within strip 0 every edge leads to
    a higher column, within strip 1 to a lower one.
    """
    forward = (strip[src] == 0) & (strip[dst] == 0)
    reverse = (strip[src] == 1) & (strip[dst] == 1)
    rank = columns(n, src[forward], dst[forward], span)
    # ops alone in the forward strip share the last column of `columns`; they stand beside what they touch instead
    left, right = dst[reverse], src[reverse]
    out_off, out = adjacency(n, left, right)
    in_off, ins = adjacency(n, right, left)
    order, _ = topological_order(n, out_off, out, in_off)
    place = _monotone(order, out_off, out, _anchors(n, strip, rank, partner, src, dst), strip)
    col = _stretch(n, order, in_off, ins, strip, rank, place, span, SLACK)
    hang(n, order, out_off, out, in_off, ins, span, longest_path(n, order, out_off, out, span), col)
    out_off, out = adjacency(n, src[forward], dst[forward])
    in_off, ins = adjacency(n, dst[forward], src[forward])
    order, _ = topological_order(n, out_off, out, in_off)
    hang(n, order, out_off, out, in_off, ins, span, longest_path(n, order, out_off, out, span), col)
    # components stay one after another, both strips of one component together
    sequence_components(n, components(n, src, dst), span, col)
    return col
