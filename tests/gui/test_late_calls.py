"""What is put off to the next turn keeps nothing alive that has gone meanwhile."""

from __future__ import annotations

import ast
import gc
import weakref
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from gui.editors.plan.windows import make_window
from gui.widgets.later import soon

GUI = Path(__file__).resolve().parents[2] / "gui"


def test_nothing_is_put_off_about_an_object_but_by_soon() -> None:
    """PySide keeps what ``singleShot`` is to call for ever where the object has gone before its turn, and a whole window with it."""
    wrong = [
        f"{path.relative_to(GUI)}:{call.lineno}"
        for path in sorted(GUI.rglob("*.py"))
        for call in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "singleShot"
        and len(call.args) == 3
    ]
    assert not wrong


class One(QObject):
    """Something with work to do."""

    def __init__(self) -> None:
        super().__init__()
        self.done: list[int] = []


def work_of(one: One, how: str) -> Callable[[], object]:
    """What adds to the list of what was done, in one of the ways to say so."""
    return partial(one.done.append, 1) if how == "partial" else lambda: one.done.append(1)


@pytest.mark.parametrize("how", ["partial", "lambda"])
def test_work_goes_with_what_it_is_about(qapp: QApplication, how: str) -> None:
    one = One()
    done, gone = one.done, weakref.ref(one)
    soon(one, work_of(one, how))
    one.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    QApplication.processEvents()
    del one
    gc.collect()
    assert gone() is None and done == []


@pytest.mark.parametrize("after", [0, 20])
def test_it_is_done_once_and_its_timer_goes(qapp: QApplication, after: int) -> None:
    one = One()
    soon(one, work_of(one, "lambda"), after)
    assert one.done == []
    QTest.qWait(after + 60)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert one.done == [1] and one.findChildren(QTimer) == []


def test_a_window_that_is_closed_before_its_panels_have_their_size_goes(qapp: QApplication) -> None:
    parts = make_window(qapp, theme="light", remember=False)
    parts.window.show()
    gone = weakref.ref(parts.window)
    for id in list(parts.window.docks.titles):
        parts.window.focus_panel(id)
    parts.close()
    del parts
    QApplication.processEvents()
    gc.collect()
    assert gone() is None
