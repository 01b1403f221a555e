"""Plans for one, two and more stages, chips or accelerators, found in the background while someone looks at them, and remembered."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from PySide6.QtCore import QObject, QTimer, Signal

from gui.document.plan.document import Document
from gui.document.plan_list import PlanEntry
from gui.document.proven_here import PROVEN
from gui.widgets.later import Later
from gui.words.objectives import seen_better
from planner.problem.problem import Problem
from planner.runs.stage_counts import (
    CountsWorker,
    Found,
    Possible,
    StageCount,
    count_of,
    evaluated,
    has_count,
    narrowed,
    nearest_first,
    possible_counts,
)

REMEMBERED = 32
"""Problems whose results are kept."""
AT_ONCE = 10_000
"""Up to so many ops it is seen at once which counts there may be; of more each count is a turn of the event loop."""


class StageCounting(QObject):
    """Asks one process for all counts that are not known yet. Call :meth:`close` before the window goes.

    ``changed`` says that a count was found, that the search began or ended, or which counts there may be.
    """

    changed = Signal()

    POLL_MS = 60

    def __init__(self, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._known: dict[str, dict[int, StageCount]] = {}
        """Results by what the problem is apart from the count."""
        self._possible: tuple[Problem, Possible] | None = None
        """Which counts the last problem that was asked about may have."""
        self._narrowing: tuple[Problem, Iterator[Possible | None]] | None = None
        """A problem of which that is being looked for, and the looks that are left."""
        self._look_on = Later(self._look, self)
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
        """What is known of the present problem, by count: why one cannot be, and of its own count all that is proven and the plan on the
        canvas, unless figures show that one of the list, or what was found, is better."""
        problem = self._document.problem
        if problem is None or not has_count(problem):
            return {}
        why = self.possible.refused
        refused = (Found(count, "", None, (), None, 0.0, why[count]) for count in self.counts if count in why)
        found = {
            **{one.count: evaluated(problem, one) for one in refused},
            **{count: self._known_of(problem, count, one) for count, one in self._found.items()},
        }
        own = count_of(problem)
        one, best = found.get(own), self._present(own)
        if one is None and best is None:
            return found
        shown = best if one is None or (best is not None and one.found.device_of is None) else one.found
        assert shown is not None
        if best is not None:
            shown = replace(
                shown, planner=best.planner, device_of=best.device_of, seconds=best.seconds, sentence=""
            )
        bounds = (*shown.bounds, *problem.holding(self._document.bounds))
        return {**found, own: evaluated(problem, replace(shown, bounds=bounds))}

    @property
    def others(self) -> dict[int, StageCount]:
        """What was found for other counts of the present problem than its own, or the list has for them."""
        problem = self._document.problem
        if problem is None or not has_count(problem):
            return {}
        own = count_of(problem)
        return {c: self._known_of(problem, c, one) for c, one in self._found.items() if c != own}

    def _present(self, own: int) -> Found | None:
        """The best plan of the list, where figures show that it is better, else the valid one on the canvas; None where what was found for its
        count is better than that."""
        document = self._document
        entry = self.listed(own)
        if entry is not None:
            return Found(own, entry.planner or "by hand", entry.device_of, (), None, entry.seconds or 0.0)
        if not document.evaluation.valid or self.better is not None:
            return None
        active = document.active
        planner, seconds = ("", None) if active is None else (active.planner, active.seconds)
        return Found(own, planner or "by hand", document.device_of.copy(), (), None, seconds or 0.0)

    def _known_of(self, problem: Problem, count: int, one: StageCount) -> StageCount:
        """What was found for another count, or what the list has for it."""
        entry = None if count == count_of(problem) else self.listed(count)
        if entry is None:
            return one
        planner, seconds = entry.planner or "by hand", entry.seconds or 0.0
        listed = replace(one.found, planner=planner, device_of=entry.device_of, seconds=seconds, sentence="")
        return evaluated(problem, listed)

    def listed(self, count: int) -> PlanEntry | None:
        """The best plan of the list for so many, where it is better than what was found for them and, of the present count, as
        figures show than what is on the canvas; None elsewhere."""
        here, one = self._document.problem, self._found.get(count)
        own = here is not None and count_of(here) == count
        problem = here if own else None if one is None else one.problem
        best = None if problem is None else self._document.plan_list.best(problem)
        if best is None or (
            one is not None and one.evaluation is not None and best.components >= one.evaluation.values
        ):
            return None
        now = self._document.evaluation
        seen = here is None or seen_better(here, best.components, now.values)
        return None if own and now.valid and not seen else best

    @property
    def better(self) -> StageCount | None:
        """What was found for as many as there are now, where figures show that it is better than the valid plan on the canvas; None elsewhere."""
        document, problem = self._document, self._document.problem
        one = None if problem is None else self._found.get(count_of(problem))
        if problem is None or one is None or one.evaluation is None or not document.evaluation.valid:
            return None
        return one if seen_better(problem, one.evaluation.values, document.evaluation.values) else None

    @property
    def _found(self) -> dict[int, StageCount]:
        """What the search has found for the present problem."""
        problem = self._document.problem
        return {} if problem is None or not has_count(problem) else self._known.get(key_of(problem), {})

    @property
    def possible(self) -> Possible:
        """Which counts the present problem may have; its own alone while :attr:`looking`."""
        problem = self._document.open_problem
        if self._possible is not None and self._possible[0] is problem:
            return self._possible[1]
        if problem.graph.n <= AT_ONCE:
            self._possible = problem, possible_counts(problem)
            return self._possible[1]
        if self._narrowing is None or self._narrowing[0] is not problem:
            self._narrowing = problem, narrowed(problem)
            self._look_on.ask()
        return Possible(0, {})

    @property
    def looking(self) -> bool:
        """Whether it is being looked for which counts the present problem may have."""
        problem = self._document.problem
        return problem is not None and self._narrowing is not None and self._narrowing[0] is problem

    def _look(self) -> None:
        """Look at one more count, unless nobody asks about that problem any more."""
        if not self.looking:
            self._narrowing = None
            return
        assert self._narrowing is not None
        problem, looks = self._narrowing
        if (possible := next(looks)) is None:
            self._look_on.ask()
            return
        self._possible, self._narrowing = (problem, possible), None
        self.changed.emit()

    @property
    def running(self) -> bool:
        """Whether counts are being planned."""
        return self._worker is not None

    @property
    def waiting(self) -> tuple[int, ...]:
        """The counts that are still to come, in the order in which they are planned."""
        return () if self._worker is None else tuple(self._worker.waiting)

    @property
    def complete(self) -> bool:
        """Whether every count of the present problem is known."""
        return not self.left and not self.looking

    @property
    def left(self) -> list[int]:
        """The counts that may be and are not planned yet, in the order in which they are planned."""
        problem = self._document.problem
        if problem is None or not has_count(problem):
            return []
        settled = {*self._found, *self.possible.refused}
        return nearest_first((c for c in self.counts if c not in settled), count_of(problem))

    @property
    def counts(self) -> tuple[int, ...]:
        """The counts that are compared: those around that of the machine that may be, the largest that cannot, and those that are known
        or being planned."""
        problem = self._document.problem
        if problem is None or not has_count(problem):
            return ()
        return tuple(sorted({*self.possible.counts(count_of(problem)), *self._found, *self.waiting}))

    # ------------------------------------------------------------------ running
    def start(self) -> None:
        """Plan what is not known yet; nothing where it is planned already, the target has no count, or it is still :attr:`looking`."""
        problem = self._document.problem
        if problem is None or not has_count(problem) or self.running or self.complete or self.looking:
            return
        self._problem, self._key = problem, key_of(problem)
        self._worker = CountsWorker(problem, self.left)
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
