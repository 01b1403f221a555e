"""Annealing on the chips of units, compiled: a step moves one unit and whatever has to move along, and costs what these touch.

Moving a unit to an earlier chip takes along those before it that would end up behind it, and with ``tight`` those after it that
would be more than one chip ahead: where dependencies lead to the same or the next chip only, no pair of chips has a direct and an
indirect way (MCM paper, equation 4). Moving to a later chip mirrors this. Steps that break the triangle rule, skip a chip, or
put more parameters on a chip than fit are not made; all others are valid but for the peak of the activations.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planner.compiling.kernel import njit
from planner.machines.mcm.kernels import broken_pairs, single_latency
from planner.machines.mcm.search.units import McmUnits
from planner.methods.random_streams import uniform
from planner.model.graph import Floats, Ints

ONE = np.uint64(1)
MOST_MOVED = 64
"""Units in one step."""
POWER = 8.0
"""The energy is this power mean of the chips' costs (times their number to one over it): nearly the largest."""


class Fixed(NamedTuple):
    """What no move changes: arrays of :class:`planner.machines.mcm.search.units.McmUnits`, with the dtypes and shapes there."""

    work: Floats
    params: Floats
    allowed: NDArray[np.uint64]
    succ_ptr: Ints
    succ_idx: Ints
    pred_ptr: Ints
    pred_idx: Ints
    receive: Floats
    send: Floats
    carried: Floats
    producer: Ints
    reader_ptr: Ints
    reader_idx: Ints
    out_ptr: Ints
    out_idx: Ints
    in_ptr: Ints
    in_idx: Ints


class Sums(NamedTuple):
    """What follows every move of a unit.

    ``counts`` int32[t, k]: units on each chip that read each tensor; ``chips`` int32[t]: chips that do; ``cost`` and ``held``
    float64[k]: time and parameters; ``occupied`` int32[k]: units on each chip; ``quotient`` int32[k, k]: dependencies between
    chips; ``arcs`` uint64[k]: the same as sets.
    """

    counts: Ints
    chips: Ints
    cost: Floats
    held: Floats
    occupied: Ints
    quotient: Ints
    arcs: NDArray[np.uint64]


class Rules(NamedTuple):
    """Which rules hold, and whether a single sample counts, with ``hop`` the time from one chip to the next."""

    triangle: bool
    no_skip: bool
    every_chip: bool
    single: bool
    hop: float


def fixed_of(units: McmUnits) -> Fixed:
    """What no move of ``units`` changes."""
    u = units
    return Fixed(
        u.work, u.params, u.allowed, u.succ_ptr, u.succ_idx, u.pred_ptr, u.pred_idx, u.receive, u.send, u.carried,
        u.producer, u.reader_ptr, u.reader_idx, u.out_ptr, u.out_idx, u.in_ptr, u.in_idx,
    )  # fmt: skip


def sums_of(tensors: int, chips: int) -> Sums:
    """Room for the sums over so many tensors and chips."""
    return Sums(
        np.zeros((tensors, chips), np.int32), np.zeros(tensors, np.int32), np.zeros(chips), np.zeros(chips),
        np.zeros(chips, np.int32), np.zeros((chips, chips), np.int32), np.zeros(chips, np.uint64),
    )  # fmt: skip


@njit(cache=True, nogil=True)
def load(place, fixed, sums):
    """Fill everything that :func:`shift` keeps up to date from ``place`` (int32[m])."""
    work, params, succ_ptr, succ_idx = fixed.work, fixed.params, fixed.succ_ptr, fixed.succ_idx
    receive, send, carried, producer = fixed.receive, fixed.send, fixed.carried, fixed.producer
    reader_ptr, reader_idx = fixed.reader_ptr, fixed.reader_idx
    counts, chips, cost, held, occupied, quotient, arcs = sums
    counts[:] = 0
    chips[:] = 0
    cost[:] = 0.0
    held[:] = 0.0
    occupied[:] = 0
    quotient[:] = 0
    arcs[:] = 0
    for u in range(len(place)):
        a = place[u]
        cost[a] += work[u]
        held[a] += params[u]
        occupied[a] += 1
        for e in range(succ_ptr[u], succ_ptr[u + 1]):
            b = place[succ_idx[e]]
            if b != a:
                quotient[a, b] += 1
                arcs[a] |= ONE << np.uint64(b)
    for i in range(len(producer)):
        home = place[producer[i]]
        away = False
        for e in range(reader_ptr[i], reader_ptr[i + 1]):
            b = place[reader_idx[e]]
            counts[i, b] += 1
            if counts[i, b] == 1:
                chips[i] += 1
                if b != home:
                    cost[b] += receive[i]
                    held[b] += carried[i]
                    away = True
        if away:
            cost[home] += send[i]


