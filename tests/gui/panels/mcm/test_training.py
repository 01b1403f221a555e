"""The training dock: what it says of a run, what its buttons do, and what plans with the weights. Most without the extra `learn`."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from gui.document.plan.document import Document
from gui.editors.plan.editor import MainWindow
from gui.look.theme import DARK, LIGHT
from gui.panels.mcm.training import panel as panel_module
from gui.panels.mcm.training import run as run_module
from gui.panels.mcm.training.panel import TrainingPanel
from gui.shell.session import Session
from gui.widgets.file_field import FileField
from planner.machines.mcm.learned.weights import SHIPPED
from planner.machines.mcm.learning.messages import News, Task
from planner.machines.mcm.learning.recorded import Progress, latest_folder, recorded
from planner.machines.mcm.learning.training import BEST, STATE, TrainingSettings
from planner.machines.mcm.learning.twin import MISSING
from tests.gui.package_models import opened_package
from tests.gui.window_parts import make_window, opened, settle, shown
from tests.planner.machines.mcm.learning.test_recorded import CURVE, SETTINGS, write_run


class PlainAside:
    """Stands in for the process: says what the test wants it to."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.news: list[News] = []
        self.paused = self.closed = False

    def poll(self) -> News | None:
        return self.news.pop(0) if self.news else None

    def pause(self) -> None:
        self.paused = True

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def asides(monkeypatch: pytest.MonkeyPatch) -> list[PlainAside]:
    """The processes that were started, none of which is one."""
    made: list[PlainAside] = []

    def begin(*asked: Any) -> PlainAside:
        made.append(PlainAside(Task(*asked)))
        return made[-1]

    monkeypatch.setattr(run_module, "begun", begin)
    monkeypatch.setattr(panel_module, "missing_libraries", lambda: "")
    return made


@pytest.fixture
def dock(qtbot: QtBot) -> Generator[TrainingPanel]:
    document = Document()
    panel = TrainingPanel(document, LIGHT)
    with shown(qtbot, panel, 800, 300):
        yield panel
    panel.close_run()
    panel.plot = None  # pytest holds the panel, which would hold the plot's menus
    document.deleteLater()


def say(panel: TrainingPanel, *news: News) -> None:
    """Let the process say something."""
    aside: Any = panel.run._aside
    aside.news += news
    panel.run._look()
    settle()


def finished(folder: Path) -> Path:
    """A run with weights, in a folder."""
    write_run(folder)
    (folder / BEST).write_bytes(SHIPPED.read_bytes())
    return folder


def press(qtbot: QtBot, button: Any) -> None:
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    settle()


def test_a_run_from_start_to_pause_and_on(
    qtbot: QtBot, dock: TrainingPanel, asides: list[PlainAside], tmp_path: Path
) -> None:
    assert dock.words.text() == "No run in this folder yet" and dock.run.folder == latest_folder()
    assert not dock.use.isEnabled() and not dock.cancel.isEnabled()
    dock.open_folder(tmp_path / "mine")
    settle()
    dock.form.fields["samples"].setValue(200)  # type: ignore[attr-defined]
    press(qtbot, dock.go)
    (aside,) = asides
    assert aside.task == Task(TrainingSettings(samples=200), str(tmp_path / "mine"), resume=False)
    assert dock.words.text().startswith("0 of 200 samples, 0.0 s CPU; begins")
    assert not dock.folder.isEnabled() and not dock.form.fields["samples"].isEnabled()
    say(dock, News(CURVE[0], Progress(100, 200, 9.5, 31.0)))
    assert dock.words.text() == "100 of 200 samples, 9.5 s CPU, about 31 s left"
    assert dock.run.words == "Training 100 of 200"
    assert dock.key["validation"].text().endswith("average on validation 0.800")
    assert dock.plot is not None and list(dock.plot.curves["reward"].getData()[1]) == [0.9]
    press(qtbot, dock.go)
    assert aside.paused and dock.go.text().startswith("Pausing") and not dock.go.isEnabled()
    assert not dock.cancel.hasFocus(), "who presses twice must not cancel"
    write_run(tmp_path / "mine", CURVE[:1])
    say(dock, News(ended=True))
    assert aside.closed and not dock.run.running
    assert dock.go.text() == "Resume" and dock.words.text().endswith("Resume goes on")
    press(qtbot, dock.go)
    assert asides[1].task == Task(SETTINGS, str(tmp_path / "mine"), resume=True)
    press(qtbot, dock.cancel)
    assert asides[1].closed and dock.go.text() == "Resume" and len(dock.run.curve) == 1
    press(qtbot, dock.cancel)
    assert dock.run.folder == latest_folder() and dock.run.settings is None


