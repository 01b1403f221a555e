"""The moves of connection reordering (sections IV-A and IV-B of the paper on I/O-efficient sparse inference), and its annealing.

A window of connections moves left, the leftmost first, each to right after the connection that used its source before (to the
very beginning without one), or right, the rightmost first, each to right before the connection that uses its target next (to
the very end without one). The order of use of one end's neuron stays as it is, so only the other neuron's chain changes.

Within a trial, places are numbers: a connection that has not moved is at its position, one that has moved halfway between
its new neighbours. The order is then merged once, however many moved.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from planner.compiling.kernel import njit
from planner.machines.two_level_memory.kernels import simulate
from planner.machines.two_level_memory.recount.state import (
    BREAKS,
    CHANGES,
    DELTA,
    HIGH,
    LINKS,
    LOW,
    MOVERS,
    POLICY,
    SLOTS,
    SPANS,
    STEPS,
    TOTAL,
    State,
    add_site,
    inner,
)
from planner.machines.two_level_memory.recount.trial import begin, keep, undo, weigh
from planner.methods.random_streams import mixed
from planner.model.graph import Ints

if TYPE_CHECKING:
    from planner.machines.two_level_memory.problem import NetworkProblem

ITERATION, BEST, SAVED, ACCEPTED, ANCHORS = range(5)
"""Indices of ``tally``: iterations done; fewest I/Os so far; whether ``best`` holds an order of so many (else the kept order is one);
changes kept; the length of ``anchors``."""


class Moves(NamedTuple):
    """What the annealing keeps beside the state of the recount."""

    place: NDArray[np.float64]  # float64[W]: of connections that moved
    beyond: NDArray[np.float64]  # float64[W]: the neighbour's place on the side on which others are put in
    beside: NDArray[np.uint8]  # uint8[W]: whether ``beyond`` is set
    anchors: Ints
    touched: Ints  # uses that followed what moved
    random: NDArray[np.uint64]  # uint64[1]
    tally: NDArray[np.int64]
    best: Ints  # int32[W]


def prepared(problem: NetworkProblem, order: Ints, window: int, seed: int) -> tuple[State, Moves]:
    """What :func:`anneal` goes on with from ``order`` (int32[W], valid), in windows of up to ``window``; random numbers start at ``seed``."""
    connections = len(order)
    most = min(window, connections)
    state = begin(problem, order, most)
    work = Moves(
        np.zeros(connections),
        np.zeros(connections),
        np.zeros(connections, np.uint8),
        np.zeros(2 * most, np.int32),
        np.zeros(2 * most, np.int32),
        np.array([seed % 2**64], np.uint64),
        np.zeros(5, np.int64),
        np.zeros(connections, np.int32),
    )
    work.tally[BEST] = state.numbers[TOTAL]
    return state, work


@inner
def _link(chain, links, numbers, at, value, offset):
    """Set an entry of a chain array (``offset`` 0: ``next``, 2W: ``prev``), to be restored if the trial is undone."""
    count = numbers[LINKS]
    links[count, 0], links[count, 1] = at + offset, chain[at]
    chain[at] = value
    numbers[LINKS] = count + 1


@inner
def _rechain(following, preceding, links, numbers, use, before, after):
    """Move a use in its chain to between two others (-1 at the ends)."""
    uses = len(following)
    p, n = preceding[use], following[use]
    if p >= 0:
        _link(following, links, numbers, p, n, 0)
    if n >= 0:
        _link(preceding, links, numbers, n, p, uses)
    if before >= 0:
        _link(following, links, numbers, before, use, 0)
    if after >= 0:
        _link(preceding, links, numbers, after, use, uses)
    _link(following, links, numbers, use, after, 0)
    _link(preceding, links, numbers, use, before, uses)


@inner
def _anchor(beside, beyond, anchors, tally, connection, place):
    """Set what lies beyond a connection on the side on which others are put in."""
    if beside[connection] == 0:
        beside[connection] = 1
        anchors[tally[ANCHORS]] = connection
        tally[ANCHORS] += 1
    beyond[connection] = place


@inner
def _settle(places, moved, movers, numbers, connection, place):
    """Count a connection as moved to a place."""
    places[connection] = place
    moved[connection] = 1
    movers[numbers[MOVERS]] = connection
    numbers[MOVERS] += 1


@inner
def _spread(s, m, step):
    """Space out evenly what was put in between two positions, once halving has brought it too close for numbers."""
    count = s.numbers[MOVERS]
    sequence = _sorted(s, m)
    first = 0
    while first < count:
        floor = np.floor(m.place[sequence[first]])
        behind = first
        while behind < count and np.floor(m.place[sequence[behind]]) == floor:
            behind += 1
        # Behind an end of the order, the first is at a whole number, as what does not move is elsewhere.
        own = 0 if m.place[sequence[first]] == floor else 1
        share = 1.0 / (behind - first + 1)
        for i in range(first, behind):
            m.place[sequence[i]] = floor + (i - first + own) * share
        first = behind
    for i in range(m.tally[ANCHORS]):
        anchor = m.anchors[i]
        here = m.place[anchor] if s.moved[anchor] else np.float64(s.position[anchor])
        nearest = np.floor(here) + 1.0 if step > 0 else np.ceil(here) - 1.0
        for k in range(count):
            other = m.place[sequence[k]]
            if here < other < nearest if step > 0 else nearest < other < here:
                nearest = other
        m.beyond[anchor] = nearest


@inner
def _sorted(s, m):
    """What moved, by place."""
    movers = s.movers[: s.numbers[MOVERS]]
    if len(movers) < 2:
        return movers
    return movers[np.argsort(m.place[movers])]


@inner
def move(s, m, first, last, left):
    """Move the connections at positions first..last, as the paper says; returns the length of ``touched``.

    ``touched`` takes the uses, other than those that follow what moved, whose neighbour in the chain is another now.
    """
    order, position, source, target, lasting = s.order, s.position, s.source, s.target, s.lasting
    following, preceding, links, numbers = s.next, s.prev, s.links, s.numbers
    moved, movers, places, beyond, beside = s.moved, s.movers, m.place, m.beyond, m.beside
    anchors, tally, list_touched = m.anchors, m.tally, m.touched
    w = len(order)
    touched = 0
    step = 1 if left else -1
    end = np.float64(0.0 if left else w - 1.0)
    for i in range(last - first + 1):
        k = first + i if left else last - i
        c = order[k]
        # The neuron whose order of use stays as it is, and the use of it that stops the connection.
        user = preceding[2 * c] if left else following[2 * c + 1]
        if user >= 0:
            anchor = user >> 1
            if moved[anchor] == 0 and beside[anchor] == 0 and position[anchor] == k - step:
                continue
            here = places[anchor] if moved[anchor] else np.float64(position[anchor])
            limit = beyond[anchor] if beside[anchor] else here + step
            place = 0.5 * (here + limit)
            if place in (here, limit):
                _spread(s, m, step)
                here = places[anchor] if moved[anchor] else np.float64(position[anchor])
                limit = beyond[anchor] if beside[anchor] else here + step
                place = 0.5 * (here + limit)
            _anchor(beside, beyond, anchors, tally, anchor, place)
            _anchor(beside, beyond, anchors, tally, c, limit)
        else:
            if k == (0 if left else w - 1):
                continue
            end -= step
            place = end
        _settle(places, moved, movers, numbers, c, place)
        # The chain of the neuron at the other end, past all that the connection has passed.
        use = np.int64(2 * c + 1 if left else 2 * c)
        before, after = np.int64(preceding[use]), np.int64(following[use])
        was_before, was_after = before, after
        passed = False
        if left:
            while before >= 0:
                x = before >> 1
                if (places[x] if moved[x] else np.float64(position[x])) < place:
                    break
                after, passed = before, True
                before = np.int64(preceding[before])
        else:
            while after >= 0:
                x = after >> 1
                if (places[x] if moved[x] else np.float64(position[x])) > place:
                    break
                before, passed = after, True
                after = np.int64(following[after])
        if not passed:
            continue
        _rechain(following, preceding, links, numbers, use, before, after)
        remains = lasting[target[c] if left else source[c]]
        if was_after >= 0:
            list_touched[touched] = was_after
            touched += 1
        elif remains:
            list_touched[touched] = was_before
            touched += 1
        if after < 0 and remains:
            list_touched[touched] = before
            touched += 1
    return touched


@inner
def _merge(s, m, first, last):
    """Set the trial's order from where what moved has gone, all of it from positions first..last."""
    numbers, order, moved, new_order, new_position = s.numbers, s.order, s.moved, s.new_order, s.new_position
    w = len(order)
    count = numbers[MOVERS]
    sequence = _sorted(s, m)
    low, high = w, -1
    for i in range(count):
        c = sequence[i]
        place, position = int(np.floor(m.place[c])), int(s.position[c])
        low = min(low, position, max(place + 1, 0))
        high = max(high, position, min(place, w - 1))
    at, turn, breaks = low, 0, 0
    kept = low - 1  # the position of what came last, if it did not move, else -1
    k = low
    while True:
        # What goes in before position k, then a stretch of what did not move.
        while turn < count and (k > high or m.place[sequence[turn]] < k):
            c = sequence[turn]
            new_order[at] = c
            new_position[c] = at
            at += 1
            turn += 1
            if kept >= 0:
                s.breaks[breaks] = order[kept]
                breaks += 1
                kept = -1
        if k > high:
            if 0 <= kept < high:
                s.breaks[breaks] = order[kept]
                breaks += 1
            break
        stop = high + 1
        if turn < count:
            stop = min(stop, max(k + 1, int(np.ceil(m.place[sequence[turn]]))))
        if k < first:
            stop = min(stop, first)
        elif k <= last:
            stop = k + 1
            if moved[order[k]]:
                k += 1
                continue
        if 0 <= kept < k - 1:
            s.breaks[breaks] = order[kept]
            breaks += 1
        shift = at - k
        for i in range(k, stop):
            c = order[i]
            new_order[i + shift] = c
            new_position[c] = i + shift
        at += stop - k
        k = stop
        kept = stop - 1
    numbers[LOW], numbers[HIGH], numbers[BREAKS] = low, high, breaks
    numbers[STEPS] += (high - low) >> 3


