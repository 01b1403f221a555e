"""Who takes part: all that serve a problem, and a good field where nobody chose one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from planner.errors import PlannerRefusal
from planner.problem.base import PlanningProblem
from planner.problem.provenance import Entrant

MOST_PLANNERS = 5
"""Planners of a good field: more of them only take time from one another."""
LEAST_PLANNERS = 3
"""Planners of the smallest field, the first of them exact where one serves: with little time that is who may end the race."""
LEAST_SECONDS = 4.0
"""Of a processor for each entrant of a good field: with less, an entrant ends before it has found its feet."""

QUICK = (
    "theorem-1", "locality", "chip-greedy", "edge-tpu-balanced", "edge-tpu-profiled", "dpl", "memory-fill", "slice",
)  # fmt: skip
"""Done in a moment, and a plan for the others to start from: at most two of them, in this order."""
SEARCHING = (
    "order-portfolio", "connection-reordering", "chip-local-search", "chip-anneal", "anneal", "local-search", "brkga",
    "slice-random", "pipedream",
)  # fmt: skip
"""They search for as long as they may, each in its own way: at most three."""
EXACT = (
    "ideals-dp", "latency-ip", "max-load-ip", "edge-tpu-ilp", "chip-cp-sat", "chain-dp", "edge-tpu-fastest", "blocks",
    "mtpp-cp-sat",
)  # fmt: skip
"""They end with a proof: at most two."""
BOUNDS = ("exact", "two-superblock", "critical-path", "ip", "simple", "theorem-1")
"""Bound methods: the first that serves and does not do what an exact planner of the field does anyway."""
SAME = {"ip": "max-load-ip", "critical-path": "latency-ip"}


class Serving(NamedTuple):
    """Names of the planners and the bound methods that serve a problem, in the catalogue's order."""

    planners: tuple[str, ...]
    bounds: tuple[str, ...]


def serving(problem: PlanningProblem) -> Serving:
    """Who could take part. The ``expert`` planner, which reads a file, is not among them."""
    from planner.machines.catalogue import methods_about

    plans, proofs = methods_about(problem)
    return Serving(
        tuple(p.name for p in plans if p.name != "expert" and p.refusal(problem) is None),
        tuple(b.name for b in proofs if b.refusal(problem) is None),
    )


def is_quick(entrant: Entrant) -> bool:
    """Whether it is done in a moment, and finds a plan for the others to start from."""
    return not entrant.is_bound and entrant.method in QUICK


def room(cores: int, time_limit: float | None) -> int:
    """Planners of a good field: as many as get enough of so short a time, at least one of each kind: exact, quick, searching."""
    if time_limit is None:
        return MOST_PLANNERS
    # One share is the bound method's.
    return max(LEAST_PLANNERS, min(MOST_PLANNERS, int(max(1, cores) * time_limit / LEAST_SECONDS) - 1))


def good_field(
    problem: PlanningProblem, seed: int = 0, cores: int = 1, time_limit: float | None = None
) -> tuple[Entrant, ...]:
    """A field for the problem: something quick, searches of different kinds, an exact method and a bound method.

    Fewer of them where ``time_limit`` (seconds) is short for ``cores``.
    """
    found = serving(problem)
    quick, exact, searching = (
        [name for name in names if name in found.planners] for names in (QUICK, EXACT, SEARCHING)
    )
    # What gives way first is last: a second quick one, for whoever searches begins with something like it. Who ends with a
    # proof never gives way: it may end the race in a moment.
    wanted = [
        *exact[:1], *quick[:1], *searching[:1], *searching[1:2], *exact[1:2], *searching[2:3], *quick[1:2]
    ]  # fmt: skip
    wanted = wanted[: room(cores, time_limit)]
    chosen = [name for names in (quick, exact, searching) for name in names if name in wanted]
    bounds = [name for name in BOUNDS if name in found.bounds and SAME.get(name) not in chosen]
    # The exact program of a pipeline takes long, but of a stage time it closes the gap in about a second.
    if problem.objective != "stage-time" and "exact" in bounds:
        bounds.remove("exact")
    return (
        *(Entrant(name, seed=seed) for name in chosen),
        *(Entrant(name, is_bound=True, seed=seed) for name in bounds[:1]),
    )


def named(entrants: Sequence[Entrant]) -> tuple[Entrant, ...]:
    """The entrants with names that are unique: "anneal", "anneal 2". Raises :class:`PlannerRefusal` for an empty field."""
    if not entrants:
        raise PlannerRefusal("a race needs at least one planner or bound method")
    out: list[Entrant] = []
    taken: set[str] = set()
    for entrant in entrants:
        wanted = entrant.name or (f"{entrant.method} (bound)" if entrant.is_bound else entrant.method)
        name, count = wanted, 1
        while name in taken:
            count += 1
            name = f"{wanted} {count}"
        taken.add(name)
        out.append(replace(entrant, name=name))
    return tuple(out)
