"""Edges of a layout are worked out where the layout is, not in the window's thread."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from gui.canvas.graph import layout_worker
from gui.layout import drawn_edges as module
from gui.layout.result import Layout
from planner.machines.pipeline.target import Pipeline
from tests.gui.canvas.graph.conftest import MakeHand
from tests.gui.editors.comparison.parts import rest, two_plans, window_on
from tests.gui.models import chain_graph


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether it was the window's thread that asked for routes, each time."""
    found: list[bool] = []
    table = module.route_table

    def route_table(layout: Layout, edges: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        found.append(threading.current_thread() is threading.main_thread())
        return table(layout, edges)

    monkeypatch.setattr(layout_worker, "AT_ONCE_UP_TO", 0)
    monkeypatch.setattr(module, "route_table", route_table)
    return found


def test_a_canvas_draws_edges_that_the_layouts_thread_found(make_hand: MakeHand, asked: list[bool]) -> None:
    hand = make_hand(chain_graph(60), Pipeline(3))
    for view in ("lanes", "stages", "flow"):
        hand.view.set_view(view)
        hand.settle()
    assert len(asked) >= 3 and not any(asked)
    scene = hand.view.scene
    assert scene is not None
    again = module.drawn_edges(scene.layout, scene.items)
    for name, value in again._asdict().items():
        assert np.array_equal(getattr(scene, name), value)


def test_canvases_of_a_comparison_share_what_was_found(qtbot: QtBot, asked: list[bool]) -> None:
    with window_on(qtbot, two_plans()) as window:
        first, second = (pane.scene for pane in window.columns.panes[:2])
        assert first is not None and second is not None
        assert first.route_x is second.route_x
        window.state.set_view("lanes")
        rest(qtbot, window)
        assert not any(asked)
