"""No scene of other ops or lanes is shown, or read, while a layout is on its way: large graphs are laid out on a thread."""

from __future__ import annotations

import pytest

from gui.canvas.graph import layout_worker
from planner.machines.pipeline.target import Pipeline
from tests.gui.canvas.graph.conftest import MakeHand
from tests.gui.models import chain_graph


@pytest.mark.parametrize("view", ["lanes", "flow"])
def test_a_larger_graph_is_opened_while_its_layout_takes_long(
    make_hand: MakeHand, monkeypatch: pytest.MonkeyPatch, view: str
) -> None:
    hand = make_hand(chain_graph(12), Pipeline(3))
    hand.view.set_view(view)
    hand.settle()
    monkeypatch.setattr(layout_worker, "AT_ONCE_UP_TO", 0)
    for n, k in ((90, 3), (30, 5), (200, 2), (30, 4)):
        hand.document.open_graph(chain_graph(n, f"chain {n}"), target=Pipeline(k))
        assert hand.view.scene is None  # not the old ops with the new figures
        hand.document.select([n - 1])
        hand.document.move([n - 1], k - 1)
        hand.view.grab()
        hand.settle()
        assert hand.view.scene is not None
        assert hand.view.scene.items.count == n
        hand.view.grab()


def test_a_machine_of_another_size_while_the_layout_takes_long(
    make_hand: MakeHand, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand = make_hand(chain_graph(30), Pipeline(3))
    hand.view.set_view("lanes")
    hand.settle()
    monkeypatch.setattr(layout_worker, "AT_ONCE_UP_TO", 0)
    document = hand.document
    document.set_problem(Pipeline(7))
    assert hand.view.scene is None  # three lanes say nothing about seven stages
    document.move([29], 6)
    hand.view.grab()
    hand.settle()
    assert hand.view.scene is not None
    assert len(hand.view.scene.layout.lanes) == 7
    before = hand.view.scene
    document.pin(
        [29]
    )  # another problem on the same machine: what is in sight stays until the layout is there
    assert hand.view.scene is before
    hand.settle()
    hand.view.set_view("flow")
    hand.settle()
    document.set_problem(Pipeline(2))
    assert hand.view.scene is not None  # cards stay where they are: only their colours change
    assert hand.view.scene.k == 2
    hand.view.grab()
    hand.settle()
