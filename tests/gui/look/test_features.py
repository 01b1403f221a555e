"""What PySide is told of our modules, so that it need not read them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from gui.look import features

ROOT = Path(__file__).resolve().parents[3]

PROGRAM = """
import linecache
from gui.look.features import no_features
import PySide6.QtWidgets
{told}
import gui.look.theme
import gui.panels.base
print(sum("gui" in name for name in linecache.cache))
"""


def read_by_pyside(told: str) -> int:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(told=told)],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    return int(done.stdout)


def test_modules_that_ask_for_no_features_are_not_read() -> None:
    assert read_by_pyside("") > 5  # else PySide has changed, and need be told nothing
    assert read_by_pyside("no_features()") == 0


def test_all_modules_are_told_of_and_none_asks_for_a_feature() -> None:
    told = set(features._modules())
    assert {"gui", "gui.look", "gui.look.features", "planner.model.graph"} <= told
    for room in features.OURS:
        for file in (ROOT / room).rglob("*.py"):
            assert "from __feature__" not in file.read_text("utf-8")


def test_where_pyside_notes_nothing_it_is_told_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    known: dict[str, int] = {"gui": 1}
    monkeypatch.setattr(features, "KNOWN", ("tests.gui.look.test_features", "nothing"))
    features.no_features()
    monkeypatch.setattr(features, "KNOWN", ("a.module.that.is.not.there", "nothing"))
    features.no_features()
    monkeypatch.setattr(features, "KNOWN", (__name__, "noted"))
    monkeypatch.setattr(sys.modules[__name__], "noted", known, raising=False)
    features.no_features()
    assert known["gui"] == 1 and known["gui.look"] == features.NONE
