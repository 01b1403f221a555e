"""What runs in the background, in the header of every window: what, since when, the best so far, and a button that stops it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from PySide6.QtCore import QTimer, Signal, SignalInstance
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from gui.background.jobs import Jobs
from gui.look.numbers import plural, seconds_text
from gui.tools.search.race.racing import Racing
from gui.widgets.labels import ElidedLabel, set_role
from gui.words.objectives import amount
from planner.problem.base import PlanningProblem
from planner.problem.bound import Bound, better


class Run(Protocol):
    """A search at work: a job, or a race."""

    @property
    def title(self) -> str:
        """What lists call it."""

    @property
    def seconds(self) -> float:
        """How long it has run."""

    @property
    def problem(self) -> PlanningProblem:
        """What is searched."""

    @property
    def components(self) -> tuple[float, ...] | None:
        """The components of its best plan; None while it has none."""

    @property
    def is_bound(self) -> bool:
        """Whether it proves bounds and looks for no plan."""

    @property
    def bounds(self) -> list[Bound]:
        """What it knows to be proven."""


@dataclass(eq=False)
class Errand:
    """What is done beside the window for whoever asked, once, without a list of its own: a plan made anew, a repair."""

    title: Callable[[], str]
    busy: Callable[[], bool]
    cancel: Callable[[], object]
    since: float | None = field(default=None, init=False)
    """When it was first seen at work, by the clock of :func:`time.monotonic`; None while it is not."""

    @property
    def seconds(self) -> float:
        """How long it has been at work."""
        return 0.0 if self.since is None else time.monotonic() - self.since

    @property
    def words(self) -> str:
        """``Planning anew · 4 s``."""
        return f"{self.title()}  ·  {seconds_text(self.seconds)}"

    def look(self) -> None:
        """See whether it is at work."""
        if not self.busy():
            self.since = None
        elif self.since is None:
            self.since = time.monotonic()


def best_words(runs: list[Run]) -> str:
    """``best 923.43 us``: the best plan of those that search what the first one does; ``nothing better yet`` without one.

    Of a run that only proves what it knows: ``at least 802.94 us``.
    """
    if len(runs) == 1 and runs[0].is_bound:
        problem = runs[0].problem
        bound = problem.strongest_bound(runs[0].bounds)
        return (
            "nothing proven yet"
            if bound is None
            else f"at least {amount(problem, bound.component, bound.value)}"
        )
    best: Run | None = None
    for run in (run for run in runs if run.problem == runs[0].problem):
        if run.components is not None and (best is None or better(run.components, best.components)):
            best = run
    if best is None or best.components is None:
        return "nothing better yet"
    problem = best.problem
    return f"best {amount(problem, problem.components[0], best.components[0])}"


def running_words(runs: list[Run]) -> str:
    """``Annealing · 12 s · best 923.43 us``; how many where there are several."""
    if not runs:
        return ""
    what = runs[0].title if len(runs) == 1 else plural(len(runs), "search", "searches")
    return f"{what}  ·  {seconds_text(max(run.seconds for run in runs))}  ·  {best_words(runs)}"


class RunningBadge(QWidget):
    """Hidden while nothing runs. A click on the words asks for the panel that says more."""

    shown = Signal(str)
    """The panel to show: planners, or race."""
    said = Signal(str)
    """What runs, in words; empty: nothing."""

    TICK_MS = 500
    SOON = 0.4
    """Seconds after which an errand is worth a word: most are done by then."""

    def __init__(
        self, jobs: Jobs, racing: Racing, stop: Callable[[], object], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._jobs, self._racing = jobs, racing
        self._errands: list[Errand] = []
        self.words = ElidedLabel("", self, least=120)
        set_role(self.words, "heading")
        self.stop_button = QPushButton("Stop", self)
        self.stop_button.setObjectName("link")
        self.stop_button.clicked.connect(lambda _=False: stop())
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        row.addWidget(self.words)
        row.addWidget(self.stop_button)
        self._timer = QTimer(self, interval=self.TICK_MS)
        self._timer.timeout.connect(self.refresh)
        for signal in (jobs.jobs_changed, jobs.ended, racing.started, racing.ended):
            signal.connect(self.refresh)
        self.refresh()

    def runs(self) -> list[Run]:
        """What runs now."""
        course = self._racing.course
        racing: list[Run] = [course] if course is not None and course.alive else []
        return [*racing, *self._jobs.running]

    def follow(self, errand: Errand, changed: SignalInstance) -> None:
        """Show an errand, too, while it is at work; ``changed`` says that it began or ended."""
        self._errands.append(errand)
        changed.connect(self.refresh)
        self.refresh()

    @property
    def errands(self) -> list[Errand]:
        """What is at work for longer than most."""
        return [
            errand for errand in self._errands if errand.since is not None and errand.seconds >= self.SOON
        ]

    def cancel_errands(self) -> None:
        """End what is at work, seen or not."""
        for errand in self._errands:
            if errand.busy():
                errand.cancel()

    def refresh(self, *_: object) -> None:
        """Say what runs now."""
        for errand in self._errands:
            errand.look()
        runs, errands = self.runs(), self.errands
        said = [*(errand.words for errand in errands), *([running_words(runs)] if runs else [])]
        words = "  ·  ".join(said)
        self.setVisible(bool(said))
        at_work = bool(runs) or any(errand.since is not None for errand in self._errands)
        self._timer.start() if at_work else self._timer.stop()
        self.words.setText(words)
        self.said.emit(words)
        self.setAccessibleName(f"Running: {words}" if words else "Nothing runs")
        self.words.set_tip("\n".join([*(e.words for e in errands), *(running_words([run]) for run in runs)]))
        self.stop_button.setText("Stop" if runs else "Cancel")
        kept = "the best plans found are kept" if runs else "the plan on the canvas stays as it is"
        self.stop_button.setToolTip(f"Stop what runs; {kept} (Ctrl+.)")
        self.stop_button.setAccessibleName("Stop all searches" if runs else f"Cancel: {words}")

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Show the panel that says more."""
        if not self.runs():
            return
        course = self._racing.course
        self.shown.emit("race" if course is not None and course.alive else "planners")
