"""Best chains of ideals under one component after another.

Each component restricts the arcs to those on the best chains, and the next one is minimised over what is left; why every
restriction is one on single arcs is shown in docs/edge-tpu-exact.md.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass

import numpy as np

from planner.machines.edge_tpu.memory import arcs
from planner.machines.edge_tpu.memory.arcs import (
    ANY,
    ENTERING,
    FAR,
    LARGEST,
    OVERFLOW,
    PAIRS_PER_CALL,
    TRAFFIC,
    Limits,
)
from planner.machines.edge_tpu.memory.arrivals import Arrivals
from planner.machines.edge_tpu.memory.lattice import EdgeTpuLattice, TooLarge
from planner.machines.edge_tpu.memory.memory import least_memory, on_chains
from planner.machines.edge_tpu.memory.units import Whole
from planner.machines.edge_tpu.target import COMMUNICATION, DRAM, MEMORY
from planner.model.graph import Bools, Ints
from planner.search.search import Search

MOST_PAIRS = 4_000_000_000
"""Pairs of one component that this way is worth: some twenty seconds."""
SMALL_PAIRS = 20_000_000
"""Pairs of a component that needs no guess to begin with."""
GUESSES = 8
"""Halvings of the communication at hand that make the first guess."""


@dataclass(frozen=True, eq=False)
class Step:
    """No plan that is best in the components before has less ``component`` than ``value`` (a whole number).

    ``stage_of`` int32[m], where there is one, is a plan to report. The last step of a component is ``final``: its plan
    reaches the value.
    """

    component: str
    value: int
    stage_of: Ints | None = None
    final: bool = False


@dataclass(eq=False)
class Place:
    """The ``ideals`` (int32[i]) at one place of the chains by increasing ``potential`` (int64[i]).

    ``done`` and ``ahead`` int64[i]: the least DRAM before and after each, or less.
    """

    ideals: Ints
    potential: Whole
    done: Whole
    ahead: Whole

    def only(self, kept: Bools) -> Place:
        """The place with those of its ideals that are ``kept`` (bool[i])."""
        return Place(self.ideals[kept], self.potential[kept], self.done[kept], self.ahead[kept])


class Chains:
    """The chains that are best in all components so far. Methods may raise :class:`planner.search.search.Stopped`."""

    def __init__(self, ideals: EdgeTpuLattice, search: Search, plan: Ints) -> None:
        """``plan`` int32[m]: any plan, to begin with."""
        self.ideals, self._search = ideals, search
        self._tpus = ideals.tpus
        self._field = arcs.field_of(ideals)
        self._plan = plan
        self._limits: Limits
        self._places: list[Place]
        self._bottom: int
        self._tight: bool
        self._restart()

    def steps(self) -> Iterator[Step]:
        """Minimise the components in their order. Raises :class:`TooLarge`."""
        components = self._tpus.components
        for place, component in enumerate(components):
            if component == COMMUNICATION:
                yield from self._communication()
                continue
            if component == MEMORY:
                least = self._memory_within() if place else self._memory()
            elif place:
                least = self._dram()
            else:
                least = yield from self._dram_first(components[1] == MEMORY)
            yield Step(component, least, self._plan, final=True)

    # ------------------------------------------------------------------ parameters
    def _memory(self) -> int:
        tpus = self._tpus
        high = tpus.measures(self._plan)[MEMORY]
        least = least_memory(self.ideals, tpus.simple_bound(MEMORY), high, self._search)
        self._narrow(least)
        self._plan = self._chain(ANY, [np.zeros(len(p.ideals), np.int64) for p in self._places], 0)
        return least

    def _memory_within(self) -> int:
        """After DRAM: the least largest m on its arcs."""
        values = self._up(LARGEST, FAR)
        least = int(values[-1][0])
        self._plan = self._chain(LARGEST, values, least)
        self._limits = self._limits._replace(top=least)
        return least

    def _dram_first(self, then_memory: bool) -> Generator[Step, None, int]:
        """Plans of least m often have the least DRAM that any could have. If so, memory needs no more than these."""
        floor = self._tpus.simple_bound(DRAM)
        self._memory()
        yield Step(DRAM, floor, self._plan)
        least = self._dram()
        if least > floor or not then_memory:
            yield Step(DRAM, floor, self._plan)
            self._restart()
            least = self._dram()
        return least

    def _dram(self) -> int:
        """The least DRAM on the arcs left, to which they are restricted."""
        tpus = self._tpus
        known = tpus.measures(self._plan)[DRAM]
        if known == 0 or known == tpus.total - tpus.stages * tpus.cache:
            # No overflow at all, or no cache with room left, is a property of single arcs.
            if known == 0:
                self._narrow(min(self._limits.top, tpus.cache))
            self._potentials(0 if known == 0 else -tpus.total)
            self._limits = self._limits._replace(dram=known)
            self._bottom = tpus.cache if known else 0
            return known
        self._potentials(0)
        self._limits = self._limits._replace(dram=known)
        done = self._up(OVERFLOW, known + 1)
        least = int(done[-1][0])
        self._plan = self._chain(OVERFLOW, done, least)
        ahead = self._down(OVERFLOW, least + 1)
        self._limits = self._limits._replace(dram=least)
        self._tight = True
        for place, before, after in zip(self._places, done, ahead, strict=True):
            place.done, place.ahead = before, after
        self._places = [p.only(p.done + p.ahead <= least) for p in self._places]
        return least

    def _potentials(self, floor: int) -> None:
        """Take what must overflow for want of cache as DRAM before and after each ideal, at least ``floor``."""
        tpus = self._tpus
        for k, place in enumerate(self._places):
            place.done = np.maximum(floor, place.potential - k * tpus.cache)
            place.ahead = np.maximum(floor, tpus.total - place.potential - (tpus.stages - k) * tpus.cache)

    # ------------------------------------------------------------------ communication
    def _communication(self) -> Iterator[Step]:
        """The least largest number of bytes; where there are many pairs, guesses that begin low rule most of them out."""
        known = self._tpus.measures(self._plan)[COMMUNICATION]
        places = self._places
        few = self._pairs() <= SMALL_PAIRS
        if not few and self._one_sided and Arrivals.serves(self.ideals):
            yield from self._communication_by_arrivals(known)
            return
        guess = known if few else max(1, known >> GUESSES)
        while True:
            guess = min(guess, known)
            # What lies on a border has still to enter one of the stages left.
            self._places = [
                p.only(self.ideals.border_size[p.ideals] < (self._tpus.stages - k) * guess)
                for k, p in enumerate(places[:-1])
            ] + places[-1:]
            if all(len(p.ideals) for p in self._places):
                values = self._up(ENTERING, guess)
                least = int(values[-1][0])
                if least < guess:
                    self._plan = self._chain(ENTERING, values, least)
                    break
            if guess == known:
                least = known
                break
            yield Step(COMMUNICATION, guess)
            guess *= 2
        self._places = places
        try:
            self._quieten(least)
        finally:  # the proof is complete, even where the search for a quieter plan is stopped
            yield Step(COMMUNICATION, least, self._plan, final=True)

    @property
    def _one_sided(self) -> bool:
        """Whether nothing but a largest m, or nothing but a smallest one, is asked of arcs."""
        return not self._tight and (self._bottom == 0 or self._limits.top >= self._tpus.total)

    def _communication_by_arrivals(self, high: int) -> Iterator[Step]:
        """The same by bisection, with one look at each ideal per stage and limit."""
        top = None if self._bottom else self._limits.top
        arrivals = Arrivals(self.ideals, self._search, top, self._bottom)
        low = 0
        found: Bools | None = None
        while low < high:
            middle = (low + high) // 2
            self._search.progress(None, f"{self.ideals.count} ideals, {middle} bytes")
            reached = arrivals.reachable(middle)
            if reached[-1, -1]:
                high, found = middle, reached
            else:
                low = middle + 1
                yield Step(COMMUNICATION, low)
        if found is not None:
            self._limits = self._limits._replace(entering=high)
            self._places = [p.only(row[p.ideals]) for p, row in zip(self._places, found, strict=True)]
            self._plan = self._chain(ANY, [np.zeros(len(p.ideals), np.int64) for p in self._places], 0)
        yield Step(COMMUNICATION, high, self._plan, final=True)

    def _quieten(self, most: int) -> None:
        """Among the plans with ``most`` bytes, find the one with the fewest in all, where that is soon done."""
        self._limits = self._limits._replace(entering=most)
        self._places = [
            p.only(self.ideals.border_size[p.ideals] <= (self._tpus.stages - k) * most)
            for k, p in enumerate(self._places)
        ]
        if self._pairs() <= SMALL_PAIRS:
            values = self._up(TRAFFIC, FAR)
            self._plan = self._chain(TRAFFIC, values, int(values[-1][0]))

    # ------------------------------------------------------------------ ideals and arcs
    def _restart(self) -> None:
        """Take all chains that pins allow."""
        self._limits = Limits(self._tpus.total, FAR, FAR, self._tpus.cache)
        self._bottom, self._tight = 0, False
        self._narrow(self._tpus.total)

    def _narrow(self, top: int) -> None:
        """Keep the chains whose m is at most ``top`` on each stage; least DRAM is forgotten."""
        self._limits = self._limits._replace(top=top, dram=FAR)
        self._places = []
        for row in on_chains(self.ideals, top, self._search):
            numbers = np.flatnonzero(row)
            self._search.check()
            potential = self.ideals.potential[numbers]
            order = np.argsort(potential, kind="stable")
            nothing = np.zeros(len(order), np.int64)
            self._places.append(
                Place(numbers[order].astype(np.int32), potential[order], nothing, nothing.copy())
            )

    def _pairs(self) -> int:
        """How many pairs of ideals a sweep looks at."""
        total = 0
        for lower, upper in zip(self._places, self._places[1:], strict=False):
            total += arcs.pair_count(lower.potential, upper.potential, self._limits.top)
            self._search.check()
        return total

    def _up(self, kind: int, bound: int) -> list[Whole]:
        """The best value below ``bound`` of a chain that ends at each ideal of each place (FAR = none)."""
        if self._pairs() > MOST_PAIRS:
            raise TooLarge
        values = [np.zeros(len(self._places[0].ideals), np.int64)]
        for k in range(self._tpus.stages):
            values.append(np.full(len(self._places[k + 1].ideals), FAR, np.int64))
            self._sweep(arcs.sweep_up, k, kind, bound, values[k], values[k + 1])
        return values

    def _down(self, kind: int, bound: int) -> list[Whole]:
        """The same for chains that begin at each ideal."""
        values = [np.zeros(len(self._places[-1].ideals), np.int64)]
        for k in range(self._tpus.stages - 1, -1, -1):
            found = np.full(len(self._places[k].ideals), FAR, np.int64)
            self._sweep(arcs.sweep_down, k, kind, bound, values[-1], found)
            values.append(found)
        return values[::-1]

    def _sweep(self, kernel: arcs.Sweep, k: int, kind: int, bound: int, values: Whole, found: Whole) -> None:
        lower, upper = self._places[k], self._places[k + 1]
        at = 0
        while at < len(lower.ideals):
            at = kernel(
                at, PAIRS_PER_CALL, self._field, self._limits, kind, bound, lower.ideals, upper.ideals,
                upper.potential, lower.done, upper.ahead, values, found,
            )  # fmt: skip
            share = (k + at / len(lower.ideals)) / self._tpus.stages
            self._search.progress(share, f"{self.ideals.count} ideals, stage {k}")
            self._search.check()

    def _chain(self, kind: int, values: list[Whole], value: int) -> Ints:
        """The plan (int32[m]) of the chain whose value is ``value``, found by going back from its end."""
        at, number = [self.ideals.count - 1], 0
        for k in range(self._tpus.stages - 1, -1, -1):
            place = self._places[k]
            number = arcs.before(
                self._field, self._limits, kind, place.ideals, at[-1], value, place.done,
                self._places[k + 1].ahead[number], values[k],
            )  # fmt: skip
            if kind in (OVERFLOW, TRAFFIC):
                value = int(values[k][number])
            at.append(int(place.ideals[number]))
        return self.ideals.stage_of(at[::-1])
