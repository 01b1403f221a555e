"""The schedule dock: when each device works on which sample under the plan on the canvas."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QVBoxLayout, QWidget

from gui.look.numbers import percent, plural
from gui.look.theme import Theme
from gui.panels.base import Panel
from gui.panels.schedule.chart import ScheduleChart
from gui.panels.schedule.choice import KindBox, SamplesBox, fit_button
from gui.panels.schedule.layout import times_of
from gui.widgets.labels import ElidedLabel, set_role
from planner.errors import StageboardError
from planner.problem.decision import Evaluation
from planner.reports.schedule.common import practice_interval, practice_latency
from planner.reports.schedule.schedule import Schedule, kinds_for, schedule

if TYPE_CHECKING:
    from gui.document.plan.document import Document
    from planner.problem.target import Target

PRACTICE = (
    "The picture gives each stage the host link and its cache to itself. In practice all stages share\n"
    "one link and activations take room in the caches: see Target, Link and speed."
)
ALONE = "The picture has stage times alone. In practice a sample takes {}: see Target, Link and speed."
ONE_LINK = (
    "All stages stream over one link, one after another, and samples are as far apart as that takes, with the\n"
    "largest rest (see Why). Whose turn it is to stream the picture leaves open."
)

BETWEEN = "   "
"""Between the parts of a summary."""


class SchedulePanel(Panel):
    """Kind, number of samples, a sentence, and the chart. Computed anew when ops move, while it can be seen."""

    id: ClassVar[str] = "schedule"
    title: ClassVar[str] = "Schedule"

    def __init__(self, document: Document, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(document, theme, parent)
        self.schedule: Schedule | None = None
        self._shown: tuple[object, ...] = ()
        """What the schedule was made for: assignment, kind, samples."""
        self.kind = KindBox(self)
        self.kind.activated.connect(self._kind_chosen)
        self.samples = SamplesBox("How many samples are drawn; auto: enough to see the steady state", self)
        self.samples.valueChanged.connect(self.request_refresh)
        self.virtual = QCheckBox("Virtual devices", self)
        self.virtual.setToolTip("A row for each of the pieces that a device runs one after the other")
        self.virtual.toggled.connect(self.request_refresh)
        self.words = ElidedLabel("", self, lines=2)
        set_role(self.words, "muted")
        self.fit_button = fit_button("Show the whole schedule", self)
        self.chart = ScheduleChart(theme, self)
        self.fit_button.clicked.connect(self.chart.fit)
        self.chart.ops_chosen.connect(document.select)
        top = QHBoxLayout()
        top.setContentsMargins(10, 4, 10, 0)
        top.setSpacing(8)
        for widget in (self.kind, self.samples, self.virtual):
            top.addWidget(widget)
        top.addWidget(self.words, 1)
        top.addWidget(self.fit_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 2)
        column.setSpacing(3)
        column.addLayout(top)
        column.addWidget(self.chart, 1)
        document.model_changed.connect(self._another_graph)
        for signal in (document.problem_changed, document.decision_changed):
            signal.connect(self.request_refresh)
        document.selection_changed.connect(self._selection_changed)

    def sizeHint(self) -> QSize:
        """Room for a handful of devices."""
        return QSize(560, 190)

    def minimumSizeHint(self) -> QSize:
        """Less shows nothing."""
        return QSize(200, 130)

    # ------------------------------------------------------------------ choices
    def _another_graph(self) -> None:
        self.kind.forget()
        self.chart.fit()
        self.request_refresh()

    def _kind_chosen(self) -> None:
        self.chart.fit()
        self.request_refresh()

    # ------------------------------------------------------------------ contents
    def refresh(self) -> None:
        """Compute what has changed and show it."""
        problem, open_ = self.document.problem, self.document.problem is not None
        for widget in (self.kind, self.samples, self.fit_button, self.chart):
            widget.setVisible(open_)
        if problem is None:
            self.schedule, self._shown = None, ()
            self.virtual.hide()
            self.chart.show_schedule(None, (), None, False, False)
            self.words.set_texts(self.document.nothing("Open a model to see when its devices work."))
            return
        kind = self.kind.fill(kinds_for(problem))
        made_for = (
            self.document.model_serial, self.document.assignment_serial, kind, self.samples.value(), problem.fingerprint,
        )  # fmt: skip
        if self.schedule is None or made_for != self._shown:
            try:
                self.schedule = schedule(
                    problem,
                    self.document.device_of,
                    kind=kind,
                    samples=self.samples.value() or None,
                    evaluation=self.document.evaluation,
                )
            except StageboardError as error:
                self.schedule = None
                self.words.set_texts(str(error))
        keep = bool(self._shown) and self._shown[0] == made_for[0] and self._shown[2] == kind
        self._shown = made_for
        s = self.schedule
        self.virtual.setVisible(s is not None and s.virtual and s.kind != "latency")
        rows = s is not None and s.virtual and s.kind != "latency" and self.virtual.isChecked()
        titles = [device.title for device in problem.devices]
        short = [device.name for device in problem.devices]
        self.chart.show_schedule(s, titles, problem.graph.time_unit, rows, keep, short)
        if s is not None:
            self.chart.show_selection(self.document.selection)
            evaluation, unit = self.document.evaluation, problem.graph.time_unit
            practice = in_practice(problem.target, evaluation, s, unit)
            broken = len(evaluation.violations)
            set_role(self.words, "bad" if broken else "muted")
            self.words.set_texts(*shorter(summary(s, titles, unit, practice, broken)))
            alone, streams = s.kind == "latency", not s.bottlenecks and s.period > 0
            told = ONE_LINK if streams and not alone else ""
            if practice:
                note = problem.target.latency_note(evaluation)
                told = PRACTICE if not alone else ALONE.format(note) if note else ""
            self.words.set_tip(told)

    def _selection_changed(self) -> None:
        """Only the outlines change. A hidden chart reads the selection when it is shown."""
        if not self.isVisible() or self.waiting:
            self.request_refresh()
        else:
            self.chart.show_selection(self.document.selection)

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self.chart.set_theme(theme)
        super().set_theme(theme)


def in_practice(target: Target, evaluation: Evaluation, s: Schedule, unit: str | None) -> str:
    """``about 9.00 ms in practice (4.00 MiB streamed on one link)``, where the target estimates that samples come visibly
    later, or that one alone takes visibly longer, than a schedule says, which gives each stage the host link and its cache to itself;
    else empty."""
    alone, times = s.kind == "latency", times_of(s, unit)
    interval = practice_latency(evaluation, s.period) if alone else practice_interval(evaluation, s.period)
    if s.kind == "gpipe" or math.isnan(interval) or times.text(interval) == times.text(s.period):
        return ""
    why = "" if alone else target.throughput_note(evaluation)
    return f"about {times.text(interval)} in practice" + (f" ({why})" if why else "")


def summary(
    s: Schedule, titles: list[str], unit: str | None, practice: str = "", broken: int = 0, beside: Sequence[Schedule] = ()
) -> str:  # fmt: skip
    """What the picture says, in one line. ``practice``: how far samples are apart :func:`in_practice`;
    ``broken``: how many violations the plan has; ``beside``: the schedules with which it shares a time axis."""
    if broken:
        return f"not valid, {plural(broken, 'violation')}: cannot run like this{BETWEEN}{summary(s, titles, unit, practice)}"
    if s.period <= 0:
        return "nothing takes any time"
    times = times_of(s, unit, beside)
    if s.kind == "latency":
        # As they take turns, each where it comes first.
        on = s.critical[s.piece]
        on_path = list(dict.fromkeys(s.device[on][np.argsort(s.start[on], kind="stable")].tolist()))
        path = plural(len(on_path), "device") if len(on_path) > 3 else ", ".join(titles[d] for d in on_path)
        takes = f"a sample takes {times.text(s.period)}{f', {practice}' if practice else ''}"
        return f"{takes}{BETWEEN}critical path: {path} (underlined)"
    parts = [f"a sample every {times.text(s.period)}"]
    if practice:
        parts[0] += f", {practice}"
    if s.bottlenecks:
        names = " and ".join(titles[d] for d in s.bottlenecks)
        parts.append(f"{names} {'sets' if len(s.bottlenecks) == 1 else 'set'} the pace")
    elif s.kind != "gpipe":  # all stream one after another
        parts.append("the shared link sets the pace")
    if s.kind == "gpipe":
        parts.append(f"a batch of {s.samples} takes {times.text(s.end)}")
    else:
        # Of all devices: those without ops are what a plan wastes.
        used, all_devices = len(np.unique(s.piece_device)), len(s.share)
        only = f", {used:,} of {all_devices:,} used" if used < all_devices else ""
        parts.append(f"devices {percent(float(s.share.mean()), 0)} busy on average{only}")
        steady = [span for span in s.spans if span.name == "steady state"]
        parts.append(
            f"steady after {times.text(steady[0].start)}" if steady else "not steady with so few samples"
        )
    if s.virtual:
        parts.append(plural(len(s.piece_device), "virtual device"))
    return BETWEEN.join(parts)


def shorter(words: str) -> tuple[str, ...]:
    """A summary, then without its last part, its last two, and so on, at last without the reason in brackets: for less and less room."""
    parts = words.split(BETWEEN)
    found = [BETWEEN.join(parts[:count]) for count in range(len(parts), 0, -1)]
    brief = without_reason(found[-1])
    return (*found, brief) if brief != found[-1] else tuple(found)


def without_reason(words: str) -> str:
    """``about 9.00 ms in practice`` of what :func:`in_practice` or the first part of a :func:`summary` says."""
    return words.partition(" (")[0]
