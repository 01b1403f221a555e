"""Where the tensors of a chip lie in its memory: the lowest gap that is large enough, in the order in which they are needed.

Addresses and sizes are bytes, whole multiples of :data:`ALIGNMENT`.
"""

from __future__ import annotations

import numpy as np

from planner.compiling.kernel import njit
from planner.evaluation.activation_kernels import DEPTH_FIRST, by_device, is_sent, run_device

ALIGNMENT = 64
"""Blocks begin at multiples of this many bytes: a cache line, the width of a transfer."""
FITS = -1
"""No op that nothing could be placed for."""


@njit(cache=True, nogil=True)
def aligned(size):
    """``size`` in bytes, rounded up to whole lines."""
    return np.ceil(size / ALIGNMENT) * ALIGNMENT


@njit(cache=True, nogil=True)
def place_block(starts, sizes, count, size, capacity):
    """Put a block into the lowest gap that holds it; the address, or -1 where none below ``capacity`` does.

    ``starts``, ``sizes`` float64: the ``count`` blocks that are there, by ascending address; the block is put among them.
    """
    at = 0.0
    i = 0
    while i < count and starts[i] - at < size:
        at = starts[i] + sizes[i]
        i += 1
    if at + size > capacity:
        return -1.0
    for j in range(count, i, -1):
        starts[j], sizes[j] = starts[j - 1], sizes[j - 1]
    starts[i], sizes[i] = at, size
    return at


@njit(cache=True, nogil=True)
def remove_block(starts, sizes, count, at):
    """Take the block at address ``at`` away."""
    i = 0
    while starts[i] != at:
        i += 1
    for j in range(i, count - 1):
        starts[j], sizes[j] = starts[j + 1], sizes[j + 1]


@njit(cache=True, nogil=True)
def largest_gap(starts, sizes, count, capacity):
    """``(largest, all)`` bytes that are free: in one piece, and in total."""
    at = 0.0
    largest = 0.0
    total = 0.0
    for i in range(count):
        largest = max(largest, starts[i] - at)
        total += starts[i] - at
        at = starts[i] + sizes[i]
    return max(largest, capacity - at), total + capacity - at


@njit(cache=True, nogil=True)
def place_tensors(
    device_of, k, params, capacity, size, tensor_producer, copied, consumer_ptr, consumer_idx, in_ptr, in_idx, out_ptr, out_idx,
    succ_ptr, succ_idx, pred_ptr, pred_idx, high,
):  # fmt: skip
    """Place what every chip holds; ``high`` float64[k] receives the highest address in use. Ends at the first block that has no place.

    Returns ``(chip, op, wanted, largest, free)``: where that was (:data:`FITS` if everything has a place), the op that was about
    to run (-1: none yet), the bytes that were wanted, and what was free then, in one piece and in total.

    First come the parameters (``params`` float64[k]), then by ascending number of the tensor what arrives from other chips and what leaves, twice each
    (two sets of buffers), for good. Tensors of copied sources lie there from the start to their last use, other tensors of the
    chip from the op that makes them to their last use; those that nobody reads stay, for they are results. Ops run in the
    order of :func:`planner.evaluation.activation_kernels.run_device`.
    """
    n, t = len(device_of), len(size)
    left = np.zeros(t, np.int32)
    waits = np.zeros(n, np.int32)
    order = np.empty(n, np.int32)
    live = np.empty(n)
    place = np.full(t, -1.0)
    uses = np.zeros(t, np.int32)
    starts = np.empty(2 * t + 2)
    sizes = np.empty(2 * t + 2)
    touched = np.empty(2 * t, np.int32)
    ptr, grouped = by_device(device_of, k)
    for c in range(k):
        ops = grouped[ptr[c] : ptr[c + 1]]
        run_device(
            c, ops, device_of, size, tensor_producer, copied, consumer_ptr, consumer_idx, in_ptr, in_idx, out_ptr, out_idx,
            succ_ptr, succ_idx, pred_ptr, pred_idx, DEPTH_FIRST, left, waits, order, live,
        )  # fmt: skip
        blocks = 0
        high[c] = aligned(params[c])
        if high[c] > 0.0:
            if place_block(starts, sizes, blocks, high[c], capacity) < 0.0:
                return c, -1, high[c], capacity, capacity
            blocks += 1
        # Tensors of this chip, those that it makes and those that it reads, each once.
        met = 0
        for v in ops:
            for reads in range(2):
                ptr_of, idx_of = (in_ptr, in_idx) if reads == 1 else (out_ptr, out_idx)
                for e in range(ptr_of[v], ptr_of[v + 1]):
                    i = idx_of[e]
                    if uses[i] == 0:
                        touched[met] = i
                        met += 1
                        uses[i] = 1
                    uses[i] += reads
        found = touched[:met]
        found = found[np.argsort(found)]
        for i in found:
            u = tensor_producer[i]
            # One use stands for the producer itself.
            uses[i] -= 1
            here = device_of[u] == c
            if copied[u]:
                # A source that nobody on its own chip reads has no copy there.
                times = 1 if uses[i] > 0 else 0
            elif here:
                times = 2 if is_sent(i, c, device_of, consumer_ptr, consumer_idx) else 0
            else:
                times = 2
            wanted = aligned(size[i])
            for _ in range(times):
                if wanted > 0.0:
                    at = place_block(starts, sizes, blocks, wanted, capacity)
                    if at < 0.0:
                        largest, free = largest_gap(starts, sizes, blocks, capacity)
                        return c, -1, wanted, largest, free
                    blocks += 1
                    high[c] = max(high[c], at + wanted)
                    place[i] = at if copied[u] else -1.0
        for step in range(len(ops)):
            v = order[step]
            if not copied[v]:
                for e in range(out_ptr[v], out_ptr[v + 1]):
                    i = out_idx[e]
                    wanted = aligned(size[i])
                    if wanted > 0.0 and not is_sent(i, c, device_of, consumer_ptr, consumer_idx):
                        at = place_block(starts, sizes, blocks, wanted, capacity)
                        if at < 0.0:
                            largest, free = largest_gap(starts, sizes, blocks, capacity)
                            return c, v, wanted, largest, free
                        blocks += 1
                        high[c] = max(high[c], at + wanted)
                        place[i] = at
            for e in range(in_ptr[v], in_ptr[v + 1]):
                i = in_idx[e]
                uses[i] -= 1
                if uses[i] == 0 and place[i] >= 0.0:
                    remove_block(starts, sizes, blocks, place[i])
                    blocks -= 1
                    place[i] = -1.0
        for i in found:
            uses[i] = 0
            place[i] = -1.0
    return FITS, -1, 0.0, 0.0, 0.0
