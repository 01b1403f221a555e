"""A window that is read from afar: its own colours and letters."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gui.look.theme import DARK, LIGHT
from gui.widgets.afar import ALONE, BESIDE, AfarWindow


def test_colours_letters_and_the_whole_screen(qtbot: QtBot) -> None:
    window = AfarWindow(LIGHT, (0.8, 1.0, 1.2))
    qtbot.addWidget(window)
    assert window.isWindow() and window.letters == 1.0
    window.toggle_theme()
    assert window.theme is DARK
    window.toggle_theme()
    assert window.theme is LIGHT
    window.larger()
    window.larger()
    assert window.letters == 1.2, "no larger than the largest"
    for _ in range(4):
        window.smaller()
    assert window.letters == 0.8
    window.toggle_full_screen()
    assert window.isFullScreen()
    window.toggle_full_screen()
    assert not window.isFullScreen()
    window.close()


def test_the_whole_screen_is_left_for_a_window_nearly_as_large(qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    window = AfarWindow(LIGHT, (1.0,), parent)
    window.take_place()
    window.toggle_full_screen()
    window.toggle_full_screen()
    room = parent.screen().availableGeometry()
    assert (window.width(), window.height()) == (room.width() - 2 * BESIDE, room.height() - 2 * BESIDE)
    alone = AfarWindow(LIGHT, (1.0,))
    qtbot.addWidget(alone)
    alone.take_place()
    assert (alone.width(), alone.height()) == ALONE
