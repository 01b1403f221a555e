"""A schedule as a picture: every sample whole, idle devices in one line, as high as its lanes need."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gui.look.page import PRESETS, Page
from gui.panels.schedule import picture
from gui.panels.schedule.layout import LANE, MOST_ROW, PAD, ChartLayout, device_rows
from gui.panels.schedule.picture import draw_schedule
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.problem.problem import Problem
from planner.reports.schedule.schedule import schedule
from tests.gui.models import chain_graph
from tests.gui.panels.schedule.charts import busy_cpu


def test_devices_without_ops_are_one_line_of_a_picture(qapp: Any) -> None:
    problem = Problem(chain_graph(24), Pipeline(8))
    plan = np.repeat(np.array([1, 3, 4], np.int32), 8)
    file = draw_schedule(problem, plan, PRESETS["slide"]).file(".svg").decode()
    assert "5 stages unused" in file
    assert [f"Stage {d}<" in file for d in range(8)] == [d in (1, 3, 4) for d in range(8)]
    layout = ChartLayout(
        schedule(problem, plan), device_rows(schedule(problem, plan), [str(d) for d in range(8)])[3:5]
    )
    assert set(layout.row_of_bar[layout.schedule.device == 4].tolist()) == {1}


def test_a_picture_is_as_high_as_its_lanes_need(qapp: object) -> None:
    rooms = []
    for at_once in (1, 12):
        _, problem = busy_cpu(at_once, 200.0)
        device_of = np.array([0, *(2 for _ in range(at_once)), 1], np.int32)
        drawing = draw_schedule(problem, device_of, Page(crop=True))
        rooms.append(drawing.page.room[1])
    low, high = rooms
    assert high == pytest.approx(low + 12 * LANE + 2 * PAD - MOST_ROW)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("machine", [DevicePool(2, 1), Pipeline(3)])
def test_pictures_show_every_sample_whole(
    qapp: object, monkeypatch: pytest.MonkeyPatch, machine: Any, preset: str
) -> None:
    drawn: list[ChartLayout] = []
    monkeypatch.setattr(picture, "paint_schedule", lambda painter, chart, colours: drawn.append(chart))
    draw_schedule(
        Problem(chain_graph(24), machine), np.arange(24, dtype=np.int32) // 8, PRESETS[preset]
    ).file(".svg")
    (chart,) = drawn
    assert chart.goes_on == (False, False)
    boxes = chart.boxes(np.arange(len(chart.schedule.start)))
    right = chart.gutter + chart.plot_width
    assert boxes[:, 0].min() >= chart.gutter - 1e-6
    assert (boxes[:, 0] + boxes[:, 2]).max() == pytest.approx(right), "and all of the room is used"
