"""The bound method that runs unasked beside every plan: it lets the machine's cheap ones prove."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, ClassVar, cast

from planner.errors import PlannerRefusal
from planner.machines.catalogue import unasked_bounds
from planner.machines.several.nested import Ended, Passing
from planner.machines.several.of_machines import OfMachines
from planner.options import Option
from planner.problem.base import PlanningProblem
from planner.problem.bound import Bound
from planner.search.method import BoundMethod, Source
from planner.search.run import run_bound
from planner.search.search import Search, Shared
from planner.search.stop import AnyOf, WorkBudget

SHARES = (3 / 4, 1 / 4)
"""What the first method may take of what is left, and what any other but the last, which has all of it."""
WALL_FOR_CPU = 8.0
"""Seconds of wall time that one of processor time may take at most: beside a window a proof steps back for everybody else."""


class Auto(BoundMethod):
    """The bound methods that the machine wants to run unasked, the cheapest first, for some seconds altogether.

    It ends when the best plan that it knows is proven, or by itself when no method has anything more to prove; where one of them was cut
    off, by its time. The first method has three quarters of the time, others a quarter of what is left, the last all of it. A bound
    names the method that proved it.
    """

    name: ClassVar[str] = "auto"
    title: ClassVar[str] = "Automatic"
    summary: ClassVar[str] = "what can be proven in a few seconds, by the methods that suit the problem"
    source: ClassVar[Source] = Source("Stageboard's own", "docs/bounds.md")
    targets: ClassVar[frozenset[str]] = cast(
        Any,
        OfMachines(lambda machine: frozenset({machine.target.kind}) if machine.unasked else frozenset()),
    )
    copes: ClassVar[frozenset[str]] = frozenset({"communication"})
    objectives: ClassVar[frozenset[str]] = cast(
        Any,
        OfMachines(lambda machine: frozenset(machine.target.objectives) if machine.unasked else frozenset()),
    )
    options: ClassVar[tuple[Option, ...]] = (
        Option("seconds", 2.0, "processor time for all methods together", low=0.0, high=1e6),
    )

    def refusal(self, problem: Any) -> str | None:
        """Why nothing is proven unasked of the problem; None where something is."""
        if unasked_bounds(problem):
            return None
        return f"no bound method runs unasked for {problem.objective} on {problem.target.in_words}"

    def prove(self, problem: PlanningProblem, search: Search) -> None:
        """Iterations are those of all methods together."""
        seconds = float(search.options["seconds"])
        budget = WorkBudget(seconds, WALL_FOR_CPU * seconds)
        methods = unasked_bounds(problem)
        cut_off = False
        for i, method in enumerate(methods):
            search.check()
            if budget.over:
                cut_off = True
                break
            told: set[int] = set()

            def news(told: set[int] = told) -> list[Bound | Shared]:
                """The best plan that was heard of, once."""
                best = search.exchange.best
                if best is None or id(best) in told:
                    return []
                told.add(id(best))
                return [best]

            stop = AnyOf([Ended(search), budget.stop(1.0 if i + 1 == len(methods) else SHARES[i > 0])])
            # Some see only now that a problem is too large for them.
            with suppress(PlannerRefusal):
                ran = run_bound(
                    method, problem, stop, Passing(method, {}, search), bounds=tuple(search.bounds), news=news
                )
                cut_off = cut_off or ran.stop_reason == "time"
        if cut_off and search.stop_reason == "finished":
            search.stop_reason = "time"
