"""Low bars of a schedule are explained."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gui.look.page import PRESETS
from gui.look.theme import LIGHT, contrast
from gui.panels.schedule.key import PIECES, entries_of
from gui.panels.schedule.picture import draw_schedule
from planner.formats import read_models
from planner.machines.spec import parse_target
from planner.model.samples import sample
from planner.problem.problem import Problem
from planner.reports.schedule.schedule import schedule
from tests.gui.present.slides import overlapping, written_in


@pytest.mark.parametrize(
    ("machine", "named", "written"),
    [
        ("pipeline:1", ["samples in turn"], ["samples in turn"]),
        ("pool:2+1", ["work", "transfer", "samples in turn"], ["work", "transfer", "samples in turn"]),
        ("pipeline:4", ["work", "transfer", "samples in turn"], ["work", "transfer", "samples"]),
        # Two lines have room for no more than the bars that are no work.
        ("edge-tpu:4", ["work", "transfer", "streaming", "samples in turn"], ["transfer", "streaming"]),
    ],
)
@pytest.mark.parametrize("preset", PRESETS)
def test_kinds_of_bars_are_named(
    qapp: Any, machine: str, named: list[str], written: list[str], preset: str
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
    words = [line.words for line in lines]
    keys = ("work", "transfer", "streaming", "samples in turn", "samples")
    assert [word for word in keys if word in words] == written
    assert overlapping(lines, 2.0) == []


@pytest.mark.parametrize("preset", PRESETS)
def test_letters_behind_samples_are_explained(qapp: Any, preset: str) -> None:
    graph = read_models([sample("resnet50.json")])
    problem = Problem(graph, parse_target("pool:2+1,contiguous=false", graph))
    device_of = (np.arange(graph.n) * 9 // graph.n % 3).astype(np.int32)
    assert PIECES in [entry.words for entry in entries_of(schedule(problem, device_of), LIGHT)]
    lines = written_in(draw_schedule(problem, device_of, PRESETS[preset]).file(".svg"))
    assert {line.words for line in lines} & set(PIECES)
    assert overlapping(lines, 2.0) == []
