"""Fuzzy matching, and the palette by keys alone."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from gui.document.find.fuzzy import ANYWHERE, BEGINS, STANDS, STARTS, closeness, score
from gui.editors.plan.stage_control import StageControl
from gui.shell.palette import CHOICE, Choice, ranked, sifted
from tests.gui.window_parts import make_window, opened, settle


def texts(choices: list[Choice]) -> list[str]:
    return [c.text for c in choices]


def choice(text: str, enabled: bool = True) -> Choice:
    return Choice(text, lambda: None, enabled=enabled)


@given(st.text(min_size=1, max_size=20))
def test_a_text_matches_itself(text: str) -> None:
    assert score(text, text) is not None


@given(st.text("abc", min_size=1, max_size=6), st.text("abcd ", max_size=12))
def test_matches_are_subsequences(query: str, text: str) -> None:
    def subsequence() -> bool:
        letters = iter(text)
        return all(letter in letters for letter in query)

    assert (score(query, text) is not None) == subsequence()


def test_word_starts_and_runs_win() -> None:
    found = ranked(
        [choice("Edit: Unpin"), choice("Edit: Pin Where It Is"), choice("View: Zoom In"), choice("Split")],
        "pin",
    )
    assert texts(found)[0] == "Edit: Pin Where It Is"
    assert "View: Zoom In" not in texts(found)


def test_a_panel_by_its_name_is_gone_to_before_it_is_hidden() -> None:
    hide = Choice("View: Hide Panel What would help", lambda: None, hides=True)
    go = choice("View: Go To: Go to What Would Help")
    assert ranked([hide, go], "what would") == [go, hide]
    assert ranked([go, hide], "hide what")[0] is hide


def test_what_a_text_does_not_say_is_found_by_further_words() -> None:
    sure = Choice(
        "Plan: How Sure Is This Plan?", lambda: None, also="plan robust which errors would change it"
    )
    bound = Choice("Plan: Prove a Bound: Edge TPU, fastest", lambda: None)
    own = Choice("Robust", lambda: None)
    assert ranked([bound, sure, own], "robust") == [own, sure, bound]
    assert sifted(ranked([bound, sure], "robust"), "robust") == [sure]
    assert ranked([sure], "rbst") == [], "letters scattered over a sentence say nothing"


def test_letters_scattered_over_a_text_are_for_where_nothing_else_matches() -> None:
    op = "Go to op /encoder/layer.0/attention/self/key/Add"
    story = "Story: Stories That Come with Stageboard: Pipelines and how you know"
    all = [
        choice(story),
        choice(op),
        choice("View: Theme: Dark"),
        choice("Export: Draw a Mark"),
        choice("Darken"),
    ]
    found = sifted(ranked(all, "dark"), "dark")
    assert set(texts(found)) == {"View: Theme: Dark", "Darken"}
    assert closeness("dark", op) in (0, ANYWHERE)
    assert closeness("ecdr", op) == ANYWHERE and texts(sifted([choice(op)], "ecdr")) == [op]
    # What a source found by rules of its own stays.
    assert texts(sifted([choice("Go to neuron 17 of layer 2"), choice("2 17 x")], "2 17")) == [
        "Go to neuron 17 of layer 2",
        "2 17 x",
    ]


def test_how_close_a_match_is() -> None:
    assert closeness("pl ap", "Plan: Apply") == BEGINS
    assert closeness("oard", "Stageboard") == STANDS
    assert closeness("gtop", "Go to Op") == STARTS
    assert closeness("gop", "Go to Op") == STARTS
    assert closeness("rpr", "Repair the Plan") == ANYWHERE
    assert closeness("xyz", "Plan") == 0


def test_words_in_any_order() -> None:
    assert score("lanes view", "View: Lanes") is not None
    assert score("xyz", "View: Lanes") is None


def test_what_cannot_be_done_comes_last() -> None:
    found = ranked([choice("fold", enabled=False), choice("find and fold")], "fold")
    assert texts(found) == ["find and fold", "fold"]


def test_command_by_keys(qtbot: QtBot) -> None:
    document = opened()
    window, close = make_window(qtbot, document)
    window.canvas.setFocus()
    qtbot.keyClick(
        window, Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    )
    palette = window.palette_window
    assert palette.isVisible()
    qtbot.keyClicks(palette.line, "select all")
    qtbot.keyClick(palette.line, Qt.Key.Key_Return)
    assert not palette.isVisible()
    assert len(document.selection) == 12
    close()


def test_escape_changes_nothing_and_gives_the_keyboard_back(qtbot: QtBot) -> None:
    window, close = make_window(qtbot, opened())
    window.ops.find_box.setFocus()
    window.pick_command()
    assert window.palette_window.line.hasFocus()
    qtbot.keyClick(window.palette_window.line, Qt.Key.Key_Escape)
    assert not window.palette_window.isVisible()
    assert window.ops.find_box.hasFocus()
    close()


def test_arrows_skip_what_is_disabled(qtbot: QtBot) -> None:
    window, close = make_window(qtbot)
    chosen: list[str] = []
    choices = [Choice(t, lambda t=t: chosen.append(t), enabled=t != "b") for t in "abc"]
    palette = window.palette_window
    palette.ask("?", choices)
    qtbot.keyClick(palette.line, Qt.Key.Key_Down)
    qtbot.keyClick(palette.line, Qt.Key.Key_Return)
    assert chosen == ["c"]
    palette.ask("?", choices)
    qtbot.keyClick(palette.line, Qt.Key.Key_Up)
    qtbot.keyClick(palette.line, Qt.Key.Key_Return)
    assert chosen == ["c", "c"]
    palette.ask("?", choices)
    qtbot.keyClicks(palette.line, "b")
    qtbot.keyClick(palette.line, Qt.Key.Key_Return)
    assert chosen == ["c", "c"]
    assert palette.isVisible()
    palette.dismiss()
    close()


def test_device_by_its_digit(qtbot: QtBot) -> None:
    document = opened()
    window, close = make_window(qtbot, document)
    document.select([3])
    window.pickers.pick_device(along=False)
    settle()
    shown = window.palette_window.model.shown
    assert [c.text for c in shown] == ["Stage 0", "Stage 1", "Stage 2"]
    assert shown[0].detail == "is here"
    qtbot.keyClick(window.palette_window.line, Qt.Key.Key_1)
    assert document.device_of[3] == 1
    close()


def test_illegal_devices_say_why(qtbot: QtBot) -> None:
    document = opened()
    window, close = make_window(qtbot, document)
    document.select([0])
    choices = window.pickers.device_choices(along=False)
    assert choices[2].note
    assert choices[2].detail == "breaks a rule: 66.00  +6.5 %"
    along = window.pickers.device_choices(along=True)
    assert along[2].detail.startswith("takes ")
    along[2].run()
    assert document.evaluation.valid
    assert document.device_of[0] == 2
    close()


@pytest.mark.parametrize("query", ["conv", "block1", "blc1rlu"])
def test_ops_by_name(qtbot: QtBot, query: str) -> None:
    document = opened()
    window, close = make_window(qtbot, document)
    choices = window.pickers.op_choices(query, "")
    assert choices
    choices[0].run()
    assert len(document.selection) == 1
    assert window.canvas.asked[-1] == ("reveal", int(document.selection[0]))
    close()


def test_return_takes_no_forbidden_device_unasked(qtbot: QtBot) -> None:
    document = opened()
    window, close = make_window(qtbot, document)
    document.select([5])  # it may go nowhere but where it is
    assert sum(document.check(document.selection).legal) == 1
    document.select([4])
    window.pickers.pick_device(along=False)
    settle()
    palette = window.palette_window
    assert palette.list.currentIndex().data(CHOICE).detail != "breaks a rule"
    palette.dismiss()
    choices = [
        Choice("one", close, advised=False),
        Choice("two", close),
        Choice("three", close, enabled=False),
    ]
    palette.ask("Choose", choices)
    assert palette.list.currentIndex().row() == 1
    palette.dismiss()
    palette.ask("Choose", choices[:1])
    assert palette.list.currentIndex().row() == 0
    palette.dismiss()
    close()


def test_the_keyboard_does_not_pass_through_the_stepper(qtbot: QtBot) -> None:
    window, close = make_window(qtbot, opened())
    window.activateWindow()
    window.canvas.setFocus()
    qtbot.waitUntil(window.canvas.hasFocus)
    spin = window.findChild(StageControl).spin
    window.document.select([4])
    window.pickers.pick_device(along=False)
    settle()
    qtbot.keyClick(window.palette_window.line, Qt.Key.Key_Escape)
    settle()
    assert window.canvas.hasFocus()
    assert not spin.lineEdit().hasSelectedText()
    close()


def test_names_lose_their_beginning_and_commands_their_end(qtbot: QtBot) -> None:
    """What is painted, caught where it is written."""
    window, close = make_window(qtbot, opened())
    written: list[str] = []

    class Spy(QPainter):
        def drawText(self, *args: Any) -> None:
            written.append(args[-1])

    long = " ".join(["word"] * 60)
    window.palette_window.ask(
        "", [Choice(f"a {long} end", lambda: None, by_end=True), Choice(f"b {long} end", lambda: None)]
    )
    image = QImage(400, 60, QImage.Format.Format_RGB32)
    for row in range(2):
        option = QStyleOptionViewItem()
        option.rect = QRect(0, 0, 400, 28)  # type: ignore[attr-defined]
        painter = Spy(image)
        index = window.palette_window.model.index(row, 0)
        window.palette_window.list.itemDelegate().paint(painter, option, index)
        painter.end()
    names = [text for text in written if "word" in text]
    assert names[0].startswith("…") and names[0].endswith("end")
    assert names[1].startswith("b word") and names[1].endswith("…")
    close()
