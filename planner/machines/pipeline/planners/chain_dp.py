"""Chain DP: the best plan of a row of stages, by dynamic programming over chains of ideals."""

from __future__ import annotations

from typing import ClassVar

from planner.methods.ideals.lattice import DEFAULT_LIMIT
from planner.methods.ideals.rows import RowSearch, unsuited
from planner.options import Option
from planner.problem.problem import Problem
from planner.search.method import Planner, Source
from planner.search.search import Search


class ChainDp(Planner):
    """The best plan, with the proof that none is better (see ``docs/ideals-dp.md``).

    Starts from the best slicing of the depth-first order. Where the graph has more ideals than the option allows, it searches
    those near that order and proves nothing.
    """

    name: ClassVar[str] = "chain-dp"
    title: ClassVar[str] = "Chain DP"
    summary: ClassVar[str] = "exact dynamic program over chains of ideals: the best plan, proven"
    source: ClassVar[Source] = Source("device placement", "section 5.1.1, for the costs of MTPP, section 2.2")
    targets: ClassVar[frozenset[str]] = frozenset({"pipeline", "edge-tpu", "mcm"})
    objectives: ClassVar[frozenset[str]] = frozenset({"bottleneck", "stage-time", "chip-latency"})
    exact: ClassVar[bool] = True
    gives_bounds: ClassVar[bool] = True
    options: ClassVar[tuple[Option, ...]] = (
        Option(
            "ideals",
            DEFAULT_LIMIT,
            "most ideals to look at; a graph with more is searched near one order",
            low=1,
        ),
        Option("near", True, "whether a graph with more ideals is searched near one order at all"),
    )

    def refusal(self, problem: Problem) -> str | None:
        """Serves rows whose copied sources are kept together with no other op."""
        return super().refusal(problem) or unsuited(problem, self.name)

    def search(self, problem: Problem, search: Search) -> None:
        """Plans, then proof."""
        near = bool(search.options["near"])
        RowSearch(problem, search, int(search.options["ideals"]), self.name, propose=True, near=near).run()
