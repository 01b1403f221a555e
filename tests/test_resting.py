"""Between tests no key stays held and the pointer does not stay where it was."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from tests.resting import rest_input


class Moved(QWidget):
    """Counts how often the pointer moves on it."""

    def __init__(self) -> None:
        super().__init__()
        self.moves = 0
        self.setMouseTracking(True)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.moves += 1


def test_no_key_stays_held(qtbot: QtBot) -> None:
    widget = QWidget()
    qtbot.addWidget(widget)
    widget.show()
    QTest.keyClick(widget, Qt.Key.Key_A, Qt.KeyboardModifier.ShiftModifier)
    rest_input()
    assert QGuiApplication.keyboardModifiers() == Qt.KeyboardModifier.NoModifier


def test_the_next_test_can_point_at_the_same_place(qtbot: QtBot) -> None:
    for _ in range(2):
        widget = Moved()
        qtbot.addWidget(widget)
        widget.resize(200, 200)
        widget.show()
        qtbot.waitExposed(widget)
        QTest.mouseMove(widget, QPoint(50, 60))
        assert widget.moves
        widget.close()
        rest_input()
