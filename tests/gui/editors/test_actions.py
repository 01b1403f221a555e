"""The actions of all editors: consistent lists, one key for one thing everywhere, and each can be run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from html import escape
from types import MappingProxyType
from typing import Any

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QInputDialog
from pytestqt.qtbot import QtBot

from gui.editors.comparison import windows
from gui.editors.comparison.actions import COMPARE_ACTIONS, COMPARE_ELSEWHERE, COMPARE_MENUS
from gui.editors.comparison.orders.actions import ORDERS_ACTIONS, ORDERS_ELSEWHERE, ORDERS_MENUS
from gui.editors.network.actions import NETWORK_ACTIONS, NETWORK_ELSEWHERE, NETWORK_MENUS
from gui.editors.network.views import default_views
from gui.editors.plan.actions import ACTIONS, ELSEWHERE, MENUS
from gui.look.theme import LIGHT
from gui.shell.action import ActionSpec
from gui.shell.shortcuts import shortcuts_html
from gui.shell.window import EditorWindow
from tests.gui.editors.comparison.parts import two_plans, window_on
from tests.gui.editors.network.window_parts import order_window
from tests.gui.window_parts import make_window, opened, settle

EDITORS = MappingProxyType({
    "plan": (ACTIONS, MENUS, ELSEWHERE),
    "network": (NETWORK_ACTIONS, NETWORK_MENUS, NETWORK_ELSEWHERE),
    "comparison": (COMPARE_ACTIONS, COMPARE_MENUS, COMPARE_ELSEWHERE),
    "orders": (ORDERS_ACTIONS, ORDERS_MENUS, ORDERS_ELSEWHERE),
})  # fmt: skip
EVERYWHERE = {
    "file.open", "file.open_plan", "file.export.picture", "file.close", "file.quit", "edit.undo", "edit.redo", "edit.select_none",
    "view.fit", "view.zoom_in", "view.zoom_out", "view.full_screen", "view.motion", "view.docks_reset", "view.theme.system",
    "view.theme.light", "view.theme.dark", "plan.apply", "help.shortcuts", "help.palette", "help.about",
    "help.tour", "help.panel", "help.panels", "help.glossary", "help.documentation",
}  # fmt: skip
"""What every editor has."""


@contextmanager
def window_of(editor: str, qtbot: QtBot) -> Generator[EditorWindow]:
    """A window of an editor with something open, until the block ends."""
    if editor == "network":
        with order_window(qtbot) as network:
            yield network
    elif editor == "orders":
        with order_window(qtbot, views=default_views) as network:
            network.compare([])
            qtbot.waitUntil(lambda: network.settled)
            yield windows._windows[0]
    elif editor == "comparison":
        with window_on(qtbot, two_plans()) as comparison:
            yield comparison
    else:
        window, close = make_window(qtbot, opened())
        yield window
        close()


def shared_keys() -> Iterator[tuple[str, dict[str, list[str]]]]:
    """Each key that something has in any editor: the ids of what has it, with the editors where it does."""
    found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for editor, (specs, _, _) in EDITORS.items():
        for spec in specs:
            for keys in spec.shortcut:
                found[QKeySequence(keys).toString()][spec.id].append(editor)
    yield from found.items()


@pytest.mark.parametrize("editor", EDITORS)
def test_a_list_is_consistent(editor: str) -> None:
    specs, menus, elsewhere = EDITORS[editor]
    assert len({spec.id for spec in specs}) == len(specs)
    assert len({(spec.menu, spec.submenu, spec.text) for spec in specs}) == len(specs)
    keys = [QKeySequence(keys).toString() for spec in specs for keys in spec.shortcut]
    assert all(keys) and len(keys) == len(set(keys))
    assert {spec.menu for spec in specs} == set(menus)
    html = shortcuts_html(LIGHT, specs, elsewhere)
    assert all(escape(spec.text.rstrip("…")) in html for spec in specs if spec.shortcut)


def test_every_editor_has_what_belongs_to_all() -> None:
    for editor, (specs, _, _) in EDITORS.items():
        assert not EVERYWHERE - {spec.id for spec in specs}, editor


def test_one_key_means_one_thing_in_every_editor() -> None:
    for keys, owners in shared_keys():
        # Ctrl and a digit go to what an editor has beside its canvas, in its own order.
        if all(id.startswith("view.focus_") for id in owners):
            continue
        assert len(owners) == 1, (keys, {id: list(editors) for id, editors in owners.items()})


def test_one_thing_has_the_same_keys_in_every_editor() -> None:
    known: dict[str, ActionSpec[Any]] = {}
    for specs, _, _ in EDITORS.values():
        for spec in specs:
            first = known.setdefault(spec.id, spec)
            assert (first.shortcut, first.menu if spec.id != "plan.apply" else spec.menu) == (
                spec.shortcut,
                spec.menu,
            ), spec.id


@pytest.mark.qt_log_ignore("This plugin does not support")
@pytest.mark.parametrize("editor", EDITORS)
def test_menus_open_by_their_letters(editor: str, qtbot: QtBot) -> None:
    with window_of(editor, qtbot) as window:
        titles = [menu.title() for menu in window.menus.values()]
        letters = [title[title.index("&") + 1].casefold() for title in titles]
        assert len(set(letters)) == len(letters), titles
        window.activateWindow()
        QTest.keyClick(window, Qt.Key(ord(letters[0].upper())), Qt.KeyboardModifier.AltModifier)
        settle()
        assert window.menus["File"].isVisible()
        QTest.keyClick(window.menus["File"], Qt.Key.Key_Escape)


@pytest.mark.qt_log_ignore("This plugin does not support")
@pytest.mark.parametrize("editor", EDITORS)
def test_every_action_can_be_run(editor: str, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """None fails, whatever is selected; those that ask a person are answered with nothing."""
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: ([], ""))
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: ("", ""))
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, **__: ("", ""))
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: "")
    monkeypatch.setattr(QInputDialog, "getInt", lambda *_: (1, False))
    monkeypatch.setattr(QInputDialog, "getItem", lambda *_: ("", False))

    def close_popup() -> None:
        if (popup := QApplication.activePopupWidget()) is not None:
            popup.close()

    # A menu that is waited for is closed by a timer.
    closing = QTimer(interval=20)
    closing.timeout.connect(close_popup)
    closing.start()
    with window_of(editor, qtbot) as window:
        said: list[str] = []
        monkeypatch.setattr(window, "say", lambda level, text, detail="": said.append(f"{level} {text}"))
        document = window.document
        for spec in window.actions_set.specs:
            if spec.id in (
                "file.quit",
                "file.start_page",
                "compare.example",
                "file.close",
                "plan.start",
                "plan.prove_more",
                "plan.infer",
                "help.tour",
            ):
                continue
            if editor == "plan" and not len(document.selection):
                document.select([3, 4])
            window.actions_set.run(spec)
            window.palette_window.dismiss()
            close_popup()
            for dialog in window.findChildren(QDialog):
                dialog.close()
        document.undo_stack.setClean()
        # Three devices: moving to the fourth and on is refused in words, and so is grouping by what the file lacks.
        words = ("there is no device", "to group by", "how this plan was found", "no plan of the list",
            "no other objective suits", "select another plan than")  # fmt: skip
        assert all(any(w in s for w in words) or not s.startswith("error") for s in said), said


def test_enabled_follows_the_document(qtbot: QtBot) -> None:
    window, close = make_window(qtbot)
    assert not window.actions_set["file.save"].isEnabled()
    assert window.actions_set["file.open"].isEnabled()
    close()
    document = opened()
    window, close = make_window(qtbot, document)
    actions = window.actions_set
    assert not actions["edit.pin"].isEnabled()
    document.select([1, 2])
    settle()
    assert actions["edit.pin"].isEnabled()
    assert actions["edit.together"].isEnabled()
    document.move([1], 2)
    settle()
    assert actions["edit.undo"].text().startswith("Undo: Move")
    assert actions["edit.undo"].isEnabled()
    assert actions["view.flow"].isChecked()
    window.canvas.set_view("lanes")
    settle()
    assert actions["view.lanes"].isChecked()
    close()


@pytest.mark.parametrize("editor", EDITORS)
def test_whatever_one_goes_to_has_the_keyboard(editor: str, qtbot: QtBot) -> None:
    with window_of(editor, qtbot) as window:
        window.resize(1280, 800)
        window.show()
        qtbot.waitExposed(window)
        window.activateWindow()
        settle()
        for spec in EDITORS[editor][0]:
            if not spec.id.startswith("view.focus_"):
                continue
            spec.run(window)
            settle()
            widget = QApplication.focusWidget()
            assert widget is not None and widget.isVisible(), spec.id
            assert widget.focusPolicy() & Qt.FocusPolicy.TabFocus, (spec.id, widget)
