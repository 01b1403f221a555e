"""One entrant of a race as the window keeps it: what it found and when, and its entry of the plan list. No Qt."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gui.document.plan_list import PlanEntry
    from planner.model.graph import Ints
    from planner.problem.bound import Bound
    from planner.problem.provenance import Provenance
    from planner.runs.race import Standing

WAITING = ("queued", "paused")
"""States in which an entrant has no processor."""


@dataclass(eq=False)
class Runner:
    """An entrant: ``standing`` is the engine's word on it, the rest is what the engine told in passing.

    ``trace`` holds (race seconds, components) of each of its own plans, ``proofs`` (race seconds, bound) of what it proved.
    """

    standing: Standing
    trace: list[tuple[float, tuple[float, ...]]] = field(default_factory=list)
    proofs: list[tuple[float, Bound]] = field(default_factory=list)
    decision: Ints | None = None
    provenance: Provenance | None = None
    entry: PlanEntry | None = None
    dirty: bool = False
    """Whether :attr:`decision` is better than what its entry of the plan list holds."""

    @property
    def index(self) -> int:
        """Its number among the entrants."""
        return self.standing.index

    @property
    def title(self) -> str:
        """What people call it."""
        return self.standing.title

    @property
    def is_bound(self) -> bool:
        """Whether it proves bounds and looks for no plan."""
        return bool(self.standing.entrant.is_bound)

    @property
    def components(self) -> tuple[float, ...] | None:
        """The objective's components of its own best plan."""
        return self.trace[-1][1] if self.trace else None

    @property
    def alive(self) -> bool:
        """Whether more may come from it."""
        return self.standing.state != "ended"
