"""The kernel of the search for fewest devices under a bound: one pass over the lattice of ideals.

Devices are of several types here; for devices in a row :mod:`planner.methods.ideals.stages` is much faster.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planner.compiling.kernel import njit
from planner.machines.pool.ideals.states import ACCELERATOR
from planner.model.graph import Bools, Floats, Ints


class Steps(NamedTuple):
    """What a further device may be and hold.

    ``fits`` int64[m]: bits of the types that may hold a unit; of each type ``capacity`` float64[types] (bytes), ``class_of``
    int32[types] (its cost class) and ``pays`` bool[types] (transfers, as accelerators do); ``move_type``, ``move_from`` and ``move_to`` int32[moves]: the types that take a state to
    another.
    """

    fits: NDArray[np.int64]
    capacity: Floats
    class_of: Ints
    pays: Bools
    move_type: Ints
    move_from: Ints
    move_to: Ints


class Channels(NamedTuple):
    """Pairs (type, state) whose costs separate, so that starts need not be walked from (q channels).

    ``kind``, ``before``, ``behind`` and ``hubs`` int32[q]: the type, the state before and behind it, and what a start does to the hubs;
    ``idle`` float64[q]: what a start pays by its potential but not in truth while nothing touches the hub; ``of`` int32[types, s,
    hubs]: the channel, -1 none. ``gather`` float64[i, q, a + 1]: the least part of any start for which the costs separate;
    ``source`` int32[i, q, a + 1]: that start.
    """

    kind: Ints
    before: Ints
    behind: Ints
    hubs: Ints
    idle: Floats
    of: Ints
    gather: Floats
    source: Ints


class Hubs(NamedTuple):
    """Tensors that many ideals cut: ``chosen`` bool[h]. Two bits per hub say what an ideal does to it.

    ``kept`` and ``cut`` int64[i]: as a start and as an end of a segment; ``sums`` float64[1 << 2 * hubs]: the times of their
    bits added up.
    """

    chosen: Bools
    kept: NDArray[np.int64]
    cut: NDArray[np.int64]
    sums: Floats


class Found(NamedTuple):
    """Of each ideal in each state (all [i, s]): the ``fewest`` accelerators (int16) and the least ``load`` with them (float64).

    ``from_ideal`` int32 and ``from_type`` int8: the ideal before and the type of the last device.
    """

    fewest: NDArray[np.int16]
    load: Floats
    from_ideal: Ints
    from_type: NDArray[np.int8]


@njit(cache=True, nogil=True)
def _settle(i, to, count, value, start, kind, fewest, load, from_ideal, from_type):
    """Keep a way to reach ideal ``i`` in state ``to`` if it takes fewer accelerators, or as few with a smaller load."""
    if count < fewest[i, to] or (count == fewest[i, to] and value < load[i, to]):
        fewest[i, to] = count
        load[i, to] = value
        from_ideal[i, to] = start
        from_type[i, to] = kind


@njit(cache=True, nogil=True)
def cover(
    first, most_pairs, bound, accelerators, lattice, costs, steps, room, counts_cut, far_ok, channels, hubs, found, scratch
):  # fmt: skip
    """Settle the ideals from ``first`` on and extend each; returns where to go on.

    ``lattice``: its ``(ptr, upper, unit, bits)``; ``costs``: :class:`planner.methods.ideals.potentials.Potentials`. ``room``
    float64[s, a + 1]: accelerator work that the devices left can take after a accelerators; with ``counts_cut`` bool[s] the
    border counts too. ``far_ok`` bool[i]: far ends of a start may go through channels. ``scratch``: int32[h] three times, the first
    holding -1.
    """
    ptr, upper, unit, bits = lattice
    touches, work, memory, cut, border_ptr, border = costs
    time, unit_ptr, unit_tensor, tensor_ptr, tensor_unit = touches
    fits, capacity, type_class, type_pays, move_type, move_from, move_to = steps
    channel_type, channel_from, channel_to, channel_hubs, channel_idle, channel_of, gather, source = channels
    hub, hubs_kept, hubs_cut, hub_sum = hubs
    fewest, load, from_ideal, from_type = found
    stamp, left, whole = scratch
    one = np.uint64(1)
    last = len(cut) - 1
    m = len(fits)
    total = work[last, ACCELERATOR]
    most_active = fewest.shape[1] * (len(type_class) + 1)
    active_type = np.empty(most_active, np.int32)
    active_from = np.empty(most_active, np.int32)
    active_to = np.empty(most_active, np.int32)
    active_count = np.empty(most_active, np.int32)
    active_load = np.empty(most_active)
    ideal = np.empty(m + 1, np.int32)
    edge = np.empty(m + 1, np.int64)
    added = np.empty(m + 1, np.int32)
    open_types = np.empty(m + 1, np.int64)
    correction = np.empty(m + 1)
    paid = np.empty(m + 1)
    unclosed = np.empty(m + 1, np.int32)
    classes = work.shape[1]
    of_class = np.zeros(classes, np.int64)
    class_pays = np.zeros(classes, np.bool_)
    for y in range(len(type_class)):
        of_class[type_class[y]] |= np.int64(1) << y
        class_pays[type_class[y]] = type_pays[y]
    pairs = 0
    for i in range(first, last + 1):
        if pairs >= most_pairs:
            return i
        pairs += 1
        # What arrives from far starts.
        for q in range(len(channel_type)):
            c = type_class[channel_type[q]]
            base = work[i, c]
            level = base
            if type_pays[channel_type[q]]:
                level += cut[i] - hub_sum[channel_hubs[q] & hubs_cut[i]]
            extra = 1 if channel_type[q] == 0 else 0
            for a in range(accelerators + 1 - extra):
                part = gather[i, q, a]
                if part == np.inf:
                    continue
                if base + part - channel_idle[q] >= bound:
                    gather[i, q, a] = np.inf
                    continue
                if level + part < bound:
                    start = source[i, q, a]
                    value = max(load[start, channel_from[q]], level + part)
                    to = channel_to[q]
                    need = total - work[i, ACCELERATOR]
                    if counts_cut[to]:
                        need += cut[i]
                    if need <= room[to, a + extra]:
                        _settle(
                            i, to, a + extra, value, start, channel_type[q], fewest, load, from_ideal, from_type
                        )  # fmt: skip
        # What leaves from here.
        count = 0
        walked = np.int64(0)
        for s in range(fewest.shape[1]):
            a = fewest[i, s]
            if a > accelerators:
                continue
            if a < accelerators:
                active_type[count], active_from[count], active_to[count] = 0, s, s
                active_count[count], active_load[count] = a + 1, load[i, s]
                count += 1
                walked |= 1
            for x in range(len(move_type)):
                if move_from[x] != s:
                    continue
                q = channel_of[move_type[x], s, 0]
                if q >= 0:
                    part = -work[i, type_class[move_type[x]]]
                    if part < gather[i, q, a]:
                        gather[i, q, a] = part
                        source[i, q, a] = i
                    continue
                active_type[count], active_from[count], active_to[count] = move_type[x], s, move_to[x]
                active_count[count], active_load[count] = a, load[i, s]
                count += 1
                walked |= np.int64(1) << move_type[x]
        for e in range(ptr[i], ptr[i + 1]):
            j = upper[e]
            for q in range(len(channel_type)):
                for a in range(accelerators + 1):
                    if gather[i, q, a] < gather[j, q, a]:
                        gather[j, q, a] = gather[i, q, a]
                        source[j, q, a] = source[i, q, a]
        if count == 0:
            continue
        far = far_ok[i] and channel_of[0, 0, hubs_kept[i]] >= 0
        waiting = 0
        for e in range(border_ptr[i], border_ptr[i + 1]):
            t = border[e]
            stamp[t] = i
            outside = 0
            for x in range(tensor_ptr[t], tensor_ptr[t + 1]):
                v = tensor_unit[x]
                if (bits[i, v >> 6] >> np.uint64(v & 63)) & one == 0:
                    outside += 1
            left[t] = outside
            whole[t] = outside
            if not hub[t] or outside > 1:
                waiting += 1
        depth = 0
        ideal[0], edge[0], added[0] = i, ptr[i], -1
        open_types[0] = walked
        correction[0], paid[0] = 2 * cut[i], 0.0
        unclosed[0] = waiting
        while depth >= 0:
            here = ideal[depth]
            if edge[depth] == ptr[here + 1]:
                u = added[depth]
                if u >= 0:
                    for x in range(unit_ptr[u], unit_ptr[u + 1]):
                        if stamp[unit_tensor[x]] == i:
                            left[unit_tensor[x]] += 1
                depth -= 1
                continue
            u = unit[edge[depth]]
            j = upper[edge[depth]]
            edge[depth] += 1
            if u < added[depth]:
                continue
            pairs += 1
            types = open_types[depth] & fits[u]
            for c in range(classes):
                if types & of_class[c]:
                    busy = work[j, c] - work[i, c]
                    if class_pays[c]:
                        busy += paid[depth]
                    if busy >= bound:
                        types &= ~of_class[c]
            held = memory[j] - memory[i]
            for y in range(len(type_class)):
                if held > capacity[y]:
                    types &= ~(np.int64(1) << y)
            if types == 0:
                continue
            corrected, settled, unfinished = correction[depth], paid[depth], unclosed[depth]
            for x in range(unit_ptr[u], unit_ptr[u + 1]):
                t = unit_tensor[x]
                if stamp[t] == i:
                    if left[t] == whole[t]:
                        corrected -= time[t]
                        settled += time[t]
                        if hub[t] and whole[t] > 1:
                            unfinished -= 1
                    left[t] -= 1
                    if left[t] == 0:
                        corrected -= time[t]
                        if not hub[t]:
                            unfinished -= 1
            if unfinished == 0:
                corrected = hub_sum[hubs_kept[i] & hubs_cut[j]]
            transfers = cut[j] + cut[i] - corrected
            if unfinished == 0 and far and types & 1:
                types &= ~np.int64(1)
                part = cut[i] - work[i, ACCELERATOR]
                for x in range(count):
                    if active_type[x] == 0:
                        q = channel_of[0, active_from[x], hubs_kept[i]]
                        a = active_count[x] - 1
                        if part < gather[j, q, a]:
                            gather[j, q, a] = part
                            source[j, q, a] = i
            if types != 0:
                need = total - work[j, ACCELERATOR]
                for x in range(count):
                    y = active_type[x]
                    if (types >> y) & 1 == 0:
                        continue
                    value = work[j, type_class[y]] - work[i, type_class[y]]
                    if type_pays[y]:
                        value += transfers
                    to = active_to[x]
                    if (
                        value < bound
                        and need + (cut[j] if counts_cut[to] else 0.0) <= room[to, active_count[x]]
                    ):
                        _settle(
                            j, to, active_count[x], max(value, active_load[x]), i, y,
                            fewest, load, from_ideal, from_type,
                        )  # fmt: skip
                for c in range(classes):
                    if class_pays[c] and settled + work[j, c] - work[i, c] >= bound:
                        types &= ~of_class[c]
            if types == 0:
                for x in range(unit_ptr[u], unit_ptr[u + 1]):
                    if stamp[unit_tensor[x]] == i:
                        left[unit_tensor[x]] += 1
                continue
            depth += 1
            ideal[depth], edge[depth], added[depth] = j, ptr[j], u
            open_types[depth] = types
            correction[depth], paid[depth], unclosed[depth] = corrected, settled, unfinished
    return last + 1
