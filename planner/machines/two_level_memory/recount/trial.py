"""Trials of an incremental recount: what moved, where to look, and how a trial is kept or undone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from planner.compiling.kernel import njit
from planner.machines.two_level_memory.kernels import LRU, MIN
from planner.machines.two_level_memory.recount import lru as incremental_lru
from planner.machines.two_level_memory.recount import min as incremental_min
from planner.machines.two_level_memory.recount import rr as incremental_rr
from planner.machines.two_level_memory.recount.state import (
    BREAKS,
    CHANGES,
    DELTA,
    FIRST_SITE,
    FREE,
    HIGH,
    LAST_SITE,
    LINKS,
    LOW,
    MOVERS,
    POLICY,
    SPANS,
    TOTAL,
    State,
    add_site,
    clear_sites,
    drop_mark,
    inner,
    state_of,
)
from planner.model.graph import Ints

if TYPE_CHECKING:
    from planner.machines.two_level_memory.problem import NetworkProblem


@inner
def weigh(s):
    """Count a trial whose order, chains, movers and breaks are set; returns the change of the total."""
    _set_sites(s)
    policy = s.numbers[POLICY]
    if policy == MIN:
        delta = incremental_min.weigh(s)
    elif policy == LRU:
        delta = incremental_lru.weigh(s)
    else:
        delta = incremental_rr.weigh(s)
    clear_sites(s.sites, s.numbers)
    return delta


@inner
def _set_sites(s):
    """Where something else may happen than in the kept run although memory agrees: at what moved and behind it, where
    something moved away, and where a gap ends that begins at one of these (its length or its owner's state may be another).
    """
    numbers, sites, new_position = s.numbers, s.sites, s.new_position
    w = len(s.order)
    ahead = s.numbers[POLICY] == MIN
    if numbers[LOW] == 0:
        add_site(sites, numbers, 0)
    for i in range(numbers[MOVERS]):
        c = s.movers[i]
        add_site(sites, numbers, new_position[c])
        if new_position[c] + 1 < w:
            add_site(sites, numbers, new_position[c] + 1)
        for use in range(2 * c, 2 * c + 2):
            if s.next[use] >= 0:
                add_site(sites, numbers, new_position[s.next[use] >> 1])
    for i in range(numbers[BREAKS]):
        c = s.breaks[i]
        if new_position[c] + 1 < w:
            add_site(sites, numbers, new_position[c] + 1)
        if ahead:
            for use in range(2 * c, 2 * c + 2):
                if s.next[use] >= 0:
                    add_site(sites, numbers, new_position[s.next[use] >> 1])


@inner
def relink(s, order, low, high, trial):
    """Make the chains follow ``order`` in positions low..high, which has the same connections there as they have now.

    For a ``trial``, uses that now follow another one, are the last or no longer are to be looked at.
    """
    # What lies outside is the same in all orders, and ``position`` puts the same connections into low..high as ``order``.
    position, before, behind, prev, after = s.position, s.before, s.behind, s.prev, s.next
    for turn in range(3):
        for k in range(low, high + 1):
            c = order[k]
            for end in range(2):
                use = 2 * c + end
                neuron = s.source[c] if end == 0 else s.target[c]
                if turn == 0:
                    p, n = prev[use], after[use]
                    if p < 0 or position[p >> 1] < low:
                        before[neuron] = p
                    if n < 0 or position[n >> 1] > high:
                        behind[neuron] = n
                elif turn == 1:
                    p = before[neuron]
                    if trial and prev[use] != p:
                        add_site(s.sites, s.numbers, s.new_position[c])
                    prev[use] = p
                    if p >= 0:
                        if trial and after[p] < 0:
                            add_site(s.sites, s.numbers, s.new_position[p >> 1])
                        after[p] = use
                    before[neuron] = use
                elif before[neuron] == use:
                    n = behind[neuron]
                    if trial and n < 0 and after[use] >= 0:
                        add_site(s.sites, s.numbers, s.new_position[c])
                    after[use] = n
                    if n >= 0:
                        if trial and prev[n] != use:
                            add_site(s.sites, s.numbers, s.new_position[n >> 1])
                        prev[n] = use


def begin(problem: NetworkProblem, order: Ints, moves: int = 0) -> State:
    """A state that keeps ``order`` (int32[W], valid), counted; trials may consist of ``moves`` single moves."""
    evaluator = problem.evaluator
    state = state_of(
        evaluator.source, evaluator.target, evaluator.is_output, evaluator.policy, evaluator.slots, moves
    )
    state.new_order[:] = order
    _begin(state)
    return state


@njit(cache=True, nogil=True)
def _begin(s):
    """Count the order in ``new_order`` as a first one: one kernel, as each that Python calls takes seconds to compile."""
    _set_out(s)
    weigh(s)
    keep(s)


@inner
def _set_out(s):
    """Make a first order a trial in which all moved from nowhere: one that costs as much as the order does."""
    numbers, order, w = s.numbers, s.new_order, len(s.new_order)
    for mark in range(len(s.free)):
        s.free[mark] = mark
    numbers[FREE] = len(s.free)
    s.mark_of[:] = -1
    numbers[FIRST_SITE], numbers[LAST_SITE] = 1 << 60, -1
    s.order[:] = order
    s.cost[:] = 0
    for p in range(w):
        c = order[p]
        s.position[c], s.new_position[c] = p, p
        s.movers[p] = c
    s.moved[:w] = 1
    neurons = len(s.before)
    s.before[:] = -1
    s.next[:], s.prev[:] = -1, -1
    for p in range(w):
        c = order[p]
        for use in range(2 * c, 2 * c + 2):
            neuron = s.source[c] if use & 1 == 0 else s.target[c]
            last = s.before[neuron]
            s.prev[use] = last
            if last >= 0:
                s.next[last] = use
            s.before[neuron] = use
    # Outputs that nothing uses are written once.
    written = 0
    for v in range(neurons):
        last = s.before[v]
        if last >= 0 and last & 1 == 1 and s.output[v]:
            written += 1
    numbers[LOW], numbers[HIGH], numbers[MOVERS], numbers[BREAKS], numbers[LINKS] = 0, w - 1, w, 0, 0
    numbers[TOTAL] = w + written


@inner
def keep(s):
    """Make the trial what is kept."""
    numbers, order, position, new_order = s.numbers, s.order, s.position, s.new_order
    for p in range(numbers[LOW], numbers[HIGH] + 1):
        c = new_order[p]
        order[p] = c
        position[c] = p
    for i in range(numbers[CHANGES]):
        c = s.changes[i]
        s.changed[c] = 0
        s.dirty[c], s.cost[c] = s.new_dirty[c], s.new_cost[c]
        for use in range(2 * c, 2 * c + 2):
            s.took[use] = s.new_took[use]
    if numbers[POLICY] != MIN:
        for i in range(numbers[CHANGES]):
            c = s.changes[i]
            s.entry[c] = s.new_entry[c]
            for use in range(2 * c, 2 * c + 2):
                s.victim[use] = s.new_victim[use]
    for i in range(numbers[MOVERS]):
        c = s.movers[i]
        s.moved[c] = 0
        if s.mark_of[c] >= 0:
            drop_mark(s, c)
    # Where memory differed, marks are made anew.
    for i in range(numbers[SPANS]):
        for p in range(s.spans[i, 0], s.spans[i, 1]):
            if s.mark_of[order[p]] >= 0:
                drop_mark(s, order[p])
        until = np.int64(s.spans[i, 1])  # the type that trials call with: compiled once
        if numbers[POLICY] == MIN:
            incremental_min.load(s, until)
            incremental_min.clear(s)
        elif numbers[POLICY] == LRU:
            incremental_lru.load(s, until)
        else:
            incremental_rr.load(s, until)
    numbers[TOTAL] += numbers[DELTA]


@inner
def undo(s):
    """Forget the trial."""
    numbers, order = s.numbers, s.order
    low, high = numbers[LOW], numbers[HIGH]
    if numbers[LINKS] < 0:
        relink(s, order, low, high, False)
    w = len(order)
    for i in range(numbers[LINKS] - 1, -1, -1):
        at = s.links[i, 0]
        if at < 2 * w:
            s.next[at] = s.links[i, 1]
        else:
            s.prev[at - 2 * w] = s.links[i, 1]
    new_order, new_position = s.new_order, s.new_position
    for p in range(low, high + 1):
        c = order[p]
        new_order[p] = c
        new_position[c] = p
    for i in range(numbers[CHANGES]):
        s.changed[s.changes[i]] = 0
    for i in range(numbers[MOVERS]):
        s.moved[s.movers[i]] = 0
