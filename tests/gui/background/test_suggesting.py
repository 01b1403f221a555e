"""The search for moves by steps finds what the search at once finds, and an edit ends it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from gui.background.suggesting import MOST_PUT_OFF, MoveSearch
from gui.document.plan.document import Document
from gui.widgets.turn import OTHERS, PANELS
from planner.machines.pipeline.target import Pipeline
from tests.gui.models import chain_graph


@pytest.mark.parametrize("slice_seconds", [0.0, 1.0])
def test_the_same_moves_in_steps(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, slice_seconds: float) -> None:
    monkeypatch.setattr(MoveSearch, "SLICE_SECONDS", slice_seconds)
    document = Document()
    search = MoveSearch(document)
    search.start()
    assert not search.busy
    document.open_graph(chain_graph(30), target=Pipeline(count=3))
    document.set_assignment(np.repeat([0, 1, 2], [20, 5, 5]), "edit", "x")
    expected = document.live.best_moves(4) if document.live else []
    assert expected
    with qtbot.waitSignal(search.found) as heard:
        search.start(4)
        assert search.busy
    assert heard.args == [expected]
    assert document.best_moves(4) is not expected
    assert document.best_moves(4) == expected
    assert not search.busy


def test_an_edit_ends_the_search(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MoveSearch, "SLICE_SECONDS", 0.0)
    document = Document()
    document.open_graph(chain_graph(30), target=Pipeline(count=3))
    search = MoveSearch(document)
    told: list[Any] = []
    search.found.connect(told.append)
    search.start()
    document.move([5], 2)
    qtbot.waitUntil(lambda: not search.busy, timeout=30_000)
    assert not told


def test_long_turns_are_left_alone_but_not_for_ever(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MoveSearch, "SLICE_SECONDS", 0.0)
    document = Document()
    document.open_graph(chain_graph(30), target=Pipeline(count=3))
    search, steps = MoveSearch(document), []
    search.start()
    search._timer.stop()
    assert search._steps is not None
    search._steps = (steps.append(1) or moves for moves in search._steps)  # type: ignore[func-returns-value]
    search._step()
    assert steps == [1]
    for other in (OTHERS, PANELS):
        monkeypatch.setattr(other, "seconds", 1.0)
        for _ in range(MOST_PUT_OFF):
            search._step()
        assert len(steps) == 1
        search._step()
        assert len(steps) == 2
        steps.pop()
        monkeypatch.setattr(other, "seconds", 0.0)
    search.stop()
