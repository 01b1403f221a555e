"""The kernel of the search for fewest stages under a bound: one pass over the lattice of ideals, with open stages in hand.

An *open stage* begins at an ideal I' and has reached a larger one. What it will cost does not depend on I' but for

* ``open``: the tensors across the border of I' that still cross that of the ideal reached, and ``fresh``, those of them that
  the stage has not touched yet. Both are bits over the border of the ideal reached;
* ``owed``, where nothing may lead past a stage that a way leads through: those of the open tensors whose readers are to join it;
* ``lower``: what its start adds to its cost: less the work before it, and what it has received so far;
* ``held``: the parameters before it, where stages stream some; ``given``: what its cost has been lowered by;
* ``place``, how many stages come before, and ``until``, after how many at most its start may stand.

Open stages that agree in the first two are compared in the others, and the worse ones forgotten: however many starts there
are, few are left of them. Stages may be of several classes, which differ in what units take and in how many parameters they hold:
a start is opened on the first stage of each class, and only open stages of one class are compared.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planner.compiling.kernel import njit
from planner.model.graph import Floats, Ints

NOWHERE = 30000
"""More stages than there are: not reached."""
LOOSE = 1.0 + 1e-9
"""Sums that are compared with several stages' worth of a bound may be off by this share."""


class OpenStages(NamedTuple):
    """Records of open stages: arrays of one length, named as in the head of this module, and linked lists of them.

    ``open``, ``fresh``, ``owed`` uint64; ``lower``, ``held``, ``given`` float64; ``place``, ``until`` int16; ``start`` int32: the ideal; ``next``
    int32: the next one of the same ideal, or of those not in use. ``spare`` int64[2]: the first that is not in use (-1 none), how many there are.
    """

    open: NDArray[np.uint64]
    fresh: NDArray[np.uint64]
    owed: NDArray[np.uint64]
    lower: Floats
    held: Floats
    given: Floats
    place: NDArray[np.int16]
    until: NDArray[np.int16]
    start: Ints
    next: Ints
    spare: NDArray[np.int64]


class Row(NamedTuple):
    """What a row of k stages of c classes adds up along ideals, and which places an ideal may have.

    ``work`` float64[c, i], ``params``, ``receive`` and ``send`` float64[i]: of the units inside, and of the tensors across the border. ``lowest``
    and ``highest`` int16[i]: after so many stages, at least and at most, may exactly these units be done. ``budget`` float64[c]: parameters
    that a stage need not stream; ``rate``: what it streams of the others in a unit of time. ``following`` int16[c, k+1]: the first stage of a class that has
    at least so many before it. ``slack``: what the cost of a stage may be lowered by, in all.

    What the stages that are left can do is counted in the work that a unit takes at least: ``least`` float64[i], of the units inside; ``pace``
    float64[k+1]: what the stages after so many do at most in a unit of time, ``slowest`` what the slowest of the row does; ``room`` float64[k+1]: the
    parameters that they need not stream.
    """

    work: Floats
    params: Floats
    receive: Floats
    send: Floats
    lowest: NDArray[np.int16]
    highest: NDArray[np.int16]
    budget: Floats
    rate: float
    following: NDArray[np.int16]
    least: Floats
    pace: Floats
    slowest: float
    room: Floats
    slack: float = 0.0


class Ways(NamedTuple):
    """What a stage may not be passed by: tensors whose producer and a reader a way leads between (h tensors, m units).

    ``passing`` bool[h]: there is such a way over a further unit. ``reach`` uint64[m, words]: the units that ways lead to from each. ``ptr`` int32[h+1], ``unit`` int32: the units of each tensor,
    its producer first.
    """

    passing: NDArray[np.bool_]
    reach: NDArray[np.uint64]
    ptr: Ints
    unit: Ints


class Reached(NamedTuple):
    """Of each ideal: after how many stages it is done at the earliest (int16[i]), the dearest of them, and the ideal before (-1 where chains begin)."""

    place: NDArray[np.int16]
    load: Floats
    source: Ints


