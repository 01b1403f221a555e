"""Blocks by what they cost and how they are priced: Pareto lists of the states of a diagram, and paths within them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planner.compiling.kernel import njit
from planner.methods.random_streams import uniform


@njit(cache=True, nogil=True)
def potentials(arc_ptr, target, arc_cost, gain, multipliers, reach):
    """Fill ``reach`` float64[j, s]: the most that price - multiplier * cost can be on a path to each state.

    ``arc_cost`` int64[a]; ``gain`` float64[a]: the price of the unit that an arc takes, else 0; ``multipliers`` float64[j].
    """
    states = len(arc_ptr) - 1
    for j in range(len(multipliers)):
        mu = multipliers[j]
        for s in range(states):
            reach[j, s] = -1e300
        reach[j, 0] = 0.0
        for s in range(states):
            here = reach[j, s]
            for x in range(arc_ptr[s], arc_ptr[s + 1]):
                value = here + gain[x] - mu * arc_cost[x]
                if value > reach[j, target[x]]:
                    reach[j, target[x]] = value


@njit(cache=True, nogil=True)
def lists(
    arc_ptr, target, arc_cost, gain, multipliers, reach, limit, need, begin, end, costs, prices, first, used, best
):  # fmt: skip
    """What can follow each state from the last down to ``first``: costs that rise and prices that rise with them.

    Left out is what no path to the state can make a block of cost at most ``limit`` and price at least ``need`` of (by
    ``reach``, :func:`potentials`). The list of state s is ``costs`` int32 and ``prices`` float64 from ``begin[s]`` to ``end[s]``
    (int64[s] each). ``best`` float64[limit + 1] is scratch of -1e300. Starts after ``used`` entries, at the state below the last that
    is done; returns the entries used, -1 where there are too many.
    """
    states = len(arc_ptr) - 1
    rounds = len(multipliers)
    start = states - 1
    while start >= first and end[start] >= 0:
        start -= 1
    for s in range(start, first - 1, -1):
        begin[s] = used
        if s == states - 1:
            if used >= len(costs):
                return -1
            costs[used], prices[used] = 0, 0.0
            used += 1
            end[s] = used
            continue
        low, high = limit + 1, -1
        for x in range(arc_ptr[s], arc_ptr[s + 1]):
            to, step, more = target[x], arc_cost[x], gain[x]
            for y in range(begin[to], end[to]):
                c = costs[y] + step
                if c > limit:
                    break
                q = prices[y] + more
                if q <= best[c]:
                    continue
                possible = True
                for j in range(rounds):
                    if reach[j, s] + q + multipliers[j] * (limit - c) < need:
                        possible = False
                        break
                if possible:
                    best[c] = q
                    low = min(low, c)
                    high = max(high, c)
        top = -1e300
        for c in range(low, high + 1):
            if best[c] > top:
                if used >= len(costs):
                    return -1
                top = best[c]
                costs[used], prices[used] = c, top
                used += 1
            best[c] = -1e300
        end[s] = used
    return used


@njit(cache=True, nogil=True)
def most(begin, end, costs, prices, state, budget):
    """The best price that can follow a state for at most ``budget``; -1e300 where nothing can."""
    low, high = begin[state], end[state]
    if low == high or costs[low] > budget:
        return -1e300
    while high - low > 1:
        middle = (low + high) // 2
        if costs[middle] <= budget:
            low = middle
        else:
            high = middle
    return prices[low]


@njit(cache=True, nogil=True)
def step(arc_ptr, target, taken, arc_cost, states, spent, count, take, next_states, next_spent, place):
    """The states that follow ``count`` ones when the unit is taken or not; returns how many. ``place`` int32[s] holds -1."""
    found = 0
    for i in range(count):
        s = states[i]
        for x in range(arc_ptr[s], arc_ptr[s + 1]):
            if taken[x] != take:
                continue
            to, c = target[x], spent[i] + arc_cost[x]
            if place[to] < 0:
                place[to] = found
                next_states[found], next_spent[found] = to, c
                found += 1
            elif c < next_spent[place[to]]:
                next_spent[place[to]] = c
    for i in range(found):
        place[next_states[i]] = -1
    return found


@njit(cache=True, nogil=True)
def keep(begin, end, costs, prices, limit, need, price, states, spent, count):
    """Keep the states from which a block is still possible; returns how many."""
    kept = 0
    for i in range(count):
        value = price + most(begin, end, costs, prices, states[i], limit - spent[i])
        if value >= need:
            states[kept], spent[kept] = states[i], spent[i]
            kept += 1
    return kept


@njit(cache=True, nogil=True)
def dive(
    arc_ptr, target, taken, arc_cost, sequence, price, begin, end, costs, prices, limit, need, wanted, random, width, block
):  # fmt: skip
    """One block (bool[m]) of cost at most ``limit`` and price at least ``need``, with ``wanted`` units (bool[m]) where possible.

    Units that are not wanted are left out where possible; one time in five it is as it happens. Returns whether there is one.
    """
    m = len(sequence)
    states, spent = np.zeros((2, width), np.int32), np.zeros((2, width), np.int64)
    current, spending = np.zeros(width, np.int32), np.zeros(width, np.int64)
    place = np.full(len(arc_ptr) - 1, -1, np.int32)
    count, value = 1, 0.0
    block[:] = False
    if most(begin, end, costs, prices, 0, limit) < need:
        return False
    for layer in range(m):
        v = sequence[layer]
        take = wanted[v]
        if uniform(random) < 0.2:
            take = not take
        done = False
        for attempt in range(2):
            which = take if attempt == 0 else not take
            found = step(
                arc_ptr, target, taken, arc_cost, current, spending, count, which, states[attempt], spent[attempt], place
            )  # fmt: skip
            worth = value + (price[v] if which else 0.0)
            found = keep(
                begin, end, costs, prices, limit, need, worth, states[attempt], spent[attempt], found
            )
            if found > 0:
                current[:found], spending[:found] = states[attempt, :found], spent[attempt, :found]
                count, value = found, worth
                block[v] = which
                done = True
                break
        if not done:
            return False
    return True


class Walk(NamedTuple):
    """A walk through all blocks, in between (m units, w states in the widest layer).

    By depth: ``states`` int32[m + 1, w] and ``spent`` int64[m + 1, w], ``width`` int64[m + 1] of them, ``tried`` int8[m + 1] (branches begun),
    ``value`` float64[m + 1] (price so far). ``place`` int32[s] holds -1; ``block`` bool[m]; ``at`` int64[2]: the depth, and blocks found.
    """

    states: NDArray[np.int32]
    spent: NDArray[np.int64]
    width: NDArray[np.int64]
    tried: NDArray[np.int8]
    value: NDArray[np.float64]
    place: NDArray[np.int32]
    block: NDArray[np.bool_]
    at: NDArray[np.int64]


@njit(cache=True, nogil=True)
def walk_on(
    arc_ptr, target, taken, arc_cost, sequence, price, begin, end, costs, prices, limit, need, blocks, steps, walk
):  # fmt: skip
    """Go on to all blocks of cost at most ``limit`` and price at least ``need``, rows of ``blocks`` (bool[most, m]), for some ``steps``.

    Returns whether it goes on: not where the walk is over or there is no room for what was found.
    """
    states, spent, count, tried, value, place, block, at = walk
    m = len(sequence)
    depth, found = at[0], at[1]
    for _ in range(steps):
        if depth < 0 or found > len(blocks):
            break
        if depth == m:
            if found < len(blocks):
                blocks[found] = block
            found += 1
            depth -= 1
            continue
        if tried[depth] == 2:
            depth -= 1
            continue
        v = sequence[depth]
        which = tried[depth] == 0
        tried[depth] += 1
        made = step(
            arc_ptr, target, taken, arc_cost, states[depth], spent[depth], count[depth], which, states[depth + 1],
            spent[depth + 1], place,
        )  # fmt: skip
        worth = value[depth] + (price[v] if which else 0.0)
        made = keep(begin, end, costs, prices, limit, need, worth, states[depth + 1], spent[depth + 1], made)
        if made > 0:
            block[v] = which
            depth += 1
            count[depth], value[depth], tried[depth] = made, worth, 0
    at[0], at[1] = depth, found
    return depth >= 0 and found <= len(blocks)


@njit(cache=True, nogil=True)
def cost_of(arc_ptr, target, taken, arc_cost, sequence, block, width):
    """What a block (bool[m]) costs; -1 where it is not convex."""
    current, spending = np.zeros(width, np.int32), np.zeros(width, np.int64)
    after, spent = np.zeros(width, np.int32), np.zeros(width, np.int64)
    place = np.full(len(arc_ptr) - 1, -1, np.int32)
    count = 1
    for v in sequence:
        count = step(
            arc_ptr, target, taken, arc_cost, current, spending, count, block[v], after, spent, place
        )
        current, after = after, current
        spending, spent = spent, spending
    if count == 0:
        return -1
    return spending[0]
