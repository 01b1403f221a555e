"""The best plan of a multi-chip module, proven: relaxations and a constraint program."""

from __future__ import annotations

from typing import ClassVar

from planner.partition.chip_model_search import RELAX_OPTION, WORKERS_OPTION, ChipSearch
from planner.problem import Problem
from planner.search import Option, Planner, Search, Source


class ChipCpSat(Planner):
    """Every rule and both objectives in CP-SAT, after a relaxation that ideals solve (see ``docs/mcm-exact.md``).

    Proves infeasibility where there is no valid plan.
    """

    name: ClassVar[str] = "chip-cp-sat"
    title: ClassVar[str] = "Chips, CP-SAT"
    summary: ClassVar[str] = "exact constraint program for multi-chip modules, with bounds"
    source: ClassVar[Source] = Source("MCM paper", "section 3, equations 1 to 5")
    targets: ClassVar[frozenset[str]] = frozenset({"mcm"})
    objectives: ClassVar[frozenset[str]] = frozenset({"chip-latency", "latency"})
    exact: ClassVar[bool] = True
    gives_bounds: ClassVar[bool] = True
    options: ClassVar[tuple[Option, ...]] = (RELAX_OPTION, WORKERS_OPTION)

    def search(self, problem: Problem, search: Search) -> None:
        """One iteration per solution of the program."""
        ChipSearch(
            problem,
            search,
            self.name,
            relax=float(search.options["relax"]),
            workers=int(search.options["workers"]),
        ).run()
