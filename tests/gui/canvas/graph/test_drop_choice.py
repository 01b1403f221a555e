"""The question after a drop: no word of its buttons is cut, and no key does anything behind it."""

from __future__ import annotations

from collections.abc import Generator

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QStyle, QStyleOptionButton, QWidget
from pytestqt.qtbot import QtBot

from gui.canvas.graph.drop_choice import DropChoice
from gui.canvas.graph.tooltip import HoverCard
from gui.editors.plan.windows import Parts, make_window
from gui.look.theme import LIGHT, ThemeController
from planner.machines.pipeline.target import Pipeline
from tests.gui.models import chain_graph

LONG = "Move and repair: 1,234 more ops on the second accelerator of the left rack"
CONTROL = Qt.KeyboardModifier.ControlModifier


def cut(choice: DropChoice) -> list[str]:
    """The buttons whose words do not fit into them, or that are not wholly inside."""
    found = []
    for button in choice.findChildren(QPushButton):
        if button.isHidden():
            continue
        option = QStyleOptionButton()
        button.initStyleOption(option)
        room = button.style().subElementRect(QStyle.SubElement.SE_PushButtonContents, option, button)
        if button.fontMetrics().horizontalAdvance(button.text()) > room.width() or not choice.rect().contains(
            button.geometry()
        ):
            found.append(button.text())
    return found


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("points", [9.0, 18.0])
@pytest.mark.parametrize("width", [420, 900])
def test_no_word_is_cut(qtbot: QtBot, theme: str, points: float, width: int) -> None:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    themes = ThemeController(app, theme)
    canvas = QWidget()
    qtbot.addWidget(canvas)
    canvas.resize(width, 600)
    letters = canvas.font()
    letters.setPointSizeF(points)
    canvas.setFont(letters)
    choice = DropChoice(canvas)
    canvas.show()
    words = "Move and repair: 79 more ops" if width < 900 or points > 9.0 else LONG
    choice.ask(
        QPoint(300, 500),
        "Stage 1 would wait for Stage 3.",
        79,
        {"anyway": "slower"},
        True,
        "along",
    )
    QApplication.processEvents()
    assert not cut(choice)
    choice.show_repair(79)
    choice._repair.setText(words)
    choice._fit()
    choice.keep_inside()
    QApplication.processEvents()
    assert not cut(choice)
    assert canvas.rect().contains(choice.geometry())
    choice.say({"repair": "a little slower", "anyway": "faster"})
    QApplication.processEvents()
    assert not cut(choice)
    choice.hide()
    themes.deleteLater()


@pytest.mark.parametrize("first", ["repair", "along"])
@pytest.mark.parametrize("verb", ["Move", "Take"])
def test_words_and_buttons_have_one_order_and_the_same_names(qtbot: QtBot, first: str, verb: str) -> None:
    canvas = QWidget()
    qtbot.addWidget(canvas)
    canvas.resize(900, 600)
    choice = DropChoice(canvas)
    canvas.show()
    choice.ask(QPoint(10, 10), "It breaks a rule.", 2, {"anyway": "a"}, True, first, verb)
    choice.show_repair(3)
    choice.say({"anyway": "a", "along": "b", "repair": "c"})
    QApplication.processEvents()
    buttons = [b for b in choice.findChildren(QPushButton) if b.isVisible() and b.text() != "Cancel"]
    buttons.sort(key=lambda button: (button.y(), button.x()))
    named = [line.partition(":")[0] for line in choice._effect.text().splitlines()]
    assert named == [button.text().partition(":")[0] for button in buttons]
    assert named[0] == (f"{verb} and repair" if first == "repair" else f"{verb} along")
    assert {button.text() for button in buttons} == {
        f"{verb} and repair: 3 more ops",
        f"{verb} along: 2 more ops",
        f"{verb} anyway",
    }
    choice.hide()


