"""Measured times in the window: dropped, chosen, measured here, forgotten."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.editors.comparison.editor import CompareWindow
from gui.editors.comparison.windows import open_files, open_plans
from gui.editors.plan.editor import MainWindow
from gui.editors.plan.machine_dialog import ComputerDialog, MachineDialog
from gui.editors.plan.times_dialog import TimesDialog
from gui.look.theme import LIGHT
from gui.panels.inspector_figures import PageTimes, time_rows
from gui.panels.inspector_pages import device_page
from planner.formats import read_graph
from planner.formats.times.read import read_times
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.model.cost_model import CostModel, Rates, fill
from planner.model.named_machines import machine
from planner.model.times import OpTime, OpTimes, Use, measured_words, with_times_of
from planner.plan_files.plan_json import write_plan
from planner.problem.problem import Problem
from planner.problem.provenance import Provenance
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


def use_times_of(window: MainWindow, title: str) -> None:
    """Choose a device in the dialog that is open."""
    (dialog,) = window.findChildren(TimesDialog)
    dialog.device.setCurrentText(title)
    dialog.go.click()


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
    assert "estimated ops are of t4, which is" in window.notice.text
    assert "in Target (Ctrl+T), or measure all." in window.notice.text
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
    assert window.waiting.time.text() == "about 10 s"
    window.waiting._tick()
    assert window.waiting.time.text() == "1 s of about 10 s"
    rest(qtbot, window)
    assert [Path(order.model).name for order in asked] == ["branchy_int8.tflite"]
    assert words(window) == "44 of 44 ops measured"
    assert window.document.undo_stack.undoText() == "Use measured times"
    notice = window.notice
    assert "44 of 44 ops measured" in notice.text and not notice._later.waiting, "it stays"
    assert (notice._action.text(), notice._other.text()) == ("Plan Again", "Undo")
    notice._other.click()
    assert words(window) == ""
    window.document.undo_stack.redo()


def test_a_busy_machine_is_told_and_planning_goes_on(qtbot: QtBot, window: MainWindow) -> None:
    window.files.open_files([SAMPLES / "unet.onnx"])
    rest(qtbot, window)
    graph = window.document.open_problem.graph
    started: list[bool] = []
    window.planners.start = lambda: started.append(True)  # type: ignore[method-assign,assignment,return-value]
    for share, level in ((0.05, "info"), (0.23, "warning")):
        ops = {op: OpTime(share + 0.5, share * (share + 0.5)) for op in graph.op_ids}
        window.files._take_times([Use(OpTimes(ops, "t.json", "a runtime"))])
        assert window.notice.level == level
        assert ("measure again when it is idle" in window.notice.text) == (level == "warning")
    window.notice._action.click()
    assert started == [True]


def test_measuring_is_cancelled(qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    window.files.open_files([SAMPLES / "branchy_int8.tflite"])
    rest(qtbot, window)
    problem = window.document.open_problem
    window.actions_set["file.measure"].trigger()
    window.files.loading.cancel()
    rest(qtbot, window)
    window.files.loading.drop()
    assert window.document.open_problem is problem


def with_measured_plan(qtbot: QtBot, window: MainWindow, folder: Path) -> tuple[Path, Path]:
    """A table of times, and a plan that was made with it; the window forgets both."""
    window.files.open_files([SAMPLES / "resnet50.json"])
    rest(qtbot, window)
    table, plan = folder / "times.csv", folder / "measured.plan.json"
    ids = window.document.open_problem.graph.op_ids[1:]
    table.write_text("op,seconds\n" + "".join(f"{op},0.5\n" for op in ids[:3]))
    window.files.open_files([table])
    rest(qtbot, window)
    window.document.save_plan(plan)
    window.files.forget_times()
    window.notice.dismiss()
    return table, plan


def test_a_plan_made_with_other_times_says_so_and_offers_them(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    table, plan = with_measured_plan(qtbot, window, tmp_path)
    window.files.open_files([plan])
    settle()
    notice = window.notice
    assert notice.isVisible() and notice.level == "warning"
    assert "measured.plan.json: it was made with other times of ops" in notice.text
    assert (notice._action.text(), notice._other.text()) == ("Use Measured Times…", "Undo")
    monkeypatch.setattr(window.files, "ask_open", lambda *_: [table])
    notice._action.click()
    use_times_of(window, "Every device")
    rest(qtbot, window)
    assert words(window).startswith("3 of ")
    window.files.open_files([plan])
    settle()
    assert "other times of ops" not in notice.text, "these are the times that it was made with"


def test_a_comparison_says_which_plans_were_made_with_other_times(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    table, plan = with_measured_plan(qtbot, window, tmp_path)
    shown = open_plans(window, [plan])
    settle()
    notice = shown.notice
    qtbot.waitUntil(notice.isVisible)
    assert "it was made with other times of ops" in notice.text
    assert notice._action.text() == "Use Measured Times…"
    monkeypatch.setattr(window.files, "ask_open", lambda *_: [table])
    notice._action.click()
    rest(qtbot, window)
    settle()
    assert shown.state.comparison is not None, "its file is read again with these times"
    first, second = shown.state.plans
    assert first.problem.graph.fingerprint == second.problem.graph.fingerprint
    shown.close()


def test_plan_files_that_are_compared_in_the_window_say_so_there(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    _, plan = with_measured_plan(qtbot, window, tmp_path)
    open_files(window, window.document.paths, [plan, plan])
    settle()
    shown = next(one for one in QApplication.allWidgets() if isinstance(one, CompareWindow))
    assert shown.notice.text.count("it was made with other times of ops") == 2
    shown.close()


def test_measured_times_are_kept_as_a_machine(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    window.files.open_files([SAMPLES / "resnet50.json"])
    rest(qtbot, window)
    action = window.actions_set["file.keep_machine"]
    assert not action.isEnabled()
    graph = window.document.open_problem.graph
    estimate = CostModel().estimate(graph)[1]
    table = tmp_path / "times.csv"
    rows = [
        f"{op},{4 * seconds!r}\n"
        for op, seconds in zip(graph.op_ids, estimate.tolist(), strict=True)
        if seconds
    ]
    table.write_text("op,seconds\n" + "".join(rows))
    window.files.open_files([table])
    rest(qtbot, window)
    assert action.isEnabled()
    action.trigger()
    (dialog,) = window.findChildren(MachineDialog)
    assert not dialog.go.isEnabled() and dialog.trouble.text() == ""
    dialog.name.setText("t4")
    assert not dialog.go.isEnabled() and "brings along" in dialog.trouble.text()
    dialog.accept()
    dialog.name.setText("my-core")
    assert dialog.go.isEnabled() and dialog.trouble.text() == ""
    dialog.accept()
    rest(qtbot, window)
    assert "'my-core' is kept" in window.notice.text
    assert machine("my-core").device == "cpu"
    window.target.refresh_now()
    assert window.target.rates["cpu"].list.findData("my-core") >= 0


def choices(window: MainWindow) -> list[str]:
    """What the dialog that is open offers."""
    (dialog,) = window.findChildren(TimesDialog)
    return [dialog.device.itemText(row) for row in range(dialog.device.count())]


def test_times_of_one_device_are_chosen(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.files.open_files([SAMPLES / "resnet50.json"])
    rest(qtbot, window)
    document = window.document
    table = tmp_path / "fast.csv"
    table.write_text(
        "op,seconds\n" + "".join(f"{op},0.5\n" for op in document.open_problem.graph.op_ids[1:4])
    )
    monkeypatch.setattr(window.files, "ask_open", lambda *_: [table])
    window.actions_set["file.times"].trigger()
    assert choices(window) == ["Every device", "Stage 0", "Stage 1", "Stage 2", "Stage 3"]
    use_times_of(window, "Stage 2")
    rest(qtbot, window)
    assert list(document.open_problem.measured_times) == [2]
    assert document.undo_stack.undoText() == "Use measured times of Stage 2"
    assert "on stage 2" in window.notice.text
    page = device_page(document, 2, LIGHT)
    assert "ops measured on it" in page and "measured on it" not in device_page(document, 1, LIGHT)
    document.move([1], 2)
    window.actions_set["file.forget_times"].trigger()
    assert not document.open_problem.measured_times
    assert not window.actions_set["file.forget_times"].isEnabled()


def test_kinds_are_asked_for_only_where_there_are_both(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.files.open_files([SAMPLES / "resnet50.json"])
    rest(qtbot, window)
    table = tmp_path / "fast.csv"
    table.write_text(f"op,seconds\n{window.document.open_problem.graph.op_ids[1]},0.5\n")
    monkeypatch.setattr(window.files, "ask_open", lambda *_: [table])
    window.document.set_problem(DevicePool(accelerators=1, cpus=1, subgraphs=2))
    window.files.ask_times()
    assert choices(window) == ["Every device", "All accelerators", "All CPUs", "Accelerator 0", "CPU 0"]
    (dialog,) = window.findChildren(TimesDialog)
    dialog.reject()
    settle()
    window.document.set_problem(Pipeline(count=1))
    window.files.ask_times()
    rest(qtbot, window)
    assert not window.findChildren(TimesDialog), "there is but one device"
    assert words(window).startswith("1 of ")


def test_an_op_says_on_which_device_it_was_measured(qtbot: QtBot, window: MainWindow) -> None:
    window.files.open_files([SAMPLES / "resnet50.json"])
    rest(qtbot, window)
    document = window.document
    v = 5
    op, home = document.open_problem.graph.op_ids[v], int(document.device_of[v])
    times = OpTimes({op: OpTime(0.5)}, "t.json", "me")
    document.editing.set_times([Use(times, place=f"stage {home}")])
    page = PageTimes(document.open_problem, document.evaluation)
    rows = dict(time_rows(document.open_problem, document.device_of, v, page))
    assert rows["Measured"] == f"500.00 ms on Stage {home}"
    assert dict(time_rows(document.open_problem, document.device_of, v + 1, page))["Measured"] == "no"


def slow_ops(window: MainWindow, tmp_path: Path) -> Path:
    """A table of half a second for each of three ops."""
    table = tmp_path / "slow.csv"
    table.write_text(
        "op,seconds\n" + "".join(f"{op},0.5\n" for op in window.document.open_problem.graph.op_ids[1:4])
    )
    return table


def test_a_model_and_its_profile_open_together(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    window.files.open_files([SAMPLES / "resnet50.json"])
    rest(qtbot, window)
    table = slow_ops(window, tmp_path)
    window.document.undo_stack.setClean()
    window.files.open_files([SAMPLES / "resnet50.json", table])
    rest(qtbot, window)
    assert words(window).startswith("3 of ") and "plan again, or undo" in window.notice.text
    assert window.document.undo_stack.undoText() == "Use measured times"
    assert window.document.undo_stack.count() == 1, "the model is as it was opened, then its times"


def test_times_that_the_command_line_names_are_on_before_the_plan_is(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    window.files.open_files([SAMPLES / "resnet50.json"])
    rest(qtbot, window)
    table, document = slow_ops(window, tmp_path), window.document
    document.set_problem(Pipeline(count=6))
    timed = fill(with_times_of(document.open_problem.graph, [Use(read_times(table)[0], place="stage 5")]))
    made = Problem(timed, Pipeline(count=6)).plan(document.device_of.copy(), Provenance("hand"))
    plan = write_plan(tmp_path / "six.plan.json", made)
    document.undo_stack.setClean()
    window.files.open_timed([SAMPLES / "resnet50.json"], plan, [f"5={table}"])
    rest(qtbot, window)
    assert list(document.open_problem.measured_times) == [5], "numbers are those of the plan's stages"
    assert len(document.open_problem.devices) == 6
    assert words(window) == "of single devices 3 of 176 on stage 5"
    assert "made with other times" not in window.notice.text
    assert not document.undo_stack.canUndo() and document.plan_path == plan
    assert len(document.plans) == 1, "who brings a plan is made none unasked"


def test_a_plan_that_is_none_leaves_the_model_with_the_times_named(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    window.files.open_files([SAMPLES / "resnet50.json"])
    rest(qtbot, window)
    table, document = slow_ops(window, tmp_path), window.document
    other = Problem(fill(read_graph(SAMPLES / "unet.onnx")), Pipeline(count=2))
    made = other.plan(np.zeros(other.graph.n, np.int32), Provenance("hand"))
    plan = write_plan(tmp_path / "unet.plan.json", made)
    window.files.open_timed([SAMPLES / "resnet50.json"], plan, [str(table)])
    rest(qtbot, window)
    assert "plan of another graph" in window.notice.text and document.plan_path is None
    assert document.open_problem.graph.measured is not None


def test_times_that_say_nothing_of_the_model_leave_what_is_open(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    window.files.open_files([SAMPLES / "resnet50.json"])
    rest(qtbot, window)
    table = slow_ops(window, tmp_path)
    window.document.undo_stack.setClean()
    problem = window.document.open_problem
    window.files.open_timed([SAMPLES / "resnet50.json"], None, [f"99={table}"])
    rest(qtbot, window)
    assert "no device '99'" in window.notice.text
    window.files.open_timed([SAMPLES / "unet.onnx"], None, [str(table)])
    rest(qtbot, window)
    assert "has none of them" in window.notice.text
    assert window.document.open_problem is problem


def test_a_comparison_opens_with_measured_times(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    table, plan = with_measured_plan(qtbot, window, tmp_path)
    window.document.undo_stack.setClean()
    open_files(window, window.document.paths, [plan, plan], times=[str(table)])
    rest(qtbot, window)
    qtbot.waitUntil(lambda: any(isinstance(one, CompareWindow) for one in QApplication.allWidgets()))
    shown = next(one for one in QApplication.allWidgets() if isinstance(one, CompareWindow))
    assert words(window).startswith("3 of ")
    assert "other times of ops" not in shown.notice.text
    assert all(measured_words(each.problem.graph).startswith("3 of ") for each in shown.state.plans)
    shown.close()


def test_this_computer_is_measured_and_kept(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "planner.runs.calibration.this_computer.in_child", lambda *_, **__: (Rates(1e11, 2e10, 3e-7), "onnxruntime 1")
    )  # fmt: skip
    window.files.open_files([SAMPLES / "resnet50.json"])
    rest(qtbot, window)
    window.actions_set["file.measure_computer"].trigger()
    (dialog,) = window.findChildren(ComputerDialog)
    dialog.name.setText("t4")
    assert not dialog.go.isEnabled() and "brings along" in dialog.trouble.text()
    dialog.name.setText("this-computer")
    dialog.accept()
    rest(qtbot, window)
    assert window.notice.text.startswith("'this-computer' is kept: 100 GFLOP/s, 20 GB/s")
    assert machine("this-computer").device == "cpu"
    window.target.refresh_now()
    assert window.target.rates["cpu"].list.findData("this-computer") >= 0
