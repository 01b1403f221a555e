"""Branch and bound for the two-superblock relaxation of a pipeline: the best ideal to fill the first stages with.

The relaxation and the proof that it bounds every plan are in ``docs/bounds.md``. A node of the tree fixes some units on a
side. Its bound is the Lagrangean dual of the two sides' costs (:mod:`planner.machines.pipeline.superblocks.dual`), found by
cutting where the lines of two ideals meet, one too large and one too small. The unit to branch on lies between these two;
candidates are tried on both sides with the flow at hand.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planner.compiling.kernel import njit
from planner.machines.pipeline.superblocks.dual import FREE, IN, OUT, Scratch, dual
from planner.model.graph import Bools, Floats, Ints

OPEN, SPARE, EXPANDED, ACTIVE, COUNT, NEXT, PICK = range(7)
"""Places of ``state``: open nodes, spare slots, nodes expanded; whether a node is being branched on, how many candidates it
has, how many sides of them have been tried, and which is the best so far (-1 = none)."""
BOUND, WEIGHT = range(2)
"""Places of ``active``: the bound of the node that is being branched on, and its weight of the first side."""


class Tree(NamedTuple):
    """The open nodes, and the one that is being branched on.

    A heap of bounds (``heap_bound`` float64[slots]) and slots (``heap_slot`` int32[slots]); by slot ``fixes`` int8[slots, m] (which side
    a unit is fixed on) and ``weights`` float64[slots] (of the first side); ``spare`` int32[slots]: free slots. ``state`` int64[7] and
    ``active`` float64[2]: see their places above. ``chosen`` int64[tries]: candidates; ``fix`` int8[m]: the node; ``child``
    int8[2, m], ``gains`` and ``gain_weights`` float64[2]: the candidate's children; ``picked``, ``picked_gains`` and
    ``picked_weights``: those of the best candidate so far. ``best`` bool[m] and ``best_value`` float64[1]: the best ideal found.
    """

    heap_bound: Floats
    heap_slot: Ints
    fixes: NDArray[np.int8]
    weights: Floats
    spare: Ints
    state: NDArray[np.int64]
    active: Floats
    chosen: NDArray[np.int64]
    fix: NDArray[np.int8]
    child: NDArray[np.int8]
    gains: Floats
    gain_weights: Floats
    picked: NDArray[np.int8]
    picked_gains: Floats
    picked_weights: Floats
    best: Bools
    best_value: Floats


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
def push_node(heap_bound, heap_slot, fixes, weights, spare, state, bound, fix, weight):
    """Open a node."""
    state[SPARE] -= 1
    slot = spare[state[SPARE]]
    fixes[slot] = fix
    weights[slot] = weight
    heap_push(heap_bound, heap_slot, state[OPEN], bound, slot)
    state[OPEN] += 1


@njit(cache=True, nogil=True)
def explore(most_cuts, cutoff, rounds, tolerance, sides, before, network, tree):
    """Expand nodes, least bound first, for some ``most_cuts`` cuts; returns the proven bound.

    A node is expanded in steps of one side of one candidate unit, so that a call can end in between. ``before`` bool[m, m]:
    which unit needs which. Nodes whose bound reaches the best value found or ``cutoff`` are dropped.
    """
    (
        heap_bound, heap_slot, fixes, weights, spare, state, active, chosen, fix, child, gains, gain_weights,
        picked, picked_gains, picked_weights, best, best_value,
    ) = tree  # fmt: skip
    in_cost = sides.in_cost
    m, nodes = len(in_cost), len(network.ptr) - 1
    scratch = Scratch(
        np.empty(len(network.head), np.int64), np.empty(nodes, np.int32), np.empty(nodes, np.int32), np.empty(nodes, np.int32),
        np.empty(nodes, np.int32), np.empty(nodes, np.bool_), np.empty(m, np.bool_),
    )  # fmt: skip
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
                fix, weights[slot], bound, cutoff, rounds, tolerance, sides, network, scratch, large, small, best, best_value
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
                child[which], active[WEIGHT], active[BOUND], cutoff, rounds, tolerance, sides, network, scratch, large, small,
                best, best_value,
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
