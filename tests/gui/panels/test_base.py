"""Panels: many of them, each in its turn."""

from __future__ import annotations

import time
from itertools import pairwise

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QHBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from gui.document.plan.document import Document
from gui.look.theme import LIGHT
from gui.panels.base import LONG_SECONDS, Panel


class Slow(Panel):
    """One whose refresh takes long."""

    log: list[str]

    def refresh(self) -> None:
        """Use the processor."""
        until = time.thread_time() + 2 * LONG_SECONDS
        while time.thread_time() < until:
            pass
        self.log.append("panel")


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
