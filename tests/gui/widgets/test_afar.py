"""A window that is read from afar: its own colours and letters."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from gui.look.theme import DARK, LIGHT
from gui.widgets.afar import AfarWindow


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
