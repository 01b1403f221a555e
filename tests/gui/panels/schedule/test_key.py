"""Low bars of a schedule are explained."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gui.look.page import PRESETS
from gui.look.theme import LIGHT, contrast
from gui.panels.schedule.key import KEY, PIECES, entries_of, leave_for_key, paint_key
from gui.panels.schedule.layout import AXIS, LEAST_ROW, RULER, ChartLayout, device_rows
from gui.panels.schedule.picture import draw_schedule
from planner.formats import read_models
from planner.machines.spec import parse_target
from planner.model.samples import sample
from planner.problem.problem import Problem
from planner.reports.schedule.schedule import schedule
from tests.gui.present.slides import overlapping, written_in
from tests.gui.scribe import Scribe


@pytest.mark.parametrize(
    ("machine", "named"),
    [
        ("pipeline:1", ["samples in turn"]),
        ("pool:2+1", ["work", "transfer", "samples in turn"]),
        ("mcm:4", ["work", "transfer", "samples in turn"]),
        ("edge-tpu:4", ["work", "transfer", "streaming", "samples in turn"]),
    ],
)
@pytest.mark.parametrize("preset", PRESETS)
def test_kinds_of_bars_are_named_in_one_line_below_the_axis(
    qapp: Any, machine: str, named: list[str], preset: str
) -> None:
    graph = read_models([sample("resnet50.json")])
    problem = Problem(graph, parse_target(machine, graph))
    k = len(problem.devices)
    device_of = np.minimum(np.arange(graph.n) * k // graph.n, k - 1).astype(np.int32)
    assert [entry.words[0] for entry in entries_of(schedule(problem, device_of), LIGHT)] == named
    colours = {entry.words[0]: entry.colours for entry in entries_of(schedule(problem, device_of), LIGHT)}
    if "transfer" in colours:
        dark = colours["samples in turn"][0]
        assert contrast(colours["transfer"][0], LIGHT.panel) < contrast(dark, LIGHT.panel), "as their bars"
    lines = written_in(draw_schedule(problem, device_of, PRESETS[preset]).file(".svg"))
    key = [line for line in lines if line.words in named]
    assert [line.words for line in key] == named
    assert len({round(line.box.center().y() / line.pixels) for line in key}) == 1
    unit = next(line for line in lines if line.words in ("ms", "\N{MICRO SIGN}s"))
    assert all(line.box.top() > unit.box.bottom() for line in key)
    assert overlapping(lines, 2.0) == []


def test_where_the_key_has_no_room_below_rows_it_stands_beside_names(qapp: Any) -> None:
    graph = read_models([sample("resnet50.json")])
    problem = Problem(graph, parse_target("pool:6+2", graph))
    s = schedule(problem, (np.arange(graph.n) * 8 // graph.n).astype(np.int32))
    rows = device_rows(s, [device.title for device in problem.devices])
    high, low = (
        ChartLayout(s, rows, "s", 600.0, RULER + AXIS + LEAST_ROW * len(rows) + more)
        for more in (KEY, KEY - 2.0)
    )
    for layout, foot in ((high, KEY), (low, 0.0)):
        leave_for_key(layout)
        assert layout.foot == foot and not layout.rows_hidden
        scribe = Scribe(600, int(layout.height))
        paint_key(scribe, layout, LIGHT)
        scribe.end()
        tops = {place.top() for place, _ in scribe.written}
        below = layout.rows_bottom + layout.axis
        assert (tops == {below}) if foot else (0.0 in tops and max(tops) < below)
    narrow = ChartLayout(s, rows, "s", 120.0, 400.0)
    leave_for_key(narrow)
    assert narrow.foot == 2 * KEY, "in as many lines as it takes"


@pytest.mark.parametrize("preset", PRESETS)
def test_letters_behind_samples_are_explained(qapp: Any, preset: str) -> None:
    graph = read_models([sample("resnet50.json")])
    problem = Problem(graph, parse_target("pool:2+1,contiguous=false", graph))
    device_of = (np.arange(graph.n) * 9 // graph.n % 3).astype(np.int32)
    assert PIECES in [entry.words for entry in entries_of(schedule(problem, device_of), LIGHT)]
    lines = written_in(draw_schedule(problem, device_of, PRESETS[preset]).file(".svg"))
    assert {line.words for line in lines} & set(PIECES)
    assert overlapping(lines, 2.0) == []
