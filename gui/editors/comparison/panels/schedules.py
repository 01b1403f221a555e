"""The schedules of compared plans under one another: one time axis, one zoom, a line at each plan's time of a sample."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QSize
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from gui.editors.comparison.base import CompareView, scrolling
from gui.look.numbers import signed_percent
from gui.look.theme import Theme, font
from gui.panels.comparison.names import plan_title
from gui.panels.comparison.rows import device_titles
from gui.panels.comparison.schedules_layout import (
    STRIP,
    ScheduleMaker,
    common_kinds,
    shared_layout,
    shared_rows,
)
from gui.panels.comparison.schedules_layout import Schedules as Made
from gui.panels.comparison.schedules_painter import name_rows, paint_periods, row_colours
from gui.panels.comparison.words import practice_change, schedule_lines
from gui.panels.schedule.axis import TimeAxis
from gui.panels.schedule.chart import ScheduleChart
from gui.panels.schedule.choice import KindBox, SamplesBox, fit_button
from gui.panels.schedule.layout import LEAST_ROW, RULER, ChartLayout, Row, times_of
from gui.panels.schedule.painter import paint_schedule
from gui.widgets.labels import ElidedLabel, capital, set_role
from planner.errors import StageboardError
from planner.reports.schedule.schedule import Schedule

if TYPE_CHECKING:
    from gui.editors.comparison.state import CompareState
    from planner.reports.comparison import Comparison


LEAST_ROWS = 4
"""A chart shows at least so many rows; where all charts together have no room they scroll."""


class SharedChart(ScheduleChart):
    """The schedule of one of the plans; rows and colours are those of the comparison."""

    def __init__(self, plan: int, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.plan = plan
        self._comparison: Comparison | None = None
        self._made: Made | None = None

    def minimumSizeHint(self) -> QSize:
        """A few rows, of those that there are."""
        rows = 2 if self.layout_of is None else len(self.layout_of.rows)
        return QSize(200, int(RULER + STRIP + LEAST_ROW * min(rows, LEAST_ROWS)))

    def show_plan(self, comparison: Comparison, made: Made, keep_view: bool) -> None:
        """Show this chart's plan."""
        self._comparison, self._made = comparison, made
        names = device_titles(comparison, self.plan)
        unit = comparison.plans[self.plan].problem.graph.time_unit
        self.show_schedule(made.of[self.plan], names, unit, False, keep_view)
        self.setAccessibleName(f"Schedule of plan {comparison.letter(self.plan)}")
        self.updateGeometry()

    def new_layout(self, schedule: Schedule, rows: list[Row], unit: str | None) -> ChartLayout:
        """Rows as the comparison has them, on the shared axis."""
        assert self._comparison is not None and self._made is not None
        kept = shared_rows(self._comparison, self.plan, rows)
        layout = shared_layout(schedule, kept, unit, float(self.width()), float(self.height()), self._made)
        name_rows(self._comparison, self.plan, layout)
        return layout

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Other names may have room."""
        super().resizeEvent(event)
        if self.layout_of is not None and self._comparison is not None:
            name_rows(self._comparison, self.plan, self.layout_of)

    def paintEvent(self, event: QPaintEvent) -> None:
        """The schedule, then the lines at the times of a sample."""
        layout, comparison, made = self.layout_of, self._comparison, self._made
        if layout is None or comparison is None or made is None:
            return
        painter = QPainter(self)
        paint_schedule(
            painter,
            layout,
            self.theme,
            self.marks,
            self.hasFocus(),
            row_colours(comparison, self.plan, self.theme),
        )
        letters = [comparison.letter(i) for i in range(len(comparison.plans))]
        paint_periods(painter, layout, letters, made, self.plan, self.theme)


class Schedules(CompareView):
    """Kind and number of samples for all, a line of words and a chart for each plan, and the axis."""

    id: ClassVar[str] = "compare-schedules"
    title: ClassVar[str] = "Schedules"

    def __init__(self, state: CompareState, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(state, theme, parent)
        self._maker = ScheduleMaker()

    def build(self) -> None:
        """Make the widgets, empty."""
        self.made: Made | None = None
        self.charts: list[SharedChart] = []
        self.words: list[ElidedLabel] = []
        self.kind = KindBox(self)
        self.kind.activated.connect(self._kind_chosen)
        self.samples = SamplesBox(
            "How many samples are drawn of every plan; auto: enough to see all of them steady", self
        )
        self.samples.valueChanged.connect(self.request_refresh)
        self.note = ElidedLabel("", self, lines=2)
        set_role(self.note, "muted")
        self.fit_button = fit_button("Show the whole of all schedules", self)
        self.fit_button.clicked.connect(self.fit)
        self.axis = TimeAxis(self.theme, self)
        top = QHBoxLayout()
        top.setContentsMargins(10, 4, 10, 0)
        top.setSpacing(8)
        for widget in (self.kind, self.samples):
            top.addWidget(widget)
        top.addWidget(self.note, 1)
        top.addWidget(self.fit_button)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 2)
        self._column.setSpacing(1)
        self._column.addLayout(top)
        inside = QWidget()
        self._charts = QVBoxLayout(inside)
        self._charts.setContentsMargins(0, 0, 0, 0)
        self._charts.setSpacing(1)
        self._area = scrolling(inside, self)
        self._column.addWidget(self._area, 1)
        self._column.addWidget(self.axis)
        self.state.selection_changed.connect(self._selection_changed)

    def sizeHint(self) -> QSize:
        """Two plans of a handful of devices."""
        return QSize(720, 320)

    def minimumSizeHint(self) -> QSize:
        """Less shows nothing."""
        return QSize(260, 160)

    @property
    def shown_kind(self) -> str:
        """The kind of the schedules that are shown; empty where none are."""
        return self.made.kind if self.built and self.made is not None else ""

    # ------------------------------------------------------------------ what is drawn
    def prepare(self) -> bool:
        """Make one of the schedules that have changed, where that takes long."""
        comparison = self.comparison
        if comparison is None:
            return False
        try:
            kinds = common_kinds(comparison)
            kind, samples = (self.kind.chosen(kinds), self.samples.value()) if self.built else (kinds[0], 0)
            return self._maker.step(comparison, kind, samples or None)
        except StageboardError:
            return False  # a refresh says so

    def refresh(self) -> None:
        """Make the schedules anew that have changed, and show them."""
        comparison = self.comparison
        before, self.made = self.made, None
        if comparison is None:
            self._say(self.state.why_not)
            return
        try:
            kind = self.kind.fill(common_kinds(comparison))
            self.made = self._maker.make(comparison, kind, self.samples.value() or None)
        except StageboardError as error:
            self._say(str(error))
            return
        self._have_charts(len(comparison.plans))
        keep = before is not None and before.kind == kind and len(before.of) == len(self.made.of)
        for chart in self.charts:
            chart.show_plan(comparison, self.made, keep)
            chart.show_selection(self.state.selection)
        self._show(True)
        self._tell(comparison, self.made)
        self._follow(self.charts[0])

    def _tell(self, comparison: Comparison, made: Made) -> None:
        unit = comparison.graph.time_unit
        base = self.pair[1]
        for i, words in enumerate(self.words):
            lines = schedule_lines(comparison, i, made.of)
            words.set_texts(*lines)
            self.charts[i].setAccessibleName(f"Schedule of plan {lines[0]}")
        shown = self.pair[0]
        here, there = made.of[shown].period, made.of[base].period
        takes = "a sample takes" if made.kind == "latency" else "a sample every"
        later = practice_change(comparison, made.of, shown, base)
        self.note.setText(
            f"{takes} {times_of(made.of[shown], unit, made.of).text(here)} in {comparison.letter(shown)}, marked by lines:"
            f" {signed_percent((here - there) / there)} against {comparison.letter(base)}{f'; {later}' if later else ''}"
            if there > 0
            else f"nothing takes any time in {comparison.letter(base)}"
        )
        tip = "\n".join(
            f"{plan_title(comparison, i)}: {times_of(s, unit, made.of).text(s.period)} per sample"
            for i, s in enumerate(made.of)
        )
        self.note.set_tip(tip)

    def _say(self, sentence: str) -> None:
        """No schedules: why not."""
        self._show(False)
        self.note.setText(capital(sentence))
        self.note.set_tip("")

    def _show(self, shown: bool) -> None:
        for widget in (self.kind, self.samples, self.fit_button, self.axis, self._area):
            widget.setVisible(shown)

    def _have_charts(self, count: int) -> None:
        while len(self.charts) > count:
            for gone in (self.charts.pop(), self.words.pop()):
                self._charts.removeWidget(gone)
                gone.deleteLater()
        while len(self.charts) < count:
            chart, words = SharedChart(len(self.charts), self.theme, self), ElidedLabel("", self, lines=2)
            words.setFont(font(8.5, bold=True))
            words.setContentsMargins(12, 3, 10, 0)
            words.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
            chart.ops_chosen.connect(self.state.select)
            chart.view_changed.connect(lambda chart=chart: self._follow(chart))
            self._charts.addWidget(words)
            self._charts.addWidget(chart, 1)
            before = self.charts[-1] if self.charts else self.samples
            QWidget.setTabOrder(before, chart)
            self.charts.append(chart)
            self.words.append(words)

    def _kind_chosen(self) -> None:
        self.fit()
        self.request_refresh()

    # ------------------------------------------------------------------ one view for all
    def fit(self) -> None:
        """Show everything."""
        if self.charts:
            self.charts[0].fit()

    def _follow(self, leader: SharedChart) -> None:
        """All charts look where ``leader`` does."""
        layout = leader.layout_of
        if layout is None:
            return
        for chart in self.charts:
            if chart is not leader:
                chart.look(layout.left, layout.scale, layout.scrolled)
        self.axis.layout_of = self.charts[-1].layout_of
        self.axis.update()

    def _selection_changed(self) -> None:
        if self.isVisible() and not self.waiting:
            for chart in self.charts:
                chart.show_selection(self.state.selection)
        else:
            self.request_refresh()

    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        if self.built:
            self.axis.theme = theme
            for chart in self.charts:
                chart.set_theme(theme)
            self.axis.update()
        super().set_theme(theme)
