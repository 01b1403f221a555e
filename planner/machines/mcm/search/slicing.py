"""The best cut of one topological order into consecutive chips, by dynamic programming.

A segment is costed as it grows, one unit at a time, in O(degree). With the triangle rule (MCM paper, equation 4) only segments are
taken that no dependency jumps over: then every dependency leads to the same or the next chip, no pair of chips has a direct
and an indirect way, and whether a segment may be taken depends on the segment alone. The cut is exact for the order under that
condition; it is narrower than the rule where branches run side by side. A copied source that is tied to others may come after
ops that read it, and its copies then cost the cut nothing; whoever takes the plan evaluates it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, cast

import numpy as np

from planner.compiling.kernel import njit
from planner.machines.mcm.search.units import McmUnits
from planner.model.graph import Floats, Ints
from planner.search.search import Search

if TYPE_CHECKING:
    from planner.machines.mcm.evaluator import McmEvaluator

ONE = np.uint64(1)
STEPS_PER_SLICE = 4_000_000
"""Comparisons between two looks at the stop criteria: some ten milliseconds."""


@njit(cache=True, nogil=True)
def cut(
    begin, budget, order, cutoff, room, jumps, total, hop, skips, k, work, params, allowed, succ_ptr, succ_idx, receive,
    send, size, carried, producer, reader_ptr, reader_idx, out_ptr, out_idx, in_ptr, in_idx, place, last, stamp, reach, best, back,
):  # fmt: skip
    """Grow the segments that begin at ``begin``, ``begin`` + 1, .. until ``budget`` comparisons are made; where to go on.

    ``best`` float64[m + 1, k + 1]: the least largest cost (with ``total``: the least sum of costs and hops) of the first e
    units on the first c chips, ``back`` int32 where their last segment begins. Only costs below ``cutoff`` and bytes up to
    ``room`` count. ``jumps``: dependencies may jump over a segment; ``skips``: a chip may stay empty. ``place`` int32[m]
    (position of each unit), ``last`` int32[t] (position of a tensor's last reader), ``stamp`` int32[t] (-1 at first) and
    ``reach`` int32[m + 1] are filled when ``begin`` is 0.
    """
    m = len(order)
    if begin == 0:
        for p in range(m):
            place[order[p]] = p
        for i in range(len(producer)):
            last[i] = -1
            for e in range(reader_ptr[i], reader_ptr[i + 1]):
                last[i] = max(last[i], place[reader_idx[e]])
        reach[0] = -1
        for p in range(m):
            u = order[p]
            reach[p + 1] = reach[p]
            for e in range(succ_ptr[u], succ_ptr[u + 1]):
                reach[p + 1] = max(reach[p + 1], place[succ_idx[e]])
        best[:] = np.inf
        best[0, 0] = 0.0
    done = 0
    rest = 0.0
    for p in range(begin, m):
        rest += work[order[p]]
    for s in range(begin, m):
        # What no chip has done yet before s, which a sum of costs cannot do without.
        ahead = rest if total else 0.0
        rest -= work[order[s]]
        if done > budget:
            return s
        low = k + 1
        high = -1
        least = np.inf
        for c in range(k + 1):
            if skips and c > 0 and best[s, c - 1] + (hop if total else 0.0) < best[s, c]:
                best[s, c] = best[s, c - 1] + (hop if total else 0.0)
                back[s, c] = s
            if best[s, c] < np.inf:
                low = min(low, c)
                high = c
                least = min(least, best[s, c])
        high = min(high, k - 1)
        if high < low:
            continue
        busy = 0.0
        entering = 0.0
        leaving = 0.0
        held = 0.0
        live = 0.0
        peak = 0.0
        chips = ~np.uint64(0)
        for q in range(s, m):
            u = order[q]
            busy += work[u]
            held += params[u]
            chips &= allowed[u]
            for e in range(in_ptr[u], in_ptr[u + 1]):
                i = in_idx[e]
                if place[producer[i]] < s and stamp[i] != s:
                    stamp[i] = s
                    entering += receive[i]
                    held += size[i] + carried[i]
            for e in range(out_ptr[u], out_ptr[u + 1]):
                i = out_idx[e]
                leaving += send[i]
                live += size[i]
            peak = max(peak, live)
            for e in range(in_ptr[u], in_ptr[u + 1]):
                i = in_idx[e]
                if last[i] == q and place[producer[i]] >= s:
                    leaving -= send[i]
                    live -= size[i]
            if busy + entering >= cutoff or held + peak > room or chips == 0:
                break
            if total and least + entering + ahead >= cutoff:
                break
            done += 1
            if not jumps and q < m - 1 and reach[s] > q:
                continue
            cost = busy + entering + max(leaving, 0.0)
            if cost >= cutoff:
                continue
            done += high - low + 1
            for c in range(low, high + 1):
                if (chips >> np.uint64(c)) & ONE and best[s, c] < np.inf:
                    value = best[s, c] + cost + (hop if c > 0 else 0.0) if total else max(best[s, c], cost)
                    if value < best[q + 1, c + 1] and value + max(ahead - busy, 0.0) < cutoff:
                        best[q + 1, c + 1] = value
                        back[q + 1, c + 1] = s
    return m


class McmSlicer:
    """Cuts orders of ``units`` (:meth:`cut`); ``capacity`` is what a segment may hold in bytes, as far as the cut can tell."""

    def __init__(self, units: McmUnits) -> None:
        e = cast("McmEvaluator", units.problem.evaluator)
        target = e.target
        self.units = units
        self.k = e.k
        self.total = e.single_sample
        self.jumps = not target.triangle
        self.skips = not (target.no_skip or target.every_chip)
        self.every = target.every_chip
        self.hop = e.hop
        self.capacity = float(e.capacity.min())
        m, t = units.count, len(units.producer)
        self._place = np.empty(m, np.int32)
        self._last = np.empty(t, np.int32)
        self._stamp = np.empty(t, np.int32)
        self._reach = np.empty(m + 1, np.int32)
        self._best = np.empty((m + 1, self.k + 1))
        self._back = np.zeros((m + 1, self.k + 1), np.int32)

    def cut(
        self, order: Ints, search: Search, cutoff: float = math.inf, room: float = math.inf
    ) -> Ints | None:
        """The chip of each unit (int32[m]) in the best cut of ``order`` that costs less than ``cutoff``; None without one.

        Raises :class:`planner.search.search.Stopped`.
        """
        u = self.units
        self._stamp[:] = -1
        at = 0
        while at < u.count:
            at = cut(
                at, STEPS_PER_SLICE, order, cutoff, min(room, self.capacity), self.jumps, self.total, self.hop, self.skips,
                self.k, u.work, u.params, u.allowed, u.succ_ptr, u.succ_idx, u.receive, u.send, u.size, u.carried, u.producer,
                u.reader_ptr, u.reader_idx, u.out_ptr, u.out_idx, u.in_ptr, u.in_idx, self._place, self._last,
                self._stamp, self._reach, self._best, self._back,
            )  # fmt: skip
            search.check()
        return self._traced(order)

    def widening(self, order: Ints, search: Search, first: float, room: float = math.inf) -> Ints | None:
        """The best :meth:`cut` (int32[m]) of ``order`` (int32[m]) at any cost, by cutoffs that double from ``first``: low ones are quick."""
        cutoff = first
        for _ in range(6):
            place = self.cut(order, search, cutoff, room)
            if place is not None:
                return place
            cutoff *= 2.0
        return self.cut(order, search, math.inf, room)

    def _traced(self, order: Ints) -> Ints | None:
        m = self.units.count
        last: Floats = self._best[m]
        chips = self.k if self.every else int(np.argmin(last))
        if not last[chips] < math.inf:
            return None
        place = np.empty(m, np.int32)
        end, c = m, chips
        while c > 0:
            begin = int(self._back[end, c])
            place[order[begin:end]] = c - 1
            end, c = begin, c - 1
        return place
