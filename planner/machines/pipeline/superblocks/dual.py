"""The bound of a node in the two-superblock relaxation of a pipeline: the Lagrangean dual of the two sides' costs.

For every weight of the two sides the least of the weighted costs over all ideals is a minimum cut
(:mod:`planner.machines.pipeline.superblocks.flow`). The tuples are handed on whole: a cut takes far longer than a call.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planner.compiling.kernel import njit
from planner.methods.max_flow import ENDLESS, push_flow, reach_from_source
from planner.model.graph import Bools, Floats, Ints

FREE, IN, OUT = 0, 1, 2
"""The sides that a unit may be fixed on."""


class Sides(NamedTuple):
    """What the two sides pay: the first, of ``a`` stages, and the other, of ``b``.

    ``in_cost`` and ``out_cost`` float64[m]: a unit's cost on the first and on the other side; ``in_base`` and ``out_base``: what a
    side pays without units. Of the tensors: ``time`` (to receive) and ``send_time`` float64[t], ``producer`` int32[t] and the
    consumers as CSR ``ptr`` int32[t + 1], ``idx``. In flows costs are whole numbers, ``scale`` to one; sums of floats may be
    off by ``slack``.
    """

    a: float
    b: float
    in_cost: Floats
    out_cost: Floats
    in_base: float
    out_base: float
    time: Floats
    send_time: Floats
    producer: Ints
    ptr: Ints
    idx: Ints
    scale: float
    slack: float


class Scratch(NamedTuple):
    """What a minimum cut writes on its way: by arc, by node of the network, and by unit."""

    cap: NDArray[np.int64]
    level: Ints
    turn: Ints
    queue: Ints
    path: Ints
    seen: Bools
    ideal: Bools


@njit(cache=True, nogil=True)
def load(cap, network, fix, weight, sides):
    """Set the capacities for a weight of the first side and the fixed units; returns the constant of the cost.

    The first side sends a tensor that is cut, the other receives it.
    """
    time, send_time, scale, in_cost, out_cost = (
        sides.time,
        sides.send_time,
        sides.scale,
        sides.in_cost,
        sides.out_cost,
    )
    tensor_arc, source_arc, sink_arc = network.tensor_arc, network.source_arc, network.sink_arc
    cap[:] = network.fixed
    p, q = weight / sides.a, (1.0 - weight) / sides.b
    for t in range(len(time)):
        cap[tensor_arc[t]] = np.int64((send_time[t] * p + time[t] * q) * scale)
    base = 0.0
    for v in range(len(fix)):
        inside, outside = p * in_cost[v], q * out_cost[v]
        if fix[v] == IN:
            cap[source_arc[v]] = ENDLESS
            base += inside
        elif fix[v] == OUT:
            cap[sink_arc[v]] = ENDLESS
            base += outside
        elif inside > outside:
            cap[sink_arc[v]] = np.int64((inside - outside) * scale)
            base += outside
        else:
            cap[source_arc[v]] = np.int64((outside - inside) * scale)
            base += inside
    return base


@njit(cache=True, nogil=True)
def paid(ideal, sides):
    """What the units in ``ideal`` (bool[m]) and those outside it pay, in that order."""
    in_cost, out_cost, time, send_time = sides.in_cost, sides.out_cost, sides.time, sides.send_time
    producer, ptr, idx = sides.producer, sides.ptr, sides.idx
    inside, outside = sides.in_base, sides.out_base
    for v in range(len(in_cost)):
        if ideal[v]:
            inside += in_cost[v]
        else:
            outside += out_cost[v]
    for t in range(len(time)):
        if ideal[producer[t]]:
            for x in range(ptr[t], ptr[t + 1]):
                if not ideal[idx[x]]:
                    inside += send_time[t]
                    outside += time[t]
                    break
    return inside, outside


@njit(cache=True, nogil=True)
def dual(
    fix, weight, known, limit, rounds, tolerance, sides, network, scratch, large, small, best, best_value
):
    """Raise the bound ``known`` of the ideals that ``fix`` leaves; returns (bound, its weight, cuts made).

    For a weight w of the first side the least of w * inside/a + (1-w) * outside/b over all ideals is a bound. As a
    function of w it is the lower envelope of the ideals' lines; the next w is where the lines of the best ideal that
    is too ``large`` and of the best that is too ``small`` meet (bool[m] each, kept for branching). Ends early at ``limit``.
    """
    m = len(fix)
    a, b = sides.a, sides.b
    head, node_ptr, arcs = network.head, network.ptr, network.arcs
    cap, level, turn, queue, path, seen, ideal = scratch
    for v in range(m):
        large[v] = fix[v] != OUT
        small[v] = fix[v] == IN
    large_in, large_out = paid(large, sides)
    small_in, small_out = paid(small, sides)
    if max(large_in / a, large_out / b) < best_value[0]:
        best_value[0] = max(large_in / a, large_out / b)
        best[:] = large
    if max(small_in / a, small_out / b) < best_value[0]:
        best_value[0] = max(small_in / a, small_out / b)
        best[:] = small
    bound, best_weight = known, weight
    made = 0
    for _ in range(rounds):
        base = load(cap, network, fix, weight, sides)
        flow = push_flow(head, node_ptr, arcs, cap, level, turn, queue, path)
        made += 1
        reached = (
            base + flow / sides.scale + weight * sides.in_base / a + (1.0 - weight) * sides.out_base / b - sides.slack
        )  # fmt: skip
        if reached > bound or made == 1:
            bound = max(bound, reached)
            best_weight = weight
        if bound >= min(limit, best_value[0]):
            break
        # The largest and the smallest minimum cut: together they tell on which side the best weight lies.
        reach_from_source(head, node_ptr, arcs, cap, seen, queue)
        for which in range(2):
            for v in range(m):
                ideal[v] = seen[v] if which == 0 else level[v] < 0
            inside, outside = paid(ideal, sides)
            value = max(inside / a, outside / b)
            if value < best_value[0]:
                best_value[0] = value
                best[:] = ideal
            if inside / a > outside / b:
                large[:] = ideal
                large_in, large_out = inside, outside
            else:
                small[:] = ideal
                small_in, small_out = inside, outside
        up, down = large_in / a - large_out / b, small_in / a - small_out / b
        if up <= 0.0:
            weight = 1.0
        elif down > 0.0:
            weight = 0.0
        else:
            weight = min(1.0, max(0.0, (small_out - large_out) / b / (up - down)))
        meet = weight * large_in / a + (1 - weight) * large_out / b
        if up <= 0.0:
            meet = small_in / a
        elif down > 0.0:
            meet = large_out / b
        if meet - bound <= tolerance * abs(meet):
            break
    return bound, best_weight, made
