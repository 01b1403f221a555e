"""One entrant at work: its process, its clock, and what still has to be told to it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from multiprocessing.connection import Connection

from planner.problem.bound import Bound, better
from planner.runs.messages import Message, Order
from planner.runs.race.standing import Standing
from planner.runs.race.turns import Turn
from planner.runs.worker import Worker
from planner.search.search import Shared

PATIENCE = 0.3
"""Seconds that a process has to answer a cancel before it is ended: all that it found is here already."""
BETWEEN_PLANS = 0.1
"""Seconds between two plans that one entrant is told of: of many that come at once the best is enough."""


class Runner:
    """The process of the entrant that ``standing`` is about. Not started before :meth:`start`."""

    def __init__(self, standing: Standing) -> None:
        self.standing = standing
        self.worker: Worker | None = None
        self.improved = False
        """Whether it found something better for all in its present turn."""
        self._since: float | None = None
        self._spell_since: float | None = None
        self._begun = False
        self._had = self._prepared = 0.0
        self._known: tuple[float, ...] | None = None
        self._told_at = 0.0

    # ------------------------------------------------------------------ its course
    def start(self, order: Order, known: tuple[float, ...] | None) -> None:
        """Give it a process; ``known`` are the components of the best plan it was given."""
        self.worker = Worker(pausable=True, grace=PATIENCE)
        self.worker.start(order)
        self._known = known
        self._since = time.perf_counter()
        self.standing.state = "running"

    def begun(self) -> None:
        """Its process has imported what it needs: its turn begins."""
        self._begun, self._prepared = True, self.active
        self._spell_since = time.perf_counter()

    def hold(self) -> bool:
        """Hold its process; returns whether it is held now."""
        if self.worker is None or not self.worker.pause():
            return False
        self._had = self.active
        self._since = self._spell_since = None
        self.standing.state = "paused"
        return True

    def go_on(self) -> None:
        """Let the entrant's held process go on."""
        assert self.worker is not None
        self._since = self._spell_since = time.perf_counter()
        self.improved = False
        self.worker.resume()
        self.standing.state = "running"

    def cancel(self) -> bool:
        """Ask it to stop; it answers within a moment, also when it was held. Whether it is over at once: it had not begun."""
        if self.worker is None or self.standing.state not in ("running", "paused"):
            return False
        if not self._begun:
            self.over()
            return True
        if self._since is None:
            self._since = time.perf_counter()
        self.worker.cancel()
        self.standing.state = "stopping"
        return False

    def over(self) -> None:
        """End the entrant's process, unless it is gone already, and stop its clock."""
        self._had = self.active
        self._since = None
        if self.worker is not None and not self.worker.finished:
            self.worker.close(grace=0.0)
        self.worker = None
        self.standing.active = self._had

    # ------------------------------------------------------------------ what it says and is told
    def take(self, limit: int) -> list[Message]:
        """At most ``limit`` messages of its process, without waiting."""
        self.standing.active = self.active
        return [] if self.worker is None else self.worker.poll(0.0, limit)

    @property
    def connection(self) -> Connection | None:
        """What to wait on; None where nothing can arrive."""
        if self.worker is None or self.worker.paused or self.worker.finished:
            return None
        return self.worker.connection

    def tell_bound(self, bound: Bound) -> None:
        """Tell the entrant a bound that another one proved."""
        if self.worker is not None:
            self.worker.tell(bound)

    def knows(self, components: Sequence[float]) -> None:
        """Remember the components of a plan that the entrant has already."""
        if better(components, self._known):
            self._known = tuple(components)

    def tell_plan(self, shared: Shared) -> None:
        """Let it know of the best plan, unless it knows it, is held, or was told of another just now."""
        now = time.perf_counter()
        if self.worker is None or self.worker.paused or not better(shared.components, self._known):
            return
        if now - self._told_at >= BETWEEN_PLANS:
            self._known, self._told_at = shared.components, now
            self.worker.tell(shared)

    # ------------------------------------------------------------------ its share of time
    @property
    def active(self) -> float:
        """Seconds for which it had a process that was not held."""
        return self._had if self._since is None else self._had + time.perf_counter() - self._since

    @property
    def searched(self) -> float:
        """Seconds for which it searched: neither while its process was made ready nor while that was held."""
        return self.active - self._prepared

    def turn(self) -> Turn:
        """What is to be known about it when turns are given."""
        waiting = self.standing.state in ("queued", "paused")
        spell = None if self._spell_since is None else time.perf_counter() - self._spell_since
        holdable = self.standing.state == "running" and self.worker is not None and self.worker.pausable
        return Turn(
            self.standing.index, self.standing.threads, self.active, waiting, spell, self.improved, holdable
        )
