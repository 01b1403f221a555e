"""Keys and pointer between tests: what one test leaves pressed, or where it leaves the pointer, decides nothing in the next."""

from __future__ import annotations

import sys


def rest_input() -> None:
    """No modifier key is held, and the pointer is in a corner of the screen.

    QTest holds the modifiers of its last click until the next event, and lists select by what is held. A move of the pointer to
    where it is already is no move, so a test that points at the same place as the test before it would not point at all. Nothing
    happens where there is no application, or where a person watches.
    """
    gui = sys.modules.get("PySide6.QtGui")
    app = None if gui is None else gui.QGuiApplication.instance()
    if (
        gui is None
        or app is None
        or not isinstance(app, gui.QGuiApplication)
        or app.platformName() != "offscreen"
    ):
        return
    from PySide6.QtCore import Qt
    from PySide6.QtTest import QTest

    if app.keyboardModifiers() != Qt.KeyboardModifier.NoModifier:
        QTest.keyClick(gui.QWindow(), Qt.Key.Key_Shift)
    corner = app.primaryScreen().geometry().bottomRight()
    if gui.QCursor.pos() != corner:
        gui.QCursor.setPos(corner)
        app.processEvents()
