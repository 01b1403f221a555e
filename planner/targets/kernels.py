"""Numba kernels of the border-tensor cost model shared by every target whose decision is an assignment.

DESIGN: each device pays each tensor that crosses its border once: the producer's device sends once however many
devices consume it, and each consuming device receives once. ``part`` is 0 for forward and 1 for backward ops; a
receive belongs to the forward part when a forward op on the device consumes the tensor, a send to its producer's part.

Shapes: n ops, t tensors, k devices, c cost classes. All costs float64, all indices int32.
"""

from __future__ import annotations

import numpy as np
from numba import njit

SUM, OVERLAP, DUPLEX = 0, 1, 2
MAX_COST, SUM_OF_PART_MAXIMA = 0, 1

RULE_ORDER, RULE_CONTIGUOUS, RULE_MEMORY, RULE_SUPPORT, RULE_PIN, RULE_TOGETHER = 1, 2, 4, 8, 16, 32


@njit(cache=True, nogil=True)
def consumer_counts(device_of, part, consumer_ptr, consumer_idx, k):
    """How many ops of each part on each device consume each tensor: int32[t, k, 2]."""
    t = len(consumer_ptr) - 1
    counts = np.zeros((t, k, 2), np.int32)
    for i in range(t):
        for e in range(consumer_ptr[i], consumer_ptr[i + 1]):
            v = consumer_idx[e]
            counts[i, device_of[v], part[v]] += 1
    return counts


@njit(cache=True, nogil=True)
def add_tensor(counts, home, home_part, time, pays, receive, send, sign):
    """Add (sign=1) or remove (-1) what one tensor costs: ``counts`` int32[k, 2], its producer on ``home``."""
    away = False
    for d in range(counts.shape[0]):
        if d == home:
            continue
        if counts[d, 0] > 0:
            away = True
            if pays[d]:
                receive[d, 0] += sign * time
        elif counts[d, 1] > 0:
            away = True
            if pays[d]:
                receive[d, 1] += sign * time
    if away and pays[home]:
        send[home, home_part] += sign * time


@njit(cache=True, nogil=True)
def loads(device_of, part, work, class_of, tensor_producer, tensor_time, pays, counts, memory, params):
    """Everything summed per device: receive, work, send float64[k, 2]; memory, params float64[k]."""
    k = len(pays)
    receive = np.zeros((k, 2))
    busy = np.zeros((k, 2))
    send = np.zeros((k, 2))
    used = np.zeros(k)
    held = np.zeros(k)
    for v in range(len(device_of)):
        d = device_of[v]
        busy[d, part[v]] += work[class_of[d], v]
        used[d] += memory[v]
        held[d] += params[v]
    for i in range(len(tensor_producer)):
        u = tensor_producer[i]
        add_tensor(counts[i], device_of[u], part[u], tensor_time[i], pays, receive, send, 1.0)
    return receive, busy, send, used, held


@njit(cache=True, nogil=True)
def combine(receive, work, send, streaming, communication):
    """One device's cost from its parts under a communication mode (C.1: sum, overlap, full duplex)."""
    if communication == SUM:
        return receive + work + streaming + send
    if communication == OVERLAP:
        return max(work + streaming, receive + send)
    return max(receive, work + streaming, send)


@njit(cache=True, nogil=True)
def streaming_time(held, budget, rate):
    """Time to stream what does not fit: ``max(0, held - budget) / rate``; an infinite budget never streams."""
    over = held - budget
    if over > 0.0:
        return over / rate
    return 0.0


@njit(cache=True, nogil=True)
def device_costs(receive, busy, send, held, budget, rate, communication, out):
    """Write each device's cost to ``out`` (float64[k])."""
    for d in range(len(out)):
        stream = streaming_time(held[d], budget[d], rate)
        out[d] = combine(
            receive[d, 0] + receive[d, 1],
            busy[d, 0] + busy[d, 1],
            send[d, 0] + send[d, 1],
            stream,
            communication,
        )


@njit(cache=True, nogil=True)
def objective_of(receive, busy, send, held, budget, rate, communication, objective, costs):
    """The scalar objective; fills ``costs`` (float64[k]) on the way."""
    device_costs(receive, busy, send, held, budget, rate, communication, costs)
    if objective == MAX_COST:
        worst = 0.0
        for d in range(len(costs)):
            if costs[d] > worst:
                worst = costs[d]
        return worst
    forward = 0.0
    backward = 0.0
    for d in range(len(costs)):
        stream = streaming_time(held[d], budget[d], rate)
        forward = max(forward, combine(receive[d, 0], busy[d, 0], send[d, 0], stream, communication))
        backward = max(backward, combine(receive[d, 1], busy[d, 1], send[d, 1], 0.0, communication))
    return forward + backward


