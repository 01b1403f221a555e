"""The small map in the corner."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from gui.canvas.graph.minimap import Minimap
from gui.look.theme import DARK
from planner.machines.pipeline.target import Pipeline
from tests.gui.canvas.graph.conftest import LEFT, Hand, MakeHand
from tests.gui.models import chain_graph


@pytest.fixture
def mapped(make_hand: MakeHand) -> tuple[Hand, Minimap]:
    hand = make_hand(chain_graph(200), Pipeline(3))
    return hand, Minimap(hand.view)


def test_shown_only_while_something_is_out_of_sight(mapped: tuple[Hand, Minimap]) -> None:
    hand, minimap = mapped
    hand.view.fit()
    assert minimap.isHidden()
    hand.view.zoom_by(3)
    assert not minimap.isHidden()
    assert hand.view.rect().contains(minimap.geometry())
    hand.view.fit()
    assert minimap.isHidden()


def test_it_makes_room_for_what_is_said_of_a_drop(mapped: tuple[Hand, Minimap]) -> None:
    hand, minimap = mapped
    hand.view.zoom_by(3)
    hand.document.begin_preview(np.array([5], np.int32))
    hand.document.update_preview(1)
    assert minimap.isHidden()
    hand.document.end_preview()
    assert not minimap.isHidden()


def test_pressing_goes_there_and_dragging_follows(mapped: tuple[Hand, Minimap]) -> None:
    hand, minimap = mapped
    hand.view.zoom_by(4)
    for corner, nearer in ((QPoint(14, 14), 0), (QPoint(minimap.width() - 14, minimap.height() - 14), 199)):
        QTest.mousePress(minimap, LEFT, Qt.KeyboardModifier.NoModifier, corner)
        QTest.mouseRelease(minimap, LEFT, Qt.KeyboardModifier.NoModifier, corner)
        middle = hand.view.rect().toRectF().center()
        distance = [(hand.view.op_rect(v).center() - middle).manhattanLength() for v in (0, 199)]
        assert (distance[0] < distance[1]) == (nearer == 0)


def test_the_frame_and_the_colours_are_painted(mapped: tuple[Hand, Minimap]) -> None:
    hand, minimap = mapped
    hand.view.zoom_by(3)
    before = minimap.grab().toImage()
    assert len({before.pixel(x, y) for x in range(0, 168, 2) for y in range(0, 108, 2)}) > 4
    hand.view.pan_by(60, 40)
    framed = minimap.grab().toImage()
    assert framed != before
    hand.document.set_assignment(np.zeros(200, np.int32), "edit", "all on one")
    assert minimap.grab().toImage() != framed


def test_the_map_follows_the_theme(mapped: tuple[Hand, Minimap]) -> None:
    hand, minimap = mapped
    hand.view.zoom_by(3)
    before = minimap.grab().toImage()
    hand.view.set_theme(DARK)
    after = minimap.grab().toImage()
    assert after.pixelColor(4, 4).lightness() < before.pixelColor(4, 4).lightness()


def test_without_a_graph_there_is_no_map(make_hand: MakeHand) -> None:
    hand = make_hand()
    minimap = Minimap(hand.view)
    hand.view.zoom_by(2)
    minimap.grab()
    assert minimap.isHidden()


def test_the_map_follows_folding(mapped: tuple[Hand, Minimap]) -> None:
    hand, minimap = mapped
    hand.view.zoom_by(3)
    before = minimap.grab().toImage()
    hand.document.set_grouping("layers")
    hand.document.fold_all()
    hand.settle()
    hand.view.zoom_by(3)
    assert minimap.grab().toImage() != before
