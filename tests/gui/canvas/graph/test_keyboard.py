"""The canvas without a mouse."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt

from gui.canvas.graph.items import items_of
from gui.canvas.graph.keyboard import neighbour
from gui.canvas.graph.scene import scene_of
from planner.model.graph import Graph, Op, Tensor
from tests.gui.canvas.graph.conftest import Hand
from tests.gui.models import chain_graph

RIGHT, LEFT, UP, DOWN = Qt.Key.Key_Right, Qt.Key.Key_Left, Qt.Key.Key_Up, Qt.Key.Key_Down
SHIFT = Qt.KeyboardModifier.ShiftModifier


def test_arrows_walk_along_the_edges(hand: Hand) -> None:
    hand.key(RIGHT)
    assert hand.document.selection.tolist() == [0]
    for expected in (1, 2, 3):
        hand.key(RIGHT)
        assert hand.document.selection.tolist() == [expected]
    hand.key(LEFT)
    assert hand.document.selection.tolist() == [2]


def test_shift_extends_the_selection(hand: Hand) -> None:
    hand.key(RIGHT)
    hand.key(RIGHT, SHIFT)
    hand.key(RIGHT, SHIFT)
    assert hand.document.selection.tolist() == [0, 1, 2]


def test_the_walk_goes_on_from_what_was_selected_elsewhere(hand: Hand) -> None:
    hand.key(RIGHT)
    hand.document.select([7])
    hand.key(RIGHT)
    assert hand.document.selection.tolist() == [8]


def test_the_walk_survives_another_graph(hand: Hand) -> None:
    hand.document.select([11])
    hand.key(RIGHT)
    hand.document.open_graph(chain_graph(3))
    hand.settle()
    hand.key(RIGHT)
    assert hand.document.selection.tolist() == [0]


def test_what_is_walked_to_comes_into_sight(hand: Hand) -> None:
    hand.view.zoom_by(4)
    hand.document.select([0])
    for _ in range(11):
        hand.key(RIGHT)
        assert hand.view.rect().toRectF().contains(hand.view.op_rect(int(hand.document.selection[0])))
    assert hand.document.selection.tolist() == [11]


def test_escape_clears_the_selection_and_keys_zoom(hand: Hand) -> None:
    hand.document.select([1, 2])
    hand.key(Qt.Key.Key_Escape)
    assert hand.document.selection.tolist() == []
    scale = hand.view.scale
    hand.key(Qt.Key.Key_Plus)
    assert hand.view.scale == pytest.approx(1.25 * scale)
    hand.key(Qt.Key.Key_Minus)
    assert hand.view.scale == pytest.approx(scale)


def diamond() -> Graph:
    ops = [Op(i, i, "Conv", work=1.0) for i in "abcd"]
    tensors = [
        Tensor("a", ("b", "c"), 1.0, time=0.0),
        Tensor("b", ("d",), 1.0, time=0.0),
        Tensor("c", ("d",), 1.0, time=0.0),
    ]
    return Graph.build("diamond", ops, tensors)


def test_up_and_down_go_to_the_nearest_card() -> None:
    scene = scene_of(items_of(diamond(), None, frozenset()), "flow", np.zeros(4, np.int32), 1, (800, 600))
    upper, lower = sorted((1, 2), key=lambda v: scene.y[v])
    assert neighbour(scene, upper, DOWN) == lower
    assert neighbour(scene, lower, UP) == upper
    assert neighbour(scene, upper, LEFT) == neighbour(scene, lower, LEFT) == 0
    assert neighbour(scene, upper, RIGHT) == 3
    assert neighbour(scene, upper, UP) == upper


def test_at_the_end_of_the_graph_the_walk_stays() -> None:
    scene = scene_of(items_of(diamond(), None, frozenset()), "flow", np.zeros(4, np.int32), 1, (2000, 200))
    assert neighbour(scene, 3, RIGHT) == 3
    assert neighbour(scene, 0, LEFT) == 0
