"""Kernels of the search over clusters of accelerators: what a chain of accelerators inside one cluster can hold."""

from __future__ import annotations

import numpy as np

from planner.compiling.kernel import njit
from planner.evaluation.kernels import combine
from planner.machines.pool.ideals.states import ACCELERATOR, CPU

NOBODY = np.int16(30000)
"""More accelerators than there are: not reached."""


@njit(cache=True, nogil=True)
def cluster_times(
    member, speed, entry_ptr, entry_tensor, entry_forward, entry_backward, producer, tensor_time, receive, send
):  # fmt: skip
    """What an accelerator pays for each tensor while ``member`` bool[m] are the units of all that it reaches fast.

    ``receive`` and ``send`` float64[t] come out: a receive is fast when the producer is a member, a send when every
    consumer is.
    """
    for t in range(len(tensor_time)):
        fast = tensor_time[t] / speed
        receive[t] = fast if member[producer[t]] else tensor_time[t]
        send[t] = fast
    for u in range(len(member)):
        if not member[u]:
            for x in range(entry_ptr[u], entry_ptr[u + 1]):
                if entry_forward[x] + entry_backward[x] > 0:
                    send[entry_tensor[x]] = tensor_time[entry_tensor[x]]


@njit(cache=True, nogil=True)
def link(
    first, last, most_pairs, bound, communication, accelerators, specials, beyond,
    ptr, upper, unit, bits, work, memory, capacity, unit_work, fits,
    entry_ptr, entry_tensor, entry_forward, entry_backward, entry_produces, tensor_total, receive_time, send_time,
    fewest, load, from_ideal, from_type, inside, seen, counted,
):  # fmt: skip
    """Settle the ideals from ``first`` to ``last`` and extend each by one more accelerator; returns where to go on.

    ``fewest`` int16[i, 2**specials]: the fewest free accelerators (of ``accelerators``) that hold ideal i together
    with the special ones of a mask, every load below ``bound``; ``load`` the largest load of that chain. Type 0 of
    ``fits`` int64[m] (bits) is a free accelerator, type 1 + s special s. Chains must leave no more accelerator work
    of ``last`` than the accelerators left can take and ``beyond``. ``counted`` int64[1] adds up pairs of ideals.
    ``inside`` bool[t] and ``seen`` int32[t] are scratch without any mark; they are left so.
    """
    m = len(fits)
    one = np.uint64(1)
    bit = np.int64(1)
    masks = fewest.shape[1]
    total = work[last, ACCELERATOR]
    most_active = masks * (specials + 1)
    active_type = np.empty(most_active, np.int32)
    active_from = np.empty(most_active, np.int32)
    active_to = np.empty(most_active, np.int32)
    active_count = np.empty(most_active, np.int32)
    active_room = np.empty(most_active)
    ideal = np.empty(m + 1, np.int32)
    edge = np.empty(m + 1, np.int64)
    added = np.empty(m + 1, np.int32)
    open_types = np.empty(m + 1, np.int64)
    received = np.zeros(m + 1)
    sent = np.zeros(m + 1)
    busy = np.zeros(m + 1)
    pairs = 0
    for i in range(first, last):
        if pairs >= most_pairs:
            counted[0] += pairs
            return i
        pairs += 1
        count = 0
        walked = np.int64(0)
        for s in range(masks):
            a = fewest[i, s]
            if a == NOBODY:
                continue
            left = accelerators - a
            for y in range(specials):
                if (s >> y) & 1 == 0:
                    left += 1
            for y in range(specials + 1):
                if (y == 0 and a >= accelerators) or (y > 0 and (s >> (y - 1)) & 1 == 1):
                    continue
                active_type[count], active_from[count] = y, s
                active_to[count] = s if y == 0 else s | (1 << (y - 1))
                active_count[count] = a + 1 if y == 0 else a
                active_room[count] = (left - 1) * bound * (1.0 + 1e-9) + beyond
                walked |= bit << y
                count += 1
        if count == 0:
            continue
        depth = 0
        ideal[0], edge[0], added[0], open_types[0] = i, ptr[i], -1, walked
        while depth >= 0:
            here = ideal[depth]
            if edge[depth] == ptr[here + 1]:
                u = added[depth]
                if u >= 0:
                    for x in range(entry_ptr[u], entry_ptr[u + 1]):
                        t = entry_tensor[x]
                        seen[t] -= entry_forward[x] + entry_backward[x]
                        if entry_produces[x]:
                            inside[t] = False
                depth -= 1
                continue
            u = unit[edge[depth]]
            j = upper[edge[depth]]
            edge[depth] += 1
            if u < added[depth] or (bits[last, u >> 6] >> np.uint64(u & 63)) & one == 0:
                continue
            pairs += 1
            worked = busy[depth] + unit_work[u]
            types = open_types[depth] & fits[u]
            if types == 0 or worked >= bound or memory[j] - memory[i] > capacity:
                continue
            r, s = received[depth], sent[depth]
            for x in range(entry_ptr[u], entry_ptr[u + 1]):
                t = entry_tensor[x]
                if inside[t]:
                    if seen[t] < tensor_total[t]:
                        s -= send_time[t]
                elif seen[t] > 0:
                    r -= receive_time[t]
                seen[t] += entry_forward[x] + entry_backward[x]
                if entry_produces[x]:
                    inside[t] = True
                if inside[t]:
                    if seen[t] < tensor_total[t]:
                        s += send_time[t]
                elif seen[t] > 0:
                    r += receive_time[t]
            cost = combine(r, worked, s, 0.0, communication)
            if cost < bound:
                need = total - work[j, ACCELERATOR]
                for x in range(count):
                    if (types >> active_type[x]) & 1 == 0 or need > active_room[x]:
                        continue
                    to = active_to[x]
                    value = max(cost, load[i, active_from[x]])
                    a = active_count[x]
                    if a < fewest[j, to] or (a == fewest[j, to] and value < load[j, to]):
                        fewest[j, to] = a
                        load[j, to] = value
                        from_ideal[j, to] = i
                        from_type[j, to] = active_type[x]
            depth += 1
            ideal[depth], edge[depth], added[depth], open_types[depth] = j, ptr[j], u, types
            received[depth], sent[depth], busy[depth] = r, s, worked
    counted[0] += pairs
    return last


@njit(cache=True, nogil=True)
def cpu_ends(start, bound, ptr, upper, unit, work, allowed, out, counted):
    """Write the ideals that a CPU (``allowed`` bool[m]) can reach from ``start`` below ``bound``; returns how many."""
    m = len(allowed)
    ideal = np.empty(m + 1, np.int32)
    edge = np.empty(m + 1, np.int64)
    added = np.empty(m + 1, np.int32)
    ideal[0], edge[0], added[0] = start, ptr[start], -1
    depth = 0
    count = 0
    while depth >= 0:
        if edge[depth] == ptr[ideal[depth] + 1]:
            depth -= 1
            continue
        u, j = unit[edge[depth]], upper[edge[depth]]
        edge[depth] += 1
        if u < added[depth] or not allowed[u] or work[j, CPU] - work[start, CPU] >= bound:
            continue
        out[count] = j
        count += 1
        depth += 1
        ideal[depth], edge[depth], added[depth] = j, ptr[j], u
    counted[0] += count
    return count
