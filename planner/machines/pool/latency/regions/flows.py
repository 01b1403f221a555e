"""The best flow through a region for one way to pass it: a game of flows against plans, by a linear program over the plans seen."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from planner.machines.pool.latency.regions.region import Region
from planner.machines.pool.latency.regions.tables import Passage, Tables, Way
from planner.model.graph import Floats

LOOKS = 12
"""Most flows for one way."""
KEPT = 8
"""Plans of other ways that one begins with."""
NEAR = 2e-4
"""A way is done when what is proven is so near, relative to the whole bound, to what any flow could prove, or to a plan."""


class Game:
    """The plans of one region that were seen, by the way that it is passed; :meth:`play` looks for the flow that proves most."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.seen: dict[Way, list[Passage]] = {}
        self._best: dict[Way, Floats] = {}
        self._played: set[Way] = set()

    def is_open(self, way: Way) -> bool:
        """Whether more may be proven of a way."""
        return self.tables.small and way not in self._played and math.isfinite(self.tables.values.at(way))

    def play(self, way: Way, whole: float) -> Iterator[None]:
        """Try flows, one at a step; ``whole`` is the bound of all regions together."""
        self._played.add(way)
        tables = self.tables
        rows = [tables.row(plan, way) for plan in self._like(way)]
        shortest, most = math.inf, math.inf
        for looked in range(LOOKS):
            flow, most = (tables.first_flow(), math.inf) if not rows else best_flow(tables.region, rows)
            if looked > 2:
                # Far from the best ones programs over few plans swing from one path to the next.
                flow = 0.5 * (flow + self._best[way])
            before = tables.values.at(way)
            found = tables.look(flow, way)
            after = tables.values.at(way)
            if after > before or way not in self._best:
                self._best[way] = flow
            self.seen.setdefault(way, []).extend(found)
            rows += [tables.row(plan, way) for plan in found]
            shortest = min([shortest, *(tables.time_of(plan, way) for plan in found)])
            yield
            if not found or min(shortest, most) - after <= NEAR * whole:
                return

    def _like(self, way: Way) -> list[Passage]:
        """The last plans that pass the region this way, too."""
        return [
            plan
            for other, plans in self.seen.items()
            if (other.before, other.after) == (way.before, way.after)
            and other.pieces <= way.pieces
            and other.head <= way.head
            and other.tail <= way.tail
            for plan in plans
        ][-KEPT:]


def best_flow(region: Region, rows: list[tuple[Floats, float]]) -> tuple[Floats, float]:
    """The unit flow (float64[e]) under which the cheapest of some plans costs most, and what it costs then.

    Plans are ``rows`` of :meth:`Tables.row`.
    """
    from scipy.optimize import linprog

    arcs, m = len(region.arc_from), len(region.ops)
    balance = np.zeros((m + 1, arcs + 1))
    number = np.arange(arcs)
    inner_to, inner_from = region.arc_to < m, region.arc_from >= 0
    balance[region.arc_to[inner_to], number[inner_to]] += 1.0
    balance[region.arc_from[inner_from], number[inner_from]] -= 1.0
    balance[m, number[~inner_from]] = 1.0
    result = linprog(
        np.append(np.zeros(arcs), -1.0),
        A_ub=np.array([np.append(-costs, 1.0) for costs, _ in rows]),
        b_ub=np.array([constant for _, constant in rows]),
        A_eq=balance,
        b_eq=np.append(np.zeros(m), 1.0),
        bounds=[(0.0, None)] * arcs + [(None, None)],
        method="highs",
    )
    if result.x is None:
        return np.zeros(arcs), math.inf
    return np.maximum(result.x[:arcs], 0.0), float(-result.fun)
