"""Running a search from the command line: Ctrl-C stops it softly, progress goes to the terminal, nothing found is lost."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from planner.cli.command import Console
from planner.model.graph import Ints
from planner.problem.base import PlanningProblem
from planner.problem.bound import Bound
from planner.quantity import amount_text
from planner.search.search import Callbacks
from planner.search.stop import AnyOf, Cancel, GapReached, Progress, Stop, TimeLimit
from planner.text_table import percent, seconds_text

KEPT = "stopping; the best plan so far is kept (once more to stop at once)"


@contextmanager
def soft_interrupt(console: Console, words: str = KEPT) -> Iterator[Callable[[], bool]]:
    """Yield a flag that Ctrl-C and SIGTERM raise; ``words`` say so, if any. A second Ctrl-C is a :class:`KeyboardInterrupt`."""
    asked = threading.Event()

    def handle(number: int, frame: FrameType | None) -> None:
        if asked.is_set():
            raise KeyboardInterrupt
        asked.set()
        if words:
            console.note(words)

    if threading.current_thread() is not threading.main_thread():
        yield asked.is_set
        return
    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield asked.is_set
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Let Ctrl-C and SIGTERM pass by: for the moment in which what was found is evaluated and written."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def stop_when(cancelled: Callable[[], bool], time_limit: float | None, gap: float | None = None) -> Stop:
    """The stop criteria of a command."""
    criteria: list[Stop] = [Cancel(cancelled)]
    if time_limit is not None:
        criteria.append(TimeLimit(time_limit))
    if gap is not None:
        criteria.append(GapReached(gap))
    return AnyOf(criteria)


class Watch(Callbacks):
    """Keeps the best plan and the bounds as they come, and shows them on a terminal."""

    def __init__(self, console: Console, problem: PlanningProblem, name: str) -> None:
        self._console = console
        self._problem = problem
        self._name = name
        self.best: Ints | None = None
        self.best_iteration: int | None = None
        self.bounds: list[Bound] = []
        self.progress = Progress()

    def on_best(self, device_of: Ints, objective: float, progress: Progress) -> None:
        """Keep the better decision (int32[n]; an order: int32[W]) and show how far the run is."""
        self.best, self.best_iteration = device_of, progress.iterations
        self._show("", progress)

    def on_bound(self, bound: Bound, progress: Progress) -> None:
        self.bounds.append(bound)
        self._show("", progress)

    def on_progress(self, fraction: float | None, text: str, progress: Progress) -> None:
        self._show(f"{percent(fraction)} {text}" if fraction is not None else text, progress)

    def _show(self, text: str, progress: Progress) -> None:
        self.progress = progress
        parts = [self._name, seconds_text(progress.seconds)]
        if progress.objective is not None:
            values = progress.components or (progress.objective,)
            parts += [
                f"{name} {amount_text(value, self._problem.unit(name))}"
                for name, value in zip(self._problem.components, values, strict=False)
            ]
        if progress.bound is not None:
            parts.append(
                f"bound {amount_text(progress.bound, self._problem.unit(self._problem.components[0]))}"
            )
        self._console.progress("  ".join([*parts, text]).rstrip())