def test_what_goes_wrong_is_said(
    dock: TrainingPanel, asides: list[PlainAside], tmp_path: Path, qtbot: QtBot
) -> None:
    told: list[str] = []
    dock.document.message.connect(lambda message: told.append(message.text))
    dock.open_folder(tmp_path)
    settle()
    dock.go_on()
    say(dock, News(ended=True, sentence="the disk is full"))
    assert told == ["Training ended: the disk is full."] and not dock.run.running
    (tmp_path / STATE).write_bytes(b"x")
    dock.folder.changed.emit()
    settle()
    assert "is damaged" in dock.note.text() and not dock.go.isEnabled() and dock.cancel.isEnabled()
    dock.run.start(SETTINGS)
    assert not dock.run.running


def test_a_complete_run_goes_on_only_for_more_samples(
    dock: TrainingPanel, asides: list[PlainAside], tmp_path: Path, qtbot: QtBot
) -> None:
    dock.open_folder(finished(tmp_path))
    settle()
    assert dock.words.text() == "200 of 200 samples, 12 s CPU; all are drawn"
    assert dock.best.text().endswith(f"after 200 samples, are kept in {tmp_path / BEST}")
    assert dock.form.fields["seed"].isEnabled() is False and not dock.go.isEnabled()
    dock.form.fields["samples"].setValue(500)  # type: ignore[attr-defined]
    assert dock.go.isEnabled()
    dock.go_on()
    assert asides[0].task.settings.samples == 500 and asides[0].task.resume


def test_the_pointer_asks_for_a_checkpoint(dock: TrainingPanel, tmp_path: Path) -> None:
    dock.open_folder(finished(tmp_path))
    settle()
    plot = dock.plot
    assert plot is not None and dock.at.text().endswith("after 200 samples")
    box = plot.getPlotItem().getViewBox()
    QTest.mouseMove(plot.viewport(), plot.mapFromScene(box.mapViewToScene(QPointF(90, 1.0))))
    settle()
    assert dock.at.text().endswith("after 100 samples") and dock.key["first"].text().endswith("0.700")
    QTest.mouseMove(plot.viewport(), QPoint(2, 2))
    settle()
    assert dock.at.text().endswith("after 200 samples")
    dock.set_theme(DARK)
    assert plot.theme is DARK and "validation 0.900" in plot.accessibleDescription()


def test_narrow_docks_have_the_curve_above(dock: TrainingPanel) -> None:
    beside = dock._parts.direction()
    dock.resize(400, 500)
    settle()
    assert dock._parts.direction() != beside
    dock.resize(800, 300)
    settle()
    assert dock._parts.direction() == beside


