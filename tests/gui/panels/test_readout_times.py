"""The mark of the readout strip that says where times come from: estimated, measured or partly measured."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gui.document.plan.document import Document
from gui.look.theme import LIGHT
from gui.panels.readouts import ReadoutStrip
from planner.formats import read_model
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.pipeline.target import Pipeline
from planner.model.samples import sample
from planner.problem.problem import Problem
from tests.gui.models import chain_graph
from tests.gui.window_parts import settle, shown


def test_estimated_times_say_so_and_lead_to_the_target(qtbot: QtBot) -> None:
    document = Document()
    strip = ReadoutStrip(document, LIGHT)
    asked: list[bool] = []
    strip.target_requested.connect(lambda: asked.append(True))
    selected: list[bool] = []
    strip.bottleneck_requested.connect(lambda: selected.append(True))
    with shown(qtbot, strip):
        assert not strip.times.isVisible()
        document.open_graph(read_model(sample("unet.onnx")), target=Pipeline(3))
        settle()
        assert strip.times.isVisible() and "the cost model" in strip.times.toolTip()
        strip.resize(1024, strip.height())
        settle()
        note = strip.objective._note
        assert note.shown_text() == note.text() and "inferences/s" in note.text()
        assert strip.times.geometry().left() >= note.geometry().right()
        qtbot.mouseClick(strip.times, Qt.MouseButton.LeftButton)
        assert asked == [True] and not selected
        document.open_graph(chain_graph(), target=Pipeline(3))
        settle()
        assert not strip.times.isVisible()


def test_measured_times_say_so_and_the_line_is_not_indented(qtbot: QtBot) -> None:
    from planner.model.times import OpTime, OpTimes, Use

    document = Document()
    strip = ReadoutStrip(document, LIGHT)
    document.open_graph(read_model(sample("unet.onnx")), target=Pipeline(3))
    ids = document.open_problem.graph.op_ids
    with shown(qtbot, strip):
        settle()
        for ops, mark in ((ids[:9], "partly measured"), (ids, "measured")):
            times = OpTimes({op: OpTime(0.01, 0.0008) for op in ops}, "t.json", "a runtime")
            document.editing.set_times([Use(times)])
            settle()
            assert strip.times.isVisible() and strip.times.text() == mark
            tip = strip.times.toolTip()
            assert "ops measured" in tip and "a runtime" in tip and "runs spread by 8 %" in tip
            assert ("the cost model" in tip) == (mark == "partly measured")
        for target in (Pipeline(3), EdgeTpuPipeline(3)):  # with a mark, and without: bytes have none
            document.set_problem(target)
            settle()
            if strip.objective.isVisible():
                assert strip.objective._note.x() == strip.objective._label.x()
        document.open_graph(chain_graph(), target=Pipeline(3))
        settle()
        assert not strip.times.isVisible()
        assert strip.objective._note.x() == strip.objective._label.x()


def test_moves_do_not_ask_every_op_where_its_time_comes_from(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Problem] = []
    monkeypatch.setattr("gui.panels.readouts.times_tip", lambda problem: asked.append(problem) or "")
    document = Document()
    strip = ReadoutStrip(document, LIGHT)
    document.open_graph(chain_graph(), target=Pipeline(3))
    with shown(qtbot, strip):
        settle()
        for device in (1, 2):
            document.move([11], device)
            settle()
        assert asked == [document.problem]
        document.set_problem(Pipeline(4))
        settle()
        assert asked[1:] == [document.problem]