@njit(cache=True, nogil=True)
def _behind(opened, fresh, other_opened, other_fresh, start, time, leaving, border, begin):
    """By how much an open stage may be dearer than another, whatever units both take further; ``start``: by how much it is now.

    It may have to receive what it has not touched while the other has or need not, and to send what crosses both borders of the
    other. No more is added up once the sum is above zero.
    """
    one = np.uint64(1)
    receives, sends = fresh & ~other_fresh, other_opened & ~opened
    x = begin
    while start <= 0.0 and receives | sends != 0:
        if receives & one != 0:
            start += time[border[x]]
        if sends & one != 0:
            start += leaving[border[x]]
        receives >>= one
        sends >>= one
        x += 1
    return start


@njit(cache=True, nogil=True)
def _passing(passing, border, begin, end):
    """The tensors of a border that may come to be owed, as bits."""
    one = np.uint64(1)
    found = np.uint64(0)
    for x in range(begin, end):
        if passing[border[x]]:
            found |= one << np.uint64(x - begin)
    return found


@njit(cache=True, nogil=True)
def _led_between(ways, u, inside, border, begin, risky, to):
    """The tensors of ``risky`` (bits of a border) from whose producer ways lead over unit ``u`` to all readers that are not ``inside`` yet."""
    one = np.uint64(1)
    found = np.uint64(0)
    x = 0
    while risky != 0:
        if risky & one != 0 and to[x] >= 0:
            t = border[begin + x]
            source = ways.unit[ways.ptr[t]]
            between = (ways.reach[source, u >> 6] >> np.uint64(u & 63)) & one != 0
            e = ways.ptr[t] + 1
            while between and e < ways.ptr[t + 1]:
                v = ways.unit[e]
                bit = one << np.uint64(v & 63)
                between = (inside[v >> 6] | ways.reach[u, v >> 6]) & bit != 0
                e += 1
            if between:
                found |= one << np.uint64(x)
        risky >>= one
        x += 1
    return found


@njit(cache=True, nogil=True)
def _keep(
    stages, head, j, opened, fresh, owed, lower, held, given, place, until, start, rate, time, leaving, border, begin, risky
):  # fmt: skip
    """Enter an open stage in the list ``j``, of an ideal and a class, unless one there is at least as good whatever both take further."""
    before = -1
    r = head[j]
    while r >= 0 and stages.lower[r] <= lower:
        more = (stages.owed[r] & ~owed) | (stages.open[r] & ~opened & risky)
        if more == 0 and stages.place[r] <= place and stages.until[r] >= until:
            now = stages.lower[r] - lower
            now = max(now, now + (held - stages.held[r]) / rate)
            if now <= 0.0 and _behind(
                stages.open[r], stages.fresh[r], opened, fresh, now, time, leaving, border, begin
            ) <= 0.0:  # fmt: skip
                return
        before = r
        r = stages.next[r]
    new = stages.spare[0]
    stages.spare[0] = stages.next[new]
    stages.spare[1] -= 1
    stages.next[new] = r
    if before < 0:
        head[j] = new
    else:
        stages.next[before] = new
    stages.open[new], stages.fresh[new], stages.owed[new] = opened, fresh, owed
    stages.lower[new], stages.held[new], stages.given[new] = lower, held, given
    stages.place[new], stages.until[new], stages.start[new] = place, until, start


