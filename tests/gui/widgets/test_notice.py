"""The notice lies over the canvas: nothing moves when it comes, and it is not in the way of what is dropped."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from gui.look.theme import LIGHT
from gui.widgets.notice import MARGIN, NoticeBar
from tests.gui.window_parts import make_window, opened, settle, shown


def test_nothing_moves_when_a_notice_comes_and_goes(qtbot: QtBot) -> None:
    window, close = make_window(qtbot, opened())
    before = window.canvas.geometry(), window.canvas.mapToGlobal(window.canvas.rect().topLeft())
    window.say("warning", "Moved, but this needs more words than stand in one line. " * 6, "and details")
    settle()
    notice = window.notice
    assert notice.isVisible()
    assert (
        window.canvas.geometry(), window.canvas.mapToGlobal(window.canvas.rect().topLeft())
    ) == before  # fmt: skip
    lines = notice.height()
    foot = window.canvas.mapToGlobal(window.canvas.rect().bottomLeft()).y()
    assert notice.mapToGlobal(notice.rect().bottomLeft()).y() == foot - MARGIN
    notice._more.click()
    assert notice.height() > lines
    window.resize(1000, 700)
    settle()
    assert notice.x() >= 0 and notice.geometry().right() <= window.centralWidget().width()
    close()


def test_it_steps_aside_while_a_button_is_held_below_it(qtbot: QtBot) -> None:
    host = QWidget()
    area = QWidget()
    column = QVBoxLayout(host)
    column.setContentsMargins(0, 0, 0, 0)
    column.addWidget(area)
    notice = NoticeBar(LIGHT)
    notice.lie_over(host, lambda: area)
    with shown(qtbot, host, 500, 300):
        notice.show_message("info", "Wrote flow.pdf.")
        settle()
        at = notice.geometry().center()
        assert host.childAt(at) is not area
        QTest.mousePress(area, Qt.MouseButton.LeftButton, pos=area.rect().topLeft())
        assert host.childAt(at) is area and notice.isVisible()
        QTest.mouseRelease(area, Qt.MouseButton.LeftButton, pos=area.rect().topLeft())
        assert host.childAt(at) is not area
