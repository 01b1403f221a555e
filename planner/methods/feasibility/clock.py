"""A share of time."""

from __future__ import annotations

import time
from collections.abc import Callable

from planner.compiling.news import news


class Clock:
    """How much of a span of wall time is left, that of compiling not counted; ``stopped`` ends it early."""

    def __init__(self, seconds: float, stopped: Callable[[], bool] | None = None) -> None:
        self._until = time.perf_counter() - news.seconds + seconds
        self._stopped = stopped

    @property
    def left(self) -> float:
        """Seconds left, 0 once it is over."""
        return (
            0.0
            if self._stopped is not None and self._stopped()
            else max(0.0, self._until - time.perf_counter() + news.seconds)
        )

    def over(self) -> bool:
        """Whether the time is up."""
        return self.left <= 0.0

    @property
    def cancelled(self) -> bool:
        """Whether somebody said to stop, however much time is left."""
        return self._stopped is not None and self._stopped()

    def at_least(self, seconds: float) -> Clock:
        """A clock of its own that has ``seconds`` at least, unless somebody says to stop."""
        return Clock(max(seconds, self.left), self._stopped)

    def at_most(self, seconds: float) -> Clock:
        """A clock of its own that ends after ``seconds``, or with this one."""
        return Clock(min(seconds, self.left), self._stopped)
