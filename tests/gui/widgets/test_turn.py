"""What takes long counts for the turn of the event loop in which it is done, so that others leave that turn."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from unittest.mock import patch

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.canvas.graph import layout_worker
from gui.canvas.graph.layout_worker import LayoutWorker
from gui.editors.comparison.state import CompareState, entry_sources
from gui.editors.plan.panels.ops import OpsPanel
from gui.look.theme import LIGHT
from gui.widgets.turn import OTHERS, Turn
from tests.gui.editors.comparison.parts import two_plans
from tests.gui.window_parts import opened, shown


@contextmanager
def counting() -> Iterator[Callable[[], float]]:
    """A turn that does not end: the seconds that are counted in it."""
    while OTHERS.seconds:
        QApplication.processEvents()
    with patch.object(OTHERS, "_end", lambda: None), patch.object(OTHERS, "_over", None):
        with patch.object(OTHERS, "_counted", deque[float]()) as counted:
            yield lambda: sum(counted)
        OTHERS.seconds = 0.0


def take_long(*_: object) -> np.ndarray:
    until = time.thread_time() + 0.005
    while time.thread_time() < until:
        pass
    return np.empty(0, np.int32)


def test_taking_over_a_layout_counts(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout_worker, "AT_ONCE_UP_TO", 0)
    worker = LayoutWorker()
    with counting() as seconds:
        worker.request(1, lambda: None, take_long)
        qtbot.waitUntil(lambda: not worker.busy, timeout=10_000)
        assert seconds() >= 0.005
    worker.close()


def test_a_search_for_ops_counts(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    document = opened()
    panel = OpsPanel(document, LIGHT)
    monkeypatch.setattr(document, "find", take_long)
    with shown(qtbot, panel), counting() as seconds:
        panel.find_box.setText("conv")
        panel.run_find()
        assert seconds() >= 0.005


def test_comparing_anew_counts(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    document = two_plans()
    state = CompareState(document)
    state.set_sources(entry_sources(document.plans[:2]))
    state.comparison_changed.connect(take_long)
    with counting() as seconds:
        document.move([0], 2)
        before = seconds()
        state.refresh()
        assert seconds() - before >= 0.005


def test_what_is_done_in_every_turn_does_not_end_that_of_others(qtbot: QtBot) -> None:
    turn, seen = Turn(), list[float]()
    end = turn._end

    def ended() -> None:
        end()
        seen.append(turn.seconds)

    with patch.object(turn, "_end", ended):
        for _ in range(2):
            with turn.counted():
                take_long()
        qtbot.waitUntil(lambda: len(seen) == 2, timeout=10_000)
    assert seen[0] >= 0.005, "the first work is over, not the second"
    assert seen[1] == 0.0
