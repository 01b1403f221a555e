"""The notice lies over the canvas: nothing moves when it comes, and it is not in the way of what is dropped."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from gui.canvas.graph.heat.legend import HEIGHT
from gui.canvas.graph.heat.legend import MARGIN as SCALE_MARGIN
from gui.editors.plan.body import default_canvas
from gui.editors.plan.editor import MainWindow
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


def test_it_leaves_the_scale_of_a_heat_map_in_sight(qtbot: QtBot) -> None:
    window, close = make_window(qtbot, opened(), canvas_factory=default_canvas)
    window.say("info", "Wrote flow.pdf.")
    settle()
    notice, foot = window.notice, window.notice.geometry().bottom()
    window.canvas.set_colouring("time")
    settle()
    assert window.canvas.scene is not None and window.canvas.scene.heat is not None
    assert notice.geometry().bottom() == foot - HEIGHT - SCALE_MARGIN, (
        "it moves up where the scale comes later"
    )
    window.canvas.set_colouring("stage")
    settle()
    assert notice.geometry().bottom() == foot
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


def lies_over_canvas(window: MainWindow) -> bool:
    """Whether the notice, rather than the canvas, takes a click in its middle."""
    middle = window.centralWidget()
    hit = middle.childAt(window.notice.geometry().center())
    assert hit is not None
    return hit is window.notice or window.notice.isAncestorOf(hit)


def test_it_steps_aside_while_a_button_is_held_on_the_canvas(qtbot: QtBot) -> None:
    """The canvas keeps its presses to itself."""
    window, close = make_window(qtbot, opened(), canvas_factory=default_canvas)
    window.say("warning", "Something is not as it should be.")
    settle()
    canvas, corner = window.canvas, window.canvas.rect().topRight() + QPoint(-3, 3)
    assert lies_over_canvas(window)
    QTest.mousePress(canvas, Qt.MouseButton.LeftButton, pos=corner)
    assert not lies_over_canvas(window)
    QTest.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=corner)
    assert lies_over_canvas(window)
    QTest.mousePress(canvas, Qt.MouseButton.RightButton, pos=corner)  # a menu gets the release
    assert lies_over_canvas(window)
    QTest.mouseRelease(canvas, Qt.MouseButton.RightButton, pos=corner)
    close()


def test_it_stays_aside_until_the_question_after_a_drop_is_answered(qtbot: QtBot) -> None:
    window, close = make_window(qtbot, opened(), canvas_factory=default_canvas)
    window.say("warning", "Something is not as it should be.")
    window.document.begin_preview(np.array([0], np.int32))
    settle()
    assert not lies_over_canvas(window)
    window.say("info", "What comes meanwhile waits below, too.")
    window.resize(window.width() - 40, window.height())
    settle()
    assert not lies_over_canvas(window)
    corner = window.canvas.rect().topRight() + QPoint(-3, 3)
    QTest.mousePress(window.canvas, Qt.MouseButton.LeftButton, pos=corner)
    QTest.mouseRelease(window.canvas, Qt.MouseButton.LeftButton, pos=corner)
    assert not lies_over_canvas(window)
    window.document.end_preview()
    assert lies_over_canvas(window)
    close()


def test_it_leaves_the_minimap_in_sight(qtbot: QtBot) -> None:
    window, close = make_window(qtbot, opened(), canvas_factory=default_canvas)
    window.say("warning", "Moved, but this needs more words than stand in one line. " * 6)
    minimap = window.canvas.findChild(QWidget, "minimap")
    alone = window.notice.width()
    assert not minimap.isVisible()
    qtbot.waitUntil(lambda: window.canvas.scene is not None)
    for _ in range(6):
        window.canvas.zoom_by(1.6)
    settle()
    assert minimap.isVisible()
    place = minimap.rect().translated(minimap.mapTo(window.centralWidget(), QPoint()))
    assert not window.notice.geometry().intersects(place)
    window.canvas.fit()
    settle()
    assert not minimap.isVisible() and window.notice.width() == alone
    close()


@pytest.mark.parametrize(
    ("level", "action", "stays", "goes"),
    [
        ("info", "", False, True), ("info", "Undo", False, True), ("info", "Cancel", True, False),
        ("warning", "Recover", False, False), ("error", "", False, False),
    ],
)  # fmt: skip
def test_what_only_informs_goes_by_itself(
    qtbot: QtBot, level: str, action: str, stays: bool, goes: bool
) -> None:
    notice = NoticeBar(LIGHT)
    qtbot.addWidget(notice)
    notice.show_message(level, "Planned anew for pool:3+1.", action=action, stays=stays)
    assert notice._later.waiting == goes


def test_it_does_not_go_while_someone_is_at_it(qtbot: QtBot) -> None:
    host = QWidget()
    notice = NoticeBar(LIGHT)
    notice.lie_over(host, lambda: host)
    with shown(qtbot, host, 500, 80):
        notice.show_message("info", "Planned anew for pool:3+1.", "and details", action="Undo")
        notice.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, True)
        notice._go_unless_used()
        assert notice.isVisible() and notice._later.waiting
        notice.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, False)
        notice._action.setFocus()
        assert notice._action.hasFocus()
        notice._go_unless_used()
        assert notice.isVisible()
        notice._action.clearFocus()
        notice._more.setChecked(True)
        notice._go_unless_used()
        assert notice.isVisible()
        notice._more.setChecked(False)
        notice.step_aside(True)
        notice._go_unless_used()
        assert notice.isVisible()
        notice.step_aside(False)
        notice._go_unless_used()
        assert not notice.isVisible()


def test_return_presses_a_button_and_the_keyboard_goes_back_to_the_canvas(qtbot: QtBot) -> None:
    window, close = make_window(qtbot, opened())
    window.activateWindow()
    pressed: list[int] = []
    window.notice.show_message("warning", "Moved, but.", action="Take along", run=lambda: pressed.append(1))
    settle()
    window.notice._action.setFocus()
    QTest.keyClick(window.notice._action, Qt.Key.Key_Return)  # type: ignore[call-overload]  # it knows bytes only
    assert pressed == [1]
    assert not window.notice.isVisible()
    assert window.focusWidget() is window.canvas
    close()


def test_the_keyboard_goes_back_to_the_canvas_when_repair_is_pressed(qtbot: QtBot) -> None:
    window, close = make_window(qtbot, opened())
    window.activateWindow()
    window.document.move([0], 2)
    settle()
    assert window.readouts.repair.isVisible()
    window.readouts.repair.setFocus()
    window.document.undo_stack.undo()
    settle()
    assert not window.readouts.repair.isVisible()
    assert window.focusWidget() is window.canvas
    close()


def test_what_is_said_before_a_message_leaves_it_there(qtbot: QtBot) -> None:
    notice, done = NoticeBar(LIGHT), []
    qtbot.addWidget(notice)
    notice.show_before("Opened.", "Back", lambda: done.append("back"))
    assert (notice.level, notice.text, notice._action.text()) == ("info", "Opened.", "Back")
    notice.show_message("warning", "It is old.", "details", action="Renew", run=lambda: done.append("renew"))
    notice.show_before("Opened.", "Back", lambda: done.append("back"))
    assert (notice.level, notice.text) == ("warning", "Opened. It is old.")
    assert (notice._action.text(), notice._other.text()) == ("Back", "Renew")
    assert not notice._more.isHidden()
    notice._act_otherwise()
    notice.plan_changed()
    assert done == ["renew"]
