"""The kernel of slicing one order where blocks hold activations or form a path: who can be reached under a threshold.

State (p, s): the first p units of the order fill the first s blocks. Of all ways to a state one with the shortest reach back is
as good as any: under the path rule the next block may read from the last block alone, so the earlier that begins the
better, and nothing else of the past matters. ``begin`` int32[m + 1, k + 1] is that earliest begin (``NEVER``: not reached), and the
slicing is read off it backwards.

A segment's cost without activations grows with every unit (in its work and parameters), which ends it; its peak is found by running it, and only
where it decides: not where the segment does not stream whatever the peak is, nor where it is too dear already with the working set of one op.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from planner.compiling.kernel import njit
from planner.evaluation.activation_kernels import least_peak
from planner.evaluation.kernels import combine
from planner.model.graph import Bools, Floats, Ints

NEVER = 2**31 - 1


class Blocks(NamedTuple):
    """The blocks: ``work`` float64[k, m] of units on each, ``fits`` bool[m, k], ``budget`` float64[k], ``rate``, ``communication``, and ``path``: whether they form one."""

    work: Floats
    fits: Bools
    budget: Floats
    rate: float
    communication: int
    path: bool


class Uses(NamedTuple):
    """Units and tensors as in :class:`planner.methods.units.Units`; ``pred_ptr`` int32[m + 1], ``pred_idx`` int32: the units that one reads from."""

    params: Floats
    entry_ptr: Ints
    entry_tensor: Ints
    entry_forward: Ints
    entry_produces: Bools
    tensor_time: Floats
    send_time: Floats
    tensor_total: Ints
    pred_ptr: Ints
    pred_idx: Ints


class Scratch(NamedTuple):
    """``segment`` int32[n] (-1), ``stamp`` int32[t] (-1), ``inside`` bool[t], ``seen`` int32[t], ``left`` int32 and ``waits`` int32 (zeros), ``order`` int32[n], ``live`` float64[n], ``members`` int32[n]."""

    segment: Ints
    stamp: Ints
    inside: Bools
    seen: Ints
    left: Ints
    waits: Ints
    order: Ints
    live: Floats
    members: Ints


@njit(cache=True, nogil=True)
def _streaming(held, budget, rate):
    return max(0.0, held - budget) / rate if held > budget else 0.0


@njit(cache=True, nogil=True)
def reach(
    order, place, first, most_steps, threshold, begin, blocks, uses, running, flows, scratch,
):  # fmt: skip
    """Extend ``begin`` over all segments from ``first`` on that cost at most ``threshold``.

    ``place`` int32[m]: where each unit stands in the order. ``flows``: the arrays of :func:`planner.evaluation.activation_kernels.run_device`. Returns where to go on, and a
    bound above the threshold below which no other threshold reaches more (infinite: none does).
    """
    m, k = len(order), len(blocks.budget)
    least_above = np.inf
    is_open = np.empty(k, np.bool_)
    (
        size, producer, copied, consumer_ptr, consumer_idx, in_ptr, in_idx, out_ptr, out_idx, succ_ptr, succ_idx, pred_ptr, pred_idx,
    ) = flows  # fmt: skip
    busy = np.empty(k)
    steps = 0
    for i in range(first, m):
        if steps >= most_steps:
            return i, least_above
        for s in range(k):
            # A block may stay empty; what is behind it can then read from nothing before it.
            if begin[i, s] != NEVER and i < begin[i, s + 1]:
                begin[i, s + 1] = i
        some = False
        for s in range(k):
            is_open[s] = begin[i, s] != NEVER
            some = some or is_open[s]
        if not some:
            continue
        receive, send, held = 0.0, 0.0, 0.0
        busy[:] = 0.0
        needs, touches = 0.0, 0.0
        count = 0
        reads_from = i
        for j in range(i, m):
            u = order[j]
            steps += 1
            held += uses.params[u]
            for x in range(uses.pred_ptr[u], uses.pred_ptr[u + 1]):
                reads_from = min(reads_from, place[uses.pred_idx[x]])
            for x in range(running.ptr[u], running.ptr[u + 1]):
                v = running.ops[x]
                needs = max(needs, running.touches[v])
                touches += running.touches[v]
                scratch.members[count] = v
                scratch.segment[v] = i
                count += 1
            some = False
            for s in range(k):
                busy[s] += blocks.work[s, u]
                if not is_open[s]:
                    continue
                if not blocks.fits[u, s] or (blocks.path and reads_from < begin[i, s]):
                    is_open[s] = False
                    continue
                least = busy[s] + _streaming(held, blocks.budget[s], blocks.rate)
                if least > threshold:
                    is_open[s] = False
                    least_above = min(least_above, least)
                some = some or is_open[s]
            if not some:
                break
            for x in range(uses.entry_ptr[u], uses.entry_ptr[u + 1]):
                t = uses.entry_tensor[x]
                if scratch.stamp[t] != i:
                    scratch.stamp[t] = i
                    scratch.inside[t] = False
                    scratch.seen[t] = 0
                made, total = scratch.inside[t], uses.tensor_total[t]
                if made:
                    if scratch.seen[t] < total:
                        send -= uses.send_time[t]
                elif scratch.seen[t] > 0:
                    receive -= uses.tensor_time[t]
                scratch.seen[t] += uses.entry_forward[x]
                if made or uses.entry_produces[x]:
                    scratch.inside[t] = True
                    if scratch.seen[t] < total:
                        send += uses.send_time[t]
                elif scratch.seen[t] > 0:
                    receive += uses.tensor_time[t]
            peak = -1.0
            for s in range(k):
                if not is_open[s]:
                    continue
                if begin[j + 1, s + 1] <= i:
                    continue
                more = 0.0
                if running.choice >= 0 and held + touches > blocks.budget[s]:
                    more = needs
                cost = combine(
                    receive, busy[s], send, _streaming(held + more, blocks.budget[s], blocks.rate), blocks.communication
                )  # fmt: skip
                if cost <= threshold and more > 0.0:
                    if peak < 0.0:
                        members = scratch.members[:count]
                        peak = least_peak(
                            i, members[np.argsort(members)], scratch.segment, size, producer, copied, consumer_ptr,
                            consumer_idx, in_ptr, in_idx, out_ptr, out_idx, succ_ptr, succ_idx, pred_ptr, pred_idx,
                            running.choice, scratch.left, scratch.waits, scratch.order, scratch.live,
                        )  # fmt: skip
                        steps += 4 * count
                    cost = combine(
                        receive, busy[s], send, _streaming(held + peak, blocks.budget[s], blocks.rate), blocks.communication
                    )  # fmt: skip
                if cost <= threshold:
                    begin[j + 1, s + 1] = min(begin[j + 1, s + 1], i)
                else:
                    least_above = min(least_above, cost)
        for x in range(count):
            scratch.segment[scratch.members[x]] = -1
    if first <= m:
        for s in range(k):
            if begin[m, s] != NEVER and m < begin[m, s + 1]:
                begin[m, s + 1] = m
    return m + 1, least_above
