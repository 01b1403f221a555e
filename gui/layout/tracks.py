"""Slots: every path is put on a free track, as near to the paths it is joined to as it can be."""

from __future__ import annotations

import heapq

import numpy as np

from planner.compiling.kernel import njit

#: edges over more columns than this pull on a path only where it has no shorter ones
NEAR = 12


@njit(cache=True, nogil=True)
def _fits(taken, base, first, begin, depth, p, slot):
    height = taken.shape[1]
    if slot < 0:
        return False
    for i in range(begin[p], begin[p + 1]):
        d = depth[i]
        if slot + d > height:
            return False
        c = base + first[p] + i - begin[p]
        for k in range(slot, slot + d):
            if taken[c, k]:
                return False
    return True


@njit(cache=True, nogil=True)
def _mark(taken, base, first, begin, depth, p, slot, value):
    for i in range(begin[p], begin[p + 1]):
        c = base + first[p] + i - begin[p]
        for k in range(slot, slot + depth[i]):
            taken[c, k] = value


@njit(cache=True, nogil=True)
def _wish(p, offsets, members, path, place, col, out_off, out, in_off, ins, scratch):
    """Median slot of the placed neighbours of path p and which side they lean to; -1 where none is placed."""
    for reach in (NEAR, 2**30):
        count = 0
        for i in range(offsets[p], offsets[p + 1]):
            u = members[i]
            for k in range(out_off[u], out_off[u + 1]):
                q = path[out[k]]
                if q >= 0 and q != p and place[q] >= 0 and col[out[k]] - col[u] <= reach:
                    scratch[count] = place[q]
                    count += 1
            for k in range(in_off[u], in_off[u + 1]):
                q = path[ins[k]]
                if q >= 0 and q != p and place[q] >= 0 and col[u] - col[ins[k]] <= reach:
                    scratch[count] = place[q]
                    count += 1
        if count:
            seen = scratch[:count]
            seen = seen[np.argsort(seen)]  # never np.sort in a kernel, see tests/gui/canvas/test_kernels.py
            middle = seen[count // 2]
            return middle, 2 * seen.sum() < 2 * middle * count
    return -1, False


@njit(cache=True, nogil=True)
def _nearest(taken, base, first, begin, depth, p, wish, up):
    """Free slot nearest to the wish, -1 where the path fits nowhere."""
    sign = -1 if up else 1
    for d in range(taken.shape[1]):
        if _fits(taken, base, first, begin, depth, p, wish + sign * d):
            return wish + sign * d
        if d > 0 and _fits(taken, base, first, begin, depth, p, wish - sign * d):
            return wish - sign * d
    return -1


@njit(cache=True, nogil=True)
def pack(n, group, bases, height, col, span, tall, leaf, owner, offset, path, offsets, members, first, begin, depth,
         out_off, out, in_off, ins, rounds):  # fmt: skip
    """Slot of every card: int32[n], relative to an arbitrary line; no two cards of a group overlap.

    group: int32[n], ops that share columns; bases: int64[groups + 1], where each group's columns begin in one
    common row of columns. The longest path of each component comes first, then its neighbours, longest first.
    rounds: how often every path is then taken out and put back.
    """
    paths = len(offsets) - 1
    taken = np.zeros((bases[-1], height), np.uint8)
    place = np.full(paths, -1, np.int32)
    queued = np.zeros(paths, np.bool_)
    scratch = np.empty(2 * len(out) + 1, np.int32)
    sequence = np.empty(paths, np.int32)
    root = np.zeros(paths, np.bool_)
    done = 0
    loose = np.zeros(paths, np.bool_)
    for seed in range(paths):
        if queued[seed]:
            continue
        heap = [np.int64(seed)]
        queued[seed] = True
        root[seed] = True
        while heap:
            p = np.int32(heapq.heappop(heap) % paths)
            base = bases[group[members[offsets[p]]]]
            wish, up = _wish(p, offsets, members, path, place, col, out_off, out, in_off, ins, scratch)
            if wish < 0:
                wish = height // 2
            slot = _nearest(taken, base, first, begin, depth, p, wish, up)
            place[p] = slot if slot >= 0 else wish
            loose[p] = slot < 0
            if slot >= 0:
                _mark(taken, base, first, begin, depth, p, slot, 1)
            sequence[done] = p
            done += 1
            for i in range(offsets[p], offsets[p + 1]):
                u = members[i]
                for k in range(out_off[u], out_off[u + 1]):
                    q = path[out[k]]
                    if q >= 0 and not queued[q]:
                        queued[q] = True
                        heapq.heappush(heap, np.int64(n - offsets[q + 1] + offsets[q]) * paths + q)
                for k in range(in_off[u], in_off[u + 1]):
                    q = path[ins[k]]
                    if q >= 0 and not queued[q]:
                        queued[q] = True
                        heapq.heappush(heap, np.int64(n - offsets[q + 1] + offsets[q]) * paths + q)
    for _ in range(rounds):
        for p in sequence:
            if root[p] or loose[p]:
                continue
            wish, up = _wish(p, offsets, members, path, place, col, out_off, out, in_off, ins, scratch)
            if wish == place[p] or wish < 0:
                continue
            base = bases[group[members[offsets[p]]]]
            _mark(taken, base, first, begin, depth, p, place[p], 0)
            place[p] = _nearest(taken, base, first, begin, depth, p, wish, up)
            _mark(taken, base, first, begin, depth, p, place[p], 1)
    slots = np.empty(n, np.int32)
    for v in range(n):
        slots[v] = place[owner[v]] + offset[v]
    # a path that fits nowhere in one piece is laid card by card, its own cards before its leaves
    for leaves_now in (False, True):
        for v in range(n):
            if not loose[owner[v]] or (leaf[v] >= 0) != leaves_now:
                continue
            base = bases[group[v]] + col[v]
            s = slots[v]
            for d in range(2 * height + 2 * abs(s)):
                s = slots[v] + (d + 1) // 2 * (1 if d % 2 else -1)
                free = s >= 0 and s + tall[v] <= height
                if free:
                    for c in range(base, base + span[v]):
                        for k in range(s, s + tall[v]):
                            free = free and not taken[c, k]
                if free:
                    break
            slots[v] = s
            for c in range(base, base + span[v]):
                for k in range(s, s + tall[v]):
                    taken[c, k] = 1
    return slots


@njit(cache=True, nogil=True)
def sweep(n, group, bases, col, span, tall, leaf, path, offsets, slot, out_off, out, in_off, ins, rounds):
    """Barycentre sweeps, in place: the cards of a column that stand alone trade their slots.

    Long paths stay as they are; in a dense graph without long chains this orders nearly all cards. Every second sweep
    goes from right to left and looks at the consumers instead of the producers.
    """
    loose = np.zeros(n, np.bool_)
    for v in range(n):
        p = path[v]
        loose[v] = p >= 0 and offsets[p + 1] - offsets[p] == 1 and span[v] == 1 and tall[v] == 1
    for v in range(n):
        if leaf[v] >= 0:
            loose[leaf[v]] = False
    key = np.empty(n, np.int64)
    for v in range(n):
        key[v] = (bases[group[v]] + col[v]) * n + v
    order = np.argsort(key)
    mean = np.empty(n, np.float64)
    for turn in range(rounds):
        i = 0 if turn % 2 == 0 else n - 1
        step = 1 if turn % 2 == 0 else -1
        while 0 <= i < n:
            place = key[order[i]] // n
            j = i
            while 0 <= j < n and key[order[j]] // n == place:
                j += step
            first, last = (i, j) if step > 0 else (j + 1, i + 1)
            i = j
            cards = np.empty(last - first, np.int32)
            count = 0
            for q in range(first, last):
                v = order[q]
                if loose[v]:
                    total = 0.0
                    weight = 0
                    # the last rounds look at both sides
                    if step > 0 or turn >= rounds - 2:
                        for k in range(in_off[v], in_off[v + 1]):
                            total += slot[ins[k]]
                        weight += in_off[v + 1] - in_off[v]
                    if step < 0 or turn >= rounds - 2:
                        for k in range(out_off[v], out_off[v + 1]):
                            total += slot[out[k]]
                        weight += out_off[v + 1] - out_off[v]
                    mean[v] = total / weight if weight else slot[v]
                    cards[count] = v
                    count += 1
            if count < 2:
                continue
            cards = cards[:count]
            slots = slot[cards]
            slots = slots[np.argsort(slots)]
            wish = np.argsort(mean[cards], kind="mergesort")
            for q in range(count):
                slot[cards[wish[q]]] = slots[q]
