"""Ramp-up, steady state and drain have their names above a schedule."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gui.look.page import PRESETS
from gui.panels.schedule.painter import BETWEEN_NAMES, name_places
from gui.panels.schedule.picture import draw_schedule
from planner.formats import read_models
from planner.machines.spec import parse_target
from planner.model.samples import sample
from planner.problem.problem import Problem
from tests.gui.present.slides import overlapping, written_in

NAMES = ["ramp-up", "steady state", "drain"]


@pytest.mark.parametrize("stages", [2, 3, 8, 16])
@pytest.mark.parametrize("preset", PRESETS)
def test_every_page_names_them(qapp: Any, stages: int, preset: str) -> None:
    graph = read_models([sample("resnet50.json")])
    problem = Problem(graph, parse_target(f"pipeline:{stages}", graph))
    device_of = (np.arange(graph.n) * stages // graph.n).astype(np.int32)
    lines = written_in(draw_schedule(problem, device_of, PRESETS[preset]).file(".svg"))
    assert [line.words for line in lines if line.words in NAMES] == NAMES
    assert overlapping(lines, 2.0) == []


def test_a_name_without_room_in_its_stretch_goes_where_others_leave_some() -> None:
    assert name_places([(0, 100, 40), (100, 200, 60), (200, 300, 30)], 0, 300) == [30, 120, 235]
    assert name_places([(0, 20, 40), (20, 280, 60), (280, 300, 30)], 0, 300) == [0, 120, 270]
    # Beside a name that is pushed the next one moves on.
    assert name_places([(0, 20, 40), (20, 60, 30), (60, 300, 30)], 0, 300) == [0, 40 + BETWEEN_NAMES, 165]
    # Where all have no room, those have names that are in their stretches.
    assert name_places([(0, 10, 40), (10, 90, 60), (90, 100, 30)], 0, 100) == [None, 20, None]
    assert name_places([], 0, 100) == []
