"""A plan that is run from the window: beside it, shown under what was predicted, planned again, cancelled, and closed without a trace."""

from __future__ import annotations

import multiprocessing
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gui.document.plan.document import Document
from gui.editors.plan.editor import MainWindow
from gui.editors.plan.panels.running import choices
from gui.editors.plan.panels.running.panel import RunPanel
from gui.editors.plan.panels.running.words import told
from gui.look.theme import DARK, LIGHT
from gui.shell.session import Session
from planner.export.onnx.runtime import CPU
from planner.formats import read_model
from planner.machines.pipeline.target import Pipeline
from planner.runs.running import cores
from planner.runs.running.order import RunOrder, Split, split_of
from planner.runs.running.result import PlanRun
from planner.runs.running.timeline import measured_schedule
from tests.gui.background.test_exporting import opened_model
from tests.gui.models import chain_graph
from tests.gui.window_parts import make_window, settle, shown
from tests.planner.runs.running.fake import machine
from tests.planner.runs.running.test_again import UNET, halves, skewed

BRANCHY = UNET.with_name("branchy_int8.tflite")


def wait_run(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.waitUntil(lambda: not window.runs.running.busy, timeout=60_000)
    settle()


def faked(document: Document) -> tuple[Split, PlanRun]:
    """A run of the plan that is open, on a machine whose times are known."""
    problem = document.problem
    assert problem is not None
    split = Split(problem, document.device_of.copy(), "the plan")
    return split, machine(skewed, transfer=0.0)(RunOrder(split, (UNET,)))


@pytest.fixture
def unet() -> Document:
    document = Document()
    graph = read_model(UNET)
    document.open_graph(graph, [UNET], target=Pipeline(count=2))
    document.set_assignment(halves(graph).device_of, "edit", "halves")
    return document


def texts(panel: RunPanel) -> list[list[str]]:
    model = panel.model
    return [
        [str(model.data(model.index(row, column))) for column in range(model.columnCount())]
        for row in range(model.rowCount())
    ]


def test_a_plan_is_run_beside_the_window(qtbot: QtBot, tmp_path: Path) -> None:
    window, close = make_window(qtbot, opened_model(tmp_path))
    panel = window.run_panel
    window.resize(1280, 900)
    window.runs.samples = 12
    assert window.actions_set["file.run"].isEnabled()
    window.actions_set["file.run"].trigger()
    assert window.runs.running.busy
    assert not window.actions_set["file.run"].isEnabled()
    assert window.actions_set["file.run.cancel"].isEnabled()
    assert window.docks.docks["run"].isVisible()
    settle()
    assert panel.button.text() == "Cancel"
    wait_run(qtbot, window)
    assert panel.button.text() == "Run This Plan"
    assert "samples per second" in panel.figures.text()
    assert "outputs equal the whole model's" in panel.figures.text()
    assert [row[0] for row in texts(panel)] == ["Stage 0", "Stage 1"]
    above, below = panel.predicted.layout_of, panel.measured.layout_of
    assert above is not None and below is not None
    assert above.end == below.end > 0
    assert above.gutter == below.gutter
    # Another plan: the run is of the one before.
    window.document.move([1], 1)
    settle()
    assert panel.words.text().startswith("of an earlier plan")
    window.document.undo_stack.undo()
    settle()
    assert not panel.words.text().startswith("of an earlier plan")
    close()


def test_a_run_is_cancelled(qtbot: QtBot, tmp_path: Path) -> None:
    window, close = make_window(qtbot, opened_model(tmp_path))
    window.actions_set["file.run"].trigger()
    settle()
    window.run_panel.button.click()
    wait_run(qtbot, window)
    assert "cancelled" in window.notice.text
    assert window.run_panel.run is None
    # And where the window goes in the middle of it.
    window.actions_set["file.run"].trigger()
    close()
    assert not multiprocessing.active_children()


def test_planning_again_is_two_undo_steps(
    qtbot: QtBot, unet: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, close = make_window(qtbot, unet)
    started: list[bool] = []
    monkeypatch.setattr(window, "start_planner", lambda: started.append(True))
    window.run_panel.again.click()
    assert not started, "nothing was run yet"
    split, run = faked(unet)
    window.docks.reveal("run")
    window.run_panel.show_run(split, run)
    settle()
    count = unet.undo_stack.count()
    window.run_panel.again.click()
    assert started == [True]
    assert unet.undo_stack.count() == count + 1
    problem = unet.problem
    assert problem is not None
    assert problem.evaluate(split.device_of).work.tolist() == pytest.approx(
        [stage.busy.seconds for stage in run.plan.stages]
    )
    settle()
    assert not window.run_panel.again.isEnabled(), "these are the times in use"
    unet.undo_stack.undo()
    settle()
    assert window.run_panel.again.isEnabled()
    # Slow copies are a bandwidth, too.
    slow = machine(skewed, transfer=10.0)(RunOrder(split, (UNET,)))
    window.run_panel.show_run(split, slow)
    settle()
    window.run_panel.again.click()
    assert unet.problem is not None
    assert unet.problem.target != split.problem.target
    close()


def test_a_run_on_equal_cores_is_of_an_unequal_machine(
    qtbot: QtBot, unet: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    unet.set_problem(Pipeline(count=2, speed=(1.0, 0.5)))
    window, close = make_window(qtbot, unet)
    split = split_of(unet.current_plan(), "the plan")
    window.docks.reveal("run")
    window.run_panel.show_run(split, machine(skewed, transfer=10.0)(RunOrder(split, (UNET,))))
    settle()
    assert window.run_panel.current
    assert window.run_panel.again.isEnabled()
    monkeypatch.setattr(window, "start_planner", lambda: None)
    window.run_panel.again.click()
    target = unet.open_problem.target
    assert isinstance(target, Pipeline)
    assert target.speed == (1.0, 0.5), "the machine stays what it is"
    assert target.bandwidth != Pipeline().bandwidth
    close()


def test_the_panel_says_what_can_be_run(qtbot: QtBot, unet: Document) -> None:
    document = Document()
    panel = RunPanel(document, LIGHT)
    with shown(qtbot, panel, 800, 240):
        assert panel.words.text() == "Open a model to run its plan."
        document.open_graph(chain_graph(), [Path("chain.json")])
        settle()
        assert panel.words.text() == "Plans of ONNX and TFLite files can be run here."
        assert not panel.button.isEnabled()
        assert not panel.middle.isVisible()


def test_a_busy_machine_leaves_the_share_of_the_pace_out(unet: Document) -> None:
    run = faked(unet)[1]
    assert "of its slowest stage's pace" in told(run)
    busy = told(replace(run, plan=replace(run.plan, away=(0.5,))))
    assert "on a busy machine" in busy
    assert "pace" not in busy


def test_charts_look_at_the_same_time(qtbot: QtBot, unet: Document) -> None:
    panel = RunPanel(unet, LIGHT)
    with shown(qtbot, panel, 900, 260):
        panel.show_run(*faked(unet))
        settle()
        panel.measured.zoom_by(2.0)
        above, below = panel.predicted.layout_of, panel.measured.layout_of
        assert above is not None and below is not None
        assert (above.left, above.scale) == (below.left, below.scale)
        unet.select([3])
        assert panel.predicted.marks.selected is not None
        panel.set_theme(DARK)
        heads = [panel.model.headerData(i, Qt.Orientation.Horizontal) for i in range(3)]
        assert heads == ["ms per sample", "Predicted", "Took"]
        run = panel.run
        assert run is not None
        rows = texts(panel)
        assert [row[3] for row in rows] == [
            f"{stage.own.seconds / stage.predicted:.2f}" for stage in run.plan.stages
        ]


def test_the_measured_schedule_is_what_was_measured(unet: Document) -> None:
    split, run = faked(unet)
    s = measured_schedule(split, run.plan)
    assert s.period == pytest.approx(1.0 / run.plan.throughput)
    assert s.bottlenecks == (run.plan.slowest,)
    assert (s.finish - s.start).tolist() == pytest.approx([stage.busy.seconds for stage in run.plan.stages])
    assert np.array_equal(s.piece, s.device)
    assert float(s.share.max()) == pytest.approx(1.0)


def test_cores_and_provider_are_chosen_and_remembered(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choices, "providers", lambda: ["FastExecutionProvider", CPU])
    session = Session(tmp_path / "session.ini")
    window, close = make_window(qtbot, opened_model(tmp_path), session=session)
    asked: list[RunOrder] = []
    monkeypatch.setattr(window.runs.running, "start", asked.append)
    window.docks.reveal("run")
    settle()
    chosen = window.run_panel.choices
    offered = chosen.provider_list
    assert [offered.itemText(i) for i in range(offered.count())] == ["CPU", "Fast"], "only what is there"
    window.actions_set["file.run"].trigger()
    assert asked[-1].cores == () and asked[-1].provider == ""
    first = cores.here()[0]
    chosen.cores_field.setFocus()
    qtbot.keyClicks(chosen.cores_field, f"{first}")
    qtbot.keyClick(chosen.cores_field, Qt.Key.Key_Tab)
    qtbot.keyClick(offered, Qt.Key.Key_Down)
    window.actions_set["file.run"].trigger()
    assert asked[-1].cores == (first,) and asked[-1].provider == "FastExecutionProvider"
    chosen.cores_field.setText("one")
    window.actions_set["file.run"].trigger()
    assert len(asked) == 2 and "no list of cores" in window.notice.text
    close()
    # Another window has them, and one in which that provider is not there runs on the CPU.
    for present, expected in ((["FastExecutionProvider", CPU], "FastExecutionProvider"), ([CPU], "")):
        monkeypatch.setattr(choices, "providers", lambda present=present: present)
        window, close = make_window(qtbot, opened_model(tmp_path), session=session)
        window.docks.reveal("run")
        settle()
        assert window.run_panel.choices.cores == (first,)
        assert window.run_panel.choices.provider == expected
        close()


def test_a_tflite_model_has_no_provider_to_choose(qtbot: QtBot) -> None:
    document = Document()
    document.open_graph(read_model(BRANCHY), [BRANCHY], target=Pipeline(count=2))
    window, close = make_window(qtbot, document)
    window.docks.reveal("run")
    settle()
    assert window.run_panel.choices.isVisible()
    assert not window.run_panel.choices.provider_list.isVisible()
    assert window.run_panel.choices.provider == ""
    close()


def test_the_panel_says_for_how_long_a_run_is_under_way(
    qtbot: QtBot, unet: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the first moment, not only once samples are counted."""
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    panel = RunPanel(unet, LIGHT)
    with shown(qtbot, panel):
        panel.show_progress("Cutting the model …")
        settle()
        assert panel.words.text() == "Cutting the model …"
        now[0] += 83.5
        panel._clock.timeout.emit()
        assert panel.words.text() == "Cutting the model …  ·  83 s"
        now[0] += 2.0
        panel.show_progress("Running …")
        settle()
        assert panel.words.text() == "Running …  ·  85 s" and panel._clock.isActive()
        panel.show_run(*faked(unet))
        settle()
        assert not panel._clock.isActive() and "cores" in panel.words.text()
        panel.show_progress("Cutting the model …")
        settle()
        assert panel.words.text() == "Cutting the model …", "the clock of the next run begins anew"
        panel.show_progress("")
