"""Panels come to the front when they are asked for, and are hidden only where they are in sight."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QMenu
from pytestqt.qtbot import QtBot
from shiboken6 import Shiboken

from gui.editors.plan.editor import MainWindow
from gui.shell.docks import tab_bars, tabs_of
from gui.shell.tab_order import next_in_focus
from tests.gui.window_parts import make_window, opened, settle


def panels_menu(window: MainWindow) -> QMenu:
    action = next(a for a in window.menus["View"].actions() if a.text() == "Panels")
    menu = action.menu()
    assert isinstance(menu, QMenu)
    return menu


def entry(window: MainWindow, title: str) -> QAction:
    return next(a for a in panels_menu(window).actions() if a.text() == title)


def test_a_panel_behind_another_comes_to_the_front(qtbot: QtBot) -> None:
    window, close = make_window(qtbot, opened())
    docks = window.docks
    for id, front, title in (("target", "planners", "Target"), ("convergence", "schedule", "Convergence")):
        docks.reveal(id)
        docks.reveal(front)
        settle()
        if docks.in_front(id):  # they stand side by side here
            window.tabifyDockWidget(docks.docks[front], docks.docks[id])
            docks.reveal(front)
            settle()
        assert not docks.in_front(id) and docks.in_front(front)
        panels_menu(window).aboutToShow.emit()
        assert not entry(window, title).isChecked()
        entry(window, title).trigger()
        settle()
        assert docks.in_front(id) and not docks.in_front(front)
        panels_menu(window).aboutToShow.emit()
        assert entry(window, title).isChecked()
        entry(window, title).trigger()
        settle()
        assert docks.docks[id].isHidden() and not docks.in_front(id)
    close()


def test_a_panel_in_a_window_of_its_own_is_in_front(qtbot: QtBot) -> None:
    window, close = make_window(qtbot, opened())
    window.docks.docks["plans"].setFloating(True)
    assert window.docks.in_front("plans")
    window.docks.toggle("plans")
    assert not window.docks.in_front("plans")
    close()


def test_panels_put_back_have_one_tab_bar_each(qtbot: QtBot) -> None:
    """Qt leaves the tab bars of before on the window, over whatever comes to stand there."""
    window, close = make_window(qtbot, opened())
    for _ in range(3):
        window.docks.docks["inspector"].setFloating(True)
        settle()
        window.reset_docks()
        settle()
        shown = [
            bar
            for bar in tab_bars(window)
            if bar.isVisible() and not (bar.geometry() & window.rect()).isEmpty()
        ]
        tabs = [tab for bar in shown for tab in sorted(tabs_of(bar))]
        assert len(tabs) == len(set(tabs)) and {"Ops", "Inspector", "Planners", "Target"} <= set(tabs)
        assert not window.docks.docks["inspector"].isFloating()
        devices = window.docks.docks["devices"].geometry()
        assert all((bar.geometry() & devices).isEmpty() for bar in shown)
    close()


def test_a_tab_is_heard_whatever_python_thinks_of_its_bar(qtbot: QtBot) -> None:
    """Qt makes tab bars and moves them about; the objects that Python had for them may be gone by the time of a click."""
    window, close = make_window(qtbot, opened())
    docks = window.docks
    known = tab_bars(window)
    for bar in known:
        Shiboken.invalidate(bar)
    window.reset_docks()
    settle()
    for bar in tab_bars(window):
        for i in range(bar.count()):
            words = bar.tabText(i)
            bar.tabBarClicked.emit(i)
            assert docks.docks[docks._chosen].windowTitle() == words
    close()


def test_entries_of_panels_stay_whatever_tab_went_by_and_is_gone(qtbot: QtBot) -> None:
    """PySide takes what comes next in the order of Tab for a part of what comes before: destroyed, it would take menus along."""
    window, close = make_window(qtbot, opened())
    before = QLabel(window)
    assert next_in_focus(before, True) is window
    QTest.keyClick(window.focusWidget() or window, Qt.Key.Key_Tab)
    Shiboken.delete(before)
    window.docks.reveal("target")
    settle()
    panels_menu(window).aboutToShow.emit()
    assert entry(window, "Target").isChecked() and Shiboken.isValid(window.menus["View"])
    close()
