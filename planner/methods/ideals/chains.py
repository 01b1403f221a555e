"""Fewest stages under a bound: chains of ideals whose stages, in a row, all cost less.

A plan on devices in a row is a chain of ideals: the units on the first stages, for each number of stages. For each ideal the
least number of stages that holds it with every cost below the bound is found, from small ideals to large ones
(:mod:`planner.methods.ideals.stages`; ``docs/ideals-dp.md`` has the proof). Fewer are never worse, as a stage may stay empty.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from planner.methods.ideals.descent import TooLong
from planner.methods.ideals.lattice import Lattice
from planner.methods.ideals.potentials import IDEALS_PER_CALL, Touches, borders, ideal_sums, touches
from planner.methods.ideals.stage_rules import passed_by, places_of_ideals, ways_between
from planner.methods.ideals.stages import (
    LOOSE,
    NOWHERE,
    OpenStages,
    Reached,
    Row,
    Ways,
    advance,
)
from planner.methods.ideals.telling import ideals_below
from planner.methods.units import Units
from planner.model.graph import Floats, Ints
from planner.search.search import Search

STEPS_PER_CALL = 500_000
"""Open stages looked at between two looks at the stop criteria: some twenty milliseconds."""
MOST_ACROSS = 64
"""Tensors across one border are bits of one integer."""
FIRST_ROOM = 1 << 14
MOST_OPEN = 1 << 24
"""Open stages in hand at most: 700 MB."""


class TooWide(Exception):
    """Too many tensors cross one border, or too many stages are open at a time."""


@dataclass(frozen=True, eq=False)
class RowChain:
    """A chain of ideals as a plan of the units: the stage of each (int32[m]), its largest cost as the program counts it.

    ``place`` int32[k]: where each stage stands, which is its number.
    """

    device_of: Ints
    place: Ints
    value: float


class Chains:
    """Finds chains of ideals of ``lattice`` whose stages all cost less than a bound.

    ``class_of`` int32[k]: the cost classes of the stages in order, by default those of all devices. ``below``: no more is asked for
    (:func:`capped`). With ``by_way``, a stage takes no unit on a way between two units that exchange a tensor past it.
    Raises :class:`TooWide`, and when a criterion fires :class:`planner.search.search.Stopped`, as does :meth:`solve`.
    """

    def __init__(
        self,
        lattice: Lattice,
        search: Search,
        by_way: bool = False,
        class_of: Ints | None = None,
        below: float = math.inf,
    ) -> None:
        units = lattice.units
        class_of = units.problem.evaluator.class_of if class_of is None else class_of
        self.lattice, self.count = lattice, len(class_of)
        arriving, leaving = touches(units), touches(units, units.send_time)
        receive, ptr, border = borders(lattice, arriving, search)
        if int(np.diff(ptr).max(initial=0)) > MOST_ACROSS:
            raise TooWide
        alike = np.array_equal(arriving.time, leaving.time)
        send = receive if alike else borders(lattice, leaving, search)[0]
        self._borders = (ptr, border)
        self._touches = (arriving.time, arriving.unit_ptr, arriving.unit_tensor)
        self._leaving = leaving.time
        self._ways = _ways(units, arriving, by_way)
        self.by_way = bool(self._ways.passing.any())
        """Whether stages are looked for that are not passed by."""
        self._row = _row(lattice, class_of, below, receive, send, search)
        self._scratch = (
            np.full(len(arriving.time), -1, np.int32),
            np.empty(MOST_ACROSS, np.int32),
        )
        self._stages = _more(None, FIRST_ROOM)
        self._head = np.empty(lattice.count * len(self._row.work), np.int32)
        self.reached = Reached(
            np.empty(lattice.count, np.int16), np.empty(lattice.count), np.empty(lattice.count, np.int32)
        )
        """What the last pass found."""

    def solve(
        self, bound: float, search: Search, slack: float = 0.0, patience: float = math.inf
    ) -> RowChain | None:
        """A chain with every cost below ``bound``, or None where there is none; with ``slack`` perhaps one whose costs are below ``bound + slack``.

        Raises :class:`TooLong` where it looks at more than ``patience`` open stages for each ideal.
        """
        row, reached = self._row, self.reached
        # Every plan costs that: what the smallest stage streams though it is empty.
        empty = max(0.0, -float(row.budget.min()) / row.rate)
        if not empty < bound:
            return None
        reached.place.fill(NOWHERE)
        reached.load.fill(math.inf)
        reached.place[0], reached.load[0] = 0, empty
        self.extend(bound, 0.0, search, slack, patience)
        return self._chain() if reached.place[-1] < NOWHERE else None

    def extend(
        self, bound: float, elsewhere: float, search: Search, slack: float = 0.0, patience: float = math.inf
    ) -> None:
        """Go on from where :attr:`reached` says that chains begin, and fill it.

        ``elsewhere``: work that others than these stages may take. ``slack``: what a stage may seem to be cheaper than it is; it may be passed by then.
        """
        lattice, row = self.lattice, self._row._replace(slack=slack)
        # Who owes differs from stage to stage: where some of the costs are given away, they would be told apart for little.
        ways = self._ways._replace(passing=np.zeros_like(self._ways.passing)) if slack else self._ways
        _release(self._stages)
        self._head.fill(-1)
        at, looked_at = 0, 0
        while at < lattice.count:
            if looked_at > patience * lattice.count:
                raise TooLong
            at, steps = advance(
                at, STEPS_PER_CALL, bound, elsewhere, (lattice.ptr, lattice.upper, lattice.unit, lattice.bits),
                self._borders, self._touches, self._leaving, ways, row, self._stages, self._head, self.reached,
                self._scratch,
            )  # fmt: skip
            looked_at += steps
            search.progress(at / lattice.count, ideals_below(at, lattice, bound))
            search.check()
            if at < lattice.count and steps < STEPS_PER_CALL:
                room = len(self._stages.next)
                if room >= MOST_OPEN:
                    raise TooWide
                self._stages = _more(self._stages, 2 * room)

    def _chain(self) -> RowChain:
        """Walk back from the ideal of all units."""
        stage_of = np.zeros(self.lattice.units.count, np.int32)
        ideal = self.lattice.count - 1
        value = float(self.reached.load[ideal])
        while ideal > 0:
            before = int(self.reached.source[ideal])
            inside = self.lattice.members(ideal) & ~self.lattice.members(before)
            stage_of[inside] = int(self.reached.place[ideal]) - 1
            ideal = before
        return RowChain(stage_of, np.arange(self.count, dtype=np.int32), value)


def capped(units: Units, kinds: Ints, below: float) -> Floats:
    """What units take on stages of each class of ``kinds`` (float64[c, m]), where they differ at most twice ``below``.

    A stage that costs less than ``below`` takes no unit that takes as much, neither with its own time nor with this one; sums over
    ideals are then no longer than some stages, even where a unit takes a million times as long on one class as on another.
    """
    work = units.work[kinds].sum(axis=2)
    return np.minimum(work, 2.0 * below) if len(kinds) > 1 else work


def _row(
    lattice: Lattice, class_of: Ints, below: float, receive: Floats, send: Floats, search: Search
) -> Row:
    """The sums of a row of stages of these classes (int32[k]); ``receive`` and ``send`` float64[i] of the tensors across each border."""
    units = lattice.units
    e = units.problem.evaluator
    kinds, of = np.unique(class_of, return_inverse=True)
    budget = np.array([float(e.budget[np.argmax(e.class_of == kind)]) for kind in kinds])
    streams = float(units.params.sum()) > float(budget.min())
    budget = budget if streams else np.zeros(len(kinds))
    work = capped(units, kinds, below)
    least = work.min(axis=0)
    params = units.params if streams else np.zeros(units.count)
    alike = len(kinds) == 1
    columns = np.vstack([work, params] if alike else [work, params, least])
    sums = ideal_sums(lattice, columns.T, search).T.copy()
    work_sums, params_sums = sums[: len(kinds)], sums[len(kinds)]
    # In a unit of time a stage does at most so much of the least work of its units; that is never more than all of it.
    pace = np.array([float(np.max(least[w > 0] / w[w > 0], initial=0.0)) or 1.0 for w in work])
    rest = _of_the_rest(pace[of])
    if not alike:
        # Sums are off by a share of the whole, beside which what slow stages do is little.
        rest[:-1] += (LOOSE - 1.0) * rest[0]
    return Row(
        work_sums, params_sums, receive, send, *places(lattice, search),
        budget=budget,
        rate=e.streaming_rate if streams else 1.0,
        following=_following(of.astype(np.int32), len(kinds)),
        least=work_sums[0] if alike else sums[-1],
        pace=rest,
        slowest=float(pace.min()),
        room=_of_the_rest(budget[of]),
    )  # fmt: skip


def _of_the_rest(values: Floats) -> Floats:
    """The sum of ``values`` (float64[k]) from each place on (float64[k+1])."""
    return np.concatenate([np.cumsum(values[::-1])[::-1], [0.0]])


def _following(class_of: Ints, classes: int) -> np.ndarray:
    """The first place of each class from each place on (int16[c, k+1]); NOWHERE where there is none."""
    following = np.full((classes, len(class_of) + 1), NOWHERE, np.int16)
    for place in range(len(class_of) - 1, -1, -1):
        following[:, place] = following[:, place + 1]
        following[class_of[place], place] = place
    return following


def places(lattice: Lattice, search: Search) -> tuple[np.ndarray, np.ndarray]:
    """After how many stages, at least and at most, each ideal may be done (int16[i] each), from the stages that units may be on."""
    allowed, k = lattice.units.allowed, lattice.units.problem.evaluator.k
    lowest, highest = np.zeros(lattice.count, np.int16), np.full(lattice.count, k - 1, np.int16)
    highest[-1] = k
    earliest = np.argmax(allowed, axis=1).astype(np.int16)
    latest = (k - 1 - np.argmax(allowed[:, ::-1], axis=1)).astype(np.int16)
    counting = np.flatnonzero(latest < k - 1)
    by_latest = counting[np.argsort(latest[counting], kind="stable")].astype(np.int32)
    for first in range(0, lattice.count, IDEALS_PER_CALL):
        search.check()
        end = min(first + IDEALS_PER_CALL, lattice.count)
        places_of_ideals(
            first, end, lattice.parent, lattice.parent_unit, lattice.bits, earliest, latest, by_latest, lowest,
            highest,
        )  # fmt: skip
    return lowest, highest


def _ways(units: Units, found: Touches, by_way: bool) -> Ways:
    """What stages may not be passed by, nothing unless ``by_way``."""
    passing = np.zeros(len(found.time), np.bool_)
    if not by_way or not len(found.time):
        return Ways(passing, np.zeros((0, 1), np.uint64), found.tensor_ptr, found.tensor_unit)
    reach = np.zeros((units.count, (units.count + 63) // 64), np.uint64)
    ways_between(*units.succs, reach)
    passed_by(*units.succs, reach, found.tensor_ptr, found.tensor_unit, passing)
    return Ways(passing, reach, found.tensor_ptr, found.tensor_unit)


def _more(before: OpenStages | None, room: int) -> OpenStages:
    """Records for ``room`` open stages, the first ones those there were ``before``."""
    fresh = OpenStages(
        np.empty(room, np.uint64), np.empty(room, np.uint64), np.empty(room, np.uint64), np.empty(room),
        np.empty(room), np.empty(room), np.empty(room, np.int16), np.empty(room, np.int16), np.empty(room, np.int32), np.empty(room, np.int32), np.empty(2, np.int64),
    )  # fmt: skip
    _release(fresh)
    if before is not None:
        used = len(before.next)
        for name in OpenStages._fields[:-1]:
            getattr(fresh, name)[:used] = getattr(before, name)
        # What was not in use before comes after all that is new.
        fresh.next[-1] = before.spare[0]
        fresh.spare[0] = used
        fresh.spare[1] = room - used + before.spare[1]
    return fresh


def _release(stages: OpenStages) -> None:
    """Take all records out of use."""
    room = len(stages.next)
    stages.next[:] = np.arange(1, room + 1, dtype=np.int32)
    stages.next[-1] = -1
    stages.spare[0], stages.spare[1] = 0, room
