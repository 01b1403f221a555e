"""One move of a unit between devices, compiled: what it changes of all that is summed per device.

:mod:`planner.methods.steepest_descent` and :mod:`planner.methods.annealing` make such moves.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from planner.compiling.kernel import njit
from planner.evaluation.kernels import MAX_COST, combine, streaming_time
from planner.methods.units import Units
from planner.model.graph import Bools, Floats, Ints

FREE, ORDERED, CONTIGUOUS = 0, 1, 2
"""Modes: what the rules ask of the devices along edges."""


class Fixed(NamedTuple):
    """What units cost, which no move changes.

    ``work`` to ``tensor_total`` are those of :class:`planner.methods.units.Units`, ``class_of`` to ``objective`` those of the
    evaluator. ``capacity`` float64[k]: bytes that fit a device. The units' edges are CSRs (``succ_ptr``, ``succ_idx``,
    ``pred_ptr``, ``pred_idx`` int32), and beside each edge stands how many op edges of the forward and of the backward part are
    behind it (``succ_forward``, ``succ_backward``, ``pred_forward``, ``pred_backward`` int32[e]).
    """

    work: Floats
    memory: Floats
    params: Floats
    allowed: Bools
    entry_ptr: Ints
    entry_tensor: Ints
    entry_forward: Ints
    entry_backward: Ints
    entry_produces: Bools
    tensor_time: Floats
    send_time: Floats
    tensor_part: np.ndarray
    tensor_total: Ints
    class_of: Ints
    pays: Bools
    budget: Floats
    rate: float
    communication: int
    objective: int
    capacity: Floats
    succ_ptr: Ints
    succ_idx: Ints
    pred_ptr: Ints
    pred_idx: Ints
    succ_forward: Ints
    succ_backward: Ints
    pred_forward: Ints
    pred_backward: Ints


class Sums(NamedTuple):
    """What follows every move of a unit.

    ``counts`` int32[t, k, 2]: consumers of each tensor by device and part; ``home`` int32[t]: its producer's device;
    ``receive``, ``busy``, ``send`` float64[k, 2]: times by part; ``used``, ``held`` float64[k]: bytes that count against memory, of
    parameters; ``quotient`` int32[2, k, k]: edges from device to device by part.
    """

    counts: Ints
    home: Ints
    receive: Floats
    busy: Floats
    send: Floats
    used: Floats
    held: Floats
    quotient: Ints


def fixed_of(units: Units, capacity: Floats) -> Fixed:
    """What ``units`` cost; ``capacity`` float64[k] is what fits each device."""
    e = units.problem.evaluator
    return Fixed(
        units.work, units.memory, units.params, units.allowed, units.entry_ptr, units.entry_tensor, units.entry_forward,
        units.entry_backward, units.entry_produces, units.tensor_time, units.send_time, units.tensor_part,
        units.tensor_total, e.class_of, e.pays, e.budget, e.streaming_rate, e.communication, e.objective_code, capacity,
        *units.succs, *units.preds, *_edge_parts(units),
    )  # fmt: skip


def _edge_parts(units: Units) -> tuple[Ints, Ints, Ints, Ints]:
    """How many op edges of each part stand behind each unit edge, in the order of both CSRs."""
    e = units.problem.evaluator
    m = max(units.count, 1)
    src, dst = units.unit_of[e.edge_src], units.unit_of[e.edge_dst]
    same = (e.part[e.edge_src] == e.part[e.edge_dst]) & (src != dst)
    keys = units.src.astype(np.int64) * m + units.dst
    found = np.searchsorted(keys, src[same].astype(np.int64) * m + dst[same])
    part = e.part[e.edge_src[same]]
    forward, backward = (np.bincount(found[part == p], minlength=len(keys)).astype(np.int32) for p in (0, 1))
    by_source = np.argsort(units.src, kind="stable")
    by_target = np.argsort(units.dst, kind="stable")
    return forward[by_source], backward[by_source], forward[by_target], backward[by_target]


@njit(cache=True, nogil=True)
def _part(counts, t, d):
    """To which part device d's receipt of tensor t belongs: 0 forward, 1 backward, -1 none."""
    if counts[t, d, 0] > 0:
        return 0
    if counts[t, d, 1] > 0:
        return 1
    return -1


