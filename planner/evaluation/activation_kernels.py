"""Numba kernels of activations: in which order a device runs its ops, and the most bytes that it holds meanwhile.

Tensors from other devices are there from the start and go after their last use; own ones go after their last use, too, but
those that are sent, or read by nobody, stay to the end. Finding the order with the least peak is NP-hard (the peak memory
scheduling problem, MTPP, section 2.1); two orders are known here: depth-first, and the op next that leaves the fewest bytes.

Shapes: n ops, t tensors, k devices. ``size`` float64[t] are bytes; the graph is its arrays of the same names.
"""

from __future__ import annotations

import numpy as np

from planner.compiling.kernel import njit

DEPTH_FIRST, LEAST_BYTES, BEST = 0, 1, 2
"""How the next op is chosen; ``BEST`` is the order of the two with the lower peak."""


@njit(cache=True, nogil=True)
def by_device(device_of, k):
    """Ops in groups by device, ascending in each: ``(ptr int32[k + 1], ops int32[n])``."""
    ptr = np.zeros(k + 1, np.int32)
    for d in device_of:
        ptr[d + 1] += 1
    for c in range(k):
        ptr[c + 1] += ptr[c]
    at = ptr[:-1].copy()
    ops = np.empty(len(device_of), np.int32)
    for v in range(len(device_of)):
        d = device_of[v]
        ops[at[d]] = v
        at[d] += 1
    return ptr, ops


@njit(cache=True, nogil=True)
def is_sent(tensor, device, device_of, consumer_ptr, consumer_idx):
    """Whether an op on another device reads the tensor."""
    for e in range(consumer_ptr[tensor], consumer_ptr[tensor + 1]):
        if device_of[consumer_idx[e]] != device:
            return True
    return False


@njit(cache=True, nogil=True)
def goes(tensor, device, device_of, tensor_producer, copied, consumer_ptr, consumer_idx):
    """Whether a tensor that a device holds goes after its last use there."""
    u = tensor_producer[tensor]
    return (
        device_of[u] != device
        or copied[u]
        or not is_sent(tensor, device, device_of, consumer_ptr, consumer_idx)
    )


@njit(cache=True, nogil=True)
def lightest(
    stack, top, device, device_of, size, tensor_producer, copied, consumer_ptr, consumer_idx, in_ptr, in_idx, out_ptr, out_idx,
    left,
):  # fmt: skip
    """The place in ``stack[:top]`` of the ready op that leaves the fewest bytes behind, the smallest id of several."""
    best = -1
    least = 0.0
    for place in range(top):
        v = stack[place]
        change = 0.0
        if not copied[v]:
            for e in range(out_ptr[v], out_ptr[v + 1]):
                change += size[out_idx[e]]
        for e in range(in_ptr[v], in_ptr[v + 1]):
            i = in_idx[e]
            if left[i] == 1 and goes(
                i, device, device_of, tensor_producer, copied, consumer_ptr, consumer_idx
            ):
                change -= size[i]
        if best < 0 or change < least or (change == least and v < stack[best]):
            best, least = place, change
    return best


@njit(cache=True, nogil=True)
def run_device(
    device, ops, device_of, size, tensor_producer, copied, consumer_ptr, consumer_idx, in_ptr, in_idx, out_ptr, out_idx,
    succ_ptr, succ_idx, pred_ptr, pred_idx, choice, left, waits, order, live,
):  # fmt: skip
    """Run one device's ``ops`` (ascending); the peak of its activations in bytes.

    After an op its successors that have become ready go on top of the stack, the smallest id uppermost. The next op is the uppermost
    (``choice`` ``DEPTH_FIRST``), or the one that leaves the fewest bytes (``LEAST_BYTES``). Tensors of ``copied`` sources (bool[n]) are
    there from the start, wherever their producer is. ``left`` int32[t] and ``waits`` int32[n] are scratch that
    holds zeros and is restored; ``order`` int32[s] and ``live`` float64[s] receive the ops as they run and the bytes then.
    """
    held = 0.0
    stack = np.empty(len(ops), np.int32)
    top = 0
    for v in ops:
        for e in range(pred_ptr[v], pred_ptr[v + 1]):
            if device_of[pred_idx[e]] == device:
                waits[v] += 1
        for e in range(in_ptr[v], in_ptr[v + 1]):
            i = in_idx[e]
            u = tensor_producer[i]
            if left[i] == 0 and (device_of[u] != device or copied[u]):
                held += size[i]
            left[i] += 1
    for j in range(len(ops) - 1, -1, -1):
        if waits[ops[j]] == 0:
            stack[top] = ops[j]
            top += 1
    peak = held
    step = 0
    while top > 0:
        if choice == LEAST_BYTES:
            place = lightest(
                stack, top, device, device_of, size, tensor_producer, copied, consumer_ptr, consumer_idx, in_ptr, in_idx,
                out_ptr, out_idx, left,
            )  # fmt: skip
            stack[place], stack[top - 1] = stack[top - 1], stack[place]
        top -= 1
        v = stack[top]
        if not copied[v]:
            for e in range(out_ptr[v], out_ptr[v + 1]):
                held += size[out_idx[e]]
        order[step] = v
        live[step] = held
        step += 1
        peak = max(peak, held)
        for e in range(in_ptr[v], in_ptr[v + 1]):
            i = in_idx[e]
            left[i] -= 1
            if left[i] == 0 and goes(
                i, device, device_of, tensor_producer, copied, consumer_ptr, consumer_idx
            ):
                held -= size[i]
        for e in range(succ_ptr[v + 1] - 1, succ_ptr[v] - 1, -1):
            w = succ_idx[e]
            if device_of[w] == device:
                waits[w] -= 1
                if waits[w] == 0:
                    stack[top] = w
                    top += 1
    return peak