@njit(cache=True, nogil=True)
def quotient_counts(device_of, part, edge_src, edge_dst, k):
    """Edges between devices within each part: int32[2, k, k] (edges from a forward to a backward op are left out)."""
    quotient = np.zeros((2, k, k), np.int32)
    for e in range(len(edge_src)):
        u, v = edge_src[e], edge_dst[e]
        if part[u] == part[v] and device_of[u] != device_of[v]:
            quotient[part[u], device_of[u], device_of[v]] += 1
    return quotient


@njit(cache=True, nogil=True)
def cyclic_devices(quotient):
    """How many devices cannot be put in order: those left when sources are removed again and again, then sinks."""
    k = quotient.shape[0]
    alive = np.ones(k, np.bool_)
    left = k
    changed = True
    while changed and left > 0:
        changed = False
        for d in range(k):
            if not alive[d]:
                continue
            enters = False
            leaves = False
            for o in range(k):
                if alive[o] and o != d:
                    enters = enters or quotient[o, d] > 0
                    leaves = leaves or quotient[d, o] > 0
            if not enters or not leaves:
                alive[d] = False
                left -= 1
                changed = True
    return left


@njit(cache=True, nogil=True)
def touched_tensors(ops, in_ptr, in_idx, out_ptr, out_idx, stamp, mark):
    """Tensors that ``ops`` consume or produce, each once. ``stamp`` is int32[t] scratch, ``mark`` a fresh value."""
    total = 0
    for v in ops:
        total += in_ptr[v + 1] - in_ptr[v] + out_ptr[v + 1] - out_ptr[v]
    found = np.empty(total, np.int32)
    count = 0
    for v in ops:
        for e in range(in_ptr[v], in_ptr[v + 1]):
            i = in_idx[e]
            if stamp[i] != mark:
                stamp[i] = mark
                found[count] = i
                count += 1
        for e in range(out_ptr[v], out_ptr[v + 1]):
            i = out_idx[e]
            if stamp[i] != mark:
                stamp[i] = mark
                found[count] = i
                count += 1
    return found[:count]


@njit(cache=True, nogil=True)
def apply_ops(
    ops, targets, device_of, part, work, class_of, memory, params, tensor_producer, tensor_time, pays,
    in_ptr, in_idx, out_ptr, out_idx, counts, receive, busy, send, used, held, stamp, mark,
):  # fmt: skip
    """Move ``ops[i]`` to ``targets[i]`` in place, updating counts and loads. O(degree x k)."""
    touched = touched_tensors(ops, in_ptr, in_idx, out_ptr, out_idx, stamp, mark)
    for i in touched:
        u = tensor_producer[i]
        add_tensor(counts[i], device_of[u], part[u], tensor_time[i], pays, receive, send, -1.0)
    for j in range(len(ops)):
        v = ops[j]
        a, b, p = device_of[v], targets[j], part[v]
        busy[a, p] -= work[class_of[a], v]
        busy[b, p] += work[class_of[b], v]
        used[a] -= memory[v]
        used[b] += memory[v]
        held[a] -= params[v]
        held[b] += params[v]
        for e in range(in_ptr[v], in_ptr[v + 1]):
            counts[in_idx[e], a, p] -= 1
            counts[in_idx[e], b, p] += 1
        device_of[v] = b
    for i in touched:
        u = tensor_producer[i]
        add_tensor(counts[i], device_of[u], part[u], tensor_time[i], pays, receive, send, 1.0)


@njit(cache=True, nogil=True)
def apply_quotient(ops, targets, moved, device_of, part, succ_ptr, succ_idx, pred_ptr, pred_idx, quotient):
    """Update ``quotient`` for a move of ``ops`` to ``targets``; call it before ``device_of`` changes.

    ``moved`` is int32[n] scratch holding -1; it is restored.
    """
    for j in range(len(ops)):
        moved[ops[j]] = targets[j]
    for j in range(len(ops)):
        v = ops[j]
        p = part[v]
        a, b = device_of[v], targets[j]
        for e in range(succ_ptr[v], succ_ptr[v + 1]):
            w = succ_idx[e]
            if part[w] != p:
                continue
            before = device_of[w]
            after = moved[w] if moved[w] >= 0 else before
            if a != before:
                quotient[p, a, before] -= 1
            if b != after:
                quotient[p, b, after] += 1
        for e in range(pred_ptr[v], pred_ptr[v + 1]):
            u = pred_idx[e]
            if part[u] != p or moved[u] >= 0:
                continue  # an edge inside the moved set was counted from its source
            other = device_of[u]
            if other != a:
                quotient[p, other, a] -= 1
            if other != b:
                quotient[p, other, b] += 1
    for v in ops:
        moved[v] = -1


