"""Every shortcut can be typed: none is the same key press as another, on three keyboards, and letters work wherever one does not type."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget
from pytestqt.qtbot import QtBot

from gui.editors.comparison.actions import COMPARE_ACTIONS
from gui.editors.comparison.orders.actions import ORDERS_ACTIONS
from gui.editors.network.actions import NETWORK_ACTIONS
from gui.editors.plan.actions import ACTIONS
from gui.editors.plan.editor import MainWindow
from gui.shell.action import ActionSpec
from gui.widgets.drop_down import DropDown
from tests.gui.editors.comparison.parts import two_plans, window_on
from tests.gui.editors.network.window_parts import order_window
from tests.gui.window_parts import make_window, opened, settle

NONE = Qt.KeyboardModifier.NoModifier

LAYOUTS = {
    "US": ("`~ 1! 2@ 3# 4$ 5% 6^ 7& 8* 9( 0) -_ =+ [{ ]} \\| ;: '\" ,< .> /?"),
    "German": ("1! 2\" 3§ 4$ 5% 6& 7/ 8( 9) 0= ß? +* #' ,; .: -_ <>"),
    "French": ("&1 é2 \"3 '4 (5 -6 è7 _8 ç9 à0 )° =+ $£ ù% *µ <> ,? ;. :/ !§"),
}
"""Keys with what they give alone and with Shift."""
WINDOWS = {
    "graph": ACTIONS,
    "network": NETWORK_ACTIONS,
    "comparison": COMPARE_ACTIONS,
    "orders": ORDERS_ACTIONS,
}


def presses(layout: str) -> list[set[str]]:
    """The shortcuts that each press of a key of ``layout``, with Ctrl, Alt and Shift or without, may mean: Qt tries them all.

    With Shift a key means what is written above, without Shift, or what is written below, with it: Ctrl+Shift+= is Ctrl++ where
    the plus is above the equals sign.
    """
    found = []
    for below, above in (key for key in LAYOUTS[layout].split(" ")):
        for before in ("", "Ctrl+", "Alt+", "Ctrl+Alt+"):
            found.append({normal(before + below)})
            found.append({normal(f"{before}Shift+{below}"), normal(before + above)})
    return found


def normal(keys: str) -> str:
    return QKeySequence(keys).toString()


def owners(actions: Sequence[ActionSpec]) -> dict[str, str]:
    return {normal(keys): action.id for action in actions for keys in action.shortcut}


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_no_key_press_means_two_commands(window: str, layout: str) -> None:
    known = owners(WINDOWS[window])
    for press in presses(layout):
        meant = {known[keys] for keys in press if keys in known}
        assert len(meant) < 2, (press, meant)


@pytest.mark.parametrize("window", WINDOWS)
def test_no_standard_key_is_shared(qapp: QApplication, window: str) -> None:
    known = owners(WINDOWS[window])
    for key in QKeySequence.StandardKey:
        bindings = {binding.toString() for binding in QKeySequence.keyBindings(key)}
        meant = {known[keys] for keys in bindings if keys in known}
        # Ctrl+G goes to an op, as to a line elsewhere, and with Shift it folds: F3 walks through what was found.
        if key in (QKeySequence.StandardKey.FindNext, QKeySequence.StandardKey.FindPrevious):
            meant -= {"edit.go_to", "view.fold_all"}
        # Ctrl+K and Ctrl+E move in others' lines: no fields here do.
        assert len(meant) < 2, (key, meant)


def test_the_press_of_the_old_ambiguity_is_told() -> None:
    """The check can fail: these were the keys of Unfold All and of Zoom In."""
    known = {normal("Ctrl+Shift+="): "unfold", normal("Ctrl++"): "zoom"}
    assert any(len({known[k] for k in press if k in known}) == 2 for press in presses("US"))


def of_window(window: QMainWindow) -> None:
    """No two actions of a window that work in the same place have the same keys."""
    known: dict[str, list[QAction]] = defaultdict(list)
    for action in set(window.findChildren(QAction)) | set(window.actions()):
        if action.shortcutContext() == Qt.ShortcutContext.WindowShortcut:
            for keys in action.shortcuts():
                known[keys.toString()].append(action)
    twice = {keys: [a.text() for a in actions] for keys, actions in known.items() if len(actions) > 1}
    assert not twice
    assert len(known) > 20


def test_actions_of_the_live_windows(qtbot: QtBot) -> None:
    window, close = make_window(qtbot, opened())
    of_window(window)
    close()
    with order_window(qtbot) as network:
        of_window(network)
    with window_on(qtbot, two_plans()) as comparison:
        of_window(comparison)


# ------------------------------------------------------------------------------------------------ real keys
def key(widget: QWidget, code: Qt.Key, text: str = "", modifiers: Qt.KeyboardModifier = NONE) -> bool:
    """Press a key where ``widget`` has the keyboard, through the window as the window system does."""
    widget.setFocus()
    window = widget.window()
    window.activateWindow()
    handle = window.windowHandle()
    assert handle is not None
    assert QApplication.focusWidget() is not None
    QTest.keyClick(handle, code, modifiers)
    settle()
    return True


def test_unfold_all_by_its_keys(qtbot: QtBot) -> None:
    document = opened()
    window, close = make_window(qtbot, document)
    control, shift, alt = (
        Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.AltModifier,
    )  # fmt: skip
    for fold, unfold in (
        ((Qt.Key.Key_G, control | shift), (Qt.Key.Key_G, control | alt)),
        ((Qt.Key.Key_Underscore, control), (Qt.Key.Key_Plus, control | shift)),
    ):
        key(window.canvas, fold[0], modifiers=fold[1])
        assert document.folded
        key(window.canvas, unfold[0], modifiers=unfold[1])
        assert not document.folded
    close()


@pytest.fixture
def letters(qtbot: QtBot) -> MainWindow:
    document = opened()
    window, close = make_window(qtbot, document)
    document.select([3])
    settle()
    yield window
    close()


@pytest.mark.parametrize(
    "where", ["plans", "schedule", "ops", "notice", "devices", "violations", "inspector", "story"]
)
def test_letters_work_where_one_does_not_type(letters: MainWindow, where: str) -> None:
    window = letters
    window.focus_panel({"notice": "plans"}.get(where, where))
    if where == "notice":
        window.say("info", "Wrote flow.pdf.")
        window.notice._close.setFocus()
    widget = QApplication.focusWidget()
    assert widget is not None
    assert window.canvas.view == "flow"
    key(widget, Qt.Key.Key_L)
    assert window.canvas.view == "lanes"
    key(widget, Qt.Key.Key_F)
    assert window.canvas.view == "flow"
    key(widget, Qt.Key.Key_P)
    assert window.document.problem is not None
    assert len(window.document.problem.constraints) == 1
    key(widget, Qt.Key.Key_P, modifiers=Qt.KeyboardModifier.ShiftModifier)
    assert not window.document.problem.constraints


def test_letters_are_typed_where_one_types(letters: MainWindow) -> None:
    window = letters
    window.focus_panel("ops")
    key(window.ops.find_box, Qt.Key.Key_L)
    assert (window.canvas.view, window.ops.find_box.text()) == ("flow", "l")
    window.focus_panel("planners")
    key(window.planners.list, Qt.Key.Key_L)
    assert window.canvas.view == "flow"


def test_a_list_of_choices_has_its_first_letters(letters: MainWindow) -> None:
    window = letters
    box = DropDown(window)
    box.addItems(["float", "int8", "long"])
    box.resize(100, 26)
    box.show()
    key(box, Qt.Key.Key_L)
    assert (box.currentText(), window.canvas.view) == ("long", "flow")
    box.setCurrentIndex(0)
    box.setItemText(2, "wide")
    key(box, Qt.Key.Key_L)
    assert (box.currentText(), window.canvas.view) == ("float", "lanes")


def test_home_and_all_belong_to_the_list_that_has_the_keyboard(letters: MainWindow) -> None:
    window = letters
    window.document.add_plan(window.document.device_of, "again")
    window.focus_panel("plans")
    window.plans.list.setCurrentIndex(window.plans.model.index(window.plans.model.rowCount() - 1, 0))
    key(window.plans.list, Qt.Key.Key_Home)
    assert window.plans.list.currentIndex().row() == 0
    key(window.plans.list, Qt.Key.Key_A, modifiers=Qt.KeyboardModifier.ControlModifier)
    assert window.document.selection.tolist() == [3]
    key(window.canvas, Qt.Key.Key_A, modifiers=Qt.KeyboardModifier.ControlModifier)
    assert len(window.document.selection) == 12


def test_a_device_card_has_a_key_of_its_own(letters: MainWindow) -> None:
    window = letters
    window.focus_panel("devices")
    settle()
    key(window.devices.cards[2], Qt.Key.Key_M)
    assert window.document.device_of[3] == 2
    assert not window.palette_window.isVisible()


def test_letters_in_a_comparison(qtbot: QtBot) -> None:
    with window_on(qtbot, two_plans()) as window:
        for id, widget in (("figures", window.figures.table), ("moved", window.moved.table)):
            window.focus_panel(id)
            key(widget, Qt.Key.Key_O)
            assert window.columns.mode == "over"
            key(widget, Qt.Key.Key_S)
            assert window.columns.mode == "side"
        key(window.find_box, Qt.Key.Key_O)
        assert window.columns.mode == "side"
