"""How each entrant of a race stands: its own finds and proofs, and what it has from others."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from planner.model.graph import Ints
from planner.problem.bound import Bound, better
from planner.problem.provenance import Adoption, Entrant, Origin
from planner.runs.messages import Incumbent

ENDINGS = ("proven", "finished", "time", "gap", "iterations", "cancelled", "refused", "failed")
"""How an entrant may end; "proven": with the best plan of the race proven, by whomever."""
MOST_POINTS = 4_000
"""Points that a history keeps; of more, every other one in its middle is dropped."""


@dataclass(frozen=True)
class Taken:
    """A plan that an entrant took over at a moment of the race from the entrant ``by`` (-1: one that the race was given)."""

    seconds: float
    iteration: int
    by: int


@dataclass(frozen=True, eq=False)
class Best:
    """The best plan of a race: who found it (an entrant's index, -1: it was given), and when."""

    decision: Ints
    components: tuple[float, ...]
    by: int
    seconds: float


@dataclass(eq=False)
class Standing:
    """One line of the leaderboard. To be read only; the race keeps it up to date.

    ``decision``, ``components``, ``history`` and ``time_to_best`` tell of the entrant's own finds alone, never of a plan
    that it was given or took over. ``warmed_by`` are the entrants (-1: the plan that the race was given) whose plans it has
    used. Seconds are those of the race; ``active`` is for how long it had a process that was not held.
    """

    index: int
    entrant: Entrant
    title: str
    threads: int = 1
    state: str = "queued"
    """``queued``, ``running``, ``paused``, ``stopping`` or ``ended``."""
    ending: str = ""
    """One of :data:`ENDINGS` once it has ended."""
    reason: str = ""
    """A sentence on why it was refused or failed, or what else is to be said of its run."""
    detail: str = ""
    """What a log wants to know of a failure."""
    decision: Ints | None = None
    components: tuple[float, ...] | None = None
    history: list[tuple[float, float]] = field(default_factory=list)
    time_to_best: float | None = None
    bound: Bound | None = None
    bound_history: list[tuple[float, float]] = field(default_factory=list)
    iterations: int = 0
    fraction: float | None = None
    text: str = ""
    active: float = 0.0
    warmed_by: tuple[int, ...] = ()
    adopted: list[Taken] = field(default_factory=list)
    # What its provenance needs.
    starts: tuple[Ints, ...] = ()
    starts_by: tuple[int, ...] = ()
    given_bounds: tuple[Bound, ...] = ()
    adoptions: list[Adoption] = field(default_factory=list)
    found_at: int | None = None
    """Iterations it had counted when it found its best plan."""
    found_after: float = 0.0
    """Seconds that it had searched by then, without those for which it was held."""
    found_adoptions: int = 0
    """How many plans it had taken over by then."""
    found_warm: bool = False
    found_by: Origin | None = None
    """The run that found it, where the entrant lets others search."""

    @property
    def name(self) -> str:
        """The entrant's name, unique in its race."""
        return self.entrant.name

    @property
    def objective(self) -> float | None:
        """The first component of its best own plan."""
        return None if self.components is None else self.components[0]

    @property
    def alive(self) -> bool:
        """Whether the entrant waits or runs."""
        return self.state != "ended"

    def take(self, message: Incumbent, seconds: float, searched: float) -> bool:
        """Take in a plan, found after ``seconds`` of the race and ``searched`` seconds of work; returns whether it is the entrant's own and
        better than its best before."""
        self.iterations = max(self.iterations, message.iteration)
        if message.warm and self.starts and not self.adoptions:
            self._warm(self.starts_by[0])
        if message.by or not better(message.components, self.components):
            return False
        self.decision, self.components = message.device_of, message.components
        self.time_to_best = seconds
        # Its own clock goes on while it is held, ours until its message is read.
        self.found_at, self.found_after = message.iteration, min(message.seconds, searched)
        self.found_adoptions, self.found_warm = len(self.adoptions), message.warm
        self.found_by = message.origin
        add_point(self.history, seconds, message.components[0])
        return True

    def adopt(self, adoption: Adoption, by: int, seconds: float) -> None:
        """Take note that the entrant took over a plan."""
        self.adoptions.append(adoption)
        self.adopted.append(Taken(seconds, adoption.iteration, by))
        self._warm(by)

    def prove(self, bound: Bound, component: str, seconds: float) -> None:
        """Take note of a bound that the entrant proved."""
        if (
            bound.component == component
            and not bound.given
            and (self.bound is None or bound.value > self.bound.value)
        ):
            self.bound = bound
            add_point(self.bound_history, seconds, bound.value)

    def end(self, ending: str, reason: str = "", detail: str = "") -> None:
        """Take note of how the entrant ended."""
        self.state, self.ending = "ended", ending
        self.reason, self.detail = reason, detail

    def _warm(self, by: int) -> None:
        if by not in self.warmed_by:
            self.warmed_by = (*self.warmed_by, by)


def add_point(history: list[tuple[float, float]], seconds: float, value: float) -> None:
    """Add a point to a history, which stays small enough to be drawn."""
    history.append((seconds, value))
    if len(history) > MOST_POINTS:
        history[:] = history[:1] + history[1:-1:2] + history[-1:]


class Reached(Protocol):
    """What a race has reached (:class:`planner.runs.race.race.Race`), as reports and provenances tell of it."""

    problem: Any
    cores: int
    gap_wanted: float | None
    time_limit: float | None
    standings: tuple[Standing, ...]
    bounds: list[Bound]
    best: Best | None
    gap: float | None
    proved_by: int
    outcome: str

    @property
    def seconds(self) -> float:
        """Since the start; once it has ended, how long it took."""

    @property
    def bound(self) -> Bound | None:
        """The strongest bound on the first component, by whomever."""
