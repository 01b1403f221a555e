"""The result of a run, and what its gap says where the search is complete but for a solver's precision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from planner.model.graph import Ints
from planner.problem.bound import Bound
from planner.problem.provenance import Adoption, Origin

# ---------------------------------------------------------------------- options


@dataclass(frozen=True)
class Try:
    """One planner's turn: how it ended, and the first component of its best plan, None without a plan."""

    planner: str
    status: str
    stop_reason: str
    seconds: float
    objective: float | None

    def to_dict(self) -> dict[str, Any]:
        """The fields, ready for JSON."""
        return {
            "planner": self.planner,
            "status": self.status,
            "stop_reason": self.stop_reason,
            "seconds": self.seconds,
            "objective": self.objective,
        }


@dataclass(frozen=True, eq=False)
class Own:
    """The best valid plan that a search found itself (int32[n], or int32[W]) where one that it began with is better.

    ``iteration`` and ``seconds`` say when it came, ``origin`` whose run found it where the search lets others search.
    """

    decision: Ints
    components: tuple[float, ...]
    iteration: int
    seconds: float
    origin: Origin | None = None


@dataclass(frozen=True, eq=False)
class Result:
    """How a run ended. ``status``: optimal (a bound proves it), feasible, infeasible (proven), or no_plan.

    ``device_of`` is the best plan's decision, None without one: the device of each op (int32[n]), or where a network was
    planned the order of its connections (int32[W]). ``best_iteration`` is how many iterations had been counted when it was found,
    ``found_by`` who found it: "" the planner itself, "start" whoever gave it, else the name of who did. ``starts`` and ``given_bounds``
    are what the run was given, ``adopted`` the plans that it took over on its way. ``complete``: every better plan was excluded,
    up to a solver's precision (:mod:`planner.search.result`). ``origin`` is the run of another planner that found the plan, and ``tries`` are all
    such runs, where the planner lets others search. ``time_limit``: the seconds that it was given, None without a limit: where ``stop_reason`` is
    ``time`` all the same, what planners do unasked was used up. ``message``: what else a person should know of the run, a
    sentence without its end, or "".
    """

    planner: str
    problem: Any
    device_of: Ints | None
    objective: float | None
    bounds: tuple[Bound, ...]
    status: str
    stop_reason: str
    seconds: float
    seed: int
    options: Mapping[str, Any]
    iterations: int
    history: tuple[tuple[float, str, float], ...] = field(default=())
    message: str = ""
    components: tuple[float, ...] | None = None
    best_iteration: int | None = None
    found_by: str = ""
    starts: tuple[Ints, ...] = ()
    adopted: tuple[Adoption, ...] = ()
    given_bounds: tuple[Bound, ...] = ()
    complete: bool = False
    origin: Origin | None = None
    tries: tuple[Try, ...] = ()
    time_limit: float | None = None
    own: Own | None = None
    """Its best plan of its own where it keeps one that it was given; None where it found none."""
    met: bool = False
    """Whether it came by itself to a plan as good as the one that it was given and keeps, or excluded all that are better."""

    @property
    def order(self) -> Ints | None:
        """The best order of a network's connections (int32[W]); None without one, or where a graph was planned."""
        return self.device_of if self.problem.target.plans_networks else None


MOST = 1e-4
"""Larger gaps are not put down to precision, whatever a solver says."""


def precision_words(result: Result) -> str:
    """``search complete: optimal within the solver's precision (gap 2e-06)``, empty where there is no such thing to say.

    For plans that no bound proves to be the best though the search has excluded every better one: ``status`` stays
    ``feasible``, as the solver's word is not exact.
    """
    if not result.complete or result.status != "feasible" or result.components is None:
        return ""
    gap = result.problem.standing(result.components, result.bounds).gap
    if gap is None or gap > MOST:
        return ""
    return f"search complete: optimal within the solver's precision (gap {gap:.1g})"
