"""Connection reordering: the paper's simulated annealing of connection orders, counted incrementally."""

from __future__ import annotations

from typing import ClassVar

from planner.errors import PlannerRefusal
from planner.machines.two_level_memory.orders import moves
from planner.machines.two_level_memory.orders.theorem_1 import theorem_1_order
from planner.machines.two_level_memory.problem import NetworkProblem
from planner.model.graph import Ints
from planner.options import Option
from planner.search.method import Planner, Source
from planner.search.search import Search

SLICE = 200_000
"""Connections gone through between two looks at whether to stop: some 5 to 10 ms."""
REPORT = 8
"""Slices between two reports of better orders: some 50 ms. A count, not a time, so that runs can be repeated."""
COUNTED = 20
"""Connections that a slice has to go through for one that a report counts anew: reports take a small part of the time."""


class ConnectionReordering(Planner):
    """Moves the connections of a random window left to where their source was used before, or right to where their target is used
    next, and keeps a change that costs d more I/Os with probability 2^-(d t^sigma) in iteration t.

    As in the paper, but the I/Os of a changed order are not counted anew from its first connection on: see
    :mod:`planner.machines.two_level_memory.recount.incremental`. The same seed takes the same way either
    way, and however the search is cut into slices.
    """

    name: ClassVar[str] = "connection-reordering"
    title: ClassVar[str] = "Connection reordering"
    summary: ClassVar[str] = (
        "the paper's simulated annealing: windows of connections move to where their ends are used"
    )
    source: ClassVar[Source] = Source("I/O paper", "section IV")
    plans_networks: ClassVar[bool] = True
    targets: ClassVar[frozenset[str]] = frozenset({"memory"})
    objectives: ClassVar[frozenset[str]] = frozenset({"ios"})
    honours: ClassVar[frozenset[str]] = frozenset()
    options: ClassVar[tuple[Option, ...]] = (
        Option("iterations", 1_000_000, "how many windows are tried", 1, 1e12),
        Option("sigma", 0.2, "cooling: how fast worse orders become unlikely", 0.0, 10.0),
        Option("window", 0, "connections that move at most; 0: four times the mean in-degree", 0, 1e9),
        Option(
            "start",
            "theorem-1",
            "the order to start from: theorem-1, the file's (given), or the best there is (best)",
            choices=("theorem-1", "given", "best"),
        ),
        Option("incremental", True, "count only what a change touches; the orders are the same without"),
    )

    def search(self, problem: NetworkProblem, search: Search) -> None:
        """One iteration per window."""
        order = self._start(problem, search)
        search.incumbent(order)
        if search.stopped():
            return
        options = search.options
        window = options["window"] or paper_window(problem)
        state, work = moves.prepared(problem, order, window, search.seed)
        reported = int(work.tally[moves.BEST])
        wait = max(REPORT, COUNTED * len(order) // SLICE)
        iterations, done, since = options["iterations"], 0, 0
        while done < iterations and not search.stopped() and search.state.gap != 0.0:
            adopted = search.adopt()
            if adopted is not None:
                tally = work.tally
                state, work = moves.prepared(problem, adopted, window, int(search.rng.integers(2**63)))
                work.tally[moves.ITERATION] = tally[moves.ITERATION]  # as cool as it was
                reported = int(work.tally[moves.BEST])
            moves.anneal(state, work, window, options["sigma"], iterations, SLICE, not options["incremental"])
            search.iteration(int(work.tally[moves.ITERATION]) - done)
            done, best = int(work.tally[moves.ITERATION]), int(work.tally[moves.BEST])
            search.progress(done / iterations, f"{done:,} windows, {best:,} I/Os")
            since += 1
            # A report counts an order anew: on large networks that must not be what the time goes into.
            if best < reported and (since >= wait or search.due):
                search.incumbent(moves.best_of(state, work))
                since, reported = 0, best
        if work.tally[moves.BEST] < reported:
            search.incumbent(moves.best_of(state, work))

    def _start(self, problem: NetworkProblem, search: Search) -> Ints:
        """The order to start from. Raises :class:`PlannerRefusal` where the file's order is wanted but not topological."""
        evaluator = problem.evaluator
        first = theorem_1_order(problem.network)
        if search.options["start"] == "given":
            import numpy as np

            given = np.arange(problem.network.connection_count, dtype=np.int32)
            broken = evaluator.violations(given)
            if broken:
                raise PlannerRefusal(
                    f"the file's order of connections cannot be used: {broken[0].sentence}; start from theorem-1"
                )
            return given
        if search.options["start"] == "best":
            valid = [evaluator.checked(s) for s in search.starts]
            valid = [s for s in valid if not evaluator.violations(s)]
            return min([*valid, first], key=lambda s: evaluator.count(s).total)
        return first


def paper_window(problem: NetworkProblem) -> int:
    """Four times the mean in-degree of the neurons that have connections into them (section VI-A1)."""
    degrees = problem.network.in_degree
    return max(1, round(4.0 * problem.network.connection_count / int((degrees > 0).sum())))
