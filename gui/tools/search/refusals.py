"""Why methods do not serve a problem: asked once each, and of a large graph a few in a turn of the event loop."""

from __future__ import annotations

import time
from collections.abc import Iterable

from gui.words.methods import refusal_words
from planner.problem.base import PlanningProblem
from planner.search.method import Method

STEP_SECONDS = 0.004
"""Processor seconds after which the next methods wait for the next turn."""


class Refusals:
    """Sentences about one problem at a time. What a method says may change with what is installed: :meth:`forget` before a list is made anew."""

    def __init__(self) -> None:
        self._problem: PlanningProblem | None = None
        self._known: dict[Method, str] = {}

    def forget(self) -> None:
        """Ask anew from now on."""
        self._problem, self._known = None, {}

    def of(self, method: Method, problem: PlanningProblem) -> str:
        """Why a method does not serve the problem; empty where it does."""
        if self._problem is not problem:
            self._problem, self._known = problem, {}
        if method not in self._known:
            self._known[method] = refusal_words(method, problem)
        return self._known[method]

    def ask_next(self, methods: Iterable[Method], problem: PlanningProblem) -> bool:
        """Ask some of those that were not asked yet; whether there are more."""
        until = 0.0
        for method in methods:
            if self._problem is problem and method in self._known:
                continue
            if until and time.thread_time() > until:
                return True
            until = until or time.thread_time() + STEP_SECONDS
            self.of(method, problem)
        return False
