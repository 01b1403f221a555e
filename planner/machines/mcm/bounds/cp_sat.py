"""What CP-SAT proves about a multi-chip module under all its rules."""

from __future__ import annotations

from typing import ClassVar

from planner.machines.mcm.exact.search import RELAX_OPTION, WORKERS_OPTION, McmSearch
from planner.options import Option
from planner.problem.bound import Bound
from planner.problem.problem import Problem
from planner.search.method import BoundMethod, Source
from planner.search.search import Callbacks, Search
from planner.search.stop import Cancel, Progress


class CpSat(BoundMethod):
    """The dual bound of the constraint program that the planner ``chip-cp-sat`` solves, without its plans."""

    name: ClassVar[str] = "cp-sat"
    title: ClassVar[str] = "Chips, CP-SAT"
    summary: ClassVar[str] = "dual bound of the exact constraint program for multi-chip modules"
    source: ClassVar[Source] = Source("MCM paper", "section 3, equations 1 to 5")
    targets: ClassVar[frozenset[str]] = frozenset({"mcm"})
    objectives: ClassVar[frozenset[str]] = frozenset({"chip-latency", "latency"})
    options: ClassVar[tuple[Option, ...]] = (RELAX_OPTION, WORKERS_OPTION)

    def prove(self, problem: Problem, search: Search) -> None:
        """Bounds as they come; plans are kept to oneself, as cutoffs."""
        own = Search(
            problem,
            Cancel(search.stopped),
            _Bounds(search),
            search.seed,
            search.options,
            bounds=search.bounds,
        )
        McmSearch(
            problem,
            own,
            self.name,
            relax=float(search.options["relax"]),
            workers=int(search.options["workers"]),
        ).run()


class _Bounds(Callbacks):
    """Passes on what is proven."""

    def __init__(self, search: Search) -> None:
        self._search = search

    def on_bound(self, bound: Bound, progress: Progress) -> None:
        """A stronger bound."""
        self._search.prove(bound)

    def on_progress(self, fraction: float | None, text: str, progress: Progress) -> None:
        """How far it is."""
        self._search.progress(fraction, text)
