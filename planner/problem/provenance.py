"""Where a plan came from: who found it, and everything that is needed to find it again."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from planner import __version__
from planner.model.graph import Ints
from planner.problem.bound import Bound

HAND = "hand"
"""What is in the place of a planner where somebody made the plan by hand."""


@dataclass(frozen=True, eq=False)
class Adoption:
    """A plan that a search took over from elsewhere.

    ``look`` counts the search's looks for such plans from 0: the same planner with the same seed looks at the same
    places of its course, so that the look says where the plan came in. ``iteration`` is how many iterations it had counted
    by then, ``decision`` the plan (int32[n], or int32[W] for an order), ``by`` the name of who found it.
    """

    look: int
    iteration: int
    decision: Ints
    by: str = ""


@dataclass(frozen=True, eq=False)
class Origin:
    """The run that a plan comes from where one planner lets others search: enough to repeat that run alone.

    ``iteration`` is what the run had counted when it found the plan; ``starts`` and ``bounds`` are what it was given.
    """

    planner: str
    options: Mapping[str, Any]
    seed: int
    iteration: int | None = None
    starts: tuple[Ints, ...] = ()
    bounds: tuple[Bound, ...] = ()


@dataclass(frozen=True, eq=False)
class Again:
    """An earlier run that is repeated: what it took over, and how many iterations it had counted when it found its plan."""

    adopted: tuple[Adoption, ...] = ()
    iteration: int | None = None


@dataclass(frozen=True)
class Entrant:
    """A planner or a bound method in a race. ``name`` tells two entrants of one method apart (given by the race if empty)."""

    method: str
    is_bound: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    name: str = ""


@dataclass(frozen=True)
class RaceRecord:
    """The race that a plan was found in: all entrants, which of them found it, and what the race was given."""

    entrants: tuple[Entrant, ...]
    finder: int
    cores: int = 1
    gap: float | None = None
    time_limit: float | None = None


@dataclass(frozen=True)
class Provenance:
    """Where a plan came from: enough to run it again (:mod:`planner.runs.replay`).

    ``options`` holds every value where a search ran. ``starts`` and ``bounds`` are what the search was given, ``adopted`` the
    plans of others that it took over before it found this one, ``iteration`` what it had counted by then (None where
    that is not known: nothing searched, or an older Stageboard wrote it), and ``race`` where it took part in one.
    """

    planner: str
    options: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None
    version: str = ""
    seconds: float = 0.0
    stop_reason: str = ""
    created: str = ""
    note: str = ""
    iteration: int | None = None
    starts: tuple[Ints, ...] = field(default=(), compare=False)
    adopted: tuple[Adoption, ...] = field(default=(), compare=False)
    bounds: tuple[Bound, ...] = field(default=(), compare=False)
    race: RaceRecord | None = None
    time_limit: float | None = None
    """Seconds that the search was given; None without a limit: one that ended by ``time`` has done its usual work."""


def same_author(one: Provenance, other: Provenance) -> bool:
    """Whether two plans come from one planner with one seed, or from a person, as far as is known."""
    return (one.planner, one.seed) == (other.planner, other.seed)


def provenance_of(
    origin: Origin,
    seconds: float,
    stop_reason: str,
    adopted: tuple[Adoption, ...] = (),
    race: RaceRecord | None = None,
    time_limit: float | None = None,
) -> Provenance:
    """Where a plan comes from that was found just now, by this version, in the run ``origin``."""
    return Provenance(
        planner=origin.planner,
        options=dict(origin.options),
        seed=origin.seed,
        version=__version__,
        seconds=seconds,
        stop_reason=stop_reason,
        created=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        iteration=origin.iteration,
        starts=origin.starts,
        adopted=adopted,
        bounds=origin.bounds,
        race=race,
        time_limit=time_limit,
    )
