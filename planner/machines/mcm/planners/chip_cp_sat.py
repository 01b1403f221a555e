"""The best plan of a multi-chip module, proven: relaxations and a constraint program."""

from __future__ import annotations

from typing import ClassVar

from planner.machines.mcm.bounds.cp_sat import CpSat
from planner.machines.mcm.exact.search import RELAX_OPTION, WORKERS_OPTION, McmSearch
from planner.options import Option
from planner.problem.problem import Problem
from planner.search.method import Planner, Source
from planner.search.search import Search


class ChipCpSat(Planner):
    """Every rule and both objectives in CP-SAT, after a relaxation that ideals solve (see ``docs/mcm-exact.md``).

    Proves infeasibility where there is no valid plan.
    """

    name: ClassVar[str] = "chip-cp-sat"
    title: ClassVar[str] = "Chips, CP-SAT"
    summary: ClassVar[str] = "exact constraint program for multi-chip modules, with bounds"
    source: ClassVar[Source] = Source("MCM paper", "section 3, equations 1 to 5")
    most_unasked: ClassVar[float] = 5_000
    targets: ClassVar[frozenset[str]] = frozenset({"mcm"})
    objectives: ClassVar[frozenset[str]] = frozenset({"chip-latency", "latency"})
    exact: ClassVar[bool] = True
    gives_bounds: ClassVar[bool] = True
    proves_as: ClassVar[str] = CpSat.name
    options: ClassVar[tuple[Option, ...]] = (RELAX_OPTION, WORKERS_OPTION)

    def search(self, problem: Problem, search: Search) -> None:
        """One iteration per solution of the program."""
        McmSearch(
            problem,
            search,
            self.proof_name,
            relax=float(search.options["relax"]),
            workers=int(search.options["workers"]),
        ).run()
