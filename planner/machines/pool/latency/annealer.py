"""Annealing runs for latency under a search: where they start, how hot, and how dear an excess of memory is."""

from __future__ import annotations

import math

import numpy as np

from planner.machines.pool.latency.anneal import anneal
from planner.machines.pool.latency.state import Arrays, build_scratch, measure, placed, units_placed
from planner.methods.filling import fill
from planner.methods.orders import depth_first_order, kahn_order
from planner.methods.units import chain
from planner.model.graph import Ints
from planner.problem.problem import Problem
from planner.search.search import Search

SLICE_VISITS = 2_000_000
"""Ops and tensors looked at between two looks at the search: some 20 ms. A count, not a time, so that seeds repeat."""
MOVES_PER_UNIT = 1200
FEWEST_MOVES, MOST_MOVES = 4_000, 500_000
HOT, WARM, COLD = 0.03, 0.01, 0.0003
"""Heat as a share of the latency: at the start of a run from afar, from the best plan, and at the end."""
BUSY_WEIGHT = 0.03
DEAREST, CHEAPEST = 20.0, 0.02
"""Price of an accelerator's memory exceeded by its whole size, as a multiple of the latency."""


class Annealer:
    """Runs of :func:`planner.machines.pool.latency.anneal.anneal` that report their plans to the search."""

    def __init__(self, problem: Problem, arrays: Arrays, search: Search) -> None:
        self._problem, self._arrays, self._search = problem, arrays, search
        self._scratch = build_scratch(arrays)
        count = len(arrays.allowed)
        self._chosen = np.zeros(count, np.int32)
        self._mark = np.zeros(count + 1, np.int32)
        self._state = search.rng.integers(1, 2**63, 1, dtype=np.uint64)
        size = problem.graph.n + problem.graph.tensor_count + len(problem.graph.consumer_idx)
        self._steps = int(np.clip(SLICE_VISITS // max(size, 1), 16, 2000))
        self._runs = 0
        self._firsts: list[Ints] = []

    def start(self) -> None:
        """Report the plans that runs start from: those given, all on the CPU, and accelerators filled along orders."""
        a = self._arrays
        found = [units_placed(a, device_of) for device_of in self._search.starts]
        if a.cpu >= 0:
            found.append(units_placed(a, a.op_cpu))
        units = chain(self._problem)
        orders = [depth_first_order(*units.succs)]
        orders += [kahn_order(*units.succs, self._search.rng.random(units.count)) for _ in range(2)]
        for order in orders:
            filled = fill(units, order, False)
            found.append(None if filled is None else units_placed(a, filled[units.unit_of]))
        if all(place is None for place in found):
            found.append(np.argmax(a.allowed, axis=1).astype(np.int32))
        for place in found:
            if place is not None:
                self._search.incumbent(placed(a, place))
                self._firsts.append(place)

    def run(self, moves: int) -> None:
        """One run of so many moves (0 = by the number of units), from a start or, every other time, from the best plan."""
        a, search = self._arrays, self._search
        if not len(a.allowed):
            return
        moves = moves or int(np.clip(MOVES_PER_UNIT * len(a.allowed), FEWEST_MOVES, MOST_MOVES))
        best_place = None if search.best is None else units_placed(a, search.best)
        afar = best_place is None or self._runs % 2 == 0
        first = self._firsts[self._runs // 2 % len(self._firsts)]
        place = first.copy() if best_place is None or afar else best_place.copy()
        self._runs += 1
        device_of = placed(a, place)
        scale = (
            search.objective if math.isfinite(search.objective) else measure(a, self._scratch, device_of)[0]
        )
        if not 0 < scale < math.inf:
            scale = float(a.work.max(initial=1.0)) * len(a.part)
        heat = scale * (HOT if afar else WARM)
        cooling = (scale * COLD / heat) ** (1.0 / moves)
        price = scale * (0.3 if afar else 1.0)
        best, kept = math.inf, place.copy()
        done = 0
        while done < moves and not search.stopped():
            steps = min(self._steps, moves - done)
            found, heat, fitting = anneal(
                a, self._scratch, place, device_of, kept, best, heat, cooling,
                np.array([BUSY_WEIGHT, price]), steps, self._state, self._chosen, self._mark,
            )  # fmt: skip
            # Half of the time within the memories: there the border lies that the best plans are at.
            price = float(
                np.clip(price * (1.1 if fitting < 0.5 else 0.92), CHEAPEST * scale, DEAREST * scale)
            )
            if found < best:
                best = found
                if found < search.objective:
                    search.incumbent(placed(a, kept))
            done += steps
