"""Loading what is compiled, as far as it is, in a thread, before anybody waits for it: what the canvas draws with, and what the machine at hand needs.

Every compiled function that a process loads takes it some milliseconds, and there are hundreds: of machines that nobody plans for,
none is loaded.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from queue import SimpleQueue

from planner.compiling.kernel import interpret
from planner.errors import StageboardError
from planner.problem.base import PlanningProblem

LAST_PART = 5.0
"""Seconds that the end of the program waits for what is being loaded: a thread in compiled code must not outlive it."""

Part = Callable[[], None]


class Warming:
    """Runs what it is told to load, one part after the other, in a thread of its own.

    Before :meth:`begin` and after :meth:`close` it does nothing.
    """

    def __init__(self) -> None:
        self._parts: SimpleQueue[Part | None] = SimpleQueue()
        self._known: set[PlanningProblem | Part] = set()
        self._enough = threading.Event()
        self._thread: threading.Thread | None = None

    def begin(self) -> None:
        """Load from now on. Call when the window is up."""
        if self._thread is None and not self._enough.is_set():
            self._thread = threading.Thread(target=self._work, name="warm-up", daemon=True)
            self._thread.start()

    def load(self, *parts: Part) -> None:
        """Functions that load something each, unless they have done so."""
        for part in parts:
            if self._thread is not None and part not in self._known:
                self._known.add(part)
                self._parts.put(part)

    def run(self, part: Part) -> None:
        """After what was asked for before, however often it was run."""
        if self._thread is not None:
            self._parts.put(part)

    def load_editing(self, problem: PlanningProblem) -> None:
        """What editing a plan of such a problem takes: evaluation, rules, repair, schedules."""
        if self._thread is not None:
            self._parts.put(partial(self._like, problem))

    def _like(self, problem: PlanningProblem) -> None:
        from planner.runs.warm_up import like

        # What cannot be planned there says so where somebody plans it.
        with suppress(StageboardError):
            tiny = like(problem)
            if tiny not in self._known:
                self._known.add(tiny)
                _edit(tiny)

    def load_again(self) -> None:
        """What was loaded as far as it was compiled, now that more is."""
        for part in [known for known in self._known if callable(known)]:
            self._parts.put(part)
        for tiny in [known for known in self._known if not callable(known)]:
            self._parts.put(partial(_edit, tiny))

    def _work(self) -> None:
        interpret(True)  # what is not compiled yet is compiled in processes, beside the window
        while (part := self._parts.get()) is not None and not self._enough.is_set():
            part()

    def close(self) -> None:
        """Load nothing more, and wait for what is being loaded."""
        self._enough.set()
        thread, self._thread = self._thread, None
        if thread is not None:
            self._parts.put(None)
            thread.join(LAST_PART)


def _edit(tiny: PlanningProblem) -> None:
    from planner.runs.warm_up import warm_editing

    with suppress(StageboardError):
        warm_editing(tiny)


warming = Warming()
"""The program's."""
