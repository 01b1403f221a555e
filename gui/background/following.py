"""Where the plans of jobs go: each job's best is an entry of the plan list, that of the followed job moves onto the canvas.

Nothing changes under the user's hands: where the user has edited since the job began, is holding something with the mouse, or plans another
problem now, plans wait in the list until applied.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from gui.background.job import Job
from gui.document.plan.document import Document
from gui.document.plan_list import PlanEntry
from planner.runs.messages import Incumbent
from planner.search.result import Own


def held(document: Document) -> bool:
    """Whether the user is dragging or pressing something."""
    pressed = QGuiApplication.mouseButtons() != Qt.MouseButton.NoButton
    return pressed or document.preview is not None


class Following:
    """Puts the plans of jobs into the document's list, and those of one job at a time onto its canvas, all of these one undo step."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self.followed: Job | None = None
        self.waiting: set[Job] = set()
        """Jobs whose plans are shown as soon as the user lets go of the mouse."""

    def follow(self, job: Job) -> None:
        """Show this job's plans from now on, whatever was edited before."""
        self.followed = job
        job.edits = self._document.edit_serial
        job.shown = False
        self.show(job)

    def forget(self) -> None:
        """Follow no job, and wait for none."""
        self.followed = None
        self.waiting.clear()

    # ------------------------------------------------------------------ the list
    def list(self, job: Job, best: Incumbent) -> Incumbent:
        """Put a better plan of a job into the list; returns it with interchangeable devices numbered as on the canvas."""
        document, best = self._document, self._numbered(job, best)
        job.take(best)
        if job.entry is not None and job.entry is document.active and not self._may_show(job):
            # What is on the canvas must not change under the user's hands: the better plan gets an entry of its own.
            job.entry.running = False
            job.entry = None
        if job.entry is None or job.entry not in document.plans:
            job.entry = self._listed(job, best)
            job.entry.running = True
        elif job.entry is not document.active:
            job.entry.provenance = job.provenance
            job.entry.planner = best.origin.planner if best.origin is not None else job.planner
            document.update_plan(job.entry, best.device_of, best.seconds)
        job.shown = False
        return best

    def list_own(self, job: Job, own: Own | None) -> None:
        """Put the plan that an ended job found itself into the list, where a start that is better has kept it off."""
        if job.keeps_start and job.entry is None and (best := job.take_own(own)) is not None:
            job.entry = self._listed(job, self._numbered(job, best))

    def _numbered(self, job: Job, best: Incumbent) -> Incumbent:
        return replace(best, device_of=self._document.board.called_alike(job.problem, best.device_of))

    def _listed(self, job: Job, best: Incumbent) -> PlanEntry:
        """A new entry of the list for the plan that a job has just taken."""
        assert job.provenance is not None, "it has just taken the plan"
        return self._document.add_plan(
            best.device_of, job.title, planner=job.provenance.planner, seed=job.order.seed, seconds=best.seconds,
            provenance=job.provenance, problem=job.problem,
        )  # fmt: skip

    # ------------------------------------------------------------------ the canvas
    def _may_show(self, job: Job) -> bool:
        document = self._document
        return (
            job is self.followed
            and document.edit_serial == job.edits
            and document.model_serial == job.model_serial
            and job.problem == document.problem
        )

    def show_waiting(self) -> None:
        """Show what waits, unless the user still holds something."""
        for job in list(self.waiting):
            self.show(job)

    def show(self, job: Job) -> None:
        """Show the best plan of the followed job, now or as soon as the user lets go of the mouse."""
        self.waiting.discard(job)
        if job.shown or job.device_of is None or job.entry is None or not self._may_show(job):
            return
        document = self._document
        if held(document):
            self.waiting.add(job)
            return
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

    def follow_next(self, jobs: Sequence[Job]) -> None:
        """The followed job is over: on to the latest planner that still runs, else to the best that ended meanwhile."""
        planners = [job for job in jobs if job is not self.followed and not job.order.is_bound]
        running = [job for job in planners if job.alive]
        found = [
            job for job in planners if job.components is not None and job.edits == self._document.edit_serial
        ]
        if running:
            self.followed = running[-1]
            self.show(running[-1])
        elif found:
            self.followed = min(found, key=lambda job: job.components or ())
            self.show(self.followed)
