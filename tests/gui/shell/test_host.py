"""The window that hosts editors: tabs, windows made of tabs and tabs of windows, names, and closing one by one."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from gui.editors.comparison import windows as comparisons
from gui.editors.network.editor import OrderWindow
from gui.editors.plan import windows as graph_windows
from gui.editors.plan.editor import MainWindow
from gui.shell import host as hosts
from gui.shell.closing import quit_all, quitting
from gui.shell.host import Host, host_of, reveal, show_editor
from gui.tools.story.frames import ModelSource, Shown
from planner.machines.pipeline.target import Pipeline
from planner.machines.two_level_memory.problem import NetworkProblem
from planner.machines.two_level_memory.target import TwoLevelMemory
from planner.problem.problem import Problem
from planner.problem.provenance import Provenance
from tests.gui.editors.network.models import layered_network, shuffled_order
from tests.gui.editors.network.window_parts import order_window
from tests.gui.models import chain_graph, write_model
from tests.gui.window_parts import answer, make_window, opened, settle

CONTROL = Qt.KeyboardModifier.ControlModifier
DISCARD, CANCEL = QMessageBox.StandardButton.Discard, QMessageBox.StandardButton.Cancel


@pytest.fixture
def pair(qtbot: QtBot) -> Generator[tuple[MainWindow, OrderWindow, Host]]:
    """A graph and a network as tabs of one window."""
    window, close = make_window(qtbot, opened())
    with order_window(qtbot) as network:
        show_editor(window)
        show_editor(network, window)
        host = host_of(window)
        assert host is not None and host is host_of(network)
        host.resize(1280, 800)
        qtbot.waitExposed(host)
        settle()
        yield window, network, host
        for editor in (window, network):
            editor.closing.surely = True
        for one in list(hosts._hosts):
            for editor in one.editors:
                one.let_go(editor)
        settle()
    close()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert not hosts._hosts


def test_tabs_are_named_as_their_documents(pair: tuple[MainWindow, OrderWindow, Host]) -> None:
    window, network, host = pair
    assert [host.tabText(i) for i in range(2)] == ["chain", "layered"]
    assert host.currentWidget() is network and "layered" in host.windowTitle()
    window.document.move([3], 1)
    settle()
    assert host.tabText(0) == "chain *" and not host.isWindowModified()
    host.setCurrentWidget(window)
    assert "chain" in host.windowTitle() and host.isWindowModified()
    window.document.undo_stack.undo()
    settle()
    assert host.tabText(0) == "chain" and not host.isWindowModified()


def test_a_single_editor_has_no_tab_to_see(qtbot: QtBot) -> None:
    window, close = make_window(qtbot, opened())
    show_editor(window)
    host = host_of(window)
    assert host is not None and not host.tabBar().isVisible()
    assert not window.actions_set["view.own_window"].isEnabled()
    host.let_go(window)
    close()
    settle()


def test_what_a_closed_tab_had_is_let_go(
    pair: tuple[MainWindow, OrderWindow, Host], monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[int] = []
    monkeypatch.setattr(hosts, "editor_closed", lambda: told.append(1))
    window, network, host = pair
    host.let_go(network)  # moved, not closed
    assert told == []
    host.add(network)
    network.closing.surely = True
    network.close()
    settle()
    assert told == [1] and host.editors == [window]


def test_keys_reach_the_tab_that_is_seen(pair: tuple[MainWindow, OrderWindow, Host]) -> None:
    window, network, host = pair
    host.activateWindow()
    for editor in (window, network):
        reveal(editor)
        settle()
        QTest.keyClick(host, Qt.Key.Key_P, CONTROL | Qt.KeyboardModifier.ShiftModifier)
        settle()
        assert editor.palette_window.isVisible()
        editor.palette_window.dismiss()
    other = next(one for one in (window, network) if one is not host.currentWidget())
    QTest.keyClick(host, Qt.Key.Key_PageDown, CONTROL)
    settle()
    assert host.currentWidget() is other
    QTest.keyClick(host, Qt.Key.Key_PageUp, CONTROL)
    settle()
    assert host.currentWidget() is not other


def test_a_tab_becomes_a_window_and_comes_back(pair: tuple[MainWindow, OrderWindow, Host]) -> None:
    window, network, host = pair
    network.actions_set["view.own_window"].trigger()
    settle()
    other = host_of(network)
    assert other is not None and other is not host and other.isVisible() and host.isVisible()
    assert host.count() == other.count() == 1 and network.isVisible()
    window.update_actions()
    window.actions_set["view.gather"].trigger()
    settle()
    assert host_of(network) is host and host.count() == 2 and host.currentWidget() is window


def test_panels_taken_out_go_with_their_tab(pair: tuple[MainWindow, OrderWindow, Host]) -> None:
    window, network, _ = pair
    reveal(window)
    dock = window.docks.docks["devices"]
    dock.setFloating(True)
    settle()
    assert dock.isVisible()
    reveal(network)
    settle()
    assert not dock.isVisible()
    reveal(window)
    settle()
    assert dock.isVisible() and dock.isFloating()
    dock.setFloating(False)


def test_models_open_in_tabs_beside_what_is_open(
    pair: tuple[MainWindow, OrderWindow, Host], qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, network, host = pair
    model = write_model(tmp_path)
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: ([str(model)], ""))
    network.actions_set["file.open_tab"].trigger()
    (parts,) = graph_windows._graphs
    qtbot.waitUntil(lambda: parts.document.problem is not None and parts.window.settled, timeout=60_000)
    assert host.editors == [window, network, parts.window] and host.currentWidget() is parts.window
    assert window.document.problem is not None and network.document.problem is not None
    plan = tmp_path / "one.plan.json"
    parts.document.save_plan(plan)
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: ([str(plan)], ""))
    window.actions_set["file.open_tab"].trigger()
    assert host.count() == 3 and "choose its model, too" in window.notice.text
    graph_windows._graphs.remove(parts)
    parts.close()


def test_the_start_page_is_there_beside_what_is_open(pair: tuple[MainWindow, OrderWindow, Host]) -> None:
    window, network, host = pair
    network.actions_set["file.start_page"].trigger()
    (parts,) = graph_windows._graphs
    assert host.editors == [window, network, parts.window] and host.currentWidget() is parts.window
    assert parts.document.problem is None and parts.window.start_page.isVisible()
    graph_windows._graphs.remove(parts)
    parts.close()


def test_closing_a_tab_leaves_the_others(pair: tuple[MainWindow, OrderWindow, Host]) -> None:
    window, network, host = pair
    network.actions_set["file.close"].trigger()
    settle()
    assert host.count() == 1 and host_of(window) is host and network.closed and not window.closed


def test_closing_the_window_asks_about_all_tabs_first(pair: tuple[MainWindow, OrderWindow, Host]) -> None:
    window, network, host = pair
    window.document.move([3], 1)
    network.document.set_order(shuffled_order(network.document.open_problem.network, 5), "Shuffle")
    settle()
    host.close()
    assert host.isVisible() and host.currentWidget() is network, "from the right"
    answer(network, CANCEL)
    assert host.isVisible() and not network.closed and window.closing.question is None
    host.close()
    answer(network, DISCARD)
    settle()
    assert not network.closed and not window.closed, "all are asked about before one closes"
    assert host.currentWidget() is window
    answer(window, CANCEL)
    settle()
    assert host.editors == [window, network] and not network.closed, "who cancels keeps all"
    host.close()
    assert host.currentWidget() is network, "what was agreed to is asked again"
    answer(network, DISCARD)
    settle()
    answer(window, DISCARD)
    settle()
    assert network.closed and window.closed and host not in hosts._hosts


def test_a_quit_that_is_called_off_closes_no_tab(pair: tuple[MainWindow, OrderWindow, Host]) -> None:
    window, network, host = pair
    window.document.move([3], 1)
    settle()
    quit_all()
    assert host.currentWidget() is window and not network.closed, "the one that has nothing to lose waits"
    answer(window, CANCEL)
    settle()
    assert host.editors == [window, network] and not network.closed and not quitting()
    quit_all()
    answer(window, DISCARD)
    settle()
    assert network.closed and window.closed and host not in hosts._hosts and not quitting()


def test_windows_beside_each_other_quit_together_or_not_at_all(
    pair: tuple[MainWindow, OrderWindow, Host],
) -> None:
    window, network, host = pair
    host.take_out(network)
    window.document.move([3], 1)
    network.document.set_order(shuffled_order(network.document.open_problem.network, 5), "Shuffle")
    settle()
    quit_all()
    first, second = (window, network) if window.closing.question is not None else (network, window)
    answer(first, DISCARD)
    settle()
    assert not first.closed and second.closing.question is not None
    answer(second, CANCEL)
    settle()
    assert not first.closed and not second.closed and len(hosts._hosts) == 2
    quit_all()
    answer(first, DISCARD)
    settle()
    answer(second, DISCARD)
    settle()
    assert first.closed and second.closed and not hosts._hosts


def test_nothing_is_left_of_a_graph_whose_tab_was_closed(
    pair: tuple[MainWindow, OrderWindow, Host], qtbot: QtBot, tmp_path: Path
) -> None:
    window, network, host = pair
    network.files.open_in_tabs([write_model(tmp_path)])
    (parts,) = graph_windows._graphs
    qtbot.waitUntil(lambda: parts.document.problem is not None and parts.window.settled, timeout=60_000)
    assert parts.themes is network.themes
    parts.window.close()
    qtbot.waitUntil(lambda: not graph_windows._graphs)
    assert not isValid(parts.window) and host.editors == [window, network]
    network.set_theme_name("dark")
    assert network.theme.name == "dark"
    network.set_theme_name("light")


def test_a_comparison_is_not_closed_unasked(pair: tuple[MainWindow, OrderWindow, Host], qtbot: QtBot) -> None:
    window, network, host = pair
    document = window.document
    later = document.add_plan(np.array([0] * 5 + [1] * 3 + [2] * 4, np.int32), "later")
    window.compare([later])
    (comparison,) = comparisons._windows
    qtbot.waitUntil(lambda: comparison.settled)
    assert host.editors == [window, network, comparison]
    window.close()
    question = window.closing.question
    assert question is not None and question.text() == "Close this, and the comparison of its plans with it?"
    answer(window, CANCEL)
    assert not window.closed and not comparison.closed
    window.close()
    answer(window, QMessageBox.StandardButton.Close)
    settle()
    assert window.closed and comparison.closed and not network.closed and host.isVisible()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def test_a_tab_says_that_something_runs_in_it(pair: tuple[MainWindow, OrderWindow, Host]) -> None:
    window, network, host = pair
    assert host.currentWidget() is network
    window.say_doing("Annealing  ·  12 s  ·  best 923.43 µs")
    assert host.tabText(0) == "chain" + hosts.RUNNING
    assert host.tabToolTip(0) == "chain\nRunning: Annealing  ·  12 s  ·  best 923.43 µs"
    assert host.tabText(1) == "layered"
    window.say_doing("")
    assert (host.tabText(0), host.tabToolTip(0)) == ("chain", "chain")


def test_what_the_header_says_of_a_search_reaches_the_tab(pair: tuple[MainWindow, OrderWindow, Host]) -> None:
    window, _, host = pair
    window.running.said.emit("Slice")
    assert host.tabText(0).endswith(hosts.RUNNING)
    window.running.refresh()
    assert host.tabText(0) == "chain"


@pytest.mark.parametrize("key", [Qt.Key.Key_Tab, Qt.Key.Key_Backtab])
def test_tab_comes_to_all_that_is_seen_and_back_to_the_canvas(qtbot: QtBot, key: Qt.Key) -> None:
    window, close = make_window(qtbot, opened())
    show_editor(window)
    host = host_of(window)
    assert host is not None
    host.resize(1280, 800)
    qtbot.waitExposed(host)
    host.activateWindow()
    settle()
    window.canvas.setFocus()
    passed: list[QWidget] = []
    while not passed or passed[-1] is not window.canvas:
        QTest.keyClick(QApplication.focusWidget(), key)
        widget = QApplication.focusWidget()
        assert widget is not None and widget not in passed, "it goes round"
        passed.append(widget)
        dock = next((dock for dock in window.docks.docks.values() if dock.isAncestorOf(widget)), None)
        assert dock is None or window.rect().contains(dock.geometry().center()), dock
    assert {window.planners.start_button, window.ops.table} <= set(passed)
    window.closing.surely = True
    host.let_go(window)
    close()


def test_a_keyframe_of_another_model_is_shown_in_the_tab_that_has_it(
    pair: tuple[MainWindow, OrderWindow, Host],
) -> None:
    window, network, host = pair
    network.studio.capture_keyframe()
    frame = network.studio.draft.frames[0]
    window.studio.draft.add(frame)
    reveal(window)
    window.studio.show_keyframe(0)
    assert "layered, which is not open here" in window.notice.text
    network.document.set_position(0)
    QTest.mouseClick(window.notice._action, Qt.MouseButton.LeftButton)
    assert host.currentWidget() is network and host.count() == 2
    assert network.document.position == frame.keyframe.at


def test_a_keyframe_of_a_model_that_is_nowhere_open_opens_it_in_a_tab(
    pair: tuple[MainWindow, OrderWindow, Host], qtbot: QtBot
) -> None:
    window, network, host = pair
    window.studio.capture_keyframe()
    network.studio.capture_keyframe()
    of_graph, of_network = window.studio.draft.frames[0], network.studio.draft.frames[0]
    problem = Problem(chain_graph(9, "other"), Pipeline(2))
    plan = problem.plan(np.array([0] * 4 + [1] * 5, np.int32), Provenance("hand"), "theirs")
    other = Shown(plan, (), ModelSource(problem.graph, batch=4))
    window.studio.draft.add(replace(of_graph, shown=other))
    window.studio.show_keyframe(1)
    QTest.mouseClick(window.notice._action, Qt.MouseButton.LeftButton)
    made = host.editors[-1]
    assert host.count() == 3 and host.currentWidget() is made and isinstance(made, MainWindow)
    assert made.document.batch == 4 and made.document.open_problem == problem
    assert made.document.device_of.tolist() == plan.decision.device_of.tolist()
    # A network, which its window opens from memory, too.
    layered = layered_network((4, 5, 2))
    order = NetworkProblem(layered, TwoLevelMemory(5, "min")).plan(
        shuffled_order(layered), Provenance("hand"), ""
    )
    window.studio.draft.add(replace(of_network, shown=Shown(order, (), ModelSource(layered))))
    window.studio.show_keyframe(2)
    QTest.mouseClick(window.notice._action, Qt.MouseButton.LeftButton)
    settle()
    made = host.editors[-1]
    assert host.count() == 4 and isinstance(made, OrderWindow)
    assert made.document.network is layered
    assert made.document.order.tolist() == order.decision.order.tolist()
    for made in host.editors[2:]:
        made.closing.surely = True
        made.close()
    qtbot.waitUntil(lambda: host.count() == 2 and not graph_windows._graphs)
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
