"""A race whose entrants say what the test tells them to, in the place of the engine and its processes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from planner.problem.bound import Bound
from planner.problem.provenance import Provenance
from planner.runs.race import (
    Adopted,
    Better,
    Entrant,
    Event,
    Finished,
    Proven,
    RaceEnded,
    Standing,
    Started,
    Taken,
)

TITLES = ("Annealing", "Slice", "Dynamic program", "Simple")


class FakeRace:
    """What :class:`gui.tools.search.race.racing.Racing` asks of the engine."""

    made: ClassVar[list[FakeRace]] = []

    def __init__(
        self, problem: Any, entrants: Sequence[Entrant], cores: int = 1, gap: float | None = None,
        time_limit: float | None = None, starts: Sequence[np.ndarray] = (), bounds: Sequence[Bound] = (),
    ) -> None:  # fmt: skip
        self.problem, self.cores, self.gap_wanted, self.time_limit = problem, cores, gap, time_limit
        self.starts, self.bounds = starts, bounds
        self.standings = tuple(
            Standing(i, entrant, TITLES[i % len(TITLES)]) for i, entrant in enumerate(entrants)
        )
        self.seconds = 0.0
        self.inbox: list[Event] = []
        self.cancelled = self.closed = False
        self.stopped: list[int] = []
        FakeRace.made.append(self)

    def start(self) -> None:
        for standing in self.standings[: self.cores]:
            standing.state = "running"

    def poll(self, timeout: float = 0.0, limit: int = 64) -> list[Event]:
        said, self.inbox = self.inbox, []
        return said

    def cancel(self) -> None:
        self.cancelled = True
        for standing in self.standings:
            if standing.alive:
                standing.state = "stopping"

    def stop(self, index: int) -> None:
        self.stopped.append(index)

    def close(self) -> None:
        self.closed = True

    def provenance(self, index: int) -> Provenance:
        standing = self.standings[index]
        return Provenance(
            standing.entrant.method, seed=standing.entrant.seed, iteration=7, stop_reason=standing.ending
        )

    # ------------------------------------------------------------------ what happens
    def begins(self, index: int) -> None:
        self.standings[index].state = "running"
        self.inbox.append(Started(index))

    def finds(self, index: int, decision: np.ndarray, seconds: float = 1.0, searched: float = 0.25) -> None:
        components = tuple(self.problem.evaluator.components(decision))
        standing = self.standings[index]
        standing.decision, standing.components, standing.time_to_best = decision, components, seconds
        standing.found_after = searched
        standing.history.append((seconds, components[0]))
        self.seconds = max(self.seconds, seconds)
        self.inbox.append(Better(index, decision, components, seconds))

    def proves(self, index: int, value: float, seconds: float = 1.0) -> Bound:
        problem = self.problem
        bound = Bound(problem.components[0], value, self.standings[index].entrant.method, problem.relaxation)
        self.standings[index].prove(bound, problem.components[0], seconds)
        self.seconds = max(self.seconds, seconds)
        self.inbox.append(Proven(index, bound, seconds))
        return bound

    def adopts(self, index: int, by: int) -> None:
        self.standings[index].adopted.append(Taken(self.seconds, 1, by))
        self.standings[index].warmed_by += (by,)
        self.inbox.append(Adopted(index, by, 1, self.seconds))

    def finishes(self, index: int, ending: str = "finished", reason: str = "") -> None:
        self.standings[index].end(ending, reason)
        self.inbox.append(Finished(index))

    def ends(self, outcome: str = "finished") -> None:
        for standing in self.standings:
            if standing.alive:
                standing.end(outcome if outcome in ("gap", "time", "proven") else "cancelled")
        self.inbox.append(RaceEnded(-1, outcome, "over"))
