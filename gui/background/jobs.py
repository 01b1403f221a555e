"""Planners and bound methods at work in the background, and what happens to what they find.

Every job runs in a process of its own (:mod:`planner.runs.worker`); one timer asks all of them for news. A job's best plan is
an entry of the plan list, updated in place. The job that is followed also shows its plans on the canvas, unless the
user has edited since it began or is holding something with the mouse: then they wait in the list until applied.
"""

from __future__ import annotations

import time
from dataclasses import replace

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication

from gui.background.job import (
    MORE_EFFORT,
    NOT_BETTER,
    USUAL,
    Job,
    at_its_limit,
    ending_words,
    found_nothing_better,
    hardly_words,
    is_start,
    nothing_words,
)
from gui.document.plan.document import Document
from gui.document.plan_list import PlanEntry
from gui.document.values import Message
from gui.widgets.later import soon
from planner.errors import PlannerRefusal, StageboardError
from planner.problem.bound import Bound
from planner.problem.problem import Problem
from planner.runs.messages import Ended, Failed, Incumbent, Order, Proven, Told
from planner.runs.messages import Message as News
from planner.runs.worker import Worker
from planner.search.result import precision_words
from planner.search.search import Shared


class Jobs(QObject):
    """All jobs of a window. Call :meth:`close` before the window goes: no process outlives it."""

    job_changed = Signal(object)
    incumbent = Signal(object, object, float)
    bound = Signal(object, object)
    ended = Signal(object)
    jobs_changed = Signal()
    """A job was started or forgotten."""

    POLL_MS = 30
    TICK_SECONDS = 0.008
    """What one tick may take of the GUI thread before it leaves the rest to the next."""
    KEPT = 50
    """Ended jobs that are remembered."""

    def __init__(self, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self.jobs: list[Job] = []
        self.followed: Job | None = None
        self._workers: dict[Job, Worker] = {}
        self._news: dict[Job, list[News]] = {}
        self._spare: Worker | None = None
        self._keep_spare = False
        self._count = 0
        self._turn = 0
        self._pending: set[Job] = set()
        self._closed = False
        self._timer = QTimer(self, interval=self.POLL_MS)
        self._timer.timeout.connect(self._tick)
        document.model_changed.connect(self._another_graph)

    # ------------------------------------------------------------------ starting and stopping
    @property
    def running(self) -> list[Job]:
        """Jobs that still run."""
        return [job for job in self.jobs if job.alive]

    @property
    def problem(self) -> Problem | None:
        """What is planned now; jobs may be about another."""
        return self._document.problem

    def warm_up(self) -> None:
        """Keep one idle process ready from now on, so that the next job starts at once. Call when the window is up."""
        self._keep_spare = True
        self._make_spare()

    def _make_spare(self) -> None:
        if self._keep_spare and self._spare is None and not self._closed:
            self._spare = Worker()

    def start(self, order: Order, title: str = "", follow: bool = True) -> Job:
        """Start an order. The latest planner started is the followed one unless ``follow`` is false; when it is over,
        one that still runs or else the best of those that ended meanwhile.

        Raises :class:`PlannerRefusal` where the method does not serve the problem.
        """
        from planner.machines.catalogue import bound_method, planner

        if self._closed:
            raise StageboardError("the window is closing; no job can be started")
        method = bound_method(order.method) if order.is_bound else planner(order.method)
        if (reason := method.refusal(order.problem)) is not None:
            raise PlannerRefusal(reason)
        worker, self._spare = self._spare, None
        if worker is not None and worker.connection.closed:
            worker = None
        worker = worker or Worker()
        worker.start(order)
        self._count += 1
        job = Job(
            f"job {self._count}", title or method.title, order, self._document.model_serial, time.monotonic(),
            self._document.edit_serial,
        )  # fmt: skip
        # The strongest first: of several on one component the others say nothing more.
        for known in sorted(order.bounds, key=lambda bound: (len(bound.given), -bound.value)):
            job.learn(0.0, known)
        self.jobs.append(job)
        self._workers[job] = worker
        self._news[job] = []
        if follow and not order.is_bound:
            self.followed = job
        self._forget_old()
        self._timer.start()
        soon(self, self._make_spare)
        self.jobs_changed.emit()
        self.job_changed.emit(job)
        return job

    def cancel(self, job: Job) -> None:
        """Ask a job to stop; its best plan stays in the list."""
        if job.state == "running":
            job.state, job.text = "stopping", "stopping"
            self._workers[job].cancel()
            self.job_changed.emit(job)

    def cancel_all(self) -> None:
        """Ask every job to stop."""
        for job in self.running:
            self.cancel(job)

    def follow(self, job: Job | None) -> None:
        """Show this job's plans on the canvas from now on (None = no job's), whatever was edited before."""
        self.followed = job
        if job is not None:
            job.edits = self._document.edit_serial
            job.shown = False
            self._pending.add(job)
            if job.alive:
                self._timer.start()
            self._show(job)
        self.jobs_changed.emit()

    def forget(self, job: Job) -> None:
        """Take an ended job off the list; its plan stays in the plan list."""
        if not job.alive and job in self.jobs:
            self.jobs.remove(job)
            self.jobs_changed.emit()

    def close(self) -> None:
        """End every process now. What was found is in the plan list already."""
        self._closed = True
        self._keep_spare = False
        self._timer.stop()
        for job, worker in list(self._workers.items()):
            self._close_worker(job, worker)
            if job.alive:
                self._end(job, "cancelled", "stopped with the window")
        if self._spare is not None:
            self._spare.close(grace=0.0)
            self._spare = None

    def _close_worker(self, job: Job, worker: Worker) -> None:
        if not worker.finished:
            worker.close(grace=0.0)
        self._workers.pop(job, None)
        self._news.pop(job, None)

    def _forget_old(self) -> None:
        ended = [job for job in self.jobs if not job.alive]
        for job in ended[: max(0, len(ended) - self.KEPT)]:
            self.jobs.remove(job)

    def _another_graph(self) -> None:
        """Jobs on the graph that was open before have nobody to report to."""
        for job, worker in list(self._workers.items()):
            self._close_worker(job, worker)
            self._end(job, "cancelled", "another model was opened")
        self.followed = None
        self._pending.clear()
        self.jobs.clear()
        self.jobs_changed.emit()

    # ------------------------------------------------------------------ news
    def _tick(self) -> None:
        """Take news from every job in turn, for a few milliseconds at most."""
        until = time.perf_counter() + self.TICK_SECONDS
        jobs = list(self._workers)
        for i in range(len(jobs)):
            # The one that was last when time ran out comes first at the next tick.
            job = jobs[(self._turn + i) % len(jobs)]
            if job in self._workers:
                self._take_news(job)
            if time.perf_counter() > until:
                self._turn += i + 1
                break
        for job in list(self._pending):
            self._show(job)
        for job in self.running:
            self.job_changed.emit(job)
        if not self._workers and not self._pending:
            self._timer.stop()

    def _take_news(self, job: Job) -> None:
        worker = self._workers[job]
        messages = worker.poll()
        best: Incumbent | None = None
        for message in messages:
            if isinstance(message, Incumbent):
                given = is_start(job, message)
                job.found(message.seconds, message.components or (message.objective,), given)
                if given:
                    # What it began with somebody else has found: under its name it would seem to be as good.
                    self.incumbent.emit(job, message.device_of, message.objective)
                else:
                    best = message
            elif isinstance(message, Proven):
                self._proven(job, message)
            elif isinstance(message, Told):
                job.fraction, job.text, job.iterations = message.fraction, message.text, message.iterations
        # Of several incumbents that came at once only the best is put into the list and shown.
        if best is not None:
            self._found(job, self._numbered(job, best))
        last = messages[-1] if messages else None
        if isinstance(last, (Ended, Failed)):
            self._close_worker(job, worker)
            self._ended(job, last)

    def _proven(self, job: Job, message: Proven) -> None:
        job.learn(message.seconds, message.bound)
        self._document.add_bounds([message.bound])
        self.bound.emit(job, message.bound)
        self.hear(message.bound)

    def tell(self, job: Job, plan: Shared) -> None:
        """Let a job know of a plan that was found elsewhere."""
        if job in self._workers:
            self._workers[job].tell(plan)

    def hear(self, bound: Bound) -> None:
        """Tell all jobs what was proven: that spares them work, or ends theirs."""
        for job in self.running:
            if job.learn(job.seconds, bound):
                self._workers[job].tell(bound)

    def _found(self, job: Job, best: Incumbent) -> None:
        """A better plan: into the list, evaluated under the problem as it is now, and onto the canvas if followed."""
        document = self._document
        job.take(best)
        if job.entry is None or job.entry not in document.plans:
            job.entry = self._listed(job, best)
            job.entry.running = True
        elif job.entry is document.active and not self._may_show(job):
            # What is on the canvas must not change under the user's hands: the better plan gets an entry of its own.
            job.entry.running = False
            job.entry = None
            self._found(job, best)
            return
        elif job.entry is not document.active:
            job.entry.provenance = job.provenance
            job.entry.planner = best.origin.planner if best.origin is not None else job.planner
            document.update_plan(job.entry, best.device_of, best.seconds)
        job.shown = False
        self.incumbent.emit(job, best.device_of, best.objective)
        self._show(job)

    def _numbered(self, job: Job, best: Incumbent) -> Incumbent:
        """What a job found with interchangeable devices numbered as on the canvas."""
        return replace(best, device_of=self._document.board.called_alike(job.problem, best.device_of))

    def _listed(self, job: Job, best: Incumbent) -> PlanEntry:
        """A new entry of the list for the plan that a job has just taken."""
        assert job.provenance is not None, "it has just taken the plan"
        return self._document.add_plan(
            best.device_of, job.title, planner=job.provenance.planner, seed=job.order.seed, seconds=best.seconds,
            provenance=job.provenance, problem=job.problem,
        )  # fmt: skip

    def _may_show(self, job: Job) -> bool:
        document = self._document
        return (
            job is self.followed
            and document.edit_serial == job.edits
            and document.model_serial == job.model_serial
            and job.problem == document.problem
        )

    def _interacting(self) -> bool:
        """Whether the user is dragging or pressing something."""
        pressed = QGuiApplication.mouseButtons() != Qt.MouseButton.NoButton
        return pressed or self._document.preview is not None

    def _show(self, job: Job) -> None:
        """Show the best plan of the followed job, now or as soon as the user lets go of the mouse."""
        self._pending.discard(job)
        if job.shown or job.device_of is None or job.entry is None or not self._may_show(job):
            return
        if self._interacting():
            self._pending.add(job)
            return
        document = self._document
        if job.entry is not document.active and not self._deserves(job):
            return
        job.shown = True
        job.entry.device_of, job.entry.provenance = job.device_of, job.provenance
        if job.provenance is not None:
            job.entry.planner = job.provenance.planner
        job.entry.seconds = job.trace[-1][0]
        document.refresh_entry(job.entry)
        document.history.listed(job.entry)
        document.follow(job.device_of, job.entry, job.id, job.title)

    def _deserves(self, job: Job) -> bool:
        """Whether a job's plan may take the canvas: it is better than what is there, and the list has no better one."""
        assert job.components is not None
        return self._document.plan_list.deserves(job.components, job.problem, job.entry)

    # ------------------------------------------------------------------ the end
    def _ended(self, job: Job, last: Ended | Failed) -> None:
        if isinstance(last, Ended):
            result = last.result
            self._document.add_bounds(result.bounds)
            job.take_ending(result)
            if job.keeps_start and job.entry is None and (own := job.take_own(result.own)) is not None:
                job.entry = self._listed(job, self._numbered(job, own))
            limited = at_its_limit(job, result.seconds)
            self._seal(job, result.stop_reason, job.order.time_limit if limited else None)
            state = "cancelled" if result.stop_reason == "cancelled" else "done"
            # Who proves bounds looks for no plan.
            sought = "" if job.order.is_bound and result.status == "no_plan" else result.status
            job.infeasible = result.status == "infeasible"
            text = ending_words(sought, result.stop_reason, precision_words(result), limited)
            if state == "done" and sought == "no_plan" and not result.message:
                ended = f"{text.partition(',')[0]}: " if limited and result.stop_reason == "time" else ""
                text = ended + nothing_words(job, result.seconds, last.compiling)
            if state == "done" and result.status == "feasible" and found_nothing_better(job):
                text = NOT_BETTER if text == "finished" else f"{text}, {NOT_BETTER}"
            elif job.components is not None and job.entry is not self._document.active:
                text = hardly_words(text, self._document.plan_list.hardly_better(job.components, job.problem))
            if text.startswith(USUAL) and "effort" in job.order.options:
                text += MORE_EFFORT
            self._end(job, state, text)
            if result.message:
                self._document.message.emit(Message("info", f"{job.title}: {result.message}"))
            return
        stopping = job.state == "stopping"
        job.detail = last.detail
        self._end(job, "cancelled" if stopping else "failed", last.sentence)
        if not stopping:
            self._document.message.emit(Message("error", f"{job.title}: {last.sentence}", last.detail))

    @staticmethod
    def _seal(job: Job, stop_reason: str, time_limit: float | None) -> None:
        """The provenance says how the search ended, and by which time limit where it was by one."""
        before = job.provenance
        if before is not None:
            job.provenance = replace(before, stop_reason=stop_reason, time_limit=time_limit)
            if job.entry is not None and job.entry.provenance is before:
                job.entry.provenance = job.provenance

    def _end(self, job: Job, state: str, text: str) -> None:
        job.ended_after = time.monotonic() - job.began
        job.state, job.text = state, text
        job.fraction = 1.0 if state == "done" else job.fraction
        if job.entry is not None:
            job.entry.running = False
            if job.entry in self._document.plans:
                seconds = job.ended_after if job.searched is None else job.searched
                self._document.update_plan(job.entry, seconds=seconds)
        self.job_changed.emit(job)
        self.ended.emit(job)
        if job is self.followed and not self._closed:
            self._follow_next()

    def _follow_next(self) -> None:
        """The followed job is over: on to the latest planner that still runs, else to the best that ended meanwhile."""
        planners = [job for job in self.jobs if job is not self.followed and not job.order.is_bound]
        running = [job for job in planners if job.alive]
        found = [
            job for job in planners if job.components is not None and job.edits == self._document.edit_serial
        ]
        if running:
            self.followed = running[-1]
            self._show(running[-1])
        elif found:
            self.followed = min(found, key=lambda job: job.components or ())
            self._show(self.followed)
