"""Proving again what the file of a presented story claims: beside the window, plan after plan, in a process."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace

from PySide6.QtCore import QObject, QTimer, Signal

from planner.problem.base import PlanningProblem, decision_of
from planner.problem.bound import Bound, proven
from planner.problem.claims import claim_of
from planner.runs.messages import Ended, Failed, Order, Proven
from planner.runs.proving import method_to_prove
from planner.runs.worker import Worker
from planner.search.method import BoundMethod
from planner.story.proving import SECONDS, as_proven, bounds_as_told, settled, turns, with_shared
from planner.story.story import Resolved


class StoryProving(QObject):
    """Proves what the file of ``read``, a story as it was resolved, claims of its plans, for at most so many ``seconds`` in all.

    Nothing happens before :meth:`begin`; what others prove meanwhile they tell (:meth:`learn`). Call :meth:`close` before the window goes.
    """

    changed = Signal()
    """More is proven of a plan than before: :attr:`told` is another."""

    POLL_MS = 40

    def __init__(self, read: Resolved, seconds: float = SECONDS, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._read, self._left = read, seconds
        self._bounds = list(bounds_as_told(read))
        self._waiting = turns(read, self._bounds)
        self._news: list[Bound] = []
        self._found: list[Bound] = []
        self._begun = self._share = 0.0
        self._worker: Worker | None = None
        self._timer = QTimer(self, interval=self.POLL_MS)
        self._timer.timeout.connect(self._poll)

    @property
    def told(self) -> Resolved:
        """The story with what is proven by now; its captions say what that is."""
        return as_proven(self._read, tuple(self._bounds))

    @property
    def running(self) -> bool:
        """Whether something is being proven."""
        return self._worker is not None

    def begin(self) -> None:
        """Prove the claims of one plan after the other."""
        while self._waiting and self._worker is None and self._left > 0.0:
            self._start(self._waiting[0])
            if self._worker is None:
                del self._waiting[0]

    def learn(self, problem: PlanningProblem, known: Iterable[Bound]) -> None:
        """Take over bounds of ``problem`` that were proven elsewhere meanwhile, where they prove what the story's file claims."""
        known, more = tuple(known), False
        for i, (plan, own) in enumerate(zip(self._read.plans, self._bounds, strict=True)):
            if plan.problem == problem and claim_of(plan, own) is not None:
                self._bounds[i] = with_shared(plan, own, known)
                more |= len(self._bounds[i]) > len(own)
        if more:
            self.changed.emit()

    def _start(self, index: int) -> None:
        plan = self._read.plans[index]
        bounds = with_shared(plan, self._bounds[index], self._news)
        if len(bounds) > len(self._bounds[index]):
            self._bounds[index] = bounds
            self.changed.emit()
        if settled(plan, bounds):
            return
        method = method_to_prove(plan.problem, claim_of(plan, bounds))
        if method is None:
            return
        is_bound = isinstance(method, BoundMethod)
        self._share = self._left / len(self._waiting)
        order = Order(
            method.name, plan.problem, is_bound=is_bound, time_limit=self._share,
            starts=() if is_bound else (decision_of(plan),), bounds=proven(bounds),
        )  # fmt: skip
        self._begun, self._found = time.monotonic(), []
        self._worker = Worker()
        self._worker.start(order)
        self._timer.start()

    def _poll(self) -> None:
        assert self._worker is not None
        for message in self._worker.poll():
            if isinstance(message, Proven):
                # Without the time that it took, as in a story that is written.
                self._found.append(replace(message.bound, seconds=0.0))
                index = self._waiting[0]
                if settled(self._read.plans[index], (*self._bounds[index], *self._found)):
                    self._finished()
                    return
            elif isinstance(message, (Ended, Failed)):
                self._finished()
                return

    def _finished(self) -> None:
        index = self._waiting.pop(0)
        self._left -= min(self._share, time.monotonic() - self._begun)
        self._stop()
        if self._found:
            self._news += self._found
            self._bounds[index] = (*self._bounds[index], *self._found)
            self.changed.emit()
        self.begin()

    def _stop(self) -> None:
        self._timer.stop()
        if self._worker is not None:
            if not self._worker.finished:
                self._worker.close(grace=0.0)
            self._worker = None

    def close(self) -> None:
        """End it for good; what is proven by now stays."""
        self._waiting = []
        self._stop()
