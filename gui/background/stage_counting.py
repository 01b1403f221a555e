"""Plans for one, two and more stages, chips or accelerators, found in the background while someone looks at them, and remembered."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, QTimer, Signal

from gui.document.plan.document import Document
from gui.document.plan_list import PlanEntry
from gui.document.proven_here import PROVEN
from planner.problem.bound import better
from planner.problem.problem import Problem
from planner.runs.stage_counts import (
    CountsWorker,
    Found,
    StageCount,
    count_of,
    counts_around,
    evaluated,
    has_count,
)

REMEMBERED = 32
"""Problems whose results are kept."""


class StageCounting(QObject):
    """Asks one process for all counts that are not known yet. Call :meth:`close` before the window goes.

    ``changed`` says that a count was found, or that the search began or ended.
    """

    changed = Signal()

    POLL_MS = 60

    def __init__(self, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._known: dict[str, dict[int, StageCount]] = {}
        """Results by what the problem is apart from the count."""
        self._problem: Problem | None = None
        self._key = ""
        self._worker: CountsWorker | None = None
        self._timer = QTimer(self, interval=self.POLL_MS)
        self._timer.timeout.connect(self._poll)
        for signal in (document.model_changed, document.problem_changed):
            signal.connect(self._problem_changed)

    # ------------------------------------------------------------------ state
    @property
    def results(self) -> dict[int, StageCount]:
        """What is known of the present problem, by count: the best plan of the list, where that is better than what was found, and of its own
        count all that is proven."""
        problem = self._document.problem
        if problem is None:
            return {}
        return {count: self._known_of(problem, count, one) for count, one in self._found.items()}

    def _known_of(self, problem: Problem, count: int, one: StageCount) -> StageCount:
        """What was found for a count beside what the list has for it, and what the document proves of its own."""
        entry, own = self.listed(count), count_of(problem) == count
        if entry is None and not own:
            return one
        best = one.found
        if entry is not None:
            planner, seconds = entry.planner or "by hand", entry.seconds or 0.0
            best = replace(best, planner=planner, device_of=entry.device_of, seconds=seconds, sentence="")
        proven = problem.holding(self._document.bounds) if own else ()
        return evaluated(problem, replace(best, bounds=(*best.bounds, *proven)))

    def listed(self, count: int) -> PlanEntry | None:
        """The best plan of the list for so many, where it is better than what was found for them; None elsewhere."""
        one = self._found.get(count)
        if one is None or one.problem is None:
            return None
        best = self._document.plan_list.best(one.problem)
        if best is None or (one.evaluation is not None and best.components >= one.evaluation.values):
            return None
        return best

    @property
    def better(self) -> StageCount | None:
        """What was found for as many as there are now, where it is better than the valid plan on the canvas; None elsewhere."""
        document = self._document
        one = None if document.problem is None else self._found.get(count_of(document.problem))
        if one is None or one.evaluation is None or not document.evaluation.valid:
            return None
        return one if better(one.evaluation.values, document.evaluation.values) else None

    @property
    def _found(self) -> dict[int, StageCount]:
        """What the search has found for the present problem."""
        problem = self._document.problem
        return {} if problem is None or not has_count(problem) else self._known.get(key_of(problem), {})

    @property
    def running(self) -> bool:
        """Whether counts are being planned."""
        return self._worker is not None

    @property
    def waiting(self) -> set[int]:
        """The counts that are still to come."""
        return set() if self._worker is None else self._worker.waiting

    @property
    def complete(self) -> bool:
        """Whether every count of the present problem is known."""
        return set(self.counts) <= set(self._found)

    @property
    def counts(self) -> tuple[int, ...]:
        """The counts that are compared: those around that of the machine, and those that are known or being planned."""
        problem = self._document.problem
        if problem is None or not has_count(problem):
            return ()
        return tuple(sorted({*counts_around(count_of(problem)), *self._found, *self.waiting}))

    # ------------------------------------------------------------------ running
    def start(self) -> None:
        """Plan what is not known yet; nothing where it is planned already or the target has no count."""
        problem = self._document.problem
        if problem is None or not has_count(problem) or self.running or self.complete:
            return
        self._problem, self._key = problem, key_of(problem)
        self._worker = CountsWorker(problem, [c for c in self.counts if c not in self._found])
        self._timer.start()
        self.changed.emit()

    def stop(self) -> None:
        """End the search; what was found stays."""
        if self._worker is not None:
            self._timer.stop()
            self._worker.close()
            self._worker = None
            self.changed.emit()

    close = stop

    def _problem_changed(self) -> None:
        """A search for another problem is of no use; one that only has another count goes on."""
        problem = self._document.problem
        if self.running and (problem is None or not has_count(problem) or key_of(problem) != self._key):
            self.stop()
        else:
            self.changed.emit()

    def _poll(self) -> None:
        assert self._worker is not None
        news = self._worker.poll()
        for found in news:
            self._take(found)
        if self._worker.finished:
            self.stop()
        elif news:
            self.changed.emit()

    def _take(self, found: Found) -> None:
        assert self._problem is not None
        results = self._known.pop(self._key, {})
        one = results[found.count] = evaluated(self._problem, found)
        if one.problem is not None:
            PROVEN.opened(one.problem)
            PROVEN.add(found.bounds)
        self._known[self._key] = results
        while len(self._known) > REMEMBERED:
            del self._known[next(iter(self._known))]


def key_of(problem: Problem) -> str:
    """What a problem is apart from the count."""
    counted = problem.target.counted
    parts = {k: v for k, v in problem.target.to_dict().items() if counted is None or k != counted.field}
    cost_model = problem.graph.cost_model
    costs = None if cost_model is None else cost_model.numbers()
    rules = sorted(token for token in problem.assumptions if not token.startswith("rule:"))
    return repr((problem.graph.fingerprint, costs, sorted(parts.items()), problem.objective, rules))
