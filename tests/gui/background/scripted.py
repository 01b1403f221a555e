"""A worker for tests: it says what it is told to say."""

from __future__ import annotations

from typing import Any, ClassVar

from planner.problem.bound import Bound
from planner.runs.messages import Ended, Failed, Order
from planner.search.search import Shared


class Connection:
    """A pipe that is open."""

    closed = False


class Scripted:
    """A worker that says what the test tells it to."""

    made: ClassVar[list[Scripted]] = []

    def __init__(self) -> None:
        self.order: Order | None = None
        self.inbox: list[Any] = []
        self.told: list[Bound | Shared] = []
        self.finished = False
        self.cancelled = False
        self.connection = Connection()
        Scripted.made.append(self)

    def start(self, order: Order) -> None:
        self.order = order

    def cancel(self) -> None:
        self.cancelled = True

    def tell(self, news: Bound | Shared) -> None:
        self.told.append(news)

    def poll(self, timeout: float = 0.0) -> list[Any]:
        said, self.inbox = self.inbox, []
        if said and isinstance(said[-1], (Ended, Failed)):
            self.finished = True
        return said

    def close(self, grace: float = 0.5) -> None:
        self.finished = True