def test_without_the_extra_it_says_what_to_install(
    dock: TrainingPanel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(panel_module, "missing_libraries", lambda: MISSING)
    dock.open_folder(finished(tmp_path))
    settle()
    assert "pip install 'stageboard[learn]'" in dock.note.text() and not dock.go.isEnabled()
    assert dock.use.isEnabled(), "what was trained elsewhere can be used"
    told: list[str] = []
    dock.document.message.connect(lambda message: told.append(message.text))
    dock.go_on()
    assert told == [MISSING[0].upper() + MISSING[1:] + "."]


def test_a_folder_is_asked_for(
    dock: TrainingPanel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    asked: list[str] = []

    def ask(parent: object, title: str, start: str) -> str:
        asked.append(start)
        return str(finished(tmp_path / "run"))

    monkeypatch.setattr(QFileDialog, "getExistingDirectory", ask)
    dock.folder.set_text(str(tmp_path / "not" / "there"))
    press(qtbot, dock.folder.button)
    assert asked == [str(tmp_path)] and dock.run.folder == tmp_path / "run" and dock.run.complete


def test_what_is_in_the_home_folder_is_shown_short(
    dock: TrainingPanel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    dock.open_folder(finished(tmp_path / "run"))
    settle()
    assert Path(dock.folder.text()) == Path("~/run") and "kept in ~" in dock.best.text()
    dock.folder.changed.emit()
    settle()
    assert dock.run.folder == tmp_path / "run" and dock.run.complete
    asked: list[str] = []
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *a: asked.append(a[2]) or "")
    press(qtbot, dock.folder.button)
    assert asked == [str(tmp_path / "run")]


def test_the_learned_policy_plans_with_the_weights(qtbot: QtBot, tmp_path: Path) -> None:
    window, close = make_window(qtbot, opened_package())
    try:
        window.pick_command()
        window.palette_window.line.setText("train")
        rows = window.palette_window.list.model()
        found = [str(rows.index(row, 0).data()) for row in range(rows.rowCount())]
        assert any("Train the Learned Policy" in title for title in found)
        window.palette_window.dismiss()
        window.actions_set["plan.train"].trigger()
        settle()
        assert window.training.isVisible()
        window.training.open_folder(finished(tmp_path))
        settle()
        press(qtbot, window.training.use)
        path = str(tmp_path / BEST)
        field = window.planners.options.fields["weights"]
        assert isinstance(field, FileField) and field.text() == path
        order = window.planners.order()
        assert order.method == "chip-learned" and order.options["weights"] == path
        assert window.planners.order(window.planners.method()).options == {"weights": path}
        assert window.race.setup.given["chip-learned"]["weights"] == path
        qtbot.waitUntil(lambda: not window.planners._sought)
        field.line.clear()
        window.planners.start = lambda: None  # type: ignore[method-assign]
        assert window.planners.order().options["weights"] == ""
        assert window.planners.given["chip-learned"]["weights"] == "", "what is typed is kept"
    finally:
        close()


def weights_field(window: MainWindow) -> FileField:
    """Where the planner's path is typed."""
    window.planners.choose("chip-learned")
    settle()
    field = window.planners.options.fields["weights"]
    assert isinstance(field, FileField)
    return field


def test_the_choice_of_weights_is_remembered_and_taken_back(qtbot: QtBot, tmp_path: Path) -> None:
    session = Session(tmp_path / "session.ini")
    path = str(finished(tmp_path / "run") / BEST)
    window, close = make_window(qtbot, opened_package(), session)
    other, close_other = make_window(qtbot, opened_package(), session)
    try:
        window.docks.reveal("training")
        settle()
        window.training.open_folder(tmp_path / "run")
        settle()
        assert not window.training.back.isVisible()
        window.training.use_weights()
        settle()
        assert weights_field(other).text() == path, "a window that is open hears of it"
        for planner in ("chip-learned", "chip-local-search"):
            assert other.planners.given[planner] == {"weights": path}
        other.docks.reveal("race")
        settle()
        other.race.setup.choose(frozenset({("chip-local-search", False), ("chip-learned", False)}))
        entrants = {entrant.method: entrant.options for entrant in other.race.setup.settings().entrants}
        assert entrants["chip-learned"] == {"weights": path}
        assert entrants["chip-local-search"] == {}, "they mean nothing to its own guide"
        other.planners.options.fields["mode"].setCurrentText("scratch")  # type: ignore[attr-defined]
        assert other.planners.order().options["mode"] == "scratch"
        assert "weights" not in other.planners.order().options
    finally:
        close()
        close_other()
    session.sync()
    again = Session(tmp_path / "session.ini")
    window, close = make_window(qtbot, opened_package(), again)
    try:
        assert weights_field(window).text() == path
        window.docks.reveal("training")
        settle()
        assert window.training.plans.text() == f"Learned policy plans with {path}"
        press(qtbot, window.training.back)
        assert weights_field(window).text() == "" and again.value("policy weights") == ""
        assert not window.training.back.isVisible() and window.planners.order().options["weights"] == ""
        window.training.chosen.choose(path)
        weights_field(window).line.setText("")
        window.planners.order()
        assert again.value("policy weights") == "" and window.training.chosen.path == "", (
            "a cleared field is a choice"
        )
    finally:
        close()


def test_weights_that_are_gone_are_told_of_once(qtbot: QtBot, tmp_path: Path) -> None:
    session = Session(tmp_path / "session.ini")
    session.set_value("policy weights", str(tmp_path / "gone.npz"))
    window, close = make_window(qtbot, opened(), session)
    try:
        assert not window.notice.isVisible() and session.value("policy weights"), "no package is open"
    finally:
        close()
    window, close = make_window(qtbot, opened_package(), session)
    try:
        said = window.notice.text
        assert str(tmp_path / "gone.npz") in said and said.endswith("with those that come with Stageboard.")
        assert session.value("policy weights") == "" and weights_field(window).text() == ""
        assert window.planners.order().options["weights"] == ""
    finally:
        close()


def test_other_machines_have_nothing_to_train(qtbot: QtBot) -> None:
    window, close = make_window(qtbot, opened())
    try:
        assert not window.actions_set["plan.train"].isEnabled()
    finally:
        close()


def test_training_is_said_in_the_header_and_ends_with_the_window(
    qtbot: QtBot, asides: list[PlainAside], tmp_path: Path
) -> None:
    window, close = make_window(qtbot, opened_package())
    try:
        window.docks.reveal("training")
        settle()
        window.training.open_folder(tmp_path)
        settle()
        window.training.go_on()
        qtbot.waitUntil(lambda: "Training 0 of 20,000" in window.running.words.text())
        window.cancel_planners()
        assert asides[0].closed and not window.training.run.running
        window.training.go_on()
    finally:
        close()
    assert asides[1].closed


@pytest.mark.timeout(600)
def test_a_real_run_is_cancelled_and_resumed(dock: TrainingPanel, qtbot: QtBot, tmp_path: Path) -> None:
    pytest.importorskip("jax", reason="the extra `learn` is not installed")
    pytest.importorskip("optax", reason="the extra `learn` is not installed")
    dock.open_folder(tmp_path)
    dock.run.start(SETTINGS)
    qtbot.waitUntil(lambda: len(dock.run.curve) == 1, timeout=300_000)
    dock.run.cancel()
    there = recorded(tmp_path)
    assert there is not None and not dock.run.running
    if not there.complete:
        dock.go_on()
        qtbot.waitUntil(lambda: not dock.run.running, timeout=300_000)
    settle()
    assert dock.run.complete and dock.use.isEnabled()
