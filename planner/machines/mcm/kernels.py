"""Numba kernels of multi-chip modules: arcs between chips, peak activations, bytes on links, single-sample latency.

A set of chips is one uint64, bit c for chip c, so that there are at most 64 of them. Arcs between chips are k such sets:
bit b of row a says that a dependency leads from chip a to chip b. Arcs against the order (b < a) break the order rule and
are left out of paths. Shapes: n ops, t tensors, k chips.
"""

from __future__ import annotations

import numpy as np

from planner.compiling.kernel import njit
from planner.evaluation.activation_kernels import DEPTH_FIRST, peak_bytes
from planner.evaluation.live_kernels import apply_quotient

ONE = np.uint64(1)
NONE = np.uint64(0)


@njit(cache=True, nogil=True)
def chip_arcs(device_of, edge_src, edge_dst, k):
    """Which chip feeds which: uint64[k]."""
    arcs = np.zeros(k, np.uint64)
    for e in range(len(edge_src)):
        a, b = device_of[edge_src[e]], device_of[edge_dst[e]]
        if a != b:
            arcs[a] |= ONE << np.uint64(b)
    return arcs


@njit(cache=True, nogil=True)
def arcs_of(quotient):
    """Which chip feeds which (uint64[k]), from the counts of edges between chips (int32[k, k])."""
    k = len(quotient)
    arcs = np.zeros(k, np.uint64)
    for a in range(k):
        for b in range(k):
            if a != b and quotient[a, b] > 0:
                arcs[a] |= ONE << np.uint64(b)
    return arcs


@njit(cache=True, nogil=True)
def reached(arcs):
    """``(reach, far)``, uint64[k] each: chips that a path leads to, and those that one of two or more arcs leads to."""
    k = len(arcs)
    reach = np.zeros(k, np.uint64)
    far = np.zeros(k, np.uint64)
    for a in range(k - 1, -1, -1):
        for b in range(a + 1, k):
            if (arcs[a] >> np.uint64(b)) & ONE:
                reach[a] |= ONE << np.uint64(b)
                far[a] |= reach[b]
        reach[a] |= far[a]
    return reach, far


@njit(cache=True, nogil=True)
def broken_pairs(arcs):
    """Pairs with a direct and an indirect way: uint64[k], bit b of row a (MCM paper, equation 4)."""
    _, far = reached(arcs)
    return arcs & far


@njit(cache=True, nogil=True)
def longest(arcs):
    """Arcs on the longest path from each chip to each other: int32[k, k], -1 where there is none."""
    k = len(arcs)
    out = np.full((k, k), -1, np.int32)
    for a in range(k - 1, -1, -1):
        for b in range(a + 1, k):
            if (arcs[a] >> np.uint64(b)) & ONE:
                out[a, b] = max(out[a, b], 1)
                for c in range(b + 1, k):
                    if out[b, c] > 0:
                        out[a, c] = max(out[a, c], out[b, c] + 1)
    return out


@njit(cache=True, nogil=True)
def triangles(arcs):
    """One row (a, via, b) for each pair with a direct and an indirect way, ``via`` the second chip of one: int32[r, 3]."""
    k = len(arcs)
    reach, far = reached(arcs)
    rows = []
    for a in range(k):
        for b in range(a + 1, k):
            if (arcs[a] & far[a]) >> np.uint64(b) & ONE:
                for via in range(a + 1, b):
                    if (arcs[a] >> np.uint64(via)) & (reach[via] >> np.uint64(b)) & ONE:
                        rows.append((a, via, b))
                        break
    out = np.empty((len(rows), 3), np.int32)
    for r in range(len(rows)):
        out[r, 0], out[r, 1], out[r, 2] = rows[r]
    return out


@njit(cache=True, nogil=True)
def newly_broken(ops, moved, device_of, part, succ_ptr, succ_idx, pred_ptr, pred_idx, quotient):
    """bool[k]: destinations of ``ops`` where a pair breaks the triangle rule that does not break it now.

    ``moved`` is the scratch of :func:`planner.evaluation.live_kernels.apply_quotient`, ``quotient`` int32[2, k, k].
    """
    k = quotient.shape[1]
    now = broken_pairs(arcs_of(quotient[0]))
    out = np.zeros(k, np.bool_)
    trial = np.empty_like(quotient)
    targets = np.empty(len(ops), np.int32)
    for d in range(k):
        trial[:] = quotient
        targets[:] = d
        apply_quotient(ops, targets, moved, device_of, part, succ_ptr, succ_idx, pred_ptr, pred_idx, trial)
        after = broken_pairs(arcs_of(trial[0]))
        for a in range(k):
            if after[a] & ~now[a]:
                out[d] = True
                break
    return out


