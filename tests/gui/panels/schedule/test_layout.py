"""Where rows, bars and ticks of a chart are: times can be read off, what is seen is found, no row is cut."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QApplication

from gui.look.theme import font
from gui.panels.schedule.layout import (
    AXIS,
    CALM_ROW,
    CLOSER_TICKS,
    RULER,
    TICK,
    ChartLayout,
    comfortable,
    device_rows,
    letters,
)
from planner.machines.pipeline.target import Pipeline
from planner.problem.problem import Problem
from planner.reports.schedule.schedule import schedule
from tests.gui.models import chain_graph
from tests.gui.panels.schedule.charts import busy_cpu, some


@pytest.mark.parametrize("width", range(290, 900, 13))
def test_times_can_be_read_off_narrow_charts(qapp: QApplication, width: int) -> None:
    """Three ticks at least, in the steady state of slides, too; and no label reaches into the next."""
    s = some()
    view = ChartLayout(s, device_rows(s, ["Stage 0", "Stage 1", "Stage 2"]), "s", float(width), 200.0)
    view.leave_for_names(150.0)
    for zoom in (1.0, 2.5):
        view.zoom(zoom, view.gutter + 0.4 * view.plot_width)
        ticks, column = view.ticks()
        assert len(ticks) >= 3
        wide = max(QFontMetricsF(font(8.0)).horizontalAdvance(column.number(tick)) for tick in ticks)
        assert np.diff([view.x(tick) for tick in ticks]).min() > wide + 4


@given(
    st.floats(200, 3000), st.floats(60, 900), st.lists(st.floats(0.3, 4), max_size=6), st.floats(-900, 900)
)
def test_the_view_stays_on_the_schedule(width: float, height: float, zooms: list[float], dx: float) -> None:
    s = some()
    view = ChartLayout(s, device_rows(s, ["a", "b", "c"]), None, width, height)
    for factor in zooms:
        view.zoom(factor, view.gutter + 0.3 * view.plot_width)
        view.pan(dx, dx / 3)
    assert 0 <= view.left <= view.end
    assert view.time(view.gutter + view.plot_width) <= view.end * (1 + 1e-9)
    ticks, column = view.ticks()
    apart = np.diff([view.x(tick) for tick in ticks])
    assert (apart > (CLOSER_TICKS[-1] if len(ticks) < 9 else TICK) - 1e-6).all()
    words = [column.number(t) for t in ticks]
    assert len(set(words)) == len(words)
    # What is seen is found where it is drawn.
    for bar, (x, y, w, h) in zip(view.seen().tolist(), view.boxes(view.seen()).tolist(), strict=True):
        at, over = x + w / 2, y + h / 2
        inside = view.gutter <= at <= view.gutter + view.plot_width and RULER <= over < height - AXIS
        if w >= 6 and inside:
            assert view.bar_at(at, over) == bar


def test_letters() -> None:
    assert [letters(i) for i in (0, 1, 25, 26, 27, 701, 702)] == ["a", "b", "z", "aa", "ab", "zz", "aaa"]


# ---------------------------------------------------------------------- rows
@pytest.mark.parametrize("height", [80.0, 95.0, 112.0, 150.0, 400.0])
def test_no_row_is_cut_by_the_axis(height: float) -> None:
    problem = Problem(chain_graph(24), Pipeline(8))
    s = schedule(problem, np.arange(24, dtype=np.int32) // 3)
    layout = ChartLayout(s, device_rows(s, [d.title for d in problem.devices]), height=height)
    whole = (layout.rows_bottom - RULER) / layout.row_height
    assert whole == pytest.approx(round(whole)) and round(whole) >= 1
    assert layout.rows_bottom <= height - AXIS + 1e-9


def rows_of(devices: int, room: float) -> ChartLayout:
    """A chart of a chain on so many stages, with so much room for rows."""
    problem = Problem(chain_graph(24), Pipeline(devices))
    s = schedule(problem, (np.arange(24) * devices // 24).astype(np.int32))
    rows = device_rows(s, [device.title for device in problem.devices])
    return ChartLayout(s, rows, None, 600.0, RULER + AXIS + room)


def test_rows_shrink_before_one_of_them_is_hidden() -> None:
    layout = rows_of(8, 8 * 12.0)
    assert not layout.rows_hidden
    assert layout.row_top(7) + layout.row_height <= layout.rows_bottom + 1e-6
    crowded = rows_of(8, 8 * 9.0)
    assert crowded.rows_hidden
    _, top, _, high = crowded.thumb
    assert top == RULER and high < crowded.plot_height
    crowded.pan(0.0, -1e6)
    _, top, _, high = crowded.thumb
    assert top + high == pytest.approx(RULER + crowded.plot_height)


@pytest.mark.parametrize("at_once", [1, 2, 5, 30])
@pytest.mark.parametrize("height", [40.0, 60.0, 90.0, 300.0])
def test_what_runs_many_ops_at_once_has_the_room_of_the_others(at_once: int, height: float) -> None:
    chart, _ = busy_cpu(at_once, height)
    assert chart.rows[2].lanes == at_once
    heights, usual = chart.heights.tolist(), chart.row_height
    assert heights[0] == heights[1] >= min(usual, CALM_ROW) - 1e-9 and heights[2] >= usual - 1e-9
    assert sum(heights) <= height + 1e-9 and not chart.rows_hidden
    if heights[2] < comfortable(chart.rows[2]):
        assert sum(heights) == pytest.approx(height) and heights[0] == pytest.approx(min(usual, CALM_ROW))
    boxes = chart.boxes(np.arange(len(chart.schedule.start)))
    for bar, (x, y, w, h) in enumerate(boxes.tolist()):
        row = int(chart.row_of_bar[bar])
        assert chart.row_top(row) <= y and y + h <= chart.row_top(row) + heights[row] + 1e-9
        assert chart.row_at(y + h / 2) == row
        if w > 1 and h > 2:
            assert chart.bar_at(x + w / 2, y + h / 2, 0.0) == bar
