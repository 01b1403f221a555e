"""The window of a network, used as a person does: keys, clicks, menus, files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QMenu, QMessageBox
from pytestqt.qtbot import QtBot

from gui.document.network.opening import prepare_network
from gui.editors.comparison import windows as comparisons
from gui.shell.session import Session
from planner.formats.networks.npz import write_network
from planner.machines.two_level_memory.orders.theorem_1 import theorem_1_order
from tests.gui.editors.network.models import layered_network, opened, shuffled_order
from tests.gui.editors.network.window_parts import order_window
from tests.gui.window_parts import answer


def test_the_figures_are_those_of_the_order(qtbot: QtBot) -> None:
    with order_window(qtbot) as window:
        document, strip = window.document, window.readouts
        evaluation = document.evaluation
        assert strip.objective.value == f"{int(evaluation.objective):,}"
        assert strip.reads.value == f"{evaluation.reads:,}" and strip.writes.value == f"{evaluation.writes:,}"
        assert strip.bound.note == "proven by Theorem 1" and strip.rules.value == "valid"
        assert strip.gap.value.startswith("≤") and "optimal" not in strip.gap.value
        assert "layered" in window.windowTitle()


def test_optimal_is_said_only_where_it_is_proven(qtbot: QtBot) -> None:
    with order_window(qtbot, opened(size=1000)) as window:
        assert window.document.gap == 0.0
        assert window.readouts.gap.value == "optimal" and window.readouts.gap.note == "proven"


def test_an_order_that_breaks_the_rule_is_called_broken(qtbot: QtBot) -> None:
    with order_window(qtbot) as window:
        document = window.document
        document.set_order(document.order[::-1].copy(), "Backwards")
        qtbot.waitUntil(lambda: window.settled)
        assert window.readouts.rules.value == "broken" and window.readouts.gap.value == "–"
        QTest.mouseClick(window.readouts.rules, Qt.MouseButton.LeftButton)
        assert window.notice.isVisible() and "in the order, before" in window.notice.text


def test_nothing_open_shows_where_to_begin(qtbot: QtBot) -> None:
    with order_window(qtbot, None) as window:
        assert window.start_page.isVisible() and not window.memory_control.isVisible()
        assert not window.actions_set["plan.start"].isEnabled()


def test_the_fast_memory_is_changed_in_the_header(qtbot: QtBot) -> None:
    with order_window(qtbot) as window:
        box = window.memory_control.size_box
        QTest.keyClick(window, Qt.Key.Key_T, Qt.KeyboardModifier.ControlModifier)
        qtbot.waitUntil(box.hasFocus)
        QTest.keyClicks(box, "9")
        QTest.keyClick(box, Qt.Key.Key_Return)
        assert window.document.open_problem.target.size == 9
        window.memory_control.policy_box.setCurrentIndex(1)
        window.memory_control.policy_box.activated.emit(1)
        assert window.document.open_problem.target.policy == "lru"
        window.setFocus()
        for _ in range(2):
            window.document.undo_stack.undo()
        assert window.document.open_problem.target.size == 6 and box.value() == 6


def test_a_plan_is_applied_from_the_list(qtbot: QtBot) -> None:
    with order_window(qtbot) as window:
        document = window.document
        window.focus_panel("plans")
        window.plans.make_current(document.plans[0])
        QTest.keyClick(window.plans.list, Qt.Key.Key_Return)
        assert document.active is document.plans[0]
        qtbot.waitUntil(lambda: window.settled)
        assert window.plans.note.text() == "on the canvas"
        window.plans.make_current(document.plans[1])
        assert "of the order" in window.plans.note.text()


def test_comparing_a_single_order_says_why_not(qtbot: QtBot) -> None:
    with order_window(qtbot) as window:
        document = window.document
        for entry in [one for one in document.plans if one is not document.active]:
            document.remove_plan(entry)
        qtbot.waitUntil(lambda: window.settled)
        window.actions_set["plan.compare"].trigger()
        assert window.notice.text.startswith("There is no second plan to compare with")


def test_two_orders_side_by_side(qtbot: QtBot) -> None:
    with order_window(qtbot) as window:
        document = window.document
        window.actions_set["plan.compare"].trigger()
        (shown,) = comparisons._windows
        assert document.compared is document.plans[0], "the best other one"
        qtbot.waitUntil(shown.isVisible)
        document.compare(None)
        window.plans.make_current(document.plans[0])
        window.plans.compare_chosen()
        assert comparisons._windows == [shown] and document.compared is document.plans[0]
        assert "comparison" in window.goes_along()
        shown.close()
        assert document.compared is None and not window.goes_along()


def test_the_inspector_tells_of_the_selected_neuron(qtbot: QtBot) -> None:
    with order_window(qtbot) as window:
        document = window.document
        assert "What you see" in window.inspector.view.toPlainText()
        document.select(10)
        qtbot.waitUntil(lambda: document.trace is not None and window.settled)
        text = window.inspector.view.toPlainText()
        assert "Summed at" in text and "In it at" in text and "Reads from" in text
        window.inspector._follow(QUrl("at:7"))
        assert document.position == 7
        window.inspector._follow(QUrl("neuron:-1"))
        assert document.selection == -1


def test_the_palette_finds_commands_and_neurons(qtbot: QtBot) -> None:
    with order_window(qtbot) as window:
        QTest.keyClick(
            window, Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
        )
        palette = window.palette_window
        assert palette.isVisible()
        QTest.keyClicks(palette.line, "2 3")
        assert any(choice.text == "Go to neuron 3 of layer 2" for choice in palette.model.shown)
        QTest.keyClick(palette.line, Qt.Key.Key_Return)
        assert (
            window.document.open_problem.network.neuron_name(window.document.selection)
            == "neuron 3 of layer 2"
        )
        assert [c.text for c in window.picker.choices("Neuron 3 of layer 2")] == ["Go to neuron 3 of layer 2"]
        window.picker.ask()
        assert [c.text for c in palette.model.shown][:2] == [
            "Go to neuron 0 of layer 0",
            "Go to neuron 0 of layer 1",
        ]
        palette.hide()
        assert len(window.picker.choices("1")) > 1 and not window.picker.choices("no number")


def test_playing_and_views_are_handed_on(qtbot: QtBot) -> None:
    with order_window(qtbot) as window:
        run = window.actions_set
        for id in ("play.toggle", "play.home", "play.forward", "view.fit", "view.zoom_in", "view.matrix"):
            run[id].trigger()
        assert [what for what, _ in window.playback.asked] == ["toggle", "home", "connection"]
        assert window.canvas.view == "matrix"
        run["view.motion"].trigger()
        assert window.reduced_motion and ("reduced", True) in window.views.scrubber.asked
        run["view.theme.dark"].trigger()
        assert ("theme", "dark") in window.canvas.asked
        run["view.theme.light"].trigger()


def test_what_is_not_saved_is_asked_for_once(qtbot: QtBot) -> None:
    with order_window(qtbot) as window:
        document = window.document
        document.set_order(shuffled_order(document.open_problem.network, 5), "Shuffle")
        assert window.isWindowModified()
        asked: list[int] = []
        assert not window.may_replace(lambda: asked.append(1))
        assert not window.close() and window.isVisible()
        assert not asked and window.closing.question is not None
        answer(window, QMessageBox.StandardButton.Discard)
        assert asked == [1] and window.isVisible()
        window.close()
        answer(window, QMessageBox.StandardButton.Discard)
        assert not window.isVisible()


def test_saving_and_opening_a_plan(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with order_window(qtbot) as window:
        document, path = window.document, tmp_path / "mine.plan.json"
        document.set_order(shuffled_order(document.open_problem.network, 5), "Shuffle")
        mine = document.order
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a: (str(path), ""))
        assert window.files.save_plan()
        assert path.is_file() and not window.isWindowModified() and "mine.plan.json" in window.windowTitle()
        document.apply_plan(document.plans[0])
        monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *a: ([str(path)], ""))
        window.files.open_plan()
        assert np.array_equal(document.order, mine) and not document.modified
        other = tmp_path / "other.plan.json"
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a: (str(other), ""))
        window.files.save_entry(document.plans[0])
        assert other.is_file()


def test_a_network_is_opened_by_dropping_its_file(qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "dropped.npz"
    write_network(layered_network(seed=3), path)
    session = Session(tmp_path / "session.ini")
    with order_window(qtbot, None, session=session) as window:
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(path))])
        window.dropEvent(
            QDropEvent(QPointF(9, 9), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
        )  # fmt: skip
        qtbot.waitUntil(lambda: window.document.problem is not None and window.settled, timeout=20_000)
        document = window.document
        assert document.paths == (path,) and document.bound is not None and document.evaluation.valid
        assert session.recent == [(path,)]
        document.set_target(replace(document.open_problem.target, size=17))
        kept = session.memory_for(document.open_problem.network)
        assert kept is not None and kept.size == 17


def test_a_file_that_is_no_network_leaves_everything_as_it_is(qtbot: QtBot, tmp_path: Path) -> None:
    bad = tmp_path / "bad.npz"
    bad.write_bytes(b"PK\x03\x04 nothing")
    with order_window(qtbot) as window:
        before = window.document.order
        window.files.open_network([bad])
        qtbot.waitUntil(lambda: not window.files.loading.busy, timeout=20_000)
        assert window.document.order is before and window.notice.level == "error"
        window.files.open_files([tmp_path / "gone.npz"])
        assert "does not exist" in window.notice.text


def test_the_layout_is_remembered(qtbot: QtBot, tmp_path: Path) -> None:
    session = Session(tmp_path / "session.ini")
    with order_window(qtbot, session=session) as window:
        window.docks.docks["fast-memory"].hide()
        assert window.close()
    with order_window(qtbot, session=Session(tmp_path / "session.ini")) as window:
        assert window.docks.docks["fast-memory"].isHidden()
        window.reset_docks()
        assert not window.docks.docks["fast-memory"].isHidden()


def test_a_bound_is_proven_in_the_background(qtbot: QtBot) -> None:
    unproven = opened()
    with order_window(qtbot, replace(unproven, bounds=())) as window:
        assert window.readouts.bound.value == "–"
        window.focus_panel("planners")
        window.planners.choose("theorem-1", bound=True)
        with qtbot.waitSignal(window.jobs.ended, timeout=60_000):
            window.actions_set["plan.start"].trigger()
        qtbot.waitUntil(lambda: window.settled)
        assert window.document.bound is not None and window.readouts.bound.note == "proven by Theorem 1"


def test_a_planner_is_followed_onto_the_canvas(qtbot: QtBot) -> None:
    network = layered_network()
    worst = opened(network)
    with order_window(qtbot, replace(worst, entries=worst.entries[:1])) as window:
        document = window.document
        before = document.evaluation.objective
        window.focus_panel("planners")
        window.planners.choose("locality")
        with qtbot.waitSignal(window.jobs.ended, timeout=60_000):
            window.actions_set["plan.start"].trigger()
        qtbot.waitUntil(lambda: window.settled)
        assert document.evaluation.valid and document.evaluation.objective < before
        assert document.active is not None and document.active.planner == "locality"
        assert document.undo_stack.count() == 1
        document.undo_stack.undo()
        assert document.evaluation.objective == before


def test_only_methods_for_networks_are_listed(qtbot: QtBot) -> None:
    with order_window(qtbot) as window:
        window.focus_panel("planners")
        methods = [
            window.planners.list.item(i).data(Qt.ItemDataRole.UserRole)
            for i in range(window.planners.list.count())
        ]
        assert all("memory" in method.targets for method in methods if method is not None)


def test_a_prepared_network_has_an_order_and_a_bound() -> None:
    network = layered_network(seed=2)
    made = prepare_network(network)
    assert made.problem.network is network and made.entries and made.bounds
    assert not made.problem.evaluator.violations(made.entries[-1].order)
    assert not made.problem.evaluator.violations(theorem_1_order(network))


def test_the_menus_list_recent_files(qtbot: QtBot, tmp_path: Path) -> None:
    session = Session(tmp_path / "session.ini")
    session.add_recent((tmp_path / "gone.npz",))
    with order_window(qtbot, session=session) as window:
        menu = next(menu for menu in window.findChildren(QMenu) if menu.title() == "Open Recent")
        menu.aboutToShow.emit()
        action = menu.actions()[0]
        assert "gone.npz" in action.text() and not action.isEnabled()
        assert window.childAt(QPoint(5, 5)) is not None


def test_space_plays_at_once_and_after_a_click_on_the_picture(qtbot: QtBot) -> None:
    with order_window(qtbot) as window:
        focus = window.focusWidget()
        assert focus is window.canvas
        QTest.keyClick(focus, Qt.Key.Key_Space)
        assert [what for what, _ in window.playback.asked] == ["toggle"]
        QTest.mouseClick(window.canvas, Qt.MouseButton.LeftButton, pos=QPoint(5, 5))
        QTest.keyClick(window.canvas, Qt.Key.Key_Space)
        assert [what for what, _ in window.playback.asked] == ["toggle", "toggle"]
        QTest.keyClick(window.plans.list, Qt.Key.Key_Space)
        assert len(window.playback.asked) == 2
    with order_window(qtbot, None) as window:
        QTest.keyClick(window, Qt.Key.Key_Space)
        assert window.playback.asked == []