@njit(cache=True, nogil=True)
def try_window(s, m, first, last, left, recount):
    """Move a window; returns the change of the total I/Os. Then either keep or undo.

    With ``recount`` the whole order is counted, without what is known of the kept run.
    """
    numbers, tally = s.numbers, m.tally
    numbers[MOVERS], numbers[LINKS], tally[ANCHORS] = 0, 0, 0
    touched = move(s, m, first, last, left)
    for i in range(tally[ANCHORS]):
        m.beside[m.anchors[i]] = 0
    numbers[CHANGES], numbers[SPANS], numbers[DELTA] = 0, 0, 0
    if numbers[MOVERS] == 0:
        numbers[LOW], numbers[HIGH] = 0, -1
        return np.int64(0)
    _merge(s, m, first, last)
    if not recount:
        for i in range(touched):
            add_site(s.sites, numbers, s.new_position[m.touched[i] >> 1])
        return np.int64(weigh(s))
    w = len(s.order)
    nothing = np.empty((4, 0), np.int32)
    output = s.output.view(np.bool_)
    reads, writes, _ = simulate(
        numbers[POLICY], s.new_order, s.source, s.target, output, len(output), numbers[SLOTS], nothing
    )
    numbers[DELTA] = w + reads + writes - numbers[TOTAL]
    numbers[STEPS] += 2 * w
    return numbers[DELTA]


