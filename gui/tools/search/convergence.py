"""The convergence panel: the course of a job or a race, the incumbent from above and the bound from below, and what it means.

Of an objective with several components it shows one: the first that is not proven yet, or the one that is chosen.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from gui.look.numbers import Column, gap_text
from gui.look.theme import Theme
from gui.panels.base import Panel
from gui.tools.search.convergence_lines import proofs_of, steps
from gui.widgets.drop_down import DropDown
from gui.widgets.emptying import take
from gui.widgets.labels import ElidedLabel, set_role
from gui.widgets.later import Later
from gui.words.machines import changed_words
from gui.words.objectives import column_of, component_words
from gui.words.proofs import prover_words
from planner.problem.bound import Bound, gap

if TYPE_CHECKING:
    from gui.background.job import Job
    from gui.background.jobs import Jobs
    from gui.document.plan.document import Document
    from gui.tools.search.convergence_plot import ConvergencePlot
    from gui.tools.search.race.course import Course
    from gui.tools.search.race.racing import Racing

REDRAW = 100
"""Milliseconds between two redraws of a running job."""
LEAST_SECONDS = 0.05


class ConvergencePanel(Panel):
    """One job at a time: the one chosen, else the latest. pyqtgraph is imported when the panel is first seen."""

    id: ClassVar[str] = "convergence"
    title: ClassVar[str] = "Convergence"

    def __init__(self, document: Document, jobs: Jobs, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(document, theme, parent)
        self.jobs = jobs
        self.chooser = DropDown(self)
        self.chooser.setAccessibleName("Job to show")
        self.chooser.setSizeAdjustPolicy(DropDown.SizeAdjustPolicy.AdjustToContents)
        self.chooser.currentIndexChanged.connect(self.request_refresh)
        self.part = DropDown(self)
        self.part.setAccessibleName("Component of the objective to show")
        self.part.setSizeAdjustPolicy(DropDown.SizeAdjustPolicy.AdjustToContents)
        self.part.setToolTip(
            "Which component of the objective is drawn: the first not yet proven unless you choose"
        )
        self.part.activated.connect(self._part_chosen)
        self._racing: Racing | None = None
        self._wanted = ""
        """The component that was chosen by hand, empty to follow the search."""
        self.words = ElidedLabel("", self, lines=2)
        set_role(self.words, "muted")
        self.plot: ConvergencePlot | None = None
        top = QHBoxLayout()
        top.setContentsMargins(10, 4, 10, 0)
        top.setSpacing(8)
        top.addWidget(self.chooser)
        top.addWidget(self.part)
        top.addWidget(self.words, 1)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 4)
        self._column.setSpacing(2)
        self._column.addLayout(top)
        self._column.addStretch(1)
        self._redraw = Later(self.request_refresh, self, REDRAW)
        jobs.jobs_changed.connect(self._jobs_changed)
        jobs.job_changed.connect(self._job_changed)
        for signal in (document.model_changed, document.readouts_changed):
            signal.connect(self.request_refresh)
        self._jobs_changed()

    def sizeHint(self) -> QSize:
        """High enough to read a slope."""
        return QSize(480, 190)

    def minimumSizeHint(self) -> QSize:
        """Less is no plot."""
        return QSize(200, 140)

    # ------------------------------------------------------------------ which job
    def watch(self, racing: Racing) -> None:
        """Also show the races of the window."""
        self._racing = racing
        racing.changed.connect(self._race_changed)
        self._jobs_changed()

    def _runs(self) -> list[Job | Course]:
        """Races and jobs, each kind as they came."""
        return [*([] if self._racing is None else self._racing.courses), *self.jobs.jobs]

    def job(self) -> Job | Course | None:
        """The job or race that is shown."""
        wanted = self.chooser.currentData()
        return next((job for job in self._runs() if job.id == wanted), None)

    def _known(self) -> set[str]:
        return {self.chooser.itemData(i) for i in range(self.chooser.count())}

    def _jobs_changed(self) -> None:
        runs, known = self._runs(), self._known()
        new = [job.id for job in runs if job.id not in known]
        latest = new[-1] if new else runs[-1].id if runs else None
        keep = latest if new or self.job() is None else self.chooser.currentData()
        self.chooser.blockSignals(True)
        self.chooser.clear()
        for job in reversed(runs):
            self.chooser.addItem(f"{job.title} ({job.id.rpartition(' ')[2]})", job.id)
        self.chooser.setCurrentIndex(max(0, self.chooser.findData(keep)) if runs else -1)
        self.chooser.blockSignals(False)
        self.chooser.setVisible(bool(runs))
        if new:
            self._wanted = ""
        self.request_refresh()

    def _race_changed(self) -> None:
        courses = [] if self._racing is None else self._racing.courses
        if {course.id for course in courses} != {id for id in self._known() if id.startswith("race")}:
            self._jobs_changed()
        elif courses and self.job() is courses[-1]:
            self._redraw.ask_once()

    def _job_changed(self, job: Job) -> None:
        if job is self.job():
            self._redraw.ask_once()

    # ------------------------------------------------------------------ which component
    def _part_chosen(self, index: int) -> None:
        self._wanted = str(self.part.itemData(index))
        self.request_refresh()

    def _show_parts(self, job: Job | Course, reached: Mapping[str, float]) -> str:
        """Offer the components of the job's objective; returns the one to draw."""
        names = job.problem.components
        drawn = self._wanted if self._wanted in names else names[0]
        if drawn != self._wanted and reached:
            first = job.problem.standing(tuple(reached.values()), job.bounds).first_open
            drawn = names[-1] if first is None else first.name
        if tuple(self.part.itemData(i) for i in range(self.part.count())) != names:
            self.part.clear()
            for name in names:
                title = component_words(name).title
                self.part.addItem(title[:1].upper() + title[1:], name)
        self.part.setCurrentIndex(names.index(drawn))
        self.part.setVisible(len(names) > 1)
        return drawn

    # ------------------------------------------------------------------ drawing
    def _make_plot(self) -> ConvergencePlot:
        from gui.tools.search.convergence_plot import ConvergencePlot

        plot = ConvergencePlot(self.theme, self)
        # Only then is known how much of the axis words above and below the lines take.
        plot.getPlotItem().getViewBox().sigResized.connect(self.request_refresh)
        take(self._column, self._column.count() - 1)
        self._column.addWidget(plot, 1)
        return plot

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self.theme = theme
        if self.plot is not None:
            self.plot.set_theme(theme)
        self.request_refresh()

    def refresh(self) -> None:
        """Draw the chosen job's trace."""
        job = self.job()
        if job is None:
            self.words.setText("Start a planner to see its best plan come down and its bound come up.")
            self.part.hide()
            if self.plot is not None:
                self.plot.hide()
            return
        if self.plot is None:
            self.plot = self._make_plot()
        self.plot.show()
        problem = job.problem
        # A bound is proven for a plan that is there already.
        values = self._plan(job) if job.is_bound else job.components
        reached = dict(zip(problem.components, values or (), strict=bool(values)))
        part = self._show_parts(job, reached)
        proofs = proofs_of(job.proofs, part, reached)
        times = [seconds for seconds, _ in (*job.trace, *proofs)]
        end = max(job.seconds, LEAST_SECONDS, *times)
        place = problem.components.index(part)
        upper_x, upper_y = steps(((seconds, found[place]) for seconds, found in job.trace), end)
        by = job.by
        if job.is_bound and values is not None:
            upper_x, upper_y, by = np.array([0.0, end]), np.array([values[place]] * 2), "plan on the canvas"
        lower_x, lower_y = steps(((seconds, bound.value) for seconds, bound in proofs), end)
        # In the unit of what was found, as the header has it: what the search began with may be many times as much.
        column = column_of(problem, part, (upper_y if len(upper_y) else lower_y)[-1:].tolist())
        others = self.plot.draw_runners(job, place, end, column)
        self.plot.draw_lines(
            upper_x, upper_y / column.scale, lower_x, lower_y / column.scale, end, column, others
        )
        self.plot.label_lines(proofs, by, upper_y, lower_x, lower_y, end, column, bool(others))
        self._say(job, reached, part, proofs, column)

    def _plan(self, job: Job | Course) -> tuple[float, ...] | None:
        """The components of the plan on the canvas, where it is a valid one of the job's problem."""
        document = self.document
        if document.problem is None or document.problem != job.problem or not document.evaluation.valid:
            return None
        return document.evaluation.values

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another size has room for other words."""
        super().resizeEvent(event)
        self.request_refresh()

    def _say(
        self,
        job: Job | Course,
        reached: Mapping[str, float],
        part: str,
        proofs: list[tuple[float, Bound]],
        column: Column,
    ) -> None:
        parts = []
        if part in reached:
            by = "on the canvas" if job.is_bound else f"by {job.by}"
            parts.append(f"plan {column.text(reached[part])} {by}")
        bound = proofs[-1][1] if proofs else None
        if bound is not None and math.isfinite(bound.value):
            parts.append(f"bound {column.text(bound.value)} {prover_words(bound)}")
        apart = gap(reached[part], bound.value) if part in reached and bound is not None else None
        if apart is not None:
            parts.insert(0, self._apart(job, reached, part, apart))
        if former := self._of_former(job):
            parts.insert(0, former)
        self.words.setText("   ".join(parts) if parts else "no plan yet")

    def _of_former(self, job: Job | Course) -> str:
        """That a run was of the problem as it was before it was changed, and in what; empty for one of the open problem."""
        now = self.document.problem
        if now is None or job.problem == now:
            return ""
        other_machine = job.problem.target.kind != now.target.kind
        what = "machine" if other_machine else changed_words(job.problem, now) or "pins"
        return f"of the problem before: its {what} changed since"

    @staticmethod
    def _apart(job: Job | Course, reached: Mapping[str, float], part: str, apart: float) -> str:
        """The gap of a component, or that it is proven; its bound may be met before the ones before it are proven."""
        if apart > 0:
            return f"gap {gap_text(apart)}"
        standing = job.problem.standing(tuple(reached.values()), job.bounds)
        if standing.first_open is None:
            return "optimal"
        proven = any(one.name == part and one.proven for one in standing.components)
        return "proven" if proven else "bound met"
