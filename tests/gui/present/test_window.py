"""The presenter's window: keys, mouse, playing by itself, and what assistive technology hears."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QKeySequence, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.present import keys
from gui.present.launch import present
from gui.present.panels.overlays import op_facts
from gui.present.screen import SCALES
from gui.present.window import PresenterWindow
from tests.gui.present.talks import network_talk, talk

Key = Qt.Key


@pytest.fixture
def window(qtbot: QtBot) -> Generator[PresenterWindow]:
    made = PresenterWindow(talk(), full_screen=False)
    made.begin()
    made.resize(640, 400)
    QApplication.processEvents()
    made._lay_out()
    made._timer.stop()
    made.course.skip()
    yield made
    made.close()


def press(window: PresenterWindow, *pressed: Key) -> None:
    for key in pressed:
        QTest.keyClick(window, key)
    window._timer.stop()


def test_keys_of_a_clicker(window: PresenterWindow) -> None:
    for key, at in (
        (Key.Key_Right, 1), (Key.Key_Space, 2), (Key.Key_PageDown, 3), (Key.Key_Return, 4), (Key.Key_Left, 3),
        (Key.Key_PageUp, 2), (Key.Key_Backspace, 1), (Key.Key_End, 6), (Key.Key_Home, 0),
    ):  # fmt: skip
        press(window, key)
        assert window.course.destination == at
        window.advance(10.0)
        assert window.course.resting and window.course.at == at


def test_a_number_and_enter(window: PresenterWindow) -> None:
    press(window, Key.Key_4)
    assert window.typed == "4"
    window.grab()
    press(window, Key.Key_Return)
    assert window.course.destination == 3 and window.typed == ""
    press(window, Key.Key_9, Key.Key_9, Key.Key_Enter)
    assert window.course.destination == 6
    press(window, Key.Key_2, Key.Key_Escape)
    assert window.typed == "" and window.isVisible()


def test_plays_by_itself_and_pauses(window: PresenterWindow) -> None:
    press(window, Key.Key_P)
    assert window.playing
    seen = set()
    for _ in range(600):
        window.advance(0.1)
        seen.add(window.course.at)
        if not window.playing:
            break
    assert seen == set(range(7)) and window.course.at == 6
    press(window, Key.Key_F5)
    assert window.playing and window.course.destination == 0
    press(window, Key.Key_F5)
    assert not window.playing


def test_turning_round_in_the_middle(window: PresenterWindow) -> None:
    press(window, Key.Key_Right)
    window.advance(0.4)
    share = window.course.share
    press(window, Key.Key_Left)
    assert window.course.share == share and window.course.destination == 0


def test_blank_screens(window: PresenterWindow) -> None:
    for key, colour in ((Key.Key_B, "#000000"), (Key.Key_Period, "#000000"), (Key.Key_W, "#ffffff")):
        press(window, key)
        assert window.grab().toImage().pixelColor(300, 200).name() == colour
        press(window, key)
        assert window.blank == ""
    press(window, Key.Key_B, Key.Key_Right)
    assert window.blank == ""


def test_the_last_keyframe_says_that_it_is_the_end(window: PresenterWindow) -> None:
    press(window, Key.Key_End)
    window.advance(60.0)
    assert window.state_words == ""
    for key in (Key.Key_Right, Key.Key_Space):
        press(window, key)
        assert window.state_words == "The end" and window.course.resting
        window.advance(60.0)
        assert window.state_words == ""
    press(window, Key.Key_B, Key.Key_Right)  # which only brings it back
    assert window.blank == window.state_words == ""
    press(window, Key.Key_Left, Key.Key_Right)
    assert window.state_words == ""


def test_looks(window: PresenterWindow) -> None:
    light = window.grab().toImage()
    press(window, Key.Key_T)
    assert window.theme.dark and window.grab().toImage() != light
    size = window.unit
    press(window, Key.Key_Plus)
    assert window.unit > size
    for _ in SCALES:
        press(window, Key.Key_Minus)
    assert window.unit < size
    press(window, Key.Key_N)
    window.grab()
    press(window, Key.Key_Question)
    assert window.help_shown
    window.grab()
    press(window, Key.Key_Escape)
    assert not window.help_shown and window.isVisible()


def test_pointer_and_the_card_that_grows(window: PresenterWindow) -> None:
    press(window, Key.Key_L)
    assert window.mouse.mode == "laser"
    window._badge_left = 0.0
    window.mouse.at = QPointF(5, 390)
    plain = window.grab().toImage()
    window.mouse.at = QPointF(window.show_now.stage.op_rect(0, 4).center())
    assert window.grab().toImage() != plain
    facts = dict(op_facts(window.resolved.plans[0], 4))  # type: ignore[arg-type]
    assert facts["on"] == "Stage 1" and facts["work"] == "2.00 ms"
    press(window, Key.Key_L)
    assert window.mouse.mode == "spotlight"
    window.grab()
    press(window, Key.Key_L)
    assert window.mouse.mode == ""


def test_the_mouse(window: PresenterWindow) -> None:
    QTest.mouseClick(window, Qt.MouseButton.LeftButton, pos=QPoint(200, 150))
    assert window.course.destination == 1
    window.advance(5.0)
    QTest.mouseClick(window, Qt.MouseButton.RightButton, pos=QPoint(200, 150))
    assert window.course.destination == 0
    window.advance(5.0)
    where = QPointF(window.show_now.stage.op_rect(0, 3).center())
    turn = QWheelEvent(
        where, where, QPoint(), QPoint(0, 240), Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    window.wheelEvent(turn)
    assert window.mouse.lens is not None
    assert window.show_now.op_at(0, where, window.mouse.lens) == 3, "the wheel zooms around the pointer"
    window.grab()
    press(window, Key.Key_R)
    assert window.mouse.lens is None
    window.wheelEvent(turn)
    press(window, Key.Key_Right)
    window.advance(0.4)
    assert window.mouse.lens is not None
    window.advance(5.0)
    assert window.mouse.lens is None


def test_what_is_heard(window: PresenterWindow) -> None:
    assert window.accessibleName() == "1 of 7: First"
    press(window, Key.Key_Right)
    assert window.accessibleName() == "2 of 7: Costs"
    assert "bottleneck" in window.accessibleDescription()


def test_every_key_does_something(window: PresenterWindow) -> None:
    for command in keys.COMMANDS:
        assert callable(getattr(window, command.run)), command.run
    assert len(keys.BY_KEY) == sum(len(command.keys) for command in keys.COMMANDS)


def test_the_documentation_names_every_key() -> None:
    table = (Path(__file__).parents[3] / "docs" / "presenting.md").read_text("utf-8")
    table = table.split("## Full screen")[1].split("\n## ")[0]
    names = {"PgDown": "Page Down", "PgUp": "Page Up", "Return": "Enter", "-": "\N{MINUS SIGN}", "=": "+"}
    for key in (key for command in keys.COMMANDS for key in command.keys):
        name = QKeySequence(key).toString()
        assert f"`{names.get(name, name)}`" in table, name


def test_reduced_motion_and_networks(qtbot: QtBot) -> None:
    made = PresenterWindow(network_talk(), reduced_motion=True, full_screen=False)
    made.begin()
    made._timer.stop()
    made.course.skip()
    press(made, Key.Key_Right)
    assert made.course.resting and made.course.at == 1
    made.grab()
    made.close()


def test_present_over_a_window_from_a_keyframe(qtbot: QtBot) -> None:
    from PySide6.QtWidgets import QWidget

    owner = QWidget()
    qtbot.addWidget(owner)
    owner.reduced_motion = True  # type: ignore[attr-defined]
    made = present(owner, talk(), at=3, full_screen=False)
    assert made.course.destination == 3 and made.reduced_motion and made.parentWidget() is owner
    with qtbot.waitSignal(made.closed):
        press(made, Key.Key_Escape)
