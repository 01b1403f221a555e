"""What is taken out of a layout leaves nothing behind."""

from __future__ import annotations

import ast
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QLayout, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from gui.widgets.emptying import clear, take, take_all
from gui.widgets.forms import Form

GUI = Path(__file__).resolve().parents[3] / "gui"


def items(layout: QLayout) -> list[object]:
    """What a layout has."""
    return [layout.itemAt(at) for at in range(layout.count())]


def test_items_go_and_widgets_stay(qtbot: QtBot) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    row = QHBoxLayout(page)
    one, other = QLabel("one"), QLabel("other")
    row.addWidget(one)
    row.addStretch(1)
    row.addWidget(other)
    had = items(row)
    assert take(row, 1) is None and take(row, 7) is None and row.count() == 2
    assert take_all(row) == [one, other] and not row.count()
    assert not any(map(isValid, had)) and one.parent() is page and other.parent() is page


def test_what_is_cleared_goes_altogether(qtbot: QtBot) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    grid = QGridLayout(page)
    label = QLabel("one")
    grid.addWidget(label, 0, 0)
    had = items(grid)
    clear(grid)
    assert label.isHidden() and not any(map(isValid, had))
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert not isValid(label)


def test_a_form_that_is_filled_anew_leaves_nothing_behind(qtbot: QtBot) -> None:
    form = Form()
    qtbot.addWidget(form)
    form.add_int("count", "How many", 2, 1, 9)
    layout = form.layout()
    assert layout is not None
    had = items(layout)
    form.clear()
    assert had and not any(map(isValid, had))


def test_nothing_else_takes_things_out() -> None:
    wrong = [
        f"{path.relative_to(GUI)}:{one.lineno}"
        for path in sorted(GUI.rglob("*.py"))
        if path.name != "emptying.py" and "takeAt" in (text := path.read_text("utf-8"))
        for one in ast.walk(ast.parse(text))
        if isinstance(one, ast.Attribute) and one.attr == "takeAt"
    ]
    assert not wrong