@njit(cache=True, nogil=True)
def _thin_out(stages, head, i, time, leaving, border, begin, risky, rate, slack, listed):
    """Forget open stages in the list ``i``, of an ideal and a class, that another one is at least as good as, whatever both take further, or would be if it cost ``slack`` less: then it does."""
    kept = 0
    before = -1
    r = head[i]
    while r >= 0:
        after = stages.next[r]
        useless = False
        for x in range(kept):
            q = listed[x]
            more = (stages.owed[q] & ~stages.owed[r]) | (stages.open[q] & ~stages.open[r] & risky)
            if more == 0 and stages.place[q] <= stages.place[r] and stages.until[q] >= stages.until[r]:
                now = stages.lower[q] - stages.lower[r]
                now = max(now, now + (stages.held[r] - stages.held[q]) / rate)
                room = slack - stages.given[q]
                if now > room:
                    continue
                beyond = _behind(
                    stages.open[q], stages.fresh[q], stages.open[r], stages.fresh[r], now - room, time, leaving, border, begin
                )  # fmt: skip
                if beyond <= 0.0:
                    useless = True
                    if beyond + room > 0.0:
                        stages.lower[q] -= beyond + room
                        stages.given[q] += beyond + room
                    break
        if useless:
            stages.next[before] = after
            stages.next[r] = stages.spare[0]
            stages.spare[0] = r
            stages.spare[1] += 1
        else:
            listed[kept] = r
            kept += 1
            before = r
        r = after


@njit(cache=True, nogil=True)
def _left_with(row, c, start, lower, total):
    """The least work after ``start``, with what an open stage of class ``c`` has received (in ``lower``)."""
    if len(row.work) == 1:
        return lower + total
    return total - row.least[start] + row.slowest * (lower + row.work[c, start])


