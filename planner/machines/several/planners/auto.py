"""The planner of those who name none: it lets others search, one after the other."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar, cast

from planner.errors import PlannerRefusal
from planner.machines.catalogue import own_planner
from planner.machines.several.nested import Ended, Passing
from planner.machines.several.of_machines import OfMachines
from planner.machines.trying import counted, find_plan
from planner.options import Option
from planner.problem.base import PlanningProblem
from planner.search.method import Planner, Source
from planner.search.result import Result
from planner.search.run import run
from planner.search.search import Search
from planner.search.stop import (
    AnyOf,
    Budget,
    Stop,
    WallBudget,
    WorkBudget,
)


class Auto(Planner):
    """Several planners in turn: quick ones until one has a valid plan, then the one that suits the problem best.

    Where these find nothing, others are asked. Who searches does so as if it were alone, with the seed that is given, so
    the best plan names the planner that found it, with its options, and is found again by that planner alone.

    How long that takes is counted in the planners' own iterations; a time limit only ends it earlier. With ``effort`` 0 they have all of the
    time limit. Planners that can
    neither count nor end soon (programs of a solver) are cut off after some seconds of processor time instead.
    """

    name: ClassVar[str] = "auto"
    title: ClassVar[str] = "Automatic"
    summary: ClassVar[str] = (
        "quick planners first, then the one that suits the problem; ends when the plan is proven"
    )
    source: ClassVar[Source] = Source("Stageboard's own", "docs/planners.md")
    targets: ClassVar[frozenset[str]] = cast(
        Any, OfMachines(lambda machine: frozenset({machine.target.kind}))
    )
    copes: ClassVar[frozenset[str]] = frozenset({"communication", "activations", "path"})
    objectives: ClassVar[frozenset[str]] = cast(
        Any, OfMachines(lambda machine: frozenset(machine.target.objectives))
    )
    gives_bounds: ClassVar[bool] = True
    options: ClassVar[tuple[Option, ...]] = (
        Option(
            "effort", 1.0, "times the usual work of planners that do not end by themselves; 0 = until it is stopped",
            low=0.0, high=1e6,
        ),
        Option("planner_options", "", "options of the planner that suits the problem: KEY=VALUE, separated by commas"),
    )  # fmt: skip

    def refusal(self, problem: Any) -> str | None:
        """Why no planner of the machine serves the problem; None where one does."""
        try:
            own_planner(problem)
        except PlannerRefusal as refusal:
            return str(refusal)
        return None

    def search(self, problem: PlanningProblem, search: Search) -> None:
        """Iterations are those of all planners that were tried, together."""
        effort, remaining = float(search.options["effort"]), search.remaining
        budget: Budget
        if effort > 0:
            budget = WorkBudget(times=effort)
        else:
            budget = WallBudget(remaining) if math.isfinite(remaining) else Budget()

        def runner(planner: Planner, stop: Stop, options: Mapping[str, Any]) -> Result:
            within: list[Stop] = [Ended(search), stop]
            if effort > 0:
                within.append(counted(planner, problem, effort))
            passing = Passing(planner, options, search)
            result = run(
                planner, problem, AnyOf(within), passing, search.seed, options, search.starts,
                tuple(search.bounds),
            )  # fmt: skip
            search.message = result.message or search.message
            return result

        tried = find_plan(
            problem,
            budget,
            stop=Ended(search),
            options=_own(str(search.options["planner_options"])),
            runner=runner,
        )
        search.tries += tried.tries
        if tried.result.complete:
            search.complete()
        if tried.stop_reason == "time" and search.stop_reason == "finished":
            search.stop_reason = "time"


def packed(options: Mapping[str, str]) -> dict[str, str]:
    """Options given to ``auto``, those that it does not know itself packed into ``planner_options``."""
    known = {option.name for option in Auto.options}
    others = [f"{key}={value}" for key, value in options.items() if key not in known]
    mine = {key: value for key, value in options.items() if key in known}
    return (
        {**mine, "planner_options": ",".join(filter(None, [mine.get("planner_options", ""), *others]))}
        if others
        else mine
    )


def _own(text: str) -> dict[str, str]:
    """The options in ``planner_options``. Raises :class:`PlannerRefusal` where it is not made of KEY=VALUE."""
    options = {}
    for part in filter(None, text.split(",")):
        key, equals, value = part.partition("=")
        if not equals or not key.strip():
            raise PlannerRefusal(
                f"option 'planner_options' has '{part}', which is not KEY=VALUE; write orders=50 or the like"
            )
        options[key.strip()] = value.strip()
    return options
