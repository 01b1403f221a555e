"""I/Os by memory as a picture file."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF

from gui.look.page import PRESETS, Page
from gui.look.theme import LIGHT
from gui.look.writing import face
from gui.panels.network.plots.picture import _Plot, counted, draw_curves, present_sample, round_step
from gui.panels.network.plots.words import CALLED, standing_words
from planner.machines.two_level_memory.orders.io_bounds import io_bounds
from planner.machines.two_level_memory.orders.live import memory_of
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
    standing = standing_words(
        float(sum(problem.evaluate(shuffled_order(network)).values)),
        bounds,
        memory_of(network, shuffled_order(network)),
    )
    assert standing in " ".join(words), "whole, in as many lines as it takes"
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


@pytest.mark.parametrize("wide", [250.0, 400.0, 1200.0])
@pytest.mark.parametrize("size", [6, 15, 10_000])
@pytest.mark.parametrize("seed", range(3))
def test_the_upper_bound_is_named_where_no_curve_is(qapp: Any, seed: int, size: int, wide: float) -> None:
    network = layered_network((30, 40, 20, 4), 0.3, seed)
    problem = NetworkProblem(network, TwoLevelMemory(size))
    plot = _Plot(problem, counted(problem, shuffled_order(network, seed)), QRectF(60, 80, wide, 190), LIGHT)
    below, beside, place = plot._named(QFontMetricsF(face(9.0, True)))
    assert CALLED["least"].index(below[: below.index("W")]) == CALLED["most"].index(
        beside[: beside.index("2")]
    )
    assert plot.box.left() <= place.left() and place.right() <= plot.box.right() + 0.01
    for line in (*plot._lines(), plot._memory_line()):
        assert not any(place.contains(x, y) for x, y in sampled(line))


def sampled(line: np.ndarray) -> list[tuple[float, float]]:
    """Many points of a line."""
    shares = np.linspace(0.0, 1.0, 200)[:, None]
    return np.concatenate([a + shares * (b - a) for a, b in itertools.pairwise(line)]).tolist()


def test_a_column_is_as_high_as_its_curves_need(qapp: Any) -> None:
    network = layered_network()
    problem, order = NetworkProblem(network, TwoLevelMemory(6)), shuffled_order(network)
    heights = [draw_curves(problem, order, PRESETS["column"], "Words " * n).page.pixels[1] for n in (1, 20)]
    assert PRESETS["column"].usual.pixels[1] < heights[0] < heights[1] < PRESETS["column"].pixels[1]
