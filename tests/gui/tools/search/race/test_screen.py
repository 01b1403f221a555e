"""The race on the whole screen: what is painted, that all entrants have room, keys, and what is heard."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QImage, QKeyEvent, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.editors.plan.editor import MainWindow
from gui.look.theme import LIGHT
from gui.tools.search.race.course import Course
from gui.tools.search.race.facts import BoardFacts, board_facts
from gui.tools.search.race.leaderboard_rows import SHORT, TALL
from gui.tools.search.race.screen import RaceScreen
from gui.tools.search.race.stage import FOOT, bar_of, field_of, floor_of, gap_to, paint_race, unit_of
from gui.tools.search.race.words import goal_text, goal_words, headline
from planner.machines.pipeline.target import Pipeline
from planner.problem.problem import Problem
from tests.gui.models import chain_graph
from tests.gui.scribe import Scribe
from tests.gui.tools.search.race.fake_race import FakeRace
from tests.gui.tools.search.race.test_facts import course_of, proven
from tests.gui.window_parts import make_window, opened, settle

BETTER = np.repeat([0, 1, 2], [4, 5, 3]).astype(np.int32)
Key = Qt.Key


@pytest.fixture
def course() -> Course:
    made = course_of(Problem(chain_graph(), Pipeline(count=3), "bottleneck"))
    made.found(made.runners[0], 1.0, (30.0,))
    made.found(made.runners[1], 2.0, (20.0,))
    proven(made, 3, 19.0, 3.0)
    return made


@pytest.fixture
def window(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Generator[MainWindow]:
    FakeRace.made = []
    monkeypatch.setattr("planner.runs.race.Race", FakeRace)
    document = opened()
    document.set_assignment(np.zeros(12, np.int32), "edit", "All on one")
    window, close = make_window(qtbot, document)
    window.focus_panel("race")
    window.race.setup.choose(frozenset({("anneal", False), ("slice", False), ("simple", True)}))
    settle()
    yield window
    close()


def large(window: MainWindow) -> RaceScreen:
    window.actions_set["plan.race_large"].trigger()
    settle()
    screen = window.race.large.screen_now
    assert screen is not None and screen.isVisible()
    return screen


def painted(course: Course, facts: BoardFacts, size: tuple[int, int]) -> QImage:
    image = QImage(*size, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    paint_race(painter, size, course, facts, LIGHT, unit_of(size), {}, "keys")
    painter.end()
    return image


def test_bars_begin_at_the_bound_and_the_farthest_is_whole(course: Course) -> None:
    facts = board_facts(course)
    bars = {row.title: bar_of(row, facts) for row in facts.rows}
    assert floor_of(facts) == 19.0
    assert bars["Slice"] == pytest.approx(1.0 / 11.0) and bars["Annealing"] == 1.0
    assert bars["Dynamic program"] is None and bars["Simple"] is None
    gaps = {row.title: gap_to(row, facts) for row in facts.rows}
    assert gaps["Slice"] == "gap ≤ 5.0 %" and gaps["Annealing"] == "gap ≤ 36.7 %" and gaps["Simple"] == ""
    unproven = replace(facts, bound=())
    assert floor_of(unproven) == 0.0 and bar_of(facts.rows[0], unproven) == pytest.approx(20 / 30)


def test_who_reaches_the_bound_but_for_rounding_is_optimal(course: Course, qapp: object) -> None:
    """As the headline has it: a bound that is less by rounding leaves neither a gap nor a bar."""
    proven(course, 3, 20.0 * (1 - 1e-12), 4.0)
    facts = board_facts(course)
    best = next(row for row in facts.rows if row.leads)
    assert headline(course)[1] == "optimal: proven" and facts.bound[-1][1] < best.value
    assert gap_to(best, facts) == "optimal" and bar_of(best, facts) == 0.0
    assert gap_to(best, replace(facts, alone=False)) == "bound met", "of an objective with more components"
    only = replace(facts, rows=(best,))
    assert bar_of(best, only) == 0.0, "nor is it the longest where it is alone"


def test_what_bars_are_is_said(course: Course, qapp: object) -> None:
    for bound, words in (
        (True, "bars: gap to the bound, shorter is better"),
        (False, "bars: objective, shorter is better"),
    ):
        facts = board_facts(course) if bound else replace(board_facts(course), bound=())
        scribe = Scribe(1280, 800)
        paint_race(scribe, (1280, 800), course, facts, LIGHT, 1.0, {}, "keys")
        scribe.end()
        assert words in [said for _, said in scribe.written]


def test_figures_tell_racers_apart_and_the_gap_from_its_goal(course: Course) -> None:
    made = course_of(Problem(chain_graph(), Pipeline(count=3), "bottleneck"))
    for i, value in enumerate((20.001, 20.0023, 20.003)):
        made.found(made.runners[i], float(i), (value,))
    proven(made, 3, 19.977, 3.0)
    made.goal = replace(made.goal, gap=1e-3)
    facts = board_facts(made)
    ranked = [row for row in facts.rows if row.rank]
    assert len({row.number for row in ranked}) == len({gap_to(row, facts) for row in ranked}) == 3
    assert headline(made)[1].startswith("gap ≤ 0.12 %") and goal_text(made) == "to 0.10 %"
    assert "to 0.10 %" in goal_words(made)
    made.goal = replace(made.goal, gap=0.05)
    assert goal_text(made) == "to 5 %"


@pytest.mark.parametrize("size", [(1280, 800), (1024, 700), (1920, 1080), (3840, 2160)])
def test_all_entrants_have_room(size: tuple[int, int]) -> None:
    unit = unit_of(size)
    for count in (1, 6, 14):
        field = field_of(size, count, unit)
        assert field.y(count) <= size[1] - FOOT * unit + 0.1
        assert field.row >= 30 * unit and 0 < field.left < field.right < size[0]


def test_the_leader_is_painted_longest_from_the_room(course: Course, qapp: object) -> None:
    size = (1280, 800)
    image, facts = painted(course, board_facts(course), size), board_facts(course)
    field = field_of(size, len(facts.rows), unit_of(size))
    end = round(field.right - 4)
    colours = [image.pixelColor(end, round(field.y(place) + 0.48 * field.row)).name() for place in range(2)]
    assert colours[0] != colours[1]  # only the bar of the worse plan reaches the end
    assert painted(course, facts, size) == image


def test_figures_that_read_alike_are_said_once(course: Course) -> None:
    proven(course, 3, 19.99999, 4.0)
    assert headline(course) == ("20.00", "gap ≤ 0.001 %")


def test_a_race_that_is_over_at_once_offers_one_from_nothing(window: MainWindow) -> None:
    """Without the plan that was all that was asked for, and without what is proven."""
    screen, panel = large(window), window.race
    assert "from nothing" not in screen.hint
    QTest.keyClick(screen, Key.Key_Space)
    first = FakeRace.made[-1]
    assert first.starts and first.bounds
    first.ends("proven")
    panel.racing.tick()
    panel.refresh_now()
    assert "race from nothing" in screen.accessibleName() and "N: race from nothing" in screen.hint
    assert panel.anew.isVisibleTo(panel)
    QTest.keyClick(screen, Key.Key_N)
    second = FakeRace.made[-1]
    assert second is not first and not second.starts and not second.bounds
    panel.refresh_now()
    assert not panel.anew.isVisibleTo(panel) and "from nothing" not in screen.hint
    QTest.keyClick(screen, Key.Key_N)
    assert FakeRace.made[-1] is second, "it is not offered"


def test_it_follows_a_race_that_runs(window: MainWindow) -> None:
    screen = large(window)
    assert screen.accessibleName() == "Race: none yet" and "Space: start" in screen.hint
    QTest.keyClick(screen, Key.Key_Space)
    assert window.race.racing.running and "Space: stop" in screen.hint
    engine = FakeRace.made[-1]
    before = screen.grab().toImage()
    engine.finds(0, BETTER, 0.5)
    engine.proves(2, 2.0, 0.6)
    window.race.racing.tick()
    window.race.racing.changed.emit()
    settle()
    assert screen.grab().toImage() != before
    assert "leads" in screen.accessibleName() and "gap" in screen.accessibleDescription()
    QTest.keyClick(screen, Key.Key_Space)
    assert engine.cancelled


def test_keys_are_its_own_and_escape_leaves_the_race_on(window: MainWindow) -> None:
    screen = large(window)
    QTest.keyClick(screen, Key.Key_Space)
    dark = screen.theme.dark
    QTest.keyClick(screen, Key.Key_T)
    assert screen.theme.dark != dark
    unit = screen.unit
    QTest.keyClick(screen, Key.Key_Plus)
    assert screen.unit > unit
    QTest.keyClick(screen, Key.Key_Minus)
    assert screen.unit == unit
    QTest.keyClick(screen, Key.Key_F)
    assert not screen.isFullScreen()
    assert screen.width() > 480, "a window that can be read, not the least that there is"
    QTest.keyClick(screen, Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert not screen.isFullScreen(), "with Ctrl it is another key"
    claimed = QKeyEvent(QEvent.Type.ShortcutOverride, Key.Key_F, Qt.KeyboardModifier.NoModifier)
    claimed.ignore()
    QApplication.sendEvent(screen, claimed)
    assert claimed.isAccepted()
    QTest.keyClick(screen, Key.Key_Escape)
    settle()
    assert window.race.large.screen_now is None and window.race.racing.running


def test_the_button_opens_and_closes_it_and_the_window_takes_it_along(window: MainWindow) -> None:
    button = window.race.large
    button.click()
    assert button.screen_now is not None
    button.click()
    assert button.screen_now is None
    screen = large(window)
    QTest.keyClick(screen, Key.Key_F11, Qt.KeyboardModifier.ControlModifier)
    settle()
    assert button.screen_now is None, "the keys that show it take it away"
    window.race.set_reduced_motion(True)
    screen = large(window)
    assert screen.reduced
    window.race.close_race()
    assert button.screen_now is None


def test_rows_of_the_dock_are_lower_where_that_shows_all(window: MainWindow) -> None:
    window.race.go.click()
    settle()
    board, count = window.race.board, 3
    assert board.wanted_height(count * TALL + 4) == count * TALL + 4
    assert board.wanted_height(count * TALL + 3) == count * SHORT + 4
