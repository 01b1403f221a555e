"""Local search: the best single move again and again until none helps, from several starts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain as joined
from itertools import islice
from typing import ClassVar

import numpy as np

from planner.errors import PlannerRefusal
from planner.evaluation import kernels
from planner.machines.pipeline.orders.search import search_orders
from planner.machines.pipeline.orders.stage_slicer import order_slicer
from planner.methods.balanced import balanced_slicing
from planner.methods.filling import fill
from planner.methods.live_descent import climb, filled
from planner.methods.obvious_infeasibility import report_infeasible
from planner.methods.orders import depth_first_order, kahn_order
from planner.methods.steepest_descent import Descent
from planner.methods.units import Units, build_units, chain, forced_units, mirrors, unit_edges
from planner.model.graph import Ints
from planner.options import Option
from planner.problem.problem import Problem
from planner.search.method import Planner, Source
from planner.search.search import Search


class LocalSearch(Planner):
    """Moves one group at a time to the device that lowers the objective most, until no single move lowers it.

    Plans that are given to start from go first, better ones that are found elsewhere meanwhile come next. Then, where any placement is allowed, starts are random (as in the paper);
    where devices follow one another along the graph, starts are slicings of random orders, so that every plan on the
    way is valid. For latency and under replication starts also fill one accelerator after another.
    """

    name: ClassVar[str] = "local-search"
    title: ClassVar[str] = "Local search"
    summary: ClassVar[str] = "best single move until none helps, restarted"
    source: ClassVar[Source] = Source("device placement", "section 6, baselines")
    targets: ClassVar[frozenset[str]] = frozenset({"pool", "pipeline", "edge-tpu"})
    copes: ClassVar[frozenset[str]] = frozenset({"communication", "activations", "path"})
    objectives: ClassVar[frozenset[str]] = frozenset(
        {"max-load", "gpipe", "latency", "bottleneck", "stage-time", "inference-time"}
    )
    options: ClassVar[tuple[Option, ...]] = (
        Option(
            "restarts", 10, "how many starts of its own, beside the plans it is given", low=1, high=1_000_000
        ),
        Option(
            "on",
            "assignments",
            "what is changed: the device of one group, or (on a pipeline) the order that is sliced",
            choices=("assignments", "orders"),
        ),
        Option("orders", 20_000, "changed orders tried from each start, with on=orders", low=1),
    )

    def search(self, problem: Problem, search: Search) -> None:
        """One iteration per start; incumbents are reported on the way down. Raises :class:`PlannerRefusal`."""
        if search.options["on"] == "orders":
            if problem.target.kind == "pool":
                raise PlannerRefusal("'local-search' on orders serves a pipeline only; leave out on=orders")
            if not problem.evaluator.plain and not problem.target.beyond:
                raise PlannerRefusal(
                    f"'local-search' on orders does not minimise {problem.objective}; leave out on=orders"
                )
            search_orders(problem, search, self.name)
            return
        if report_infeasible(problem, search, self.name):
            return
        e = problem.evaluator
        if not e.plain or any(rule.code == kernels.RULE_PATH for rule in e.rules):
            self._climb(problem, search)
            return
        unit_of = forced_units(problem)
        same = e.part[e.edge_src] == e.part[e.edge_dst]
        units = build_units(problem, unit_of, *unit_edges(unit_of, e.edge_src[same], e.edge_dst[same]))
        descent = Descent(units)
        restarts = int(search.options["restarts"])
        given = [s for s in search.starts if not e.violations(e.checked(s))]
        total = restarts + len(given)
        for i, start in enumerate(
            with_adopted(self._starts(problem, units, search, given, restarts), search)
        ):
            search.incumbent(start)
            # Units of a chain may be larger than what has to stay together, so a start is taken apart again here.
            place = np.zeros(units.count, np.int32)
            place[units.unit_of] = start
            descent.begin(place)
            while True:
                done = descent.run()
                if descent.objective < search.objective * (1 - 1e-9):
                    search.incumbent(descent.device_of[units.unit_of])
                search.progress(
                    (i + (1.0 if done else 0.5)) / total, f"start {i + 1} of {total}, {descent.moves} moves"
                )
                search.check()
                if done:
                    break
            search.iteration()

    def _climb(self, problem: Problem, search: Search) -> None:
        """Where costs do not add up over border tensors: moves are tried by the live evaluation."""
        e = problem.evaluator
        given = [s for s in search.starts if not e.violations(e.checked(s))]
        starts: list[Iterator[Ints]] = []
        if e.objective_code == kernels.LATENCY or e.sync_rate > 0.0:
            starts.append(filled(problem, search))
        if e.objective_code != kernels.LATENCY:
            units = build_units(problem, forced_units(problem))
            starts.append(self._starts(problem, units, search, [], int(search.options["restarts"])))
        total = int(search.options["restarts"]) + len(given)
        for i, start in enumerate(with_adopted(islice(joined(given, alternating(starts)), total), search)):
            search.incumbent(start)
            for moves in climb(problem, start, search):
                search.progress(i / total, f"start {i + 1} of {total}, {moves} moves")
            search.iteration()

    def _starts(
        self, problem: Problem, units: Units, search: Search, given: list[Ints], restarts: int
    ) -> Iterator[Ints]:
        yield from given
        codes = {rule.code for rule in problem.evaluator.rules}
        if codes & {kernels.RULE_ORDER, kernels.RULE_CONTIGUOUS}:
            yield from self._sliced(problem, search, restarts)
        else:
            for _ in range(restarts):
                place = random_placement(units, search.rng)
                if place is None:
                    order = np.arange(units.count, dtype=np.int32)
                    place = (
                        None
                        if (problem.evaluator.pinned >= 0).any()
                        else fill(units, order, contiguous=False)
                    )
                if place is None:
                    yield from self._sliced(problem, search, 1)
                else:
                    yield place[units.unit_of]

    @staticmethod
    def _sliced(problem: Problem, search: Search, count: int) -> Iterator[Ints]:
        """Valid plans: the depth-first order sliced, then random orders."""
        made = 0
        chains = [chain(problem, mirror) for mirror in mirrors(problem)]
        try:
            slicers = [order_slicer(chained) for chained in chains]
        except PlannerRefusal:
            if search.best is None:
                raise
            return
        for i in range(count):
            for slicer in slicers:
                chained = slicer.units
                if i == 0:
                    order = depth_first_order(*chained.succs)
                    search.incumbent(slicer.even(order)[chained.unit_of])
                    if problem.target.kind == "pool" and search.best is None:
                        balanced = balanced_slicing(chained, order)
                        if balanced is not None:
                            search.incumbent(balanced[chained.unit_of])
                else:
                    order = kahn_order(*chained.succs, search.rng.random(chained.count))
                last = None
                for device_of in slicer.slicings(order, search):
                    last = device_of
                    if i > 0:
                        break  # any slicing is a start; under gpipe the best one takes long to find
                if last is not None and not problem.evaluator.violations(last[chained.unit_of]):
                    yield last[chained.unit_of]
                    made += 1
                if made >= count:
                    return


def with_adopted(starts: Iterator[Ints], search: Search) -> Iterator[Ints]:
    """The starts (int32[n] each), and between them better plans that were found elsewhere."""
    for start in starts:
        yield start
        adopted = search.adopt()
        if adopted is not None:
            yield adopted


def alternating(sources: Sequence[Iterator[Ints]]) -> Iterator[Ints]:
    """One plan (int32[n]) from each source in turn until all are exhausted."""
    left = list(sources)
    while left:
        for source in list(left):
            start = next(source, None)
            if start is None:
                left.remove(source)
            else:
                yield start


def random_placement(units: Units, rng: np.random.Generator) -> Ints | None:
    """A random allowed device for each unit, memory permitting (int32[m]), or None when some unit found no room."""
    e = units.problem.evaluator
    capped = any(rule.code == kernels.RULE_MEMORY for rule in e.rules)
    if not capped:
        keys = np.where(units.allowed, rng.random((units.count, e.k)), -1.0)
        return np.argmax(keys, axis=1).astype(np.int32)
    room = e.capacity.copy()
    place = np.full(units.count, -1, np.int32)
    order = np.argsort(-units.memory + rng.random(units.count) * 1e-9, kind="stable")
    for u in order.tolist():
        options = np.flatnonzero(units.allowed[u] & (units.memory[u] <= room))
        if len(options) == 0:
            return None
        d = int(rng.choice(options))
        place[u] = d
        room[d] -= units.memory[u]
    return place
