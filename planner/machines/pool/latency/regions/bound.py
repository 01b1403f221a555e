"""Lower bounds on the latency of contiguous splits from regions between articulation ops, and plans put together from theirs.

All before an articulation op ends before it begins, and what comes after it waits for it. So the latency is a sum: articulation ops on CPUs, subgraphs that hold
such ops, and the time between these, region by region. Two things bind regions to one another: how many accelerators there are, and the memory of a subgraph that reaches
from one into another. A dynamic program over both adds up what is proven of each region (:mod:`planner.machines.pool.latency.regions.tables`), for as many subgraphs in it as it may have.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator

import numpy as np

from planner.machines.pool.latency.cuts import RunRules
from planner.machines.pool.latency.regions.chain import Stack, WayThrough, Whole, cheapest_way
from planner.machines.pool.latency.regions.flows import Game
from planner.machines.pool.latency.regions.region import Region, articulate
from planner.machines.pool.latency.regions.tables import CLASSES, Passage, Tables, Way
from planner.machines.pool.latency.state import Arrays
from planner.model.graph import Ints
from planner.problem.problem import Problem
from planner.search.search import Search

MOST_ACCELERATORS = 64
MOST_PIECES = 6
"""Subgraphs within one region that are told apart; as many stand for more."""
MOST_REGIONS = 400
MOST_LISTED = 4_000_000
"""Pieces of all regions together."""
ROUNDS = 200
"""Times that all ways of the cheapest way through are played."""
SAFE = 1 - 1e-9
"""Sums over ideals are differences of larger ones: rounding must not lift the bound above a plan."""


class RegionBound:
    """The bound by regions of one problem, for contiguous splits of graphs without backward ops; nothing elsewhere.

    :meth:`advance` does a part of the work and reports better bounds; ``plan`` is the best one put together so far (int32[n], maybe not valid), None without any.
    """

    def __init__(
        self, problem: Problem, arrays: Arrays, rules: RunRules, search: Search, method: str
    ) -> None:
        self._problem, self._arrays, self._search, self._method = problem, arrays, search, method
        self._accelerators = rules.most_runs
        self._capacity = rules.capacity
        self.proven = -1.0
        self.plan: Ints | None = None
        self._games: list[Game] = []
        serves = (
            problem.graph.n > 0
            and rules.contiguous
            and not arrays.part.any()
            and rules.most_runs <= MOST_ACCELERATORS
        )
        self._steps: Iterator[None] | None = self._work(rules) if serves else None

    def advance(self, seconds: float) -> bool:
        """Work for about so long, one step at least; returns whether there is more to do.

        Raises :class:`planner.search.search.Stopped` when a stop criterion fires.
        """
        end = time.perf_counter() + seconds
        while self._steps is not None:
            self._search.check()
            if next(self._steps, self) is self:
                self._steps = None
            if time.perf_counter() >= end:
                break
        return self._steps is not None

    def _work(self, rules: RunRules) -> Iterator[None]:
        cut = articulate(self._arrays, rules)
        if len(cut.regions) > MOST_REGIONS:
            return
        self._cut = cut
        room = min(self._capacity, float(self._arrays.memory.sum()))
        unit = room / CLASSES if room > 0 else 1.0
        most, left = min(self._accelerators, MOST_PIECES), MOST_LISTED
        for region in cut.regions:
            tables = Tables(region, self._capacity, unit, most, self._accelerators > MOST_PIECES)
            yield from tables.prepare(self._search, left)
            left -= len(tables.low)
            self._games.append(Game(tables))
        if not any(game.tables.small and len(game.tables.region.ops) for game in self._games):
            return
        able = [r.work for r in cut.regions]
        self._whole = Whole(
            cut.cpu, cut.work, cut.memory, np.array([work.sum() for work in able]),
            np.array([r.memory.sum() for r in cut.regions]), cut.between, room, unit,
        )  # fmt: skip
        for game in self._games:
            # Every way at once: what is proven of no pieces and the longest path holds for the rest, too.
            yield from game.play(Way(False, False, 0), math.inf) if game.tables.small else ()
        for _ in range(ROUNDS):
            through = cheapest_way(self._whole, self._proven_values(), self._accelerators)
            self._report(through.value)
            yield
            if not math.isfinite(through.value):
                return
            todo = [
                (game, way)
                for game, way in zip(self._games, through.ways, strict=True)
                if way is not None and game.is_open(way)
            ]
            if not todo:
                break
            for game, way in todo:
                yield from game.play(way, through.value)
        self._compose()

    def _report(self, value: float) -> None:
        value *= SAFE
        if value <= self.proven:
            return
        self.proven = value
        problem = self._problem
        self._search.prove(
            problem.bound(problem.objective, value, self._method, problem.assumptions, self._search.seconds)
        )

    def _proven_values(self) -> Stack:
        values = [game.tables.values for game in self._games]
        both = [np.maximum(v.both_first[:, :, None], v.both_last[:, None, :]) for v in values]
        return Stack(
            np.array([v.free for v in values]), np.array([v.first for v in values]),
            np.array([v.last for v in values]), np.array(both),
        )  # fmt: skip

    # ------------------------------------------------------------------ plans
    def _compose(self) -> None:
        """Put the best plan together from plans of regions that were seen."""
        stack, chosen = self._seen_values()
        through = cheapest_way(self._whole, stack, self._accelerators)
        if not math.isfinite(through.value):
            return
        passages = [
            None if way is None else _best(plans, way)
            for plans, way in zip(chosen, through.ways, strict=True)
        ]
        groups = self._subgraphs(through, passages)
        if len(groups) > len(self._arrays.accelerators):
            return
        plan = np.array(self._arrays.op_cpu, np.int32)
        for slot, ops in zip(self._arrays.accelerators.tolist(), groups, strict=False):
            plan[ops] = slot
        self.plan = plan

    def _seen_values(self) -> tuple[Stack, list[list[tuple[Way, float, Passage]]]]:
        """What plans of regions take, and these, with the way that each of them needs at least."""
        shape = (len(self._games), min(self._accelerators, MOST_PIECES) + 1)
        stack = Stack(
            np.full(shape, np.inf), np.full((*shape, CLASSES), np.inf), np.full((*shape, CLASSES), np.inf),
            np.full((*shape, CLASSES, CLASSES), np.inf),
        )  # fmt: skip
        chosen: list[list[tuple[Way, float, Passage]]] = []
        for number, game in enumerate(self._games):
            chosen.append([])
            for asked, passages in game.seen.items():
                for passage in passages:
                    found = _needs(game.tables, asked, passage)
                    if found is None:
                        continue
                    way, taken = found, game.tables.time_of(passage, asked)
                    chosen[-1].append((way, taken, passage))
                    _lower(stack, number, way, taken)
        return stack, chosen

    def _subgraphs(self, through: WayThrough, passages: list[Passage | None]) -> list[list[int]]:
        """The ops of each subgraph, in the order in which they run."""
        regions, articulations = self._cut.regions, self._cut.articulations
        begins = dict(through.spans)
        found: list[list[int]] = []
        for i, passage in enumerate(passages):
            if passage is not None:
                found += [_ops(regions[i], mask) for mask, _, piece in passage.steps if piece]
            if i + 1 not in begins:
                continue
            first, last = i + 1, begins[i + 1]
            ops = articulations[first : last + 1].tolist()
            for inner in regions[first:last]:
                ops += inner.ops.tolist()
            tables, passage = self._games[i].tables, passages[i]
            assert passage is not None
            ops += _ops(regions[i], int(tables.bits[-1] & ~tables.bits[passage.tail]))
            after, tables = passages[last], self._games[last].tables
            assert after is not None
            found.append(ops + _ops(regions[last], int(tables.bits[after.head])))
        return found


def _needs(tables: Tables, asked: Way, passage: Passage) -> Way | None:
    """The way that a plan of a region needs; None where its memory is of no class."""
    pieces = sum(piece for _, _, piece in passage.steps)
    head = tables.classes(tables.head_memory[passage.head : passage.head + 1], up=True)[0]
    tail = tables.classes(tables.tail_memory[passage.tail : passage.tail + 1], up=True)[0]
    if max(head, tail) >= CLASSES or pieces >= len(tables.values.free):
        return None
    return Way(asked.before, asked.after, pieces, int(head), int(tail))


def _lower(stack: Stack, number: int, way: Way, taken: float) -> None:
    """Note that a plan needs a way and takes so long."""
    if way.before and way.after:
        part = stack.both[number, way.pieces :, way.head :, way.tail :]
    elif way.before:
        part = stack.first[number, way.pieces :, way.head :]
    elif way.after:
        part = stack.last[number, way.pieces :, way.tail :]
    else:
        part = stack.free[number, way.pieces :]
    np.minimum(part, taken, out=part)


def _best(plans: list[tuple[Way, float, Passage]], way: Way) -> Passage:
    """The quickest plan of a region that needs no more than a way."""
    fitting = [
        (taken, i)
        for i, (need, taken, _) in enumerate(plans)
        if (need.before, need.after) == (way.before, way.after)
        and need.pieces <= way.pieces
        and (need.head <= way.head or not way.before)
        and (need.tail <= way.tail or not way.after)
    ]
    return plans[min(fitting)[1]][2]


def _ops(region: Region, mask: int) -> list[int]:
    """The ops of a set."""
    return [int(region.ops[v]) for v in range(len(region.ops)) if mask >> v & 1]
