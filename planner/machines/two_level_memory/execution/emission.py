"""Numba kernels that turn an order of connections into runs of one neuron each, and give values places to stand in.

Shapes: N neurons, W connections, R runs.
"""

from __future__ import annotations

import numpy as np

from planner.compiling.kernel import njit

FIRST, FROM_BATCH, TO_RESULT = 1, 2, 4
"""Flags of a run: it begins its neuron; it reads columns of the batch, not slots; its neuron is a row of the result, not a slot."""


@njit(cache=True, nogil=True)
def ready_places(order, source, target, neurons):
    """(place int64[N] at which each neuron is first of use, the neurons that are computed, as they are completed).

    An input is of use when first read, another neuron when its last connection is done.
    """
    w = len(order)
    place = np.full(neurons, -1, np.int64)
    last = np.full(neurons, -1, np.int64)
    for p in range(w):
        last[target[order[p]]] = p
    sequence = np.empty(neurons, np.int32)
    count = 0
    for p in range(w):
        a, b = source[order[p]], target[order[p]]
        if place[a] < 0 and last[a] < 0:
            place[a] = 2 * p
        if last[b] == p:
            place[b] = 2 * p + 1
            sequence[count] = b
            count += 1
    return place, sequence[:count].copy()


@njit(cache=True, nogil=True)
def into_each(order, target, neurons):
    """Connections by the neuron they lead into, in the order of use: (offsets int64[N + 1], ids int32[W])."""
    offsets = np.zeros(neurons + 1, np.int64)
    for b in target:
        offsets[b + 1] += 1
    for i in range(neurons):
        offsets[i + 1] += offsets[i]
    ids = np.empty(len(order), np.int32)
    filled = offsets[:neurons].copy()
    for e in order:
        ids[filled[target[e]]] = e
        filled[target[e]] += 1
    return offsets, ids


@njit(cache=True, nogil=True)
def waves_of(sequence, offsets, ids, source, neurons):
    """Where waves begin in ``sequence``, and its length: neurons that follow each other and do not read each other."""
    wave = np.full(neurons, -1, np.int32)
    starts = np.empty(len(sequence) + 1, np.int64)
    starts[0] = 0
    current = 0
    for i in range(len(sequence)):
        b = sequence[i]
        for k in range(offsets[b], offsets[b + 1]):
            if wave[source[ids[k]]] == current:
                current += 1
                starts[current] = i
                break
        wave[b] = current
    starts[current + 1] = len(sequence)
    return starts[: current + 2].copy()


