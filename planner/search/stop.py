"""Stop criteria of a search, and the progress that they look at."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

# ---------------------------------------------------------------------- options


@dataclass
class Progress:
    """What stop criteria look at: iterations counted, objective and bound so far, seconds since the start.

    ``components`` are all components of the best plan; ``objective`` and ``bound`` speak of the first. ``gap`` is that of
    the first component not yet proven, None without a plan or a bound; where others work on the same problem, it is
    the gap of the best plan of all. ``by`` says who found the best plan, "" the search itself, :data:`GIVEN` whoever
    gave it to start from; ``warm`` whether the search has used any plan that is not its own.
    """

    iterations: int = 0
    objective: float | None = None
    bound: float | None = None
    seconds: float = 0.0
    components: tuple[float, ...] | None = None
    gap: float | None = None
    by: str = ""
    warm: bool = False


GIVEN = "start"
"""Who found a plan that a search was given to start from."""


class Stop(Protocol):
    """A stop criterion: ``reason`` is what the result says when it fires."""

    reason: str

    def __call__(self, progress: Progress) -> bool:
        """Whether to stop now."""


@dataclass
class TimeLimit:
    """Stop after so many seconds of wall time."""

    limit: float
    reason: str = "time"

    def __call__(self, progress: Progress) -> bool:
        return progress.seconds >= self.limit

    def left(self, progress: Progress) -> float:
        """Seconds until it fires."""
        return self.limit - progress.seconds


@dataclass
class GapReached:
    """Stop when the gap, (objective - bound) / objective of the first component not yet proven, is at most ``limit``."""

    limit: float
    reason: str = "gap"

    def __call__(self, progress: Progress) -> bool:
        return progress.gap is not None and progress.gap <= self.limit


@dataclass
class IterationLimit:
    """Stop after so many iterations of the planner's own kind (orders, restarts, generations)."""

    limit: int
    reason: str = "iterations"

    def __call__(self, progress: Progress) -> bool:
        return progress.iterations >= self.limit


@dataclass
class Cancel:
    """Stop when ``flag()`` turns true."""

    flag: Callable[[], bool]
    reason: str = "cancelled"

    def __call__(self, progress: Progress) -> bool:
        return self.flag()


class FirstPlan:
    """Stop as soon as there is a valid plan."""

    reason = "found"

    def __call__(self, progress: Progress) -> bool:
        return progress.components is not None


@dataclass
class AnyOf:
    """Stop as soon as one of ``criteria`` does."""

    criteria: Sequence[Stop]
    reason: str = ""

    def __call__(self, progress: Progress) -> bool:
        for criterion in self.criteria:
            if criterion(progress):
                self.reason = criterion.reason
                return True
        return False

    def left(self, progress: Progress) -> float:
        """Seconds until the first of the time limits among them fires, infinity without one."""
        return min((seconds_left(criterion, progress) for criterion in self.criteria), default=math.inf)


def seconds_left(stop: Stop, progress: Progress) -> float:
    """Seconds until ``stop`` fires where it is a time limit, otherwise infinity."""
    left = getattr(stop, "left", None)
    return math.inf if left is None else left(progress)


class Never:
    """Never stop early."""

    reason = "finished"

    def __call__(self, progress: Progress) -> bool:
        return False