@njit(cache=True, nogil=True)
def skipped_chips(occupied):
    """Chips without ops below the highest that has some: one uint64. ``occupied`` int32[k] counts ops."""
    found = NONE
    pending = NONE
    for c in range(len(occupied)):
        if occupied[c] > 0:
            found |= pending
            pending = NONE
        else:
            pending |= ONE << np.uint64(c)
    return found


@njit(cache=True, nogil=True)
def copied_amounts(device_of, k, amount, tensor_producer, copied, consumer_ptr, consumer_idx):
    """What copies of sources bring to chips where the source itself is not: sums of ``amount`` float64[n] (float64[k])."""
    out = np.zeros(k)
    for i in range(len(tensor_producer)):
        u = tensor_producer[i]
        if copied[u]:
            found = NONE
            for e in range(consumer_ptr[i], consumer_ptr[i + 1]):
                found |= ONE << np.uint64(device_of[consumer_idx[e]])
            for c in range(k):
                if c != device_of[u] and (found >> np.uint64(c)) & ONE:
                    out[c] += amount[u]
    return out


@njit(cache=True, nogil=True)
def parameter_bytes(device_of, k, params, copy_params, tensor_producer, copied, consumer_ptr, consumer_idx):
    """Bytes of parameters on each chip (float64[k]), those of copies among them."""
    out = copied_amounts(device_of, k, copy_params, tensor_producer, copied, consumer_ptr, consumer_idx)
    for v in range(len(device_of)):
        out[device_of[v]] += params[v]
    return out


@njit(cache=True, nogil=True)
def link_bytes(device_of, k, size, tensor_producer, copied, consumer_ptr, consumer_idx):
    """Bytes over the link from each chip to the next (float64[k], the last is 0): a tensor travels once, to the farthest."""
    out = np.zeros(k)
    for i in range(len(tensor_producer)):
        u = tensor_producer[i]
        if copied[u]:
            continue
        last = device_of[u]
        for e in range(consumer_ptr[i], consumer_ptr[i + 1]):
            last = max(last, device_of[consumer_idx[e]])
        for c in range(device_of[u], last):
            out[c] += size[i]
    return out


@njit(cache=True, nogil=True)
def chip_starts(costs, arcs, hop):
    """When each chip begins one sample: once all that send to it have finished and ``hop`` per link has passed."""
    k = len(costs)
    start = np.zeros(k)
    for c in range(k):
        for b in range(c + 1, k):
            if (arcs[c] >> np.uint64(b)) & ONE:
                start[b] = max(start[b], start[c] + costs[c] + hop * (b - c))
    return start


@njit(cache=True, nogil=True)
def single_latency(costs, arcs, hop):
    """When one sample is through (see :func:`chip_starts`)."""
    return (chip_starts(costs, arcs, hop) + costs).max()


@njit(cache=True, nogil=True)
def memory_after(
    ops, device_of, k, size, params, copy_params, tensor_producer, copied, consumer_ptr, consumer_idx, in_ptr, in_idx, out_ptr, out_idx,
    succ_ptr, succ_idx, pred_ptr, pred_idx, out,
):  # fmt: skip
    """Parameters and peak activations of each chip once ``ops`` are on each destination: ``out`` float64[k, k]."""
    trial = device_of.copy()
    for d in range(k):
        for v in ops:
            trial[v] = d
        out[d] = parameter_bytes(
            trial, k, params, copy_params, tensor_producer, copied, consumer_ptr, consumer_idx
        )
        out[d] += peak_bytes(
            trial, k, size, tensor_producer, copied, consumer_ptr, consumer_idx, in_ptr, in_idx, out_ptr, out_idx, succ_ptr,
            succ_idx, pred_ptr, pred_idx, DEPTH_FIRST,
        )  # fmt: skip


@njit(cache=True, nogil=True)
def latency_after(
    ops, moved, device_of, part, succ_ptr, succ_idx, pred_ptr, pred_idx, quotient, costs, hop, out
):  # fmt: skip
    """:func:`single_latency` once ``ops`` are on each destination: ``costs`` float64[k, k] then, ``out`` float64[k]."""
    k = quotient.shape[1]
    trial = np.empty_like(quotient)
    targets = np.empty(len(ops), np.int32)
    for d in range(k):
        trial[:] = quotient
        targets[:] = d
        apply_quotient(ops, targets, moved, device_of, part, succ_ptr, succ_idx, pred_ptr, pred_idx, trial)
        out[d] = single_latency(costs[d], arcs_of(trial[0]), hop)