@njit(cache=True, nogil=True)
def delta_ops(
    ops, device_of, part, work, class_of, memory, params, tensor_producer, tensor_time, pays,
    in_ptr, in_idx, out_ptr, out_idx, counts, receive, busy, send, used, held,
    budget, rate, communication, objective, stamp, mark, out_objective, out_costs, out_memory,
):  # fmt: skip
    """The effect of moving all ``ops`` to each device in turn; nothing is changed.

    Writes the objective (float64[k]), every device's cost (float64[k, k], first axis = destination) and every
    device's memory (float64[k, k]). O(touched tensors x k^2).
    """
    k = len(pays)
    touched = touched_tensors(ops, in_ptr, in_idx, out_ptr, out_idx, stamp, mark)
    slot = np.full(0, 0, np.int32)
    base_receive = receive.copy()
    base_send = send.copy()
    base_busy = busy.copy()
    base_used = used.copy()
    base_held = held.copy()
    m = len(touched)
    rest = np.empty((m, k, 2), np.int32)
    going = np.zeros((m, 2), np.int32)
    home = np.empty(m, np.int32)
    position = np.empty(len(tensor_producer), np.int32) if m * 4 > len(tensor_producer) else slot
    dense = len(position) > 0
    order = np.argsort(touched) if not dense else slot.astype(np.int64)
    ordered = touched[order] if not dense else slot
    for j in range(m):
        i = touched[j]
        if dense:
            position[i] = j
        u = tensor_producer[i]
        home[j] = device_of[u]
        rest[j] = counts[i]
        add_tensor(counts[i], device_of[u], part[u], tensor_time[i], pays, base_receive, base_send, -1.0)
    for v in ops:
        a, p = device_of[v], part[v]
        base_busy[a, p] -= work[class_of[a], v]
        base_used[a] -= memory[v]
        base_held[a] -= params[v]
        for e in range(in_ptr[v], in_ptr[v + 1]):
            i = in_idx[e]
            j = position[i] if dense else order[np.searchsorted(ordered, i)]
            rest[j, a, p] -= 1
            going[j, p] += 1
        for e in range(out_ptr[v], out_ptr[v + 1]):
            i = out_idx[e]
            j = position[i] if dense else order[np.searchsorted(ordered, i)]
            home[j] = -1
    r = np.empty_like(base_receive)
    s = np.empty_like(base_send)
    b = np.empty_like(base_busy)
    h = np.empty_like(base_held)
    for d in range(k):
        r[:] = base_receive
        s[:] = base_send
        b[:] = base_busy
        h[:] = base_held
        out_memory[d] = base_used
        c = class_of[d]
        for v in ops:
            b[d, part[v]] += work[c, v]
            out_memory[d, d] += memory[v]
            h[d] += params[v]
        for j in range(m):
            i = touched[j]
            where = home[j] if home[j] >= 0 else d
            rest[j, d, 0] += going[j, 0]
            rest[j, d, 1] += going[j, 1]
            add_tensor(rest[j], where, part[tensor_producer[i]], tensor_time[i], pays, r, s, 1.0)
            rest[j, d, 0] -= going[j, 0]
            rest[j, d, 1] -= going[j, 1]
        out_objective[d] = objective_of(r, b, s, h, budget, rate, communication, objective, out_costs[d])


@njit(cache=True, nogil=True)
def order_window(ops, inside, device_of, succ_ptr, succ_idx, pred_ptr, pred_idx, k):
    """Devices between the latest predecessor and the earliest successor outside ``ops``: (low, high).

    ``inside`` is bool[n] scratch holding False; it is restored.
    """
    low, high = 0, k - 1
    for v in ops:
        inside[v] = True
    for v in ops:
        for e in range(pred_ptr[v], pred_ptr[v + 1]):
            u = pred_idx[e]
            if not inside[u] and device_of[u] > low:
                low = device_of[u]
        for e in range(succ_ptr[v], succ_ptr[v + 1]):
            w = succ_idx[e]
            if not inside[w] and device_of[w] < high:
                high = device_of[w]
    for v in ops:
        inside[v] = False
    return low, high


@njit(cache=True, nogil=True)
def contiguity_after(ops, moved, device_of, part, succ_ptr, succ_idx, pred_ptr, pred_idx, quotient):
    """For each destination, how many devices could not be put in order after the move: int32[k]."""
    k = quotient.shape[1]
    out = np.zeros(k, np.int32)
    trial = np.empty_like(quotient)
    targets = np.empty(len(ops), np.int32)
    for d in range(k):
        trial[:] = quotient
        targets[:] = d
        apply_quotient(ops, targets, moved, device_of, part, succ_ptr, succ_idx, pred_ptr, pred_idx, trial)
        out[d] = cyclic_devices(trial[0]) + cyclic_devices(trial[1])
    return out
