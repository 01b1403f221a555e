"""max-load-ip: the throughput integer program, contiguous or not, with a strong heuristic before it."""

from __future__ import annotations

from typing import ClassVar

from planner.machines.pool.bounds.ip import Ip
from planner.machines.pool.max_load.search import SOLVER_OPTION, WORKERS_OPTION, MaxLoadSearch, refusal
from planner.methods.mip.mip import solver_of
from planner.options import Option
from planner.problem.problem import Problem
from planner.search.method import Planner, Source
from planner.search.search import Search


class MaxLoadIp(Planner):
    """Multilevel annealing finds plans, a solver of the integer program improves them and proves how good they are.

    The target says whether splits have to be contiguous. See :mod:`planner.machines.pool.max_load.model` for the program.
    """

    name: ClassVar[str] = "max-load-ip"
    title: ClassVar[str] = "Max-load IP"
    summary: ClassVar[str] = "multilevel annealing, then the exact integer program, contiguous or not"
    source: ClassVar[Source] = Source("device placement", "sections 5.1.3, 5.2 and 5.3 (figure 6)")
    most_unasked: ClassVar[float] = 5_000
    targets: ClassVar[frozenset[str]] = frozenset({"pool"})
    objectives: ClassVar[frozenset[str]] = frozenset({"max-load", "gpipe"})
    exact: ClassVar[bool] = True
    gives_bounds: ClassVar[bool] = True
    proves_as: ClassVar[str] = Ip.name
    options: ClassVar[tuple[Option, ...]] = (
        SOLVER_OPTION,
        Option("rounds", 4, "rounds of annealing before the solver begins", low=0, high=1_000_000),
        WORKERS_OPTION,
    )

    def refusal(self, problem: Problem) -> str | None:
        """Replication and clusters are not in the program."""
        return super().refusal(problem) or refusal(problem, self.name)

    def search(self, problem: Problem, search: Search) -> None:
        """One iteration per round; the solver's plans and bounds stream out as they come."""
        MaxLoadSearch(problem, search, self.proof_name, propose=True).run(
            solver_of(search), int(search.options["rounds"]), int(search.options["workers"])
        )