@njit(cache=True, nogil=True)
def emit(sequence, waves, offsets, ids, source, place, fed, tile, shortest):
    """The connections in the order in which they are executed, int32[W].

    Neurons are taken wave by wave. A wave whose sources are many and whose neurons have many connections each goes over
    its sources in tiles of about ``tile``, in the order in which they became of use, so that a tile stays in the
    first-level cache while all neurons of the wave read it; a neuron has ``shortest`` connections per tile on average, or
    there is but one tile. A neuron's connections in a tile follow each other: first those from the batch (``fed``,
    bool[N]), then the others, both as in the order given.
    """
    neurons = len(place)
    stream = np.empty(len(ids), np.int32)
    tile_of = np.zeros(neurons, np.int64)
    stamp = np.full(neurons, -1, np.int64)
    sources = np.empty(neurons, np.int32)
    written = 0
    for w in range(len(waves) - 1):
        begin, end = waves[w], waves[w + 1]
        connections, different = 0, 0
        for i in range(begin, end):
            b = sequence[i]
            connections += offsets[b + 1] - offsets[b]
            for k in range(offsets[b], offsets[b + 1]):
                a = source[ids[k]]
                if stamp[a] != w:
                    stamp[a] = w
                    tile_of[a] = 0
                    sources[different] = a
                    different += 1
        tiles = min((different + tile - 1) // tile, connections // ((end - begin) * shortest))
        if tiles < 2:
            tiles = 1
        else:
            ranked = np.argsort(place[sources[:different]])
            for r in range(different):
                tile_of[sources[ranked[r]]] = r * tiles // different
        filled = np.zeros(tiles + 1, np.int64)
        if tiles > 1:
            for i in range(begin, end):
                b = sequence[i]
                for k in range(offsets[b], offsets[b + 1]):
                    filled[tile_of[source[ids[k]]] + 1] += 1
            for t in range(tiles):
                filled[t + 1] += filled[t]
        for i in range(begin, end):
            b = sequence[i]
            for kind in range(2):
                for k in range(offsets[b], offsets[b + 1]):
                    a = source[ids[k]]
                    if fed[a] == (kind == 0):
                        t = tile_of[a]
                        stream[written + filled[t]] = ids[k]
                        filled[t] += 1
        written += connections
    return stream


@njit(cache=True, nogil=True)
def cut_runs(stream, source, target, fed):
    """Where runs begin in the stream, and its length: int64[R + 1]. A run has one neuron and reads batch or slots, not both."""
    begins = np.empty(len(stream) + 1, np.int64)
    count = 0
    before, kind = np.int32(-1), False
    for k in range(len(stream)):
        b, from_batch = target[stream[k]], fed[source[stream[k]]]
        if b != before or from_batch != kind:
            begins[count] = k
            count += 1
        before, kind = b, from_batch
    begins[count] = len(stream)
    return begins[: count + 1].copy()


@njit(cache=True, nogil=True)
def give_places(begins, stream, source, target, fed, row, column, constants, uses, runs_of):
    """Where each run's neuron and each connection's source stand: slots are taken again as soon as a value is dead.

    ``row`` int32[N]: the row of the result of an output, else -1; ``column`` int32[N]: the batch's column of a fed neuron;
    ``constants`` get the first slots and keep them; ``uses`` (connections out of each neuron) and ``runs_of`` (runs into
    it) are counted down. Returns (places int32[R], flags uint8[R], last bool[R], sources int32[W], slot of each neuron
    int32[N] or -1, slots). An output that is read by others has a slot, for good, and is no row of the result.
    """
    runs = len(begins) - 1
    places, flags, last = np.empty(runs, np.int32), np.zeros(runs, np.uint8), np.zeros(runs, np.bool_)
    sources = np.empty(len(stream), np.int32)
    slot = np.full(len(row), -1, np.int32)
    free = np.empty(len(row), np.int32)
    idle = 0
    slots = 0
    for c in constants:
        slot[c] = slots
        slots += 1
    kept = np.zeros(len(row), np.bool_)
    for c in constants:
        kept[c] = True
    begun = np.zeros(len(row), np.bool_)
    direct = np.zeros(len(row), np.bool_)
    for b in range(len(row)):
        direct[b] = row[b] >= 0 and uses[b] == 0
        kept[b] |= row[b] >= 0
    for r in range(runs):
        b = target[stream[begins[r]]]
        flag = 0
        if not begun[b]:
            begun[b] = True
            flag |= FIRST
            if not direct[b]:
                if idle:
                    idle -= 1
                    slot[b] = free[idle]
                else:
                    slot[b] = slots
                    slots += 1
        if direct[b]:
            flag |= TO_RESULT
        places[r] = row[b] if direct[b] else slot[b]
        runs_of[b] -= 1
        last[r] = runs_of[b] == 0
        if fed[source[stream[begins[r]]]]:
            flag |= FROM_BATCH
        flags[r] = flag
        for k in range(begins[r], begins[r + 1]):
            a = source[stream[k]]
            if fed[a]:
                sources[k] = column[a]
                continue
            sources[k] = slot[a]
            uses[a] -= 1
            if uses[a] == 0 and not kept[a]:
                free[idle] = slot[a]
                idle += 1
        # A neuron that nothing reads and that is no output: it was computed for nothing, and its slot is free again.
        if last[r] and uses[b] == 0 and not kept[b] and not direct[b]:
            free[idle] = slot[b]
            idle += 1
    return places, flags, last, sources, slot, slots
