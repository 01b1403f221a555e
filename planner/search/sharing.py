"""What a search hears from others that work on the same problem: bounds, and plans that it may take over."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from planner.model.graph import Ints
from planner.problem.bound import Bound, better, proven
from planner.problem.provenance import Adoption, Again


@dataclass(frozen=True, eq=False)
class Shared:
    """A valid plan that somebody else found: its decision (int32[n], or int32[W]), all its components, and the finder's name."""

    decision: Ints
    components: tuple[float, ...]
    by: str = ""


News = Callable[[], "Sequence[Bound | Shared]"]
"""Asked now and then for what others found or proved since it was last asked."""


class Exchange:
    """What arrived from elsewhere, and at which of its looks a search took it over.

    With ``again``, an earlier run, nothing is taken over but what that run took over, each at the look it was: that is how a
    run is repeated.
    """

    def __init__(self, news: News | None = None, again: Again | None = None) -> None:
        self._news = news
        self._again = None if again is None else {adoption.look: adoption for adoption in again.adopted}
        self.looks = 0
        self.adopted: list[Adoption] = []
        self.best: Shared | None = None
        """The best plan that arrived, taken over or not."""
        self._offered: Shared | None = None

    def arrived(self) -> list[Bound]:
        """Take in what is new; returns the bounds."""
        bounds: list[Bound] = []
        for item in () if self._news is None else self._news():
            if isinstance(item, Bound):
                bounds += proven([item])
            elif better(item.components, None if self.best is None else self.best.components):
                self.best = self._offered = item
        return bounds

    def offer(self) -> tuple[int, Ints, str] | None:
        """One look: (look, decision, who found it) of a plan to take over, at most once each; None without one."""
        look = self.looks
        self.looks += 1
        if self._again is not None:
            before = self._again.get(look)
            return None if before is None else (look, before.decision, before.by)
        offered, self._offered = self._offered, None
        return None if offered is None else (look, offered.decision, offered.by)
