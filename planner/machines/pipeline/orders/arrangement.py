"""Minimum linear arrangement of a DAG: topological orders in which edges are short.

MTPP, appendix C.1: minimise h(order) = sum of w(u, v) * (place(v) - place(u)) over the edges. All edges point forward, so
h is linear in the places: h = sum of place(u) * (weight into u - weight out of u). It is the total weighted completion
time of unit jobs on one machine under precedence, and moving a unit changes it by sums over the places between.
"""

from __future__ import annotations

import numpy as np

from planner.compiling.kernel import njit
from planner.machines.pipeline.orders.layout import Network
from planner.methods.orders import kahn_order
from planner.methods.units import Units
from planner.model.graph import Floats, Ints
from planner.search.search import Search

UNITS_PER_CALL = 3_000_000
"""Units placed between two looks at the stop criteria: some ten milliseconds."""


def pulls(units: Units, network: Network, weighted: bool) -> Floats:
    """Weight into each unit less the weight out of it (float64[m]); an edge weighs 1, or what its tensors
    cost either of its ends on average."""
    m = units.count
    if not weighted:
        into = np.bincount(units.dst, minlength=m)
        return (into - np.bincount(units.src, minlength=m)).astype(np.float64)
    using = np.repeat(np.arange(m), np.diff(network.use_ptr))
    time = (0.5 * (network.tensor_time + network.send_time))[network.use_tensor]
    into = np.bincount(using, weights=time, minlength=m)
    out = np.bincount(network.tensor_producer[network.use_tensor], weights=time, minlength=m)
    return np.asarray(into - out, np.float64)


@njit(cache=True, nogil=True)
def _lengths(keys, first, most_units, succ_ptr, succ_idx, pull, out):
    m = len(pull)
    units = 0
    for row in range(first, len(keys)):
        order = kahn_order(succ_ptr, succ_idx, keys[row])
        total = 0.0
        for p in range(m):
            total += p * pull[order[p]]
        out[row] = total
        units += m + len(succ_idx)
        if units >= most_units:
            return row + 1
    return len(keys)


def lengths(keys: Floats, network: Network, pull: Floats, search: Search) -> Floats:
    """h of the orders that ``keys`` (float64[b, m]) give by Kahn's algorithm (float64[b])."""
    out = np.empty(len(keys))
    row = 0
    while row < len(keys):
        row = _lengths(keys, row, UNITS_PER_CALL, network.succ_ptr, network.succ_idx, pull, out)
        search.check()
    return out


@njit(cache=True, nogil=True)
def _shorten(order, place, first, most_steps, pull, succ_ptr, succ_idx, pred_ptr, pred_idx):
    m = len(order)
    steps = 0
    gained = 0.0
    for u in range(first, m):
        p = place[u]
        low, high = 0, m - 1
        for x in range(pred_ptr[u], pred_ptr[u + 1]):
            low = max(low, place[pred_idx[x]] + 1)
        for x in range(succ_ptr[u], succ_ptr[u + 1]):
            high = min(high, place[succ_idx[x]] - 1)
        best, to = -1e-9 * (abs(pull[u]) + 1e-300), p
        change = 0.0
        for q in range(p + 1, high + 1):
            change += pull[u] - pull[order[q]]
            if change < best:
                best, to = change, q
        change = 0.0
        for q in range(p - 1, low - 1, -1):
            change += pull[order[q]] - pull[u]
            if change < best:
                best, to = change, q
        steps += high - low + 1
        if to != p:
            gained -= best
            step = 1 if to > p else -1
            while p != to:
                order[p] = order[p + step]
                place[order[p]] = p
                p += step
            order[p] = u
            place[u] = p
        if steps >= most_steps:
            return u + 1, gained
    return m, gained


def shorten(order: Ints, units: Units, pull: Floats, search: Search) -> Ints:
    """Move single units to their best places, again and again until none helps; returns the new order (int32[m])."""
    order = order.copy()
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    while True:
        unit, total = 0, 0.0
        while unit < len(order):
            unit, gained = _shorten(order, place, unit, UNITS_PER_CALL, pull, *units.succs, *units.preds)
            total += gained
            search.check()
        if not total > 0.0:
            return order