@njit(cache=True, nogil=True)
def advance(
    first, most_steps, bound, elsewhere, lattice, borders, touches, leaving, ways, row, stages, head, reached,
    scratch,
):  # fmt: skip
    """Settle the ideals from ``first`` on and take open stages up to those that cover them; returns where to go on.

    ``elsewhere``: work that others than the stages of the row may take. ``reached`` holds where chains may begin. ``lattice``: its ``(ptr, upper, unit, bits)``; ``borders``: ``(ptr, tensors)``; ``touches``: times to
    receive, and the tensors of each unit as CSR; ``leaving`` float64[h]: times to send. ``head`` int32[i * c]: the open stages that have reached
    an ideal, by class. ``scratch``: int32[h] and int32[64]. Where steps are left, room for open stages ran out.
    """
    ptr, upper, unit, bits = lattice
    border_ptr, border = borders
    time, unit_ptr, unit_tensor = touches
    slot, to = scratch
    listed = np.empty(len(stages.next), np.int32)
    one = np.uint64(1)
    last = len(ptr) - 2
    classes, count = len(row.work), len(row.pace) - 1
    total, all_params = row.least[last], row.params[last]
    steps = 0
    for i in range(first, last + 1):
        if steps >= most_steps:
            return i, steps
        size = 0
        for h in range(i * classes, (i + 1) * classes):
            r = head[h]
            while r >= 0:
                size += 1
                r = stages.next[r]
        if stages.spare[1] < (ptr[i + 1] - ptr[i]) * (size + classes) + classes:
            return i, steps
        steps += 1 + size
        begin = border_ptr[i]
        wide = border_ptr[i + 1] - begin
        place, load, source = int(reached.place[i]), reached.load[i], -1
        for c in range(classes):
            r = head[i * classes + c]
            while r >= 0:
                here = int(row.following[c, max(int(stages.place[r]), int(row.lowest[i]) - 1)]) + 1
                if (
                    stages.owed[r] == 0
                    and here <= stages.until[r] + 1
                    and here <= row.highest[i]
                    and here <= place
                ):
                    value = row.work[c, i] + row.send[i] + stages.lower[r]
                    for x in range(wide):
                        if (stages.open[r] >> np.uint64(x)) & one != 0:
                            value -= leaving[border[begin + x]]
                    over = row.params[i] - stages.held[r] - row.budget[c]
                    if over > 0.0:
                        value += over / row.rate
                    worst = max(value, reached.load[stages.start[r]])
                    if value < bound and (here < place or worst < load):
                        place, load, source = here, worst, stages.start[r]
                r = stages.next[r]
        reached.place[i], reached.load[i], reached.source[i] = place, load, source
        risky = _passing(ways.passing, border, begin, begin + wide)
        some = False
        for c in range(classes):
            h = i * classes + c
            at = int(row.following[c, place]) if place < count else count
            if at < count and at <= row.highest[i]:
                left = (row.pace[at] * bound + elsewhere) * LOOSE
                need = total - row.least[i]
                if elsewhere == 0.0:
                    need += row.slowest * row.receive[i]
                over = all_params - row.params[i] - row.room[at]
                if over > 0.0:
                    need += row.slowest * over / row.rate
                if need <= left:
                    every = (one << np.uint64(wide)) - one if wide < 64 else ~np.uint64(0)
                    _keep(
                        stages, head, h, every, every, np.uint64(0), -row.work[c, i], row.params[i], 0.0, at, row.highest[i],
                        i, row.rate, time, leaving, border, begin, risky,
                    )  # fmt: skip
            if head[h] >= 0:
                some = True
                _thin_out(stages, head, h, time, leaving, border, begin, risky, row.rate, row.slack, listed)
        if not some:
            continue
        for e in range(ptr[i], ptr[i + 1]):
            j, u = upper[e], unit[e]
            for x in range(wide):
                slot[border[begin + x]] = -1
                to[x] = -1
            shift = border_ptr[j]
            for x in range(border_ptr[j + 1] - shift):
                slot[border[shift + x]] = -2 - x
            touched = np.uint64(0)
            for x in range(wide):
                if slot[border[begin + x]] <= -2:
                    to[x] = -2 - slot[border[begin + x]]
                slot[border[begin + x]] = x
            for x in range(unit_ptr[u], unit_ptr[u + 1]):
                t = unit_tensor[x]
                # What is not across the border of i holds what was left there before, which need not name it.
                if slot[t] >= 0 and slot[t] < wide and border[begin + slot[t]] == t:
                    touched |= one << np.uint64(slot[t])
            risky_there = _passing(ways.passing, border, shift, border_ptr[j + 1])
            between = _led_between(ways, u, bits[j], border, begin, risky, to)
            for c in range(classes):
                r = head[i * classes + c]
                while r >= 0:
                    steps += 1
                    lower = stages.lower[r]
                    fresh, opened, owed = np.uint64(0), np.uint64(0), np.uint64(0)
                    for x in range(wide):
                        bit = one << np.uint64(x)
                        if stages.open[r] & bit == 0:
                            continue
                        if stages.fresh[r] & bit != 0:
                            if touched & bit != 0:
                                lower += time[border[begin + x]]
                            elif to[x] >= 0:
                                fresh |= one << np.uint64(to[x])
                        if to[x] >= 0:
                            opened |= one << np.uint64(to[x])
                            if (stages.owed[r] | between) & bit != 0:
                                owed |= one << np.uint64(to[x])
                    least = row.work[c, j] + lower
                    over = row.params[j] - stages.held[r] - row.budget[c]
                    if over > 0.0:
                        least += over / row.rate
                    if (
                        least < bound
                        and _left_with(row, c, stages.start[r], lower, total)
                        < (row.pace[stages.place[r]] * bound + elsewhere) * LOOSE
                        and row.lowest[j] <= stages.until[r] + 1
                    ):
                        _keep(
                            stages, head, j * classes + c, opened, fresh, owed, lower, stages.held[r], stages.given[r],
                            stages.place[r], stages.until[r], stages.start[r], row.rate, time, leaving, border, shift, risky_there,
                        )  # fmt: skip
                    r = stages.next[r]
        # Nothing asks for the open stages of this ideal any more.
        for h in range(i * classes, (i + 1) * classes):
            r = head[h]
            while r >= 0:
                after = stages.next[r]
                stages.next[r] = stages.spare[0]
                stages.spare[0] = r
                stages.spare[1] += 1
                r = after
            head[h] = -1
    return last + 1, steps