@pytest.fixture
def asked(qapp: QApplication) -> Generator[Parts]:
    """A window with the question open; two steps can be undone, one of them done again."""
    parts = make_window(qapp, theme="light", remember=False)
    window, document = parts.window, parts.document
    window.resize(1280, 800)
    window.set_reduced_motion(True)
    window.show()
    window.activateWindow()
    QTest.qWaitForWindowActive(window)
    graph = chain_graph(12)
    document.open_graph(graph, target=Pipeline(3))
    document.move([11], 2)
    document.move([10], 1)
    document.move([9], 1)
    document.undo_stack.undo()
    QTest.qWait(20)
    document.select([0])
    preview = document.begin_preview([0])
    assert preview is not None
    assert not preview.legal[2]
    document.update_preview(2)
    window.canvas.drops.ask(window.canvas.rect().center().toPointF(), 2)
    QTest.qWait(20)
    assert window.canvas.drops.choice.isVisible()
    yield parts
    parts.close()


def press(parts: Parts, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    handle = parts.window.windowHandle()
    assert handle is not None
    QTest.keyClick(handle, key, modifiers)
    QTest.qWait(5)


@pytest.mark.parametrize(
    ("key", "modifiers"),
    [
        (Qt.Key.Key_Z, CONTROL), (Qt.Key.Key_Y, CONTROL), (Qt.Key.Key_Z, CONTROL | Qt.KeyboardModifier.ShiftModifier),
        (Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier),
    ],
)  # fmt: skip
def test_undo_closes_it_and_nothing_else(asked: Parts, key: Qt.Key, modifiers: Qt.KeyboardModifier) -> None:
    document, stack = asked.document, asked.document.undo_stack
    before, index = document.device_of.copy(), stack.index()
    press(asked, key, modifiers)
    assert not asked.window.canvas.drops.choice.isVisible()
    assert document.preview is None
    assert document.device_of.tolist() == before.tolist()
    assert stack.index() == index
    press(asked, Qt.Key.Key_Z, CONTROL)
    assert stack.index() == index - 1  # once it is closed it works again


@pytest.mark.parametrize(
    ("key", "modifiers"),
    [
        (Qt.Key.Key_L, Qt.KeyboardModifier.NoModifier), (Qt.Key.Key_P, Qt.KeyboardModifier.NoModifier),
        (Qt.Key.Key_R, CONTROL), (Qt.Key.Key_A, CONTROL), (Qt.Key.Key_2, Qt.KeyboardModifier.NoModifier),
        (Qt.Key.Key_F1, Qt.KeyboardModifier.NoModifier), (Qt.Key.Key_Right, Qt.KeyboardModifier.NoModifier),
    ],
)  # fmt: skip
def test_no_other_key_acts_behind_it(asked: Parts, key: Qt.Key, modifiers: Qt.KeyboardModifier) -> None:
    document, window = asked.document, asked.window
    before, index = document.device_of.copy(), document.undo_stack.index()
    for _ in range(5):  # wherever Tab leads
        press(asked, key, modifiers)
        press(asked, Qt.Key.Key_Tab)
        assert window.canvas.drops.choice.isAncestorOf(QApplication.focusWidget())
    assert window.canvas.drops.choice.isVisible()
    assert not window.palette_window.isVisible()
    assert (window.canvas.view, document.undo_stack.index()) == ("flow", index)
    assert document.selection.tolist() == [0]
    assert document.device_of.tolist() == before.tolist()


def test_a_click_in_a_panel_leaves_everything_as_it_was(asked: Parts) -> None:
    window, document = asked.window, asked.document
    before = document.device_of.copy()
    QTest.mouseClick(window.ops.find_box, Qt.MouseButton.LeftButton)
    assert not window.canvas.drops.choice.isVisible()
    assert document.preview is None
    assert document.device_of.tolist() == before.tolist()


def test_no_tip_of_what_lies_behind_opens_over_the_question(qtbot: QtBot) -> None:
    parent = QWidget()
    parent.resize(600, 400)
    parent.setToolTip("behind")
    qtbot.addWidget(parent)
    choice, card = DropChoice(parent), HoverCard(parent)
    parent.show()
    qtbot.waitExposed(parent)
    card.show_at(QPoint(50, 50), "an op", LIGHT)
    assert card.isVisible()
    choice.ask(QPoint(40, 40), "That would break a rule.", 0, {})
    assert card.isHidden()

    def taken(widget: QWidget) -> bool:
        tip = QHelpEvent(QEvent.Type.ToolTip, QPoint(5, 5), widget.mapToGlobal(QPoint(5, 5)))
        return choice.eventFilter(widget, tip)

    assert taken(parent) and not taken(choice) and not taken(choice.findChildren(QPushButton)[0])
    choice.dismiss()
