"""Optimal slicing of one order into the blocks of a pipeline, in time near the length of the order per probe.

SliceGraph (MTPP, algorithm 1) asks for the least largest segment cost over all cuts of an order. Here that is found by
bisection on the value B: a *probe* says whether segments that cost at most B reach the end on k blocks. Once the order
is laid out (``arrange``, O(units + tensor uses)), a segment grows by one unit in O(degree of the unit), so that the
paper's table of n² segment costs (section 4.1) is never made. docs/slice-graph.md has the proofs.

A probe keeps, per number of blocks, the furthest place reached, and those places from which a longer segment could be
cheaper than from the furthest one. Where dropping a segment's first unit never makes it dearer (the unit's work covers
its tensors) none of the latter exist, and the probe is greedy furthest extension. Where that cannot be argued, every
place reached is tried: exact as well, and slower.
"""

from __future__ import annotations

import numpy as np

from planner.compiling.kernel import njit
from planner.machines.pipeline.orders.layout import arrange, ceiling, even_value
from planner.methods.orders import kahn_order

RUNNING, REACHED, MISSED = 0, 1, 2
FRUGAL, EXHAUSTIVE = 0, 1
LEVEL, PLACE, MODE, SEEN, STAMP, PROBES, DONE = range(7)
"""Fields of the integer state of a solve."""
LOW, HIGH, PROBE, NEXT, LIMIT, TOP, MOST = range(7)
"""Fields of its floating state: least value not ruled out, best found, value probed, next value worth probing, what to
stay below, the value up to which a probe's answer says more than yes or no, and what no segment can cost more than."""
LEAST_STEP = 1e-6
"""Least step between values probed while nothing is reached, as a share of the most that a segment can cost."""
ROUNDING = 1e-12
STEP, LEAP, REACH = 1.04, 0.7, 1.05
"""Factors from a value probed: up to the next while nothing is reached, down at most, and up to what is looked at on the way."""
SURELY = 1.0 + 1e-9
"""Sums that are compared to leave places out differ by more than their rounding."""


@njit(cache=True, nogil=True)
def grow(network, layout, begin, floats, exhaustive):
    """Reach as far as segments from ``begin`` that cost at most ``floats[PROBE]`` go; returns (end looked at, steps).

    Costs above that go to ``layout.dearer`` at the place they lead to, or at once to ``floats[NEXT]``.
    """
    m = len(layout.order)
    level = layout.blocks[begin]
    so_far = layout.value[begin]
    receive = 0.0
    send = 0.0
    pinned = -1
    p = begin
    while p < m:
        if layout.fixed[p] >= 0:
            # On a pinned block the segment skips the blocks between; two pins in one segment never agree.
            if layout.fixed[p] < level or (pinned >= 0 and pinned != layout.fixed[p]):
                break
            pinned = layout.fixed[p]
        for x in range(layout.use_ptr[p], layout.use_ptr[p + 1]):
            if layout.before[x] < begin:
                receive += layout.time[x]
            if layout.made[x] >= begin:
                send -= layout.last[x]
        send += layout.out[p]
        held = layout.params[p + 1] - layout.params[begin]
        stay = layout.work[p + 1] - layout.work[begin] + receive
        if held > network.budget:
            stay += (held - network.budget) / network.rate
        cost = stay + send
        p += 1
        if cost <= floats[PROBE]:
            blocks = (pinned if pinned >= 0 else level) + 1
            value = max(so_far, cost)
            if blocks < layout.blocks[p] or (blocks == layout.blocks[p] and value < layout.value[p]):
                layout.blocks[p] = blocks
                layout.value[p] = value
                layout.parent[p] = begin
            continue
        if exhaustive or pinned >= 0:
            floats[NEXT] = min(floats[NEXT], cost)
        else:
            layout.dearer[p] = min(layout.dearer[p], cost)
        # Nothing further on costs less than what stays, nor than this cost and the least rise from here.
        if max(stay, cost + layout.rise[p - 1]) >= floats[TOP]:
            break
    return p, p - begin + layout.use_ptr[p] - layout.use_ptr[begin]


@njit(cache=True, nogil=True)
def horizon(layout, uneven, far, top):
    """The last place that a segment from ``far`` whose work is below ``top`` can hold, and what beginning earlier saves at
    most: receiving tensors that cross ``far`` and end by then, or that have to be sent on instead for less."""
    m = len(layout.order)
    end = far
    saving = 0.0
    while end < m and layout.work[end + 1] - layout.work[far] < top:
        for x in range(layout.use_ptr[end], layout.use_ptr[end + 1]):
            if layout.made[x] < far:
                saving += min(layout.last[x], layout.time[x])
                if uneven and layout.before[x] < far:
                    saving += layout.excess[x]
        end += 1
    return end, saving


