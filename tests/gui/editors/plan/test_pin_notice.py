"""Pinned ops that are moved by hand: the list of devices says the pin and the price, the notice offers both ways out."""

from __future__ import annotations

from collections.abc import Generator

import pytest
from pytestqt.qtbot import QtBot

from gui.editors.plan.editor import MainWindow
from tests.gui.window_parts import make_window, opened, settle


@pytest.fixture
def window(qtbot: QtBot) -> Generator[MainWindow]:
    window, close = make_window(qtbot, opened())
    window.document.select([1])
    window.document.pin([1])
    yield window
    close()


def test_the_list_of_devices_says_pin_and_price(window: MainWindow) -> None:
    home = int(window.document.device_of[1])
    pin = f"pinned to {window.document.open_problem.devices[home].name}"
    for along in (False, True):
        choices = window.pickers.device_choices(along=along)
        others = [choice for d, choice in enumerate(choices) if d != home]
        assert all(pin in choice.note for choice in others)
        assert all(choice.note.count("pinned") == 1 for choice in others)
        assert all(":" in choice.detail or choice.detail == "in no valid plan" for choice in others)
    # Nothing of this is told of an op without a pin.
    window.document.unpin([1])
    assert not any("pinned" in choice.note for choice in window.pickers.device_choices(along=True))


@pytest.mark.parametrize("along", [False, True])
def test_a_move_off_a_pin_is_told_and_taken_back(window: MainWindow, along: bool) -> None:
    document = window.document
    before = document.device_of.copy()
    away = (int(before[1]) + 1) % len(document.open_problem.devices)
    window.pickers.device_choices(along=along)[away].run()
    settle()
    assert document.device_of[1] == away
    assert "is pinned to" in window.notice.text and window.notice.level == "warning"
    assert (window.notice._action.text(), window.notice._other.text()) == ("Unpin", "Undo")
    window.notice._other.click()
    assert document.device_of.tolist() == before.tolist()
    assert window.notice.isHidden()
    window.pickers.device_choices(along=along)[away].run()
    window.notice._action.click()
    assert document.device_of[1] == away
    assert not document.open_problem.constraints


def test_a_move_of_other_ops_says_nothing_of_pins(window: MainWindow) -> None:
    document = window.document
    document.move([5], (int(document.device_of[5]) + 1) % len(document.open_problem.devices))
    assert "pinned" not in window.notice.text
