"""Ideals DP: the exact dynamic program of device placement over the ideals of the contracted graph."""

from __future__ import annotations

from typing import ClassVar

from planner.machines.pool.bounds.dp import Dp
from planner.machines.pool.ideals.solver import IdealsSearch
from planner.methods.ideals.lattice import DEFAULT_LIMIT
from planner.options import Option
from planner.problem.problem import Problem
from planner.search.method import Planner, Source
from planner.search.search import Search

LIMIT = Option(
    "ideals", DEFAULT_LIMIT, "most ideals to look at; a graph with more is searched near one order", low=1
)


class IdealsDp(Planner):
    """The best contiguous plan, with the proof that none is better (see ``docs/ideals-dp.md``).

    Starts from DPL's plan. Where the graph has more ideals than the option allows, it searches those near one order
    and proves nothing.
    """

    name: ClassVar[str] = "ideals-dp"
    title: ClassVar[str] = "Ideals DP"
    summary: ClassVar[str] = "exact dynamic program over ideals: the best contiguous plan, proven"
    source: ClassVar[Source] = Source("device placement", "sections 5.1.1 and 5.3, appendices B and C")
    targets: ClassVar[frozenset[str]] = frozenset({"pool"})
    objectives: ClassVar[frozenset[str]] = frozenset({"max-load", "gpipe"})
    exact: ClassVar[bool] = True
    gives_bounds: ClassVar[bool] = True
    proves_as: ClassVar[str] = Dp.name
    options: ClassVar[tuple[Option, ...]] = (
        LIMIT,
        Option("near", True, "whether a graph with more ideals is searched near one order at all"),
    )

    def refusal(self, problem: Problem) -> str | None:
        """Serves contiguous pools only."""
        reason = super().refusal(problem)
        if reason is None and not problem.target.contiguous:  # type: ignore[attr-defined]
            return f"'{self.name}' plans contiguous splits; the target allows others (contiguous=false)"
        return reason

    def search(self, problem: Problem, search: Search) -> None:
        """Plans, then proof."""
        limit, near = int(search.options["ideals"]), bool(search.options["near"])
        IdealsSearch(problem, search, limit, self.proof_name, propose=True, near=near).run()
