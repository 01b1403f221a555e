"""Exports of stages from the window: beside it, with a notice of what was verified, cancelled and closed without a trace."""

from __future__ import annotations

from multiprocessing.context import SpawnProcess
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from gui.background.exporting import Exporting
from gui.document.plan.document import Document
from gui.editors.plan.actions import ACTIONS
from gui.editors.plan.editor import MainWindow
from planner.export.stages.process import StagesOrder, write_stages
from planner.formats import read_model
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.pipeline.target import Pipeline
from planner.problem.target import Target
from tests.gui.models import write_model
from tests.gui.window_parts import make_window
from tests.planner.export.onnx_maker import random_model
from tests.planner.export.tflite_maker import Maker


def opened_model(tmp_path: Path, target: Target | None = None) -> Document:
    """A small ONNX model, cut in the middle."""
    document = Document()
    path = random_model(tmp_path / "net.onnx", 4)
    graph = read_model(path)
    document.open_graph(graph, [path], target=target or Pipeline(count=2))
    halves = np.empty(graph.n, np.int32)
    halves[graph.topological_order] = np.arange(graph.n) * 2 // graph.n
    document.set_assignment(halves, "edit", "halves")
    document.undo_stack.setClean()
    return document


def choose(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, **__: (str(folder), ""))


def run(window: MainWindow, action: str) -> None:
    window.actions_set.run(next(spec for spec in ACTIONS if spec.id == action))


def wait_exported(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.waitUntil(lambda: not window.exports.exporting.busy, timeout=60_000)


def test_onnx_stages_are_exported_beside_the_window(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, close = make_window(qtbot, opened_model(tmp_path))
    shown: list[QUrl] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", shown.append)
    target = tmp_path / "out"
    target.mkdir()
    choose(monkeypatch, target)
    run(window, "file.export.onnx")
    assert window.exports.exporting.busy
    assert "Writing ONNX stages to out" in window.notice.text
    # One at a time.
    run(window, "file.export.onnx")
    assert window.notice.level == "error" and "export is still under way" in window.notice.text
    wait_exported(qtbot, window)
    assert window.notice.level == "info", window.notice.text
    assert "Wrote 2 stages to out, verified on 3 random inputs" in window.notice.text
    assert "bit for bit" in window.notice.text
    assert sorted(p.suffix for p in target.iterdir()) == [".json", ".onnx", ".onnx"]
    window.notice._action.click()
    assert shown == [QUrl.fromLocalFile(str(target))]
    close()


def test_a_full_folder_gets_a_new_one_in_it(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, close = make_window(qtbot, opened_model(tmp_path))
    choose(monkeypatch, tmp_path)  # holds the model
    run(window, "file.export.onnx")
    assert "net-onnx-stages" in window.notice.text
    window.notice.dismiss()
    assert window.actions_set["file.export.cancel"].isEnabled()
    run(window, "file.export.cancel")
    wait_exported(qtbot, window)
    assert "cancelled" in window.notice.text and window.notice.level == "info"
    assert not window.actions_set["file.export.cancel"].isEnabled()
    assert {p.name for p in tmp_path.iterdir()} == {"net.onnx"}
    close()


def test_closing_the_window_ends_an_export(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, close = make_window(qtbot, opened_model(tmp_path))
    choose(monkeypatch, tmp_path)
    run(window, "file.export.onnx")
    close()
    assert not window.exports.exporting.busy
    assert {p.name for p in tmp_path.iterdir()} == {"net.onnx"}


def test_the_wrong_kind_of_model_is_said_before_a_folder_is_asked_for(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, close = make_window(qtbot, opened_model(tmp_path))
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, **__: pytest.fail("asked"))
    run(window, "file.export.tflite")
    assert window.notice.level == "error" and "net.onnx is no TFLite file" in window.notice.text
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, **__: ("", ""))
    run(window, "file.export.onnx")
    assert not window.exports.exporting.busy
    close()


def test_stages_of_a_model_that_cannot_be_run_may_be_had_unchecked(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    m = Maker()
    x, y, z = m.tensor("x"), m.tensor("y"), m.tensor("z")
    m.op("own-op", [x], [y])
    m.add(y, y, z)
    m.main.inputs, m.main.outputs = [x], [z]
    document = Document()
    document.open_model(m.save(tmp_path / "own.tflite"))
    window, close = make_window(qtbot, document)
    (tmp_path / "out").mkdir()
    choose(monkeypatch, tmp_path / "out")
    run(window, "file.export.tflite")
    wait_exported(qtbot, window)
    assert window.notice.level == "error" and "own-op" in window.notice.text
    assert not list((tmp_path / "out").iterdir())
    window.notice._action.click()
    assert "without running them" in window.notice.text
    wait_exported(qtbot, window)
    assert window.notice.level == "info" and "not checked; read back" in window.notice.text
    assert (tmp_path / "out" / "manifest.json").is_file()
    document.undo_stack.setClean()
    close()


def test_a_source_that_is_gone_or_another_is_said(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, close = make_window(qtbot, opened_model(tmp_path))
    choose(monkeypatch, tmp_path)
    source = tmp_path / "net.onnx"
    random_model(source, 5)
    run(window, "file.export.onnx")
    wait_exported(qtbot, window)
    assert window.notice.level == "error" and "changed since the plan was made" in window.notice.text
    source.unlink()
    run(window, "file.export.onnx")
    wait_exported(qtbot, window)
    assert window.notice.level == "error" and "net.onnx does not exist" in window.notice.text
    close()


def test_an_export_never_replaces_what_is_open(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, close = make_window(qtbot, opened_model(tmp_path, EdgeTpuPipeline(count=2)))
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "net.plan.json"), ""))
    run(window, "file.save_as")
    before = (tmp_path / "net.plan.json").read_bytes()
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "net.plan.txt"), ""))
    run(window, "file.export.edge_tpu")
    assert window.notice.level == "error" and "would be lost; choose another name" in window.notice.text
    assert (tmp_path / "net.plan.json").read_bytes() == before
    assert not (tmp_path / "net.plan.txt").exists()
    close()


