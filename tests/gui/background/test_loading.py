"""Opening in the background: the same as opening at once, cancellable, and never at the open document's cost."""

from __future__ import annotations

import threading
from collections.abc import Generator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from gui.background.loading import Loading
from gui.document.plan import reading
from gui.document.plan.document import Document
from gui.document.plan.opening import prepare_model
from gui.document.plan.reading import Reader
from planner.errors import ModelError, StageboardError
from planner.model.graph import Graph
from tests.gui.models import write_model

pytestmark = pytest.mark.usefixtures("qapp")


class Window:
    """Keeps what is said to it."""

    def __init__(self) -> None:
        self.said: list[tuple[str, str]] = []

    def say(self, level: str, text: str) -> None:
        self.said.append((level, text))


@pytest.fixture
def window() -> Window:
    return Window()


@pytest.fixture
def loading(window: Window) -> Generator[Loading]:
    loading = Loading(window)
    yield loading
    loading.drop()


def open_and_wait(loading: Loading, qtbot: QtBot, path: Path) -> Document:
    document = Document()
    loading.start(f"Opening {path.name}", lambda: prepare_model(path), document.install)
    assert loading.busy
    assert loading.text == f"Opening {path.name}"
    qtbot.waitUntil(lambda: not loading.busy, timeout=60_000)
    assert loading.text == ""
    return document


def test_a_model_opened_in_the_background_is_the_same(loading: Loading, qtbot: QtBot, tmp_path: Path) -> None:
    path = write_model(tmp_path)
    document = open_and_wait(loading, qtbot, path)
    at_once = Document()
    at_once.open_model(path)
    assert document.problem == at_once.problem
    assert document.device_of.tolist() == at_once.device_of.tolist()
    assert document.paths == (path,)


def count_readers(monkeypatch: pytest.MonkeyPatch) -> list[Reader]:
    made: list[Reader] = []

    class Counted(Reader):
        def __init__(self, *given: Any) -> None:
            super().__init__(*given)
            made.append(self)

    monkeypatch.setattr("gui.document.plan.reading.Reader", Counted)
    monkeypatch.setattr("gui.document.plan.reading.LARGE_JSON", 10)
    return made


def test_a_large_file_is_read_by_a_process(
    loading: Loading, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = count_readers(monkeypatch)
    path = write_model(tmp_path)
    at_once = prepare_model(path)
    assert not made
    document = open_and_wait(loading, qtbot, path)
    assert len(made) == 1
    assert document.problem == at_once.problem
    graph = document.graph
    assert isinstance(graph, Graph)
    for value in vars(graph).values():
        assert not isinstance(value, np.ndarray) or not value.flags.writeable


@pytest.mark.parametrize("large", [False, True])
def test_a_bad_file_is_one_sentence(
    loading: Loading,
    window: Window,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    large: bool,
) -> None:
    if large:
        monkeypatch.setattr("gui.document.plan.reading.LARGE_JSON", 1)
    path = tmp_path / "bad.json"
    path.write_text('{"nodes": [{')
    document = open_and_wait(loading, qtbot, path)
    assert document.graph is None
    [(level, text)] = window.said
    assert level == "error"
    assert "bad.json" in text
    assert "\n" not in text


def test_an_unexpected_error_is_told_too(loading: Loading, window: Window, qtbot: QtBot) -> None:
    def broken() -> Any:
        raise ZeroDivisionError("oh")

    loading.start("it", broken, lambda _: None)
    qtbot.waitUntil(lambda: not loading.busy, timeout=30_000)
    assert window.said == [
        ("error", "the model cannot be opened (ZeroDivisionError: oh); what was open is unchanged")
    ]


def test_cancelled_and_replaced_loads_say_nothing(
    loading: Loading, window: Window, qtbot: QtBot, tmp_path: Path
) -> None:
    go = threading.Event()
    installed: list[str] = []

    def slow() -> str:
        go.wait(30)
        raise StageboardError("nobody wants to know")

    loading.start("first", slow, lambda _: installed.append("first"))
    loading.cancel()
    assert not loading.busy
    loading.start("second", slow, lambda _: installed.append("second"))
    loading.start("third", lambda: "third", installed.append)
    go.set()
    qtbot.waitUntil(lambda: not loading.busy, timeout=30_000)
    loading.drop()
    qtbot.wait(10)
    assert installed == ["third"]
    assert window.said == []


def test_cancelling_a_large_file_ends_its_process(
    loading: Loading, window: Window, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = count_readers(monkeypatch)
    path = write_model(tmp_path)
    loading.start("it", lambda: prepare_model(path), lambda _: None)
    qtbot.waitUntil(lambda: bool(made), timeout=30_000)
    loading.cancel()
    loading.drop()  # the guards see to it that neither thread nor process is left
    assert not reading._readers
    assert window.said == []


def test_a_thread_cancelled_early_reads_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = count_readers(monkeypatch)
    path = write_model(tmp_path)
    caught: list[StageboardError] = []

    def work() -> None:
        reading.cancel(threading.current_thread())
        try:
            reading.read((path,))
        except StageboardError as error:
            caught.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert len(caught) == 1
    assert not made


def test_a_reader_that_dies_says_so(tmp_path: Path) -> None:
    reader = Reader((write_model(tmp_path),))
    reader.cancel()
    with pytest.raises(ModelError, match="ended early"):
        reader.read()
    reader.cancel()
