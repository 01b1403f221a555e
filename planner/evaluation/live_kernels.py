"""Numba kernels of live evaluation: what a move of some ops changes, and what it would change on every device.

Shapes and names as in :mod:`planner.evaluation.kernels`.
"""

from __future__ import annotations

import numpy as np

from planner.compiling.kernel import njit
from planner.evaluation.kernels import add_tensor, disorder, objective_of


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
    ops, targets, device_of, part, work, class_of, memory, params, tensor_producer, tensor_time, send_time, pays,
    pace, in_ptr, in_idx, out_ptr, out_idx, counts, receive, busy, send, used, held, occupied, stamp, mark,
):  # fmt: skip
    """Move ``ops[i]`` to ``targets[i]`` in place, updating counts and loads. O(degree x k)."""
    touched = touched_tensors(ops, in_ptr, in_idx, out_ptr, out_idx, stamp, mark)
    for i in touched:
        u = tensor_producer[i]
        add_tensor(
            counts[i], device_of[u], part[u], tensor_time[i], send_time[i], pays, pace, receive, send, -1.0
        )  # fmt: skip
    for j in range(len(ops)):
        v = ops[j]
        a, b, p = device_of[v], targets[j], part[v]
        busy[a, p] -= work[class_of[a], v]
        busy[b, p] += work[class_of[b], v]
        used[a] -= memory[v]
        used[b] += memory[v]
        held[a] -= params[v]
        held[b] += params[v]
        occupied[a] -= 1
        occupied[b] += 1
        for e in range(in_ptr[v], in_ptr[v + 1]):
            counts[in_idx[e], a, p] -= 1
            counts[in_idx[e], b, p] += 1
        device_of[v] = b
    for i in touched:
        u = tensor_producer[i]
        add_tensor(
            counts[i], device_of[u], part[u], tensor_time[i], send_time[i], pays, pace, receive, send, 1.0
        )  # fmt: skip


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
    ops, device_of, part, work, class_of, memory, params, tensor_producer, tensor_time, send_time, pays,
    pace, cluster, in_ptr, in_idx, out_ptr, out_idx, counts, receive, busy, send, used, held, occupied,
    budget, rate, sync_rate, communication, objective, stamp, mark, more, out_objective, out_costs, out_memory,
):  # fmt: skip
    """The effect of moving all ``ops`` to each device in turn; nothing is changed.

    Writes the objective (float64[k]), every device's cost (float64[k, k], first axis = destination) and every
    device's memory (float64[k, k]). O(touched tensors x k^2). ``more`` float64[k, k] are bytes that each device holds then
    beside its parameters, less those of now; of shape (0, 0) where nothing else is held.
    """
    k = len(pays)
    touched = touched_tensors(ops, in_ptr, in_idx, out_ptr, out_idx, stamp, mark)
    slot = np.full(0, 0, np.int32)
    base_receive = receive.copy()
    base_send = send.copy()
    base_busy = busy.copy()
    base_used = used.copy()
    base_held = held.copy()
    on = occupied.copy()
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
        add_tensor(
            counts[i], device_of[u], part[u], tensor_time[i], send_time[i], pays, pace, base_receive,
            base_send, -1.0,
        )  # fmt: skip
    for v in ops:
        a, p = device_of[v], part[v]
        base_busy[a, p] -= work[class_of[a], v]
        base_used[a] -= memory[v]
        base_held[a] -= params[v]
        on[a] -= 1
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
        if len(more) > 0:
            h += more[d]
            out_memory[d] += more[d]
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
            add_tensor(
                rest[j], where, part[tensor_producer[i]], tensor_time[i], send_time[i], pays, pace, r, s, 1.0
            )  # fmt: skip
            rest[j, d, 0] -= going[j, 0]
            rest[j, d, 1] -= going[j, 1]
        on[d] += len(ops)
        out_objective[d] = objective_of(
            r, b, s, h, on, pays, cluster, budget, rate, sync_rate, communication, objective, out_costs[d]
        )
        on[d] -= len(ops)


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
def contiguity_after(
    ops, moved, device_of, part, succ_ptr, succ_idx, pred_ptr, pred_idx, quotient, cluster_node, nodes,
):  # fmt: skip
    """For each destination, the :func:`disorder` after the move: int32[k]."""
    k = quotient.shape[1]
    out = np.zeros(k, np.int32)
    trial = np.empty_like(quotient)
    targets = np.empty(len(ops), np.int32)
    for d in range(k):
        trial[:] = quotient
        targets[:] = d
        apply_quotient(ops, targets, moved, device_of, part, succ_ptr, succ_idx, pred_ptr, pred_idx, trial)
        out[d] = disorder(trial, cluster_node, nodes)
    return out


@njit(cache=True, nogil=True)
def come_along(
    ops, device, position, device_of, part, succ_ptr, succ_idx, pred_ptr, pred_idx, group_of, member_ptr, members,
):  # fmt: skip
    """``ops`` and all that must follow them to ``device`` so that no edge runs against the order of the devices: bool[n].

    ``position`` int32[2, k]: places of the devices in the order that forward and backward ops keep. Whole groups come.
    """
    n = len(device_of)
    inside = np.zeros(n, np.bool_)
    queue = np.empty(n, np.int32)
    count = 0
    for v in ops:
        inside[v] = True
        queue[count] = v
        count += 1
    while count:
        count -= 1
        v = queue[count]
        p = part[v]
        here = position[p, device]
        for side in range(2):
            ptr, idx = (pred_ptr, pred_idx) if side == 0 else (succ_ptr, succ_idx)
            for e in range(ptr[v], ptr[v + 1]):
                u = idx[e]
                if inside[u] or part[u] != p:
                    continue
                ahead = position[p, device_of[u]] - here
                if (ahead > 0) == (side == 0) and ahead != 0:
                    g = group_of[u]
                    for i in range(member_ptr[g], member_ptr[g + 1]):
                        mate = members[i]
                        if not inside[mate]:
                            inside[mate] = True
                            queue[count] = mate
                            count += 1
    return inside
