"""The bound of the dynamic program over chains of ideals: what the best plan of a row of stages costs."""

from __future__ import annotations

from typing import ClassVar

from planner.methods.ideals.lattice import DEFAULT_LIMIT
from planner.methods.ideals.rows import RowSearch, unsuited
from planner.options import Option
from planner.problem.problem import Problem
from planner.search.method import BoundMethod, Source
from planner.search.search import Search


class ChainDp(BoundMethod):
    """The optimum over all plans (see ``docs/ideals-dp.md``)."""

    name: ClassVar[str] = "chain-dp"
    title: ClassVar[str] = "Chain DP"
    summary: ClassVar[str] = "what the best plan costs, by dynamic programming over chains of ideals"
    source: ClassVar[Source] = Source("device placement", "section 5.1.1, for the costs of MTPP, section 2.2")
    targets: ClassVar[frozenset[str]] = frozenset({"pipeline", "edge-tpu", "mcm"})
    objectives: ClassVar[frozenset[str]] = frozenset({"bottleneck", "stage-time", "chip-latency"})
    options: ClassVar[tuple[Option, ...]] = (
        Option("ideals", DEFAULT_LIMIT, "most ideals to look at; a graph with more gets no bound", low=1),
    )

    def refusal(self, problem: Problem) -> str | None:
        """Serves rows whose copied sources are kept together with no other op."""
        return super().refusal(problem) or unsuited(problem, self.name)

    def prove(self, problem: Problem, search: Search) -> None:
        """Bounds as they are proven, the optimum last."""
        RowSearch(problem, search, int(search.options["ideals"]), self.name, propose=False).run()
