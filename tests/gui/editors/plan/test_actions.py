"""The list of actions is consistent: handlers, conditions and states exist, shortcuts are unique."""

from __future__ import annotations

from html import escape

import pytest
from PySide6.QtGui import QKeySequence
from pytestqt.qtbot import QtBot

from gui.editors.plan.actions import ACTIONS, CONDITIONS, ELSEWHERE, MENUS, spec
from gui.editors.plan.files import Files
from gui.editors.plan.handlers import Handlers
from gui.editors.plan.stage_exports import StageExports
from gui.look.theme import LIGHT
from gui.shell.shortcuts import shortcuts_html
from gui.tools.story.studio import Studio
from tests.gui.window_parts import make_window, opened, settle


def test_ids_and_texts_are_unique() -> None:
    assert len({a.id for a in ACTIONS}) == len(ACTIONS)
    assert len({(a.menu, a.submenu, a.text) for a in ACTIONS}) == len(ACTIONS)


@pytest.mark.parametrize("action", ACTIONS, ids=lambda a: a.id)
def test_everything_named_exists(action) -> None:  # type: ignore[no-untyped-def]
    assert any(hasattr(place, action.handler) for place in (Handlers, Files, StageExports, Studio))
    assert action.when in CONDITIONS
    assert action.menu in MENUS
    for shortcut in action.shortcut:
        assert not QKeySequence(shortcut).isEmpty()


def test_no_shortcut_twice() -> None:
    keys = [QKeySequence(s).toString() for a in ACTIONS for s in a.shortcut]
    assert len(keys) == len(set(keys))


def test_spec_by_id() -> None:
    assert spec("file.save").text == "Save Plan"
    with pytest.raises(KeyError):
        spec("nothing")


def test_conditions_cover_all(qtbot: QtBot) -> None:
    window, close = make_window(qtbot)
    assert set(window.handlers.conditions()) == set(CONDITIONS)
    assert not window.actions_set["file.save"].isEnabled()
    assert window.actions_set["file.open"].isEnabled()
    close()


def test_enabled_follows_the_document(qtbot: QtBot) -> None:
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


def test_every_action_can_be_run_on_an_open_model(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """None fails, whatever is selected; those that ask a person are answered with nothing."""
    from PySide6.QtWidgets import QApplication, QFileDialog, QInputDialog

    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: ([], ""))
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: ("", ""))
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: ("", ""))
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: "")
    monkeypatch.setattr(QInputDialog, "getInt", lambda *_: (1, False))
    document = opened()
    window, close = make_window(qtbot, document)
    said: list[str] = []
    document.message.connect(lambda m: said.append(f"{m.level} {m.text}"))
    document.select([3, 4])
    for action in ACTIONS:
        if action.id in ("file.quit", "plan.start"):
            continue
        window.handlers.run(action)
        window.palette_window.dismiss()
        while (popup := QApplication.activePopupWidget()) is not None:
            popup.close()
        if not len(document.selection):
            document.select([3, 4])
    # Three devices: moving to the fourth and on is refused in words, and so is grouping by what the file lacks.
    words = ("there is no device", "to group by", "how this plan was found")
    assert all(any(w in s for w in words) or s.startswith("info") for s in said), said
    close()


def test_shortcut_overview_names_all(qtbot: QtBot) -> None:
    html = shortcuts_html(LIGHT, ACTIONS, ELSEWHERE)
    for action in ACTIONS:
        if action.shortcut:
            assert escape(action.text.rstrip("…")) in html
