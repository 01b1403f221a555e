"""Files of large models are written beside the window: it goes on, they can be cancelled, and nothing is half written."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from gui.background.writing import FilesOrder, Writing, write_files
from gui.document.plan.document import Document
from gui.editors.plan.editor import MainWindow
from gui.editors.plan.windows import make_window as whole_window
from gui.shell import file_dialogs
from planner.errors import StageboardError
from planner.export.stages.child import Cancelled
from planner.files import placing, write_atomically
from planner.formats import read_model
from planner.machines.pipeline.target import Pipeline
from planner.plan_files.plan_json import open_plan
from planner.processes.forking import server_id
from planner.processes.start import start_server
from tests.gui.models import chain_graph
from tests.gui.window_parts import make_window


def ask(monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))


def wait(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.waitUntil(lambda: not window.files.is_writing, timeout=60_000)


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> Document:
    """A document that counts as large."""
    monkeypatch.setattr(file_dialogs, "AT_ONCE_UP_TO", 10)
    document = Document()
    document.open_graph(chain_graph(40, "chain", 1), target=Pipeline(count=3))
    return document


EXPORTS = {
    "export_csv": "a.csv",
    "export_dot": "a.dot",
    "export_split": "a.split.json",
    "export_model_explorer": "a.json",
}


@pytest.mark.parametrize("export", EXPORTS)
def test_exports_are_what_they_are_in_the_window(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, large: Document, export: str
) -> None:
    window, close = make_window(qtbot, large)
    path = tmp_path / EXPORTS[export]
    ask(monkeypatch, path)
    getattr(window.files, export)()
    assert window.files.is_writing and f"Writing {path.name}" in window.notice.text and not path.exists()
    wait(qtbot, window)
    assert window.notice.level == "info" and f"Wrote {path.name}" in window.notice.text
    beside = path.read_bytes()
    monkeypatch.setattr(file_dialogs, "AT_ONCE_UP_TO", 1000)
    getattr(window.files, export)()
    assert not window.files.is_writing and path.read_bytes() == beside
    close()


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_pictures(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, large: Document, suffix: str
) -> None:
    window, close = make_window(qtbot, large)
    path = tmp_path / f"a{suffix}"
    ask(monkeypatch, path)
    window.files.export_picture()
    dialog = next(one for one in window.children() if isinstance(one, file_dialogs.PictureDialog))
    dialog.accept()
    wait(qtbot, window)
    assert window.notice.level == "info", window.notice.text
    assert path.read_bytes().startswith({".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}[suffix])
    close()


def test_what_is_in_sight(
    qtbot: QtBot, qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_dialogs, "AT_ONCE_UP_TO", 10)
    parts = whole_window(qapp, theme="light", remember=False)
    window, canvas = parts.window, parts.window.canvas
    try:
        parts.document.open_graph(chain_graph(40, "chain", 1), target=Pipeline(count=3))
        window.resize(1200, 800)
        window.show()
        qtbot.waitUntil(lambda: canvas.scene is not None and not canvas.busy, timeout=30_000)
        while canvas.in_sight() is None:
            canvas.zoom_by(2.0)
        ask(monkeypatch, tmp_path / "a.png")
        window.files.export_picture()
        dialog = window.findChild(file_dialogs.PictureDialog)
        dialog.in_sight.setChecked(True)
        dialog.accept()
        qtbot.waitUntil(lambda: not window.files.is_writing, timeout=60_000)
        assert window.notice.level == "info", window.notice.text
        assert (tmp_path / "a.png").exists()
    finally:
        parts.close()


@contextmanager
def held_server() -> Iterator[None]:
    """Processes that are asked for do not come: what they are to do is not over before it is cancelled."""
    start_server()
    server = server_id()
    assert server is not None
    os.kill(server, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(server, signal.SIGCONT)


def test_the_window_cancels(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, large: Document
) -> None:
    window, close = make_window(qtbot, large)
    ask(monkeypatch, tmp_path / "a.csv")
    stop = window.actions_set.actions["file.export.stop"]
    assert not stop.isEnabled()
    with held_server():
        window.files.export_csv()
        window.files.export_dot()
        assert "still under way" in window.notice.text
        assert stop.isEnabled()
        stop.trigger()
        wait(qtbot, window)
        assert "cancelled" in window.notice.text and list(tmp_path.iterdir()) == [] and not stop.isEnabled()
        window.files.export_csv()
        close()
        assert not window.files.is_writing and list(tmp_path.iterdir()) == []


def test_a_failure_is_one_sentence_and_the_old_file_stays(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, large: Document
) -> None:
    window, close = make_window(qtbot, large)
    ask(monkeypatch, tmp_path / "no" / "a.csv")
    window.files.export_csv()
    wait(qtbot, window)
    assert window.notice.level == "error" and "cannot be written" in window.notice.text
    close()


# ---------------------------------------------------------------------- saving
def test_saving_beside_the_window(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, large: Document
) -> None:
    window, close = make_window(qtbot, large)
    path = tmp_path / "a.plan.json"
    ask(monkeypatch, path)
    large.move([0], 1)
    assert large.modified
    window.actions_set.actions["file.save"].trigger()
    assert window.files.is_writing and large.modified and large.plan_path is None
    wait(qtbot, window)
    assert not large.modified and large.plan_path == path
    assert list(open_plan(path, large.graph).plan.decision.device_of) == list(large.device_of)
    large.move([0], 0)
    window.actions_set.actions["file.save"].trigger()
    before = list(large.device_of)
    large.move([1], 2)  # meanwhile
    wait(qtbot, window)
    assert large.modified and "changed since" in window.notice.text
    assert list(open_plan(path, large.graph).plan.decision.device_of) == before
    assert window.files.save_plan() and not large.modified, "who closes a window waits for it"
    close()


# ---------------------------------------------------------------------- ends
def slowly(path: Path, begun: Path) -> None:
    with placing(path) as place:
        place.write_text("half of it")
        begun.touch()
        time.sleep(600)


def stubborn(path: Path, begun: Path) -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    slowly(path, begun)


def killed(path: Path, begun: Path) -> None:
    with placing(path) as place:
        place.write_text("half of it")
        os.kill(os.getpid(), signal.SIGKILL)


def unforeseen() -> None:
    raise ValueError("what a bug would say")


def dawdle() -> None:
    """Wait for a while in which signals are looked at."""
    for _ in range(200):
        time.sleep(0.02)


def called_back(begun: Path) -> None:
    """A library of C calls back while it is told to stop, as LLVM does when it has compiled something: what is raised there is lost."""

    @ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
    def compare(*_: object) -> int:
        begun.touch()
        dawdle()
        return 0

    ctypes.CDLL(None).qsort((ctypes.c_int * 2)(2, 1), 2, ctypes.sizeof(ctypes.c_int), compare)
    begun.with_name("after").touch()
    dawdle()
    begun.with_name("not stopped").touch()


@pytest.mark.skipif(sys.platform == "win32", reason="the C library is not to be had by no name")
def test_a_stop_that_is_lost_in_a_callback_is_asked_for_again(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    begun, told = tmp_path / "begun", sys.unraisablehook
    with pytest.raises(Cancelled):
        write_files(FilesOrder(partial(called_back, begun)), lambda *_: None, begun.exists)
    assert begun.with_name("after").exists() and not begun.with_name("not stopped").exists()
    assert sys.unraisablehook is told and capfd.readouterr().err == ""


def broken_callback() -> None:
    class Broken:
        def __del__(self) -> None:
            raise ValueError("a bug in a callback")

    Broken()


def test_other_errors_that_nobody_can_take_are_told_as_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda one: said.append(str(one.exc_value)))
    write_files(FilesOrder(broken_callback), lambda *_: None, lambda: False)
    assert said == ["a bug in a callback"]


@pytest.mark.parametrize("how", ["cancel", "drop"])
@pytest.mark.parametrize("write", [slowly, stubborn])
def test_a_cancel_leaves_nothing(qtbot: QtBot, tmp_path: Path, write: object, how: str) -> None:
    writing, told = Writing(), []
    writing.done.connect(lambda result, error: told.append(error))
    path, begun = tmp_path / "a", tmp_path / "begun"
    write_atomically(path, "old")
    writing.start(FilesOrder(partial(write, path, begun)))  # type: ignore[call-overload]
    qtbot.waitUntil(begun.exists, timeout=60_000)
    with pytest.raises(StageboardError, match="still under way"):
        writing.check_free()
    getattr(writing, how)()
    qtbot.waitUntil(lambda: not writing.busy, timeout=20_000)
    assert how == "drop" or isinstance(told[0], Cancelled)
    assert path.read_text() == "old" and sorted(one.name for one in tmp_path.iterdir()) == ["a", "begun"]


def test_a_process_that_is_killed_is_one_sentence(qtbot: QtBot, tmp_path: Path) -> None:
    writing, told = Writing(), []
    writing.done.connect(lambda result, error: told.append(str(error)))
    path = tmp_path / "a"
    writing.start(FilesOrder(partial(killed, path, path)))
    qtbot.waitUntil(lambda: bool(told), timeout=60_000)
    assert "ended unexpectedly" in told[0] and list(tmp_path.iterdir()) == []
    writing.start(FilesOrder(unforeseen))
    qtbot.waitUntil(lambda: len(told) == 2, timeout=60_000)
    assert "what a bug would say" in told[1]


def test_a_graph_is_the_same_in_another_process() -> None:
    import pickle

    import numpy as np

    graph = read_model(Path(__file__).parents[2] / "data" / "small.json")
    assert graph.index
    again = pickle.loads(pickle.dumps(graph))
    assert again.fingerprint == graph.fingerprint and again.index == graph.index
    for key, value in graph.__dict__.items():
        if isinstance(value, np.ndarray):
            np.testing.assert_array_equal(value, again.__dict__[key])
    assert (again.op_ids, again.op_names, again.kinds) == (graph.op_ids, graph.op_names, graph.kinds)
