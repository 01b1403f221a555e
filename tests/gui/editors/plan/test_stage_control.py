"""The count of stages in the header: one undo step per change, by mouse and keys, hidden where there is none."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gui.document.plan.document import Document
from gui.document.values import Message
from gui.editors.plan.stage_control import StageControl, set_count
from planner.errors import StageboardError
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.mcm.target import McmPackage
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.model.cost_model import fill
from planner.problem.target import Target
from planner.runs.stage_counts import throughput
from tests.gui.models import chain_graph, tpu_graph
from tests.gui.stage_models import CACHE, even, network, tpu_problem
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
    assert set_count(document, 2)
    assert "dropped" in heard[0].text
    assert not set_count(document, 2)


def test_it_is_there_where_something_is_counted(qtbot: QtBot) -> None:
    document = Document()
    header = QWidget()
    control = StageControl(document, header)
    with shown(qtbot, header, 200, 40):
        assert not control.isVisible()
        document.open_graph(chain_graph(12), target=DevicePool(2, 1))
        assert control.isVisible() and control.spin.text() == "2 accelerators"
        assert control.more.toolTip() == "One accelerator more (>)"
        control.more.click()
        assert document.problem is not None and document.problem.target == DevicePool(3, 1)
        document.open_graph(network(), target=McmPackage(36))
        assert control.isVisible() and control.spin.text() == "36 chips"
        control.fewer.click()
        assert document.problem.target == McmPackage(35)
        document.open_graph(network(), target=tpu_problem().target)
        assert control.isVisible()
        assert control.spin.text() == "3 TPUs"
        for count in (0, 65):
            with pytest.raises(StageboardError, match="TPUs are not offered here; from 1 to 64"):
                set_count(document, count)
        document.set_problem(Pipeline(count=80))
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
        assert window.actions_set["plan.counts"].text() == "How Many Stages Do I Need?"
        window.document.set_problem(DevicePool(2, 1))
        window.update_actions()
        assert window.actions_set["plan.counts"].isEnabled()
        assert window.actions_set["plan.counts"].text() == "How Many Accelerators Do I Need?"
        assert window.actions_set["plan.stage_more"].text() == "One Accelerator More"
        assert window.docks.docks["counts"].windowTitle() == "How Many Accelerators?"
        window.document.set_problem(McmPackage(4))
        window.update_actions()
        assert window.actions_set["plan.counts"].text() == "How Many Chips Do I Need?"
        assert window.actions_set["plan.stage_fewer"].text() == "One Chip Fewer"
    finally:
        close()


def test_without_a_model_the_commands_say_what_they_lack(qtbot: QtBot) -> None:
    window, close = make_window(qtbot, Document())
    try:
        for id in ("plan.counts", "plan.stage_more", "plan.stage_fewer"):
            assert not window.actions_set[id].isEnabled()
            assert window.actions_set[id].toolTip().startswith("Open a model first")
    finally:
        close()


def test_one_tpu_that_holds_all_and_is_faster_is_a_click_away(qtbot: QtBot) -> None:
    document = Document()
    document.open_graph(tpu_graph(), target=EdgeTpuPipeline(3, down=1e7, up=1e7))
    document.set_assignment(even(6, 3), "edit", "thirds")
    control = StageControl(document)
    with shown(qtbot, control, 400, 40):
        qtbot.waitUntil(control.one.isVisible, timeout=30_000)
        now = throughput(document.evaluation)
        assert control.one.text().endswith("× faster on one TPU") and control.one.isEnabled()
        factor = float(control.one.text().partition("×")[0])
        qtbot.mouseClick(control.one, Qt.MouseButton.LeftButton)
        assert control.spin.value() == 1
        assert throughput(document.evaluation) / now == pytest.approx(factor, abs=0.06)
        qtbot.waitUntil(lambda: not control.one.isVisible(), timeout=30_000)
        document.undo_stack.undo()
        qtbot.waitUntil(control.one.isVisible, timeout=30_000)


def test_several_tpus_that_are_faster_say_so_without_a_click(qtbot: QtBot) -> None:
    document = Document()
    document.open_graph(fill(network(), None), target=EdgeTpuPipeline(2))
    document.set_assignment(even(12, 2), "edit", "halves")
    control = StageControl(document)
    with shown(qtbot, control, 400, 40):
        qtbot.waitUntil(control.one.isVisible, timeout=30_000)
        assert control.one.text() == "1.3× as fast as one TPU" and not control.one.isEnabled()


@pytest.mark.parametrize("target", [EdgeTpuPipeline(3, cache=CACHE), Pipeline(3)])
def test_nothing_is_said_where_one_holds_not_all_or_has_no_cache(qtbot: QtBot, target: Target) -> None:
    document = Document()
    document.open_graph(fill(network(), None), target=target)
    control = StageControl(document)
    with shown(qtbot, control, 400, 40):
        settle()
        assert not control.one.isVisible()


def test_unpin_and_separate_are_for_ops_that_are_pinned_or_kept_together(qtbot: QtBot) -> None:
    window, close = make_window(qtbot, opened(12, 3))
    document, actions = window.document, window.actions_set

    def offered(*ops: int) -> tuple[bool, bool]:
        document.select(np.array(ops, np.int32))
        window.update_actions()
        return actions["edit.unpin"].isEnabled(), actions["edit.separate"].isEnabled()

    try:
        assert offered(0) == (False, False)
        assert actions["edit.unpin"].toolTip() == "No selected op is pinned"
        document.pin([0], 0)
        document.keep_together([4, 5])
        assert [offered(0), offered(4), offered(0, 5), offered(7)] == [
            (True, False), (False, True), (True, True), (False, False),
        ]  # fmt: skip
    finally:
        close()


def test_a_window_on_chips_asks_for_chips_from_the_first(qtbot: QtBot) -> None:
    document = Document()
    document.open_graph(chain_graph(12), target=McmPackage(4))
    window, close = make_window(qtbot, document)
    try:
        assert window.docks.docks["counts"].windowTitle() == "How Many Chips?"
    finally:
        close()
