"""What a worker is asked to do, and what it says while it works: plain values that go through a pipe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from planner.model.graph import Ints
from planner.problem.bound import Bound
from planner.problem.provenance import Adoption, Again, Origin
from planner.search.result import Result


@dataclass(frozen=True)
class Order:
    """What a worker is asked to do: a planner or a bound method by name, on a problem."""

    method: str
    problem: Any
    is_bound: bool = False
    seed: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)
    time_limit: float | None = None
    gap: float | None = None
    iterations: int | None = None
    starts: Sequence[Ints] = ()
    bounds: Sequence[Bound] = ()
    again: Again | None = None
    """An earlier run that is to be repeated; None: take over what others find as it comes."""
    quick: bool = False
    """Whether quick planners make a first valid plan where there is none to start from. The planner itself does not see it."""


@dataclass(frozen=True, eq=False)
class Begun:
    """The process has imported what it needs, and the run begins."""


@dataclass(frozen=True, eq=False)
class Incumbent:
    """A better valid plan. ``by`` and ``warm`` as in :class:`planner.search.stop.Progress`: whether it is the planner's own.

    ``origin`` is the run of another planner that found it: of a quick planner, or of one that the order's let search.
    """

    device_of: Ints
    objective: float
    seconds: float
    components: tuple[float, ...] = ()
    iteration: int = 0
    by: str = ""
    warm: bool = False
    origin: Origin | None = None


@dataclass(frozen=True, eq=False)
class Adopted:
    """A better plan that was found elsewhere was taken over."""

    adoption: Adoption
    seconds: float


@dataclass(frozen=True, eq=False)
class Proven:
    """A stronger bound."""

    bound: Bound
    seconds: float


@dataclass(frozen=True)
class Told:
    """Progress between 0 and 1 (None = unknown)."""

    fraction: float | None
    text: str
    seconds: float
    iterations: int


@dataclass(frozen=True)
class Compiling:
    """The run's process compiles what it needs, or waits for another that does (``now``); or does so no longer."""

    now: bool


@dataclass(frozen=True, eq=False)
class Ended:
    """The run is over. ``compiling``: seconds in which its process compiled, or waited for others that did."""

    result: Result
    compiling: float = 0.0


@dataclass(frozen=True)
class Failed:
    """The run could not be done; ``sentence`` is for a person, ``detail`` for a log."""

    sentence: str
    detail: str = ""


Message = Begun | Incumbent | Adopted | Proven | Told | Compiling | Ended | Failed
