"""What takes long counts for the turn of the event loop in which it is done, so that others leave that turn."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from gui.canvas.graph import layout_worker
from gui.canvas.graph.layout_worker import LayoutWorker
from gui.editors.comparison.state import CompareState, entry_sources
from gui.editors.plan.panels.ops import OpsPanel
from gui.look.theme import LIGHT
from gui.widgets.turn import OTHERS
from tests.gui.editors.comparison.parts import two_plans
from tests.gui.window_parts import opened, shown


@contextmanager
def counting() -> Iterator[Callable[[], float]]:
    """A turn that does not end: the seconds that are counted in it."""
    ending, before = OTHERS._ending, OTHERS.seconds
    OTHERS._ending = True
    try:
        yield lambda: OTHERS.seconds - before
    finally:
        OTHERS._ending, OTHERS.seconds = ending, 0.0


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
    document.move([0], 2)
    with counting() as seconds:
        state.refresh()
        assert seconds() >= 0.005
