"""One background job: its name and state, how far it is, what it found, and a button to end it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, cast

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QGridLayout, QPushButton, QToolButton, QWidget

from gui.background.job import NOT_BETTER
from gui.look.numbers import gap_text, plural
from gui.look.theme import Theme, font
from gui.widgets.labels import ElidedLabel, set_role
from gui.widgets.offering import offer
from gui.widgets.plain import plain_tip
from gui.widgets.progress_line import ProgressLine
from gui.words.machines import fast_memory_words
from gui.words.objectives import amount, component_words, components_text, objective_title
from gui.words.proofs import standing_lines

if TYPE_CHECKING:
    from gui.background.job import Job
    from gui.background.jobs import Jobs
    from planner.problem.problem import Problem


class JobRow(QWidget):
    """Title and time, a bar, the result so far in as many lines as it takes, and where nothing was found a button that starts it again. A
    click asks for the convergence plot."""

    clicked = Signal()
    again_requested = Signal(object)
    """A job is to be started once more."""

    def __init__(self, job: Job, jobs: Jobs, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.job = job
        self._jobs = jobs
        self._theme = theme
        self.title = ElidedLabel(job.title, self)
        self.title.setFont(font(9.0, bold=True))
        self.state = ElidedLabel("", self)
        self.state.setFont(font(8.0))
        set_role(self.state, "muted")
        self.result = ElidedLabel("", self, lines=3)
        self.result.setFont(font(8.0))
        set_role(self.result, "muted")
        self.line = ProgressLine(theme, self)
        self.button = QToolButton(self)
        self.button.setText("\N{MULTIPLICATION SIGN}")
        self.button.clicked.connect(self._press)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 2)
        grid.setHorizontalSpacing(6)
        grid.setVerticalSpacing(2)
        grid.addWidget(self.title, 0, 0)
        grid.addWidget(self.state, 0, 1)
        grid.addWidget(self.button, 0, 2)
        grid.addWidget(self.line, 1, 0, 1, 3)
        self.again = QPushButton("Start again", self)
        self.again.setObjectName("link")
        self.again.setToolTip("The same planner with the same options, from the plan that it was given")
        self.again.clicked.connect(lambda _=False: self.again_requested.emit(self.job))
        grid.addWidget(self.result, 2, 0, 1, 3)
        grid.addWidget(self.again, 3, 0, Qt.AlignmentFlag.AlignLeft)
        grid.setColumnStretch(0, 1)
        self.show_job()

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self._theme = theme
        self.show_job()

    def show_job(self) -> None:
        """Read the job anew."""
        job, t = self.job, self._theme
        self.state.setText(
            f"{job.state} {job.time_words}" if job.state != "done" else f"done, {job.time_words}"
        )
        colour = {"running": t.accent, "stopping": t.warning, "failed": t.bad}.get(job.state, t.faint)
        fraction = job.fraction if job.alive else 1.0
        self.line.show_progress(fraction, job.seconds, colour, t)
        parts, proven = self._results(), job.gap == 0.0
        elsewhere = other_problem(job.problem, self._jobs.problem)
        said = job.state == "done" and (job.text == "finished" or proven)
        if job.words and not said and not (job.keeps_start and job.text == NOT_BETTER):
            parts.append(job.words)
        if job.preparing_words:
            parts.append(job.preparing_words)
        found = " · ".join(parts)
        self.result.setText(f"{elsewhere}: {found}" if elsewhere and found else found or elsewhere)
        lines = [f"Not about what is planned now, but: {elsewhere}"] if elsewhere else []
        self.result.set_tip("\n".join([*lines, *self._lines(), *([job.detail] if job.detail else [])]))
        self.result.set_colour(t.bad if job.state == "failed" else t.muted)
        self.again.setVisible(job.found_none)
        verb = "Cancel" if job.alive else "Take off the list:"
        self.button.setAccessibleName(f"{verb} {job.title}")
        offer(
            self.button, "it is stopping" if job.state == "stopping" else "", plain_tip(f"{verb} {job.title}")
        )
        self.setAccessibleName(f"{job.title}: {self.state.text()}. {self.result.text()}")

    def _results(self) -> list[str]:
        """What it found, and what it and others proved about that: of several components those proven, then the gap."""
        job, problem = self.job, self.job.problem
        standing = job.standing
        if standing is None:
            known = {b.component: b for _, b in job.proofs if not b.given and math.isfinite(b.value)}
            return [
                f"{self._named(name, 'bound')} {amount(problem, name, b.value)}" for name, b in known.items()
            ]
        if len(problem.components) == 1:
            reached = components_text(problem, [one.value for one in standing.components])
            parts = [*self._found_itself(), f"began with {reached}"] if job.keeps_start else [reached]
            (only,) = standing.components
            if job.order.is_bound and only.bound is not None and math.isfinite(only.bound.value):
                parts.append(f"bound {amount(problem, only.name, only.bound.value)}")
            if only.gap is not None:
                parts.append(gap_text(only.gap) if only.proven else f"gap {gap_text(only.gap)}")
            return parts
        first = standing.first_open
        if first is None:
            return ["optimal", ", ".join(amount(problem, one.name, one.value) for one in standing.components)]
        parts = [f"{component_words(one.name).short} ✓" for one in standing.components if one.proven]
        shown = f"{component_words(first.name).short} {amount(problem, first.name, first.value)}"
        return [*parts, shown if first.gap is None else f"{shown}, gap {gap_text(first.gap)}"]

    def _found_itself(self) -> list[str]:
        """What a run found itself that keeps a plan that it began with; empty while it runs, and where that plan is proven the best."""
        job = self.job
        if job.own is not None and not (job.met and job.gap != 0.0):
            return [f"found {components_text(job.problem, job.own)}; the plan that it began with is better"]
        return [] if job.alive or job.gap == 0.0 else ["found nothing better"]

    def _lines(self) -> list[str]:
        """Every component with what is proven about it, where there are several."""
        standing = self.job.standing
        if standing is None or len(standing.components) < 2:
            return []
        return standing_lines(self.job.problem, standing)

    def _named(self, component: str, word: str) -> str:
        """``bound``, with the component's name where the objective has several."""
        several = len(self.job.problem.components) > 1
        return f"{component_words(component).short} {word}" if several else word

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click anywhere but on the button."""
        self.clicked.emit()

    def _press(self) -> None:
        if self.job.alive:
            self._jobs.cancel(self.job)
        else:
            self._jobs.forget(self.job)


def other_problem(mine: Problem, now: Problem | None) -> str:
    """What a job was about where that is not what is planned now: ``3 stages``; empty where it is."""
    if now is None or mine == now:
        return ""
    if mine.objective != now.objective:
        return objective_title(mine.objective)
    if len(mine.devices) != len(now.devices):
        kinds = {device.kind for device in mine.devices}
        return plural(len(mine.devices), kinds.pop() if len(kinds) == 1 else "device")
    if mine.target != now.target:
        network = cast(Any, mine) if mine.target.plans_networks else None
        return "another target" if network is None else fast_memory_words(network)
    return "other constraints" if mine.constraints != now.constraints else "other op times"
