"""A drop that breaks a rule offers to repair the rest, and says how many ops that takes."""

from __future__ import annotations

from collections.abc import Generator

import numpy as np
import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from gui.background.legal_chips import domains_of
from gui.background.repairing import Repairing
from gui.canvas.graph.drop_choice import DropChoice
from planner.machines.mcm.target import McmPackage
from planner.machines.pipeline.target import Pipeline
from tests.gui.canvas.graph.conftest import LEFT, Hand, MakeHand
from tests.gui.mcm_models import row_graph
from tests.gui.models import chain_graph


@pytest.fixture
def mending(qtbot: QtBot, make_hand: MakeHand) -> Generator[Hand]:
    """Twelve ops in a row on a package of four chips, three on each, in the lanes view; somebody repairs."""
    hand = make_hand(row_graph(12), McmPackage(4))
    hand.document.set_assignment(np.repeat(np.arange(4, dtype=np.int32), 3), "edit", "even")
    hand.document.undo_stack.clear()
    repairing = Repairing(hand.document)
    hand.view.set_repairing(repairing)
    hand.lanes()
    yield hand
    repairing.close()
    repairing.deleteLater()


def choice(hand: Hand) -> DropChoice:
    return hand.view.drops.choice


def known(qtbot: QtBot, hand: Hand) -> QPushButton:
    """The button that repairs, once it is known what that takes."""
    button = choice(hand)._repair
    qtbot.waitUntil(lambda: "…" not in button.text(), timeout=30_000)
    return button


def test_it_says_how_many_and_makes_one_step(qtbot: QtBot, mending: Hand) -> None:
    hand = mending
    hand.drag(hand.at(3), hand.lane(2))
    button = known(qtbot, hand)
    assert button.text() == "Move and repair: 3 more ops"
    assert button.hasFocus(), "on a package it is what Return does"
    assert button.width() >= button.sizeHint().width()
    repaired, anyway = choice(hand)._effect.text().split("\n")
    assert repaired.startswith("Move and repair: chip latency ")
    assert anyway.startswith("Move anyway: chip latency ")
    QTest.mouseClick(button, LEFT)
    hand.settle()
    assert hand.devices[3] == 2
    assert hand.document.evaluation.valid
    assert hand.steps == 1
    assert not choice(hand).isVisible()
    hand.document.undo_stack.undo()
    assert hand.devices == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]


def test_who_does_not_wait_gets_it_a_moment_later(qtbot: QtBot, mending: Hand) -> None:
    hand = mending
    hand.drag(hand.at(3), hand.lane(2))
    QTest.mouseClick(choice(hand)._repair, LEFT)
    assert hand.document.preview is None
    qtbot.waitUntil(lambda: hand.steps == 1, timeout=30_000)
    assert hand.devices[3] == 2
    assert hand.document.evaluation.valid


def test_where_nothing_helps_the_keyboard_goes_on(qtbot: QtBot, mending: Hand) -> None:
    hand = mending
    hand.document.pin([5], 1)
    hand.settle()
    hand.drag(hand.at(3), hand.lane(2))
    button = known(qtbot, hand)
    assert button.text() == "No repair that keeps the move"
    effects = choice(hand)._effect.text().split("\n")
    reason = effects[-1]
    assert any(
        line.startswith("Move anyway: chip latency ") for line in effects
    )  # the only answer left has its figure
    assert "on chip 2 cannot be kept. Were it pinned there: " in reason and "Chip 1" in reason
    assert not button.isEnabled()
    assert not button.hasFocus()
    choice(hand).dismiss()
    assert hand.devices[3] == 1


def test_the_impossible_is_not_offered(qtbot: QtBot, mending: Hand) -> None:
    hand = mending
    hand.document.pin([5], 1)
    hand.document.board.domains = domains_of(hand.document.board.open_problem, lambda: False)
    hand.settle()
    hand.drag(hand.at(3), hand.lane(2))
    assert hand.view.consequences[2].short == "in no valid plan"
    assert choice(hand)._repair.isHidden()
    assert "can never be on Chip 2" in choice(hand)._sentence.text()
    choice(hand).dismiss()


def test_leaving_it_ends_the_search(qtbot: QtBot, mending: Hand) -> None:
    hand = mending
    hand.drag(hand.at(3), hand.lane(2))
    choice(hand).dismiss()
    assert hand.view.drops.repairing is not None
    assert not hand.view.drops.repairing.busy
    assert hand.steps == 0


def test_on_a_pipeline_neighbours_come_first(qtbot: QtBot, make_hand: MakeHand) -> None:
    hand = make_hand(chain_graph(12), Pipeline(3))
    hand.document.set_assignment(np.repeat(np.arange(3, dtype=np.int32), 4), "edit", "thirds")
    repairing = Repairing(hand.document)
    hand.view.set_repairing(repairing)
    hand.lanes()
    hand.drag(hand.at(3), hand.lane(2))
    assert choice(hand)._along.hasFocus()
    button = known(qtbot, hand)
    assert button.isHidden() and choice(hand)._along.hasFocus(), (
        "the repair is to move along: one of them is offered"
    )
    assert hand.view.rect().contains(choice(hand).geometry())
    for shown in choice(hand).findChildren(QPushButton):
        if shown.isHidden():
            continue
        assert choice(hand).rect().contains(shown.geometry())
        assert shown.width() >= shown.sizeHint().width(), shown.text()
    choice(hand).dismiss()
    repairing.close()
    repairing.deleteLater()
