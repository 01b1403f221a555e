"""The dual bound of the throughput integer program."""

from __future__ import annotations

from typing import ClassVar

from planner.partition.max_load_search import SOLVER_OPTION, WORKERS_OPTION, MaxLoadSearch, refusal
from planner.problem import Problem
from planner.search import BoundMethod, Option, Search, Source


class Ip(BoundMethod):
    """What a solver proves about the integer program of :mod:`planner.partition.max_load_model`.

    Contiguous splits are modelled exactly, with order variables. A plan that the heuristic finds serves as a cutoff.
    """

    name: ClassVar[str] = "ip"
    title: ClassVar[str] = "Integer program"
    summary: ClassVar[str] = "dual bound of the exact integer program, contiguous or not"
    source: ClassVar[Source] = Source("device placement", "sections 5.1.3, 5.2 and 5.3 (figure 6)")
    targets: ClassVar[frozenset[str]] = frozenset({"pool"})
    objectives: ClassVar[frozenset[str]] = frozenset({"max-load", "gpipe"})
    options: ClassVar[tuple[Option, ...]] = (SOLVER_OPTION, WORKERS_OPTION)

    def refusal(self, problem: Problem) -> str | None:
        """Replication and clusters are not in the program."""
        return super().refusal(problem) or refusal(problem, self.name)

    def prove(self, problem: Problem, search: Search) -> None:
        """Bounds as the solver proves them."""
        MaxLoadSearch(problem, search, self.name, propose=False).run(
            str(search.options["solver"]), 2, int(search.options["workers"])
        )
