"""Measured times in the window: dropped, chosen, measured here, forgotten."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from gui.editors.plan.editor import MainWindow
from planner.model.times import measured_words
from planner.runs.measuring import measuring
from planner.runs.measuring.timed import Order
from tests.gui.window_parts import make_window, opened, settle

SAMPLES = Path(__file__).resolve().parents[4] / "sample_models"


@pytest.fixture
def window(qtbot: QtBot) -> Generator[MainWindow]:
    window, close = make_window(qtbot, opened())
    yield window
    close()


def rest(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.waitUntil(lambda: not window.files.loading.busy, timeout=60_000)
    settle()


def words(window: MainWindow) -> str:
    return measured_words(window.document.open_problem.graph)


def test_a_profile_that_is_dropped_is_planned_with(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    window.files.open_files([SAMPLES / "resnet50.json"])
    rest(qtbot, window)
    ids = window.document.open_problem.graph.op_ids[1:]
    table = tmp_path / "times.csv"
    table.write_text("op,seconds\n" + "".join(f"{op},0.5\n" for op in ids[:3]))
    window.files.open_files([table])
    rest(qtbot, window)
    assert words(window).startswith("3 of ")
    assert window.notice.text.startswith("3 of ")
    assert "plan again, or undo" in window.notice.text
    window.actions_set["file.forget_times"].trigger()
    assert words(window) == ""
    assert not window.actions_set["file.forget_times"].isEnabled()


def test_a_profile_of_another_model_is_said(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    window.files.open_files([SAMPLES / "resnet50.json"])
    rest(qtbot, window)
    table = tmp_path / "times.csv"
    table.write_text("op,seconds\nnobody,0.5\n")
    problem = window.document.open_problem
    window.files.open_files([table])
    rest(qtbot, window)
    assert "has none of them" in window.notice.text
    assert window.document.open_problem is problem


def test_the_open_model_is_measured(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Order] = []
    measure = measuring.measure

    def quickly(order: Order, stopped: object) -> object:
        asked.append(order)
        return measure(Order(order.model, order.batch, runs=2), stopped)  # type: ignore[arg-type]

    assert not window.actions_set["file.measure"].isEnabled(), "nothing of a generated graph can be run"
    window.files.open_files([SAMPLES / "branchy_int8.tflite"])
    rest(qtbot, window)
    monkeypatch.setattr(measuring, "measure", quickly)
    window.actions_set["file.measure"].trigger()
    assert window.files.loading.text == "Measuring branchy_int8 on this computer …"
    rest(qtbot, window)
    assert [Path(order.model).name for order in asked] == ["branchy_int8.tflite"]
    assert words(window) == "44 of 44 ops measured"
    assert window.document.undo_stack.undoText() == "Use measured times"


def test_measuring_is_cancelled(qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    window.files.open_files([SAMPLES / "branchy_int8.tflite"])
    rest(qtbot, window)
    problem = window.document.open_problem
    window.actions_set["file.measure"].trigger()
    window.files.loading.cancel()
    rest(qtbot, window)
    window.files.loading.drop()
    assert window.document.open_problem is problem
