"""Panels: many of them, each in its turn."""

from __future__ import annotations

import time
from itertools import pairwise

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QHBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from gui.document.plan.document import Document
from gui.look.theme import LIGHT
from gui.panels.base import MOST_PUT_OFF, Panel
from gui.widgets.turn import LONG_SECONDS, OTHERS
from tests.gui.window_parts import settle


class Slow(Panel):
    """One whose refresh takes long."""

    log: list[str]

    def refresh(self) -> None:
        """Use the processor."""
        take_long()
        self.log.append("panel")


def take_long() -> None:
    until = time.thread_time() + 2 * LONG_SECONDS
    while time.thread_time() < until:
        pass


def test_what_a_person_does_comes_between_two_panels_that_take_long(qtbot: QtBot) -> None:
    document, log = Document(), list[str]()
    window = QWidget()
    qtbot.addWidget(window)
    room = QHBoxLayout(window)
    panels = [Slow(document, LIGHT) for _ in range(3)]
    for panel in panels:
        panel.log = log
        room.addWidget(panel)
    window.show()
    qtbot.waitExposed(window)
    log.clear()
    for panel in panels:
        panel.request_refresh()
    timer = QTimer()
    timer.timeout.connect(lambda: log.append("turn"))
    timer.start(0)
    qtbot.waitUntil(lambda: log.count("panel") == 3, timeout=20_000)
    timer.stop()
    at = [i for i, what in enumerate(log) if what == "panel"]
    assert all("turn" in log[a:b] for a, b in pairwise(at))
    assert not any(panel.waiting for panel in panels)


def test_a_panel_leaves_a_turn_to_a_picture_that_took_long_but_not_the_next_one(qtbot: QtBot) -> None:
    """Where a picture is painted in every turn panels are built all the same."""
    document, log = Document(), list[str]()
    panel = Slow(document, LIGHT)
    panel.log = log
    qtbot.addWidget(panel)
    panel.show()
    qtbot.waitExposed(panel)
    log.clear()

    def paint() -> None:
        with OTHERS.counted():
            take_long()
        log.append("picture")
        if log.count("picture") == 1:
            panel.request_refresh()

    timer = QTimer()
    timer.timeout.connect(paint)
    timer.start(0)
    qtbot.waitUntil(lambda: "panel" in log, timeout=20_000)
    timer.stop()
    assert MOST_PUT_OFF <= log.index("panel") <= MOST_PUT_OFF + 2
    settle()
    assert not OTHERS.seconds
    log.clear()
    panel.request_refresh()
    settle()
    assert log == ["panel"]
