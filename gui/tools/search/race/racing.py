"""The race of a window: starts the engine, asks it for news, and passes on what is found and proven.

The engine (:mod:`planner.runs.race`) keeps its processes; one timer polls it, a few milliseconds per tick. What it finds goes into the
plan list and onto the canvas (:mod:`gui.tools.search.race.placing`), bounds go to the document. An ended race stays to be read.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject, QTimer, Signal

from gui.document.values import Message
from gui.tools.search.race.course import Course, Goal
from gui.tools.search.race.placing import Placing
from gui.tools.search.race.runner import Runner
from planner.errors import StageboardError

if TYPE_CHECKING:
    from gui.background.jobs import Jobs
    from gui.document.plan.document import Document
    from planner.problem.problem import Problem
    from planner.problem.provenance import Provenance
    from planner.runs.race import Entrant, Event, Race


@dataclass(frozen=True)
class Settings:
    """What a race is started with; ``from_canvas`` gives all entrants the plan on the canvas where that is valid."""

    entrants: Sequence[Entrant]
    goal: Goal
    from_canvas: bool = True
    known: bool = True
    """Whether they know what is proven already."""


class Racing(QObject):
    """One race at a time. Call :meth:`close` before the window goes: no process outlives it."""

    changed = Signal()
    """There is something to redraw."""
    started = Signal()
    ended = Signal(object)
    """The :class:`Course` that is over."""

    POLL_MS = 30
    TICK_SECONDS = 0.008
    """What one tick may take of the GUI thread before it leaves the rest to the next."""
    BATCH = 4
    """How much news of each process is taken before the clock is looked at."""
    LIST_SECONDS = 0.25
    """How often plans of those who do not lead are put into the list."""
    NEWS_SECONDS = 0.08
    """How often something is redrawn for news."""
    CLOCK_SECONDS = 0.2
    """How often something is redrawn for the time alone."""
    KEPT = 8
    """Races that are remembered."""

    def __init__(self, document: Document, jobs: Jobs | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._jobs = jobs
        self.courses: list[Course] = []
        self._engine: Race | None = None
        self._placing: Placing | None = None
        self._wants_follow = True
        self._held = False
        """Whether the best plan waits until the user lets go of the mouse."""
        self._count = 0
        self._listed = self._told = 0.0
        self._heard = False
        """Whether there is news that nobody has drawn."""
        self._timer = QTimer(self, interval=self.POLL_MS)
        self._timer.timeout.connect(self.tick)
        document.model_changed.connect(self._another_graph)
        if jobs is not None:
            self._jobs_known = len(jobs.jobs)
            jobs.jobs_changed.connect(self._jobs_changed)

    # ------------------------------------------------------------------ state
    @property
    def course(self) -> Course | None:
        """The race that runs, else the last one."""
        return self.courses[-1] if self.courses else None

    @property
    def running(self) -> bool:
        """Whether a race is on."""
        return self._engine is not None

    @property
    def follows(self) -> bool:
        """Whether the best plan moves onto the canvas as it is found."""
        return self._wants_follow

    @property
    def settled(self) -> bool:
        """Whether nothing is on its way into the plan list or onto the canvas."""
        return not self._timer.isActive()

    # ------------------------------------------------------------------ starting and stopping
    def start(self, settings: Settings) -> Course:
        """Start a race on the document's problem. Raises :class:`StageboardError`."""
        from planner.runs.race import Race

        document = self._document
        problem = document.problem
        if problem is None:
            raise StageboardError("no model is open; open one before a race")
        if self.running:
            raise StageboardError("a race is on already; stop it before the next one")
        if not settings.entrants:
            raise StageboardError("nobody takes part; choose at least one planner or bound method")
        starts = [document.device_of.copy()] if settings.from_canvas and document.evaluation.valid else []
        goal = settings.goal
        bounds = tuple(document.bounds) if settings.known else ()
        engine = Race(
            problem, tuple(settings.entrants), cores=goal.cores, gap=goal.gap, time_limit=goal.time_limit,
            starts=tuple(starts), bounds=bounds,
        )  # fmt: skip
        engine.start()
        self._engine = engine
        self._count += 1
        given = tuple(document.evaluation.values) if starts else None
        course = Course(self._count, problem, goal, [Runner(s) for s in engine.standings], given)
        if given is not None:
            course.trace.append((0.0, given))
        for bound in sorted(bounds, key=lambda bound: (len(bound.given), -bound.value)):
            course.learn(0.0, bound)
        self._placing = Placing(document, course)
        self._placing.follow(self._wants_follow)
        if self._jobs is not None and self._wants_follow:
            self._jobs.follow(None)
        self.courses = [*self.courses[-self.KEPT + 1 :], course]
        self._timer.start()
        self.started.emit()
        self.changed.emit()
        return course

    def stop(self) -> None:
        """Ask everybody to stop; what was found is kept."""
        if self._engine is not None:
            self._engine.cancel()
            self.changed.emit()

    def stop_one(self, runner: Runner) -> None:
        """Ask one entrant to stop."""
        if self._engine is not None and runner in self._runners():
            self._engine.stop(runner.index)
            self.changed.emit()

    def follow(self, follows: bool) -> None:
        """Whether the best plan is on the canvas from now on; what was found already is shown at once."""
        self._wants_follow = follows
        if self._placing is not None:
            self._placing.follow(follows)
            if follows and self._jobs is not None and self.running:
                self._jobs.follow(None)
            leader = None if self.course is None else self.course.leader
            if leader is not None:
                self._place(leader)
                self._timer.start()
        self.changed.emit()

    def close(self) -> None:
        """End every process now. What was found is in the plan list already."""
        self._timer.stop()
        if self._engine is not None:
            engine, self._engine = self._engine, None
            engine.close()
            course = self.course
            if course is not None and course.alive:
                course.outcome = "cancelled"
                self._settle_entries(course)

    # ------------------------------------------------------------------ others
    def _jobs_changed(self) -> None:
        """A planner that is started beside the race, and followed, has the canvas for itself."""
        assert self._jobs is not None
        more, self._jobs_known = len(self._jobs.jobs) > self._jobs_known, len(self._jobs.jobs)
        if more and self._jobs.followed is not None and self.running and self._wants_follow:
            self.follow(False)

    def _another_graph(self) -> None:
        """A race on the graph that was open before has nobody to report to."""
        self._timer.stop()
        engine, self._engine, self._placing, self._held = self._engine, None, None, False
        if engine is not None:
            engine.close()
        self.courses = []
        self.changed.emit()

    def _runners(self) -> list[Runner]:
        return [] if self.course is None else self.course.runners

    # ------------------------------------------------------------------ news
    def tick(self) -> None:
        """Take news for a few milliseconds at most, then list and show what was found."""
        until = time.perf_counter() + self.TICK_SECONDS
        course, engine = self.course, self._engine
        if course is None:
            self._timer.stop()
            return
        over = False
        while engine is not None and not over:
            events = engine.poll(0.0, self.BATCH)
            for event in events:
                self._heard = True
                over = self._hear(course, event) or over
            if not events or time.perf_counter() > until:
                break
        if engine is not None:
            course.seconds = engine.seconds
        self._place_all(course, until, at_once=over)
        if over:
            self._end(course)
        now = time.monotonic()
        wait = self.NEWS_SECONDS if self._heard else self.CLOCK_SECONDS
        if over or now - self._told > wait:
            self._told, self._heard = now, False
            self.changed.emit()
        if self._engine is None and not self._waiting(course):
            self._settle_entries(course)
            self._timer.stop()

    def _hear(self, course: Course, event: Event) -> bool:
        """Take note of one event; returns whether it is the last."""
        from planner.runs.race import Better, Proven, RaceEnded

        if isinstance(event, Better):
            runner = course.runners[event.index]
            course.found(runner, event.seconds, tuple(event.components))
            called = self._document.board.called_alike(cast("Problem", course.problem), event.decision)
            runner.decision, runner.dirty = called, True
        elif isinstance(event, Proven):
            runner = course.runners[event.index]
            runner.proofs.append((event.seconds, event.bound))
            course.learn(event.seconds, event.bound, runner)
            self._document.add_bounds([event.bound])
        elif isinstance(event, RaceEnded):
            course.outcome = event.outcome
            return True
        return False

    def _end(self, course: Course) -> None:
        """The race is over: nothing runs any more."""
        assert self._engine is not None
        for runner in course.runners:
            self._seal(runner)
        self._engine.close()
        self._engine = None
        for runner in course.runners:
            if runner.standing.ending == "failed":
                text = f"{runner.title}: {runner.standing.reason}"
                self._document.message.emit(Message("error", text, runner.standing.detail))
        self.ended.emit(course)

    # ------------------------------------------------------------------ plans
    def _provenance(self, runner: Runner) -> Provenance | None:
        """Where a runner's best plan comes from; the engine is asked as long as there is one."""
        if self._engine is not None:
            runner.provenance = self._engine.provenance(runner.index)
        return runner.provenance

    def _seal(self, runner: Runner) -> None:
        """An entry's provenance as it stands at the end: the engine will not be asked again."""
        provenance = self._provenance(runner) if runner.decision is not None else None
        if runner.entry is not None and runner.entry in self._document.plans and not runner.dirty:
            runner.entry.provenance = provenance or runner.entry.provenance

    def _place_all(self, course: Course, until: float, at_once: bool) -> None:
        """The leader's plan at once, those of others now and then, and all of them in the end."""
        leader = course.leader
        if leader is not None and (leader.dirty or self._held):
            self._place(leader)
        now = time.monotonic()
        if now - self._listed < self.LIST_SECONDS and not at_once:
            return
        for runner in course.runners:
            if runner.dirty and runner is not leader:
                self._place(runner)
                if time.perf_counter() > until and not at_once:
                    return
        self._listed = now

    def _place(self, runner: Runner) -> None:
        placing, course = self._placing, self.course
        if placing is None or course is None:
            return
        provenance = self._provenance(runner)
        if runner is course.leader and placing.may_show:
            if runner.entry is None or runner.entry not in self._document.plans:
                placing.list(runner, provenance)
            self._held = not placing.show(runner, provenance)
            if self._held:
                return
        elif runner is course.leader:
            self._held = False
        if runner.dirty:
            placing.list(runner, provenance)

    def _waiting(self, course: Course) -> bool:
        """Whether there is a plan that has not come to its place yet."""
        return self._held or any(runner.dirty for runner in course.runners)

    def _settle_entries(self, course: Course) -> None:
        """Nobody improves these entries any more."""
        for runner in course.runners:
            if runner.entry is not None:
                runner.entry.running = False
        self._document.plans_changed.emit()
