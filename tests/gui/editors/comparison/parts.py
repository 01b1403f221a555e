"""A compare window on small plans, and the ends of its tests."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

import numpy as np
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.document.plan.document import Document
from gui.editors.comparison.editor import CompareWindow
from gui.editors.comparison.state import CompareState, entry_sources
from gui.look.theme import ThemeController
from gui.shell.session import Session
from tests.gui.window_parts import opened, settle


def two_plans(n: int = 12, count: int = 3) -> Document:
    """A document with two plans: ``even`` on the canvas, and ``later`` with one op less on the first two stages."""
    document = opened(n, count)
    later = document.device_of.copy()
    for stage in range(count - 1):
        later[np.flatnonzero(later == stage)[-1]] = stage + 1
    document.add_plan(later, "later")
    return document


def more_plans(document: Document, count: int) -> None:
    """Further plans for the list, each with one more op moved."""
    for i in range(count):
        device_of = document.device_of.copy()
        device_of[-1 - i :] = 0
        document.add_plan(device_of, f"other {i}")


def compared(document: Document) -> CompareState:
    """A state that compares the plan on the canvas with the others of the list."""
    state = CompareState(document)
    active = document.active
    assert active is not None
    state.set_sources(
        entry_sources([active, *(e for e in document.plans if e is not active and e.origin == "planner")])
    )
    return state


@contextmanager
def window_on(
    qtbot: QtBot, document: Document, session: Session | None = None, size: tuple[int, int] = (1280, 800)
) -> Generator[CompareWindow]:
    """A shown window until the block ends."""
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    themes = ThemeController(app, "light")
    window = CompareWindow(document, themes, session)
    window.set_reduced_motion(True)
    window.resize(*size)
    active = document.active
    assert active is not None
    others = [e for e in document.plans if e is not active and e.origin == "planner"]
    window.compare(entry_sources([active, *others][:4]))
    window.show()
    qtbot.waitExposed(window)
    rest(qtbot, window)
    try:
        yield window
    finally:
        document.undo_stack.setClean()
        window.close()
        window.deleteLater()
        document.deleteLater()
        themes.deleteLater()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def rest(qtbot: QtBot, window: CompareWindow) -> None:
    """Wait until nothing is on its way."""
    qtbot.waitUntil(lambda: window.settled, timeout=20_000)
    settle()
