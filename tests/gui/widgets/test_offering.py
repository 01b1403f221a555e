"""What cannot be done says what is lacking, to who points at it and to who listens, and is itself again once it can."""

from __future__ import annotations

from typing import Any

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QPushButton

from gui.widgets.offering import offer


def test_a_button_that_is_off_says_why_and_has_its_tip_back_afterwards(qapp: Any) -> None:
    button = QPushButton("Apply")
    button.setToolTip("Put it on the canvas")
    for _ in range(2):
        offer(button, "select a plan")
        assert not button.isEnabled()
        assert button.toolTip() == button.accessibleDescription() == "Select a plan"
    offer(button, "it is there already")
    assert button.toolTip() == "It is there already"
    offer(button, "")
    assert button.isEnabled() and button.toolTip() == "Put it on the canvas"
    assert button.accessibleDescription() == ""
    button.setToolTip("Another tip")  # said elsewhere meanwhile
    offer(button, "select a plan")
    offer(button, "")
    assert button.toolTip() == "Another tip"
    offer(button, "select a plan", "a tip of now")
    offer(button, "")
    assert button.toolTip() == "A tip of now"


def test_an_action_says_it_in_its_tips(qapp: Any) -> None:
    action = QAction("Apply")
    offer(action, "select a plan", "put it on the canvas")
    assert not action.isEnabled() and action.toolTip() == action.statusTip() == "Select a plan"
    offer(action, "")
    assert action.isEnabled() and action.toolTip() == action.statusTip() == "Put it on the canvas"
