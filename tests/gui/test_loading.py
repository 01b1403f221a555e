"""Opening in the background: the same as opening at once, cancellable, and never at the open document's cost."""

from __future__ import annotations

import threading
from collections.abc import Generator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from gui.document import Document
from gui.loading import Loader
from gui.opening import prepare_model
from gui.reading import Reader
from planner.errors import ModelError
from planner.graph import Graph
from tests.gui.models import write_model

pytestmark = pytest.mark.usefixtures("qapp")


@pytest.fixture
def loader() -> Generator[Loader]:
    loader = Loader()
    yield loader
    loader.close()


def open_and_wait(loader: Loader, qtbot: QtBot, path: Path) -> Document:
    document = Document()
    loader.done.connect(document.install)
    with qtbot.waitSignal(loader.done, timeout=60_000):
        loader.open_model(path)
        assert loader.busy
        assert loader.what == path.name
    assert not loader.busy
    return document


def test_a_model_opened_in_the_background_is_the_same(loader: Loader, qtbot: QtBot, tmp_path: Path) -> None:
    path = write_model(tmp_path)
    document = open_and_wait(loader, qtbot, path)
    at_once = Document()
    at_once.open_model(path)
    assert document.problem == at_once.problem
    assert document.device_of.tolist() == at_once.device_of.tolist()
    assert document.paths == (path,)


def test_a_large_file_is_read_by_a_process(
    loader: Loader, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gui.reading.LARGE_JSON", 10)
    path = write_model(tmp_path)
    made: list[Any] = []
    monkeypatch.setattr("gui.loading.Reader", lambda *given: made.append(Reader(*given)) or made[-1])
    document = open_and_wait(loader, qtbot, path)
    assert len(made) == 1
    assert document.problem == prepare_model(path).problem
    graph = document.graph
    assert isinstance(graph, Graph)
    for value in vars(graph).values():
        assert not isinstance(value, np.ndarray) or not value.flags.writeable


@pytest.mark.parametrize("large", [False, True])
def test_a_bad_file_is_one_sentence(
    loader: Loader, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, large: bool
) -> None:
    if large:
        monkeypatch.setattr("gui.reading.LARGE_JSON", 1)
    path = tmp_path / "bad.json"
    path.write_text('{"nodes": [{')
    with qtbot.waitSignal(loader.failed, timeout=60_000) as heard:
        loader.open_model(path)
    assert heard.args is not None
    assert "bad.json" in heard.args[0]
    assert "\n" not in heard.args[0]
    assert not loader.busy


def test_an_unexpected_error_is_told_too(loader: Loader, qtbot: QtBot, caplog: pytest.LogCaptureFixture) -> None:
    def broken() -> Any:
        raise ZeroDivisionError

    with qtbot.waitSignal(loader.failed, timeout=10_000) as heard:
        loader.load(broken, "it")
    assert heard.args == ["it could not be opened because of an unexpected ZeroDivisionError; please report it"]
    assert "opening it failed" in caplog.text


def test_cancelled_and_replaced_loads_say_nothing(loader: Loader, qtbot: QtBot, tmp_path: Path) -> None:
    go = threading.Event()
    path = write_model(tmp_path)
    told: list[Any] = []
    loader.done.connect(told.append)
    loader.failed.connect(told.append)

    def slow() -> Any:
        go.wait(30)
        return prepare_model(path)

    loader.load(slow, "first")
    loader.cancel()
    assert not loader.busy
    loader.load(slow, "second")
    loader.open_model(path)
    go.set()
    qtbot.waitUntil(lambda: not loader.busy, timeout=60_000)
    loader.close()
    qtbot.wait(10)
    assert len(told) == 1
    assert told[0].paths == (path,)


def test_cancelling_a_large_file_ends_its_process(
    loader: Loader, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gui.reading.LARGE_JSON", 10)
    loader.open_model(write_model(tmp_path))
    qtbot.waitUntil(lambda: loader._reader is not None, timeout=10_000)
    loader.cancel()
    loader.close()  # the guards see to it that neither thread nor process is left


def test_a_reader_that_dies_says_so(tmp_path: Path) -> None:
    reader = Reader((write_model(tmp_path),))
    reader.cancel()
    with pytest.raises(ModelError, match="ended early"):
        reader.read()
    reader.cancel()
