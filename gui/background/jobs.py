"""Planners and bound methods at work in the background: how they start, what they have to say, and how they end.

Every job runs in a process of its own (:mod:`planner.runs.worker`); one timer asks all of them for news. Where their plans go is
said in :mod:`gui.background.following`; what they prove goes to the document and to the other jobs.
"""

from __future__ import annotations

import time
from dataclasses import replace

from PySide6.QtCore import QObject, QTimer, Signal

from gui.background.following import Following
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
from gui.document.values import Message
from gui.widgets.later import soon
from planner.errors import PlannerRefusal, StageboardError
from planner.problem.bound import Bound
from planner.problem.problem import Problem
from planner.runs.messages import Compiling, Ended, Failed, Incumbent, Order, Proven, Told
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
        self._following = Following(document)
        self._workers: dict[Job, Worker] = {}
        self._news: dict[Job, list[News]] = {}
        self._spare: Worker | None = None
        self._keep_spare = False
        self._count = 0
        self._turn = 0
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
    def followed(self) -> Job | None:
        """The job whose plans the canvas shows."""
        return self._following.followed

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
            self._following.followed = job
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
        if job is None:
            self._following.followed = None
        else:
            if job.alive:
                self._timer.start()
            self._following.follow(job)
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
        self._following.forget()
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
        self._following.show_waiting()
        for job in self.running:
            self.job_changed.emit(job)
        if not self._workers and not self._following.waiting:
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
            elif isinstance(message, Compiling):
                job.compiling = message.now
        # Of several incumbents that came at once only the best is put into the list and shown.
        if best is not None:
            self._found(job, best)
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
        best = self._following.list(job, best)
        self.incumbent.emit(job, best.device_of, best.objective)
        self._following.show(job)

    # ------------------------------------------------------------------ the end
    def _ended(self, job: Job, last: Ended | Failed) -> None:
        if isinstance(last, Ended):
            result = last.result
            self._document.add_bounds(result.bounds)
            job.take_ending(result)
            self._following.list_own(job, result.own)
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
            self._following.follow_next(self.jobs)
