"""What one sees while a model is read, and that one need not wait."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from gui.document.plan import reading
from tests.gui.models import write_model
from tests.gui.window_parts import make_window, opened, settle


@pytest.mark.parametrize("was_open", [True, False])
def test_waiting_says_for_what_and_can_be_called_off(
    was_open: bool, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, close = make_window(qtbot, opened() if was_open else None)
    before, go_on, read = window.document.graph, threading.Event(), reading.read

    def slow(*arguments: object) -> object:
        go_on.wait(20)
        return read(*arguments)

    monkeypatch.setattr(reading, "read", slow)
    window.files.open_files([write_model(tmp_path)])
    settle()
    page = window.waiting
    assert page.isVisible() and page.words.text() == "Opening model.json …" and page.bar.maximum() == 0
    page._tick()
    assert page.time.text() == "1 s"
    page.cancel.click()
    settle()
    go_on.set()
    assert not page.isVisible() and not window.files.loading.busy and page.bar.maximum() == 1
    assert (window.canvas if was_open else window.start_page).isVisible()
    qtbot.wait(50)
    assert window.document.graph is before
    close()
