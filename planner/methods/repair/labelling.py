"""The cheapest labelling of units under order and span constraints, exact, as one minimum cut.

Each unit takes one of L labels at a cost of its own, label by label, whatever its shape; f(u) <= f(v) <= f(u) + s on every
constraint (u, v, s). A node per unit and threshold says "f(v) >= t": what a cut pays between two thresholds of a unit
is the cost of the label between them, and an endless arc says that one threshold brings another along (Ishikawa, "Exact
optimization for Markov random fields with convex priors", 2003, section 3). As costs may say "0 where the op is, 1
elsewhere", the labelling that changes the fewest ops is found, not only the nearest one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planner.compiling.kernel import njit
from planner.methods.max_flow import ENDLESS, push_phase
from planner.model.graph import Bools, Ints, csr

Longs = NDArray[np.int64]

FORBIDDEN = 1 << 50
"""The cost of a label that a unit must not take; sums of the other costs stay below it."""
MOST_ARCS = 500_000
"""Larger networks are not built: one phase of the flow would take too long to stop at once."""


class Labelling(NamedTuple):
    """``labels`` int32[m] and their ``cost``, the least there is."""

    labels: Ints
    cost: int


def cheapest(
    costs: Longs, src: Ints, dst: Ints, span: Ints, stopped: Callable[[], bool] = lambda: False
) -> Labelling | None:
    """The cheapest labelling, or None where it was ``stopped`` or is too large.

    ``costs`` int64[m, L] (FORBIDDEN = must not); for each constraint f(src) <= f(dst) <= f(src) + span (``span`` >= L =
    none). A result that costs FORBIDDEN or more proves that no labelling satisfies everything.
    """
    m, labels = costs.shape
    if m == 0 or labels == 1:
        return Labelling(np.zeros(m, np.int32), int(costs.sum()))
    if m * (2 * labels - 1) + 2 * len(src) * labels > MOST_ARCS:
        return None
    ends = _ends(costs, src.astype(np.int32), dst.astype(np.int32), np.minimum(span, labels).astype(np.int32))
    head, tail, cap = ends
    nodes = m * (labels - 1) + 2
    ptr, arcs = csr(tail, np.arange(len(tail), dtype=np.int32), nodes)
    scratch = [np.empty(nodes, np.int32) for _ in range(4)]
    total = 0
    while True:
        if stopped():
            return None
        added = push_phase(head, ptr, arcs, cap, *scratch)
        if added == 0:
            break
        total += int(added)
        if total >= FORBIDDEN:
            break
    above = (scratch[0][: m * (labels - 1)] < 0).reshape(m, labels - 1)
    return Labelling(above.sum(axis=1).astype(np.int32), total)


@njit(cache=True, nogil=True)
def _ends(costs, src, dst, span):
    """Heads, tails (int32[2a]) and capacities (int64[2a]) of the arcs, in pairs."""
    m, labels = costs.shape
    steps = labels - 1
    count = m * labels + m * (steps - 1)
    for e in range(len(src)):
        count += steps + max(steps - span[e], 0)
    head = np.empty(2 * count, np.int32)
    tail = np.empty(2 * count, np.int32)
    cap = np.zeros(2 * count, np.int64)
    source, sink = m * steps, m * steps + 1
    a = 0
    for v in range(m):
        for l in range(labels):
            u = source if l == 0 else v * steps + l - 1
            w = sink if l == steps else v * steps + l
            tail[a], head[a], cap[a] = u, w, costs[v, l]
            tail[a + 1], head[a + 1] = w, u
            a += 2
        for t in range(1, steps):
            u, w = v * steps + t, v * steps + t - 1
            tail[a], head[a], cap[a] = u, w, ENDLESS
            tail[a + 1], head[a + 1] = w, u
            a += 2
    for e in range(len(src)):
        for t in range(steps):
            u, w = src[e] * steps + t, dst[e] * steps + t
            tail[a], head[a], cap[a] = u, w, ENDLESS
            tail[a + 1], head[a + 1] = w, u
            a += 2
        for t in range(span[e], steps):
            u, w = dst[e] * steps + t, src[e] * steps + t - span[e]
            tail[a], head[a], cap[a] = u, w, ENDLESS
            tail[a + 1], head[a + 1] = w, u
            a += 2
    return head, tail, cap


@njit(cache=True, nogil=True)
def narrow(low, high, src, dst, span):
    """Carry ``low`` and ``high`` (int32[m]) along the constraints until nothing changes; a window may end up empty.

    Windows that start at what each unit may take end exact: where none is empty, some labelling takes all the lows and
    another all the highs. O(constraints) a round, there and back.
    """
    changed = True
    forward = True
    count = len(src)
    while changed:
        changed = False
        for i in range(count):
            e = i if forward else count - 1 - i
            u, v, s = src[e], dst[e], span[e]
            if low[u] > low[v]:
                low[v] = low[u]
                changed = True
            if high[v] < high[u]:
                high[u] = high[v]
                changed = True
            if low[v] - s > low[u]:
                low[u] = low[v] - s
                changed = True
            if high[u] + s < high[v]:
                high[v] = high[u] + s
                changed = True
        forward = not forward


@njit(cache=True, nogil=True)
def one_by_one(order, wish, low, high, src, dst, span, ptr, touching):
    """Give units their wishes in ``order`` wherever the windows allow it, else the nearest label that they allow.

    ``wish`` int32[m]; ``low`` and ``high`` are exact windows and end closed, low = high = the labels. ``ptr`` int32[m+1] and
    ``touching``: the constraints of each unit. As windows stay exact, nothing has to be taken back. O(m x constraints)
    at worst, in practice a few steps per unit.
    """
    stack = np.empty(len(src) * 4 + len(order) + 4, np.int32)
    queued = np.zeros(len(order), np.bool_)
    for rounds in range(2):
        for i in range(len(order)):
            v = order[i]
            if low[v] == high[v]:
                continue
            if rounds == 0 and (wish[v] < low[v] or wish[v] > high[v]):
                continue
            label = min(max(wish[v], low[v]), high[v])
            low[v] = label
            high[v] = label
            top = 1
            stack[0] = v
            while top > 0:
                top -= 1
                x = stack[top]
                queued[x] = False
                for y in range(ptr[x], ptr[x + 1]):
                    e = touching[y]
                    a, b, s = src[e], dst[e], span[e]
                    left = max(low[a], low[b] - s)
                    right = min(high[a], high[b])
                    if left > low[a] or right < high[a]:
                        low[a] = left
                        high[a] = right
                        if not queued[a]:
                            queued[a] = True
                            stack[top] = a
                            top += 1
                    left = max(low[b], low[a])
                    right = min(high[b], high[a] + s)
                    if left > low[b] or right < high[b]:
                        low[b] = left
                        high[b] = right
                        if not queued[b]:
                            queued[b] = True
                            stack[top] = b
                            top += 1


def settled(wanted_low: Ints, wanted_high: Ints, src: Ints, dst: Ints, span: Ints) -> Bools:
    """bool[m]: units that want one label only, with which nothing that any other unit wants disagrees.

    ``wanted_low`` and ``wanted_high`` (int32[m]) are the least and the largest label that a unit wants (nothing: low >
    high). Every cheapest labelling leaves settled units where they are, provided that wanted labels lie within the exact
    windows and that what is not wanted costs more than all distances together: labels that agree pairwise with all
    constraints and their consequences belong to one labelling, so a unit that gives way to nobody need not move.
    """
    up = np.where(wanted_low <= wanted_high, wanted_low, np.int32(1 << 20)).astype(np.int32)
    down = np.where(wanted_low <= wanted_high, wanted_high, np.int32(-(1 << 20))).astype(np.int32)
    narrow(down, up, src, dst, span)
    fine: Bools = (wanted_low == wanted_high) & (up == wanted_low) & (down == wanted_high)
    return fine
