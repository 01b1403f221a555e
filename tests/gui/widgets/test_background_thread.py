"""Work beside the window: the latest request counts, earlier ones are told to stop, nothing outlives a close."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator

import pytest
from pytestqt.qtbot import QtBot

from gui.widgets.background_thread import Background


@pytest.fixture
def background(qtbot: QtBot) -> Generator[Background]:
    made = Background("test")
    yield made
    made.close()
    made.deleteLater()


def test_the_result_comes_in_the_windows_thread(qtbot: QtBot, background: Background) -> None:
    found: list[tuple[object, threading.Thread]] = []
    background.run(lambda _: 7, lambda result: found.append((result, threading.current_thread())))
    assert background.busy
    qtbot.waitUntil(lambda: bool(found))
    assert found == [(7, threading.main_thread())]
    assert not background.busy


def test_the_latest_request_counts(qtbot: QtBot, background: Background) -> None:
    found: list[object] = []
    began = threading.Event()

    def patient(stopped: Callable[[], bool]) -> object:
        began.set()
        while not stopped():
            threading.Event().wait(0.001)
        return "the first"

    background.run(patient, found.append)
    assert began.wait(10)
    background.run(lambda _: "the second", found.append)
    background.run(lambda _: "the third", found.append)
    qtbot.waitUntil(lambda: not background.busy)
    assert found == ["the third"]


def test_nobody_waits_after_a_cancel(qtbot: QtBot, background: Background) -> None:
    found: list[object] = []
    background.run(lambda stopped: stopped(), found.append)
    background.cancel()
    assert not background.busy
    background.run(lambda _: "next", found.append)
    qtbot.waitUntil(lambda: not background.busy)
    assert found == ["next"]


def test_an_exception_is_a_result(qtbot: QtBot, background: Background) -> None:
    found: list[object] = []

    def fail(_: Callable[[], bool]) -> object:
        raise KeyError("op")

    background.run(fail, found.append)
    qtbot.waitUntil(lambda: bool(found))
    assert isinstance(found[0], KeyError)