@njit(cache=True, nogil=True)
def least_peak(
    device, ops, device_of, size, tensor_producer, copied, consumer_ptr, consumer_idx, in_ptr, in_idx, out_ptr, out_idx,
    succ_ptr, succ_idx, pred_ptr, pred_idx, choice, left, waits, order, live,
):  # fmt: skip
    """The peak of :func:`run_device`, where ``choice`` is ``BEST`` the lower one of both orders."""
    peak = np.inf
    for way in range(BEST):
        if choice in (way, BEST):
            peak = min(
                peak,
                run_device(
                    device, ops, device_of, size, tensor_producer, copied, consumer_ptr, consumer_idx, in_ptr, in_idx,
                    out_ptr, out_idx, succ_ptr, succ_idx, pred_ptr, pred_idx, way, left, waits, order, live,
                ),
            )  # fmt: skip
    return peak


@njit(cache=True, nogil=True)
def peak_bytes(
    device_of, k, size, tensor_producer, copied, consumer_ptr, consumer_idx, in_ptr, in_idx, out_ptr, out_idx, succ_ptr,
    succ_idx, pred_ptr, pred_idx, choice,
):  # fmt: skip
    """The peak of each device's activations in bytes (float64[k]), see :func:`least_peak`."""
    out = np.zeros(k)
    left = np.zeros(len(size), np.int32)
    waits = np.zeros(len(device_of), np.int32)
    order = np.empty(len(device_of), np.int32)
    live = np.empty(len(device_of))
    ptr, grouped = by_device(device_of, k)
    for c in range(k):
        out[c] = least_peak(
            c, grouped[ptr[c] : ptr[c + 1]], device_of, size, tensor_producer, copied, consumer_ptr, consumer_idx, in_ptr,
            in_idx, out_ptr, out_idx, succ_ptr, succ_idx, pred_ptr, pred_idx, choice, left, waits, order, live,
        )  # fmt: skip
    return out


@njit(cache=True, nogil=True)
def peaks_after(
    ops, device_of, k, peaks, size, tensor_producer, copied, consumer_ptr, consumer_idx, in_ptr, in_idx, out_ptr, out_idx,
    succ_ptr, succ_idx, pred_ptr, pred_idx, choice, out,
):  # fmt: skip
    """The peak of each device once ``ops`` are on each destination: ``out`` float64[k, k], axis 0 = destination.

    ``peaks`` float64[k] are those of now. Only a device that loses or gains an op can have another peak: what it sends and
    receives stays sent and received for all others. So each device runs once without the ops and once with them.
    """
    trial = device_of.copy()
    left = np.zeros(len(size), np.int32)
    waits = np.zeros(len(device_of), np.int32)
    order = np.empty(len(device_of), np.int32)
    live = np.empty(len(device_of))
    loses = np.zeros(k, np.bool_)
    for v in ops:
        loses[device_of[v]] = True
        trial[v] = k
    ptr, grouped = by_device(trial, k + 1)
    moved = ops[np.argsort(ops)]
    for c in range(k):
        rest = grouped[ptr[c] : ptr[c + 1]]
        without = peaks[c]
        if loses[c]:
            without = least_peak(
                c, rest, trial, size, tensor_producer, copied, consumer_ptr, consumer_idx, in_ptr, in_idx, out_ptr, out_idx,
                succ_ptr, succ_idx, pred_ptr, pred_idx, choice, left, waits, order, live,
            )  # fmt: skip
        out[:, c] = without
        for v in ops:
            trial[v] = c
        together = np.concatenate((rest, moved))
        out[c, c] = least_peak(
            c, together[np.argsort(together)], trial, size, tensor_producer, copied, consumer_ptr, consumer_idx,
            in_ptr, in_idx, out_ptr, out_idx, succ_ptr, succ_idx, pred_ptr, pred_idx, choice, left, waits, order, live,
        )  # fmt: skip
        for v in ops:
            trial[v] = k
    return out
