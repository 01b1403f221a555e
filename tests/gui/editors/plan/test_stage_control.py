"""The count of stages in the header: one undo step per change, by mouse and keys, hidden where there is none."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gui.document.plan.document import Document
from gui.document.values import Message
from gui.editors.plan.stage_control import StageControl, set_stages
from planner.errors import StageboardError
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from tests.gui.models import chain_graph
from tests.gui.stage_models import network, tpu_problem
from tests.gui.window_parts import make_window, opened, settle, shown


def test_the_spin_box_changes_the_target(qtbot: QtBot) -> None:
    document = opened(12, 3)
    document.undo_stack.clear()
    control = StageControl(document)
    with shown(qtbot, control, 200, 40):
        assert control.spin.value() == 3
        assert control.spin.text() == "3 stages"
        control.spin.setValue(2)
        assert document.undo_stack.count() == 1
        assert document.problem is not None
        assert len(document.problem.devices) == 2
        assert document.device_of.tolist() == [0] * 4 + [1] * 8, "ops of stage 2 go to the last one"
        document.undo_stack.undo()
        assert control.spin.value() == 3
        qtbot.mouseClick(control.more, Qt.MouseButton.LeftButton)
        assert len(document.problem.devices) == 4
        qtbot.mouseClick(control.fewer, Qt.MouseButton.LeftButton)
        assert len(document.problem.devices) == 3
        control.spin.setValue(1)
        assert control.spin.text() == "1 stage"
        assert not control.fewer.isEnabled()


def test_pins_that_go_are_told_as_for_any_target(qtbot: QtBot) -> None:
    document = opened(12, 3)
    document.pin([11], 2)
    heard: list[Message] = []
    document.message.connect(heard.append)
    assert set_stages(document, 2)
    assert "dropped" in heard[0].text
    assert not set_stages(document, 2)


def test_it_is_there_for_rows_of_stages_only(qtbot: QtBot) -> None:
    document = Document()
    header = QWidget()
    control = StageControl(document, header)
    with shown(qtbot, header, 200, 40):
        assert not control.isVisible()
        document.open_graph(chain_graph(12), target=DevicePool(2, 1))
        assert not control.isVisible()
        with pytest.raises(StageboardError, match="no row of stages"):
            set_stages(document, 2)
        document.open_graph(network(), target=tpu_problem().target)
        assert control.isVisible()
        assert control.spin.text() == "3 TPUs"
        for count in (0, 33):
            with pytest.raises(StageboardError, match="from 1 to 32"):
                set_stages(document, count)
        document.set_problem(Pipeline(count=40))
        assert not control.isVisible(), "more than the control offers"


def test_keys_in_the_window(qtbot: QtBot) -> None:
    window, close = make_window(qtbot, opened(12, 3))
    try:
        settle()
        window.actions_set["plan.stage_more"].trigger()
        assert window.document.problem is not None
        assert len(window.document.problem.devices) == 4
        window.actions_set["plan.stage_fewer"].trigger()
        window.actions_set["plan.stage_fewer"].trigger()
        assert len(window.document.problem.devices) == 2
        assert window.document.undo_stack.count() == 4
        window.actions_set["plan.counts"].trigger()
        settle()
        assert window.counts.isVisible()
        window.docks.docks["counts"].hide()
        settle()
        assert not window.counting.running
        window.document.set_problem(DevicePool(2, 1))
        window.update_actions()
        assert not window.actions_set["plan.counts"].isEnabled()
    finally:
        close()


def test_a_machine_without_stages_says_so(qtbot: QtBot) -> None:
    window, close = make_window(qtbot, opened())
    try:
        window.document.open_graph(chain_graph(12), target=DevicePool(2, 1))
        settle()
        window.actions_set["plan.stage_more"].trigger()
        assert "no row of stages" in window.notice.text
    finally:
        close()
