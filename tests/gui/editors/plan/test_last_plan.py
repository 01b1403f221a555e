"""The plan of a model that was saved last is offered when the model is opened, and on the start page."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QFileDialog
from pytest import MonkeyPatch
from pytestqt.qtbot import QtBot

from gui.shell.session import Session
from planner.machines.pipeline.target import Pipeline
from tests.gui.models import write_model
from tests.gui.window_parts import make_window, settle


def test_the_plan_saved_last_is_offered(qtbot: QtBot, tmp_path: Path, monkeypatch: MonkeyPatch) -> None:
    session, model, plan = (
        Session(tmp_path / "session.ini"),
        write_model(tmp_path),
        tmp_path / "mine.plan.json",
    )
    window, close = make_window(qtbot, session=session)
    window.files.open_files([model])
    qtbot.waitUntil(lambda: not window.files.loading.busy, timeout=60_000)
    assert "Your last plan" not in window.notice.text
    window.document.set_problem(Pipeline(count=2))
    window.document.pin([0])
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(plan), ""))
    assert window.files.save_plan()
    close()
    window, close = make_window(qtbot, session=session)
    settle()
    row = next(row for row in window.start_page.rows if row.text() == plan.name)
    assert row.toolTip() == f"{model}\n{plan}"
    window.files.open_files([model])
    qtbot.waitUntil(lambda: not window.files.loading.busy, timeout=60_000)
    notice = window.notice
    assert notice.text.startswith("Opened on a pipeline of 2 stages, as last time.")
    assert notice.text.endswith("Your last plan: mine.plan.json.")
    assert not window.document.open_problem.constraints
    notice._act_otherwise()
    assert window.document.plan_path == plan and window.document.open_problem.constraints
    window.document.undo_stack.setClean()
    close()
    plan.unlink()
    window, close = make_window(qtbot, session=session)
    window.files.open_files([model])
    qtbot.waitUntil(lambda: not window.files.loading.busy, timeout=60_000)
    assert "Your last plan" not in window.notice.text
    close()