@njit(cache=True, nogil=True)
def shift(
    u, a, b, commit, entry_ptr, entry_tensor, entry_forward, entry_backward, entry_produces,
    tensor_time, send_time, tensor_part, tensor_total, pays, counts, home, receive, send,
):  # fmt: skip
    """Add what unit u's move from device a to device b changes to ``receive`` and ``send`` (float64[k, 2]).

    Only the two devices and the homes of the tensors that u consumes change. With ``commit`` the counts and homes
    follow; without, they are left as they are.
    """
    for x in range(entry_ptr[u], entry_ptr[u + 1]):
        t = entry_tensor[x]
        f, g = entry_forward[x], entry_backward[x]
        time, leaving = tensor_time[t], send_time[t]
        p = tensor_part[t]
        h = home[t]
        new_home = b if entry_produces[x] else h
        for side in range(2):
            d = a if side == 0 else b
            if d != h and pays[d]:
                q = _part(counts, t, d)
                if q >= 0:
                    receive[d, q] -= time
        if pays[h] and counts[t, h, 0] + counts[t, h, 1] < tensor_total[t]:
            send[h, p] -= leaving
        counts[t, a, 0] -= f
        counts[t, a, 1] -= g
        counts[t, b, 0] += f
        counts[t, b, 1] += g
        for side in range(2):
            d = a if side == 0 else b
            if d != new_home and pays[d]:
                q = _part(counts, t, d)
                if q >= 0:
                    receive[d, q] += time
        if pays[new_home] and counts[t, new_home, 0] + counts[t, new_home, 1] < tensor_total[t]:
            send[new_home, p] += leaving
        if commit:
            home[t] = new_home
        else:
            counts[t, a, 0] += f
            counts[t, a, 1] += g
            counts[t, b, 0] -= f
            counts[t, b, 1] -= g


@njit(cache=True, nogil=True)
def device_cost(d, receive, busy, send, held, budget, rate, communication, objective):
    """Device d's cost, or its forward and backward cost where the objective adds their maxima."""
    stream = streaming_time(held[d], budget[d], rate)
    if objective == MAX_COST:
        f = combine(
            receive[d, 0] + receive[d, 1],
            busy[d, 0] + busy[d, 1],
            send[d, 0] + send[d, 1],
            stream,
            communication,
        )
        return f, 0.0
    f = combine(receive[d, 0], busy[d, 0], send[d, 0], stream, communication)
    return f, combine(receive[d, 1], busy[d, 1], send[d, 1], 0.0, communication)


@njit(cache=True, nogil=True)
def move_quotient(
    u, b, device_of, succ_ptr, succ_idx, pred_ptr, pred_idx,
    succ_forward, succ_backward, pred_forward, pred_backward, quotient,
):  # fmt: skip
    """Update the edges between devices (int32[2, k, k]) for unit u's move to device b."""
    a = device_of[u]
    for x in range(succ_ptr[u], succ_ptr[u + 1]):
        d = device_of[succ_idx[x]]
        if d != a:
            quotient[0, a, d] -= succ_forward[x]
            quotient[1, a, d] -= succ_backward[x]
        if d != b:
            quotient[0, b, d] += succ_forward[x]
            quotient[1, b, d] += succ_backward[x]
    for x in range(pred_ptr[u], pred_ptr[u + 1]):
        d = device_of[pred_idx[x]]
        if d != a:
            quotient[0, d, a] -= pred_forward[x]
            quotient[1, d, a] -= pred_backward[x]
        if d != b:
            quotient[0, d, b] += pred_forward[x]
            quotient[1, d, b] += pred_backward[x]


@njit(cache=True, nogil=True)
def place(
    u, b, mode, device_of, work, memory, params, entry_ptr, entry_tensor, entry_forward, entry_backward, entry_produces,
    tensor_time, send_time, tensor_part, tensor_total, class_of, pays, succ_ptr, succ_idx, pred_ptr, pred_idx,
    succ_forward, succ_backward, pred_forward, pred_backward, counts, home, receive, busy, send, used, held, quotient,
):  # fmt: skip
    """Move unit u to device b. The edges between devices follow where ``mode`` asks for them."""
    a = device_of[u]
    shift(
        u, a, b, True, entry_ptr, entry_tensor, entry_forward, entry_backward, entry_produces,
        tensor_time, send_time, tensor_part, tensor_total, pays, counts, home, receive, send,
    )  # fmt: skip
    for p in range(2):
        busy[a, p] -= work[class_of[a], u, p]
        busy[b, p] += work[class_of[b], u, p]
    used[a] -= memory[u]
    used[b] += memory[u]
    held[a] -= params[u]
    held[b] += params[u]
    if mode == CONTIGUOUS:
        move_quotient(
            u, b, device_of, succ_ptr, succ_idx, pred_ptr, pred_idx,
            succ_forward, succ_backward, pred_forward, pred_backward, quotient,
        )  # fmt: skip
    device_of[u] = b
