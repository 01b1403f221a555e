"""The leaderboard re-ranks itself, but not under the pointer; keys do all that the mouse does."""

from __future__ import annotations

from collections.abc import Generator

import pytest
from PySide6.QtCore import QEvent, QPoint, QRect, Qt
from PySide6.QtGui import QFontMetricsF, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.look.theme import DARK, LIGHT, font
from gui.tools.search.race.course import Course
from gui.tools.search.race.facts import board_facts
from gui.tools.search.race.leaderboard import Leaderboard
from gui.tools.search.race.leaderboard_rows import WIDE_FROM, places, whole_parts
from planner.machines.pipeline.target import Pipeline
from planner.problem.problem import Problem
from tests.gui.models import chain_graph
from tests.gui.tools.search.race.test_facts import course_of, proven


@pytest.fixture
def course() -> Course:
    course = course_of(Problem(chain_graph(), Pipeline(count=3), "bottleneck"))
    course.found(course.runners[0], 1.0, (40.0,))
    course.found(course.runners[1], 2.0, (30.0,))
    course.found(course.runners[1], 4.0, (25.0,))
    proven(course, 3, 19.0, 3.0)
    return course


@pytest.fixture
def board(qtbot: QtBot, course: Course, monkeypatch: pytest.MonkeyPatch) -> Generator[Leaderboard]:
    board = Leaderboard(LIGHT)
    # Wherever the pointer happens to be on this screen.
    monkeypatch.setattr(board, "_pointed", lambda: False)
    qtbot.addWidget(board)
    board.resize(260, 320)
    board.show()
    qtbot.waitExposed(board)
    board.show_facts(board_facts(course))
    yield board
    board._frames.stop()
    board._release.stop()


def titles(board: Leaderboard) -> list[str]:
    return [row.title for row in board.ranks.rows]


def test_a_better_plan_changes_places_and_keeps_the_cursor(
    board: Leaderboard, course: Course, qtbot: QtBot
) -> None:
    assert titles(board) == ["Slice", "Annealing", "Dynamic program", "Simple"]
    board.choose(0)
    course.found(course.runners[0], 5.0, (20.0,))
    board.show_facts(board_facts(course))
    assert titles(board)[:2] == ["Annealing", "Slice"]
    assert board.current_entrant() == 0
    assert board.animating
    rect = board.visualRect(board.ranks.index(0, 0))
    assert board._shifted(rect, 0).top() > rect.top(), "it climbs from where it was"
    qtbot.waitUntil(lambda: not board.animating, timeout=5000)
    assert board._shifted(rect, 0) == rect


def test_reduced_motion_has_none(board: Leaderboard, course: Course) -> None:
    board.reduced = True
    course.found(course.runners[0], 5.0, (20.0,))
    board.show_facts(board_facts(course))
    assert titles(board)[0] == "Annealing" and not board.animating


def test_nobody_moves_after_a_key_until_a_moment_has_passed(board: Leaderboard, course: Course) -> None:
    board.choose(1)
    QTest.keyClick(board, Qt.Key.Key_Down)
    course.found(course.runners[0], 5.0, (20.0,))
    board.show_facts(board_facts(course))
    assert titles(board)[:2] == ["Slice", "Annealing"]
    assert [row.rank for row in board.ranks.rows][:2] == [2, 1], "the figures are true meanwhile"
    board._release.stop()
    board._let_go()
    assert titles(board)[:2] == ["Annealing", "Slice"]


def test_nobody_moves_under_the_pointer(
    board: Leaderboard, course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(board, "_pointed", lambda: True)
    course.found(course.runners[0], 5.0, (20.0,))
    board.show_facts(board_facts(course))
    assert titles(board)[0] == "Slice"
    monkeypatch.setattr(board, "_pointed", lambda: False)
    QApplication.sendEvent(board.viewport(), QEvent(QEvent.Type.Leave))
    assert titles(board)[0] == "Annealing"


def test_keys(board: Leaderboard, qtbot: QtBot) -> None:
    said: list[tuple[str, int]] = []
    board.apply_requested.connect(lambda i: said.append(("apply", i)))
    board.stop_requested.connect(lambda i: said.append(("stop", i)))
    board.looked_at.connect(lambda i: said.append(("look", i)))
    board.setFocus()
    qtbot.waitUntil(board.hasFocus, timeout=5000)
    board.choose(1)
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Delete, Qt.Key.Key_Down, Qt.Key.Key_Escape):
        QTest.keyClick(board, key)
    assert said == [("apply", 1), ("stop", 1), ("look", 0), ("look", -1)]


