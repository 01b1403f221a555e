"""Topological orders that are meant to slice well: some by rule, then a random search around the best one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from planner.compiling.kernel import njit
from planner.methods.orders import kahn_order
from planner.methods.units import Units
from planner.model.graph import Floats, Ints


@njit(cache=True, nogil=True)
def last_ready_order(ptr, idx):
    """Kahn's algorithm; the node that became ready last goes first (int32[n]). What DPL's own code calls depth-first."""
    n = len(ptr) - 1
    waiting = np.zeros(n, np.int32)
    for w in idx:
        waiting[w] += 1
    stack = np.empty(n, np.int32)
    size = 0
    for v in range(n):
        if waiting[v] == 0:
            stack[size] = v
            size += 1
    order = np.empty(n, np.int32)
    placed = 0
    while size > 0:
        size -= 1
        v = stack[size]
        order[placed] = v
        placed += 1
        for e in range(ptr[v], ptr[v + 1]):
            w = idx[e]
            waiting[w] -= 1
            if waiting[w] == 0:
                stack[size] = w
                size += 1
    return order


@njit(cache=True, nogil=True)
def narrow_order(ptr, idx, entry_ptr, entry_tensor, entry_uses, entry_produces, tensor_time, tensor_total):
    """Kahn's algorithm; the ready unit that adds least to the tensors cut behind it goes first (int32[m]).

    ``entry_uses`` int32: consumers of a tensor in a unit. O(m x ready units x degree).
    """
    n = len(ptr) - 1
    waiting = np.zeros(n, np.int32)
    for w in idx:
        waiting[w] += 1
    left = tensor_total.copy()
    met = np.zeros(len(tensor_time), np.bool_)
    ready = np.empty(n, np.int32)
    size = 0
    for v in range(n):
        if waiting[v] == 0:
            ready[size] = v
            size += 1
    order = np.empty(n, np.int32)
    for placed in range(n):
        chosen, least = 0, np.inf
        for i in range(size):
            v = ready[i]
            change = 0.0
            for x in range(entry_ptr[v], entry_ptr[v + 1]):
                t = entry_tensor[x]
                if left[t] == entry_uses[x]:
                    if met[t]:
                        change -= tensor_time[t]
                elif not met[t]:
                    change += tensor_time[t]
            # Of equals the one that became ready last, to finish what was begun.
            if change <= least:
                chosen, least = i, change
        v = ready[chosen]
        for i in range(chosen, size - 1):
            ready[i] = ready[i + 1]
        size -= 1
        order[placed] = v
        for x in range(entry_ptr[v], entry_ptr[v + 1]):
            left[entry_tensor[x]] -= entry_uses[x]
            met[entry_tensor[x]] = True
        for e in range(ptr[v], ptr[v + 1]):
            w = idx[e]
            waiting[w] -= 1
            if waiting[w] == 0:
                ready[size] = w
                size += 1
    return order


MOST_STEPS = 30_000_000
"""Looks that finding a narrow order may take at most: some 50 ms, in which nothing can be cancelled."""


def ruled_orders(units: Units) -> Iterator[Ints]:
    """Orders of the units (int32[m] each) by rule: last ready first, narrow cuts (not of large graphs), and the same from the other end."""
    uses = units.entry_forward + units.entry_backward
    yield last_ready_order(*units.succs)
    narrow = units.count * len(units.entry_tensor) <= MOST_STEPS
    for forward in (True, False) if narrow else ():
        ptr, idx = units.succs if forward else units.preds
        order = narrow_order(
            ptr, idx, units.entry_ptr, units.entry_tensor,
            # From the other end a tensor is cut from its first consumer on until its producer.
            uses if forward else uses + units.entry_produces.astype(np.int32),
            units.entry_produces, units.tensor_time,
            units.tensor_total if forward else units.tensor_total + np.int32(1),
        )  # fmt: skip
        yield order if forward else np.ascontiguousarray(order[::-1])
    yield np.ascontiguousarray(last_ready_order(*units.preds)[::-1])


def neighbour(units: Units, order: Ints, rng: np.random.Generator) -> Ints:
    """An order near ``order`` (int32[m]): in a random window of it, units are put in another order that the edges allow."""
    m = units.count
    place = np.empty(m)
    place[order] = np.arange(m)
    width = int(np.exp(rng.uniform(np.log(4.0), np.log(max(m, 5)))))
    begin = int(rng.integers(0, max(m - width, 0) + 1))
    inside = (place >= begin) & (place < begin + width)
    noise: Floats = rng.normal(0.0, width * rng.choice((0.1, 0.3, 1.0)), m)
    return kahn_order(*units.succs, np.where(inside, np.clip(place + noise, begin, begin + width), place))
