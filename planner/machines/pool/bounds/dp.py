"""The bound of the exact dynamic program over ideals: what the best contiguous plan costs."""

from __future__ import annotations

from typing import ClassVar

from planner.machines.pool.ideals.solver import IdealsSearch
from planner.methods.ideals.lattice import DEFAULT_LIMIT
from planner.options import Option
from planner.problem.problem import Problem
from planner.search.method import BoundMethod, Source
from planner.search.search import Search


class Dp(BoundMethod):
    """The optimum over contiguous plans, or of a relaxation of them (see ``docs/ideals-dp.md``)."""

    name: ClassVar[str] = "dp"
    title: ClassVar[str] = "Ideals DP"
    summary: ClassVar[str] = "what the best contiguous plan costs, by dynamic programming over ideals"
    source: ClassVar[Source] = Source("device placement", "section 5.1.1")
    targets: ClassVar[frozenset[str]] = frozenset({"pool"})
    objectives: ClassVar[frozenset[str]] = frozenset({"max-load", "gpipe"})
    options: ClassVar[tuple[Option, ...]] = (
        Option("ideals", DEFAULT_LIMIT, "most ideals to look at; a graph with more gets no bound", low=1),
    )

    def refusal(self, problem: Problem) -> str | None:
        """Serves contiguous pools only."""
        reason = super().refusal(problem)
        if reason is None and not problem.target.contiguous:  # type: ignore[attr-defined]
            return f"'{self.name}' bounds contiguous splits; the target allows others (contiguous=false)"
        return reason

    def prove(self, problem: Problem, search: Search) -> None:
        """Bounds as they are proven, the optimum last."""
        limit = int(search.options["ideals"])
        IdealsSearch(problem, search, limit, self.name, propose=False, near=False).run()
