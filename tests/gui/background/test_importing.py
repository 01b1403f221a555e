"""Importing ahead: one module in a turn of the event loop, and all that an editor needs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from gui.background import importing
from gui.background.importing import Importing, modules_of

ROOT = Path(__file__).resolve().parents[3]

PROGRAM = """
import sys
from importlib import import_module
import gui.app.app
from gui.background.importing import modules_of
from gui.shell.kinds import AHEAD
for name in modules_of(AHEAD[{kind!r}]):
    import_module(name)
before = set(sys.modules)
import {editor}
print(*sorted(set(sys.modules) - before))
print("scipy.sparse" in sys.modules)
"""


def test_one_module_is_imported_in_a_turn(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    imported: list[str] = []

    def bring(name: str) -> None:
        imported.append(name)
        monkeypatch.setitem(sys.modules, name, sys)

    monkeypatch.setattr(importing, "EVERY_MS", 1)
    monkeypatch.setattr(importing, "import_module", bring)
    parent = QObject()
    ahead = Importing(["sys", "a.module", "another"], parent)
    ahead._next()
    assert imported == ["a.module"]  # what is there already takes no turn
    qtbot.waitUntil(lambda: not ahead.busy)
    assert imported == ["a.module", "another"]


def test_what_a_module_needs_comes_in_turns_before_it(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    imported: list[str] = []

    def bring(name: str) -> None:
        imported.append(name)
        monkeypatch.setitem(sys.modules, name, sys)

    steps = iter(["a.part", "another.part", "a.module"])
    monkeypatch.setattr(importing, "EVERY_MS", 1)
    monkeypatch.setattr(importing, "first_step", lambda name: next(steps))
    monkeypatch.setattr(importing, "import_module", bring)
    parent = QObject()
    ahead = Importing(["a.module"], parent)
    qtbot.waitUntil(lambda: not ahead.busy)
    assert imported == ["a.part", "another.part", "a.module"]


def test_a_package_is_followed_by_its_modules() -> None:
    assert "json" in sys.modules
    assert list(modules_of(["json"])) == ["json", "json.decoder", "json.encoder", "json.scanner", "json.tool"]


@pytest.mark.parametrize(
    ("kind", "editor"),
    [("plan", "gui.editors.comparison.editor"), ("network", "gui.editors.comparison.orders.editor")],
)
def test_nothing_is_left_to_import_for_a_comparison(kind: str, editor: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(kind=kind, editor=editor)],
        capture_output=True, text=True, check=True, cwd=ROOT,
    )  # fmt: skip
    assert done.stdout.splitlines() == ["", "False"]
