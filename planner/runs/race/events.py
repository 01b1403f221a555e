"""What happens in a race, as whoever polls it is told. ``index`` is the entrant's; seconds are those of the race."""

from __future__ import annotations

from dataclasses import dataclass

from planner.model.graph import Ints
from planner.problem.bound import Bound


@dataclass(frozen=True)
class Started:
    """An entrant has got a process."""

    index: int


@dataclass(frozen=True)
class Paused:
    """An entrant waits while others have their turn."""

    index: int


@dataclass(frozen=True)
class Resumed:
    """An entrant goes on."""

    index: int


@dataclass(frozen=True, eq=False)
class Better:
    """An entrant found a plan of its own that is better than its best before."""

    index: int
    decision: Ints
    components: tuple[float, ...]
    seconds: float


@dataclass(frozen=True, eq=False)
class Proven:
    """An entrant proved a bound."""

    index: int
    bound: Bound
    seconds: float


@dataclass(frozen=True)
class Adopted:
    """An entrant took over a better plan of the entrant ``by`` (-1: one that the race was given)."""

    index: int
    by: int
    iteration: int
    seconds: float


@dataclass(frozen=True)
class Progressed:
    """An entrant says how far it is."""

    index: int


@dataclass(frozen=True)
class Finished:
    """An entrant is over; its standing says how."""

    index: int


@dataclass(frozen=True)
class Refused:
    """An entrant does not serve the problem."""

    index: int
    reason: str


@dataclass(frozen=True)
class RaceEnded:
    """The race is over and no process is left. ``index`` is who found the best plan, -1 where nobody did."""

    index: int
    outcome: str
    sentence: str


Event = Started | Paused | Resumed | Better | Proven | Adopted | Progressed | Finished | Refused | RaceEnded
