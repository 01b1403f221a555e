"""The compare window: its actions, what it says, what it remembers, and that all of it works by keyboard."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from gui.editors.comparison.canvases.legend import row_words
from gui.editors.comparison.canvases.pane_title import PaneTitle
from gui.editors.comparison.editor import CompareWindow
from gui.editors.comparison.menus import fill_more
from gui.editors.comparison.state import entry_sources
from gui.editors.comparison.windows import comparisons_of, open_comparison, open_plans
from gui.look.theme import DARK, ThemeController
from gui.shell.session import Session
from planner.errors import StageboardError
from planner.machines.pipeline.target import Pipeline
from planner.problem.problem import Problem
from planner.problem.provenance import Provenance
from tests.gui.editors.comparison.parts import more_plans, rest, two_plans, window_on
from tests.gui.models import chain_graph
from tests.gui.window_parts import make_window, settle


def test_what_it_says(qtbot: QtBot) -> None:
    with window_on(qtbot, two_plans()) as window:
        assert window.windowTitle().startswith("A: ") and " · B: later" in window.windowTitle()
        assert window.strip.count.text() == "A and B differ in 2 ops of 12"
        first, second = window.columns.titles
        assert "reference" in first.reference.text()
        assert second.moved.text() == "2 moved"
        assert "valid" in second.rules.text()
        assert second.versus.text().endswith("%") or second.versus.text() == "as in A"
        assert "Plan B" in second.accessibleName()


def test_it_follows_undo_and_redo_by_keys(qtbot: QtBot) -> None:
    document = two_plans()
    with window_on(qtbot, document) as window:
        window.state.select([7])
        rest(qtbot, window)
        pane = window.columns.panes[0]
        pane.setFocus()
        QTest.keyClick(pane, Qt.Key.Key_T)
        rest(qtbot, window)
        assert document.device_of[7] == 2
        assert "Took" in window.notice.text
        QTest.keyClick(pane, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        rest(qtbot, window)
        assert document.device_of[7] == 1
        assert not window.notice.isVisible(), "what was taken back is no news"
        QTest.keyClick(pane, Qt.Key.Key_Y, Qt.KeyboardModifier.ControlModifier)
        rest(qtbot, window)
        assert document.device_of[7] == 2


def test_the_bar_says_before_what_a_pick_would_give(qtbot: QtBot) -> None:
    with window_on(qtbot, two_plans()) as window:
        bar = window.pick_bar
        assert not bar.take.isEnabled()
        window.state.select([7])
        rest(qtbot, window)
        assert bar.take.isEnabled()
        assert bar.rules.text() == "rules hold"
        assert bar.pick is not None
        assert bar.effect.text() == bar.pick.effect
        window.state.select([0])
        rest(qtbot, window)
        assert not bar.take.isEnabled()
        bar._fill()
        texts = [action.text() for action in bar.menu.actions()]
        assert len(texts) == 2
        assert texts[0].startswith("Stage 1: 2 ops") or "1 op" in texts[0]
        bar.menu.actions()[-1].trigger()
        rest(qtbot, window)
        assert window.document.undo_stack.undoText().startswith("Take ")


def test_a_pick_that_breaks_a_rule_asks(qtbot: QtBot) -> None:
    document = two_plans()
    backward = document.device_of.copy()
    backward[11] = 0
    document.add_plan(backward, "backward")
    with window_on(qtbot, document) as window:
        steps = document.undo_stack.count()
        window.state.set_pair(2, 0)
        window.state.select([11])
        window.take_selection()
        choice = window.taking.choice
        assert choice.isVisible()
        assert document.undo_stack.count() == steps
        QTest.keyClick(choice, Qt.Key.Key_Escape)
        assert not choice.isVisible()
        assert document.undo_stack.count() == steps, "left as it was"
        rest(qtbot, window)
        window.take_selection()
        choice.anyway_chosen.emit()
        rest(qtbot, window)
        assert document.device_of[11] == 0
        assert not document.evaluation.valid
        assert "violations" in window.notice.text
        document.undo_stack.undo()
        rest(qtbot, window)
        window.take_selection()
        qtbot.waitUntil(lambda: not window.picking.busy, timeout=30_000)
        repairable = window.taking._repaired is not None
        choice.repair_chosen.emit()
        rest(qtbot, window)
        if repairable:
            assert document.evaluation.valid
            assert document.undo_stack.count() == steps + 1


def test_find_selects_in_all_panes(qtbot: QtBot) -> None:
    with window_on(qtbot, two_plans()) as window:
        QTest.keyClick(window.columns.panes[0], Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
        window.find_box.setText("kind:Conv")
        QTest.keyClick(window.find_box, Qt.Key.Key_Return)
        assert window.state.selection.tolist() == [0, 3, 6, 9]
        window.find_box.setText("nothing like this")
        QTest.keyClick(window.find_box, Qt.Key.Key_Return)
        assert "No op matches" in window.notice.text
        assert window.state.selection.tolist() == [0, 3, 6, 9]


def test_any_plan_can_be_the_reference(qtbot: QtBot) -> None:
    document = two_plans()
    with window_on(qtbot, document) as window:
        window.columns.titles[1].reference.click()
        rest(qtbot, window)
        assert window.state.plans[0].name == "later"
        window.columns.panes[1].setFocus()
        QTest.keyClick(window.columns.panes[1], Qt.Key.Key_A)
        rest(qtbot, window)
        assert window.state.plans[1].name == "later"


def test_a_plan_of_the_comparison_goes_on_the_main_canvas(qtbot: QtBot) -> None:
    document = two_plans()
    with window_on(qtbot, document) as window:
        window.columns.panes[1].setFocus()
        window.apply_plan()
        rest(qtbot, window)
        assert document.active is not None
        assert document.active.name == "later"
        assert window.columns.titles[1].live.isVisibleTo(window)
        window.apply_plan()
        assert "already" in window.notice.text


def test_more_plans_from_the_menu_up_to_four(qtbot: QtBot) -> None:
    document = two_plans()
    with window_on(qtbot, document) as window:
        more_plans(document, 3)
        for count in (3, 4):
            menu = window.header.menus.addMenu("more")
            fill_more(window, menu)
            menu.actions()[0].trigger()
            rest(qtbot, window)
            assert len(window.columns.panes) == count
        menu = window.header.menus.addMenu("more")
        fill_more(window, menu)
        assert not menu.actions()[0].isEnabled()
        window.columns.titles[3].close_button.click()
        rest(qtbot, window)
        assert len(window.columns.panes) == 3


def test_plan_files_are_dropped_on_it(qtbot: QtBot, tmp_path: Path) -> None:
    document = two_plans()
    path = tmp_path / "saved.plan.json"
    document.save_plan(path)
    with window_on(qtbot, document) as window:
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(path))])
        event = QDropEvent(
            QPointF(50, 50),
            Qt.DropAction.CopyAction,
            data,
            Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier,
        )
        window.dropEvent(event)
        rest(qtbot, window)
        assert len(window.state.plans) == 3
        broken = tmp_path / "broken.json"
        broken.write_text("{}")
        data.setUrls([QUrl.fromLocalFile(str(broken))])
        window.dropEvent(event)
        assert len(window.state.plans) == 3
        assert window.notice.level == "error"


def test_theme_and_motion(qtbot: QtBot) -> None:
    with window_on(qtbot, two_plans()) as window:
        window.themes.set_preference("dark")
        rest(qtbot, window)
        assert all(pane.theme == DARK for pane in window.columns.panes)
        window.columns.set_mode("over")
        rest(qtbot, window)
        assert window.columns.panes[0].theme == DARK, "also of panes made later"
        window.grab()


def test_everything_that_can_be_used_has_a_name(qtbot: QtBot) -> None:
    with window_on(qtbot, two_plans()) as window:
        for mode in ("side", "over"):
            window.columns.set_mode(mode)
            rest(qtbot, window)
            for kind in (QPushButton, QToolButton):
                for button in window.columns.findChildren(kind):
                    if button.isVisible():
                        assert button.accessibleName() or button.text(), button
            for pane in window.columns.panes:
                assert pane.accessibleName()
                assert pane.accessibleDescription()
        names = {w.accessibleName() for w in window.findChildren(QWidget) if w.accessibleName()}
        assert "Find ops in all plans" in names


def test_tab_reaches_the_canvases_and_f6_goes_around(qtbot: QtBot) -> None:
    with window_on(qtbot, two_plans()) as window:
        first, second = window.columns.panes
        first.setFocus()
        QTest.keyClick(first, Qt.Key.Key_F6)
        assert second.hasFocus()
        QTest.keyClick(second, Qt.Key.Key_F6)
        assert first.hasFocus()
        reached = set()
        widget: QWidget | None = first
        for _ in range(60):
            assert widget is not None
            QTest.keyClick(widget, Qt.Key.Key_Tab)
            widget = QApplication.focusWidget()
            reached.add(widget)
        assert second in reached
        assert window.pick_bar.devices in reached


def test_it_remembers_where_it_was(qtbot: QtBot, tmp_path: Path) -> None:
    session = Session(tmp_path / "session.ini")
    with window_on(qtbot, two_plans(), session) as window:
        window.state.set_view("lanes")
        window.columns.set_mode("over")
        rest(qtbot, window)
    with window_on(qtbot, two_plans(), session) as again:
        assert again.state.view == "lanes"
        assert again.columns.mode == "over"


def test_four_plans_stand_in_two_rows(qtbot: QtBot) -> None:
    document = two_plans()
    more_plans(document, 2)
    with window_on(qtbot, document) as window:
        boxes = [pane.mapTo(window, QPoint(0, 0)) for pane in window.columns.panes]
        assert boxes[0].y() == boxes[1].y() < boxes[2].y() == boxes[3].y()
        scales = {pane.viewport.scale for pane in window.columns.panes}
        assert len(scales) == 1


def test_plans_for_other_targets(qtbot: QtBot) -> None:
    graph = chain_graph(12)
    document = two_plans()
    other = Problem(graph, Pipeline(count=4))
    from gui.editors.comparison.sources import Source

    plan = other.plan(np.arange(12, dtype=np.int32) * 4 // 12, Provenance("hand"), "four stages")
    with window_on(qtbot, document) as window:
        window.state.set_sources([window.state.sources[0], Source(plan=plan)])
        rest(qtbot, window)
        comparison = window.state.comparison
        assert comparison is not None
        assert len(comparison.rows) == 4
        words = [row_words(comparison, row) for row in range(4)]
        assert words == [
            "Stage 0",
            "none in A, Stage 1 in B",
            "Stage 1 in A, Stage 2 in B",
            "Stage 2 in A, Stage 3 in B",
        ]
        window.state.set_view("lanes")
        rest(qtbot, window)
        window.grab()


# ---------------------------------------------------------------------- opening it
@pytest.fixture
def windows() -> Generator[list[QWidget]]:
    made: list[QWidget] = []
    yield made
    for window in made:
        window.close()
    settle()


def test_opened_from_a_main_window(qtbot: QtBot, windows: list[QWidget], tmp_path: Path) -> None:
    document = two_plans()
    path = tmp_path / "saved.plan.json"
    document.save_plan(path)
    main, close = make_window(qtbot, document)
    later = next(entry for entry in document.plans if entry.name == "later")
    shown = open_comparison(main, [later])
    windows.append(shown)
    rest(qtbot, shown)
    assert [plan.name for plan in shown.state.plans][1] == "later", (
        "a single plan stands beside the one on the canvas"
    )
    other = open_plans(main, [path])
    windows.append(other)
    rest(qtbot, other)
    assert other is not shown and len(other.state.plans) == 2, (
        "other plans are compared in a tab of their own"
    )
    assert [plan.name for plan in shown.state.plans][1] == "later", "what was compared before is as it was"
    assert main.goes_along() == "2 comparisons of its plans"
    with pytest.raises(StageboardError):
        open_plans(main, [tmp_path / "none.json"])
    close()
    settle()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert not _alive(shown) and not _alive(other), "they are closed with the plans they compare"
    windows.clear()


def test_a_comparison_that_is_open_comes_to_the_front_as_it_is(
    qtbot: QtBot, windows: list[QWidget], tmp_path: Path
) -> None:
    document = two_plans()
    path = tmp_path / "saved.plan.json"
    document.save_plan(path)
    main, close = make_window(qtbot, document)
    later = next(entry for entry in document.plans if entry.name == "later")
    of_list, of_file = open_comparison(main, [later]), open_plans(main, [path])
    windows += [of_list, of_file]
    for shown in (of_list, of_file):
        shown.state.set_reference(1)
        shown.state.set_view("lanes")
        rest(qtbot, shown)
    names = [[plan.name for plan in shown.state.plans] for shown in (of_list, of_file)]
    assert names[0][0] == "later"
    assert open_comparison(main, [later]) is of_list and open_plans(main, [path]) is of_file
    assert [[plan.name for plan in shown.state.plans] for shown in (of_list, of_file)] == names
    assert of_list.state.view == of_file.state.view == "lanes"
    read = next(source for source in of_file.state.sources if source.path is not None)
    assert read.plan is not None
    with pytest.raises(StageboardError):
        open_comparison(
            main, [*document.plans, *(document.add_plan(document.device_of, f"{i}") for i in range(4))]
        )
    assert comparisons_of(document) == [of_list, of_file], "too many plans change nothing"
    document.remove_plan(later)
    rest(qtbot, of_list)
    assert of_list.state.comparison is None
    other = document.add_plan(document.device_of[::-1].copy(), "other")
    assert open_comparison(main, [other]) is of_list, "a tab without anything to compare is taken"
    assert comparisons_of(document) == [of_list, of_file]
    close()
    settle()
    windows.clear()


def _alive(window: QWidget) -> bool:
    try:
        return window.isVisible()
    except RuntimeError:  # deleted
        return False


def test_the_window_closes_when_another_model_is_opened(qtbot: QtBot) -> None:
    document = two_plans()
    with window_on(qtbot, document) as window:
        document.open_graph(chain_graph(9, "another"))
        settle()
        assert not window.isVisible()


def test_parts_are_made_when_they_are_first_needed(qtbot: QtBot) -> None:
    """Canvases before the window is shown or when they are asked for, what is in a panel in a turn after it."""
    document = two_plans()
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    themes = ThemeController(app, "light")
    window = CompareWindow(document, themes)
    try:
        window.coming = True
        window.compare(entry_sources(document.plans[:2]))
        assert not window.columns.findChildren(PaneTitle)
        panels = [window.moved, window.devices, window.flows, window.schedules, window.figures]
        window.resize(1280, 800)
        for panel in panels:
            panel.set_theme(themes.theme)
        said: list[str] = []
        assert not window.update_later.waiting, "what opens it says what is compared, in a turn of its own"
        for _ in window.opening():
            assert window.columns.findChildren(PaneTitle)
            comparison = window.state.comparison
            assert comparison is not None
            said.append(window.strip.count.text())
            if said[-1]:
                window.update_soon()
                assert window.update_later.waiting, (
                    "what changes after that is told, though it is not shown yet"
                )
        window.coming = False
        assert said[:2] == ["", ""] and said[2].startswith("A and B differ in 1 op of 12")
        assert not any(panel.built for panel in panels)
        window.show()
        assert not any(panel.built for panel in panels) and not window.settled
        rest(qtbot, window)
        assert all(panel.built for panel in panels)
        assert window.moved.table.isVisible() and window.moved.table.width() > window.moved.width() / 2
        assert len(window.columns.titles) == 2 and len(window.schedules.charts) == 2
    finally:
        window.close()
        window.deleteLater()
        document.deleteLater()
        themes.deleteLater()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
