"""Stop criteria of a search, the progress that they look at, and how long a search in several tries may take."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from planner.compiling.news import news as compiling

if TYPE_CHECKING:
    from planner.problem.provenance import Origin

# ---------------------------------------------------------------------- options


@dataclass
class Progress:
    """What stop criteria look at: iterations counted, objective and bound so far, seconds since the start.

    ``components`` are all components of the best plan; ``objective`` and ``bound`` speak of the first. ``gap`` is that of
    the first component not yet proven, None without a plan or a bound; where others work on the same problem, it is
    the gap of the best plan of all. ``by`` says who found the best plan, "" the search itself, :data:`GIVEN` whoever
    gave it to start from; ``warm`` whether the search has used any plan that is not its own. ``origin`` is the run of
    another planner that found it, where the search lets others search. ``score``: what the planner judged the best plan by, where
    that is not the objective.
    """

    iterations: int = 0
    objective: float | None = None
    bound: float | None = None
    seconds: float = 0.0
    components: tuple[float, ...] | None = None
    gap: float | None = None
    by: str = ""
    warm: bool = False
    origin: Origin | None = None
    score: float | None = None


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
    cut off. Without numbers it is :data:`CPU_SECONDS` and :data:`WALL_SECONDS`. ``times`` multiplies both.
    ``spent`` tells the processor time so far, ``now`` the wall time; by themselves both leave out what is compiled meanwhile, or waited
    for while others compile it.
    """

    def __init__(
        self,
        cpu: float | None = None,
        wall: float | None = None,
        spent: Callable[[], float] | None = None,
        now: Callable[[], float] | None = None,
        times: float = 1.0,
    ) -> None:
        self._spent, self._now = spent or _work, now or searching_clock
        self._until = (
            self._spent() + times * (CPU_SECONDS if cpu is None else cpu),
            self._now() + times * (WALL_SECONDS if wall is None else wall),
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


def _work() -> float:
    """Processor time but for that of compiling."""
    return processor_seconds() - compiling.processor_seconds


def searching_clock() -> float:
    """Wall time in seconds, but for that in which this process compiled, or waited for others that did."""
    return time.perf_counter() - compiling.seconds


def processor_seconds() -> float:
    """Processor time of this process, of its children that have ended and, where the system tells, of those that run."""
    ended = os.times()
    return time.process_time() + ended.children_user + ended.children_system + _running_children()


def _running_children() -> float:
    """Processor time of the children that run, without that of their own children; 0 where there is no ``/proc``.

    What ran beneath a child counts when the child ends: a server that forks other runs would else add the whole time of each of them
    at the moment it ended.
    """
    total = 0.0
    tasks = Path("/proc/self/task")
    try:
        children = {pid for task in tasks.iterdir() for pid in (task / "children").read_text().split()}
    except OSError:
        return 0.0
    for pid in children:
        try:
            # The name, in parentheses, may hold anything; user and system time are fields 14 and 15.
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            total += sum(int(ticks) for ticks in fields[11:13]) / os.sysconf("SC_CLK_TCK")
        except (OSError, ValueError):
            continue  # it has just ended
    return total