@njit(cache=True, nogil=True)
def crosses(network, layout, begin, far, top):
    """Whether a segment from ``begin`` to some place beyond ``far`` costs less than ``top`` (pins not looked at)."""
    receive, send = 0.0, 0.0
    for p in range(begin, len(layout.order)):
        for x in range(layout.use_ptr[p], layout.use_ptr[p + 1]):
            if layout.before[x] < begin:
                receive += layout.time[x]
            if layout.made[x] >= begin:
                send -= layout.last[x]
        send += layout.out[p]
        held = layout.params[p + 1] - layout.params[begin]
        stay = layout.work[p + 1] - layout.work[begin] + receive
        if held > network.budget:
            stay += (held - network.budget) / network.rate
        if p + 1 > far and stay + send < top:
            return True
        if max(stay, stay + send + layout.rise[p]) >= top:
            return False
    return False


@njit(cache=True, nogil=True)
def probe(network, layout, integers, floats, budget):
    """Can segments that cost at most ``floats[PROBE]`` cover the order? Returns (RUNNING, REACHED or MISSED, steps).

    After MISSED no value below ``floats[NEXT]`` gives another answer. Goes on where ``integers`` says; RUNNING means that
    ``budget`` steps are made and it wants to be called again.
    """
    m = len(layout.order)
    steps, grown = 0, 0
    if integers[LEVEL] < 0:
        layout.blocks[:] = network.blocks + 1
        layout.blocks[0] = 0
        layout.value[0] = 0.0
        layout.dearer[:] = np.inf
        integers[LEVEL] = 0
        integers[PLACE] = -1
        integers[SEEN] = 0
        floats[NEXT] = floats[TOP]
        steps += m
    while integers[LEVEL] < network.blocks:
        level = integers[LEVEL]
        exhaustive = integers[MODE] == EXHAUSTIVE
        far = integers[SEEN]
        while layout.blocks[far] > level:
            far -= 1
        if far == m:
            return REACHED, steps + grown
        previous = far
        while previous > 0 and layout.blocks[previous] > level - 1:
            previous -= 1
        if integers[PLACE] < 0:
            for p in range(far + 1, integers[SEEN] + 1):
                floats[NEXT] = min(floats[NEXT], layout.dearer[p])
                layout.dearer[p] = np.inf
            rest = (layout.work[m] - layout.work[far]) / (network.blocks - level)
            if rest > floats[PROBE] * (1.0 + ROUNDING):
                floats[NEXT] = min(floats[NEXT], rest)
                return MISSED, steps + grown
        # Beginning a segment at `far` instead of at an earlier place saves the work between and receipts and sends that
        # concern nothing up to the horizon. It costs at most what comes from between and ends before the horizon.
        end, most = (m, 0.0) if exhaustive else horizon(layout, network.uneven, far, floats[TOP])
        steps += end - far
        integers[STAMP] += 1
        crossing, saved = 0.0, 0.0
        place = far
        while place >= 0:
            keep = True
            if place < far and not exhaustive:
                u = layout.order[place]
                y = network.use_ptr[u]
                for x in range(layout.use_ptr[place], layout.use_ptr[place + 1]):
                    if layout.after[x] >= end:
                        saved += layout.time[x]
                        layout.credit[network.use_tensor[y]] = integers[STAMP]
                    y += 1
                for y in range(network.made_ptr[u], network.made_ptr[u + 1]):
                    t = network.made_tensor[y]
                    credited = layout.credit[t] == integers[STAMP]
                    if credited:
                        saved -= network.tensor_time[t]
                    if layout.touch[t] >= end:
                        if credited or layout.first[t] >= end:
                            saved += network.send_time[t]
                        elif network.uneven:
                            # Used behind `far` and beyond: a segment from there receives it, one from here sends it.
                            more = network.send_time[t] - network.tensor_time[t]
                            if more > 0.0:
                                saved += more
                            else:
                                crossing -= more
                    elif layout.touch[t] >= far:
                        crossing += network.tensor_time[t]
                steps += 1
                work = layout.work[far] - layout.work[place]
                if work >= most * SURELY:
                    break
                keep = work + saved < crossing * SURELY
                if keep and layout.blocks[place] > level:
                    if place <= previous and crosses(network, layout, place, far, floats[TOP]):
                        # A plan may begin a segment here although a longer prefix takes no more blocks.
                        integers[MODE] = EXHAUSTIVE
                        integers[LEVEL] = -1
                        return RUNNING, steps
                    floats[NEXT] = min(floats[NEXT], layout.dearer[place])
            again = integers[PLACE] >= 0 and place >= integers[PLACE]
            if keep and layout.blocks[place] == level and not again:
                if grown > budget:
                    return RUNNING, steps + grown
                seen, made = grow(network, layout, place, floats, exhaustive)
                integers[SEEN] = max(integers[SEEN], seen)
                grown += made
                integers[PLACE] = place
            place -= 1
        integers[LEVEL] += 1
        integers[PLACE] = -1
    if layout.blocks[m] <= network.blocks:
        return REACHED, steps + grown
    if not exhaustive:
        floats[NEXT] = min(floats[NEXT], layout.dearer[m])
    return MISSED, steps + grown


