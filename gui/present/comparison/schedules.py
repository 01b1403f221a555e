"""The schedules of a keyframe's plans on one scale of time, from the moment at which they are steady."""

from __future__ import annotations

import math
from functools import partial

from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF, QPainter

from gui.look.theme import Theme, font
from gui.look.writing import ENDS, LEFT, write
from gui.panels.comparison.rows import device_titles
from gui.panels.comparison.schedules_layout import (
    STRIP,
    ScheduleMaker,
    Schedules,
    common_kinds,
    shared_layout,
    shared_rows,
)
from gui.panels.comparison.schedules_painter import name_rows, paint_periods, row_colours
from gui.panels.comparison.words import pace_changes, practice_reasons, schedule_lines
from gui.panels.schedule.layout import AXIS, RULER, ChartLayout, device_rows
from gui.panels.schedule.painter import paint_axis, paint_schedule
from gui.present.comparison.shot import ComparisonShot, Part
from planner.errors import StageboardError
from planner.reports.comparison import Comparison

MARGIN, LINE = 14.0, 20.0
MOST_SAMPLES = 60
PERIODS = 5.0
"""So many samples of the slowest plan are shown where schedules are streams: no more can be told apart from afar."""
STEADY = "steady state"
BEGINS = ("0 = start of the steady state", "0 = steady state", "0 = steady")
"""What times are counted from, for less and less room."""


class SchedulesShot(ComparisonShot):
    """A line of words and a chart for each plan; flags say when each is done with a sample."""

    def __init__(
        self, comparison: Comparison, room: tuple[float, float], letters: float, theme: Theme, kind: str = ""
    ) -> None:
        super().__init__(comparison, room, letters, theme)
        self.why_not = ""
        """Why there are none, in a sentence."""
        try:
            self._made = self._make(kind or common_kinds(comparison)[0])
        except StageboardError as error:
            self.why_not = str(error)

    def _make(self, kind: str) -> Schedules:
        """Schedules of so many samples that all are steady for as long as is shown."""
        maker = ScheduleMaker()
        made = maker.make(self.comparison, kind, None)
        shown = PERIODS * max(made.periods())
        steady = [next((s.start for s in one.spans if s.name == STEADY), -1.0) for one in made.of]
        if min(steady) < 0.0 or min(made.periods()) <= 0.0:
            return made
        samples = [
            math.ceil((begin + shown) / period) + 1
            for begin, period in zip(steady, made.periods(), strict=True)
        ]
        return maker.make(self.comparison, kind, min(MOST_SAMPLES, max(made.samples, *samples)))

    def parts(self) -> list[Part]:
        """A part for each plan, or one that says why there is none."""
        width, height = self.size
        if self.why_not:
            box = QRectF(MARGIN, MARGIN, width - 2 * MARGIN, LINE)
            return [self.part(box, lambda painter, line: self._say(painter, line, self.why_not))]
        inner, plans = width - 2 * MARGIN, range(len(self.comparison.plans))
        each = self._each(height)
        charts = [
            self.part(QRectF(MARGIN, 6.0 + i * each, inner, each), partial(self._plan, i)) for i in plans
        ]
        below = QRectF(MARGIN, 6.0 + len(plans) * each, inner, AXIS)
        return [*charts, self.part(below, lambda painter, box: self._axis(painter, box, each))]

    def _each(self, height: float) -> float:
        """How high a plan's words and chart are together."""
        return (height - AXIS - 2 * 6.0) / len(self.comparison.plans)

    def lowest_row(self, height: float) -> float:
        """How high a row of a device is where the picture is so high."""
        room = self._high(QRectF(0, 0, 0, self._each(height))) - RULER - STRIP
        return room / max(len(plan.problem.devices) for plan in self.comparison.plans)

    def _say(self, painter: QPainter, line: QRectF, words: str) -> None:
        write(painter, line, LEFT, words, font(10.0, bold=True), self.theme.text, ENDS)

    def _plan(self, i: int, painter: QPainter, inside: QRectF) -> None:
        comparison, theme = self.comparison, self.theme
        self._say(painter, QRectF(0, 0, inside.width(), LINE), self.line(i, inside.width()))
        painter.translate(0, LINE)
        layout, since = self._layout(i, inside.width(), self._high(inside))
        paint_schedule(painter, layout, theme, colours=row_colours(comparison, i, theme))
        letters = [comparison.letter(k) for k in range(len(comparison.plans))]
        paint_periods(painter, layout, letters, self._made, i, theme, since)

    @staticmethod
    def _high(inside: QRectF) -> float:
        """How high a chart is below the words of its plan."""
        return inside.height() - LINE - 4

    def _axis(self, painter: QPainter, box: QRectF, each: float) -> None:
        """The times, once, below all charts: counted from where they begin."""
        layout, since = self._layout(0, box.width(), self._high(QRectF(0, 0, box.width(), each)))
        paint_axis(painter, layout, self.theme, 0.0, BEGINS if since > 0.0 else ())

    def line(self, i: int, width: float) -> str:
        """What stands above a plan's chart in ``width`` pixels: as many parts as those of all plans have room for, so that all say the same."""
        wide = QFontMetricsF(font(10.0, bold=True)).horizontalAdvance
        lines = [self.lines(plan) for plan in range(len(self.comparison.plans))]
        for left_out in range(max(map(len, lines)) - 1, -1, -1):
            shown = [line[max(0, len(line) - 1 - left_out)] for line in lines]
            if all(wide(line) <= width for line in shown):
                break
        return shown[i]

    def lines(self, i: int) -> tuple[str, ...]:
        """A plan's name and how it keeps its devices busy; then the same for less and less room."""
        return schedule_lines(self.comparison, i, self._made.of)

    def notes(self, width: float, *, numbered: bool = True) -> list[str]:
        """What a picture says above charts of ``width`` pixels: by how much plans differ, and why in practice where their lines have no
        room for the reasons; of ``numbered`` bars what their numbers are."""
        reasons = practice_reasons(self.comparison, self._made.of)
        told = (
            all(" (" in self.line(i, width) for i in range(len(self.comparison.plans))) if reasons else True
        )
        bars = (
            ["numbers on bars: samples, dark and light in turn"]
            if numbered and self._made.samples > 1
            else []
        )
        return [*pace_changes(self.comparison, self._made.of), *([] if told else reasons), *bars]

    def _layout(self, i: int, width: float, height: float) -> tuple[ChartLayout, float]:
        """A plan's chart, on the scale of all, and the moment that times are counted from."""
        plan, found = self.comparison.plans[i], self._made.of[i]
        titles = device_titles(self.comparison, i)
        rows = device_rows(found, titles)
        kept = shared_rows(self.comparison, i, rows)
        layout = shared_layout(
            found, kept, plan.problem.graph.time_unit, width, height, self._made, whole=True
        )
        name_rows(self.comparison, i, layout)
        spans = [next((s for s in made.spans if s.name == STEADY), None) for made in self._made.of]
        longest = max(self._made.periods())
        steady = spans[i]
        if steady is None or any(span is None for span in spans) or longest <= 0.0:
            return layout, 0.0
        layout.scale = layout.plot_width / (PERIODS * longest)
        layout.left = layout.origin = steady.start
        return layout, steady.start

    def words(self) -> str:
        """What each line says."""
        return self.why_not or "; ".join(self.lines(i)[0] for i in range(len(self.comparison.plans)))
