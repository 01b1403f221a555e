"""I/Os by memory as a picture file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gui.look.page import PRESETS, Page
from gui.panels.network.plots.picture import counted, draw_curves, present_sample, round_step
from planner.machines.two_level_memory.orders.io_bounds import io_bounds
from planner.machines.two_level_memory.problem import NetworkProblem
from planner.machines.two_level_memory.target import TwoLevelMemory
from tests.gui.editors.network.models import layered_network, shuffled_order
from tests.gui.present.slides import written_in


@pytest.mark.parametrize("size", [6, 10_000])
@pytest.mark.parametrize("preset", ["slide", "column", "poster"])
def test_it_says_what_the_panel_does(qapp: Any, size: int, preset: str) -> None:
    network = layered_network()
    problem = NetworkProblem(network, TwoLevelMemory(size))
    bounds = io_bounds(network)
    drawing = draw_curves(problem, shuffled_order(network), PRESETS[preset], "My network")
    words = {line.words: line.box for line in written_in(drawing.file(".svg"))}
    assert {"My network", "MIN", "LRU", "RR", f"M = {size:,}", "size of fast memory, in values"} <= set(words)
    least = next(word for word in words if word.endswith(f"W + N + S = {int(bounds.least):,}"))
    assert any("least possible" in word or "above the lower bound" in word for word in words)
    below = words[f"M = {size:,}"]
    assert below.top() >= words[least].bottom() - 1.0, "the memory is named below the bound, off all curves"
    places = list(words.values())
    assert not any(a.intersects(b) for i, a in enumerate(places) for b in places[:i])


def test_the_point_is_where_the_order_costs_what_it_does(qapp: Any, tmp_path: Path) -> None:
    network = layered_network()
    problem, order = NetworkProblem(network, TwoLevelMemory(7)), shuffled_order(network)
    curves = counted(problem, order)
    evaluation = problem.evaluate(order)
    at = present_sample(curves, problem)
    assert curves.memory[at] == 7
    assert curves.values("total")[0, 0, at] == evaluation.reads + evaluation.writes
    draw_curves(problem, order, Page((400, 300), transparent=True)).save(tmp_path / "small.png")
    assert (tmp_path / "small.png").stat().st_size > 0


def test_steps_are_round() -> None:
    assert [round_step(least) for least in (0.2, 1.0, 1.5, 3.0, 7.0, 11.0, 480.0)] == [
        1,
        1,
        2,
        5,
        10,
        20,
        500,
    ]
    assert np.all([round_step(least) >= least for least in np.geomspace(1, 1e9, 50)])
