"""Anything in any order: nothing goes wrong in between, and what was done can be undone."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from gui.canvas.graph import layout_worker
from gui.editors.plan.windows import make_window
from tests.gui.random_actions import ON_A_THREAD_FROM, Hand


@pytest.mark.qt_log_ignore("grabbing the")
@pytest.mark.parametrize("seed", [1, 2])
def test_nothing_goes_wrong(qapp: QApplication, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    monkeypatch.setattr(layout_worker, "AT_ONCE_UP_TO", ON_A_THREAD_FROM)
    parts = make_window(qapp, theme="light", remember=False)
    parts.window.resize(1280, 800)
    parts.window.show()
    hand = Hand(parts, seed)
    try:
        hand.run(150)
        assert not hand.went_wrong, (hand.done[-10:], *hand.went_wrong)
        assert not hand.undo_all()
    finally:
        parts.close()
