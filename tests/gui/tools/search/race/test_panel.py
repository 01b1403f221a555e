"""The race panel in its window: one button, rows that apply, sentences, and the convergence plot beside it."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.background.jobs import Jobs
from gui.document.values import Message
from gui.editors.plan.editor import MainWindow
from gui.look.theme import DARK, LIGHT
from gui.tools.search.race import setup
from gui.tools.search.race.panel import RacePanel
from planner.machines.pipeline.target import Pipeline
from tests.gui.models import chain_graph
from tests.gui.tools.search.race.fake_race import FakeRace
from tests.gui.window_parts import make_window, opened, settle

BETTER = np.repeat([0, 1, 2], [4, 5, 3]).astype(np.int32)
WORSE = np.repeat([0, 2], 6).astype(np.int32)


@pytest.fixture
def window(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Generator[MainWindow]:
    FakeRace.made = []
    monkeypatch.setattr("planner.runs.race.Race", FakeRace)
    document = opened()
    document.set_assignment(np.zeros(12, np.int32), "edit", "All on one")
    document.plan_list.take(document.plans[0])  # the start plan is better than what most tests find
    window, close = make_window(qtbot, document)
    window.focus_panel("race")
    settle()
    yield window
    close()


def started(window: MainWindow) -> tuple[RacePanel, FakeRace]:
    window.race.setup.choose(frozenset({("anneal", False), ("slice", False), ("simple", True)}))
    window.race.go.click()
    return window.race, FakeRace.made[-1]


def show(window: MainWindow) -> None:
    window.race.racing.tick()
    window.race.racing.changed.emit()
    settle()


def test_the_action_shows_the_panel_and_the_button_has_the_keyboard(window: MainWindow) -> None:
    window.docks.docks["race"].close()
    window.actions_set["plan.race"].trigger()
    settle()
    assert window.race.isVisible() and window.race.go.hasFocus()
    QTest.keyClick(window.race.go, Qt.Key.Key_Space)
    assert window.race.racing.running
    assert window.searching
    settle()
    window.actions_set["plan.cancel"].trigger()
    assert FakeRace.made[-1].cancelled


def test_a_hidden_panel_looks_for_no_field_before_it_is_seen_or_a_race_starts(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []
    whole = setup.recommended
    monkeypatch.setattr(setup, "recommended", lambda *given: asked.append(given) or whole(*given))
    window.focus_panel("devices")
    window.docks.docks["race"].close()
    panel, document = window.race, window.document
    panel.setup.choose(frozenset({("anneal", False)}))
    document.open_graph(chain_graph(9), target=Pipeline(2))
    settle()
    assert not asked
    window.focus_panel("race")
    settle()
    assert asked and ("anneal", False) in panel.setup.methods.chosen()
    assert set(panel.setup.methods.chosen()) == set(whole(document.problem, 1, 60.0))
    window.docks.docks["race"].close()
    document.open_graph(chain_graph(12), target=Pipeline(3))
    panel.setup.limits.fields["gap"].setValue(2.0)  # type: ignore[attr-defined]
    panel.start()
    assert FakeRace.made[-1].problem is document.problem


def test_before_a_race_there_is_an_invitation(window: MainWindow) -> None:
    panel = window.race
    assert panel.invitation.isVisible() and not panel.board.isVisible()
    assert panel.go.text() == "Start race" and panel.go.isEnabled()
    assert "on 1 core" in panel.go.toolTip() or "cores" in panel.go.toolTip()
    panel.setup.choose(frozenset())
    assert not panel.go.isEnabled()


def test_what_a_race_is_set_up_with_is_whole_in_a_narrow_panel(window: MainWindow) -> None:
    said = window.race.setup_words
    assert said.text().startswith(tuple("123456789")) and said.wordWrap()
    room = max(len(word) for word in said.text().split()) * said.fontMetrics().maxWidth()
    one, narrow = said.heightForWidth(10_000), said.heightForWidth(room // 2)
    assert narrow > one, "more lines rather than a cut one"


def test_a_race_from_start_to_end(window: MainWindow) -> None:
    panel, engine = started(window)
    engine.finds(0, WORSE, 0.5)
    show(window)
    assert panel.go.text() == "Stop race"
    assert panel.board.isVisible() and not panel.setup.isEnabled()
    assert panel.headline.value.text() == panel.board.ranks.rows[0].number
    assert "leads" in panel.says.text()
    engine.adopts(1, 0)
    engine.finds(1, BETTER, 1.5)
    engine.ends("gap")
    show(window)
    first = panel.board.ranks.rows[0]
    assert first.winner and first.title == panel.course.runners[1].title  # type: ignore[union-attr]
    assert panel.go.text() == "Race again"
    assert panel.says.text().startswith("The gap asked for was reached")
    assert window.document.device_of.tolist() == BETTER.tolist()
    assert window.document.undo_stack.undoText() == "Race of 3"


def test_rows_apply_and_show_where_they_differ(window: MainWindow) -> None:
    panel, engine = started(window)
    engine.finds(0, WORSE)
    engine.finds(1, BETTER)
    engine.ends("time")
    show(window)
    document = window.document
    steps = document.undo_stack.index()
    panel.board.looked_at.emit(0)
    assert window.canvas.highlight.tolist() == (WORSE != BETTER).tolist()
    assert window.plans.current() is panel.entrants.entry(0)
    panel.board.apply_requested.emit(0)
    assert document.device_of.tolist() == WORSE.tolist()
    assert window.canvas.highlight is None
    assert document.undo_stack.index() == steps + 1
    document.undo_stack.undo()
    assert document.device_of.tolist() == BETTER.tolist()
    panel.board.apply_requested.emit(2)
    assert document.device_of.tolist() == BETTER.tolist(), "who has no plan cannot be applied"


def test_the_menu_of_an_entrant(window: MainWindow) -> None:
    panel, engine = started(window)
    engine.finds(0, WORSE)
    engine.finds(1, BETTER)
    show(window)
    compared: list[Any] = []
    panel.compare_requested.disconnect()
    panel.compare_requested.connect(compared.append)
    menu = panel.entrants.menu(0)
    actions = {action.text().partition("\t")[0]: action for action in menu.actions() if action.text()}
    assert not actions["Replay from its provenance"].isEnabled(), "not while the race is on"
    actions["Stop this one"].trigger()
    assert engine.stopped == [0]
    actions["Compare with the canvas"].trigger()
    assert compared == [[window.document.active, panel.entrants.entry(0)]]
    actions["Compare the best three"].trigger()
    assert compared[-1] == [panel.entrants.entry(1), panel.entrants.entry(0)]
    actions["Copy this row"].trigger()
    assert QApplication.clipboard().text().startswith("2. Annealing")
    actions["Copy the leaderboard"].trigger()
    assert QApplication.clipboard().text().startswith("rank\tentrant")
    menu.deleteLater()
    engine.ends("time")
    show(window)
    menu = panel.entrants.menu(0)
    actions = {action.text().partition("\t")[0]: action for action in menu.actions() if action.text()}
    assert actions["Replay from its provenance"].isEnabled()
    assert not actions["Stop this one"].isEnabled()
    menu.deleteLater()


def test_another_problem_is_said(window: MainWindow) -> None:
    panel, engine = started(window)
    engine.finds(0, BETTER)
    engine.ends("time")
    show(window)
    window.document.set_problem(Pipeline(count=4))
    settle()
    assert panel.says.text().startswith("This race is about the earlier problem: 3 stages.")
    assert panel.board.ranks.rows


def test_follow_can_be_switched_off(window: MainWindow) -> None:
    panel, engine = started(window)
    panel.follow.click()
    engine.finds(0, BETTER)
    show(window)
    assert not window.document.device_of.any()
    assert panel.entrants.entry(0) in window.document.plans
    panel.follow.click()
    show(window)
    assert window.document.device_of.tolist() == BETTER.tolist()
    engine.ends("time")
    show(window)


def test_an_infeasible_problem_is_explained(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(window.mending, "proven_infeasible", asked.append)
    _, engine = started(window)
    engine.proves(2, float("inf"))
    engine.ends("infeasible")
    show(window)
    assert asked == ["The race"]
    assert window.race.says.text().startswith("There is no valid plan")


def test_a_theme_and_reduced_motion_reach_the_rows(window: MainWindow) -> None:
    panel, engine = started(window)
    engine.finds(0, BETTER)
    show(window)
    panel.set_theme(DARK)
    window.set_reduced_motion(True)
    settle()
    assert panel.board.theme is DARK and panel.board.reduced
    engine.ends("time")
    show(window)


def test_a_replay_says_how_it_went(window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[Message] = []
    window.document.message.connect(said.append)
    panel, engine = started(window)
    engine.finds(0, BETTER)
    engine.ends("time")
    show(window)

    class Answered:
        def __init__(self, function: Any, plan: Any) -> None:
            self.plan = plan

        def poll(self) -> Any:
            from planner.processes.question import Answer

            return Answer(("differs", "it came out otherwise"))

        def close(self) -> None:
            pass

    monkeypatch.setattr("gui.background.asking.Aside", Answered)
    entry = panel.entrants.entry(0)
    assert entry is not None and panel.course is not None
    panel.replaying.replay(panel.course.problem, entry)
    assert panel.replaying.busy
    qtbot.waitUntil(lambda: not panel.replaying.busy, timeout=5000)
    assert [message.level for message in said] == ["info", "warning"]
    assert said[-1].text.endswith("it came out otherwise")


def test_closing_the_window_ends_the_race(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    FakeRace.made = []
    monkeypatch.setattr("planner.runs.race.Race", FakeRace)
    window, close = make_window(qtbot, opened())
    window.focus_panel("race")
    _, engine = started(window)
    assert not engine.closed
    close()
    assert engine.closed


def test_a_plan_is_really_replayed(qtbot: QtBot) -> None:
    """With processes: a race, then its winner again from its provenance."""
    document = opened()
    said: list[Message] = []
    document.message.connect(said.append)
    panel = RacePanel(document, Jobs(document), LIGHT)
    qtbot.addWidget(panel)
    panel.setup.show_problem(document.problem)
    panel.setup.choose(frozenset({("slice-random", False)}))
    panel.setup.from_canvas.setChecked(False)
    assert panel.start() is not None
    qtbot.waitUntil(lambda: panel.racing.settled, timeout=60_000)
    assert panel.entrants.entry(0) in document.plans
    panel.entrants.replay(0)
    qtbot.waitUntil(lambda: not panel.replaying.busy, timeout=60_000)
    panel.close_race()
    assert [message.level for message in said] == ["info", "info"], [message.text for message in said]
    assert "Replay of" in said[-1].text
