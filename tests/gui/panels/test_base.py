"""Panels: many of them, each in its turn."""

from __future__ import annotations

import subprocess
import sys
import time
from itertools import pairwise

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QHBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from gui.document.plan.document import Document
from gui.look.theme import LIGHT
from gui.panels.base import MOST_PUT_OFF, Panel
from gui.widgets.turn import LONG_SECONDS, OTHERS, Turn
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


def test_what_takes_long_counts_once_and_until_the_turn_ends(qtbot: QtBot) -> None:
    """Also where the turn ended within it, as those of a dialog do."""
    turn = Turn()
    with turn.counted():
        with turn.counted():
            take_long()
        assert not turn.seconds
        settle()
        take_long()
    assert turn.is_long and turn.seconds < 10 * LONG_SECONDS
    settle()
    assert not turn.seconds
    with turn.counted():
        take_long()
    assert turn.is_long
    settle()
    assert not turn.is_long


def test_without_an_application_nothing_waits_for_the_end_of_a_turn() -> None:
    """A timer would be left behind, with which Python crashes as it ends."""
    script = """
from gui.document.plan.document import Document
from gui.widgets.turn import OTHERS
from planner.machines.pipeline.target import Pipeline
from tests.gui.models import chain_graph
document = Document()
document.open_graph(chain_graph(12), target=Pipeline(3))
document.move([0], 2)
assert not OTHERS.seconds
"""
    ran = subprocess.run(
        [sys.executable, "-c", script], check=False, capture_output=True, text=True, timeout=120
    )
    assert ran.returncode == 0, ran.stderr
