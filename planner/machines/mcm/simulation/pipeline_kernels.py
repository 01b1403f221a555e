"""A package that works on one inference after another, event by event: chips, bursts between them, links that bursts share.

Shapes: k chips, b bursts, s inferences. Link l leads from chip l to chip l + 1. What waits for what is told in
:mod:`planner.machines.mcm.simulation.simulator`.
"""

from __future__ import annotations

import numpy as np

from planner.compiling.kernel import njit

BUFFERS = 2
"""Sets of buffers that a chip has for what arrives, and for what leaves."""


@njit(cache=True, nogil=True)
def push(times, keys, size, time, key):
    """Put a request into a heap of ``size`` entries (``times`` float64, ``keys`` int64), the earliest one on top, ties by key."""
    i = size
    while i > 0:
        above = (i - 1) // 2
        if times[above] < time or (times[above] == time and keys[above] < key):
            break
        times[i], keys[i] = times[above], keys[above]
        i = above
    times[i], keys[i] = time, key


@njit(cache=True, nogil=True)
def pop(times, keys, size):
    """Take the top off a heap of ``size`` entries, which has one less then."""
    time, key = times[size - 1], keys[size - 1]
    i = 0
    while True:
        below = 2 * i + 1
        if below >= size - 1:
            break
        if below + 1 < size - 1 and (
            times[below + 1] < times[below]
            or (times[below + 1] == times[below] and keys[below + 1] < keys[below])
        ):
            below += 1
        if time < times[below] or (time == times[below] and key < keys[below]):
            break
        times[i], keys[i] = times[below], keys[below]
        i = below
    times[i], keys[i] = time, key


@njit(cache=True, nogil=True)
def run_package(work, home, last, time, reads, out_ptr, out_idx, in_ptr, in_idx, hop, begin, end, carried):
    """When each chip runs each inference: ``begin`` and ``end`` float64[s, k]; ``carried`` float64[k]: the time that each link is held.

    ``work`` float64[s, k] is what each takes. ``home``, ``last`` int32[b]: where a burst comes from and the farthest chip that it
    goes to; ``time`` float64[b]: how long it holds a link; ``reads`` uint64[b]: the chips that it goes to, as a set of bits.
    ``out_ptr``, ``out_idx``, ``in_ptr``, ``in_idx`` int32: the bursts that leave each chip and arrive there.
    """
    count, k = work.shape
    bursts = len(home)
    begin[:] = 0.0
    carried[:] = 0.0
    # What each run of a chip and each burst still waits for, and the latest of what it has waited for.
    runs_wait = np.zeros((count, k), np.int32)
    bursts_wait = np.ones((count, bursts), np.int32)
    asked = np.zeros((count, bursts))
    for s in range(count):
        for c in range(k):
            runs_wait[s, c] = in_ptr[c + 1] - in_ptr[c] + (s > 0)
            if s >= BUFFERS:
                runs_wait[s, c] += out_ptr[c + 1] - out_ptr[c]
        for b in range(bursts):
            if s >= BUFFERS:
                for c in range(k):
                    bursts_wait[s, b] += (reads[b] >> np.uint64(c)) & np.uint64(1) > 0
    at = np.empty((count, bursts), np.int32)
    free = np.zeros(k)
    times = np.empty(count * bursts + 1)
    keys = np.empty(count * bursts + 1, np.int64)
    size = 0
    ready = np.empty(count * k + 1, np.int64)
    waiting = 0
    for c in range(k - 1, -1, -1):
        if runs_wait[0, c] == 0:
            ready[waiting] = c
            waiting += 1
    while True:
        while waiting > 0:
            waiting -= 1
            s, c = ready[waiting] // k, ready[waiting] % k
            finished = begin[s, c] + work[s, c]
            end[s, c] = finished
            if s + 1 < count:
                begin[s + 1, c] = max(begin[s + 1, c], finished)
                runs_wait[s + 1, c] -= 1
                if runs_wait[s + 1, c] == 0:
                    ready[waiting] = (s + 1) * k + c
                    waiting += 1
            for e in range(out_ptr[c], out_ptr[c + 1]):
                b = out_idx[e]
                asked[s, b] = max(asked[s, b], finished)
                bursts_wait[s, b] -= 1
                if bursts_wait[s, b] == 0:
                    at[s, b] = c
                    push(times, keys, size, asked[s, b], s * bursts + b)
                    size += 1
            if s + BUFFERS < count:
                for e in range(in_ptr[c], in_ptr[c + 1]):
                    b = in_idx[e]
                    asked[s + BUFFERS, b] = max(asked[s + BUFFERS, b], finished)
                    bursts_wait[s + BUFFERS, b] -= 1
                    if bursts_wait[s + BUFFERS, b] == 0:
                        at[s + BUFFERS, b] = home[b]
                        push(times, keys, size, asked[s + BUFFERS, b], (s + BUFFERS) * bursts + b)
                        size += 1
        if size == 0:
            break
        now, key = times[0], keys[0]
        pop(times, keys, size)
        size -= 1
        s, b = key // bursts, key % bursts
        link = at[s, b]
        entered = max(now, free[link])
        free[link] = entered + time[b]
        carried[link] += time[b]
        if link == home[b] and s + BUFFERS < count:
            # Its buffer is free again once it has left the chip.
            begin[s + BUFFERS, link] = max(begin[s + BUFFERS, link], free[link])
            runs_wait[s + BUFFERS, link] -= 1
            if runs_wait[s + BUFFERS, link] == 0:
                ready[waiting] = (s + BUFFERS) * k + link
                waiting += 1
        c = link + 1
        if (reads[b] >> np.uint64(c)) & np.uint64(1):
            begin[s, c] = max(begin[s, c], free[link] + hop)
            runs_wait[s, c] -= 1
            if runs_wait[s, c] == 0:
                ready[waiting] = s * k + c
                waiting += 1
        if c < last[b]:
            at[s, b] = c
            push(times, keys, size, entered + hop, key)
            size += 1