def test_reports_and_graphs_are_written_at_once(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, close = make_window(qtbot, opened_model(tmp_path))
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "graph"), ""))
    run(window, "file.export.explorer")
    assert window.notice.text == "Wrote graph.json and graph.node-data.json."
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "report"), ""))
    run(window, "file.export.edge_tpu")
    assert window.notice.level == "error" and "has no Edge TPU segments" in window.notice.text
    close()
    window, close = make_window(qtbot, opened_model(tmp_path, EdgeTpuPipeline(count=2)))
    run(window, "file.export.edge_tpu")
    assert window.notice.text == "Wrote report.txt and report.json."
    seen: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: seen.append(url.toLocalFile()))
    window.notice._action.click()
    assert seen == [str(tmp_path)], "the folder is one click away"
    assert "Segments of net" in (tmp_path / "report.txt").read_text()
    close()


def test_stages_need_a_model_in_an_onnx_file(qtbot: QtBot, tmp_path: Path) -> None:
    window, close = make_window(qtbot)
    offered = []
    for model in (None, write_model(tmp_path), random_model(tmp_path / "net.onnx", 4)):
        if model is not None:
            window.document.open_model(model)
        window.update_actions()
        offered.append(window.actions_set["file.export.onnx"].isEnabled())
    close()
    assert offered == [False, False, True]


def nothing_ordered(tmp_path: Path) -> StagesOrder:
    plan = opened_model(tmp_path).current_plan()
    return StagesOrder(
        "onnx-stages", plan.problem, plan.decision.device_of, plan.provenance, (), tmp_path / "out"
    )


def test_a_process_that_cannot_start_is_said_and_another_may(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_memory(_: object) -> None:
        raise OSError("no memory")

    monkeypatch.setattr(SpawnProcess, "start", no_memory)
    exporting = Exporting(write_stages)
    with qtbot.waitSignal(exporting.done) as heard:
        exporting.start(nothing_ordered(tmp_path))
    result, error = heard.args
    assert result is None
    assert "ended unexpectedly" in str(error)
    assert not exporting.busy


def test_exports_that_cannot_work_are_grey_and_say_why(qtbot: QtBot, tmp_path: Path) -> None:
    document = opened_model(tmp_path)
    window, close = make_window(qtbot, document)
    onnx, tflite, report = (
        window.actions_set[f"file.export.{name}"] for name in ("onnx", "tflite", "edge_tpu")
    )
    window.update_actions()
    assert onnx.isEnabled() and "verified" in onnx.toolTip()
    assert not tflite.isEnabled() and tflite.toolTip() == "TFLite stages are cut from models in .tflite files"
    assert not report.isEnabled() and "plan the model for these first" in report.toolTip()
    document.set_problem(EdgeTpuPipeline(count=2))
    window.update_actions()
    assert report.isEnabled() and "memory of each segment" in report.toolTip()
    document.open_graph(document.open_problem.graph)
    window.update_actions()
    assert not onnx.isEnabled() and onnx.toolTip() == "ONNX stages are cut from models in .onnx files"
    document.undo_stack.setClean()
    close()


def test_stages_go_to_a_new_folder_whose_name_is_typed(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, close = make_window(qtbot, opened_model(tmp_path))
    asked: list[str] = []
    target = tmp_path / "for the boards"

    def answer(_parent: object, _title: str, start: str, *_: object, **__: object) -> tuple[str, str]:
        asked.append(start)
        return ("" if target.exists() else str(target)), ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", answer)
    run(window, "file.export.onnx")
    wait_exported(qtbot, window)
    assert Path(asked[0]).name == "net-onnx-stages"
    assert "Wrote 2 stages to for the boards" in window.notice.text and len(list(target.iterdir())) == 3
    run(window, "file.export.onnx")
    assert Path(asked[1]) == tmp_path / "net-onnx-stages", "beside the last"
    close()