@njit(cache=True, nogil=True)
def begin_solve(network, layout, integers, floats, least, limit, guess):
    """Start to search the least value of the laid out order: at least ``least``, below ``limit``, near ``guess``."""
    integers[LEVEL] = -1
    integers[MODE] = FRUGAL
    integers[STAMP] = 0
    integers[PROBES] = 0
    integers[DONE] = 0
    floats[LOW] = least
    floats[HIGH] = np.inf
    floats[LIMIT] = limit
    floats[MOST] = ceiling(network, layout)
    _aim(floats, guess)
    if least >= limit:
        integers[DONE] = 1


@njit(cache=True, nogil=True)
def _aim(floats, bound):
    """Probe ``bound`` next, as far as it lies between what is ruled out and what has to be beaten."""
    top = min(floats[HIGH], floats[LIMIT])
    floats[PROBE] = max(min(bound, top * (1.0 - ROUNDING)), floats[LOW])
    floats[TOP] = min(top, max(floats[PROBE] * REACH, floats[PROBE] + LEAST_STEP * floats[MOST]))


@njit(cache=True, nogil=True)
def solve(network, layout, integers, floats, cuts, budget):
    """Go on with the search for about ``budget`` steps; returns the steps made. ``integers[DONE]`` says when it is over.

    ``floats[HIGH]`` is then the least value below the limit, or infinity; ``cuts`` int32[m+1, 2] its segments from the
    last to the first (where each begins and its block), ended by -1.
    """
    steps = 0
    m = len(layout.order)
    while integers[DONE] == 0:
        answer, made = probe(network, layout, integers, floats, budget - steps)
        steps += made
        if answer != RUNNING:
            integers[LEVEL] = -1
            integers[MODE] = FRUGAL
            integers[PROBES] += 1
            if answer == REACHED:
                floats[HIGH] = layout.value[m]
                trace(layout, cuts)
            else:
                floats[LOW] = max(floats[LOW], floats[NEXT])
            top = min(floats[HIGH], floats[LIMIT])
            if floats[LOW] >= top * (1.0 - ROUNDING):
                integers[DONE] = 1
            elif np.isfinite(floats[HIGH]):
                _aim(floats, max(0.5 * (floats[LOW] + floats[HIGH]), LEAP * floats[HIGH]))
            elif floats[PROBE] > floats[MOST]:
                integers[DONE] = 1  # the pins forbid every slicing of this order
            else:
                _aim(floats, floats[PROBE] * STEP)
        if steps > budget:
            return steps
    return steps


@njit(cache=True, nogil=True)
def trace(layout, cuts):
    """Write the segments of the last probe to ``cuts``, the last segment first."""
    at = len(layout.order)
    count = 0
    while at > 0:
        cuts[count, 0] = layout.parent[at]
        cuts[count, 1] = layout.blocks[at] - 1
        at = layout.parent[at]
        count += 1
    cuts[count, 0] = -1


@njit(cache=True, nogil=True)
def place_blocks(order, cuts, block_of):
    """The block of each unit (int32[m]) from the ``cuts`` of an order."""
    end = len(order)
    segment = 0
    while end > 0:
        for p in range(cuts[segment, 0], end):
            block_of[order[p]] = cuts[segment, 1]
        end = cuts[segment, 0]
        segment += 1


@njit(cache=True, nogil=True)
def slice_many(
    keys, first, strict, least, limit, network, layout, integers, floats, cuts, values, best_block_of, best_order, budget
):  # fmt: skip
    """Slice the orders that ``keys`` float64[b, m] give by Kahn's algorithm, from row ``first`` on; returns (row, best).

    ``values`` float64[b] get the least value of each order; with ``strict`` only values below the best so far
    (at first ``limit``) are looked for and infinity stands for the others. ``best_block_of`` and ``best_order`` int32[m]
    take the best. Stops after about ``budget`` steps, in the middle of an order too (``integers[DONE]`` is then 0).
    """
    best = limit
    steps = 0
    for row in range(first, len(keys)):
        if integers[DONE] != 0:
            layout.order[:] = kahn_order(network.succ_ptr, network.succ_idx, keys[row])
            arrange(network, layout)
            if strict and np.isfinite(best):
                begin_solve(network, layout, integers, floats, least, best, best)
            else:
                # Orders of one graph are worth about the same.
                guess = floats[HIGH] if row > 0 and floats[HIGH] < np.inf else even_value(network, layout)
                begin_solve(network, layout, integers, floats, least, limit if strict else np.inf, guess)
            steps += 4 * len(layout.order)
        steps += solve(network, layout, integers, floats, cuts, budget - steps)
        if integers[DONE] == 0:
            return row, best
        values[row] = floats[HIGH]
        if values[row] < best * (1.0 - ROUNDING):
            best = values[row]
            best_order[:] = layout.order
            place_blocks(layout.order, cuts, best_block_of)
        if steps > budget:
            return row + 1, best
    return len(keys), best
