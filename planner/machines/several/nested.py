"""One search inside another: what a method that lets others work hands on, and when they are to end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from planner.model.graph import Ints
from planner.options import parse_options
from planner.problem.bound import Bound
from planner.problem.provenance import Origin
from planner.search.method import Method
from planner.search.search import Callbacks, Search
from planner.search.stop import Progress


class Ended:
    """Fires when the outer search is to end."""

    def __init__(self, search: Search) -> None:
        self._search = search
        self.reason = search.stop_reason

    def __call__(self, progress: Progress) -> bool:
        over = self._search.stopped()
        self.reason = self._search.stop_reason
        return over


class Passing(Callbacks):
    """Passes what a method finds and proves on to the outer search, and counts its iterations there."""

    def __init__(self, method: Method, options: Mapping[str, Any], search: Search) -> None:
        self._name, self._search, self._before = method.name, search, search.state.iterations
        self._origin = Origin(
            method.name,
            parse_options(method.options, options, method.name),
            search.seed,
            0,
            tuple(search.starts),
            tuple(search.bounds),
        )

    def on_best(self, device_of: Ints, objective: float, progress: Progress) -> None:
        """Propose a plan, with the run that found it."""
        self._count(progress)
        self._search.incumbent(device_of, replace(self._origin, iteration=progress.iterations))

    def on_bound(self, bound: Bound, progress: Progress) -> None:
        """Hand a bound on."""
        self._count(progress)
        self._search.prove(bound)

    def on_progress(self, fraction: float | None, text: str, progress: Progress) -> None:
        """Tell how far it is, and who."""
        self._count(progress)
        self._search.progress(fraction, f"{self._name}: {text}" if text else self._name)

    def on_end(self, progress: Progress) -> None:
        """Count what is left to count."""
        self._count(progress)

    def _count(self, progress: Progress) -> None:
        self._search.iteration(self._before + progress.iterations - self._search.state.iterations)