@njit(cache=True, nogil=True)
def anneal(s, m, window, sigma, iterations, steps, recount):
    """Go on with the annealing until so many ``iterations`` are done, or this call has taken about so many ``steps``.

    A change is kept surely if it saves I/Os, else with probability 2^-(change * t^sigma) in iteration t.
    """
    numbers, tally, random = s.numbers, m.tally, m.random
    w = len(s.order)
    until = numbers[STEPS] + steps
    while tally[ITERATION] < iterations and numbers[STEPS] < until:
        t = tally[ITERATION] + 1
        first = np.int64(mixed(random) * w)
        last = min(first + np.int64(mixed(random) * window), w - 1)
        left = mixed(random) < 0.5
        chance = mixed(random)
        change = try_window(s, m, first, last, left, recount)
        if change < 0 or chance < 2.0 ** -(change * np.float64(t) ** sigma):
            if change > 0 and tally[SAVED] == 0:
                m.best[:] = s.order
                tally[SAVED] = 1
            keep(s)
            tally[ACCEPTED] += 1
            if numbers[TOTAL] < tally[BEST]:
                tally[BEST], tally[SAVED] = numbers[TOTAL], 0
        else:
            undo(s)
        tally[ITERATION] = t
        numbers[STEPS] += 50


def best_of(s: State, m: Moves) -> Ints:
    """The best order so far, int32[W]."""
    return (m.best if m.tally[SAVED] else s.order).copy()