@njit(cache=True, nogil=True)
def shift(
    u, b, place, work, params, succ_ptr, succ_idx, pred_ptr, pred_idx, receive, send, carried, producer, out_ptr, out_idx,
    in_ptr, in_idx, counts, chips, cost, held, occupied, quotient, arcs,
):  # fmt: skip
    """Move unit u to chip b: O(degree)."""
    a = place[u]
    for e in range(out_ptr[u], out_ptr[u + 1]):
        i = out_idx[e]
        here, there = counts[i, a] > 0, counts[i, b] > 0
        if here:
            cost[a] += receive[i]
            held[a] += carried[i]
        if there:
            cost[b] -= receive[i]
            held[b] -= carried[i]
        if chips[i] > here:
            cost[a] -= send[i]
        if chips[i] > there:
            cost[b] += send[i]
    for e in range(in_ptr[u], in_ptr[u + 1]):
        i = in_idx[e]
        home = place[producer[i]]
        before = chips[i] > (counts[i, home] > 0)
        counts[i, a] -= 1
        if counts[i, a] == 0:
            chips[i] -= 1
            if a != home:
                cost[a] -= receive[i]
                held[a] -= carried[i]
        counts[i, b] += 1
        if counts[i, b] == 1:
            chips[i] += 1
            if b != home:
                cost[b] += receive[i]
                held[b] += carried[i]
        after = chips[i] > (counts[i, home] > 0)
        if before != after:
            cost[home] += send[i] if after else -send[i]
    cost[a] -= work[u]
    cost[b] += work[u]
    held[a] -= params[u]
    held[b] += params[u]
    occupied[a] -= 1
    occupied[b] += 1
    for e in range(succ_ptr[u], succ_ptr[u + 1]):
        _redirect(a, b, place[succ_idx[e]], True, quotient, arcs)
    for e in range(pred_ptr[u], pred_ptr[u + 1]):
        _redirect(a, b, place[pred_idx[e]], False, quotient, arcs)
    place[u] = b


@njit(cache=True, nogil=True)
def _redirect(a, b, other, leaving, quotient, arcs):
    """A dependency between chip ``other`` and chip a is now one with chip b."""
    if a != other:
        x, y = (a, other) if leaving else (other, a)
        quotient[x, y] -= 1
        if quotient[x, y] == 0:
            arcs[x] &= ~(ONE << np.uint64(y))
    if b != other:
        x, y = (b, other) if leaving else (other, b)
        quotient[x, y] += 1
        arcs[x] |= ONE << np.uint64(y)


@njit(cache=True, nogil=True)
def gather(u, b, tight, place, goal, allowed, succ_ptr, succ_idx, pred_ptr, pred_idx, moved):
    """The units that move along when u goes to chip b, u first: how many, 0 when it cannot be done.

    They are written to ``moved`` int32[MOST_MOVED], their chips to ``goal`` int32[m] (-1 elsewhere; also when 0 is returned).
    """
    left = b < place[u]
    queue = np.empty(4 * MOST_MOVED, np.int32)
    queue[0], goal[u], moved[0] = u, b, u
    count, head, tail = 1, 0, 1
    fits = True
    while head < tail and fits:
        v = queue[head]
        head += 1
        c = goal[v]
        fits = (allowed[v] >> np.uint64(c)) & ONE != 0
        for way in range(2):
            after = way == 0
            ptr, idx = (succ_ptr, succ_idx) if after else (pred_ptr, pred_idx)
            for e in range(ptr[v], ptr[v + 1]):
                w = idx[e]
                now = goal[w] if goal[w] >= 0 else place[w]
                wanted = now
                if after:
                    if now < c:
                        wanted = c
                    elif tight and left and now > c + 1:
                        wanted = c + 1
                elif now > c:
                    wanted = c
                elif tight and not left and now < c - 1:
                    wanted = c - 1
                if wanted == now:
                    continue
                # All go the same way: one that would have to turn round shows that the step contradicts itself.
                if (
                    (wanted < now) != left
                    or w == u
                    or tail == len(queue)
                    or (goal[w] < 0 and count == MOST_MOVED)
                ):
                    fits = False
                    break
                if goal[w] < 0:
                    moved[count] = w
                    count += 1
                goal[w] = wanted
                queue[tail] = w
                tail += 1
            if not fits:
                break
    if fits:
        return count
    for j in range(count):
        goal[moved[j]] = -1
    return 0


@njit(cache=True, nogil=True)
def admissible(occupied, arcs, held, room, triangle, no_skip, every_chip):
    """Whether every rule but the order of chips is kept; ``room`` float64[k] bounds the parameters."""
    gap = False
    for c in range(len(occupied)):
        if occupied[c] == 0:
            gap = True
        elif gap and no_skip:
            return False
        if held[c] > room[c]:
            return False
    if gap and every_chip:
        return False
    if triangle:
        broken = broken_pairs(arcs)
        for c in range(len(broken)):
            if broken[c] != 0:
                return False
    return True