def test_arrows_walk_along_the_line(board: Leaderboard, course: Course) -> None:
    board.setFocus()
    board.choose(1)
    QTest.keyClick(board, Qt.Key.Key_Left)
    assert board.marked(1) == 4.0
    assert "25.00, bound 19.00 after 4.0 s" in board.accessibleDescription()
    QTest.keyClick(board, Qt.Key.Key_Left)
    QTest.keyClick(board, Qt.Key.Key_Left)
    assert board.marked(1) == 2.0
    assert "30.00 after 2.0 s" in board.accessibleDescription()
    QTest.keyClick(board, Qt.Key.Key_Right)
    assert board.marked(1) == 4.0
    board.choose(0)
    assert board.marked(1) is None


def test_the_pointer_reads_values_off_the_line(board: Leaderboard, qtbot: QtBot) -> None:
    line = places(board.visualRect(board.ranks.index(0, 0))).line
    qtbot.mouseMove(board.viewport(), line.center())
    QApplication.processEvents()
    marked = board.marked(1)
    assert marked is not None and marked == pytest.approx(5.0, abs=0.3)
    qtbot.mouseMove(board.viewport(), QPoint(line.center().x(), line.bottom() + 12))
    QApplication.processEvents()
    assert board.marked(1) is None


def test_clicks(board: Leaderboard, qtbot: QtBot) -> None:
    said: list[tuple[str, int]] = []
    board.apply_requested.connect(lambda i: said.append(("apply", i)))
    board.looked_at.connect(lambda i: said.append(("look", i)))
    board.menu_requested.connect(lambda _, i: said.append(("menu", i)))
    place = board.visualRect(board.ranks.index(1, 0)).center()
    qtbot.mouseClick(board.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert ("look", 0) in said
    qtbot.mouseDClick(board.viewport(), Qt.MouseButton.LeftButton, pos=place)
    qtbot.mouseRelease(board.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert said[-1] == ("apply", 0)
    board.customContextMenuRequested.emit(board.visualRect(board.ranks.index(0, 0)).center())
    assert said[-1] == ("menu", 1)


def test_rows_say_everything_to_those_who_cannot_see_them(board: Leaderboard) -> None:
    index = board.ranks.index(0, 0)
    text = index.data(Qt.ItemDataRole.AccessibleTextRole)
    assert text.startswith("1. Slice, leads. 25.00 after 4.0 s.")
    assert "leads" in index.data(Qt.ItemDataRole.ToolTipRole)


@pytest.mark.parametrize("width", [180, 260, WIDE_FROM, 900])
def test_the_parts_of_a_row_do_not_overlap(width: int) -> None:
    rect = QRect(0, 0, width, 52 if width < WIDE_FROM else 30)
    at = places(rect)
    parts = [at.rank, at.line, at.when, at.notes]
    for i, one in enumerate(parts):
        assert rect.contains(one), one
        assert not any(one.intersects(other) for other in parts[i + 1 :]), (one, parts)
    assert at.line.width() >= 60 and not at.title.intersects(at.line)


def test_notes_are_left_out_whole_where_there_is_no_room(qapp: object) -> None:
    notes, letters = "proven optimal, 8.8 s at work \N{MIDDLE DOT} warmed by Slice", font(8.0)
    wide = QFontMetricsF(letters).horizontalAdvance
    assert whole_parts(notes, letters, wide(notes)) == notes
    assert whole_parts(notes, letters, wide(notes) - 2) == "proven optimal, 8.8 s at work"
    for room in (wide("proven optimal"), 10.0):
        assert whole_parts(notes, letters, room) == "proven optimal", (
            "the first part stays, cut by whoever writes it"
        )
    assert whole_parts("waiting", letters, 5.0) == "waiting" and whole_parts("", letters, 5.0) == ""


@pytest.mark.parametrize(("width", "theme"), [(260, LIGHT), (260, DARK), (800, LIGHT), (800, DARK)])
def test_rows_are_painted_in_colours_of_their_own(
    board: Leaderboard, course: Course, width: int, theme: object
) -> None:
    board.set_theme(theme)  # type: ignore[arg-type]
    board.resize(width, 320)
    QApplication.processEvents()
    image: QImage = board.grab().toImage()
    rect = board.visualRect(board.ranks.index(0, 0))
    line = places(rect).line
    colours = {
        image.pixelColor(x, y).name()
        for x in range(line.left(), line.right())
        for y in range(line.top(), line.bottom())
    }
    assert len(colours) > 4


def test_another_race_starts_over(board: Leaderboard, course: Course) -> None:
    course.found(course.runners[0], 5.0, (20.0,))
    board.show_facts(board_facts(course))
    board.show_facts(board_facts(course_of(course.problem, 2)))  # type: ignore[arg-type]
    assert titles(board) == ["Annealing", "Slice"]
    assert not board.animating
    board.show_facts(None)
    assert titles(board) == [] and board.current_entrant() == -1
