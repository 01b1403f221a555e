"""Numba kernels of the two-level memory: what an order of connections reads and writes under an eviction policy.

One pass over the order with M - 1 slots for neurons' values; the connection in use has the last place. At each
connection (a, b) the value of a is fetched if it is absent, then the partial sum of b, into a free slot or in place of the
policy's victim; a and b themselves stay. A value is dirty after an update and clean once written; to evict a dirty one
costs a write where it is needed again or is an output. What is dirty and an output in the end is written.

MIN evicts what is used farthest ahead, the clean one of two that are used by the same connection, and drops at once what is
used no more (an output is then written); of free slots the one that became free last is taken, else the lowest. LRU evicts
what was used longest ago, a before b. RR moves a pointer over the slots, passes over a and b, and stops one behind the victim.

Shapes: N neurons, W connections, C = M - 1 slots. ``order`` int32[W] connection ids. ``events`` int32[4, E]: position, kind,
neuron, slot; with E = 0 nothing is recorded.
"""

from __future__ import annotations

import numpy as np

from planner.compiling.kernel import njit

MIN, LRU, RR = 0, 1, 2
READ, WRITE, EVICT = 0, 1, 2
"""Kinds of events: a value is fetched into a slot; written from it; gone from it."""


@njit(cache=True, nogil=True)
def first_breach(order, source, target, in_degree):
    """The first position whose connection is used before its source is complete, -1 where there is none."""
    missing = in_degree.copy()
    for p in range(len(order)):
        e = order[p]
        if missing[source[e]] > 0:
            return p
        missing[target[e]] -= 1
    return -1


@njit(cache=True, nogil=True)
def following(order, source, target, neurons):
    """The position at which either end of each connection is used next: int32[W, 2], W where it is not."""
    w = len(order)
    coming = np.full(neurons, w, np.int32)
    after = np.empty((w, 2), np.int32)
    for p in range(w - 1, -1, -1):
        a, b = source[order[p]], target[order[p]]
        after[p, 0], after[p, 1] = coming[a], coming[b]
        coming[a], coming[b] = p, p
    return after


@njit(cache=True, nogil=True)
def record(events, count, position, kind, neuron, slot):
    """Note an event where there is room for it; returns how many there were."""
    if count < events.shape[1]:
        events[0, count], events[1, count], events[2, count], events[3, count] = position, kind, neuron, slot
    return count + 1


@njit(cache=True, nogil=True)
def highest(words, summary):
    """The largest number in a set of numbers, of one bit each in 64-bit ``words``; -1 where it is empty.

    ``summary`` has a bit for each word that is not zero.
    """
    for s in range(len(summary) - 1, -1, -1):
        if summary[s]:
            word = s * 64 + top_bit(summary[s])
            return word * 64 + top_bit(words[word])
    return -1


@njit(cache=True, nogil=True)
def top_bit(word):
    """The number of the highest bit of a 64-bit word that is not zero."""
    bit = 0
    for step in (32, 16, 8, 4, 2, 1):
        if word >> np.uint64(step):
            word >>= np.uint64(step)
            bit += step
    return bit


@njit(cache=True, nogil=True)
def put(words, summary, number):
    """Add a number to a set as :func:`highest` reads it."""
    word = number >> 6
    words[word] |= np.uint64(1) << np.uint64(number & 63)
    summary[word >> 6] |= np.uint64(1) << np.uint64(word & 63)


@njit(cache=True, nogil=True)
def take(words, summary, number):
    """Remove a number from a set as :func:`highest` reads it."""
    word = number >> 6
    words[word] &= ~(np.uint64(1) << np.uint64(number & 63))
    if words[word] == 0:
        summary[word >> 6] &= ~(np.uint64(1) << np.uint64(word & 63))


@njit(cache=True, nogil=True)
def simulate_min(order, source, target, is_output, neurons, slots, events):
    """(reads of neurons, writes, events) under MIN.

    Residents are kept as a set of the positions of their next uses: two that are used next by the same connection share
    one. Values that are used no more are dropped at once, so each resident has a next use but the pair in use.
    """
    w = len(order)
    after = following(order, source, target, neurons)
    count = (w >> 6) + 1
    words = np.zeros(count, np.uint64)
    summary = np.zeros((count >> 6) + 1, np.uint64)
    first = np.full(w, -1, np.int32)  # who is used next at a position: one resident,
    second = np.full(w, -1, np.int32)  # and the other where both ends wait for the same connection
    slot_of = np.full(neurons, -1, np.int32)
    dirty = np.zeros(neurons, np.bool_)
    free = np.arange(slots - 1, -1, -1).astype(np.int32)
    free_count = slots
    reads, writes, made = 0, 0, 0
    for p in range(w):
        e = order[p]
        a, b = source[e], target[e]
        # Who waits for this very connection waits no more: the pair is pinned.
        if first[p] >= 0:
            take(words, summary, p)
            first[p], second[p] = -1, -1
        for v in (a, b):
            if slot_of[v] >= 0:
                continue
            if free_count == 0:
                q = highest(words, summary)
                victim = first[q]
                other = second[q]
                if other >= 0:
                    if dirty[victim] and not dirty[other]:
                        victim, other = other, victim
                    first[q], second[q] = other, -1
                else:
                    first[q] = -1
                    take(words, summary, q)
                if dirty[victim]:
                    writes += 1
                    dirty[victim] = False
                    made = record(events, made, p, WRITE, victim, slot_of[victim])
                made = record(events, made, p, EVICT, victim, slot_of[victim])
                free[0] = slot_of[victim]
                free_count = 1
                slot_of[victim] = -1
            free_count -= 1
            slot_of[v] = free[free_count]
            reads += 1
            made = record(events, made, p, READ, v, slot_of[v])
        dirty[b] = True
        for end in range(2):
            v = a if end == 0 else b
            q = after[p, end]
            if q < w:
                if first[q] < 0:
                    first[q] = v
                    put(words, summary, q)
                else:
                    second[q] = v
                continue
            if dirty[v] and is_output[v]:
                writes += 1
                made = record(events, made, p, WRITE, v, slot_of[v])
            dirty[v] = False
            made = record(events, made, p, EVICT, v, slot_of[v])
            free[free_count] = slot_of[v]
            free_count += 1
            slot_of[v] = -1
    return reads, writes, made