@njit(cache=True, nogil=True)
def value_of(cost, arcs, hop, single, unit):
    """``(energy, objective)``: the power mean in multiples of ``unit``, or with ``single`` the latency of one sample twice."""
    if single:
        latency = single_latency(cost, arcs, hop)
        return latency / unit, latency
    most = 0.0
    total = 0.0
    for c in range(len(cost)):
        most = max(most, cost[c])
        x = max(cost[c], 0.0) / unit
        x *= x
        x *= x
        total += x * x
    return total ** (1.0 / POWER), most


@njit(cache=True, nogil=True)
def anneal(
    steps, samples, random, hot, cold, unit, goal_value, rules, room, place, goal, fixed, sums
):  # fmt: skip
    """Try ``steps`` steps, or end after ``samples`` evaluated placements, while the temperature falls from ``hot`` to ``cold``.

    Ends at once when a placement costs less than ``goal_value``. Returns ``(steps made, placements evaluated)``. Temperatures
    are shares of ``unit``. ``goal`` int32[m] is scratch that holds -1.
    """
    # Unpacked once: a tuple that is handed on counts references to all its arrays at every call.
    triangle, no_skip, every_chip, single, hop = rules
    (
        work, params, allowed, succ_ptr, succ_idx, pred_ptr, pred_idx, receive, send, carried, producer, _, _, out_ptr, out_idx,
        in_ptr, in_idx,
    ) = fixed  # fmt: skip
    counts, chips, cost, held, occupied, quotient, arcs = sums
    m, k = len(place), len(cost)
    moved = np.empty(MOST_MOVED, np.int32)
    origin = np.empty(MOST_MOVED, np.int32)
    cost0, held0 = cost.copy(), held.copy()
    now, _ = value_of(cost, arcs, hop, single, unit)
    cooling = (cold / hot) ** (1.0 / max(steps, 1))
    temperature = hot
    evaluated = 0
    for step in range(steps):
        temperature *= cooling
        u = min(int(uniform(random) * m), m - 1)
        if not single:
            # Dear chips are what has to change: the unit on the dearest chip of some is most often the one.
            for _ in range(int(uniform(random) * 6.0)):
                v = min(int(uniform(random) * m), m - 1)
                if cost[place[v]] > cost[place[u]]:
                    u = v
        a = place[u]
        kind = uniform(random)
        b = a
        if kind < 0.3:
            # The chip of a neighbour.
            forward = uniform(random) < 0.5
            ptr, idx = (succ_ptr, succ_idx) if forward else (pred_ptr, pred_idx)
            if ptr[u + 1] > ptr[u]:
                b = place[idx[ptr[u] + int(uniform(random) * (ptr[u + 1] - ptr[u]))]]
        elif kind > 0.95:
            b = min(int(uniform(random) * k), k - 1)
        if b == a:
            b = a + 1 if uniform(random) < 0.5 else a - 1
        if b < 0 or b >= k:
            continue
        tight = triangle and uniform(random) < 0.8
        count = gather(u, b, tight, place, goal, allowed, succ_ptr, succ_idx, pred_ptr, pred_idx, moved)
        if count == 0:
            continue
        cost0[:], held0[:] = cost, held
        for j in range(count):
            v = moved[j]
            origin[j] = place[v]
            shift(
                v, goal[v], place, work, params, succ_ptr, succ_idx, pred_ptr, pred_idx, receive, send, carried, producer,
                out_ptr, out_idx, in_ptr, in_idx, counts, chips, cost, held, occupied, quotient, arcs,
            )  # fmt: skip
            goal[v] = -1
        keep = admissible(occupied, arcs, held, room, triangle, no_skip, every_chip)
        if keep:
            evaluated += 1
            after, value = value_of(cost, arcs, hop, single, unit)
            rise = after - now
            keep = rise <= 0.0 or uniform(random) < math.exp(-rise / temperature)
            if keep:
                now = after
                if value < goal_value:
                    return step + 1, evaluated
        if not keep:
            for j in range(count - 1, -1, -1):
                shift(
                    moved[j], origin[j], place, work, params, succ_ptr, succ_idx, pred_ptr, pred_idx, receive, send, carried,
                    producer, out_ptr, out_idx, in_ptr, in_idx, counts, chips, cost, held, occupied, quotient, arcs,
                )  # fmt: skip
            # Exactly as before: rounding must not add up over rejected steps.
            cost[:], held[:] = cost0, held0
        if evaluated >= samples:
            return step + 1, evaluated
    return steps, evaluated
