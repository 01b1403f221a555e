"""How long a search in several tries may take: a share of processor time, of wall time, or as long as it likes."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable
from pathlib import Path

from planner.search.stop import Never, Progress, Stop, TimeLimit

CPU_SECONDS, WALL_SECONDS = 10.0, 30.0
"""What a search may take of whoever sets no limit: processor time of this process and its children, and wall time at most."""
SAMPLING = 0.05
"""Seconds between two looks at the processor time: those of children are read from files."""


class Budget:
    """How much may be spent altogether; each try gets a stop criterion for a share of what is left.

    Without a limit a try may take as long as it likes, unless it is given a share smaller than all.
    """

    def stop(self, share: float = 1.0) -> Stop:
        """A stop criterion that fires, as ``time``, when ``share`` of what is left now is spent."""
        return Never()

    @property
    def over(self) -> bool:
        """Whether nothing is left."""
        return False


class WallBudget(Budget):
    """Seconds of wall time from now on."""

    def __init__(self, seconds: float) -> None:
        self._until = time.perf_counter() + seconds

    def stop(self, share: float = 1.0) -> Stop:
        """A time limit: planners may ask it how much is left."""
        return TimeLimit(max(0.0, self._until - time.perf_counter()) * share)

    @property
    def over(self) -> bool:
        """Whether the time is up."""
        return time.perf_counter() >= self._until


class WorkBudget(Budget):
    """Seconds of processor time from now on, of this process and its children, and of wall time where that ends earlier.

    Unlike a time limit it does not say how much is left: planners whose effort depends on that go their usual course and are
    cut off. Without numbers it is :data:`CPU_SECONDS` and :data:`WALL_SECONDS`. ``spent`` tells the processor time so far, ``now`` the wall time.
    """

    def __init__(
        self,
        cpu: float | None = None,
        wall: float | None = None,
        spent: Callable[[], float] | None = None,
        now: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._spent, self._now = spent or processor_seconds, now
        self._until = (
            self._spent() + (CPU_SECONDS if cpu is None else cpu),
            self._now() + (WALL_SECONDS if wall is None else wall),
        )

    @property
    def _left(self) -> tuple[float, float]:
        return max(0.0, self._until[0] - self._spent()), max(0.0, self._until[1] - self._now())

    def stop(self, share: float = 1.0) -> Stop:
        """A stop criterion for a share of both."""
        cpu, wall = self._left
        return _Spent(self._spent, self._spent() + share * cpu, self._now, self._now() + share * wall)

    @property
    def over(self) -> bool:
        """Whether one of the two is used up."""
        return min(self._left) <= 0.0


class _Spent:
    """Fires when either time is reached."""

    reason = "time"

    def __init__(self, spent: Callable[[], float], cpu: float, now: Callable[[], float], wall: float) -> None:
        self._spent, self._cpu, self._now, self._wall = spent, cpu, now, wall
        self._looked = -math.inf

    def __call__(self, progress: Progress) -> bool:
        now = self._now()
        if now >= self._wall:
            return True
        if now - self._looked < SAMPLING:
            return False
        self._looked = now
        return self._spent() >= self._cpu


def processor_seconds() -> float:
    """Processor time of this process, of its children that have ended and, where the system tells, of those that run."""
    ended = os.times()
    return time.process_time() + ended.children_user + ended.children_system + _running_children()


def _running_children() -> float:
    """Processor time of the children that run, with what their own ended children took; 0 where there is no ``/proc``."""
    total = 0.0
    tasks = Path("/proc/self/task")
    try:
        children = {pid for task in tasks.iterdir() for pid in (task / "children").read_text().split()}
    except OSError:
        return 0.0
    for pid in children:
        try:
            # The name, in parentheses, may hold anything; user and system time are fields 14 to 17.
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            total += sum(int(ticks) for ticks in fields[11:15]) / os.sysconf("SC_CLK_TCK")
        except (OSError, ValueError):
            continue  # it has just ended
    return total
