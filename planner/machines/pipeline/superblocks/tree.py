"""Branch and bound for the two-superblock relaxation of a pipeline: the best ideal to fill the first stages with.

The relaxation and the proof that it bounds every plan are in ``docs/bounds.md``. A node of the tree fixes some units on a
side. Its bound is the Lagrangean dual of the two sides' costs: for every weight it is a minimum cut
(:mod:`planner.machines.pipeline.superblocks.flow`), and the best weight is found by cutting where the lines of two ideals meet,
one too large and one too small. The unit to branch on lies between these two; candidates are tried on
both sides with the flow at hand.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from planner.methods.max_flow import ENDLESS, push_flow, reach_from_source

FREE, IN, OUT = 0, 1, 2

OPEN, SPARE, EXPANDED, ACTIVE, COUNT, NEXT, PICK = range(7)
"""Places of ``state``: open nodes, spare slots, nodes expanded; whether a node is being branched on, how many candidates it
has, how many sides of them have been tried, and which is the best so far (-1 = none)."""
BOUND, WEIGHT = range(2)
"""Places of ``active``: the bound of the node that is being branched on, and its weight of the first side."""


@njit(cache=True, nogil=True)
def load(
    cap, fixed, fix, weight, a, b, in_cost, out_cost, time, send_time, tensor_arc, source_arc, sink_arc, scale
):
    """Set the capacities for a weight of the first side and the fixed units; returns the constant of the cost.

    The first side sends a tensor that is cut, the other receives it.
    """
    cap[:] = fixed
    p, q = weight / a, (1.0 - weight) / b
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
def sides(ideal, in_cost, out_cost, in_base, out_base, time, send_time, producer, ptr, idx):
    """What the units in ``ideal`` (bool[m]) and those outside it pay, in that order."""
    inside, outside = in_base, out_base
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
def fix_unit(fix, v, side, before):
    """Put unit v on a side: its ancestors go in with it, its descendants out with it."""
    fix[v] = side
    if side == IN:
        for u in range(v):
            if before[v, u]:
                fix[u] = IN
    else:
        for w in range(v + 1, len(fix)):
            if before[w, v]:
                fix[w] = OUT


@njit(cache=True, nogil=True)
def heap_push(bound, slot, size, value, node):
    """Add (value, node) to the heap of least values."""
    i = size
    while i > 0:
        up = (i - 1) // 2
        if bound[up] <= value:
            break
        bound[i], slot[i] = bound[up], slot[up]
        i = up
    bound[i], slot[i] = value, node


@njit(cache=True, nogil=True)
def heap_pop(bound, slot, size):
    """Take the least value away; returns its node."""
    node = slot[0]
    value, last = bound[size - 1], slot[size - 1]
    i = 0
    while True:
        child = 2 * i + 1
        if child >= size - 1:
            break
        if child + 1 < size - 1 and bound[child + 1] < bound[child]:
            child += 1
        if bound[child] >= value:
            break
        bound[i], slot[i] = bound[child], slot[child]
        i = child
    bound[i], slot[i] = value, last
    return node


@njit(cache=True, nogil=True)
def candidates(large, small, before, weight, chosen, score):
    """Units between two ideals whose fixing takes most along on both sides, best first; returns how many."""
    count = 0
    for v in range(len(weight)):
        if not large[v] or small[v]:
            continue
        into, out = weight[v], weight[v]
        for u in range(v):
            if before[v, u] and large[u] and not small[u]:
                into += weight[u]
        for w in range(v + 1, len(weight)):
            if before[w, v] and large[w] and not small[w]:
                out += weight[w]
        value = into * out
        if count < len(chosen):
            i = count
            count += 1
        elif value > score[count - 1]:
            i = count - 1
        else:
            continue
        while i > 0 and score[i - 1] < value:
            score[i], chosen[i] = score[i - 1], chosen[i - 1]
            i -= 1
        score[i], chosen[i] = value, v
    return count


@njit(cache=True, nogil=True)
def dual(
    fix, weight, known, limit, rounds, tolerance, a, b, in_cost, out_cost, in_base, out_base, scale, slack,
    time, send_time, producer, ptr, idx, head, node_ptr, arcs, fixed, tensor_arc, source_arc, sink_arc,
    cap, level, turn, queue, path, seen, ideal, large, small, best, best_value,
):  # fmt: skip
    """Raise the bound ``known`` of the ideals that ``fix`` leaves; returns (bound, its weight, cuts made).

    For a weight w of the first side the least of w * inside/a + (1-w) * outside/b over all ideals is a bound. As a
    function of w it is the lower envelope of the ideals' lines; the next w is where the lines of the best ideal that
    is too ``large`` and of the best that is too ``small`` meet (bool[m] each, kept for branching). Ends early at ``limit``.
    """
    m = len(fix)
    for v in range(m):
        large[v] = fix[v] != OUT
        small[v] = fix[v] == IN
    large_in, large_out = sides(
        large, in_cost, out_cost, in_base, out_base, time, send_time, producer, ptr, idx
    )
    small_in, small_out = sides(
        small, in_cost, out_cost, in_base, out_base, time, send_time, producer, ptr, idx
    )
    if max(large_in / a, large_out / b) < best_value[0]:
        best_value[0] = max(large_in / a, large_out / b)
        best[:] = large
    if max(small_in / a, small_out / b) < best_value[0]:
        best_value[0] = max(small_in / a, small_out / b)
        best[:] = small
    bound, best_weight = known, weight
    made = 0
    for _ in range(rounds):
        base = load(
            cap, fixed, fix, weight, a, b, in_cost, out_cost, time, send_time, tensor_arc, source_arc, sink_arc, scale
        )  # fmt: skip
        flow = push_flow(head, node_ptr, arcs, cap, level, turn, queue, path)
        made += 1
        reached = base + flow / scale + weight * in_base / a + (1.0 - weight) * out_base / b - slack
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
            inside, outside = sides(
                ideal, in_cost, out_cost, in_base, out_base, time, send_time, producer, ptr, idx
            )
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


@njit(cache=True, nogil=True)
def push_node(heap_bound, heap_slot, fixes, weights, spare, state, bound, fix, weight):
    """Open a node."""
    state[SPARE] -= 1
    slot = spare[state[SPARE]]
    fixes[slot] = fix
    weights[slot] = weight
    heap_push(heap_bound, heap_slot, state[OPEN], bound, slot)
    state[OPEN] += 1


@njit(cache=True, nogil=True)
def explore(
    most_cuts, cutoff, a, b, in_cost, out_cost, in_base, out_base, scale, slack, rounds, tolerance,
    time, send_time, producer, ptr, idx, before,
    head, node_ptr, arcs, fixed, tensor_arc, source_arc, sink_arc,
    heap_bound, heap_slot, fixes, weights, spare, state, active, chosen, fix, child, gains, gain_weights,
    picked, picked_gains, picked_weights, best, best_value,
):  # fmt: skip
    """Expand nodes, least bound first, for some ``most_cuts`` cuts; returns the proven bound.

    A node is expanded in steps of one side of one candidate unit of ``chosen`` (int64[tries]), so that a call can end in
    between: ``state`` and ``active`` hold where it was, ``fix`` int8[m] the node, ``child`` int8[2, m] with ``gains`` and
    ``gain_weights`` float64[2] the candidate's children, ``picked`` and so on those of the best candidate so far. ``best``
    bool[m] and ``best_value`` float64[1]: the best ideal found. Nodes whose bound reaches that or ``cutoff`` are dropped.
    """
    m = len(in_cost)
    nodes = len(node_ptr) - 1
    cap = np.empty(len(head), np.int64)
    level = np.empty(nodes, np.int32)
    turn = np.empty(nodes, np.int32)
    queue = np.empty(nodes, np.int32)
    path = np.empty(nodes, np.int32)
    seen = np.empty(nodes, np.bool_)
    ideal = np.empty(m, np.bool_)
    large = np.empty(m, np.bool_)
    small = np.empty(m, np.bool_)
    score = np.empty(len(chosen))
    cuts = 0
    while cuts < most_cuts:
        if state[ACTIVE] == 0:
            if state[OPEN] == 0:
                break
            if heap_bound[0] >= min(cutoff, best_value[0]):
                state[OPEN] = 0
                break
            if state[SPARE] < 2:
                break
            bound = heap_bound[0]
            slot = heap_pop(heap_bound, heap_slot, state[OPEN])
            state[OPEN] -= 1
            spare[state[SPARE]] = slot
            state[SPARE] += 1
            state[EXPANDED] += 1
            fix[:] = fixes[slot]
            bound, weight, made = dual(
                fix, weights[slot], bound, cutoff, rounds, tolerance, a, b, in_cost, out_cost, in_base, out_base, scale, slack,
                time, send_time, producer, ptr, idx, head, node_ptr, arcs, fixed, tensor_arc, source_arc, sink_arc,
                cap, level, turn, queue, path, seen, ideal, large, small, best, best_value,
            )  # fmt: skip
            cuts += made
            if bound >= min(cutoff, best_value[0]):
                continue
            count = candidates(large, small, before, in_cost, chosen, score)
            if count == 0:
                for v in range(m):
                    large[v] = fix[v] != OUT
                    small[v] = fix[v] == IN
                count = candidates(large, small, before, in_cost, chosen, score)
                if count == 0:
                    continue  # every unit is fixed, and the only ideal left has been looked at
            active[BOUND], active[WEIGHT] = bound, weight
            state[ACTIVE], state[COUNT], state[NEXT], state[PICK] = 1, count, 0, -1
            continue
        if state[NEXT] < 2 * state[COUNT]:
            v = chosen[state[NEXT] // 2]
            which = state[NEXT] % 2
            state[NEXT] += 1
            if fix[v] != FREE:
                continue
            child[which] = fix
            fix_unit(child[which], v, IN if which == 0 else OUT, before)
            gains[which], gain_weights[which], made = dual(
                child[which], active[WEIGHT], active[BOUND], cutoff, rounds, tolerance,
                a, b, in_cost, out_cost, in_base, out_base, scale, slack,
                time, send_time, producer, ptr, idx, head, node_ptr, arcs, fixed, tensor_arc, source_arc, sink_arc,
                cap, level, turn, queue, path, seen, ideal, large, small, best, best_value,
            )  # fmt: skip
            cuts += made
            if which == 0:
                continue
            limit = min(cutoff, best_value[0])
            if gains[0] >= limit and gains[1] >= limit:
                state[ACTIVE] = 0
            elif gains[0] >= limit or gains[1] >= limit:
                # One side is closed: the unit stays on the other, whose children the best so far are not.
                left = 1 if gains[0] >= limit else 0
                fix[:] = child[left]
                active[BOUND], active[WEIGHT] = gains[left], gain_weights[left]
                state[PICK] = -1
            else:
                worth = 5 * min(gains[0], gains[1]) + max(gains[0], gains[1])
                if state[PICK] < 0 or worth > (
                    5 * min(picked_gains[0], picked_gains[1]) + max(picked_gains[0], picked_gains[1])
                ):
                    state[PICK] = v
                    picked[:] = child
                    picked_gains[:] = gains
                    picked_weights[:] = gain_weights
            continue
        state[ACTIVE] = 0
        if state[PICK] < 0:
            # Everything that was tried last is fixed on a side now: look at the node again.
            push_node(heap_bound, heap_slot, fixes, weights, spare, state, active[BOUND], fix, active[WEIGHT])
            continue
        for which in range(2):
            push_node(
                heap_bound, heap_slot, fixes, weights, spare, state,
                max(active[BOUND], picked_gains[which]), picked[which], picked_weights[which],
            )  # fmt: skip
    proven = min(cutoff, best_value[0])
    if state[OPEN] > 0:
        proven = min(proven, heap_bound[0])
    if state[ACTIVE] == 1:
        proven = min(proven, active[BOUND])
    return proven