@njit(cache=True, nogil=True)
def simulate_lru(order, source, target, is_output, neurons, slots, events):
    """(reads of neurons, writes, events) under LRU. Residents form a list, from the one used longest ago to the latest."""
    w = len(order)
    after = following(order, source, target, neurons)
    last_use = np.full(neurons, w, np.int32)
    older = np.full(
        neurons + 1, -1, np.int32
    )  # neuron ``neurons`` is the list's end: older[end] = latest, newer[end] = oldest
    newer = np.full(neurons + 1, -1, np.int32)
    end = neurons
    older[end], newer[end] = end, end
    slot_of = np.full(neurons, -1, np.int32)
    dirty = np.zeros(neurons, np.bool_)
    held = 0
    reads, writes, made = 0, 0, 0
    for p in range(w):
        e = order[p]
        a, b = source[e], target[e]
        for v in (a, b):
            if slot_of[v] >= 0:
                older[newer[v]], newer[older[v]] = older[v], newer[v]
            else:
                if held < slots:
                    slot_of[v] = held
                    held += 1
                else:
                    victim = newer[end]
                    while victim in (a, b):
                        victim = newer[victim]
                    older[newer[victim]], newer[older[victim]] = older[victim], newer[victim]
                    if dirty[victim]:
                        if last_use[victim] < w or is_output[victim]:
                            writes += 1
                            made = record(events, made, p, WRITE, victim, slot_of[victim])
                        dirty[victim] = False
                    made = record(events, made, p, EVICT, victim, slot_of[victim])
                    slot_of[v] = slot_of[victim]
                    slot_of[victim] = -1
                reads += 1
                made = record(events, made, p, READ, v, slot_of[v])
            # The latest now.
            latest = older[end]
            newer[latest], older[v], newer[v], older[end] = v, latest, end, v
        dirty[b] = True
        last_use[a], last_use[b] = after[p, 0], after[p, 1]
    for v in range(neurons):
        if dirty[v] and is_output[v]:
            writes += 1
            made = record(events, made, w - 1, WRITE, v, slot_of[v])
    return reads, writes, made


@njit(cache=True, nogil=True)
def simulate_rr(order, source, target, is_output, neurons, slots, events):
    """(reads of neurons, writes, events) under RR."""
    w = len(order)
    after = following(order, source, target, neurons)
    next_use = np.full(neurons, w, np.int32)
    inside = np.full(slots, -1, np.int32)
    slot_of = np.full(neurons, -1, np.int32)
    dirty = np.zeros(neurons, np.bool_)
    held = 0
    pointer = 0
    reads, writes, made = 0, 0, 0
    for p in range(w):
        e = order[p]
        a, b = source[e], target[e]
        for v in (a, b):
            if slot_of[v] >= 0:
                continue
            if held < slots:
                slot = held
                held += 1
            else:
                while inside[pointer] == a or inside[pointer] == b:
                    pointer = (pointer + 1) % slots
                slot = pointer
                pointer = (pointer + 1) % slots
                victim = inside[slot]
                if dirty[victim]:
                    if next_use[victim] < w or is_output[victim]:
                        writes += 1
                        made = record(events, made, p, WRITE, victim, slot)
                    dirty[victim] = False
                made = record(events, made, p, EVICT, victim, slot)
                slot_of[victim] = -1
            inside[slot] = v
            slot_of[v] = slot
            reads += 1
            made = record(events, made, p, READ, v, slot)
        dirty[b] = True
        next_use[a], next_use[b] = after[p, 0], after[p, 1]
    for v in range(neurons):
        if dirty[v] and is_output[v]:
            writes += 1
            made = record(events, made, w - 1, WRITE, v, slot_of[v])
    return reads, writes, made


@njit(cache=True, nogil=True)
def simulate(policy, order, source, target, is_output, neurons, slots, events):
    """(reads of neurons, writes, events) of an order under a policy; reads of connections, W, come on top."""
    if policy == MIN:
        return simulate_min(order, source, target, is_output, neurons, slots, events)
    if policy == LRU:
        return simulate_lru(order, source, target, is_output, neurons, slots, events)
    return simulate_rr(order, source, target, is_output, neurons, slots, events)
